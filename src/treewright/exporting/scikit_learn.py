"""A tree as a fitted decision tree of scikit-learn, for the tools that read those.

shap, skl2onnx, treelite, dtreeviz, `sklearn.tree.plot_tree` and `export_text` work on
the result. scikit-learn compares float32 values, and several of these tools also keep
thresholds as float32. So each threshold becomes the largest float32 below it: every
row of float32 values ends in the same leaf as before.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._version import __version__
from treewright.errors import OptionError
from treewright.table.from_numpy import float32_below
from treewright.table.schema import PLAIN_NUMBERS
from treewright.tree.answer import node_answers
from treewright.tree.arrays import frozen
from treewright.tree.data import IS_MISSING, LEAF, TreeData

__all__ = ["SKLEARN_NAMES", "sklearn_attribute", "to_sklearn", "why_not_sklearn"]

SKLEARN_NAMES = (
    "children_left",
    "children_right",
    "max_depth",
    "max_n_classes",
    "missing_go_to_left",
    "n_classes",
    "n_features",
    "n_node_samples",
    "n_outputs",
    "node_count",
    "weighted_n_node_samples",
)
"""Attributes of scikit-learn's `tree_` that ours lacks or names otherwise."""


def sklearn_attribute(tree: TreeData, name: str) -> Any:
    """Return an attribute under the name that it has in scikit-learn's `tree_`.

    Parameters
    ----------
    tree : TreeData
        The tree.
    name : str
        One of `SKLEARN_NAMES`.

    Returns
    -------
    int or array

    Raises
    ------
    AttributeError
        When `to_sklearn` would refuse the tree; the message says why.
    """
    reason = tree.keep("why_not_sklearn", why_not_sklearn)
    if reason:
        raise AttributeError(f"A Tree has {name!r} only if to_sklearn works. {reason}")
    left, right = _children(tree)
    width = tree.value.shape[1]
    found = {
        "children_left": left,
        "children_right": right,
        "max_depth": int(tree.depth.max()),
        "max_n_classes": width,
        "missing_go_to_left": tree.missing_route == 0,
        "n_classes": np.array([width], np.intp),
        "n_features": len(tree.schema.features),
        "n_node_samples": tree.n_rows,
        "n_outputs": 1,
        "node_count": tree.n_nodes,
        "weighted_n_node_samples": tree.weight,
    }[name]
    return frozen(found) if isinstance(found, np.ndarray) else found


def _children(tree: TreeData) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the left and the right child of each node; -1 at a leaf."""
    left, right = np.full((2, tree.n_nodes), -1, np.int64)
    inner = np.flatnonzero(tree.split_kind != LEAF)
    left[inner] = inner + 1
    right[inner] = inner + 1 + tree.subtree_size[inner + 1]
    return left, right


def why_not_sklearn(tree: TreeData) -> str:
    """Return why scikit-learn cannot express a tree; '' if it can.

    Parameters
    ----------
    tree : TreeData
        The tree.

    Returns
    -------
    str
        A sentence.
    """
    for feature in tree.schema.features:
        plain = feature.kind == "numeric" and feature.stored_as in PLAIN_NUMBERS
        if not plain or feature.spelling is not None:
            return (
                f"Column {feature.name!r} does not hold plain numbers, which are all "
                "that trees of scikit-learn read."
            )
    if len(tree.surrogate_feature):
        return "scikit-learn has no surrogate splits."
    inner = tree.split_kind != LEAF
    if (tree.missing_route[inner] < 0).any():
        return "scikit-learn sends missing values to one branch, never to none or both."
    if tree.is_classifier and (node_answers(tree).argmax(axis=1) != tree.label).any():
        return (
            "scikit-learn answers the most probable class, and this tree does not in "
            "every node, because wrong answers have different costs or classes tie."
        )
    return ""


def to_sklearn(tree: TreeData) -> Any:
    """Return a tree as a fitted DecisionTreeClassifier or DecisionTreeRegressor.

    Parameters
    ----------
    tree : TreeData
        A tree with numeric columns and two branches per split.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier or DecisionTreeRegressor
        It gives the answers of this tree to all rows of float32 numbers.

    Raises
    ------
    OptionError
        When scikit-learn cannot express the tree; the message says why.
    """
    reason = why_not_sklearn(tree)
    if reason:
        raise OptionError(f"This tree has no equal in scikit-learn. {reason}")
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
    from sklearn.tree._tree import Tree as SklearnTree

    n_columns = len(tree.schema.features)
    values = node_answers(tree)
    n_classes = values.shape[1] if tree.is_classifier else 1
    inner = SklearnTree(n_columns, np.array([n_classes], np.intp), 1)
    inner.__setstate__(
        {
            "max_depth": int(tree.depth.max()),
            "node_count": tree.n_nodes,
            "nodes": _nodes(tree),
            "values": np.ascontiguousarray(values[:, None, :], np.float64),
        }
    )
    kind = DecisionTreeClassifier if tree.is_classifier else DecisionTreeRegressor
    model = kind()
    model.n_features_in_ = model.max_features_ = n_columns
    if tree.schema.named:
        model.feature_names_in_ = np.array(tree.schema.names, object)
    model.n_outputs_ = 1
    if tree.is_classifier:
        target = tree.schema.target
        labels = range(n_classes) if target is None else target.classes
        model.classes_, model.n_classes_ = np.array(labels), n_classes
    model.tree_ = inner
    model.treewright_version_ = __version__
    return model


def _nodes(tree: TreeData) -> NDArray[Any]:
    """Return the nodes in the layout of scikit-learn, which is preorder too."""
    from sklearn.tree._tree import NODE_DTYPE

    nodes = np.zeros(tree.n_nodes, NODE_DTYPE)
    inner = np.flatnonzero(tree.split_kind != LEAF)
    nodes["left_child"], nodes["right_child"] = _children(tree)
    nodes["feature"], nodes["threshold"] = -2, -2.0
    nodes["feature"][inner] = tree.feature[inner]
    # "Is missing" is a threshold below every number, with missing values on the left.
    thresholds = np.where(
        tree.split_kind == IS_MISSING, -np.inf, float32_below(tree.threshold)
    )
    nodes["threshold"][inner] = thresholds[inner]
    nodes["missing_go_to_left"][inner] = tree.missing_route[inner] == 0
    nodes["impurity"] = tree.impurity
    nodes["n_node_samples"] = tree.n_rows
    nodes["weighted_n_node_samples"] = tree.weight
    return nodes
