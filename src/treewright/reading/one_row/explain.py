"""Explanations: the path of one row through a tree, as sentences and as data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, did_you_mean
from treewright.reading.answers.answer import (
    answers,
    class_probabilities,
    class_shares,
    classes,
    evidence_words,
    middle_of,
    number_words,
)
from treewright.reading.conditions.evidence import class_of
from treewright.reading.conditions.path_conditions import surrogates_of
from treewright.reading.one_row.change import Change, rows_between, smallest_change
from treewright.reading.one_row.row import OneRow, ends_of, read_row, turn_at
from treewright.table.html import list_html
from treewright.tree import wording
from treewright.tree.answer import plain_answers
from treewright.tree.data import (
    ALL_BRANCHES,
    LEAF,
    STOP_HERE,
    STOP_REASONS,
    TreeData,
)
from treewright.tree.route import (
    MISSING_ROUTE,
    Ends,
    Turn,
    divides_rows,
)
from treewright.tree.split import Split, Threshold, split_of
from treewright.tree.walk import path

__all__ = ["Explanation", "Step", "change_of", "explain", "fixed_columns"]

_MOST_CLASSES = 3
_INDENT = 6
_DIVIDED = "the row goes down every branch, by weight; the largest part is followed"


@dataclass(frozen=True, slots=True)
class Step:
    """One split on the path, and the branch that the row takes.

    Attributes
    ----------
    node : int
        The node of the split.
    column : str
        The column that the split tests.
    value : str
        The row's value as text; "missing" if it has none.
    rule : str
        The condition of the branch taken; empty where the row stops.
    branch : int
        The branch taken; -1 where the row stops.
    missing : str
        How a missing or unseen value was handled; empty if the value decided.
    margin : float or None
        Numbers: value minus threshold.
    margin_share : float or None
        Approximate share of the training rows between value and threshold; None if
        the tree does not know the distribution of the column.
    next : int
        The node reached.
    shares : tuple of float
        Class shares of the training rows at that node; for numbers their mean (or
        median) alone.
    sentence : str
        The step as a sentence.
    """

    node: int
    column: str
    value: str
    rule: str
    branch: int
    missing: str
    margin: float | None
    margin_share: float | None
    next: int
    shares: tuple[float, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a row gets its answer; ``print(explanation)`` writes it.

    Attributes
    ----------
    prediction : object
        The class or the number.
    node : int
        Where the row ends; for a divided row, where its largest part ends.
    shares : tuple of float
        Class shares of the training rows there (for a divided row, averaged over its
        parts); for numbers their mean (or median) alone.
    probabilities : tuple of float
        The probability of each class, as `predict_proba` gives it; empty for numbers.
    steps : tuple of Step
        The path, from the root.
    changes : tuple of Change or None
        The smallest change that leads to another answer; None if there is none, or
        with ``change=False``.
    other : object
        The answer after the change.
    note : str
        Why there is no change, if one was searched for.
    """

    prediction: Any
    node: int
    shares: tuple[float, ...]
    probabilities: tuple[float, ...]
    steps: tuple[Step, ...]
    changes: tuple[Change, ...] | None
    other: Any
    note: str
    _tree: TreeData
    _ends: tuple[tuple[int, float], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as dicts, lists, strings and numbers."""
        return {
            "prediction": self.prediction,
            "node": self.node,
            "shares": list(self.shares),
            "probabilities": list(self.probabilities),
            "steps": [_as_dict(step) for step in self.steps],
            "changes": None
            if self.changes is None
            else [_as_dict(each) for each in self.changes],
            "other": self.other,
            "note": self.note,
        }

    def text(self, width: int = wording.WIDTH) -> str:
        """Return the path in sentences.

        Parameters
        ----------
        width : int, default=88
            Columns of a line, where words allow it.

        Returns
        -------
        str
        """
        tree = self._tree
        lines = [*_wrapped(self._headline(), width, ""), ""]
        lines += _lines(tree, self.steps, self._ends, self.shares, width)
        if self.changes:
            lines += ["", f"Smallest change, to {_answer_text(tree, self.other)}:"]
            for each in self.changes:
                lines += _wrapped(each.words, width, "   - ")
        elif self.note:
            lines += ["", *_wrapped(self.note, width, "")]
        return "\n".join(lines)

    def __str__(self) -> str:
        """The path in sentences."""
        return self.text()

    def _headline(self) -> str:
        """Return the answer with its probability, or with the mean it came from."""
        tree, answer = self._tree, self.prediction
        target = tree.schema.target
        name = wording.cut(wording.name("y" if target is None else target.name), 60)
        beside = "" if len(self._ends) > 1 else evidence_words(tree, self._ends[0][0])
        if tree.is_classifier:
            place = classes(tree).tolist().index(answer)
            sure = f"probability {wording.percent(self.probabilities[place])}"
            beside = f"{sure}; {beside}" if beside else sure
        more = f" ({beside})" if beside else ""
        return f"{name} = {_answer_text(tree, answer)}{more}"

    def _repr_html_(self) -> str:
        """Show the path as a list in a notebook."""
        return explanation_html(self)

    def __repr__(self) -> str:
        """The same as `str`."""
        return str(self)


def explain(
    tree: TreeData,
    row: Any,
    *,
    to: Any = None,
    fixed: Iterable[str] = (),
    change: bool = True,
    unseen: str | None = None,
) -> Explanation:
    """Explain the answer for one row; see `Tree.explain`."""
    kept = fixed_columns(tree, fixed)
    one = read_row(tree, row, unseen)
    ends = ends_of(tree, one)
    node = ends[0][0]
    steps = _steps(tree, one, node)
    answer, shares, probabilities = _answer(tree, ends)
    changes, other, note = None, None, ""
    if change:
        changes, other, note = change_of(tree, one, answer, to, kept)
    return Explanation(
        prediction=answer,
        node=node,
        shares=shares,
        probabilities=probabilities,
        steps=tuple(steps),
        changes=changes,
        other=other,
        note=note,
        _tree=tree,
        _ends=tuple(ends),
    )


# The path ---------------------------------------------------------------------------


def _steps(tree: TreeData, row: OneRow, end: int) -> list[Step]:
    """Return the steps to the node where the row, or its largest part, ends."""
    steps = [_step(tree, row, *pair) for pair in pairwise(path(tree, end))]
    if tree.split_kind[end] != LEAF:
        steps.append(_step(tree, row, end, end))
    return steps


def _step(tree: TreeData, row: OneRow, node: int, reached: int) -> Step:
    """Describe how the row moves from a node to its child, or stops there."""
    turn = turn_at(tree, node, row)
    split = split_of(tree, node)
    assert split is not None
    branch = STOP_HERE if reached == node else int(tree.branch[reached])
    feature = tree.schema.features[split.column]
    value = row.words(split.column)
    margin = share = None
    if isinstance(split, Threshold) and not turn.missing:
        if feature.kind == "ordinal" or feature.summary is not None:
            share = rows_between(feature, row[split.column], split.threshold)
        if feature.kind == "numeric":
            margin = row[split.column] - split.threshold
    rule = "" if branch == STOP_HERE else split.words(branch, most=6, longest=60)
    missing = _missing_text(tree, node, split, turn, value)
    name = wording.cut(wording.name(split.feature), 60)
    sentence = f"{name} is {value}"
    if missing:
        sentence += f": {missing}"
    else:
        sentence += _turn_text(rule, name, value)
        sentence += _margin_text(feature, margin, share)
    shares = _node_shares(tree, reached)
    return Step(
        node,
        split.feature,
        value,
        rule,
        branch,
        missing,
        margin,
        share,
        reached,
        shares,
        sentence,
    )


def _missing_text(
    tree: TreeData, node: int, split: Split, turn: Turn, value: str
) -> str:
    if not turn.missing:
        return ""
    if turn.chosen_by != MISSING_ROUTE:
        surrogate = surrogates_of(tree, node)[turn.chosen_by]
        condition = surrogate.words(turn.branch, 60)
        rule = split.words(turn.branch, most=6, longest=60)
        return f"{condition} stands in for it, as if {rule}"
    if turn.branch == STOP_HERE:
        return "the row stops here"
    if turn.branch == ALL_BRANCHES:
        return _DIVIDED
    known = "" if value == "missing" else "not known here, "
    rule = split.words(turn.branch, missing=True, most=6, longest=60)
    return f"{known}it goes where missing values go, {rule}"


def _turn_text(rule: str, name: str, value: str) -> str:
    """Return the condition that the value meets, to follow "column is value"."""
    condition = rule.removeprefix(f"{name} ")
    if condition == f"= {value}":
        return ""
    return f"{',' if condition.startswith('in ') else ''} {condition}"


def _margin_text(feature: Any, margin: float | None, share: float | None) -> str:
    if margin is None or not math.isfinite(margin) or feature.stored_as == "bool":
        return ""
    known = []
    if feature.stored_as in ("float", "int", "text"):
        if margin == 0:
            return " (exactly at the threshold)"
        where = "above" if margin > 0 else "below"
        known = [f"{wording.figures(abs(margin))} {where}"]
    if share is not None:
        about = f"about {wording.percent(share)} of rows between"
        about = about.replace("about <", "less than ").replace("about >", "more than ")
        known.append(about)
    return f" ({', '.join(known)})" if known else ""


def _node_shares(tree: TreeData, node: int) -> tuple[float, ...]:
    return tuple(plain_answers(tree)[node].tolist())


# The answer -------------------------------------------------------------------------


def _answer(
    tree: TreeData, ends: Sequence[tuple[int, float]]
) -> tuple[Any, tuple[float, ...], tuple[float, ...]]:
    """Return the answer, the evidence for it, and the probabilities of classes."""
    # In preorder, the order in which `predict` sums.
    nodes, parts = zip(*sorted(ends), strict=True)
    rows = np.zeros(len(nodes), np.int64)
    where: NDArray[np.int32] | Ends = np.array(nodes, np.int32)
    if len(nodes) > 1:
        where = Ends(1, rows, np.array(nodes, np.int32), np.array(parts))
    answer = _plain(answers(tree, where)[0])
    shares = tuple(class_shares(tree, where)[0].tolist())
    if not tree.is_classifier:
        return answer, shares, ()
    return answer, shares, tuple(class_probabilities(tree, where)[0].tolist())


def change_of(
    tree: TreeData, row: OneRow, answer: Any, to: Any, fixed: frozenset[int]
) -> tuple[tuple[Change, ...] | None, Any, str]:
    """Return the smallest change of a row, the answer after it, and why there is none.

    Parameters
    ----------
    tree : TreeData
        The tree.
    row : OneRow
        The row.
    answer : object
        Its answer.
    to : object
        The wanted answer; None: any other.
    fixed : frozenset of int
        Columns that must not change.

    Returns
    -------
    tuple of (changes or None, answer or None, sentence or '')
    """
    is_wanted, goal = _goal(tree, answer, to)
    if to is not None and is_wanted(answer):
        return (), answer, f"The answer is {goal} already."
    by_node = answers(tree, np.arange(tree.n_nodes))
    divides = divides_rows(tree)
    found = smallest_change(
        tree,
        row,
        lambda ends: is_wanted(_answer(tree, ends)[0]),
        lambda node: divides or is_wanted(_plain(by_node[node])),
        fixed,
    )
    if found is not None:
        changes, ends = found
        return changes, _answer(tree, ends)[0], ""
    leaves = tree.split_kind == LEAF
    if not any(is_wanted(_plain(each)) for each in by_node[leaves].tolist()):
        return None, None, f"No leaf of this tree answers {goal}."
    names = ", ".join(wording.name(tree.schema.names[c]) for c in sorted(fixed))
    kept = f" while {names} stay{'s' * (len(fixed) == 1)}" if fixed else ""
    return None, None, f"No change of known values leads to {goal}{kept}."


def _goal(tree: TreeData, answer: Any, to: Any) -> tuple[Callable[[Any], bool], str]:
    """Return the test for a wanted answer, and its description."""
    if to is None:
        return (lambda each: bool(each != answer)), "anything else"
    if tree.is_classifier:
        label = _plain(classes(tree)[class_of(tree, to)])
        return (lambda each: bool(each == label)), wording.value(label, 60)
    try:
        low, high = (float(end) for end in to)
    except (TypeError, ValueError):
        raise OptionError(
            "For a tree that answers numbers, to must be a pair (low, high) that "
            f"contains the wanted answer; got {to!r}."
        ) from None
    if not low <= high:
        raise OptionError(
            f"to must be a pair (low, high) with low <= high; got {to!r}."
        )
    between = f"a number from {wording.number(low)} to {wording.number(high)}"
    return (lambda each: low <= each <= high), between


def explanation_html(made: Explanation) -> str:
    """Return an explanation as HTML: the steps as a list, and the change."""
    tree = made._tree
    items = [("all rows", _evidence_text(tree, 0, _node_shares(tree, 0)))]
    items += [
        (step.sentence, _evidence_text(tree, step.next, step.shares))
        for step in made.steps
    ]
    more = f"<div>{escape(made.note)}</div>" if made.note else ""
    if made.changes:
        listed = "".join(f"<li>{escape(each.words)}</li>" for each in made.changes)
        to = escape(_answer_text(tree, made.other))
        more = f"<div>Smallest change, to {to}:</div><ul>{listed}</ul>"
    return list_html(made._headline(), items, more)


def fixed_columns(tree: TreeData, names: Iterable[str]) -> frozenset[int]:
    """Return the numbers of the columns that must not change."""
    if isinstance(names, str):
        raise OptionError(f"fixed must be a list of names; pass fixed=[{names!r}].")
    known = tree.schema.index_of
    for name in (listed := list(names)):
        if name not in known:
            hint = did_you_mean(name, known)
            raise OptionError(
                f"fixed names {name!r}, but the tree has no such column.{hint}"
            )
    return frozenset(known[name] for name in listed)


# As text ----------------------------------------------------------------------------


def _lines(
    tree: TreeData,
    steps: Sequence[Step],
    ends: Sequence[tuple[int, float]],
    shares: tuple[float, ...],
    width: int,
) -> list[str]:
    """Return the path: two lines for each step, what is asked and what is left."""
    root = _evidence_text(tree, 0, _node_shares(tree, 0))
    lines = ["   0. all rows", *_wrapped(root, width)]
    for number, step in enumerate(steps, 1):
        lines += _wrapped(step.sentence, width, f"{number:>4}. ")
        lines += _wrapped(_evidence_text(tree, step.next, step.shares), width)
    node = steps[-1].next if steps else 0
    if len(ends) > 1:
        total = _shares_text(tree, shares)
        lines += _wrapped(f"In all, over {len(ends)} ends: {total}.", width)
    elif tree.split_kind[node] == LEAF and tree.stop_reason[node]:
        reason = STOP_REASONS[int(tree.stop_reason[node])].sentence
        lines += _wrapped(f"Leaf {node}. {reason}", width)
    return lines


def _wrapped(text: str, width: int, start: str = " " * _INDENT) -> list[str]:
    return wording.wrapped(text, start, " " * len(start), width)


def _evidence_text(tree: TreeData, node: int, shares: tuple[float, ...]) -> str:
    n = int(tree.n_rows[node])
    return f"{_shares_text(tree, shares)} ({n:,} row{'s' * (n != 1)})"


def _shares_text(tree: TreeData, shares: tuple[float, ...]) -> str:
    if not tree.is_classifier:
        return f"{middle_of(tree)} {number_words(tree, shares[0])}"
    names = classes(tree)
    order = sorted(range(len(shares)), key=lambda k: (-shares[k], k))
    shown = [k for k in order[:_MOST_CLASSES] if shares[k] > 0]
    texts = [
        f"{wording.value(names[k], 60)} {wording.percent(shares[k])}" for k in shown
    ]
    return ", ".join(texts)


def _answer_text(tree: TreeData, answer: Any) -> str:
    if tree.is_classifier:
        return wording.value(answer, 60)
    return number_words(tree, float(answer))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _as_dict(each: Any) -> dict[str, Any]:
    return {name: getattr(each, name) for name in each.__slots__}
