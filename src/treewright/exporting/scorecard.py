"""A tree of two classes as a scorecard: points for each leaf, and what cost points.

The score of a node is ``offset + factor * ln(odds)``, where the odds are those of the
good class by `predict_proba`, ``factor = pdo / ln 2`` and the offset gives `points` to
the odds `odds`. It is rounded to whole points. A split adds to a row the points of the
branch less those of the node, so the points of a leaf are those of the root plus what
the columns on its path add; the columns that take most are the reason codes.
"""

from __future__ import annotations

import csv
import io
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, pandas_for_frames
from treewright.exporting.check_rows import CheckRows
from treewright.exporting.embedded_rows import SIGN, chosen_rows, embedded_rows
from treewright.exporting.heading import heading
from treewright.exporting.program import Program, program_of
from treewright.options.rules import Rule as OptionRule
from treewright.options.rules import is_real, real, whole
from treewright.reading.answers.answer import classes
from treewright.reading.conditions.condition import joined
from treewright.reading.conditions.path_conditions import answer_nodes
from treewright.reading.conditions.rules import Rule, Rules
from treewright.reading.conditions.rules_table import beside_conditions
from treewright.reading.one_row.reasons import looked_up
from treewright.tree import wording
from treewright.tree.answer import node_answers
from treewright.tree.data import TreeData
from treewright.tree.new_rows import read_columns
from treewright.tree.route import route
from treewright.tree.walk import path

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Scorecard",
    "ScorecardLeaf",
    "scorecard",
    "to_scorecard",
]

_MOST_REASONS = 4
_ABOVE_0 = OptionRule(
    (lambda x: is_real(x) and 0 < x < math.inf,), "a finite number above 0"
)
_FINITE = OptionRule((real(-sys.float_info.max),), "a finite number")
_COUNT = OptionRule((whole(0),), "a whole number >= 0")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class ScorecardLeaf:
    """One leaf of a scorecard.

    Attributes
    ----------
    rule : Rule
        The conditions of the leaf, and its training rows.
    points : int
        The score of every row in the leaf.
    odds : float
        The probability of the good class divided by that of the other.
    reasons : tuple of (str, int)
        The condition on each column that takes points, and how many (below 0); the
        column that takes most comes first.
    """

    rule: Rule
    points: int
    odds: float
    reasons: tuple[tuple[str, int], ...]


@dataclass(frozen=True, eq=False)
class Scorecard:
    """The points of a tree with two classes.

    ``print(card)`` shows the leaves, the best first; `to_pandas` and `to_csv` give them
    as a table; `score` gives the points of rows.

    Attributes
    ----------
    good : object
        The class that earns points.
    pdo : float
        How many points double the odds.
    points, odds : float
        This score means these odds of the good class.
    """

    _tree: TreeData
    good: Any
    pdo: float
    points: float
    odds: float

    # -- points -------------------------------------------------------------------

    @cached_property
    def _odds(self) -> NDArray[np.float64]:
        """The odds of the good class in each node."""
        place = classes(self._tree).tolist().index(self.good)
        shares = node_answers(self._tree)
        certain = np.flatnonzero((shares <= 0).any(axis=1))
        if len(certain):
            node = int(certain[0])
            label = classes(self._tree).tolist()[int(shares[node].argmin())]
            raise OptionError(
                f"In node {node} the probability of {label!r} is 0, so its odds have "
                "no finite score. Fit with shrinkage='auto' (the default of a pruned "
                "tree) or a number such as shrinkage=10, which keeps every "
                "probability above 0."
            )
        found: NDArray[np.float64] = shares[:, place] / shares[:, 1 - place]
        return found

    @cached_property
    def _points(self) -> NDArray[np.int64]:
        """The whole points of each node."""
        factor = self.pdo / math.log(2)
        offset = self.points - factor * math.log(self.odds)
        return np.rint(offset + factor * np.log(self._odds)).astype(np.int64)

    @property
    def base(self) -> int:
        """The points before any split: those of the odds among all rows."""
        return int(self._points[0])

    @cached_property
    def leaves(self) -> tuple[ScorecardLeaf, ...]:
        """The leaves (and other nodes where rows end) in the order of the tree."""
        return tuple(self._leaf(rule) for rule in Rules(self._tree))

    def _leaf(self, rule: Rule) -> ScorecardLeaf:
        node = rule.node
        words = {each.column: each.words() for each in rule.conditions}
        names = self._tree.schema.names
        taken = [
            (added, place, words.get(column) or wording.name(names[column]))
            for place, (column, added) in enumerate(self._added(node).items())
            if added < 0
        ]
        reasons = tuple((text, added) for added, _, text in sorted(taken))
        return ScorecardLeaf(
            rule, int(self._points[node]), float(self._odds[node]), reasons
        )

    def _added(self, node: int) -> dict[int, int]:
        """Return the points that each column on the path to a node adds."""
        added: dict[int, int] = {}
        for parent, child in pairwise(path(self._tree, node)):
            column = int(self._tree.feature[parent])
            step = int(self._points[child] - self._points[parent])
            added[column] = added.get(column, 0) + step
        return added

    # -- tables -------------------------------------------------------------------

    def to_pandas(self, reasons: int = _MOST_REASONS) -> pd.DataFrame:
        """Return one row per leaf.

        Parameters
        ----------
        reasons : int, default=4
            How many reasons to name.

        Returns
        -------
        pandas.DataFrame
            `leaf`, `points`, `odds`, `probability` (of the good class), `rows`,
            `share`, `rule`, and `reason_1`, `points_1`, ...: the condition that takes
            most points, and how many.
        """
        return pandas_for_frames().DataFrame(list(self._records(reasons)))

    def to_csv(self, check_rows: bool | int = False) -> str:
        """Return the table of leaves as CSV text.

        A text that a spreadsheet would take for a formula begins with an apostrophe.
        `rule` says for every column where a missing value goes. The last column,
        `about`, says in its first line what the points mean and which columns there
        are. Excel cuts cells longer than 32,767 characters: open a table with rules
        of thousands of categories elsewhere.

        Parameters
        ----------
        check_rows : bool or int, default=False
            Whether to add a column `check_rows`, or how many rows at most it has:
            rows that must end in the leaf of their line, with the expected points.

        Returns
        -------
        str
        """
        program = program_of(self._tree)
        rows = chosen_rows(program, check_rows)
        lines = None if rows is None else self._check_lines(program, rows)
        records = self.cells()
        for record in records:
            if lines is not None:
                record["check_rows"] = "\n".join(lines.get(record["leaf"], []))
            record["about"] = ""
        records[0]["about"] = "\n".join(self._about(program))
        out = io.StringIO()
        writer = csv.DictWriter(out, records[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        return out.getvalue()

    def cells(self) -> list[dict[str, Any]]:
        """Return the cells of `to_csv` that every table has, one dict per leaf."""
        return [
            {name: _safe(value) for name, value in record.items()}
            for record in self._records(_MOST_REASONS, missing=True)
        ]

    def points_of(self, rows: CheckRows) -> CheckRows:
        """Return rows whose answers are the points that the tree gives them."""
        return replace(rows, answers=self._points[rows.nodes].tolist())

    def _check_lines(self, program: Program, rows: CheckRows) -> dict[int, list[str]]:
        """Return the check rows of each leaf as text."""
        lines: dict[int, list[str]] = {}
        written = embedded_rows(program, self.points_of(rows))
        for node, line in zip(rows.nodes, written, strict=True):
            lines.setdefault(node, []).append(f"{SIGN} {line}")
        return lines

    def _about(self, program: Program) -> list[str]:
        scale = {"pdo": self.pdo, "points": self.points, "odds": self.odds}
        facts = {name: str(float(number)) for name, number in scale.items()}
        facts["good"] = str(self.good)
        coded = {name: fact.encode().hex() for name, fact in facts.items()}
        return [
            *heading(program, units=True, format="scorecard", **coded),
            "An unknown category counts as missing.",
            f"{self._scale} The good class is {wording.value(self.good)}.",
        ]

    @property
    def _scale(self) -> str:
        """What the points mean."""
        return (
            f"{wording.figures(self.points)} points are odds of "
            f"{wording.figures(self.odds)} to 1; every {wording.figures(self.pdo)} "
            "points more double the odds."
        )

    def _records(
        self, most: int, *, missing: bool | None = None
    ) -> Iterator[dict[str, Any]]:
        _COUNT.checked("reasons", most)
        for leaf in self.leaves:
            rule, conditions = leaf.rule, leaf.rule.conditions
            record = {
                "leaf": rule.node,
                "points": leaf.points,
                "odds": leaf.odds,
                "probability": leaf.odds / (1 + leaf.odds),
                "rows": rule.rows,
                "share": rule.share,
                "rule": joined([c.words(missing=missing) for c in conditions], "and"),
            }
            padded = [*leaf.reasons, *[("", 0)] * most][:most]
            for i, (text, added) in enumerate(padded, 1):
                record |= {f"reason_{i}": text, f"points_{i}": added}
            yield record

    def score(self, X: Any, reasons: int = _MOST_REASONS) -> pd.DataFrame:
        """Return the points of rows, with the reason codes.

        Parameters
        ----------
        X : array, data frame, dict of columns or list of rows
            The rows.
        reasons : int, default=4
            How many reasons to name.

        Returns
        -------
        pandas.DataFrame
            One row per row of X: `points`, `leaf`, `reason_1`, `reason_2`, ...
        """
        tree = self._tree
        _COUNT.checked("reasons", reasons)
        columns = read_columns(tree, X)
        leaves = route(tree, columns, columns.n_rows)
        place = np.zeros(tree.n_nodes, np.int64)
        place[answer_nodes(tree)] = np.arange(len(self.leaves))
        found = {"points": self._points[leaves], "leaf": leaves}
        for i in range(reasons):
            texts = [
                each.reasons[i][0] if i < len(each.reasons) else ""
                for each in self.leaves
            ]
            found[f"reason_{i + 1}"] = looked_up(texts, place[leaves])
        return pandas_for_frames().DataFrame(found)

    def __str__(self) -> str:
        """What the points mean, then the leaves, those of most points first."""
        target = self._tree.schema.target
        name = "y" if target is None else wording.name(target.name)
        n = len(self.leaves)
        head = [
            f"Scorecard for {name} = {wording.value(self.good)}: {n:,} "
            f"{'leaf' if n == 1 else 'leaves'}, {self.base:,} points for all rows",
            self._scale,
            "",
        ]
        ordered = sorted(self.leaves, key=lambda leaf: -leaf.points)
        cells = [
            [
                f"{leaf.points:,}",
                wording.figures(leaf.odds),
                f"{leaf.rule.rows:,}",
                wording.percent(leaf.rule.share),
            ]
            for leaf in ordered
        ]
        notes = [
            [f"({added:,} for {text})" for text, added in leaf.reasons]
            for leaf in ordered
        ]
        rules = [leaf.rule for leaf in ordered]
        heads = ["points", "odds", "rows", "share"]
        return "\n".join(head + beside_conditions(heads, cells, rules, notes=notes))

    __repr__ = __str__


def _safe(value: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula; numbers as they are."""
    is_formula = isinstance(value, str) and value.startswith(_FORMULA_STARTS)
    return f"'{value}" if is_formula else value


def scorecard(
    tree: TreeData,
    good: Any = None,
    *,
    pdo: float = 20,
    points: float = 600,
    odds: float = 50,
) -> Scorecard:
    """Return a tree of two classes as a scorecard.

    Parameters
    ----------
    tree : TreeData
        A tree of two classes that does not divide rows.
    good : object
        The class that earns points, or its text.
    pdo : float, default=20
        How many points double the odds of the good class.
    points, odds : float, default=600 and 50
        This score means these odds (50 means 50 to 1).

    Returns
    -------
    Scorecard
    """
    return Scorecard(
        tree,
        _good_class(tree, good),
        _ABOVE_0.checked("pdo", pdo),
        _FINITE.checked("points", points),
        _ABOVE_0.checked("odds", odds),
    )


def _good_class(tree: TreeData, good: Any) -> Any:
    found = classes(tree).tolist() if tree.is_classifier else []
    if len(found) != 2:
        what = f"{len(found)} classes" if tree.is_classifier else "numbers"
        raise OptionError(
            f"A scorecard needs a tree of two classes; this one answers {what}."
        )
    program_of(tree).refuse_divided_rows("A scorecard")
    named = [label for label in found if label == good or str(label) == good]
    if len(named) != 1:
        raise OptionError(
            f"good must be the class that earns points, {found[0]!r} or {found[1]!r}; "
            f"got {good!r}."
        )
    return named[0]


def to_scorecard(
    tree: TreeData,
    *,
    good: Any = None,
    pdo: float = 20,
    points: float = 600,
    odds: float = 50,
    check_rows: bool | int = False,
) -> str:
    """Return the scorecard of a tree as CSV text.

    The options are those of `scorecard` and of `Scorecard.to_csv`.
    """
    card = scorecard(tree, good, pdo=pdo, points=points, odds=odds)
    return card.to_csv(check_rows)
