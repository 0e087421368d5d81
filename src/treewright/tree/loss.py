"""The loss of a tree: what a wrong answer costs, and what people call it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import ClassCriterion, NumberCriterion
from treewright.table.table import ClassTarget, Target

if TYPE_CHECKING:
    from treewright.tree.data import TreeData

__all__ = ["Loss", "class_criterion", "loss_by_node", "loss_of", "number_criterion"]


@dataclass(frozen=True)
class Loss:
    """What the answers of a tree are charged for.

    Attributes
    ----------
    name : str
        What the mean loss is called.
    unit : {'share', 'cost', 'root', 'plain'}
        How people read it: a share of wrong answers; a mean cost; a squared error,
        by its root; or as it is.
    criterion : ClassCriterion or NumberCriterion
        Of the tree.
    costs : float array of classes x classes, or None
        The cost of each answer (column) to each class (row); None: 0 and 1.
    exponent : int
        Losses of numbers are in units of 2^exponent; see `TargetInfo`.
    smallest : float or None
        What an answer of 0 counts as, in these units; see `NumberCriterion`.
    """

    name: str
    unit: str
    criterion: ClassCriterion | NumberCriterion
    costs: NDArray[np.float64] | None = None
    exponent: int = 0
    smallest: float | None = None

    def of_rows(self, target: Target, answers: NDArray[Any]) -> NDArray[np.float64]:
        """Return the loss of the answer to each row.

        Parameters
        ----------
        target : ClassTarget or NumericTarget
            The rows' target, classes numbered as in the tree.
        answers : array
            The number of the class, or the number, that each row is answered.

        Returns
        -------
        float array
        """
        if not isinstance(target, ClassTarget):
            return self.of_numbers(target.values, answers)
        if self.costs is None:
            return np.asarray(target.codes != answers, dtype=np.float64)
        return np.asarray(self.costs[target.codes, answers])

    def of_numbers(
        self, y: NDArray[np.float64], answers: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the loss of each answer to a number, in the unit of tree.risk."""
        assert isinstance(self.criterion, NumberCriterion)
        if self.exponent:
            y, answers = np.ldexp(y, -self.exponent), np.ldexp(answers, -self.exponent)
        if self.smallest is not None:
            answers = np.where(answers > 0, answers, self.smallest)
        return self.criterion.loss(y, answers)

    def axis(self, target: str) -> str:
        """Return what an axis of errors is called, for a target of this name."""
        if isinstance(self.criterion, NumberCriterion):
            return self.criterion.axis(target)
        return "share of wrong answers" if self.costs is None else "mean cost"


def loss_of(tree: TreeData) -> Loss:
    """Return the loss of a tree."""
    return tree.keep("loss", _loss_of)


def _loss_of(tree: TreeData) -> Loss:
    if not tree.is_classifier:
        criterion, info = number_criterion(tree), tree.schema.target
        smallest = None
        if criterion.smallest_share is not None:
            root = float(tree.in_units(tree.value[0, 0]))
            smallest = criterion.smallest_share * (root if root > 0 else 1.0)
        return Loss(
            criterion.error_name,
            criterion.unit,
            criterion,
            exponent=0 if info is None else info.exponent,
            smallest=smallest,
        )
    costs = None if tree.schema.target is None else tree.schema.target.costs
    if costs is None:
        return Loss("error", "share", class_criterion(tree))
    matrix = np.array(costs, dtype=np.float64)
    return Loss("mean cost of the answers", "cost", class_criterion(tree), matrix)


def loss_by_node(
    tree: TreeData,
    nodes: NDArray[np.integer[Any]],
    y: NDArray[np.float64],
    weights: NDArray[np.float64],
    answers: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the weighted loss of the rows that pass each node, all answered there.

    Parameters
    ----------
    tree : TreeData
        A tree that answers numbers.
    nodes : int array
        The node in which each row ends.
    y, weights : float arrays
        Target and weight of each row.
    answers : float array, one entry per node
        The answer of each node.

    Returns
    -------
    float array, one entry per node
    """
    of_tree, loss = loss_of(tree), np.zeros(tree.n_nodes)
    while len(nodes):  # all rows climb to the root together
        part = weights * of_tree.of_numbers(y, answers[nodes])
        loss += np.bincount(nodes, part, minlength=tree.n_nodes)
        inner = nodes > 0
        nodes, y, weights = tree.parent[nodes[inner]], y[inner], weights[inner]
    return loss


def class_criterion(tree: TreeData) -> ClassCriterion:
    """Return the criterion of a tree that answers classes."""
    criterion = tree.criterion
    assert isinstance(criterion, ClassCriterion)
    return criterion


def number_criterion(tree: TreeData) -> NumberCriterion:
    """Return the criterion of a tree that answers numbers."""
    criterion = tree.criterion
    assert isinstance(criterion, NumberCriterion)
    return criterion
