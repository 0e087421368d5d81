"""A tree as one formula: for a class a disjunction, for numbers a sum over regions.

The formula of a class is an OR over paths of an AND over conditions. These steps
shorten it without changing any answer:

- a subtree with the same answer everywhere becomes one term;
- two terms that differ in one column are merged if the values of that column
  together form one interval or one set;
- a condition, or one end of an interval, is dropped from a term of a class if the
  wider term still covers no row with another answer;
- a term inside another is dropped.

The second and third steps require that every missing value takes one branch. For a
tree with surrogate splits only the first step is used. A tree that divides rows has
no formula.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError
from treewright.reading.conditions.boxes import Boxes
from treewright.reading.conditions.condition import (
    Condition,
    columns_of,
    joined,
    packed,
    shares_of,
)
from treewright.reading.conditions.evidence import class_of
from treewright.reading.conditions.path_conditions import answer_nodes, walked
from treewright.table.html import pre_html
from treewright.tree import wording
from treewright.tree.answer import node_answers
from treewright.tree.data import LEAF, TreeData
from treewright.tree.new_rows import read_columns
from treewright.tree.route import divides_rows

__all__ = ["Formula", "Term", "formula"]

_MOST, _LONGEST = 12, 60
_SIGNS = {False: ("\N{LOGICAL OR}", "∧", "·"), True: ("OR", "AND", "*")}


@dataclass(frozen=True, slots=True)
class Term:
    """One conjunction; in a formula for numbers, with the value it adds if it holds."""

    conditions: tuple[Condition, ...]
    value: float | None = None

    def words(
        self, joint: str, most: int | None = _MOST, longest: int | None = _LONGEST
    ) -> str:
        """Return the conditions, joined."""
        texts = [each.words(most=most, longest=longest) for each in self.conditions]
        return joined(texts, joint)


@dataclass(frozen=True, slots=True)
class Formula:
    """What a tree answers, as one expression; ``print(formula)`` writes it.

    Attributes
    ----------
    terms : tuple of Term
        For a class: the formula holds if any term holds. For numbers: exactly one
        term holds, and its value is the answer.
    prediction : object
        The class; None for numbers.
    """

    terms: tuple[Term, ...]
    prediction: Any
    _tree: TreeData

    def evaluate(self, X: Any, *, unseen: str | None = None) -> NDArray[Any]:
        """Return whether the formula holds, or its value, for each row.

        Parameters
        ----------
        X : array, data frame, dict of columns or list of rows
            As for `Tree.apply`; only the columns of the formula are needed.
        unseen : {'missing', 'error'} or None, default=None
            What to do with a category that was not in the training rows; None: what
            was chosen when the tree was grown.

        Returns
        -------
        bool array, or float64 array for numbers
            True exactly where `predict` answers this class; for numbers, exactly
            what `predict` answers.
        """
        every = [each for term in self.terms for each in term.conditions]
        columns = read_columns(self._tree, X, unseen, columns_of(every))
        n = columns.n_rows
        holds = (shares_of(term.conditions, columns, n) > 0 for term in self.terms)
        if self._tree.is_classifier:
            any_holds = np.zeros(n, dtype=bool)
            for each in holds:
                any_holds |= each
            return any_holds
        total = np.zeros(n)
        for term, each in zip(self.terms, holds, strict=True):
            total[each] += term.value or 0.0
        return total

    def text(
        self,
        *,
        ascii: bool = False,
        most: int | None = _MOST,
        longest: int | None = _LONGEST,
    ) -> str:
        """Return the formula on one line.

        Parameters
        ----------
        ascii : bool, default=False
            Write OR, AND and * instead of the signs.
        most, longest : int or None
            Maximum number of categories listed, and of characters of each.

        Returns
        -------
        str
            Numbers are written in full, so they read back without rounding.
        """
        joint = _SIGNS[ascii][0] if self._tree.is_classifier else "+"
        return f" {joint} ".join(self._parts(ascii, most, longest))

    def _parts(
        self,
        ascii: bool = False,
        most: int | None = _MOST,
        longest: int | None = _LONGEST,
    ) -> list[str]:
        """Return the terms as text: those of an OR, or of a sum."""
        _, both, times = _SIGNS[ascii]
        texts = [term.words(both, most, longest) for term in self.terms]
        if not self._tree.is_classifier:
            values = [wording.number(term.value or 0.0) for term in self.terms]
            pairs = zip(values, texts, strict=True)
            return [f"{value}{times}[{where}]" for value, where in pairs]
        if not texts:
            return ["never"]
        if not all(term.conditions for term in self.terms):
            return ["always"]
        return texts if len(texts) == 1 else [f"({each})" for each in texts]

    def to_dict(self) -> dict[str, Any]:
        """Return the formula as dicts, lists, strings and numbers, ready for JSON."""
        terms = [[each.to_dict() for each in term.conditions] for term in self.terms]
        if self._tree.is_classifier:
            return {"prediction": self.prediction, "any_of": terms}
        pairs = zip(self.terms, terms, strict=True)
        return {"sum_of": [{"value": t.value, "where": each} for t, each in pairs]}

    def __str__(self) -> str:
        """The target, and the formula."""
        target = self._tree.schema.target
        name = wording.cut(
            wording.name("y" if target is None else target.name), _LONGEST
        )
        if not self._tree.is_classifier:
            return "\n".join([f"{name} =", *_one_below_the_other(self._parts(), "+")])
        told = f"{name} = {wording.value(self.prediction, _LONGEST)}:"
        parts = self._parts()
        if len(parts) == 1:
            return f"{told} {parts[0]}"
        return "\n".join([told, *_one_below_the_other(parts, _SIGNS[False][0])])

    def _repr_html_(self) -> str:
        """Show the formula in a notebook, one term per line."""
        return pre_html(str(self))

    def __repr__(self) -> str:
        """The same as `str`."""
        return str(self)


def _one_below_the_other(terms: list[str], joint: str) -> list[str]:
    """Return the terms as lines, the sign that joins them before each but the first."""
    both = f" {_SIGNS[False][1]} "
    indent = " " * len(f"  {joint}   ")
    lines = []
    for place, term in enumerate(terms):
        *others, last = term.split(both)
        parts = [*(each + both.rstrip() for each in others), last]
        start = f"  {joint if place else ' '} "
        for part in packed(parts, wording.WIDTH - len(indent)):
            lines.append(start + part)
            start = indent
    return lines


def formula(tree: TreeData, prediction: Any = None) -> Formula:
    """Return the formula of one class, or of all numbers.

    Parameters
    ----------
    tree : TreeData
        The tree.
    prediction : object, optional
        The class; not for a tree that answers numbers.

    Returns
    -------
    Formula
    """
    if divides_rows(tree):
        raise OptionError(
            "This tree divides rows with missing values among branches, so no formula "
            "can express its answers. rules() gives the share of each rule."
        )
    if not tree.is_classifier:
        if prediction is not None:
            raise OptionError(
                "This tree answers numbers and has a single formula; call formula() "
                f"without {prediction!r}."
            )
        return _of_numbers(tree)
    if prediction is None:
        target = tree.schema.target
        first = target.classes[0] if target is not None and target.classes else 0
        raise OptionError(
            f"formula needs the class it is for, such as formula({first!r})."
        )
    return _of_class(tree, class_of(tree, prediction), prediction)


def _of_class(tree: TreeData, wanted: int, prediction: Any) -> Formula:
    mine: list[dict[int, Condition]] = []
    others: list[dict[int, Condition]] = []
    for node, conditions in _regions(tree, tree.label):
        (mine if tree.label[node] == wanted else others).append(conditions)
    if not tree.surrogate_start[-1]:
        boxes = Boxes(tree, [*mine, *others])
        merged = boxes.joined(boxes.of(mine))
        merged = boxes.joined(boxes.widened(merged, boxes.of(others)))
        mine = [boxes.conditions(box) for box in merged]
    return Formula(tuple(Term(_stated(each)) for each in mine), prediction, tree)


def _of_numbers(tree: TreeData) -> Formula:
    groups: dict[float, list[dict[int, Condition]]] = {}
    values, number = np.unique(node_answers(tree)[:, 0], return_inverse=True)
    for node, conditions in _regions(tree, number):
        groups.setdefault(float(values[number[node]]), []).append(conditions)
    terms = []
    every = [each for group in groups.values() for each in group]
    boxes = None if tree.surrogate_start[-1] else Boxes(tree, every)
    for value, group in groups.items():
        if boxes is not None and len(group) > 1:
            merged = boxes.joined(boxes.of(group))
            group = [boxes.conditions(box) for box in merged]
        terms += [Term(_stated(each), value) for each in group]
    return Formula(tuple(terms), None, tree)


def _regions(
    tree: TreeData, answer: NDArray[np.integer[Any]]
) -> Iterable[tuple[int, dict[int, Condition]]]:
    """Yield the largest parts of the tree with one answer: a node and its conditions.

    In preorder, the nodes where rows end are neighbours if they belong to the same
    subtree. If no answer differs from the one before it, the whole subtree has one
    answer.
    """
    ends = np.array(
        [
            node
            for node, conditions in walked(tree, answer_nodes(tree))
            if all(each.possible for each in conditions.values())
        ],
        dtype=np.int64,
    )
    changes = np.concatenate([[0, 0], np.cumsum(np.diff(answer[ends]) != 0)])
    nodes = np.arange(tree.n_nodes)
    first = np.searchsorted(ends, nodes)
    last = np.searchsorted(ends, nodes + tree.subtree_size)
    same = (first < last) & (changes[last] == changes[np.minimum(first + 1, len(ends))])
    is_end = np.zeros(tree.n_nodes, dtype=bool)
    is_end[ends] = True
    stops = is_end & (tree.split_kind != LEAF) & ~same
    above = np.where(tree.parent >= 0, same[tree.parent], False)
    whole = np.flatnonzero((same & ~above) | stops)
    for node, conditions in walked(tree, whole, stops):
        yield int(ends[first[node]]), conditions


def _stated(conditions: dict[int, Condition]) -> tuple[Condition, ...]:
    return tuple(each for each in conditions.values() if not each.is_vacuous)
