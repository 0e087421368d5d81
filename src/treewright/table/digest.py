"""What is known about a column whose rows lie in several parts.

A digest is small, and the digests of two parts add up to that of both. `Distinct` keeps
each different value once, with its number of rows: for categories and classes.
`Numbers` keeps the range of a column of numbers, some of its values, and all of them
while they are few. `settled` decides the kind of the column as `as_table` would.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TableError
from treewright.table.column import CategoricalColumn
from treewright.table.grain import GRAINS, grain_of
from treewright.table.infer import (
    DATE_KINDS,
    MOST_CATEGORIES,
    Wanted,
    settle,
    why_a_key,
)
from treewright.table.raw import RawColumn, missing_mask, to_codes, to_numbers
from treewright.table.row_hashes import bits, label_hashes, mixed
from treewright.table.schema import Feature
from treewright.table.spelling import names_a_key

__all__ = ["Digest", "Distinct", "Numbers", "checksum", "digest_of"]

_MOST_LABELS = 1 << 20
"""Different texts of a column that are compared; see `Distinct`."""
_MOST_SAMPLE = 1 << 16
"""Values of a column from which edges are chosen, about."""


@dataclass(frozen=True, eq=False)
class Distinct:
    """Each different value of a column, with its number of rows.

    Attributes
    ----------
    raw : RawColumn
        Each value once.
    counts : int64 array
        Rows of each value.
    n_missing : int
        Rows without a value.
    too_many : bool
        Whether there are more than 2^20 different values, so that `raw` lacks some.
    """

    raw: RawColumn
    counts: NDArray[np.int64]
    n_missing: int
    too_many: bool = False

    @classmethod
    def of(cls, raw: RawColumn) -> Self:
        """Return the digest of one part.

        Parameters
        ----------
        raw : RawColumn
            The column.

        Returns
        -------
        Distinct
        """
        if raw.content == "empty":
            none = np.empty(0, np.int64)
            return cls(replace(raw, values=raw.values[:0]), none, len(raw.values))
        if raw.is_coded or raw.content in ("text", "mixed", "huge"):
            codes, labels = (raw.values, raw.labels) if raw.is_coded else to_codes(raw)
            known = codes[codes >= 0]
            counts = np.bincount(known, minlength=len(labels))
            each: NDArray[Any] = np.arange(len(labels), dtype=np.int32)
            if not raw.is_coded:
                each = np.array([*labels, None], object)[:-1]
                labels = ()
            found = replace(raw, values=each, labels=labels)
        else:
            known = raw.values[~missing_mask(raw)]
            each, counts = np.unique(known, return_counts=True)
            found = replace(raw, values=each, missing=None, floats=None)
        n_missing = len(raw.values) - len(known)
        return cls(found, counts.astype(np.int64), n_missing)._within_limit()

    def with_other(self, other: Digest) -> Distinct:
        """Return the digest of the rows of both.

        Parameters
        ----------
        other : Distinct
            Of the same column in another part.

        Returns
        -------
        Distinct

        Raises
        ------
        TableError
            When the parts declare different orders of categories.
        """
        assert isinstance(other, Distinct)
        n_missing = self.n_missing + other.n_missing
        if not len(other.counts):
            return replace(self, n_missing=n_missing)
        if not len(self.counts):
            return replace(other, n_missing=n_missing)
        raw, second = self.raw, other.raw
        counts = np.concatenate([self.counts, other.counts])
        if raw.is_coded and raw.declared:
            if raw.labels != second.labels:
                raise TableError(
                    f"Column {raw.name!r} declares the categories {raw.labels[:5]} in "
                    f"one part and {second.labels[:5]} in another. Write all parts "
                    "with the same categories in the same order."
                )
            counts = self.counts + other.counts
        elif raw.is_coded:
            labels = dict.fromkeys((*raw.labels, *second.labels))
            place = {label: at for at, label in enumerate(labels)}
            codes = [place[label] for label in (*raw.labels, *second.labels)]
            counts = np.bincount(codes, counts, minlength=len(labels)).astype(np.int64)
            each = np.arange(len(labels), dtype=np.int32)
            raw = replace(raw, values=each, labels=tuple(labels))
        else:
            each, place_of = _unique(np.concatenate([raw.values, second.values]))
            counts = np.bincount(place_of, counts).astype(np.int64)
            raw = replace(raw, values=each)
        too_many = self.too_many or other.too_many
        return Distinct(raw, counts, n_missing, too_many)._within_limit()

    def _within_limit(self) -> Self:
        if len(self.counts) <= _MOST_LABELS:
            return self
        some = self.raw.values[:_MOST_LABELS]
        labels = self.raw.labels[:_MOST_LABELS]
        raw = replace(self.raw, values=some, labels=labels)
        counts = self.counts[:_MOST_LABELS]
        return replace(self, raw=raw, counts=counts, too_many=True)

    def settled(self, wanted: Wanted) -> tuple[Feature, CategoricalColumn | None]:
        """Return what the column is, and its categories once each if it has any.

        Parameters
        ----------
        wanted : str, tuple of labels or None
            The column's entry in `kinds`.

        Returns
        -------
        feature : Feature
        column : CategoricalColumn or None
        """
        raw = self.raw
        if not len(self.counts):
            raw = replace(raw, content="empty", values=np.full(1, np.nan))
        elif self.n_missing:
            rows = np.append(self.counts, self.n_missing)
            raw = replace(_with_missing(raw), rows=rows)
        else:
            raw = replace(raw, rows=self.counts)
        column, feature = settle(raw, wanted)
        if wanted is not None and feature.kind != "numeric":
            _refuse_many(feature, len(self.counts))
        is_categorical = isinstance(column, CategoricalColumn)
        return feature, column if is_categorical else None  # type: ignore[return-value]


def _refuse_many(feature: Feature, n_labels: int) -> None:
    if n_labels > MOST_CATEGORIES:
        raise TableError(
            f"Column {feature.name!r} has {n_labels:,} categories; rows in parts allow "
            f"{MOST_CATEGORIES:,}. Leave the column out of kinds, which sets it aside, "
            "or group its categories."
        )


def _unique(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the different values, and the place of each value among them."""
    if values.dtype.kind != "O":
        each, places = np.unique(values, return_inverse=True)
        return each, places
    place: dict[Any, int] = {}
    found = [place.setdefault(value, len(place)) for value in values.tolist()]
    return np.array([*place, None], object)[:-1], np.array(found, np.int64)


def _with_missing(raw: RawColumn) -> RawColumn:
    """Return a column of different values with one more row, which has none."""
    kind = raw.values.dtype.kind
    if raw.is_coded:
        return replace(raw, values=np.append(raw.values, np.int32(-1)))
    if kind == "O":
        return replace(raw, values=np.array([*raw.values.tolist(), None], object))
    if kind in "mM":
        nat = np.array(["NaT"], raw.values.dtype)
        return replace(raw, values=np.concatenate([raw.values, nat]))
    if kind == "f":
        return replace(raw, values=np.append(raw.values, raw.values.dtype.type("nan")))
    missing = np.append(np.zeros(len(raw.values), np.bool_), True)
    return replace(raw, values=np.append(raw.values, raw.values[:1]), missing=missing)


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers.

    Attributes
    ----------
    raw : RawColumn
        The least and the greatest value; empty if no value is known.
    n_rows, n_missing : int
        Rows, and rows without a value.
    infinite : bool
        Whether a value is infinite.
    grain : str or None
        See `grain_of`; None: no value is known.
    sample : float64 array
        Some of the values.
    values : float64 array or None
        All different values; None: there are more than a limit.
    limit : int
        That limit.
    keys : tuple of (number, number), or None
        For whole numbers that may number the rows, whose values differ within each
        part: the range of each part. None: they do not number the rows.
    """

    raw: RawColumn
    n_rows: int
    n_missing: int
    infinite: bool
    grain: str | None
    sample: NDArray[np.float64]
    values: NDArray[np.float64] | None
    limit: int
    keys: tuple[tuple[int, int], ...] | None

    @classmethod
    def of(cls, raw: RawColumn, n_sample: int, limit: int) -> Self:
        """Return the digest of one part.

        Parameters
        ----------
        raw : RawColumn
            The column.
        n_sample : int
            Values to take as a sample.
        limit : int
            Different values to keep at most.

        Returns
        -------
        Numbers
        """
        n = len(raw.values)
        if raw.content == "empty":
            none = np.empty(0)
            ends = replace(raw, values=raw.values[:0])
            return cls(ends, n, n, False, None, none, none, limit, None)
        numbers = np.ascontiguousarray(to_numbers(raw, exact=False), np.float64)
        missing = np.isnan(numbers)
        n_missing = int(np.count_nonzero(missing))
        known = numbers[~missing] if n_missing else numbers
        ends = _ends(raw, missing, numbers)
        low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
        keys = None
        if n and _may_be_key(raw) and len(np.unique(raw.values)) == n:
            keys = ((int(raw.values.min()), int(raw.values.max())),)
        return cls(
            ends,
            n,
            n_missing,
            bool(np.isinf(low) or np.isinf(high)),
            grain_of(known, raw.content, raw.timezone) if len(known) else None,
            _some(known, n_sample),
            _few(known, limit),
            limit,
            keys,
        )

    def with_other(self, other: Digest) -> Numbers:
        """Return the digest of the rows of both.

        Parameters
        ----------
        other : Numbers
            Of the same column in another part.

        Returns
        -------
        Numbers
        """
        assert isinstance(other, Numbers)
        raw, second = self.raw, other.raw
        if not len(raw.values):
            raw, second = second, raw
        if len(second.values):
            content = raw.content
            if content != second.content:
                content = "huge" if "huge" in (content, second.content) else "float"
            both = np.concatenate([raw.values, second.values])
            both_raw = replace(raw, content=content, values=both, floats=None)
            numbers = to_numbers(both_raw, exact=False)
            at = [int(numbers.argmin()), int(numbers.argmax())]
            raw = replace(both_raw, values=both[at])
        values = None
        if self.values is not None and other.values is not None:
            values = _few(np.concatenate([self.values, other.values]), self.limit)
        keys = None
        if self.keys is not None and other.keys is not None:
            keys = (*self.keys, *other.keys)
        elif not self.n_rows or not other.n_rows:
            keys = self.keys or other.keys
        return Numbers(
            raw,
            self.n_rows + other.n_rows,
            self.n_missing + other.n_missing,
            self.infinite or other.infinite,
            _common_grain(self.grain, other.grain),
            _some(np.concatenate([self.sample, other.sample]), _MOST_SAMPLE),
            values,
            self.limit,
            keys,
        )

    @property
    def keys_overlap(self) -> bool:
        """Whether only the values themselves can tell if they differ in every row."""
        ends = sorted(self.keys or ())
        return any(a[1] >= b[0] for a, b in pairwise(ends))

    def settled(self, wanted: Wanted, *, is_key: bool) -> Feature:
        """Return what the column is.

        Parameters
        ----------
        wanted : str, tuple of labels or None
            The column's entry in `kinds`.
        is_key : bool
            Whether its values differ in every row.

        Returns
        -------
        Feature
        """
        raw = self.raw
        if not len(raw.values):
            raw = replace(raw, content="empty", values=np.full(1, np.nan))
        _, feature = settle(raw, wanted)
        aside = ""
        if wanted is None and is_key and self.keys is not None:
            aside = why_a_key(raw.name, self.n_rows)
        return replace(feature, grain=self.grain or "", set_aside=aside)


Digest = Distinct | Numbers


def digest_of(raw: RawColumn, wanted: Wanted, n_sample: int, limit: int) -> Digest:
    """Return the digest of a column in one part.

    Parameters
    ----------
    raw : RawColumn
        The column.
    wanted : str, tuple of labels or None
        Its entry in `kinds`.
    n_sample, limit : int
        See `Numbers.of`.

    Returns
    -------
    Distinct or Numbers
    """
    is_text = raw.is_coded or raw.content in ("text", "mixed")
    as_numbers = wanted is None or wanted == "numeric" or wanted in DATE_KINDS
    if is_text or not as_numbers:
        return Distinct.of(raw)
    return Numbers.of(raw, n_sample, limit)


def checksum(raw: RawColumn) -> int:
    """Return a sum over the values of a column that changes if one of them does.

    Parameters
    ----------
    raw : RawColumn
        The column, in one part.

    Returns
    -------
    int
        The order of the rows does not matter, so that a source may give them in
        another order the next time.
    """
    if raw.is_coded:
        hashes = label_hashes(raw.labels)
        return int(hashes[raw.values].sum(dtype=np.uint64))
    values = raw.values
    if values.dtype.kind in "O":
        return int(label_hashes(values.tolist())[:-1].sum(dtype=np.uint64))
    if values.dtype.kind in "mM":
        values = values.view(np.int64)
    found = mixed(bits(values))
    if raw.missing is not None:
        found[raw.missing] = label_hashes(())[0]  # not that of the number 0
    return int(found.sum(dtype=np.uint64))


def _may_be_key(raw: RawColumn) -> bool:
    return raw.content == "int" and raw.missing is None and names_a_key(raw.name)


def _ends(
    raw: RawColumn, missing: NDArray[np.bool_], numbers: NDArray[np.float64]
) -> RawColumn:
    """Return the least and the greatest value, in the caller's own type."""
    if missing.all():
        return replace(raw, values=raw.values[:0], missing=None, floats=None)
    low = int(np.argmin(np.where(missing, np.inf, numbers)))
    high = int(np.argmax(np.where(missing, -np.inf, numbers)))
    low, high = (high, high) if missing[low] else (low, high)
    low, high = (low, low) if missing[high] else (low, high)
    return replace(raw, values=raw.values[[low, high]], missing=None, floats=None)


def _some(values: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return from n to 2 n of the values, or all of them if there are fewer.

    They are a copy, so that the values themselves need not stay in memory.
    """
    return values[:: max(1, len(values) // max(n, 1))].copy()


def _few(values: NDArray[np.float64], limit: int) -> NDArray[np.float64] | None:
    """Return all different values; None if there are more than a limit."""
    # A column of many values shows it early.
    if len(values) > 4 * limit and len(np.unique(values[: 2 * limit])) > limit:
        return None
    each = np.unique(values + 0.0)
    return each if len(each) <= limit else None


def _common_grain(one: str | None, other: str | None) -> str | None:
    if one is None or other is None:
        return one if other is None else other
    if not one or not other:
        return ""
    order = list(GRAINS)
    return max(one, other, key=order.index)
