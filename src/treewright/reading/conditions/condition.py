"""Conditions: all tests of one column on a path from the root, merged.

A path may test the same column many times. Together the outcomes are one interval or
one set of categories, and a route for missing values (`path_conditions.py` merges
them). Rules, formulas and explanations are made of conditions.

A category that a split does not list, or that was not in the training rows, takes the
route of missing values. There are three routes: one branch; all branches, with shares
(`Part.share`); or the branch that surrogate splits choose (`Part.detour`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.reading.conditions.bits import bits_of, flags_of
from treewright.table.show import show_number, show_value
from treewright.tree import wording

if TYPE_CHECKING:
    from treewright.table.schema import Feature

__all__ = [
    "Condition",
    "Detour",
    "Part",
    "Surrogate",
    "as_float64",
    "bracketed",
    "columns_of",
    "every",
    "joined",
    "packed",
    "shares_of",
]

Columns = Sequence[NDArray[Any] | None]
"""One array per column of the schema, from `match`."""


class Surrogate(NamedTuple):
    """A split on another column, used where the value of the split's own is missing."""

    column: int
    feature: Feature
    threshold: float
    flip: bool
    branches: dict[int, int]

    def branch_of(self, columns: Columns) -> NDArray[np.int64]:
        """Return the branch of each row; -1 where this value is missing as well."""
        values = columns[self.column]
        assert values is not None
        if math.isnan(self.threshold):
            table = np.full(len(self.feature.labels) + 1, -1)
            for code, branch in self.branches.items():
                table[code] = branch
            return np.asarray(table[np.maximum(values, -1)])
        known = values >= 0 if values.dtype.kind == "i" else values == values
        with np.errstate(invalid="ignore"):
            right = (as_float64(values) > self.threshold) != self.flip
        return np.where(known, right.astype(np.int64), -1)

    def words(self, branch: int, longest: int | None = None) -> str:
        """Return the condition that sends a row to a branch, as text."""
        if math.isnan(self.threshold):
            codes = [code for code, to in self.branches.items() if to == branch]
            mask = bits_of(np.array(codes, np.int64))
            return Condition(self.column, self.feature, codes=mask).words(
                missing=False, longest=longest
            )
        condition = Condition(self.column, self.feature, high=self.threshold)
        if (branch == 1) != self.flip:
            condition = condition._replace(low=self.threshold, high=None)
        return condition.words(missing=False, longest=longest)


class Detour(NamedTuple):
    """Surrogate splits that send a row to a branch when its own value is missing."""

    surrogates: tuple[Surrogate, ...]
    branch: int
    otherwise: float

    def shares(self, columns: Columns) -> NDArray[np.float64]:
        """Return the share of each row that arrives if its own value is missing."""
        first = columns[self.surrogates[0].column]
        assert first is not None
        branches = np.full(len(first), -1)
        for surrogate in self.surrogates:
            open_ = branches < 0
            branches = np.where(open_, surrogate.branch_of(columns), branches)
        arrives = (branches == self.branch).astype(np.float64)
        return np.where(branches < 0, self.otherwise, arrives)


class Part(NamedTuple):
    """How rows with a missing value, or one of some categories, reach the node.

    They arrive with a share, or where surrogate splits send them (`detour`). `codes`
    is the set of these categories as bits, or None for a numeric column.
    """

    codes: int | None
    share: float = 1.0
    detour: Detour | None = None


class Condition(NamedTuple):
    """A restriction on the values of one column.

    Attributes
    ----------
    column : int
        Number of the column in the schema.
    feature : Feature
        The column.
    low, high : float or None
        Numbers and ranks: above `low` and at most `high`; None: no bound.
    codes : int or None
        Categories: bit c is set if category c is allowed. None for other columns.
    missing : bool
        Whether a missing value, or an unseen category, is allowed.
    known : bool
        Whether any known number or rank is allowed.
    parts : tuple of Part
        Missing values and categories that arrive in part or by surrogate splits.
    """

    column: int
    feature: Feature
    low: float | None = None
    high: float | None = None
    codes: int | None = None
    missing: bool = False
    known: bool = True
    parts: tuple[Part, ...] = ()

    # -- for programs -------------------------------------------------------------

    @property
    def name(self) -> str:
        """Name of the column."""
        return str(self.feature.name)

    @property
    def categories(self) -> tuple[Any, ...]:
        """The allowed categories, in category order; empty for a number."""
        labels, codes = self.feature.labels, self.codes
        if codes is not None:
            return tuple(compress(labels, flags_of(codes, len(labels))))
        if self.feature.kind != "ordinal" or not self.known:
            return ()
        return tuple(x for c, x in enumerate(labels) if self._within(c))

    @property
    def possible(self) -> bool:
        """Whether any value can meet the condition."""
        return self.missing or self._some_known

    @property
    def is_vacuous(self) -> bool:
        """Whether every value meets the condition, including a missing one."""
        if not self.missing or self.parts or not self.known:
            return False
        if self.codes is not None:
            return self.codes == _all_codes(self.feature)
        return self.low is None and self.high is None

    @property
    def columns(self) -> set[int]:
        """Numbers of all columns needed to evaluate it, including surrogates."""
        detours = [part.detour for part in self.parts if part.detour is not None]
        return {self.column} | {s.column for d in detours for s in d.surrogates}

    def admits(self, columns: Columns) -> NDArray[np.float64]:
        """Return the share of each row that meets the condition, from 0 to 1.

        Parameters
        ----------
        columns : sequence of array
            From `match`.

        Returns
        -------
        float64 array
        """
        values = columns[self.column]
        assert values is not None
        at = _places(values, self.feature) if self.codes is not None else None
        if at is not None:
            known = _bits(self.codes or 0, self.missing, self.feature)[at]
            is_missing = np.zeros(0)
        else:
            known, is_missing = self._interval(values)
        shares: NDArray[np.float64] = known.astype(np.float64)
        for part in self.parts:
            gone = (
                is_missing
                if at is None
                else _bits(part.codes or 0, True, self.feature)[at]
            )
            by = part.share if part.detour is None else part.detour.shares(columns)
            shares = np.where(gone, shares * by, shares)
        return shares

    def _interval(self, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        is_missing = values < 0 if values.dtype.kind == "i" else values != values
        inside = ~is_missing if self.known else np.zeros(len(values), bool)
        numbers = as_float64(values)
        with np.errstate(invalid="ignore"):
            if self.low is not None:
                inside &= numbers > self.low
            if self.high is not None:
                inside &= numbers <= self.high
        return (inside | is_missing if self.missing else inside), is_missing

    def _within(self, value: float) -> bool:
        above = self.low is None or value > self.low
        return above and (self.high is None or value <= self.high)

    @property
    def _some_known(self) -> bool:
        if self.codes is not None:
            return self.codes != 0
        bounded = self.low is not None and self.high is not None
        return self.known and not (bounded and self.low >= self.high)  # type: ignore[operator]

    def to_dict(self) -> dict[str, Any]:
        """Return the condition as a dict ready for JSON; it lists all categories."""
        out: dict[str, Any] = {"column": self.name, "kind": self.feature.kind}
        if self.feature.kind == "numeric":
            out |= {"known": self.known, "above": _json(self.low)}
            out |= {"at_most": _json(self.high)}
        else:
            out["categories"] = list(self.categories)
        out["missing"] = self.missing
        if self.parts:
            out["words"] = self.words(missing=True)
        return out

    # -- for people ---------------------------------------------------------------

    def words(
        self,
        *,
        missing: bool | None = None,
        most: int | None = None,
        longest: int | None = None,
    ) -> str:
        """Return the condition as text.

        Parameters
        ----------
        missing : bool or None, default=None
            Whether to write "or missing" where it applies. None: only if the column
            had missing values when the tree was grown.
        most : int or None, default=None
            Maximum number of categories to list.
        longest : int or None, default=None
            Maximum number of characters of a name or category.

        Returns
        -------
        str
            Such as ``2.45 < petal length <= 4.9`` or ``sex = female or missing``.
        """
        name = wording.cut(wording.name(self.name), longest)
        if not self._some_known:
            unseen = "" if self.codes is None else " or unseen"
            none = "impossible" if not self.missing else f"missing{unseen}"
            return f"{name} is {none}"
        known = self._known_text(name, most, longest)
        if not self.missing:
            return known or f"{name} is known"
        if not known:
            return f"{name} is anything"
        if missing is None:
            summary = self.feature.summary
            missing = summary is not None and summary.n_missing > 0
        return known + self._missing_text(longest) if missing else known

    def _known_text(self, name: str, most: int | None, longest: int | None) -> str:
        """Return which known values are allowed, as text; empty if all are."""
        if self.codes is not None and self.codes == _all_codes(self.feature):
            return ""
        if self.codes is not None:
            one = self._interval_text(name, self.codes) if self.feature.cuts else ""
            return one or f"{name} {self._set_text(most, longest)}"
        if self.low is None and self.high is None:
            return ""
        is_rank = self.feature.kind == "ordinal" and not self.feature.cuts
        if is_rank and len(self.categories) == 1:
            return f"{name} {self._one_of(self.categories, most, longest)}"
        if self._is_bool:
            return f"{name} = {self.low is not None}"
        if self.low is None:
            return f"{name} <= {self._at(self.high, longest)}"
        if self.high is None:
            return f"{name} > {self._at(self.low, longest)}"
        low, high = self._at(self.low, longest), self._at(self.high, longest)
        return f"{low} < {name} <= {high}"

    def _interval_text(self, name: str, codes: int) -> str:
        """Return neighbouring intervals as one; empty if they are not neighbours."""
        first, end = (codes & -codes).bit_length() - 1, codes.bit_length()
        if codes != (1 << end) - (1 << first):
            return ""
        # Intervals first to end - 1 lie above cut first - 1 and up to cut end - 1.
        cuts = self.feature.cuts or ()
        low = show_number(self.feature, cuts[first - 1]) if first else ""
        high = show_number(self.feature, cuts[end - 1]) if end <= len(cuts) else ""
        if not low or not high:
            return f"{name} > {low}" if low else f"{name} <= {high}"
        return f"{low} < {name} <= {high}"

    def _set_text(self, most: int | None, longest: int | None) -> str:
        """List the categories; with missing values, list the excluded ones if fewer."""
        labels, codes = self.feature.labels, self.codes or 0
        if self.missing and not self.parts and 2 * codes.bit_count() > len(labels):
            others = list(compress(labels, ~flags_of(codes, len(labels))))
            return self._one_of(others, most, longest, "!=", "not in")
        return self._one_of(self.categories, most, longest)

    def _one_of(
        self,
        labels: Sequence[Any],
        most: int | None,
        longest: int | None,
        one: str = "=",
        many: str = "in",
    ) -> str:
        if len(labels) == 1:
            return f"{one} {wording.value(labels[0], longest)}"
        return f"{many} {wording.listed(labels, most, longest, self.feature.shares)}"

    @property
    def _is_bool(self) -> bool:
        bounds = [x for x in (self.low, self.high) if x is not None]
        return (
            self.feature.stored_as == "bool"
            and len(bounds) == 1
            and (0 <= bounds[0] < 1)
        )

    def _at(self, bound: float | None, longest: int | None) -> str:
        assert bound is not None
        if self.feature.kind != "ordinal":
            return show_value(self.feature, bound + 0.0)
        rank = math.floor(min(max(bound, 0.0), len(self.feature.labels) - 1.0))
        if self.feature.cuts and rank < len(self.feature.cuts):
            return show_number(self.feature, self.feature.cuts[rank])
        return wording.value(self.feature.labels[rank], longest)

    def _missing_text(self, longest: int | None) -> str:
        share = math.prod(part.share for part in self.parts if part.detour is None)
        text = (
            " or missing" if share == 1 else f" or missing ({wording.percent(share)})"
        )
        detours = [part.detour for part in self.parts if part.detour is not None]
        if not detours:
            return text
        surrogates = [
            ", else ".join(
                [s.words(d.branch, longest) for s in d.surrogates]
                + (["any"] if d.otherwise == 1 else [])
            )
            for d in detours
        ]
        return f"{text} with {'; and '.join(surrogates)}"


def every(feature: Feature, column: int) -> Condition:
    """Return the condition that every value of a column meets."""
    codes = _all_codes(feature) if feature.kind == "categorical" else None
    return Condition(column, feature, codes=codes, missing=True)


# Rows -------------------------------------------------------------------------------


def columns_of(conditions: Iterable[Condition]) -> list[int]:
    """Return the numbers of the columns that conditions use, ascending."""
    return sorted(set().union(*(each.columns for each in conditions)))


def as_float64(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers as float64, so that comparing them rounds no threshold.

    NumPy before version 2 compares a float32 array with a number in float32.
    """
    return values.astype(np.float64, copy=False)


def shares_of(
    conditions: Iterable[Condition], columns: Columns, n_rows: int
) -> NDArray[np.float64]:
    """Return the share of each row that meets all conditions."""
    shares = np.ones(n_rows)
    for each in conditions:
        shares = shares * each.admits(columns)
    return shares


def joined(texts: Sequence[str], joint: str) -> str:
    """Return the texts of conditions, joined; one with an "or" goes in brackets."""
    if len(texts) < 2:
        return texts[0] if texts else "any row"
    return f" {joint} ".join(map(bracketed, texts))


def bracketed(text: str) -> str:
    """Return the text of a condition, in brackets if it contains an "or"."""
    return f"({text})" if " or missing" in text else text


def packed(conditions: Sequence[str], room: int) -> list[str]:
    """Put conditions on lines of `room` characters; only a longer one is broken."""
    lines = [""]
    for each in conditions:
        longer = f"{lines[-1]} {each}" if lines[-1] else each
        if len(longer) <= room:
            lines[-1] = longer
            continue
        broken = wording.wrapped(each, below="  ", width=room)
        lines = [line for line in lines if line] + broken
    return lines


def _places(codes: NDArray[Any], feature: Feature) -> NDArray[Any]:
    """Return the codes; missing and unseen ones become the number of labels."""
    k = len(feature.labels)
    return np.where((codes < 0) | (codes >= k), k, codes)


def _bits(codes: int, missing: bool, feature: Feature) -> NDArray[np.bool_]:
    """Return one boolean per category, and a last one for missing."""
    return np.append(flags_of(codes, len(feature.labels)), missing)


def _all_codes(feature: Feature) -> int:
    return (1 << len(feature.labels)) - 1


def _json(bound: float | None) -> Any:
    return str(bound) if bound is not None and math.isinf(bound) else bound
