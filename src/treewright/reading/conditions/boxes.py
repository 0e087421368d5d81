"""Regions as sets of atoms, one set of bits per column: easy to join and to compare.

The thresholds of a column cut its values into intervals; each is an atom, and so is
each category, and so is "missing". A region then is one set of atoms for each column
it speaks of, and all questions about regions are questions about bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from treewright.reading.conditions.condition import Condition
from treewright.reading.conditions.path_conditions import features_as_split
from treewright.tree.data import TreeData

__all__ = ["Box", "Boxes"]

Box: TypeAlias = dict[int, int]
"""Atoms by column; a column that is not there may have any value."""

_MOST_CHECKS = 2_000_000
_MOST_PAIRS = 500_000


class Boxes:
    """The atoms of a tree's columns, and what can be done with regions.

    Parameters
    ----------
    tree : TreeData
        A tree without surrogates that divides no rows.
    regions : iterable of dict of int to Condition
        All the regions that will be asked about.
    """

    def __init__(self, tree: TreeData, regions: Iterable[dict[int, Condition]]) -> None:
        self._features = features_as_split(tree)
        cuts: dict[int, set[float]] = {}
        for region in regions:
            for column, condition in region.items():
                known = cuts.setdefault(column, set())
                known |= {x for x in (condition.low, condition.high) if x is not None}
        self._cuts = {column: sorted(found) for column, found in cuts.items()}
        self._place = {
            column: {cut: i for i, cut in enumerate(found)}
            for column, found in self._cuts.items()
        }

    # -- there and back -----------------------------------------------------------

    def of(self, regions: Iterable[dict[int, Condition]]) -> list[Box]:
        """Return regions as boxes."""
        return [
            {
                column: self._atoms(condition)
                for column, condition in region.items()
                if not condition.is_vacuous
            }
            for region in regions
        ]

    def _atoms(self, condition: Condition) -> int:
        n, place = self._size(condition.column), self._place[condition.column]
        missing = int(condition.missing) << n
        if condition.codes is not None:
            return condition.codes | missing
        if not condition.known:
            return missing
        low = 0 if condition.low is None else place[condition.low] + 1
        high = n if condition.high is None else place[condition.high] + 1
        return missing | (_run(low, high) if low < high else 0)

    def _size(self, column: int) -> int:
        """Return the number of atoms of a column, missing not counted."""
        feature = self._features[column]
        if feature.kind == "categorical":
            return len(feature.labels)
        return len(self._cuts[column]) + 1

    def conditions(self, box: Box) -> dict[int, Condition]:
        """Return a box as conditions by column."""
        return {column: self._condition(column, atoms) for column, atoms in box.items()}

    def _condition(self, column: int, atoms: int) -> Condition:
        feature, n = self._features[column], self._size(column)
        known, missing = atoms & _run(0, n), bool(atoms >> n)
        if feature.kind == "categorical":
            return Condition(column, feature, codes=known, missing=missing)
        if not known:
            return Condition(column, feature, missing=missing, known=False)
        cuts = self._cuts[column]
        low, high = _first(known), known.bit_length()
        return Condition(
            column,
            feature,
            low=cuts[low - 1] if low else None,
            high=cuts[high - 1] if high < n else None,
            missing=missing,
        )

    def _wordable(self, column: int, atoms: int) -> bool:
        """Whether the known atoms are one interval, or categories."""
        if self._features[column].kind == "categorical":
            return True
        known = atoms & _run(0, self._size(column))
        return known == 0 or known == _run(_first(known), known.bit_length())

    def _everything(self, column: int) -> int:
        return _run(0, self._size(column) + 1)

    # -- making them fewer --------------------------------------------------------

    def joined(self, boxes: Sequence[Box]) -> list[Box]:
        """Join boxes that differ in one column, until none do."""
        found = list(boxes)
        while True:
            fewer = self._joined_once(found)
            if len(fewer) == len(found):
                return found
            found = fewer

    def _joined_once(self, boxes: list[Box]) -> list[Box]:
        columns = dict.fromkeys(column for box in boxes for column in box)
        for column in columns:
            groups: dict[frozenset[tuple[int, int]], list[Box]] = {}
            for box in boxes:
                rest = frozenset(item for item in box.items() if item[0] != column)
                groups.setdefault(rest, []).append(box)
            if len(groups) < len(boxes):
                boxes = [
                    joined
                    for group in groups.values()
                    for joined in self._join_group(column, group)
                ]
        return boxes

    def _join_group(self, column: int, group: list[Box]) -> list[Box]:
        """Join boxes that are equal in all other columns."""
        every = self._everything(column)
        # Missing alone (no known atom) comes first, then intervals by where they start.
        known = _run(0, self._size(column))
        sets = sorted(
            (box.get(column, every) for box in group), key=lambda a: _first(a & known)
        )
        made = sets[:1]
        for atoms in sets[1:]:
            if self._wordable(column, atoms | made[-1]):
                made[-1] |= atoms
            else:
                made.append(atoms)
        return [_with(group[0], column, atoms, every) for atoms in made]

    # -- making them wider --------------------------------------------------------

    def widened(self, boxes: Sequence[Box], others: Sequence[Box]) -> list[Box]:
        """Drop conditions, or ends of intervals, that keep none of the others out."""
        size = sum(len(box) for box in boxes) * max(len(others), 1)
        if size > _MOST_CHECKS:
            return list(boxes)
        return _outermost([self._widen(box, others) for box in boxes])

    def _widen(self, box: Box, others: Sequence[Box]) -> Box:
        box = dict(box)
        columns = list(box)
        # For each of the others, the columns that keep it out, as bits.
        keeps = [
            sum(
                1 << i
                for i, column in enumerate(columns)
                if column in other and not box[column] & other[column]
            )
            for other in others
        ]
        for i, column in reversed(list(enumerate(columns))):
            alone = [o for o, by in zip(others, keeps, strict=True) if by == 1 << i]
            if not alone:
                del box[column]
                keeps = [by & ~(1 << i) for by in keeps]
                continue
            wider = self._wider(column, box[column], alone)
            if wider != box[column]:
                box[column] = wider
                keeps = [
                    by & ~(1 << i) if o.get(column, -1) & wider else by
                    for o, by in zip(others, keeps, strict=True)
                ]
        return box

    def _wider(self, column: int, atoms: int, others: Sequence[Box]) -> int:
        """Drop one end of an interval, if none of the others comes in."""
        n = self._size(column)
        known = atoms & _run(0, n)
        if self._features[column].kind == "categorical" or not known:
            return atoms
        outside = 0
        for other in others:
            outside |= other[column]
        low, high = _first(known), known.bit_length()
        for more in (_run(0, low), _run(high, n)):
            if more and not more & outside:
                return atoms | more
        return atoms


def _outermost(boxes: Sequence[Box]) -> list[Box]:
    """Leave out boxes that lie inside another; of equal ones the first stays."""
    if len(boxes) ** 2 > _MOST_PAIRS:
        return list({tuple(sorted(b.items())): b for b in boxes}.values())
    kept: list[Box] = []
    for place, box in enumerate(boxes):
        inside_earlier = any(_inside(box, other) for other in boxes[:place])
        inside_later = any(
            _inside(box, other) and not _inside(other, box)
            for other in boxes[place + 1 :]
        )
        if not inside_earlier and not inside_later:
            kept.append(box)
    return kept


def _inside(inner: Box, outer: Box) -> bool:
    return all(c in inner and not inner[c] & ~atoms for c, atoms in outer.items())


def _with(box: Box, column: int, atoms: int, every: int) -> Box:
    if atoms == every:
        return {c: a for c, a in box.items() if c != column}
    return {**box, column: atoms}


def _run(low: int, high: int) -> int:
    """Return the bits from `low` to below `high`."""
    return (1 << high) - (1 << low)


def _first(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
