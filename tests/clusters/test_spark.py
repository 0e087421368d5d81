"""Spark gives the tree of memory, also when an executor is killed."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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
from treewright.growing.parts.on_worker import Task

try:
    from pyspark.sql import SparkSession

    from treewright.growing.parts import on_spark
    from treewright.growing.parts.on_spark import Spark, _on_partition
except ImportError:
    pytest.skip("NO CLUSTER: Spark is not installed", allow_module_level=True)
if shutil.which("java") is None:
    pytest.skip("NO CLUSTER: Spark needs Java", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("default")


def session(master: str) -> Any:
    tests = str(Path(__file__).parents[1])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    return (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "700m")
        .config("spark.executorEnv.PYTHONPATH", tests)
        .config("spark.executorEnv.PYSPARK_PYTHON", sys.executable)
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )


@pytest.fixture(scope="module")
def growing() -> Growing:
    return Growing()


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[1])
    made = session("local[2]")
    yield made
    made.stop()


def frame(spark: Any) -> Any:
    return spark.createDataFrame(rows()).repartition(3)


def test_two_threads_give_the_tree_of_memory(
    spark: Any, growing: Growing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_core, "grow_subtree", refuse_subtrees)
    engine = Spark(frame(spark), timeout=60)
    assert len(engine.names) == 3
    assert growing.grow(growing.parts(engine)) == growing.expected
    engine.close()


def test_fit_takes_a_spark_frame(spark: Any) -> None:
    settings: dict[str, Any] = {"prune": None, "criterion": "gini", "max_depth": 5}
    table = rows()
    small = tw.TreeClassifier(**settings, memory_limit="100kB")
    found = small.fit(frame(spark), target="y").tree_
    expected = tw.TreeClassifier(**settings).fit(table.drop(columns="y"), table["y"])
    assert found == expected.tree_


def test_a_tree_answers_a_spark_frame(spark: Any) -> None:
    answers_like_memory(spark.createDataFrame(rows()))


def test_the_parts_of_a_fit_are_given_back(spark: Any) -> None:
    def cached() -> int:
        return int(spark.sparkContext._jsc.getPersistentRDDs().size())

    spark.catalog.clearCache()
    assert cached() == 0
    small = tw.TreeClassifier(memory_limit="100kB", max_depth=3)
    small.fit(frame(spark), target="y")
    assert cached() == 0
    stop = pytest.raises(StopError)
    with stop:
        small.set_params(progress=refuse).fit(frame(spark), target="y")
    assert cached() == 0


class StopError(Exception):
    """Stops a fit."""


def refuse(share: float) -> None:
    raise StopError


def test_workers_of_another_version_are_refused(spark: Any) -> None:
    engine = Spark(frame(spark), timeout=60)
    task = Task(len, None)
    task._version = "0.0.1"
    job = engine._frame.mapInArrow(_on_partition(task), "part string, result binary")
    with pytest.raises(ClusterError, match=r"treewright 0\.0\.1"):
        engine._rows_of(job)


def test_rows_that_change_are_refused_by_the_name_of_their_part(
    spark: Any, growing: Growing
) -> None:
    engine = Spark(frame(spark), timeout=60)
    parts = growing.parts(engine)
    engine._digests["partition 1"] = b"other"
    with pytest.raises(ClusterError, match="rows of 'partition 1' changed"):
        growing.grow(parts)


def test_a_request_may_take_long_while_tasks_end(spark: Any) -> None:
    engine = Spark(frame(spark), timeout=60)
    engine._timeout = 18
    begun = time.monotonic()
    # 3 parts, 2 threads. A busy machine has 8 s to start a task.
    found = dict(engine.on_rows(sleep_on_rows, 10.0))
    assert sorted(found) == sorted(engine.names)
    assert time.monotonic() - begun > 18


def test_a_request_that_is_not_answered_is_an_error(spark: Any) -> None:
    engine = Spark(frame(spark), timeout=60)
    engine._timeout = 2
    with pytest.raises(ClusterError, match="no answer in 2 s"):
        list(engine.on_rows(sleep_on_rows, 20.0))


def connected(collect: Any) -> Any:
    """Return a frame of Spark Connect, whose session has no context."""
    conf = {"spark.sql.shuffle.partitions": "6"}
    frame = SimpleNamespace(conf=conf, addTag=str, collect=collect)
    frame.sparkSession = frame  # one object serves as both
    frame.mapInArrow = lambda *_: frame
    return frame


def test_a_session_without_a_context_is_asked_for_what_it_has() -> None:
    frame = connected(lambda: [(f"partition {i}", b"") for i in (10, 2, 0)])
    assert Spark(frame).names == ["partition 0", "partition 2", "partition 10"]
    assert on_spark._tasks_at_once(frame) == 6
    assert on_spark._finished_tasks(frame) == []


def test_an_error_of_ours_is_said_in_its_words_and_another_as_it_is() -> None:
    def failing(words: str) -> Any:
        def collect() -> None:
            raise RuntimeError(words)

        return connected(collect)

    text = "Job aborted:\n  treewright.errors.ClusterError: The rows changed.\n  at x"
    with pytest.raises(ClusterError, match=r"^The rows changed\.$"):
        Spark(failing(text))
    with pytest.raises(RuntimeError, match="Job aborted: no disk"):
        Spark(failing("Job aborted: no disk"))


def executors(application: str) -> list[int]:
    """Processes of executors of one application, which this test has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes()
        except OSError:
            continue
        if b"ExecutorBackend" in words and application.encode() in words:
            found.append(int(path.parent.name))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("place", [{"at": 2}, {"after_subtrees": 1}])
def test_an_executor_that_is_killed_changes_nothing(
    growing: Growing, place: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_spark, "_GATHERINGS_PER_TASK", 1)  # several jobs
    active = SparkSession.getActiveSession()
    if active is not None:
        active.stop()
    spark = session("local-cluster[2,1,1024]")

    def kill_one() -> None:
        os.kill(executors(spark.sparkContext.applicationId)[0], signal.SIGKILL)

    try:
        engine = Spark(frame(spark), timeout=60)
        killed = Disturbed(growing.parts(engine), kill_one, **place)
        begun = time.monotonic()
        assert growing.grow(killed) == growing.expected
        assert killed.n_asked > 3
        assert killed.n_subtrees > 6
        assert time.monotonic() - begun < 60
    finally:
        spark.stop()
