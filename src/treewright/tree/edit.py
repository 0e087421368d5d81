"""Edits of a tree. Each one returns a new tree.

`replace` puts another tree in the place of a node; `collapse` turns nodes into
leaves. Both collect the nodes of the new tree in one pass and return the new number of
every old node. `with_values` keeps the structure and changes the values of the nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, TreeFormatError, did_you_mean
from treewright.tree.answer import node_answers
from treewright.tree.data import LEAF, STOP_CODES, STOP_HERE, TreeData
from treewright.tree.walk import checked_node, path

if TYPE_CHECKING:
    from treewright.table.schema import Feature

__all__ = ["collapse", "rearrange", "replace", "with_made_by", "with_values"]

_RAGGED = {
    "category_start": ("categories", "category_branch"),
    "surrogate_start": (
        "surrogate_feature",
        "surrogate_threshold",
        "surrogate_flip",
        "surrogate_agree",
        "surrogate_adjust",
        "surrogate_rows",
    ),
    "surrogate_category_start": (
        "surrogate_category_of",
        "surrogate_categories",
        "surrogate_category_branch",
    ),
}
"""Arrays without one entry per node, by the array of the starts of their slices."""

_SHAPE = (
    "subtree_size",
    *_RAGGED,
    *(name for names in _RAGGED.values() for name in names),
)
"""Arrays that define which nodes, categories and surrogates exist; `with_values`
cannot change them."""

_OF_ONE_TREE = ("pruning", "grown", "evaluation")
"""Entries of `made_by` that describe one tree only, and not an edited one."""
_OF_ITS_ROWS = ("data", "intake")
"""Entries of `made_by` that describe the rows behind the values of the nodes."""

_LEAF_VALUES = {
    "split_kind": LEAF,
    "feature": -1,
    "threshold": np.nan,
    "missing_route": STOP_HERE,
    "gain": 0.0,
    "proven": True,
    "n_missing": 0,
}
"""Values of a leaf in the arrays that describe the split."""


def replace(
    tree: TreeData, node: int, subtree: TreeData
) -> tuple[TreeData, NDArray[np.int64]]:
    """Replace a node and everything below it by another tree.

    Parameters
    ----------
    tree : TreeData
        The tree to edit; it does not change.
    node : int
        The node to replace.
    subtree : TreeData
        A tree with the same columns and target.

    Returns
    -------
    tree : TreeData
        The new tree. Node j of `subtree` is its node ``node + j``.
    old_to_new : int array of tree.n_nodes
        New number of every old node; -1 for the nodes below `node`, which are
        removed. The number of `node` itself does not change.

    Notes
    -----
    If only one of the two trees has an extra array, the nodes of the other get NaN,
    -1, False or "". If only one has answers of its own, the nodes of the other
    keep theirs: their shares, or their means.
    """
    node = checked_node(tree, node)
    _check_same_table(tree, subtree)
    n, end = tree.n_nodes, node + int(tree.subtree_size[node])
    longer = subtree.n_nodes - (end - node)
    take = np.concatenate(
        [np.arange(node), n + np.arange(subtree.n_nodes), np.arange(end, n)]
    )
    arrays = _gathered([tree, subtree], take)
    arrays["subtree_size"][list(path(tree, node)[:-1])] += longer

    old_to_new = np.arange(n)
    old_to_new[node + 1 : end] = -1
    old_to_new[end:] += longer
    return _built(tree, arrays, _gathered_extras([tree, subtree], take)), old_to_new


def collapse(
    tree: TreeData, nodes: Iterable[int] | int, reason: str = "pruned"
) -> tuple[TreeData, NDArray[np.int64]]:
    """Turn nodes into leaves, any number of them in one pass.

    Parameters
    ----------
    tree : TreeData
        The tree to prune; it does not change.
    nodes : int or iterable of int
        Inner nodes that become leaves. One may lie below another.
    reason : str, default="pruned"
        Stop reason to record for them, a name of `STOP_CODES`.

    Returns
    -------
    tree : TreeData
        The new tree.
    old_to_new : int array of tree.n_nodes
        New number of every old node; -1 for nodes that were removed.
    """
    if reason not in STOP_CODES:
        known = ", ".join(STOP_CODES)
        raise OptionError(f"reason must be one of {known}; got {reason!r}.")
    cut = _checked_inner(tree, nodes)
    size = tree.subtree_size.astype(np.int64)

    change = np.zeros(tree.n_nodes + 1, dtype=np.int64)
    change[cut + 1] += 1
    np.subtract.at(change, cut + size[cut], 1)
    kept = np.cumsum(change[:-1]) == 0
    kept_before = np.concatenate([[0], np.cumsum(kept)])
    take = np.flatnonzero(kept)
    old_to_new = np.where(kept, kept_before[:-1], -1)
    leaves = old_to_new[cut]
    leaves = leaves[leaves >= 0]

    without_split = np.zeros(tree.n_nodes, dtype=bool)
    without_split[cut] = True
    arrays = _gathered([tree], take, without_split)
    arrays["subtree_size"] = kept_before[take + size[take]] - kept_before[take]
    for name, value in _LEAF_VALUES.items():
        arrays[name][leaves] = value
    arrays["stop_reason"][leaves] = STOP_CODES[reason]
    return _built(tree, arrays, _gathered_extras([tree], take)), old_to_new


def rearrange(
    tree: TreeData,
    take: NDArray[np.int64],
    subtree_size: NDArray[np.int64],
    reason: str,
) -> TreeData:
    """Build a tree of a new shape from some nodes of another tree.

    Parameters
    ----------
    tree : TreeData
        The tree to take the nodes from; it does not change.
    take : int array
        Old number of each new node, in preorder, without duplicates.
    subtree_size : int array
        The new shape. An inner node that becomes a leaf loses its split.
    reason : str
        Stop reason to record for such leaves.

    Returns
    -------
    TreeData
        Its nodes keep their old evidence, which may not fit their new places.
    """
    new_leaf = (subtree_size == 1) & (tree.subtree_size[take] > 1)
    without_split = np.zeros(tree.n_nodes, dtype=bool)
    without_split[take[new_leaf]] = True
    arrays = _gathered([tree], take, without_split)
    arrays["subtree_size"] = subtree_size
    for name, value in _LEAF_VALUES.items():
        arrays[name][new_leaf] = value
    arrays["stop_reason"][new_leaf] = STOP_CODES[reason]
    return _built(tree, arrays, _gathered_extras([tree], take))


def with_values(tree: TreeData, **arrays: Any) -> TreeData:
    """Return the same structure with other values.

    Parameters
    ----------
    tree : TreeData
        The tree to edit; it does not change.
    **arrays
        New arrays by name, such as ``value=`` or ``threshold=``. ``extras=`` takes
        a dict whose arrays join or replace those of the tree.

    Returns
    -------
    TreeData
    """
    extras = {**tree.extras, **arrays.pop("extras", {})}
    free = [name for name in TreeData.array_names if name not in _SHAPE]
    for name in arrays:
        if name not in free:
            hint = did_you_mean(name, free)
            why = "describes the structure" if name in _SHAPE else "is not an array"
            raise OptionError(
                f"{name!r} {why} of a tree; with_values changes {', '.join(free)}, "
                f"and extras.{hint}"
            )
    # The caller may hold views of the arrays, so the tree stores copies.
    own = {name: np.array(values) for name, values in arrays.items()}
    made_by = _still_true(tree, _OF_ONE_TREE + _OF_ITS_ROWS)
    return TreeData.from_arrays({**tree.arrays(), **own}, tree.schema, made_by, extras)


def with_made_by(tree: TreeData, **entries: Any) -> TreeData:
    """Return the same tree with more known about how it was made.

    Parameters
    ----------
    tree : TreeData
        The tree; it does not change.
    **entries
        Entries of `made_by`, which join or replace those of the tree.

    Returns
    -------
    TreeData
    """
    # The arrays are frozen and were checked when the tree was made.
    same = object.__new__(TreeData)
    made_by = MappingProxyType({**tree.made_by, **entries})
    same.__dict__.update(vars(tree), made_by=made_by, _kept={})
    return same


def _checked_inner(tree: TreeData, nodes: Iterable[int] | int) -> NDArray[np.int64]:
    """Return the nodes to collapse, each once, ascending."""
    if isinstance(nodes, np.ndarray) and nodes.dtype.kind == "i" and nodes.ndim == 1:
        if len(nodes):
            checked_node(tree, int(nodes.min()))
            checked_node(tree, int(nodes.max()))
        cut = np.unique(nodes.astype(np.int64))
    else:
        given = list(nodes) if isinstance(nodes, Iterable) else [nodes]
        each = [checked_node(tree, i) for i in given]
        cut = np.unique(np.array(each, dtype=np.int64))
    is_leaf = tree.subtree_size[cut] == 1
    if is_leaf.any():
        raise OptionError(
            f"Node {cut[is_leaf][0]} is already a leaf and cannot be collapsed. Pass "
            "inner nodes only."
        )
    return cut


def _check_same_table(tree: TreeData, subtree: TreeData) -> None:
    """Refuse a subtree whose columns or answers have another meaning."""
    ours, theirs = tree.schema.features, subtree.schema.features
    if len(ours) != len(theirs):
        raise TreeFormatError(
            f"The subtree was grown on {len(theirs)} columns, the tree on "
            f"{len(ours)}; grow both on the same columns."
        )
    for a, b in zip(ours, theirs, strict=True):
        if _meaning(a) != _meaning(b):
            raise TreeFormatError(
                f"Column {a.name!r} of the tree ({a.kind}) is not the same as column "
                f"{b.name!r} of the subtree ({b.kind}): name, kind and categories "
                "must agree. Grow both on the same table."
            )
    same_task = tree.is_classifier == subtree.is_classifier
    same_classes = _classes(tree) == _classes(subtree)
    same_classes &= _costs(tree) == _costs(subtree)
    if (
        not (same_task and same_classes)
        or tree.value.shape[1] != subtree.value.shape[1]
    ):
        raise TreeFormatError(
            f"The subtree answers {_answers(subtree)}, the tree {_answers(tree)}; "
            "grow both for the same target, with the same costs and priors."
        )


def _meaning(feature: Feature) -> tuple[Any, ...]:
    """Return everything that defines the meaning of a column's numbers."""
    labels = tuple(feature.labels or ())
    stored = (feature.stored_as, feature.timezone, feature.float32)
    return (feature.name, feature.kind, labels, feature.cuts, *stored)


def _classes(tree: TreeData) -> tuple[Any, ...]:
    return tree.schema.target.classes if tree.schema.target else ()


def _costs(tree: TreeData) -> tuple[Any, ...]:
    target = tree.schema.target
    return (target.costs, target.priors, target.exponent) if target else ()


def _answers(tree: TreeData) -> str:
    return f"{tree.value.shape[1]} classes" if tree.is_classifier else "numbers"


def _gathered(
    trees: list[TreeData],
    take: NDArray[np.int64],
    without_split: NDArray[np.bool_] | None = None,
) -> dict[str, NDArray[Any]]:
    """Return the arrays of the nodes `take`, counted over all trees end to end.

    Nodes marked in `without_split` lose their categories and surrogates. The arrays
    are new and can be written to.
    """
    arrays: dict[str, NDArray[Any]] = {}
    for name in TreeData.array_names:
        if name in TreeData.per_node_names or name in ("variance", "quartiles"):
            pool = np.concatenate([getattr(tree, name) for tree in trees])
            arrays[name] = pool[take] if len(pool) else pool
    if any(len(tree.answer) for tree in trees):
        arrays["answer"] = np.concatenate([node_answers(tree) for tree in trees])[take]
    for start_name, names in _RAGGED.items():
        lengths = np.concatenate([np.diff(getattr(tree, start_name)) for tree in trees])
        first = np.concatenate([[0], np.cumsum(lengths)])[:-1]
        if without_split is not None:
            lengths = np.where(without_split, 0, lengths)
        start = np.concatenate([[0], np.cumsum(lengths[take])])
        # Entry e of new node i was entry (e - start[i]) of the slice at first[take[i]].
        source = np.arange(start[-1]) + np.repeat(
            first[take] - start[:-1], lengths[take]
        )
        arrays[start_name] = start
        for name in names:
            arrays[name] = np.concatenate([getattr(t, name) for t in trees])[source]
    return arrays


def _gathered_extras(
    trees: list[TreeData], take: NDArray[np.int64]
) -> dict[str, NDArray[Any]]:
    """Return the extra arrays of these nodes, filled up for trees without one."""
    names = dict.fromkeys(name for tree in trees for name in tree.extras)
    extras = {}
    for name in names:
        like = next(tree.extras[name] for tree in trees if name in tree.extras)
        parts = [
            tree.extras[name] if name in tree.extras else _filling(like, tree.n_nodes)
            for tree in trees
        ]
        extras[name] = np.concatenate(parts)[take]
    return extras


def _filling(like: NDArray[Any], n: int) -> NDArray[Any]:
    """Return n entries that mean "not known" in the type of `like`."""
    kind = like.dtype.kind
    nothing: Any = {"f": np.nan, "i": -1, "b": False, "U": ""}.get(kind, 0)
    return np.full((n, *like.shape[1:]), nothing, dtype=like.dtype)


def _built(
    tree: TreeData, arrays: dict[str, NDArray[Any]], extras: dict[str, NDArray[Any]]
) -> TreeData:
    made_by = _still_true(tree, _OF_ONE_TREE)
    return TreeData.from_arrays(arrays, tree.schema, made_by, extras)


def _still_true(tree: TreeData, gone: tuple[str, ...]) -> dict[str, Any]:
    """Return how the tree was made, without what an edit makes untrue."""
    return {name: value for name, value in tree.made_by.items() if name not in gone}
