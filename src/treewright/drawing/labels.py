"""The texts of a node: its column, its answer, its tooltip."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from treewright.reading.answers.answer import (
    class_shares,
    classes,
    middle_of,
    number_words,
)
from treewright.tree import wording
from treewright.tree.answer import node_answers
from treewright.tree.data import (
    ALL_BRANCHES,
    LEAF,
    STOP_HERE,
    STOP_REASONS,
    TreeData,
)
from treewright.tree.loss import loss_of
from treewright.tree.split import Split

if TYPE_CHECKING:
    from treewright.drawing.shown import Shown

__all__ = [
    "answer",
    "class_names",
    "details",
    "number_answer",
    "question",
    "spread",
    "target_name",
]

_LONGEST_NAME = 200
_LONGEST_FULL = 4000
_MOST_CLASSES = 12


def question(split: Split) -> str:
    """Return the name of the column that a split tests."""
    return wording.name(split.feature[:_LONGEST_NAME])


def target_name(tree: TreeData) -> str:
    """Return the name of the target."""
    target = tree.schema.target
    return "y" if target is None else wording.name(str(target.name)[:_LONGEST_NAME])


def class_names(tree: TreeData) -> list[str]:
    """Return the names of the classes as text."""
    return tree.keep("class_names", _class_names)


def _class_names(tree: TreeData) -> list[str]:
    return [wording.value(label, _LONGEST_NAME) for label in classes(tree).tolist()]


def answer(tree: TreeData, node: int) -> str:
    """Return the answer of a node; for a class, with its probability."""
    if not tree.is_classifier:
        return number_answer(tree, node)
    label = int(tree.label[node])
    probability = float(node_answers(tree)[node, label])
    return f"{class_names(tree)[label]} ({wording.percent(probability)})"


def number_answer(tree: TreeData, node: int, digits: int | None = None) -> str:
    """Return the answer of a node of a tree of numbers."""
    value = float(node_answers(tree)[node, 0])
    return (
        number_words(tree, value) if digits is None else wording.figures(value, digits)
    )


def spread(tree: TreeData, node: int) -> float:
    """Return the spread of the target around a node's answer.

    It is the standard deviation; in a tree of medians, the mean distance from the
    median.
    """
    if middle_of(tree) == "median":
        return float(tree.from_units(tree.impurity[node]))
    return float(tree.standard_deviation[node])


def details(tree: TreeData, shown: Shown) -> str:
    """Return the details of a node that do not fit on its card.

    Parameters
    ----------
    tree : TreeData
        The tree.
    shown : Shown
        The node.

    Returns
    -------
    str
        A few lines.
    """
    node, split, hidden = shown.node, shown.split, shown.hidden
    lines = [f"Node {node}: {shown.condition() or 'all rows'}"]
    share = wording.percent(float(tree.share[node]))
    lines.append(f"{wording.count(int(tree.n_rows[node]), 'row')}, {share} of all")
    lines += _spread(tree, node)
    if split is not None:
        gain = wording.figures(float(loss_of(tree).shown(split.gain)))
        lines.append(f"Asks {question(split)}; gain {gain}")
        if not split.proven:
            lines.append("Not proven to be the best split of its column")
        if split.missing in (STOP_HERE, ALL_BRANCHES):
            lines.append(f"A missing value {split.missing_words()}")
    if hidden:
        lines.append(f"{wording.count(hidden, 'leaf', 'leaves')} below, folded")
    if int(tree.split_kind[node]) == LEAF and tree.stop_reason[node]:
        lines.append(f"Leaf: {STOP_REASONS[int(tree.stop_reason[node])].sentence}")
    return "\n".join(wording.cut(line, _LONGEST_FULL) for line in lines)


def _spread(tree: TreeData, node: int) -> Iterator[str]:
    if not tree.is_classifier:
        is_median = middle_of(tree) == "median"
        off = (
            " (median), mean distance from it" if is_median else ", standard deviation"
        )
        far = spread(tree, node)
        about = "" if np.isnan(far) else f"{off} {wording.figures(far)}"
        yield f"Answer {answer(tree, node)}{about}"
        if len(tree.quartiles) and not np.isnan(tree.quartiles[node]).any():
            q1, median, q3 = map(wording.figures, tree.quartiles[node].tolist())
            yield f"Quartiles {q1}, {median}, {q3}"
        return
    yield f"Answer {answer(tree, node)}"
    shares = class_shares(tree, np.array([node]))[0]
    order = np.argsort(-shares, kind="stable")
    names = class_names(tree)
    present = [k for k in order.tolist() if shares[k] > 0]
    for k in present[:_MOST_CLASSES]:
        weight = wording.figures(float(tree.value[node, k]))
        yield f"{names[k]}: {weight} ({wording.percent(float(shares[k]))})"
    if len(present) > _MOST_CLASSES:
        yield f"... {len(present) - _MOST_CLASSES} more classes"
