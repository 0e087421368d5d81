"""Cells coded to two bytes: the rank of the value, or the bucket that holds it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core

__all__ = [
    "MISSING",
    "MOST_CODES",
    "ROWS_OF_SLICE",
    "ChosenRows",
    "CodedPart",
    "ColumnCoding",
    "MemoryPart",
    "RowWeights",
    "coded_arrays",
    "edges_of",
]

MISSING = 65_535
"""The code of a missing value."""
MOST_CODES = 65_534
"""Different codes of a column."""
ROWS_OF_SLICE = 1 << 17
"""Rows of a coded part that are in work at a time, whatever the size of the part."""


@dataclass(frozen=True)
class RowWeights:
    """The unit of weights, from what is known about all rows.

    Attributes
    ----------
    n_rows : int
        Number of rows of positive weight.
    largest : float
        The largest weight.
    equal : bool
        Whether all positive weights are the same.
    """

    n_rows: int
    largest: float = 1.0
    equal: bool = True

    @property
    def _exponent(self) -> int:
        bits = math.frexp(self.largest)[1] + math.frexp(float(self.n_rows))[1]
        return 52 - bits

    @property
    def unit(self) -> float:
        """What one unit weighs."""
        return self.largest if self.equal else math.ldexp(1.0, -self._exponent)

    def in_units(self, weights: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return weights in units; a positive weight counts at least 1."""
        if self.equal:
            return (weights > 0).astype(np.int64)
        units = np.rint(np.ldexp(weights, self._exponent)).astype(np.int64)
        return np.where(weights > 0, np.maximum(units, 1), 0)


@dataclass(frozen=True)
class ChosenRows:
    """The rows from which a tree grows.

    Attributes
    ----------
    weights : RowWeights
        Their weights.
    left_out : int or None
        The fold that is left out; None: all rows count.
    tree : str
        A name for the tree, by which parts remember the node of each row.
    """

    weights: RowWeights
    left_out: int | None = None
    tree: str = ""


@dataclass(frozen=True, eq=False)
class ColumnCoding:
    """How the cells of a column are coded.

    Attributes
    ----------
    kind : {0, 1, 2}
        Number of the kind in the C++ core: numeric, categorical or ordinal.
    coarse : bool
        Whether a code stands for a bucket; otherwise it stands for one value.
    values : float64 array
        The value of each code, ascending; coarse: the edges. A bucket holds the
        values above one edge up to and including the next.
    n_codes : int
        Number of codes; for categories, the number of labels.
    """

    kind: int
    coarse: bool
    values: NDArray[np.float64]
    n_codes: int

    @classmethod
    def of_categories(cls, kind: int, n_labels: int) -> ColumnCoding:
        """Return the coding of a column whose cells are codes already."""
        return cls(kind, False, np.arange(n_labels, dtype=np.float64), n_labels)

    @classmethod
    def of_numbers(cls, values: NDArray[np.float64], *, coarse: bool) -> ColumnCoding:
        """Return the coding of numbers by values or, if coarse, by edges.

        Parameters
        ----------
        values : float64 array
            All different values of the column, or any edges: they decide how long
            growing takes, never the tree.
        coarse : bool
            Whether they are edges.

        Returns
        -------
        ColumnCoding
        """
        known = np.unique(values[~np.isnan(values)] + 0.0)
        return cls(0, coarse, known, len(known) + coarse)

    def coded(self, cells: NDArray[Any]) -> NDArray[np.uint16]:
        """Return the codes of some cells."""
        if self.kind == 0:
            numbers = np.ascontiguousarray(cells, np.float64)
            codes: NDArray[np.uint16] = np.asarray(
                _core.code_cells(numbers, self.values), np.uint16
            )
            return codes
        return np.where(cells < 0, MISSING, cells).astype(np.uint16)

    def decoded(self, codes: NDArray[np.uint16]) -> NDArray[Any]:
        """Return cells that are coded by value as a table holds them.

        Parameters
        ----------
        codes : uint16 array
            The codes.

        Returns
        -------
        array
            float64 numbers, or int32 codes.
        """
        if self.kind == 0:
            return np.append(
                self.values, np.full(MISSING + 1 - len(self.values), np.nan)
            )[codes]
        return np.where(codes == MISSING, np.int32(-1), codes.astype(np.int32))


def edges_of(
    sample: NDArray[np.float64], most: int = MOST_CODES
) -> NDArray[np.float64]:
    """Return edges that divide a sample evenly.

    Parameters
    ----------
    sample : float64 array
        Some values of a column.
    most : int
        Number of edges at most.

    Returns
    -------
    float64 array
        A value that occurs more than once has a bucket of its own.
    """
    values, counts = np.unique(sample[~np.isnan(sample)], return_counts=True)
    often = values[counts > 1]
    below = np.nextafter(often, -np.inf)
    if len(values) + len(below) > most:
        step = (len(values) + len(below)) // most + 1
        values, below = values[::step], below[:: max(step, 1)]
    return np.unique(np.concatenate([values, below]))[:most]


class CodedPart:
    """Rows whose cells are coded. A subclass says where the arrays are kept.

    Its arrays are 'c0', 'c1', ...: codes; 'v0', ...: values of coarse columns; 'y': the
    target; 'u': the weights of the rows, if they have any; 'f': the number of the fold
    of each row, if they are divided into folds.
    """

    def __init__(self, codings: Sequence[ColumnCoding]) -> None:
        self.codings = codings
        self._nodes: tuple[str, NDArray[np.int32], int] | None = None

    @property
    def n_columns(self) -> int:
        """Number of usable columns."""
        return len(self.codings)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        raise NotImplementedError

    def array(self, name: str) -> NDArray[Any] | None:
        """Return one of the arrays; None if there is none."""
        return self.array_of(name, 0, self.n_rows)

    def array_of(self, name: str, begin: int, end: int) -> NDArray[Any] | None:
        """Return some rows of one of the arrays; None if there is none."""
        raise NotImplementedError

    def slices(self) -> Iterator[tuple[slice, CodedPart]]:
        """Yield the rows, a bounded number at a time; no rows are one empty slice."""
        n = self.n_rows
        for begin in range(0, max(n, 1), ROWS_OF_SLICE):
            end = min(begin + ROWS_OF_SLICE, n)
            yield slice(begin, end), _PartSlice(self, begin, end)

    def codes(self, column: int) -> NDArray[np.uint16]:
        """Return the codes of a column."""
        found = self.array(f"c{column}")
        assert found is not None
        return found

    def values(self, column: int) -> NDArray[np.float64]:
        """Return the values of a coarse column."""
        found = self.array(f"v{column}")
        assert found is not None
        return found

    def target(self) -> NDArray[Any]:
        """Return the target: classes as int32, numbers as float64."""
        found = self.array("y")
        assert found is not None
        return found

    def units(self, rows: ChosenRows) -> NDArray[np.int64] | None:
        """Return the weights of the chosen rows in units; None: all are 1."""
        weights = self.array("u")
        if weights is None and rows.left_out is None:
            return None
        units = np.ones(self.n_rows, np.int64)
        if weights is not None:
            units = rows.weights.in_units(weights)
        if rows.left_out is not None:
            units[self.array("f") == rows.left_out] = 0
        return units

    def decoded(
        self, column: int, rows: Sequence[NDArray[np.int64]]
    ) -> list[NDArray[Any]]:
        """Return the cells of several sets of rows as a table holds them."""
        coding = self.codings[column]
        if coding.coarse:
            values = self.values(column)
            return [values[each] for each in rows]
        codes = self.codes(column)
        return [coding.decoded(codes[each]) for each in rows]

    def nodes(self, tree: str) -> tuple[NDArray[np.int32], int]:
        """Return the node of each row, and the number of splits applied (-1: none)."""
        if self._nodes is None or self._nodes[0] != tree:
            return np.zeros(self.n_rows, np.int32), -1
        return self._nodes[1:]

    def remember(self, tree: str, node: NDArray[np.int32], n_splits: int) -> None:
        """Keep the node of each row for the next request about a tree."""
        self._nodes = (tree, node, n_splits)


class _PartSlice(CodedPart):
    """Some rows of a part."""

    def __init__(self, part: CodedPart, begin: int, end: int) -> None:
        super().__init__(part.codings)
        self._part = part
        self._begin = begin
        self._end = end

    @property
    def n_rows(self) -> int:
        return self._end - self._begin

    def array_of(self, name: str, begin: int, end: int) -> NDArray[Any] | None:
        return self._part.array_of(name, self._begin + begin, self._begin + end)


class MemoryPart(CodedPart):
    """A part whose arrays are in memory.

    Parameters
    ----------
    codings : sequence of ColumnCoding
        How the columns are coded.
    arrays : mapping of str to array
        See `CodedPart`.
    """

    def __init__(
        self, codings: Sequence[ColumnCoding], arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        super().__init__(codings)
        self.arrays = arrays

    @classmethod
    def joined(cls, pieces: Sequence[MemoryPart]) -> MemoryPart:
        """Return the rows of several pieces of a part as one; there is at least one."""
        if len(pieces) == 1:
            return pieces[0]
        arrays = {
            name: np.concatenate([each.arrays[name] for each in pieces])
            for name in pieces[0].arrays
        }
        return cls(pieces[0].codings, arrays)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.arrays["y"])

    def array_of(self, name: str, begin: int, end: int) -> NDArray[Any] | None:
        """Return some rows of one of the arrays; None if there is none."""
        found = self.arrays.get(name)
        return None if found is None else found[begin:end]


def coded_arrays(
    codings: Sequence[ColumnCoding],
    columns: Sequence[NDArray[Any]],
    target: NDArray[Any],
    weights: NDArray[np.float64] | None,
    folds: NDArray[np.uint8] | None = None,
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a part.

    Parameters
    ----------
    codings : sequence of ColumnCoding
        How the columns are coded.
    columns : sequence of arrays
        The usable columns.
    target : array
        The target.
    weights : float64 array or None
        The weights of the rows.
    folds : uint8 array or None
        The number of the fold of each row.

    Returns
    -------
    dict of str to array
        See `CodedPart`.
    """
    arrays: dict[str, NDArray[Any]] = {"y": target}
    for place, (coding, cells) in enumerate(zip(codings, columns, strict=True)):
        arrays[f"c{place}"] = coding.coded(cells)
        if coding.coarse:
            arrays[f"v{place}"] = np.ascontiguousarray(cells, np.float64)
    if weights is not None:
        arrays["u"] = weights
    if folds is not None:
        arrays["f"] = folds
    return arrays
