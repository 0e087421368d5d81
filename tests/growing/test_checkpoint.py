"""A fit goes on from its checkpoint, wherever its driver died."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from support.clusters import Growing, rows
from treewright.errors import OptionError
from treewright.growing.parts.checkpoint import Checkpoint, Checkpointed
from treewright.growing.parts.local import Local


class Counted:
    """Parts that count their requests, and stop the fit at one of them."""

    def __init__(self, growing: Growing, stop_at: int = -1, stop: Any = None) -> None:
        self._parts = growing.parts(
            Local({"all": pa.Table.from_pandas(rows()).to_batches})
        )
        self._stop_at, self._stop = stop_at, stop
        self.n_asked = 0

    def ask(self, kernel: str, request: bytes) -> bytes:
        self._count()
        return self._parts.ask(kernel, request)

    def grow(self, *arguments: Any) -> Any:
        for subtree in self._parts.grow(*arguments):
            self._count()
            yield subtree

    def _count(self) -> None:
        if self.n_asked == self._stop_at:
            if self._stop is not None:
                self._stop()
            raise ConnectionAbortedError
        self.n_asked += 1


@pytest.fixture(scope="module")
def growing() -> Growing:
    return Growing()


def test_a_fit_that_was_stopped_at_any_request_goes_on(
    tmp_path: Path, growing: Growing
) -> None:
    path = tmp_path / "fit.checkpoint"
    n_known = 0
    while True:  # one more request each time
        counted = Counted(growing, stop_at=1)
        checkpoint = Checkpoint(path, [b"rows"])
        assert checkpoint.n_known == n_known
        try:
            found = growing.grow(Checkpointed(counted, checkpoint))
            break
        except ConnectionAbortedError:
            n_known += 1
    assert found == growing.expected
    assert n_known >= 6
    checkpoint.finish()
    assert not path.exists()


def grown(growing: Growing, path: Path, identity: bytes = b"rows") -> tuple[int, int]:
    """Grow a tree; return the replies that were kept and those that were asked for."""
    counted, checkpoint = Counted(growing), Checkpoint(path, [identity])
    assert growing.grow(Checkpointed(counted, checkpoint)) == growing.expected
    return checkpoint.n_known, counted.n_asked


def test_a_checkpoint_that_was_cut_short_loses_its_last_reply_only(
    tmp_path: Path, growing: Growing
) -> None:
    path = tmp_path / "fit.checkpoint"
    grown(growing, path)
    whole = path.read_bytes()
    n_known, _ = grown(growing, path)
    for cut in range(0, len(whole), len(whole) // 40):
        path.write_bytes(whole[:cut])
        assert sum(grown(growing, path)) == n_known
        assert path.read_bytes() == whole


def test_a_damaged_checkpoint_never_changes_the_tree(
    tmp_path: Path, growing: Growing
) -> None:
    path = tmp_path / "fit.checkpoint"
    grown(growing, path)
    whole = path.read_bytes()
    n_known, _ = grown(growing, path)
    for place in range(40, len(whole), len(whole) // 60):  # 40: the length of the head
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        known, asked = grown(growing, path)
        assert known < n_known
        assert known + asked == n_known
        assert path.read_bytes() == whole


def test_a_checkpoint_of_other_data_is_refused(
    tmp_path: Path, growing: Growing
) -> None:
    path = tmp_path / "fit.checkpoint"
    grown(growing, path)
    with pytest.raises(OptionError, match="other data, other options"):
        Checkpoint(path, [b"other rows"])
    for text in ("a letter, which is longer than the head of a checkpoint is", "short"):
        path.write_text(text)
        with pytest.raises(OptionError, match="something else"):
            Checkpoint(path, [b"rows"])
        assert path.read_text() == text


def test_the_trees_of_a_fit_share_a_file(tmp_path: Path, growing: Growing) -> None:
    path = tmp_path / "fit.checkpoint"
    n_asked = []
    for _ in range(2):
        checkpoint = Checkpoint(path, [b"rows"])
        for tree in ("first", "second"):
            counted = Counted(growing)
            growing.grow(Checkpointed(counted, checkpoint, tree))
            n_asked.append(counted.n_asked)
    first, second, *again = n_asked
    assert first == second > 5
    assert again == [0, 0]


def test_the_rows_of_small_nodes_are_those_of_the_first_fit(tmp_path: Path) -> None:
    path = tmp_path / "fit.checkpoint"
    assert Checkpoint(path, [b"rows"]).of_first_fit("home rows", 500) == 500
    assert Checkpoint(path, [b"rows"]).of_first_fit("home rows", 900) == 500
    # Less memory is left: what was kept still serves as far as the requests are equal.
    assert Checkpoint(path, [b"rows"]).of_first_fit("home rows", 70) == 70
    assert Checkpoint(path, [b"rows"]).of_first_fit("home rows", 900) == 70
