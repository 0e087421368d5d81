"""Answers that are drawn towards the node above, as far as few rows deserve.

A node of six rows knows little; the node above it knows more, though less precisely.
So the answer of a node is its own evidence, drawn towards the answer above. Numbers:

    a(root) = mean;  a(t) = (W(t) mean(t) + m a(parent)) / (W(t) + m)

Classes, by hierarchical shrinkage, smoothed last so that nothing is certain:

    q(root) = share(root)
    q(t) = q(parent) + (share(t) - share(parent)) / (1 + L / W(parent))
    p(t) = (W(root) q(t) + 1/k) / (W(root) + 1)

W counts copies of rows. The label of a node is the class of the largest p, or of least
expected cost; on a tie the one of the largest weight in the node, then the first. A
median stays what it is. The evidence never changes: see `tree.answer`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.table.weights import rows_per_weight
from treewright.tree.data import TreeData
from treewright.tree.loss import loss_of, number_criterion

__all__ = [
    "STRENGTHS",
    "can_draw",
    "copies_of",
    "drawn_classes",
    "drawn_numbers",
    "drawn_strength",
    "with_drawn_answers",
]

STRENGTHS: Final = {
    "class": (0.25, 1.0, 4.0, 16.0, 64.0, 256.0),
    "number": (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0),
}
"""The strengths that are tried: lambda of classes, m of numbers."""


def can_draw(tree: TreeData) -> bool:
    """Return whether the answers of a tree can be drawn: a median cannot."""
    return tree.is_classifier or number_criterion(tree).is_bregman


def with_drawn_answers(tree: TreeData, strength: float) -> TreeData:
    """Return the tree with answers drawn towards the node above.

    Parameters
    ----------
    tree : TreeData
        The tree; only its evidence counts.
    strength : float
        L of classes or m of numbers, in rows, >= 0.

    Returns
    -------
    TreeData
        It records the strength, with which `Tree.refit` draws anew.
    """
    made_by = {**tree.made_by, "shrinkage": float(strength)}
    if not tree.is_classifier:
        if strength == 0 or not can_draw(tree):
            return replace(tree, answer=np.empty((0, 0)))
        answer = drawn_numbers(tree, strength, copies_of(tree))[:, None]
        return replace(tree, answer=answer, made_by=made_by)
    answer, label = drawn_classes(tree, strength, copies_of(tree))
    return replace(tree, answer=answer, label=label, made_by=made_by)


def drawn_strength(tree: TreeData) -> float | None:
    """Return how strongly the answers of a tree were drawn; None if they were not."""
    strength = tree.made_by.get("shrinkage")
    return None if strength is None or not len(tree.answer) else float(strength)


def drawn_numbers(tree: TreeData, m: float, copies: float) -> NDArray[np.float64]:
    """Return a(t) of every node; `copies` is that of `copies_of`."""
    if m == 0:
        return tree.value[:, 0]
    weight = tree.weight * copies
    mean = np.ascontiguousarray(tree.in_units(tree.value[:, 0]))
    drawn = np.asarray(_core.draw_numbers(tree.subtree_size, weight, mean, m))
    return tree.from_units(drawn)


def drawn_classes(
    tree: TreeData, strength: float, copies: float
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return p(t) and the label of every node; `copies` is that of `copies_of`."""
    costs = loss_of(tree).costs
    drawn: tuple[NDArray[np.float64], NDArray[np.int32]] = _core.draw_classes(
        tree.subtree_size,
        tree.value.ravel(),
        np.zeros(0) if costs is None else costs.ravel(),
        tree.value.shape[1],
        copies,
        strength,
    )
    return drawn


def copies_of(tree: TreeData) -> float:
    """Return how many copies of a row a unit of weight stands for."""
    return rows_per_weight(float(tree.weight[0]), int(tree.n_rows[0]))
