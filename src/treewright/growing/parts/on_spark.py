"""The engine on Spark: one job of `mapInArrow` per request, and no barrier.

Spark runs a lost task again by its own means. Coded parts are rows of a frame that
Spark keeps, in memory or on disk, and makes again from the rows if they are lost.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from treewright.errors import ClusterError
from treewright.files.in_clusters import row_of_bytes, table_of_bytes
from treewright.growing.parts import on_worker
from treewright.growing.parts.on_worker import Task
from treewright.growing.parts.protocol import CodedWork, GatheredWork, RowsWork

if TYPE_CHECKING:
    from treewright.files.in_parts import Batches

__all__ = ["Spark"]

_GATHERINGS_PER_TASK = 4
_RESULTS = "part string, result binary"
_CODED = "part string, digest binary, result binary, coded binary"


class _SilenceError(Exception):
    """No task came to its end in the time that is allowed."""


class Spark:
    """The partitions of a Spark DataFrame; see `Engine`.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The rows.
    timeout : float, default=600
        Seconds in which no task comes to its end, after which a request is an error.
    """

    def __init__(self, frame: Any, timeout: float = 600.0) -> None:
        self._frame = frame
        self._timeout = timeout
        self._coded: Any = None
        self._digests: dict[str, bytes] = {}
        found = [name for name, _ in self._rows_of(frame.mapInArrow(_name, _RESULTS))]
        # In the order of their numbers.
        self.names: Sequence[str] = sorted(found, key=lambda name: (len(name), name))

    def on_rows(self, work: RowsWork, argument: Any) -> Iterator[tuple[str, Any]]:
        """Run a function on the rows of every part."""
        run = _on_partition(Task(work, argument))
        return self._results(self._frame.mapInArrow(run, _RESULTS))

    def keep(self, work: RowsWork, argument: Any) -> Iterator[tuple[str, Any]]:
        """Run a function on the rows of every part, and keep the coded part."""
        from pyspark import StorageLevel

        made = self._frame.mapInArrow(_code_partition(Task(work, argument)), _CODED)
        self._coded = made.persist(StorageLevel.MEMORY_AND_DISK)
        facts = self._coded.select("part", "digest", "result")
        for name, digest, report in self._rows_of(facts):
            self._digests[name] = bytes(digest)
            yield name, pickle.loads(report)

    def on_coded(self, work: CodedWork, argument: Any) -> Iterator[tuple[str, Any]]:
        """Run a function on every coded part."""
        run = _on_coded_rows(Task(work, argument), self._digests)
        return self._results(self._coded.mapInArrow(run, _RESULTS))

    def on_gathered(
        self,
        take: CodedWork,
        make: GatheredWork,
        common: Any,
        gatherings: Sequence[Any],
    ) -> Iterator[tuple[int, Any]]:
        """Take something from every coded part and bring it together in a task."""
        to_take, to_make = Task(take, common), Task(make, common)
        # Every job reads all coded parts; its results are there when it is done.
        at_once = _GATHERINGS_PER_TASK * _tasks_at_once(self._frame.sparkSession)
        for begin in range(0, len(gatherings), at_once):
            chosen = {
                str(place): each
                for place, each in enumerate(gatherings[begin : begin + at_once], begin)
            }
            # A row holds what one part has for a gathering, under its number.
            taken = self._coded.mapInArrow(
                _taken(to_take, chosen, self._digests), _RESULTS
            )
            made = taken.groupBy("part").applyInArrow(_made(to_make, chosen), _RESULTS)
            for place, result in self._results(made):
                yield int(place), result

    def close(self) -> None:
        """Let Spark forget the coded parts."""
        if self._coded is not None:
            self._coded.unpersist()

    def _results(self, frame: Any) -> Iterator[tuple[str, Any]]:
        # A part that came twice counts once.
        found = {name: bytes(result) for name, result in self._rows_of(frame)}
        for name, result in found.items():
            yield name, pickle.loads(result)

    def _rows_of(self, frame: Any) -> list[Any]:
        """Run a job and return its rows; it is stopped when the time is over."""
        tag = f"treewright-{uuid4()}"
        session = frame.sparkSession

        def collected() -> list[Any]:
            session.addTag(tag)
            rows: list[Any] = frame.collect()
            return rows

        pool = ThreadPoolExecutor(1)
        try:
            return self._waited_for(pool.submit(collected), session)
        except _SilenceError:
            session.interruptTag(tag)
            raise ClusterError(
                f"Spark gave no answer in {self._timeout:g} s. Look at the executors, "
                "and fit again."
            ) from None
        except Exception as error:
            worded = _worded(error)
            if worded is None:
                raise
            raise ClusterError(worded) from error
        finally:
            pool.shutdown(wait=False)

    def _waited_for(self, job: Future[list[Any]], session: Any) -> list[Any]:
        """Wait for a job as long as its tasks keep finishing."""
        finished, since = _finished_tasks(session), time.monotonic()
        while not wait([job], min(1.0, self._timeout / 4)).done:
            now = _finished_tasks(session)
            if now != finished:
                finished, since = now, time.monotonic()
            elif time.monotonic() - since > self._timeout:
                raise _SilenceError
        return job.result()


def _tasks_at_once(session: Any) -> int:
    """Return how many tasks the cluster runs at once, where Spark tells it."""
    try:
        found: int = session.sparkContext.defaultParallelism
    except Exception:  # Spark Connect has no context
        found = int(session.conf.get("spark.sql.shuffle.partitions"))
    return max(found, 1)


def _finished_tasks(session: Any) -> list[tuple[int, int]]:
    """Return how many tasks of each active stage are done, where Spark tells it."""
    try:
        tracker = session.sparkContext.statusTracker()
    except Exception:  # Spark Connect has no context
        return []
    infos = [
        (stage, tracker.getStageInfo(stage)) for stage in tracker.getActiveStageIds()
    ]
    return sorted((stage, info.numCompletedTasks) for stage, info in infos if info)


def _worded(error: Exception) -> str | None:
    """Return the message of an error that a worker of ours raised."""
    for line in str(error).splitlines():
        _, found, message = line.partition("ClusterError: ")
        if found:
            return message
    return None


def _here() -> str:
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None, "runs in a task of Spark"
    return f"partition {context.partitionId()}"


def _name(batches: Batches) -> Iterator[Any]:
    for _ in batches:
        pass
    yield row_of_bytes(_here(), result=b"")


def _on_partition(task: Task) -> Callable[[Batches], Iterator[Any]]:
    def run(batches: Batches) -> Iterator[Any]:
        result = on_worker.on_rows(task, _here(), batches)
        yield row_of_bytes(_here(), result=pickle.dumps(result))

    return run


def _code_partition(task: Task) -> Callable[[Batches], Iterator[Any]]:
    def run(batches: Batches) -> Iterator[Any]:
        part, digest, report = on_worker.coded(task, _here(), batches)
        yield row_of_bytes(
            _here(),
            digest=digest,
            result=pickle.dumps(report),
            coded=pickle.dumps(part, pickle.HIGHEST_PROTOCOL),
        )

    return run


def _coded_parts(batches: Batches) -> Iterator[tuple[str, bytes, Any]]:
    """Yield the name, the digest and the rows of every coded part of a partition."""
    for batch in batches:
        for row in batch.to_pylist():
            yield row["part"], row["digest"], pickle.loads(row["coded"])


def _on_coded_rows(
    task: Task, digests: dict[str, bytes]
) -> Callable[[Batches], Iterator[Any]]:
    def run(batches: Batches) -> Iterator[Any]:
        for name, digest, part in _coded_parts(batches):
            on_worker.check_part(name, digest, digests[name])
            result = on_worker.on_coded(task, part)
            yield row_of_bytes(name, result=pickle.dumps(result))

    return run


def _taken(
    task: Task, gatherings: dict[str, Any], digests: dict[str, bytes]
) -> Callable[[Batches], Iterator[Any]]:
    def run(batches: Batches) -> Iterator[Any]:
        for name, digest, part in _coded_parts(batches):
            on_worker.check_part(name, digest, digests[name])
            pieces = on_worker.take(task, part, gatherings.values())
            for gathering, piece in zip(gatherings, pieces, strict=True):
                yield row_of_bytes(gathering, result=pickle.dumps(piece))

    return run


def _made(task: Task, gatherings: dict[str, Any]) -> Callable[[Any], Any]:
    def run(taken: Any) -> Any:
        gathering = taken["part"][0].as_py()
        pieces = (pickle.loads(each.as_buffer()) for each in taken["result"])
        result = on_worker.make(task, pieces, gatherings[gathering])
        return table_of_bytes(gathering, result=pickle.dumps(result))

    return run
