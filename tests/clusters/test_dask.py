"""A Dask cluster gives the tree of memory, whatever happens to its workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Timer
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import treewright as tw
from support.clusters import (
    Disturbed,
    Growing,
    answers_like_memory,
    refuse_subtrees,
    rows,
    sleep_on_rows,
)
from treewright import _core
from treewright.errors import ClusterError
from treewright.growing.parts.local import Local
from treewright.growing.parts.on_worker import Task

try:
    import dask.dataframe as dd
    from distributed import CancelledError, Client, KilledWorker, LocalCluster

    from treewright.growing.parts.on_dask import Dask
except ImportError:
    pytest.skip("NO CLUSTER: Dask is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def growing() -> Growing:
    return Growing()


def three_workers() -> Any:
    return LocalCluster(
        n_workers=3, threads_per_worker=1, dashboard_address=":0", memory_limit=0
    )


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with three_workers() as made:
        yield made


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    with Client(cluster) as made:
        made.wait_for_workers(3, timeout=60)
        yield made


def frame() -> Any:
    return dd.from_pandas(rows(), npartitions=5, sort=False)


def pids(client: Any) -> list[int]:
    return list(client.run(os.getpid).values())


def test_three_workers_give_the_tree_of_memory(client: Any, growing: Growing) -> None:
    assert growing.grow(growing.parts(Dask(frame(), client))) == growing.expected
    local = Local({"all": pa.Table.from_pandas(rows()).to_batches})
    assert growing.grow(growing.parts(local)) == growing.expected


def test_subtrees_are_grown_by_the_workers(
    client: Any, growing: Growing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_core, "grow_subtree", refuse_subtrees)
    assert growing.grow(growing.parts(Dask(frame(), client))) == growing.expected
    local = Local({"all": pa.Table.from_pandas(rows()).to_batches})
    with pytest.raises(AssertionError, match="grown by the driver"):
        growing.grow(growing.parts(local))


def test_fit_takes_a_dask_frame(client: Any) -> None:
    settings: dict[str, Any] = {"prune": None, "criterion": "gini", "max_depth": 5}
    table = rows()
    found = tw.TreeClassifier(**settings).fit(frame(), target="y").tree_
    expected = tw.TreeClassifier(**settings).fit(table.drop(columns="y"), table["y"])
    assert found == expected.tree_
    small = tw.TreeClassifier(**settings, memory_limit="100kB")
    assert small.fit(frame(), target="y").tree_ == found
    assert small.plan_.words.startswith("codes with the workers: 900 rows x 4 columns")


def test_a_tree_answers_a_dask_frame(client: Any) -> None:
    answers_like_memory(frame())


def n_requests(growing: Growing) -> int:
    local = Local({"all": pa.Table.from_pandas(rows()).to_batches})
    counted = Disturbed(growing.parts(local), None)
    growing.grow(counted)
    assert counted.n_subtrees > 6
    return counted.n_asked


def kill_one(client: Any) -> None:
    os.kill(pids(client)[0], signal.SIGKILL)


@pytest.mark.slow
def test_a_worker_killed_at_any_request_changes_nothing(growing: Growing) -> None:
    n = n_requests(growing)
    assert n >= 6
    for at in range(n):
        with three_workers() as cluster, Client(cluster) as client:
            parts = growing.parts(Dask(frame(), client, timeout=60))
            begun = time.monotonic()
            killed = Disturbed(parts, partial(kill_one, client), at)
            assert growing.grow(killed) == growing.expected
            assert killed.n_asked == n
            assert time.monotonic() - begun < 60


def test_a_worker_killed_in_a_fit_changes_nothing(
    client: Any, growing: Growing
) -> None:
    parts = growing.parts(Dask(frame(), client, timeout=60))
    killed = Disturbed(parts, lambda: kill_one(client), 2)
    assert growing.grow(killed) == growing.expected


def test_a_worker_killed_between_two_subtrees_changes_nothing(
    client: Any, growing: Growing
) -> None:
    parts = growing.parts(Dask(frame(), client, timeout=60))
    killed = Disturbed(parts, lambda: kill_one(client), after_subtrees=1)
    assert growing.grow(killed) == growing.expected
    assert killed.n_subtrees > 6


@pytest.mark.slow
def test_a_worker_that_stops_for_a_while_changes_nothing(
    client: Any, growing: Growing
) -> None:
    parts = growing.parts(Dask(frame(), client, timeout=60))
    victim = pids(client)[0]

    def stop() -> None:
        os.kill(victim, signal.SIGSTOP)
        Timer(20, os.kill, (victim, signal.SIGCONT)).start()

    begun = time.monotonic()
    assert growing.grow(Disturbed(parts, stop, 2)) == growing.expected
    assert time.monotonic() - begun < 60


DRIVER = """
import os, signal, sys
import dask.dataframe as dd
import treewright as tw
from distributed import Client
from support.clusters import rows
from treewright.growing.parts.checkpoint import Checkpoint

keep = Checkpoint.keep

def keep_and_die(self, asked, reply):
    keep(self, asked, reply)
    os.kill(os.getpid(), signal.SIGKILL)

Checkpoint.keep = keep_and_die
with Client(sys.argv[1]):
    frame = dd.from_pandas(rows(), npartitions=5, sort=False)
    model = tw.TreeClassifier(memory_limit="50kB", max_depth=3, prune=None,
                              criterion="gini", checkpoint=sys.argv[2])
    model.fit(frame, target="y")
print(model.tree_.fingerprint, model.plan_.n_requests)
"""


@pytest.mark.slow
def test_a_driver_killed_after_every_checkpoint_goes_on(
    cluster: Any, tmp_path: Path
) -> None:
    table, path = rows(), tmp_path / "fit.checkpoint"
    expected = tw.TreeClassifier(max_depth=3, prune=None, criterion="gini")
    expected.fit(table.drop(columns="y"), table["y"])
    tests = str(Path(__file__).parents[1])
    arguments = [cluster.scheduler_address, str(path)]
    n_killed = 0
    while n_killed < 30:
        run = subprocess.run(
            [sys.executable, "-c", DRIVER, *arguments],
            env=os.environ | {"PYTHONPATH": tests},
            timeout=60,
            check=False,
            capture_output=True,
            text=True,
        )
        if run.returncode == 0:
            break
        assert run.returncode == -9, run.stderr
        n_killed += 1
    assert n_killed >= 4
    assert run.stdout.split() == [expected.tree_.fingerprint, "0"]
    assert not path.exists()


def test_a_request_that_is_not_answered_is_an_error(
    client: Any, growing: Growing
) -> None:
    engine = Dask(frame(), client)
    parts = growing.parts(engine)
    engine._timeout = 2
    stopped = pids(client)

    def stop_all() -> None:
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)

    try:
        with pytest.raises(ClusterError, match=r"gave no answer in 2 s.*'partition"):
            growing.grow(Disturbed(parts, stop_all, 1))
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


class Idle:
    """A client that takes tasks and does none of them."""

    def __init__(self) -> None:
        self.cancelled: list[str] = []

    def compute(self, tasks: list[Any], retries: int) -> list[Any]:
        return [SimpleNamespace(key=f"task {i}") for i in range(len(tasks))]

    def cancel(self, futures: list[Any]) -> None:
        self.cancelled += [each.key for each in futures]


@pytest.mark.parametrize(
    ("came", "words"),
    [
        (None, "^5 of 5 requests gave no answer in 3 s, the first .* 'partition 0'"),
        (CancelledError("task 0"), "^The scheduler of the Dask cluster is gone, or"),
        (
            KilledWorker("task 0", SimpleNamespace(address="here"), 3),
            r"^Dask gave up on a part .* more memory, .* says: Attempted .* 'task 0'",
        ),
    ],
)
def test_tasks_that_come_to_nothing_are_cancelled_and_the_reason_is_said(
    came: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def completed(engine: Dask, futures: list[Any], with_results: bool) -> Any:
        if isinstance(came, KilledWorker):
            raise came
        yield from [] if came is None else [(futures[0], came)]

    monkeypatch.setattr(Dask, "_completed", completed)
    client = Idle()
    engine = Dask(frame(), client, timeout=3)
    with pytest.raises(ClusterError, match=words):
        list(engine.on_rows(sleep_on_rows, 0.0))
    assert client.cancelled == [f"task {i}" for i in range(5)]


@pytest.mark.slow
def test_a_scheduler_that_vanishes_is_said_in_a_sentence(
    tmp_path: Path, growing: Growing
) -> None:
    file, tests = tmp_path / "scheduler.json", str(Path(__file__).parents[1])

    def start(name: str, *more: str) -> Any:
        words = [sys.executable, "-m", f"distributed.cli.dask_{name}", *more]
        return subprocess.Popen(
            [*words, "--no-dashboard", "--scheduler-file", str(file)],
            env=os.environ | {"PYTHONPATH": tests},
            stderr=subprocess.DEVNULL,
        )

    started = [start("scheduler", "--port", "0")]
    try:
        while not file.exists():
            time.sleep(0.1)
        started += [start("worker", "--nthreads", "1", "--no-nanny") for _ in range(2)]
        with Client(scheduler_file=str(file)) as client:
            client.wait_for_workers(2, timeout=60)
            engine = Dask(frame(), client, timeout=30)
            harmed = Disturbed(growing.parts(engine), started[0].kill, 2)
            begun = time.monotonic()
            with pytest.raises(ClusterError, match=r"scheduler of the Dask cluster is"):
                growing.grow(harmed)
            engine.close()
            assert time.monotonic() - begun < 60
    finally:
        for each in started:
            each.kill()
            each.wait()


def test_a_request_may_take_long_while_parts_answer(client: Any) -> None:
    engine = Dask(frame(), client, timeout=6)
    begun = time.monotonic()
    found = dict(engine.on_rows(sleep_on_rows, 4.0))  # 5 parts, 3 workers
    assert sorted(found) == sorted(engine.names)
    assert time.monotonic() - begun > 6


def test_workers_of_another_version_are_refused(client: Any) -> None:
    task = Task(len, None)
    task._version = "0.0.1"
    with pytest.raises(ClusterError, match=r"treewright 0\.0\.1. Install the same"):
        client.submit(Task.opened, task, pure=False).result(timeout=30)


def test_rows_that_change_are_refused_by_the_name_of_their_part(
    client: Any, growing: Growing
) -> None:
    engine = Dask(frame(), client)
    parts = growing.parts(engine)
    engine._digests["partition 3"] = b"other"
    with pytest.raises(ClusterError, match="rows of 'partition 3' changed"):
        growing.grow(parts)


def test_a_frame_without_a_client_says_what_to_do() -> None:
    with pytest.raises(ClusterError, match=r"distributed\.Client\(\)"):
        Dask(frame())
