"""The engine on a Dask cluster: futures, and nothing that Dask cannot repeat.

No worker is named, nothing is scattered and no task outlives a request, so that a lost
worker costs time only: Dask runs its tasks again elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from treewright.errors import ClusterError
from treewright.files.in_clusters import batches_of_frame
from treewright.growing.parts.on_worker import (
    Task,
    coded,
    on_coded,
    on_gathered,
    on_rows,
)
from treewright.growing.parts.protocol import (
    CodedWork,
    GatheredWork,
    Gathering,
    RowsWork,
)

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
        Seconds in which no part gives an answer, after which a request is an error.
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
        futures = self._on_parts(Task(work, argument))
        yield from self._results(dict(zip(self.names, futures, strict=True)))

    def on_gathered(
        self, take: CodedWork, make: GatheredWork, gatherings: Sequence[Gathering]
    ) -> Iterator[tuple[int, Any]]:
        """Take something from every coded part and bring it together on a worker."""
        # A thread of a worker holds the rows of one gathering at a time.
        at_once = max(sum(self._client.nthreads().values()), 1)
        for begin in range(0, len(gatherings), at_once):
            futures = {}
            for place, each in enumerate(gatherings[begin : begin + at_once], begin):
                futures[f"subtrees {place}"] = self._client.submit(
                    _on_gathered,
                    self._on_parts(Task(take, each.take)),
                    task=Task(make, each.make),
                    retries=_RETRIES,
                    pure=False,
                )
            for name, result in self._results(futures):
                yield int(name.removeprefix("subtrees ")), result

    def close(self) -> None:
        """Let Dask forget the coded parts."""
        self._client.cancel(list(self._coded.values()))

    def _on_parts(self, task: Task) -> list[Any]:
        """Return a future for each coded part."""
        futures: list[Any] = self._client.map(
            _on_coded,
            self.names,
            [self._coded[name] for name in self.names],
            [self._digests[name] for name in self.names],
            task=task,
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

    def _results(self, futures: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yield the results as they come, each once."""
        from distributed import CancelledError, KilledWorker

        names = {future.key: name for name, future in futures.items()}
        try:
            while names:
                n_left = len(names)
                some = self._answered_in_time([futures[n] for n in names.values()])
                for future, result in some:
                    if isinstance(result, CancelledError):
                        raise result
                    yield names.pop(future.key), result
                if len(names) == n_left:
                    raise self._no_answer(names.values(), len(futures))
        except CancelledError as error:
            raise ClusterError(
                "The scheduler of the Dask cluster is gone, or it has cancelled the "
                "work. Start the cluster again and run the fit again; with "
                "checkpoint=PATH it goes on where it was."
            ) from error
        except KilledWorker as error:
            raise ClusterError(
                f"Dask gave up on a part after several workers died with it ({error}). "
                "Give the workers more memory, or make the partitions smaller."
            ) from error
        finally:
            self._client.cancel([futures[name] for name in names.values()])

    def _answered_in_time(self, futures: list[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield futures and results as they come, until the time is over."""
        from distributed import as_completed

        waiting = as_completed(futures, with_results=True, timeout=self._timeout)
        while True:
            try:
                found = next(waiting)
            except (StopIteration, TimeoutError):
                return
            yield found

    def _no_answer(self, names: Collection[str], n_parts: int) -> ClusterError:
        return ClusterError(
            f"{len(names)} of {n_parts} parts gave no answer in {self._timeout:g} s, "
            f"the first of them {min(names)!r}. Look at the workers of the Dask "
            "cluster, and fit again."
        )


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
    return on_rows(task, name, batches_of_frame(frame))


def _code_frame(task: Task, name: str, frame: Any) -> Any:
    return coded(task, name, batches_of_frame(frame))


def _facts(made: tuple[Any, bytes, Any]) -> tuple[bytes, Any]:
    return made[1], made[2]


def _on_gathered(pieces: list[Any], *, task: Task) -> Any:
    return on_gathered(task, pieces)


def _on_coded(name: str, held: Any, expected: bytes, *, task: Task) -> Any:
    part, digest = held
    return on_coded(task, name, part, digest, expected)
