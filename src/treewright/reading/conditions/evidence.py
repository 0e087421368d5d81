"""The evidence for rules: rows, shares, confidence, intervals, for many nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, did_you_mean
from treewright.reading.answers.answer import answers, middle_of
from treewright.reading.answers.interval import Z, wilson
from treewright.tree import wording
from treewright.tree.answer import node_answers
from treewright.tree.data import LEAF, TreeData
from treewright.tree.walk import children

__all__ = ["Evidence", "class_of", "column_of", "evidence"]


class Evidence(NamedTuple):
    """The figures of many rules: arrays with one entry per rule."""

    prediction: NDArray[Any]
    rows: NDArray[np.int64]
    weight: NDArray[np.float64]
    share: NDArray[np.float64]
    probability: NDArray[np.float64]
    confidence: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    lift: NDArray[np.float64]
    mean: NDArray[np.float64]
    std: NDArray[np.float64]


def evidence(tree: TreeData, nodes: NDArray[np.integer[Any]]) -> Evidence:
    """Return the figures of the rules of these nodes; see `Rule` for their meaning."""
    rows, weight = tree.n_rows[nodes], tree.weight[nodes]
    # In an inner node, only count the rows that stop there.
    for place in np.flatnonzero(tree.split_kind[nodes] != LEAF).tolist():
        below = list(children(tree, int(nodes[place])))
        rows[place] = max(rows[place] - tree.n_rows[below].sum(), 0)
        passed_on = tree.weight[below].sum()
        weight[place] = max(weight[place] - passed_on, 0.0) if rows[place] else 0.0
    undefined = np.full(len(nodes), np.nan)
    likely = sure = low = high = lift = mean = std = undefined
    with np.errstate(all="ignore"):
        share = weight / tree.weight[0] if tree.weight[0] > 0 else 0.0 * weight
        effective = (tree.weight[nodes] / np.sqrt(tree.weight_squared[nodes])) ** 2
        if tree.is_classifier:
            values, label = tree.value[nodes], tree.label[nodes]
            likely = node_answers(tree)[nodes, label]
            sure = values[np.arange(len(nodes)), label] / values.sum(axis=1)
            low, high = wilson(sure, effective)
            lift = sure / (tree.value[0, label] / tree.value[0].sum())
        else:
            mean, std = tree.value[nodes, 0], tree.standard_deviation[nodes]
            # The standard error gives an interval for a mean, not for a median.
            half = undefined
            if middle_of(tree) == "mean":
                half = Z * std / np.sqrt(np.where(effective > 1, effective - 1, np.nan))
            low, high = mean - half, mean + half
    predicted = answers(tree, nodes)
    return Evidence(
        predicted, rows, weight, share, likely, sure, low, high, lift, mean, std
    )


def column_of(tree: TreeData, name: str) -> int:
    """Return the number of a column; an unknown name raises an error."""
    known = tree.schema.index_of
    if name not in known:
        hint = did_you_mean(name, known)
        raise OptionError(f"The tree has no column {name!r}.{hint}")
    return known[name]


def class_of(tree: TreeData, label: Any) -> int:
    """Return the number of a class; an unknown one raises an error with all classes."""
    target = tree.schema.target
    labels: Sequence[Any] = () if target is None else target.classes
    labels = labels or range(tree.value.shape[1])
    if isinstance(label, np.generic):
        label = label.item()
    for k, each in enumerate(labels):
        if each == label and isinstance(each, str) == isinstance(label, str):
            return k
    hint = did_you_mean(label, [str(each) for each in labels])
    for each in labels:
        if str(each) == str(label):
            quotes = "in quotes" if isinstance(each, str) else "without quotes"
            hint = f" Write {each!r}, {quotes}."
    shown = ", ".join(wording.cut(repr(each), 40) for each in labels[:20])
    raise OptionError(f"There is no class {label!r}; the classes are {shown}.{hint}")
