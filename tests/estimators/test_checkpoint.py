"""A fit that was killed goes on from its checkpoint and gives the same tree."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import treewright as tw
from treewright.estimators import in_parts
from treewright.growing.parts.checkpoint import Checkpoint
from treewright.growing.parts.plan import Plan

pytest.importorskip("pyarrow")

SMALL: dict[str, Any] = {"memory_limit": "100kB", "max_depth": 4, "findings": "ignore"}


def rows(n: int = 900, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n))
    frame = pd.DataFrame({"x": x, "z": z.round(1), "k": rng.choice(list("abc"), n)})
    frame["w"] = rng.integers(1, 4, n)
    signal = x + (frame["k"] == "b") + rng.normal(size=n)
    frame["y"] = np.where(signal > 0.5, "yes", "no")
    frame["amount"] = signal + rng.normal(size=n)
    return frame


def write(frame: pd.DataFrame, folder: Path) -> Path:
    folder.mkdir()
    for i in range(3):
        frame.iloc[i::3].to_parquet(folder / f"{i}.parquet")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(rows(), tmp_path / "rows")


class StopError(Exception):
    """Stops a fit."""


@pytest.fixture
def stop_after(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Stop fits after so many replies were kept; None: never."""
    keep = Checkpoint.keep

    def chosen(n: int | None) -> None:
        left = [n]

        def kept(self: Checkpoint, asked: bytes, reply: bytes) -> None:
            keep(self, asked, reply)
            if left[0] is not None:
                left[0] -= 1
                if not left[0]:
                    raise StopError

        monkeypatch.setattr(Checkpoint, "keep", kept)

    return chosen


CASES: list[tuple[Any, str, dict[str, Any], dict[str, Any]]] = [
    (tw.TreeClassifier, "y", {}, {}),
    (tw.TreeClassifier, "y", {"prune": "cv", "cv": 3}, {}),
    (tw.TreeClassifier, "y", {"class_weight": "balanced"}, {"sample_weight": "w"}),
    (tw.TreeRegressor, "amount", {"prune": None}, {}),
]


@pytest.mark.parametrize(("estimator", "target", "settings", "more"), CASES)
def test_a_fit_that_was_stopped_anywhere_goes_on(
    estimator: Any,
    target: str,
    settings: dict[str, Any],
    more: dict[str, Any],
    folder: Path,
    tmp_path: Path,
    stop_after: Any,
) -> None:
    path = tmp_path / "fit.checkpoint"
    settings = SMALL | settings
    expected = estimator(**settings).fit(folder, target=target, **more)
    n_stopped = 0
    while True:
        stop_after(2)
        model = estimator(**settings, checkpoint=path)
        try:
            model.fit(folder, target=target, **more)
            break
        except StopError:
            assert path.exists()
            n_stopped += 1
    assert n_stopped >= 2
    assert not path.exists()
    assert model.tree_ == expected.tree_
    assert str(model.pruning_) == str(expected.pruning_)
    assert model.plan_.n_requests < expected.plan_.n_requests
    assert model.tree_.to_dict() == expected.tree_.to_dict()


def test_a_fit_goes_on_with_more_or_less_memory(
    folder: Path, tmp_path: Path, stop_after: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "fit.checkpoint"
    settings: dict[str, Any] = {"prune": None, "checkpoint": path}
    expected = tw.TreeClassifier(prune=None).fit(rows().drop(columns="y"), rows()["y"])

    def fit(home_rows: int, stop: int | None) -> tw.TreeClassifier:
        plan = Plan("codes in memory", "", home_rows)
        monkeypatch.setattr(in_parts, "plan_for", lambda *_, **__: plan)
        stop_after(stop)
        return tw.TreeClassifier(**settings).fit(folder, target="y")

    n_all = fit(40, None).plan_.n_requests
    for home_rows in (400, 40, 10):
        with pytest.raises(StopError):
            fit(40, 8)
        model = fit(home_rows, None)
        assert model.tree_ == expected.tree_
        assert model.plan_.n_requests < n_all or home_rows == 10
        assert not path.exists()


PROGRAM = """
import os, signal, sys
import treewright as tw
from treewright.growing.parts.checkpoint import Checkpoint

keep = Checkpoint.keep

def keep_and_die(self, asked, reply):
    keep(self, asked, reply)
    os.kill(os.getpid(), signal.SIGKILL)

Checkpoint.keep = keep_and_die
model = tw.TreeClassifier(memory_limit="100kB", max_depth=4, findings="ignore",
                          prune=None, checkpoint=sys.argv[1])
model.fit(sys.argv[2], target="y")
print(model.tree_.fingerprint, model.plan_.n_requests)
"""


@pytest.mark.slow
def test_a_driver_killed_after_every_checkpoint_goes_on(
    folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "fit.checkpoint"
    expected = tw.TreeClassifier(**SMALL, prune=None).fit(folder, target="y")
    n_killed = 0
    while True:
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(path), str(folder)],
            timeout=60,
            check=False,
            capture_output=True,
            text=True,
        )
        if run.returncode == 0:
            break
        assert run.returncode == -9, run.stderr
        n_killed += 1
    # Each time one more record is kept: the two limits of the plan, then a reply.
    assert n_killed == expected.plan_.n_requests + 2
    assert run.stdout.split() == [expected.tree_.fingerprint, "0"]
    assert not path.exists()


OTHER: list[dict[str, Any]] = [
    {"max_depth": 5},
    {"criterion": "entropy"},
    {"random_state": 4},
    {"prune": None},
    {"class_weight": "balanced"},
    {"kinds": {"k": ["a", "b", "c"]}},
]


@pytest.mark.parametrize("other", OTHER)
def test_other_options_are_refused(
    other: dict[str, Any], folder: Path, tmp_path: Path, stop_after: Any
) -> None:
    path = tmp_path / "fit.checkpoint"
    settings = SMALL | {"criterion": "gini", "checkpoint": path}
    stop_after(3)
    with pytest.raises(StopError):
        tw.TreeClassifier(**settings).fit(folder, target="y")
    kept = path.read_bytes()
    with pytest.raises(tw.OptionError, match="other data, other options"):
        tw.TreeClassifier(**settings | other).fit(folder, target="y")
    assert path.read_bytes() == kept


def test_other_rows_targets_and_weights_are_refused(
    folder: Path, tmp_path: Path, stop_after: Any
) -> None:
    path = tmp_path / "fit.checkpoint"
    model = tw.TreeClassifier(**SMALL, checkpoint=path)
    stop_after(4)  # two numbers of the plan, and two replies
    with pytest.raises(StopError):
        model.fit(folder, target="y")
    refused = pytest.raises(tw.OptionError, match="other data, other options")
    with refused:
        model.fit(folder, target="k")
    with refused:
        model.fit(folder, target="y", sample_weight="w")
    with refused:
        model.fit(tw.rows_in_parts(folder, drop=["w"]), target="y")
    changed = rows()
    changed.loc[5, "z"] += 0.1
    with refused:
        model.fit(write(changed, tmp_path / "changed"), target="y")
    stop_after(None)
    moved = folder.rename(tmp_path / "elsewhere")
    n_requests = tw.TreeClassifier(**SMALL).fit(moved, target="y").plan_.n_requests
    assert model.fit(moved, target="y").plan_.n_requests == n_requests - 2


def test_a_path_that_cannot_be_a_checkpoint_is_refused_before_rows_are_read(
    tmp_path: Path,
) -> None:
    def refused(checkpoint: Any) -> str:
        model = tw.TreeClassifier(checkpoint=checkpoint)
        with pytest.raises(tw.OptionError) as caught:
            model.fit(tw.rows_in_parts(tmp_path / "rows"), target="no column")
        return str(caught.value)

    write(rows(30), tmp_path / "rows")
    assert "is a folder. Name a file in it" in refused(tmp_path)
    assert "No such file or directory" in refused(tmp_path / "none" / "here")
    assert "type 'int'" in refused(7)
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear reader,")
    assert "something else" in refused(letter)
    assert letter.read_text() == "Dear reader,"
    assert "a device or a pipe" in refused(os.devnull)
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(0o500)
    if not os.access(locked, os.W_OK):  # root may write anywhere
        assert "Permission denied" in refused(locked / "fit.checkpoint")


def test_a_full_disk_is_said_in_a_sentence(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "fit.checkpoint"
    model = tw.TreeClassifier(**SMALL, checkpoint=path)
    n_left = 3

    def full(file: int) -> None:
        nonlocal n_left
        n_left -= 1
        if not n_left:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(tw.ResourceLimitError, match="No space left on device"):
        model.fit(folder, target="y")
    assert "tree_" not in vars(model)
    expected = tw.TreeClassifier(**SMALL).fit(folder, target="y").tree_
    assert model.fit(folder, target="y").tree_ == expected


def test_a_fit_in_memory_ignores_the_checkpoint(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "fit.checkpoint"
    frame = rows()
    tw.TreeClassifier(checkpoint=path).fit(frame.drop(columns="y"), frame["y"])
    tw.TreeClassifier(checkpoint=path).fit(folder, target="y")
    assert not path.exists()


def test_the_checkpoint_is_a_parameter_but_not_part_of_the_model(
    folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "fit.checkpoint"
    model = tw.TreeClassifier(**SMALL, checkpoint=path)
    assert clone(model).get_params()["checkpoint"] == path
    model.fit(folder, target="y")
    file = tmp_path / "m.tree.json"
    model.tree_.save(file)
    assert "checkpoint" not in file.read_text()
    assert tw.TreeClassifier.from_tree(tw.load(file)).checkpoint is None
