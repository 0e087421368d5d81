"""What an engine must offer so that a tree can be grown from its rows.

An `Engine` holds rows in named parts and runs functions on them: first on the rows
themselves, which come as Arrow record batches, and, once they are coded, on the coded
parts (`coding.CodedPart`). All these functions are pure, so an engine may repeat one,
run it anywhere and in any order; they and their arguments and results can be pickled.
An engine needs no state that must not be lost, no socket of its own and no barrier.

`PartsOf` turns an engine into what the C++ core asks: requests and replies are bytes
that only the core reads. `answer` is a pure function of a part and a request; replies
are added up as they come, and all sums are integers, so the order does not matter. The
rows of a small node are gathered by one worker, which grows the whole subtree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import ClusterError
from treewright.files.in_parts import Batches
from treewright.files.part_results import in_order
from treewright.growing.parts.coding import (
    ChosenRows,
    CodedPart,
    MemoryPart,
    RowWeights,
)
from treewright.growing.parts.progress import PartsProgress

__all__ = [
    "CodedWork",
    "Engine",
    "GatheredWork",
    "Parts",
    "PartsOf",
    "Rows",
    "RowsWork",
    "SmallNode",
    "answer",
    "drained",
    "rows_of_nodes",
]

RowsWork = Callable[[str, Batches, Any], Any]
"""A pure function of a part's name, its rows in batches, and an argument."""
CodedWork = Callable[[CodedPart, Any], Any]
"""A pure function of a coded part and an argument."""
GatheredWork = Callable[[Iterable[Any], Any], Any]
"""A pure function of what a `CodedWork` returned for each part, and an argument."""

Rows = tuple[list[NDArray[Any]], NDArray[Any], NDArray[np.int64] | None]
"""Rows of a node: its usable columns, the target, and the weights in units or None."""
SmallNode = tuple[int, int, bytes]
"""A node to gather: its number, its rows, and what else its subtree depends on."""


@dataclass(frozen=True)
class GrowingFacts:
    """What all small nodes of a tree need.

    Attributes
    ----------
    rows : ChosenRows
        The rows that count.
    request : bytes
        Holds the splits that lead to the nodes.
    table, options : dict
        As `_core.grow_subtree` takes them.
    """

    rows: ChosenRows
    request: bytes
    table: dict[str, Any]
    options: dict[str, Any]


class Engine(Protocol):
    """Rows in named parts, on one machine or on many.

    Attributes
    ----------
    names : sequence of str
        The parts, by names that people recognise: a file and its row groups, or the
        number of a partition.
    """

    names: Sequence[str]

    def on_rows(self, work: RowsWork, argument: Any) -> Iterable[tuple[str, Any]]:
        """Run a function on the rows of every part.

        Parameters
        ----------
        work : callable
            A function of a module, so that it can be pickled.
        argument : object
            Its last argument.

        Yields
        ------
        name : str
            The part. Parts come in any order, but each of them exactly once, even if
            the function ran twice.
        result : object
            What the function returned.
        """

    def keep(self, work: RowsWork, argument: Any) -> Iterable[tuple[str, Any]]:
        """Run a function on the rows of every part, and keep the coded rows.

        Parameters
        ----------
        work : callable
            A generator of the coded rows of a part, as one or more `MemoryPart`s; it
            returns a report (see `drained`). The engine keeps the rows where it likes:
            in memory, on disk, or with a worker that may be lost, as long as it can
            make them again.
        argument : object
            Its last argument.

        Yields
        ------
        name : str
        report : object
        """

    def on_coded(self, work: CodedWork, argument: Any) -> Iterable[tuple[str, Any]]:
        """Run a function on every coded part; see `on_rows`."""

    def on_gathered(
        self,
        take: CodedWork,
        make: GatheredWork,
        common: Any,
        gatherings: Sequence[Any],
    ) -> Iterable[tuple[int, Any]]:
        """Take something from every coded part and bring it together in one place.

        Parameters
        ----------
        take : callable
            Runs on every coded part, once for each gathering.
        make : callable
            Runs for each gathering, wherever the engine likes, on what was taken from
            all parts, in any order. It may be repeated; one result counts.
        common : object
            What every gathering needs.
        gatherings : sequence
            What each of them needs besides. The argument of both functions is the pair
            of `common` and one of these.

        Yields
        ------
        index : int
            The gathering. They come in any order, but each of them exactly once.
        result : object
            What `make` returned.
        """

    def close(self) -> None:
        """Forget the coded parts; the engine is not used any more."""


class Parts(Protocol):
    """Coded rows that answer requests."""

    def ask(self, kernel: str, request: bytes) -> bytes:
        """Return the merged reply of all parts, each counted once.

        Parameters
        ----------
        kernel : {'count', 'measure', 'neighbours'}
            The kernel to run.
        request : bytes
            The request.

        Returns
        -------
        bytes
        """

    def grow(
        self, nodes: Sequence[SmallNode], request: bytes, facts: Any
    ) -> Iterator[tuple[int, bytes]]:
        """Gather the rows of each node, and grow its subtree where they are.

        Parameters
        ----------
        nodes : sequence of SmallNode
            The nodes.
        request : bytes
            Holds the splits that lead to the nodes.
        facts : tuple of dict
            The table and the options, as `_core.grow_subtree` takes them.

        Yields
        ------
        index : int
            The node, by its place in the sequence; they come in any order.
        subtree : bytes
        """


def drained(pieces: Any, keep: Callable[[MemoryPart], Any]) -> Any:
    """Pass every piece of a part on, and return the report that follows them.

    Parameters
    ----------
    pieces : generator
        What the function given to `Engine.keep` returned.
    keep : callable
        Takes the coded rows, piece by piece.

    Returns
    -------
    object
        The report.
    """
    while True:
        try:
            piece = next(pieces)
        except StopIteration as end:
            return end.value
        keep(piece)


def answer(kernel: str, part: CodedPart, rows: ChosenRows, request: bytes) -> bytes:
    """Return the reply of one part.

    Parameters
    ----------
    kernel : str
        'count', 'measure' or 'neighbours'; 'route' only finds the node of each row.
    part : CodedPart
        The part. It remembers the node of each row for the next request, which may be
        forgotten at any time.
    rows : ChosenRows
        The rows that count.
    request : bytes
        The request.

    Returns
    -------
    bytes
    """
    found = _core.PartAnswer(kernel, request)
    node, applied = part.nodes(rows.tree)
    codes, values, target, n_splits = found.needs(max(applied, 0))
    if kernel == "route" and n_splits == applied:
        return b""
    if applied >= 0 and n_splits > applied:
        node = node.copy()  # the same request may run in another thread
    for where, some in part.slices():
        found.add_rows(
            {column: some.codes(column) for column in codes},
            {column: some.values(column) for column in values},
            some.target() if target else None,
            some.units(rows),
            node[where],
            applied,
        )
    part.remember(rows.tree, node, n_splits)
    return found.reply()


def rows_of_nodes(
    part: CodedPart, argument: tuple[GrowingFacts, Sequence[SmallNode]]
) -> list[Rows]:
    """Return the rows of a part that lie in some nodes.

    Parameters
    ----------
    part : CodedPart
        The part.
    argument : tuple
        What all nodes need, and the nodes.

    Returns
    -------
    list
        An entry for each node.
    """
    facts, small = argument
    nodes = [node for node, _, _ in small]
    answer("route", part, facts.rows, facts.request)
    ends = part.nodes(facts.rows.tree)[0]
    found = [_RowsOfNode(int(np.count_nonzero(ends == node))) for node in nodes]
    for where, some in part.slices():
        units = some.units(facts.rows)
        rows = [np.flatnonzero(ends[where] == node) for node in nodes]
        for column in range(part.n_columns):
            for each, cells in zip(found, some.decoded(column, rows), strict=True):
                each.put(column, cells)
        target = some.target()
        for each, own in zip(found, rows, strict=True):
            each.put_row_facts(target[own], None if units is None else units[own])
    return [each.rows(part.n_columns) for each in found]


class _RowsOfNode:
    """The rows of a node, filled in some at a time: they are in memory once."""

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._arrays: dict[int | str, NDArray[Any]] = {}
        self._filled: dict[int | str, int] = {}

    def put(self, name: int | str, cells: NDArray[Any]) -> None:
        """Append cells of a column, or of the target or the weights."""
        if name not in self._arrays:
            self._arrays[name] = np.empty(self._n_rows, cells.dtype)
            self._filled[name] = 0
        begin = self._filled[name]
        self._filled[name] = begin + len(cells)
        self._arrays[name][begin : begin + len(cells)] = cells

    def put_row_facts(
        self, target: NDArray[Any], units: NDArray[np.int64] | None
    ) -> None:
        """Append targets and weights."""
        self.put("target", target)
        if units is not None:
            self.put("units", units)

    def put_rows(self, rows: Rows) -> None:
        """Append whole rows."""
        for column, cells in enumerate(rows[0]):
            self.put(column, cells)
        self.put_row_facts(rows[1], rows[2])

    def rows(self, n_columns: int) -> Rows:
        """Return all rows."""
        came = set(self._filled.values())
        if came != {self._n_rows}:
            raise ClusterError(
                f"A node of {self._n_rows:,} rows got {max(came, default=0):,} of them "
                "from the parts. Run the fit again."
            )
        columns = [self._arrays[column] for column in range(n_columns)]
        return columns, self._arrays["target"], self._arrays.get("units")


def grow_subtrees(
    pieces: Iterable[list[Rows]], argument: tuple[GrowingFacts, Sequence[SmallNode]]
) -> tuple[list[bytes], int]:
    """Grow the subtrees of some nodes from their rows.

    Parameters
    ----------
    pieces : iterable
        The rows that each part has of the nodes; see `rows_of_nodes`.
    argument : tuple
        What all nodes need, and the nodes.

    Returns
    -------
    subtrees : list of bytes
    n_bytes : int
        The bytes of the rows.
    """
    facts, nodes = argument
    gathered = _together(pieces, nodes)
    subtrees, n_bytes = [], 0
    for _, _, state in nodes:
        # The rows of a node are freed before the next subtree is grown.
        columns, target, units = gathered.pop(0).rows(len(facts.table["columns"]))
        n_bytes += sum(array.nbytes for array in (*columns, target))
        subtree = _core.grow_subtree(
            facts.table, facts.options, state, columns, target, units
        )
        subtrees.append(subtree)
    return subtrees, n_bytes


def _together(
    pieces: Iterable[list[Rows]], nodes: Sequence[SmallNode]
) -> list[_RowsOfNode]:
    """Return the rows of each node; no piece is in memory afterwards."""
    gathered = [_RowsOfNode(n_rows) for _, n_rows, _ in nodes]
    for piece in pieces:
        for own, some in zip(gathered, piece, strict=True):
            own.put_rows(some)
    return gathered


def _reply(part: CodedPart, argument: tuple[str, ChosenRows, bytes]) -> bytes:
    kernel, chosen, request = argument
    return answer(kernel, part, chosen, request)


class PartsOf:
    """The coded parts of an engine; see `Parts`.

    Parameters
    ----------
    engine : Engine
        It has coded parts.
    weights : RowWeights
        The weights of the rows that count.
    left_out : int, optional
        The fold that does not count.
    most_gathered : int, default=0
        Nodes of so many rows together are gathered in one pass.
    watch : callable, optional
        Called with a `PartsProgress` after every request.

    Attributes
    ----------
    progress : PartsProgress
        What was asked and moved so far.
    """

    def __init__(
        self,
        engine: Engine,
        weights: RowWeights,
        left_out: int | None = None,
        most_gathered: int = 0,
        watch: Callable[[PartsProgress], Any] | None = None,
    ) -> None:
        self._engine = engine
        self._rows = ChosenRows(weights, left_out, uuid4().hex)
        self._most_gathered = most_gathered
        self._watch = watch
        self.progress = PartsProgress(n_rows=weights.n_rows)

    def ask(self, kernel: str, request: bytes) -> bytes:
        """Return the merged reply of all parts."""
        together, moved = _core.PartAnswer(kernel, request), 0
        for reply in self._each(_reply, (kernel, self._rows, request)):
            together.add_reply(reply)
            moved += len(reply)
        level, _, n_open = _core.part_progress(request)
        level = max(level, self.progress.level)
        self._note(moved, level=level, n_open=n_open)
        return together.reply()

    def _note(self, moved: int, **changes: Any) -> None:
        total = self.progress.bytes_moved + moved
        self.progress = replace(self.progress, bytes_moved=total, **changes)
        if self._watch is not None:
            self._watch(self.progress)

    def grow(
        self, nodes: Sequence[SmallNode], request: bytes, facts: Any
    ) -> Iterator[tuple[int, bytes]]:
        """Gather the rows of each node, and grow its subtree where they are."""
        bundles = _bundles([n_rows for _, n_rows, _ in nodes], self._most_gathered)
        self._count_requests(len(bundles))
        found = self._engine.on_gathered(
            rows_of_nodes,
            grow_subtrees,
            GrowingFacts(self._rows, request, *facts),
            [[nodes[i] for i in bundle] for bundle in bundles],
        )
        for place, (subtrees, n_bytes) in found:
            self._note(n_bytes)
            # The core refuses a node that comes twice, or not at all.
            yield from zip(bundles[place], subtrees, strict=True)

    def _each(self, work: CodedWork, argument: Any) -> Iterator[Any]:
        """Yield the results of all parts, each counted once, in the order of names."""
        self._count_requests(1)
        yield from in_order(self._engine.names, self._engine.on_coded(work, argument))

    def _count_requests(self, n_more: int) -> None:
        n = self.progress.n_requests + n_more
        self.progress = replace(self.progress, n_requests=n)


def _bundles(sizes: Sequence[int], most: int) -> list[list[int]]:
    """Divide nodes, by their places, into bundles of at most so many rows."""
    bundles: list[list[int]] = []
    n_rows = 0
    for place, size in enumerate(sizes):
        n_rows += size
        if not bundles or n_rows > most:
            bundles.append([])
            n_rows = size
        bundles[-1].append(place)
    return bundles
