"""The engine on a Dask cluster: futures, and nothing that Dask cannot repeat.

No worker is named, nothing is scattered and no task outlives a request, so that a lost
worker costs time only: Dask runs its tasks again elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from treewright.errors import ClusterError
from treewright.files.in_clusters import batches_of_frame
from treewright.growing.parts import on_worker
from treewright.growing.parts.on_worker import Task
from treewright.growing.parts.protocol import CodedWork, GatheredWork, RowsWork

__all__ = ["Dask"]

_RETRIES = 3


class Dask:
    """The partitions of a Dask DataFrame; see `Engine`.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        The rows.
    client : distributed.Client, optional
        The cluster; the default is the client that was made last.
    timeout : float, default=600
        Seconds in which no task of a request comes to its end, after which it is an
        error.
    """

    def __init__(self, frame: Any, client: Any = None, timeout: float = 600.0) -> None:
        self._client = client if client is not None else _default_client()
        self._timeout = timeout
        partitions = frame.to_delayed()
        self.names: Sequence[str] = [f"partition {i}" for i in range(len(partitions))]
        self._rows = dict(zip(self.names, partitions, strict=True))
        self._coded: dict[str, Any] = {}
        self._digests: dict[str, bytes] = {}

    def on_rows(self, work: RowsWork, argument: Any) -> Iterator[tuple[str, Any]]:
        """Run a function on the rows of every part."""
        yield from self._results(self._on_frames(_on_frame, work, argument))

    def keep(self, work: RowsWork, argument: Any) -> Iterator[tuple[str, Any]]:
        """Run a function on the rows of every part, and keep the coded part."""
        made = self._on_frames(_code_frame, work, argument)
        # Dask keeps the part on its worker, and makes it again from the rows if lost.
        self._coded = self._each(itemgetter(0, 1), made)
        for name, (digest, report) in self._results(self._each(_facts, made)):
            self._digests[name] = digest
            yield name, report

    def on_coded(self, work: CodedWork, argument: Any) -> Iterator[tuple[str, Any]]:
        """Run a function on every coded part."""
        futures = self._on_parts(_on_coded, task=Task(work, argument))
        yield from self._results(dict(zip(self.names, futures, strict=True)))

    def on_gathered(
        self,
        take: CodedWork,
        make: GatheredWork,
        common: Any,
        gatherings: Sequence[Any],
    ) -> Iterator[tuple[int, Any]]:
        """Take something from every coded part and bring it together on a worker."""
        to_take, to_make = Task(take, common), Task(make, common)
        # A thread of a worker holds the rows of one gathering at a time.
        at_once = max(sum(self._client.nthreads().values()), 1)
        for begin in range(0, len(gatherings), at_once):
            taken, made = {}, {}
            for place, each in enumerate(gatherings[begin : begin + at_once], begin):
                pieces = self._on_parts(_take, task=to_take, gathering=each)
                for name, piece in zip(self.names, pieces, strict=True):
                    taken[f"{name}, branch {place}"] = piece
                made[f"branch {place}"] = self._client.submit(
                    _make,
                    pieces,
                    task=to_make,
                    gathering=each,
                    retries=_RETRIES,
                    pure=False,
                )
            for name, result in self._results(made, taken):
                yield int(name.removeprefix("branch ")), result

    def close(self) -> None:
        """Let Dask forget the coded parts."""
        self._client.cancel(list(self._coded.values()))

    def _on_parts(self, run: Any, **arguments: Any) -> list[Any]:
        """Return a future for each coded part."""
        futures: list[Any] = self._client.map(
            run,
            self.names,
            [self._coded[name] for name in self.names],
            [self._digests[name] for name in self.names],
            **arguments,
            retries=_RETRIES,
            pure=False,
        )
        return futures

    def _on_frames(self, run: Any, work: RowsWork, argument: Any) -> dict[str, Any]:
        from dask import delayed

        task = delayed(Task(work, argument), traverse=False, pure=False)
        tasks = [
            delayed(run, pure=False)(task, name, rows)
            for name, rows in self._rows.items()
        ]
        futures = self._client.compute(tasks, retries=_RETRIES)
        return dict(zip(self.names, futures, strict=True))

    def _each(self, function: Any, futures: Mapping[str, Any]) -> dict[str, Any]:
        made = self._client.map(
            function, list(futures.values()), retries=_RETRIES, pure=False
        )
        return dict(zip(futures, made, strict=True))

    def _results(
        self, futures: Mapping[str, Any], before: Mapping[str, Any] | None = None
    ) -> Iterator[tuple[str, Any]]:
        """Yield the results as they come, each once; `before` is what they wait for."""
        from distributed import CancelledError, KilledWorker

        left = dict(futures)
        try:
            for _ in self._in_time(before or {}):
                pass
            for name, result in self._in_time(futures, with_results=True):
                if isinstance(result, CancelledError):
                    raise result
                del left[name]
                yield name, result
        except CancelledError as error:
            raise ClusterError(
                "The scheduler of the Dask cluster is gone, or it has cancelled the "
                "work. Start the cluster again and run the fit again; with "
                "checkpoint=PATH it goes on where it was."
            ) from error
        except KilledWorker as error:
            raise ClusterError(
                "Dask gave up on a part after several workers died with it. Give the "
                "workers more memory, or make the partitions smaller. Dask says: "
                f"{error}"
            ) from error
        finally:
            self._client.cancel(list(left.values()))

    def _in_time(
        self, futures: Mapping[str, Any], *, with_results: bool = False
    ) -> Iterator[tuple[str, Any]]:
        """Yield names and results as they come; the time-out counts from the last."""
        names = {future.key: name for name, future in futures.items()}
        while names:
            n_left = len(names)
            waiting = [futures[name] for name in names.values()]
            for found in self._completed(waiting, with_results):
                future, result = found if with_results else (found, None)
                yield names.pop(future.key), result
            if len(names) == n_left:
                raise ClusterError(
                    f"{len(names)} of {len(futures)} requests gave no answer in "
                    f"{self._timeout:g} s, the first of them {min(names.values())!r}. "
                    "Look at the workers of the Dask cluster, and fit again."
                )

    def _completed(self, futures: list[Any], with_results: bool) -> Iterator[Any]:
        """Yield futures as they come, until the time is over."""
        from distributed import as_completed

        waiting = as_completed(
            futures, with_results=with_results, timeout=self._timeout
        )
        while True:
            try:
                found = next(waiting)
            except (StopIteration, TimeoutError):
                return
            yield found


def _default_client() -> Any:
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        raise ClusterError(
            "A Dask DataFrame needs a Dask client: run "
            "`client = distributed.Client()` before fit."
        ) from None


def _on_frame(task: Task, name: str, frame: Any) -> Any:
    return on_worker.on_rows(task, name, batches_of_frame(frame))


def _code_frame(task: Task, name: str, frame: Any) -> Any:
    return on_worker.coded(task, name, batches_of_frame(frame))


def _facts(made: tuple[Any, bytes, Any]) -> tuple[bytes, Any]:
    return made[1], made[2]


def _on_coded(name: str, held: Any, expected: bytes, *, task: Task) -> Any:
    part, digest = held
    on_worker.check_part(name, digest, expected)
    return on_worker.on_coded(task, part)


def _take(name: str, held: Any, expected: bytes, *, task: Task, gathering: Any) -> Any:
    part, digest = held
    on_worker.check_part(name, digest, expected)
    return next(on_worker.take(task, part, [gathering]))


def _make(pieces: list[Any], *, task: Task, gathering: Any) -> Any:
    return on_worker.make(task, pieces, gathering)
