"""A hash of each row, and a fingerprint of all rows that ignores their order.

Each row has a hash of its values, its target and its weight; the fingerprint is the sum
of all of them. Columns count by name, categories and classes by value, and numbers by
value, not by type: the same rows give the same fingerprint in any order of rows and
columns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.table.table import ClassTarget, Table

__all__ = [
    "as_fingerprint",
    "bits",
    "label_hashes",
    "mixed",
    "rows_fingerprint",
    "sum_of_hashes",
    "value_hashes",
]

_CHUNK = 8192  # rows whose hashes fit into the cache
_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))
_HALF = np.uint64(32)
_NAN = np.uint64(0x7FF8000000000000)


class _Values(NamedTuple):
    """A column: its numbers, or its codes with the hash of each label."""

    seed: np.uint64
    data: NDArray[Any]
    label_hashes: NDArray[np.uint64] | None = None


def rows_fingerprint(table: Table) -> str:
    """Return the sum of the hashes of all rows, 16 hexadecimal digits.

    Parameters
    ----------
    table : Table
        Columns, and the target and weights if there are any.

    Returns
    -------
    str
    """
    return as_fingerprint(sum_of_hashes(table))


def as_fingerprint(total: int) -> str:
    """Return sums of `sum_of_hashes` as text."""
    return f"{total % 2**64:016x}"


def sum_of_hashes(table: Table) -> int:
    """Return the sum of the hashes of all rows; those of several tables add up."""
    hashes = _hashes(list(_columns(table)), table.n_rows)
    return sum(int(some.sum(dtype=np.uint64)) for some in hashes)


def value_hashes(table: Table) -> NDArray[np.uint64]:
    """Return a hash of each row, its target included and its weight left out.

    Parameters
    ----------
    table : Table
        Columns, and the target if there is one.

    Returns
    -------
    ndarray of uint64
        Columns count by name and categories by value, so that a row has the same hash
        in every table that holds it.
    """
    columns = list(_columns(replace(table, weights=None)))
    hashes = _hashes(columns, table.n_rows)
    return np.concatenate([np.empty(0, np.uint64), *hashes])


def _hashes(columns: list[_Values], n_rows: int) -> Iterator[NDArray[np.uint64]]:
    """Yield the hashes of some thousand rows at a time."""
    for start in range(0, n_rows, _CHUNK):
        end = min(start + _CHUNK, n_rows)
        sums = np.zeros(end - start, np.uint64)
        for column in columns:
            sums += mixed(_bits(column, start, end) ^ column.seed)
        yield mixed(sums)


def _columns(table: Table) -> Iterator[_Values]:
    for column in table.columns:
        labels = getattr(column, "labels", None)
        hashes = None if labels is None else label_hashes(labels)
        yield _Values(_hash(f"column {column.name}"), column.data, hashes)
    target = table.target
    if isinstance(target, ClassTarget):
        hashes = label_hashes(target.classes.tolist())
        yield _Values(_hash("target"), target.codes, hashes)
    elif target is not None:
        yield _Values(_hash("target"), target.values)
    if table.weights is not None:
        yield _Values(_hash("weight"), table.weights)


def label_hashes(labels: Any) -> NDArray[np.uint64]:
    """Return the hash of each label; the last entry is that of a missing value."""
    texts = [f"{type(label).__name__} {label}" for label in labels]
    return np.array([_hash(text) for text in [*texts, "missing"]], np.uint64)


def _hash(text: str) -> np.uint64:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8)
    return np.uint64(int.from_bytes(digest.digest(), "little"))


def _bits(column: _Values, start: int, end: int) -> NDArray[np.uint64]:
    """Return 64 bits that tell the values of some rows apart."""
    data = column.data[start:end]
    if column.label_hashes is not None:
        # A missing value, -1, takes the last entry.
        return np.asarray(column.label_hashes[data])
    return bits(data)


def bits(numbers: NDArray[Any]) -> NDArray[np.uint64]:
    """Return 64 bits that tell numbers apart: equal ones have equal bits, NaN too."""
    floats = numbers.astype(np.float64) + 0.0  # -0.0 becomes 0.0
    found: NDArray[np.uint64] = floats.view(np.uint64)
    missing = np.isnan(floats)
    if missing.any():
        found[missing] = _NAN
    return found


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of each value, in place (multiply and shift, twice)."""
    for factor in _MIX:
        values *= factor
        values ^= values >> _HALF
    return values
