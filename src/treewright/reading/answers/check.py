"""New rows against the training rows: unseen, missing, out of range, drifted."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TableError, pandas_for_frames
from treewright.files.in_parts import is_in_parts
from treewright.table.match import Probe, probe
from treewright.table.schema import Feature, Schema, Summary
from treewright.table.show import show_value
from treewright.tree import wording
from treewright.tree.data import TreeData
from treewright.tree.route import columns_used

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Check", "ColumnCheck", "check_rows"]

_EMPTY = 0.5  # rows that stand for none, whose logarithm would be infinite
_SOME, _MUCH = 0.1, 0.25  # the usual bounds of the index
_CHANCE = 3.0  # drift counts from this many times what chance makes of it
_MOST_SHOWN = 30
_NAMED = 3  # new categories that are named


class ColumnCheck(NamedTuple):
    """How one column of new rows compares with the training rows.

    Attributes
    ----------
    column : str
        The column.
    used : bool
        Whether the tree uses it.
    problem : str
        'absent', or why the values cannot be read (they are of another kind); ''.
    n_unseen, unseen_share : int, float
        Values that are categories the tree has never seen.
    n_missing, missing_share, missing_before : int, float, float
        Missing values, now and in training.
    n_outside, outside_share : int, float
        Numbers below the least or above the largest of training.
    drift : float
        Population stability index, over the deciles or categories of training, with
        missing values and unseen categories as further groups. NaN if unknown.
    words : str
        What is worth knowing, for people; '' if nothing is.
    """

    column: str
    used: bool
    problem: str = ""
    n_unseen: int = 0
    unseen_share: float = 0.0
    n_missing: int = 0
    missing_share: float = 0.0
    missing_before: float = 0.0
    n_outside: int = 0
    outside_share: float = 0.0
    drift: float = math.nan
    words: str = ""


@dataclass(frozen=True)
class Check:
    """New rows against the training rows of a tree.

    Attributes
    ----------
    n_rows, n_training_rows : int
        Number of new rows and of training rows.
    columns : tuple of ColumnCheck
        One per usable column: first those that the tree uses.
    """

    n_rows: int
    n_training_rows: int
    columns: tuple[ColumnCheck, ...]

    @property
    def notable(self) -> list[ColumnCheck]:
        """The columns about which there is something to say."""
        return [each for each in self.columns if each.words]

    def __str__(self) -> str:
        """A short table: one line a column that is worth a look."""
        notable, lines = self.notable, [self._heading()]
        if notable:
            width = max(len(_name(each)) for each in notable[:_MOST_SHOWN])
            lines.append(f"  {'column':<{width}}  drift  what is new")
        for each in notable[:_MOST_SHOWN]:
            drift = "    -" if math.isnan(each.drift) else f"{each.drift:5.2f}"
            lines.append(f"  {_name(each):<{width}}  {drift}  {each.words}")
        if len(notable) > _MOST_SHOWN:
            lines.append(f"  ... and {len(notable) - _MOST_SHOWN} more; see .columns")
        if any(not each.used for each in notable):
            lines.append("  (in brackets: the tree does not use the column)")
        return "\n".join(lines)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per column, used columns first."""
        return pandas_for_frames().DataFrame(self.columns, columns=ColumnCheck._fields)

    def to_dict(self) -> dict[str, Any]:
        """Return the same as JSON-able values; an unknown drift is None."""
        columns = [each._asdict() for each in self.columns]
        for each in columns:
            each["drift"] = None if math.isnan(each["drift"]) else each["drift"]
        return {
            "n_rows": self.n_rows,
            "n_training_rows": self.n_training_rows,
            "columns": columns,
        }

    def _heading(self) -> str:
        size = f"{self.n_rows:,} new row{'s' * (self.n_rows != 1)}"
        against = f"against {self.n_training_rows:,} training rows"
        n = len(self.notable)
        found = f"{n} column{'s' * (n != 1)} to look at" if n else "nothing new"
        return f"{size} {against}: {found}"

    def _repr_html_(self) -> str:
        heading = f"<p>{self._heading()}</p>"
        if not self.notable:
            return heading
        rows = "".join(
            f"<tr><td>{html.escape(_name(each))}</td>"
            f"<td>{'' if math.isnan(each.drift) else f'{each.drift:.2f}'}</td>"
            f"<td>{html.escape(each.words)}</td></tr>"
            for each in self.notable
        )
        head = "<tr><th>column</th><th>drift</th><th>what is new</th></tr>"
        return f"{heading}<table>{head}{rows}</table>"


def check_rows(tree: TreeData, X: Any) -> Check:
    """Compare new rows with the training rows of a tree.

    Parameters
    ----------
    tree : TreeData
        The tree; its schema keeps the distribution of the training rows.
    X : array, data frame, dict of columns, list of rows, Table or rows in parts
        New rows.

    Returns
    -------
    Check
    """
    used = columns_used(tree).tolist()
    wanted = used + [i for i in tree.schema.usable if i not in set(used)]
    n_rows, counts = (
        _counted_in_parts(tree.schema, X, wanted)
        if is_in_parts(X)
        else _counted(tree.schema, X, wanted)
    )
    n_before = int(tree.n_rows[0])
    columns = tuple(
        _compared(tree.schema.features[i], found, i in set(used), n_before)
        for i, found in zip(wanted, counts, strict=True)
    )
    return Check(n_rows, n_before, columns)


def _counted(schema: Schema, X: Any, wanted: list[int]) -> tuple[int, list[_Counts]]:
    """Return the number of rows, and the counts of some columns."""
    probes, n_rows = probe(schema, X, wanted)
    features = [schema.features[i] for i in wanted]
    return n_rows, [_Counts.of(*each) for each in zip(features, probes, strict=True)]


def _counted_in_parts(
    schema: Schema, X: Any, wanted: list[int]
) -> tuple[int, list[_Counts]]:
    # Reading files loads packages that nothing else here needs.
    from treewright.growing.parts.on_parts import on_parts

    by_part = on_parts(X, _counted_part, (schema, wanted))
    found: list[tuple[int, list[_Counts]]] = [each for each in by_part if each]
    if not found:
        raise TableError("The parts have no rows; at least one is needed.")
    return reduce(_added, found)


def _counted_part(
    name: str, batches: Any, argument: tuple[Schema, list[int]]
) -> tuple[int, list[_Counts]] | None:
    from treewright.growing.parts.on_parts import sources_of

    schema, wanted = argument
    found = (_counted(schema, X, wanted) for X in sources_of(name, batches, schema))
    first = next(found, None)
    return None if first is None else reduce(_added, found, first)


def _added(
    one: tuple[int, list[_Counts]], other: tuple[int, list[_Counts]]
) -> tuple[int, list[_Counts]]:
    pairs = zip(one[1], other[1], strict=True)
    return one[0] + other[0], [a.with_other(b) for a, b in pairs]


def _compared(
    feature: Feature, counts: _Counts, used: bool, n_before: int
) -> ColumnCheck:
    if counts.problem:
        words = counts.problem if used or counts.problem != "absent" else ""
        if words == "absent":
            words = "absent, though the tree needs it"
        return ColumnCheck(feature.name, used, counts.problem, words=words)
    n = max(counts.n, 1)
    before = feature.summary or Summary(0)
    drift = _drift(counts, before, n_before)
    check = ColumnCheck(
        feature.name,
        used,
        n_unseen=counts.n_unseen,
        unseen_share=counts.n_unseen / n,
        n_missing=counts.n_missing,
        missing_share=counts.n_missing / n,
        missing_before=before.n_missing / max(n_before, 1),
        n_outside=counts.n_outside,
        outside_share=counts.n_outside / n,
        drift=drift,
    )
    return check._replace(words="; ".join(_words(feature, check, counts, n_before)))


class _Counts(NamedTuple):
    """The new values of a column, counted by the groups of training.

    Counts of several parts add up; the first problem stays.
    """

    by_group: NDArray[np.int64]
    n_missing: int = 0
    n_unseen: int = 0
    n_outside: int = 0
    unseen: tuple[Any, ...] = ()
    """The first of the categories that are new."""
    problem: str = ""

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.by_group.sum()) + self.n_missing + self.n_unseen

    @classmethod
    def of(cls, feature: Feature, found: Probe) -> _Counts:
        data, before = found.data, feature.summary or Summary(0)
        if data is None:
            return cls(np.zeros(0, np.int64), problem=found.problem)
        if feature.kind != "numeric":
            by_group = np.bincount(data[data >= 0], minlength=len(feature.labels))
            n_missing = int(np.count_nonzero(data == -1))
            n_unseen = len(data) - n_missing - int(by_group.sum())
            new = found.unseen[: _NAMED + 1]
            return cls(by_group, n_missing, n_unseen, unseen=new)
        known = data[~np.isnan(data)]
        group = np.searchsorted(before.deciles, known, side="left")
        by_group = np.bincount(group, minlength=len(before.deciles) + 1)
        outside = np.zeros(len(known), np.bool_)
        if before.minimum is not None and before.maximum is not None:
            outside = (known < before.minimum) | (known > before.maximum)
        n_outside = int(np.count_nonzero(outside))
        return cls(by_group, len(data) - len(known), n_outside=n_outside)

    def with_other(self, other: _Counts) -> _Counts:
        """Return the counts of both."""
        if self.problem or other.problem:
            return self if self.problem else other
        new = tuple(dict.fromkeys(self.unseen + other.unseen))[: _NAMED + 1]
        return _Counts(
            self.by_group + other.by_group,
            self.n_missing + other.n_missing,
            self.n_unseen + other.n_unseen,
            self.n_outside + other.n_outside,
            new,
        )


def _drift(counts: _Counts, before: Summary, n_before: int) -> float:
    """Return the population stability index: sum of (q - p) log(q / p)."""
    n = counts.n
    if not n or len(before.shares) != len(counts.by_group):
        return math.nan
    gone = before.n_missing / max(n_before, 1)
    p = np.array([*(np.array(before.shares) * (1 - gone)), gone, 0.0])
    q = np.array([*counts.by_group, counts.n_missing, counts.n_unseen]) / n
    there = (p > 0) | (q > 0)
    p = np.maximum(p[there], _EMPTY / max(n_before, 1))
    q = np.maximum(q[there], _EMPTY / n)
    return float(np.sum((q - p) * np.log(q / p)))


def _words(
    feature: Feature, check: ColumnCheck, counts: _Counts, n_before: int
) -> Iterator[str]:
    n = counts.n
    if check.n_unseen:
        shown = ", ".join(repr(each) for each in counts.unseen[:_NAMED])
        more = ", ..." if len(counts.unseen) > _NAMED else ""
        share = f"{check.unseen_share:.1%}"
        values = f"{check.n_unseen:,} value{'s' * (check.n_unseen != 1)}"
        yield f"{values} ({share}) never seen: {shown}{more}"
    summary = feature.summary
    if check.n_missing and summary is not None and not summary.n_missing:
        yield f"{check.n_missing:,} missing ({check.missing_share:.1%}), none before"
    if check.n_outside and summary is not None:
        low, high = (
            _shown(feature, float(each))
            for each in (summary.minimum or 0.0, summary.maximum or 0.0)
        )
        share = f"{check.outside_share:.1%}"
        yield f"{check.n_outside:,} ({share}) outside {low} to {high}"
    if summary is None or not n or math.isnan(check.drift):
        return
    by_chance = (len(summary.shares) + 1) * (1 / n + 1 / max(n_before, 1))
    if check.drift >= max(_SOME, _CHANCE * by_chance):
        much = (
            "the distribution has changed much"
            if check.drift >= _MUCH
            else ("the distribution has changed somewhat")
        )
        yield much


def _name(check: ColumnCheck) -> str:
    return check.column if check.used else f"({check.column})"


def _shown(feature: Feature, value: float) -> str:
    """Return an end of a range; a number with six figures at most."""
    if feature.stored_as in ("float", "text"):
        return wording.figures(value, 6)
    return show_value(feature, value)
