"""What must hold in every tree, checked in whole-array steps.

Tests check every tree they see; loading checks what a file claims. An error
names the node, the array and the value seen.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TreeFormatError
from treewright.tree.data import (
    ALL_BRANCHES,
    IS_MISSING,
    LEAF,
    MULTIWAY,
    SPLIT_KINDS,
    STOP_HERE,
    STOP_REASONS,
    SUBSET,
    THRESHOLD,
    TreeData,
)

__all__ = ["check"]

_ROUNDING = 1e-9
"""Sums that agree to this share of their size are equal."""


def check(tree: TreeData) -> None:
    """Raise TreeFormatError unless every invariant of a tree holds.

    Parameters
    ----------
    tree : TreeData
        The tree to look at. Types and shapes of its arrays are known to be right.

    Raises
    ------
    TreeFormatError
        Says which node, which array, which value.
    """
    # The shape comes first: whatever follows asks for parents and children.
    _check_nesting(tree)
    for part in (
        _check_kinds,
        _check_features,
        _check_thresholds,
        _check_category_slices,
        _check_category_branches,
        _check_missing_routes,
        _check_counts,
        _check_surrogates,
        _check_surrogate_categories,
        _check_values,
        _check_spread,
        _check_costs,
        _check_sums,
    ):
        part(tree)


def _fail(node: int, name: str, seen: object, wanted: str) -> NoReturn:
    shown = seen.item() if isinstance(seen, np.generic) else seen
    raise TreeFormatError(f"Node {node}: {name} must be {wanted}; got {shown}.")


def _need(holds: Any, name: str, seen: NDArray[Any], wanted: str) -> None:
    """Fail at the first node for which `holds` is False."""
    if not holds.all():
        node = int(np.argmin(holds))
        _fail(node, name, seen[node], wanted)


def _check_nesting(tree: TreeData) -> None:
    """Subtrees lie inside one another, and branches come in twos or more."""
    n = tree.n_nodes
    if tree.subtree_size[0] != n:
        _fail(0, "subtree_size", tree.subtree_size[0], f"the number of nodes, {n}")
    ends = [n]
    for node, size in enumerate(tree.subtree_size.tolist()):
        while node == ends[-1]:
            ends.pop()
        room = ends[-1] - node
        if not 1 <= size <= room:
            _fail(node, "subtree_size", size, f"from 1 to {room}, to fit its parent's")
        if size > 1:
            ends.append(node + size)
    _need(tree.n_children != 1, "the number of branches", tree.n_children, "0 or >= 2")


def _check_kinds(tree: TreeData) -> None:
    kind, count = tree.split_kind, tree.n_children
    known = (kind >= 0) & (kind < len(SPLIT_KINDS))
    words = ", ".join(f"{i} ({name})" for i, name in enumerate(SPLIT_KINDS))
    _need(known, "split_kind", kind, f"one of {words}")
    _need((kind == LEAF) == (count == 0), "split_kind", kind, "0 exactly at a leaf")
    two = np.isin(kind, (THRESHOLD, SUBSET, IS_MISSING))
    _need(~two | (count == 2), "the number of branches", count, "2 for this kind")


def _check_features(tree: TreeData) -> None:
    feature, kind = tree.feature, tree.split_kind
    inner = kind != LEAF
    n_features = len(tree.schema.features)
    _need(inner | (feature == -1), "feature", feature, "-1 at a leaf")
    in_range = (feature >= 0) & (feature < n_features)
    wanted = f"a column of the schema, 0 to {n_features - 1}"
    _need(~inner | in_range, "feature", feature, wanted)
    kinds = np.array([f.kind for f in tree.schema.features] + ["none"])[feature]
    bad = (kind == THRESHOLD) & (kinds == "categorical")
    _need(~bad, "feature", feature, "numeric or ordinal under a threshold")
    bad = np.isin(kind, (SUBSET, MULTIWAY)) & (kinds == "numeric")
    _need(~bad, "feature", feature, "a column of categories under this kind of split")


def _check_thresholds(tree: TreeData) -> None:
    given = ~np.isnan(tree.threshold)
    wanted = tree.split_kind == THRESHOLD
    _need(~wanted | given, "threshold", tree.threshold, "a number")
    _need(wanted | ~given, "threshold", tree.threshold, "NaN without a threshold split")


def _check_category_slices(tree: TreeData) -> None:
    start, n = tree.category_start, tree.n_nodes
    if start[0] != 0:
        _fail(0, "category_start", start[0], "0")
    lengths = np.diff(start)
    _need(lengths >= 0, "category_start", start, "at most that of the next node")
    for name in ("categories", "category_branch"):
        if len(getattr(tree, name)) != start[-1]:
            raise TreeFormatError(
                f"{name} must have {start[-1]} entries, the end of category_start; "
                f"got {len(getattr(tree, name))}."
            )
    listing = np.isin(tree.split_kind, (SUBSET, MULTIWAY))
    what = "the number of categories"
    _need(~listing | (lengths > 0), what, lengths, ">= 1 for this kind of split")
    _need(listing | (lengths == 0), what, lengths, "0 for this kind of node")

    node = np.repeat(np.arange(n), lengths)
    n_labels = np.array([len(f.labels or ()) for f in tree.schema.features])
    codes = tree.categories
    ok = (codes >= 0) & (codes < n_labels[tree.feature[node]])
    _need_entry(ok, node, "categories", codes, "codes of categories in the schema")
    ascending = np.ones(len(codes), dtype=bool)
    ascending[1:] = (np.diff(codes) > 0) | (np.diff(node) > 0)
    _need_entry(ascending, node, "categories", codes, "ascending, each once")


def _check_category_branches(tree: TreeData) -> None:
    node = np.repeat(np.arange(tree.n_nodes), np.diff(tree.category_start))
    branch, n_children = tree.category_branch, tree.n_children
    ok = (branch >= 0) & (branch < n_children[node])
    _need_entry(ok, node, "category_branch", branch, "a branch of the node")

    # Branches of all nodes end to end; each needs a category, or the missing values.
    first = np.concatenate([[0], np.cumsum(n_children)])
    used = np.zeros(first[-1], dtype=bool)
    used[first[node] + branch] = True
    to_branch = tree.missing_route >= 0
    to_branch &= tree.missing_route < n_children
    used[first[:-1][to_branch] + tree.missing_route[to_branch]] = True
    owner = np.repeat(np.arange(tree.n_nodes), n_children)
    used |= ~np.isin(tree.split_kind[owner], (SUBSET, MULTIWAY))
    number = np.arange(first[-1]) - first[owner]
    wanted = "present for every branch that is not the missing route"
    _need_entry(used, owner, "category_branch", number, wanted, seen="no category for")


def _need_entry(
    holds: NDArray[np.bool_],
    node: NDArray[np.int64],
    name: str,
    entries: NDArray[Any],
    wanted: str,
    seen: str = "",
) -> None:
    """Fail at the first entry of a side array for which `holds` is False."""
    if not holds.all():
        entry = int(np.argmin(holds))
        _fail(int(node[entry]), name, f"{seen} {entries[entry]}".strip(), wanted)


def _check_missing_routes(tree: TreeData) -> None:
    route, kind = tree.missing_route, tree.split_kind
    leaf = kind == LEAF
    _need(~leaf | (route == STOP_HERE), "missing_route", route, "-1 at a leaf")
    ok = (route >= ALL_BRANCHES) & (route < tree.n_children)
    wanted = "a branch, -1 (stop here) or -2 (all branches)"
    _need(leaf | ok, "missing_route", route, wanted)
    ok = (kind != IS_MISSING) | (route == 0)
    _need(ok, "missing_route", route, "0 in a split on missing values")


def _check_surrogates(tree: TreeData) -> None:
    node = _owners(tree, "surrogate_start", "surrogate_feature")
    two = (tree.n_children == 2)[node]
    _need_entry(
        two, node, "surrogate_start", node, "flat unless there are two branches"
    )
    feature, n_features = tree.surrogate_feature, len(tree.schema.features)
    ok = (feature >= 0) & (feature < n_features) & (feature != tree.feature[node])
    wanted = "another column of the schema than the split's"
    _need_entry(ok, node, "surrogate_feature", feature, wanted)
    kinds = np.array([f.kind for f in tree.schema.features])[feature]
    ok = np.isnan(tree.surrogate_threshold) == (kinds == "categorical")
    wanted = "a number exactly where the column is not categorical"
    _need_entry(ok, node, "surrogate_threshold", tree.surrogate_threshold, wanted)
    sent = np.bincount(node, weights=tree.surrogate_rows, minlength=tree.n_nodes)
    missing = tree.n_missing
    _need(missing <= tree.n_rows, "n_missing", missing, "at most n_rows")
    _need(sent <= missing, "the sum of surrogate_rows", sent, "at most n_missing")


def _check_surrogate_categories(tree: TreeData) -> None:
    node = _owners(tree, "surrogate_category_start", "surrogate_categories")
    of, branch = tree.surrogate_category_of, tree.surrogate_category_branch
    ok = (of >= 0) & (of < np.diff(tree.surrogate_start)[node])
    _need_entry(ok, node, "surrogate_category_of", of, "a surrogate of the node")
    ok = (branch >= 0) & (branch < 2)
    _need_entry(ok, node, "surrogate_category_branch", branch, "0 or 1")
    n_labels = np.array([len(f.labels or ()) for f in tree.schema.features])
    codes = tree.surrogate_categories
    feature = tree.surrogate_feature[tree.surrogate_start[node] + of]
    ok = (codes >= 0) & (codes < n_labels[feature])
    _need_entry(ok, node, "surrogate_categories", codes, "codes of its categories")


def _owners(tree: TreeData, start: str, entries: str) -> NDArray[np.int64]:
    """Node of each entry of a side array, whose slices are checked to be in order."""
    first = getattr(tree, start)
    lengths = np.diff(first)
    if first[0] != 0 or (lengths < 0).any() or first[-1] != len(getattr(tree, entries)):
        raise TreeFormatError(
            f"{start} must rise from 0 to the number of {entries}, "
            f"{len(getattr(tree, entries))}; got {first[0]} to {first[-1]}."
        )
    return np.repeat(np.arange(tree.n_nodes), lengths)


def _check_counts(tree: TreeData) -> None:
    _need(tree.n_rows >= 0, "n_rows", tree.n_rows, ">= 0")
    for name in ("weight", "weight_squared"):
        array = getattr(tree, name)
        _need(np.isfinite(array) & (array >= 0), name, array, "a finite number >= 0")
    # The variance of numbers near the limit of float64 is beyond it: infinite.
    for name in ("impurity", "gain", "risk"):
        _need(getattr(tree, name) >= 0, name, getattr(tree, name), "a number >= 0")
    leaf = tree.split_kind == LEAF
    _need(~leaf | (tree.gain == 0), "gain", tree.gain, "0 at a leaf")
    reason = tree.stop_reason
    _need(leaf | (reason == 0), "stop_reason", reason, "0 at an inner node")
    ok = (reason >= 0) & (reason < len(STOP_REASONS))
    _need(ok, "stop_reason", reason, f"from 0 to {len(STOP_REASONS) - 1}")


def _check_values(tree: TreeData) -> None:
    value, label = tree.value, tree.label
    n_classes = value.shape[1]
    target = tree.schema.target
    if target is not None and tree.is_classifier != (target.kind == "class"):
        _fail(0, "label", label[0], f"right for a target of kind {target.kind!r}")
    _need(np.isfinite(value).all(axis=1), "value", value, "finite")
    if not tree.is_classifier:
        _need(label == -1, "label", label, "-1 for a numeric target")
        if n_classes != 1:
            _fail(0, "value", value.shape, "one number per node for a numeric target")
        return
    if target is not None and n_classes != len(target.classes):
        wanted = f"one weight for each of {len(target.classes)} classes"
        _fail(0, "value", value.shape, wanted)
    ok = (label >= 0) & (label < n_classes)
    _need(ok, "label", label, f"a class, 0 to {n_classes - 1}")
    _need((value >= 0).all(axis=1), "value", value, ">= 0, being class weights")
    total = value.sum(axis=1)
    ok = np.abs(total - tree.weight) <= _ROUNDING * tree.weight
    _need(ok, "the sum of the class weights", total, "the weight of the node")


def _check_spread(tree: TreeData) -> None:
    """Variance and quartiles belong to numbers, and to nothing else."""
    n = 0 if tree.is_classifier else tree.n_nodes
    for name in ("variance", "quartiles"):
        if len(getattr(tree, name)) != n:
            _fail(0, name, f"{len(getattr(tree, name))} entries", f"{n} entries long")
    if n:
        variance, quartiles = tree.variance, tree.quartiles
        _need(variance >= 0, "variance", variance, "a number >= 0")
        ok = (np.diff(quartiles, axis=1) >= 0).all(axis=1)
        _need(ok, "quartiles", quartiles, "ascending")


def _check_costs(tree: TreeData) -> None:
    """Splitting never costs: R(t) is at least the sum over the children."""
    below = _sum_of_children(tree, tree.weighted_risk)
    allowed = tree.weighted_risk * (1 + _ROUNDING) + _ROUNDING * 1e-6
    wanted = f"at most that of the node, {_ROUNDING:g} of it for rounding"
    _need(below <= allowed, "R(t) summed over its children", below, wanted)


def _check_sums(tree: TreeData) -> None:
    """Children share out the rows and weights of their parent."""
    inner = tree.split_kind != LEAF
    stops = tree.missing_route == STOP_HERE
    weight = _sum_of_children(tree, tree.weight)
    spare = _ROUNDING * tree.weight
    ok = ~inner | (weight <= tree.weight + spare)
    ok &= ~inner | stops | (weight >= tree.weight - spare)
    _need(ok, "the weight of its children", weight, "its own in total")
    # A row that goes down several branches is counted in each of them.
    once = inner & (tree.missing_route != ALL_BRANCHES)
    rows = _sum_of_children(tree, tree.n_rows)
    ok = ~once | (rows <= tree.n_rows) & (stops | (rows == tree.n_rows))
    _need(ok, "n_rows of its children", rows, "its own in total")


def _sum_of_children(tree: TreeData, array: NDArray[Any]) -> NDArray[Any]:
    """Sum over the children of every node; 0 at a leaf."""
    sums = np.bincount(tree.parent[1:], weights=array[1:], minlength=tree.n_nodes)
    return sums.astype(array.dtype)
