"""Turn grown nodes into the flat arrays of a finished tree."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.criteria import find
from treewright.growing.local_days import at_local_days
from treewright.growing.reference.absolute import quantile
from treewright.growing.reference.candidates import Candidate
from treewright.growing.reference.sums import (
    Rows,
    Sums,
    Target,
    Weight,
    as_float,
    misclassification,
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
    arrays = arrays_of(root, target)
    known = {name: arrays[name] for name in TreeData.array_names if name in arrays}
    if made_by["options"].get("conventions") is None:
        at_local_days(known, schema)
    if schema.target is not None and schema.target.exponent:
        for name in ("value", "quartiles"):
            known[name] = schema.target.from_units(known[name])
    return TreeData.from_arrays(known, schema, made_by)


def arrays_of(root: "Node", target: Target) -> dict[str, Any]:
    """Return the arrays of the tree below a root, by name."""
    nodes = preorder(root)
    statistics = [_statistics(node, target) for node in nodes]
    return {
        "subtree_size": np.array(subtree_sizes(nodes), np.int32),
        **_splits([node.split for node in nodes]),
        **_surrogates(nodes),
        **{
            name: np.array([each[name] for each in statistics])
            for name in statistics[0]
        },
        "stop_reason": np.array(
            [STOP_CODES.get(node.stop_reason, 0) for node in nodes]
        ),
        "n_missing": np.array([node.n_missing for node in nodes], np.int64),
    }


def preorder(root: "Node") -> list["Node"]:
    """List every node before its children, left before right."""
    nodes, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        waiting += reversed(node.children)
    return nodes


def subtree_sizes(nodes: Sequence["Node"]) -> list[int]:
    """Return the number of nodes in the subtree of each node."""
    sizes: dict[int, int] = {}
    for node in reversed(nodes):
        sizes[id(node)] = 1 + sum(sizes[id(child)] for child in node.children)
    return [sizes[id(node)] for node in nodes]


def _splits(splits: Sequence[Candidate | None]) -> dict[str, Any]:
    """Build the arrays that hold the split of each node."""
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
        # The search examined every candidate, so every split is proven best.
        "proven": np.ones(len(splits), np.bool_),
    }


def _listed_categories(split: Candidate | None) -> list[tuple[int, int]]:
    """List the categories seen in a node, ascending, and the branch of each."""
    return _listed(split.groups if split else ())


def _listed(groups: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    return sorted((code, b) for b, codes in enumerate(groups) for code in codes)


def _surrogates(nodes: Sequence["Node"]) -> dict[str, Any]:
    """Build the arrays of all surrogates, node by node."""
    found = [each for node in nodes for each in node.surrogates]
    rows = [n for node in nodes for n in node.surrogate_rows]
    starts = np.cumsum([0, *(len(node.surrogates) for node in nodes)])
    # One entry per category: the surrogate's number in its node, the category, the
    # branch. The entries are listed node by node.
    listed = [
        [
            (which, code, branch)
            for which, each in enumerate(node.surrogates)
            for code, branch in _listed(each.groups)
        ]
        for node in nodes
    ]
    flat = np.array([entry for each in listed for entry in each], np.int32)
    of, codes, branches = flat.reshape(-1, 3).T
    return {
        "surrogate_start": starts.astype(np.int64),
        "surrogate_feature": np.array([s.column for s in found], np.int32),
        "surrogate_threshold": np.array([s.threshold for s in found], np.float64),
        "surrogate_flip": np.array([s.flip for s in found], np.bool_),
        "surrogate_agree": np.array([float(s.agree) for s in found], np.float64),
        "surrogate_adjust": np.array([float(s.adjust) for s in found], np.float64),
        "surrogate_rows": np.array(rows, np.int64),
        "surrogate_category_start": np.cumsum([0, *map(len, listed)]).astype(np.int64),
        "surrogate_category_of": of,
        "surrogate_categories": codes,
        "surrogate_category_branch": branches,
    }


def _statistics(node: "Node", target: Target) -> dict[str, Any]:
    """Compute the statistics of a node's rows in units of the table."""
    sums, scale = node.sums, target.weight_scale
    weights = [target.weights[row] * share for row, share in node.rows.items()]
    common = {
        "n_rows": sums.n_rows,
        "weight": as_float(Fraction(sums.weight, scale)),
        "weight_squared": as_float(Fraction(sum(w * w for w in weights), scale**2)),
        "impurity": as_float(node.impurity * target.unit()),
        "gain": as_float(node.gain * target.unit()),
    }
    if target.n_classes:
        return common | {
            "value": [as_float(Fraction(part, scale)) for part in sums.parts],
            "label": heaviest(sums, target) if weights else node.label,
            "risk": float(misclassification(sums)) if weights else 0.0,
        }
    variance = as_float(target.variance(sums) / target.y_scale**2)
    is_variance = target.criterion == "squared_error"
    is_median = getattr(find(target.criterion), "answer", "") == "median"
    spread = quartiles(node.rows, target)
    mean = as_float(target.mean(sums) / target.y_scale)
    return common | {
        "value": [spread[1] if is_median else mean],
        "variance": variance,
        "quartiles": spread,
        "label": -1,
        "risk": variance if is_variance else common["impurity"],
    }


def heaviest(sums: Sums, target: Target) -> int:
    """Return the class of largest weight, the first on a tie."""
    enough = max(sums.parts) - target.slack * sums.weight
    return next(k for k, weight in enumerate(sums.parts) if weight >= enough)


def quartiles(rows: Rows, target: Target) -> list[float]:
    """Return the weighted quartiles of y; see `quantile`."""
    weight_at: dict[int, Weight] = {}
    for row, share in rows.items():
        y = target.y[row]
        weight_at[y] = weight_at.get(y, 0) + target.weights[row] * share
    values = sorted(weight_at)
    weights = [weight_at[value] for value in values]
    return [
        float(quantile(values, weights, quarter, target.slack) / target.y_scale)
        for quarter in QUARTERS
    ]
