"""A fit goes on from its checkpoint, wherever its driver died."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from support.clusters import Growing, rows
from treewright.errors import OptionError
from treewright.growing.parts.checkpoint import Checkpointed
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
        if self.n_asked == self._stop_at:
            if self._stop is not None:
                self._stop()
            raise ConnectionAbortedError
        self.n_asked += 1
        return self._parts.ask(kernel, request)

    def gather(self, *arguments: Any) -> Any:
        return self._parts.gather(*arguments)


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
        parts = Checkpointed(counted, path, b"rows")
        assert parts.n_known == n_known
        try:
            found = growing.grow(parts)
            break
        except ConnectionAbortedError:
            n_known += 1
    assert found == growing.expected
    assert n_known >= 6
    parts.finish()
    assert not path.exists()


@pytest.mark.slow
def test_a_driver_killed_after_any_checkpoint_goes_on(
    tmp_path: Path, growing: Growing
) -> None:
    path = tmp_path / "fit.checkpoint"
    tests = str(Path(__file__).parents[1])
    program = (
        "import os\n"
        "from support.clusters import Growing\n"
        "from treewright.growing.parts.checkpoint import Checkpointed\n"
        "from growing.test_checkpoint import Counted\n"
        "growing = Growing()\n"
        "counted = Counted(growing, 1, lambda: os.kill(os.getpid(), 9))\n"
        f"print(growing.grow(Checkpointed(counted, {str(path)!r}, b'rows')))\n"
    )
    for _ in range(30):
        run = subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONPATH": tests},
            timeout=60,
            check=False,
            capture_output=True,
            text=True,
        )
        if run.returncode == 0:
            break
        assert run.returncode == -9, run.stderr
    assert run.stdout.strip() == growing.expected


def test_a_checkpoint_that_was_cut_short_loses_its_last_reply_only(
    tmp_path: Path, growing: Growing
) -> None:
    path = tmp_path / "fit.checkpoint"
    growing.grow(Checkpointed(Counted(growing), path, b"rows"))
    whole = path.read_bytes()
    n_known = Checkpointed(Counted(growing), path, b"rows").n_known
    for cut in range(1, len(whole), len(whole) // 40):
        path.write_bytes(whole[:cut])
        counted = Counted(growing)
        parts = Checkpointed(counted, path, b"rows")
        assert growing.grow(parts) == growing.expected
        assert parts.n_known + counted.n_asked == n_known
        assert path.read_bytes() == whole


def test_a_checkpoint_of_other_data_is_refused(
    tmp_path: Path, growing: Growing
) -> None:
    path = tmp_path / "fit.checkpoint"
    growing.grow(Checkpointed(Counted(growing), path, b"rows"))
    with pytest.raises(OptionError, match="other data, other options"):
        Checkpointed(Counted(growing), path, b"other rows")
    other = Growing(home_rows=0)
    with pytest.raises(OptionError, match="other data, other options"):
        other.grow(Checkpointed(Counted(other), path, b"rows"))
    path.write_text("a letter, which is longer than the head of a checkpoint is")
    with pytest.raises(OptionError, match="something else"):
        Checkpointed(Counted(growing), path, b"rows")
