"""Turn grown nodes into the flat arrays of a finished tree."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.growing.reference.candidates import Candidate
from treewright.growing.reference.sums import (
    Target,
    as_float,
    misclassification,
    squared_error,
)
from treewright.table.schema import Schema
from treewright.tree.data import LEAF, STOP_CODES, TreeData

if TYPE_CHECKING:
    from treewright.growing.reference.grow import Node

QUARTERS = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))


def lay_out(
    root: "Node", target: Target, schema: Schema, made_by: dict[str, Any]
) -> TreeData:
    """Write the nodes below a root into arrays, in preorder."""
    nodes = preorder(root)
    statistics = [_statistics(node, target) for node in nodes]
    arrays = {name: [each[name] for each in statistics] for name in statistics[0]}
    return TreeData(
        subtree_size=np.array(subtree_sizes(nodes), np.int32),
        **_splits([node.split for node in nodes]),
        **{name: np.array(values) for name, values in arrays.items()},
        stop_reason=np.array([STOP_CODES.get(node.stop_reason, 0) for node in nodes]),
        extras={},
        schema=schema,
        made_by=made_by,
    )


def preorder(root: "Node") -> list["Node"]:
    """Every node before its children, left before right."""
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += reversed(node.children)
    return found


def subtree_sizes(nodes: Sequence["Node"]) -> list[int]:
    """Count the nodes from each node down, children first."""
    sizes: dict[int, int] = {}
    for node in reversed(nodes):
        sizes[id(node)] = 1 + sum(sizes[id(child)] for child in node.children)
    return [sizes[id(node)] for node in nodes]


def _splits(splits: Sequence[Candidate | None]) -> dict[str, Any]:
    """Build the arrays that say what each node asks."""
    listed = [_listed_categories(split) for split in splits]
    starts = np.cumsum([0, *(len(each) for each in listed)])
    flat = [pair for each in listed for pair in each]
    return {
        "split_kind": np.array([s.kind if s else LEAF for s in splits], np.int8),
        "feature": np.array([s.column if s else -1 for s in splits], np.int32),
        "threshold": np.array([s.threshold if s else math.nan for s in splits]),
        "category_start": starts.astype(np.int64),
        "categories": np.array([code for code, _ in flat], np.int32),
        "category_branch": np.array([branch for _, branch in flat], np.int32),
        "missing_route": np.array(
            [s.missing_route if s else -1 for s in splits], np.int32
        ),
        # Every candidate was looked at, so every split is the best there is.
        "proven": np.ones(len(splits), np.bool_),
    }


def _listed_categories(split: Candidate | None) -> list[tuple[int, int]]:
    """List the categories seen in a node, ascending, and the branch of each."""
    if split is None:
        return []
    return sorted((code, branch) for branch in (0, 1) for code in split.groups[branch])


def _statistics(node: "Node", target: Target) -> dict[str, Any]:
    """Gather what a node knows about its rows, in units of the table."""
    sums, scale = node.sums, target.weight_scale
    common = {
        "n_rows": sums.n_rows,
        "weight": sums.weight / scale,
        "weight_squared": sum(target.weights[row] ** 2 for row in node.rows) / scale**2,
        "impurity": as_float(node.impurity * target.unit()),
        "gain": as_float(node.gain * target.unit()),
    }
    if target.n_classes:
        return common | {
            "value": [part / scale for part in sums.parts],
            "label": sums.parts.index(max(sums.parts)),
            "risk": float(misclassification(sums)),
        }
    variance = as_float(squared_error(sums) / target.y_scale**2)
    is_poisson = target.criterion == "poisson"
    return common | {
        "value": [as_float(target.mean(sums) / target.y_scale)],
        "variance": variance,
        "quartiles": quartiles(node.rows, target),
        "label": -1,
        "risk": common["impurity"] if is_poisson else variance,
    }


def quartiles(rows: Sequence[int], target: Target) -> list[float]:
    """Weighted quartiles of y: the smallest value that q of the weight reaches.

    Where a value reaches it exactly, the mean of it and the next larger one.
    """
    weight_at: dict[int, int] = {}
    for row in rows:
        y = target.y[row]
        weight_at[y] = weight_at.get(y, 0) + target.weights[row]
    values = sorted(weight_at)
    total = sum(weight_at.values())
    found = []
    for quarter in QUARTERS:
        reached = 0
        for i, value in enumerate(values):
            reached += weight_at[value]
            if reached >= quarter * total:
                upper = values[i + 1] if reached == quarter * total else value
                found.append(float(Fraction(value + upper, 2 * target.y_scale)))
                break
    return found
