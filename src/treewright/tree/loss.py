"""The loss of a tree: the cost of a wrong answer, and its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import ClassCriterion, NumberCriterion
from treewright.table.table import ClassTarget, Target
from treewright.tree.answer import node_answers

if TYPE_CHECKING:
    from treewright.tree.data import TreeData

__all__ = [
    "Loss",
    "answer_cost",
    "answer_risk",
    "class_criterion",
    "error_unit",
    "loss_by_node",
    "loss_of",
    "number_criterion",
]

_LARGEST_SHIFT = 960
"""Mean losses times this power of two, or its inverse, stay within float64."""


@dataclass(frozen=True)
class Loss:
    """The loss by which the answers of a tree are judged.

    Attributes
    ----------
    name : str
        Name of the mean loss.
    unit : {'share', 'cost', 'root', 'plain'}
        How to show the mean loss: as a share of wrong answers, as a mean cost, as
        the root of a squared error, or as it is.
    criterion : ClassCriterion or NumberCriterion
        The criterion of the tree.
    costs : float array of classes x classes, or None
        The cost of each answer (column) to each class (row); None: 0 and 1.
    exponent : int
        Losses of numbers are in units of 2^exponent; see `TargetInfo`.
    smallest : float or None
        Value that replaces an answer of 0, in these units; see `NumberCriterion`.
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
            The target of the rows, with classes numbered as in the tree.
        answers : array
            The answer to each row: the number of a class, or a number.

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

    def from_units(self, loss: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Return mean losses in terms of the target; infinity beyond the floats."""
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.ldexp(loss, self._power * self.exponent))

    def in_units(self, loss: float) -> float:
        """Return a mean loss in the unit of tree.risk."""
        return float(np.ldexp(loss, -self._power * self.exponent))

    def shown(
        self, loss: NDArray[np.float64] | float, power: int | None = None
    ) -> NDArray[np.float64]:
        """Return mean losses as people see them.

        They are in the unit of the target unless that leaves the range of float64.
        Then they stay in the unit of tree.risk, which `unit_text` names. With
        `power`: numbers that are proportional to this power of the target.
        """
        shift = (self._power if power is None else power) * self.exponent
        if abs(shift) > _LARGEST_SHIFT:
            return np.asarray(loss)
        return np.asarray(np.ldexp(loss, shift) if shift else loss)

    def from_shown(self, loss: float) -> float:
        """Return a mean loss that a person gave in the unit of tree.risk."""
        return loss if self.unit_text else self.in_units(loss)

    @property
    def unit_text(self) -> str:
        """The unit of shown losses, as a text to append; empty: that of the target."""
        shift = self._power * self.exponent
        return f" in units of 2^{shift}" if abs(shift) > _LARGEST_SHIFT else ""

    @property
    def _power(self) -> int:
        return getattr(self.criterion, "power", None) or 0

    def axis(self, target: str) -> str:
        """Return the label of an axis of errors, for a target of this name."""
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
    """Return, for each node, the weighted loss of its rows if the node answers them.

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
    while len(nodes):  # all rows move up one level per step, until the root
        part = weights * of_tree.of_numbers(y, answers[nodes])
        loss += np.bincount(nodes, part, minlength=tree.n_nodes)
        inner = nodes > 0
        nodes, y, weights = tree.parent[nodes[inner]], y[inner], weights[inner]
    return loss


def answer_cost(
    tree: TreeData, rows_of: NDArray[np.int64], answered_by: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the summed loss of the training rows of nodes, answered by other nodes.

    Parameters
    ----------
    tree : TreeData
        The tree. Numbers need a criterion of means; see `NumberCriterion.is_bregman`.
    rows_of, answered_by : int arrays
        The nodes.

    Returns
    -------
    float array
    """
    if tree.is_classifier:
        costs = loss_of(tree).costs
        if costs is None:
            costs = 1.0 - np.eye(tree.value.shape[1])
        answer = costs.T[tree.label[answered_by]]
        return np.asarray((tree.value[rows_of] * answer).sum(axis=1))
    mean, answer = tree.value[rows_of, 0], node_answers(tree)[answered_by, 0]
    drawn = loss_of(tree).of_numbers(mean, answer)
    return np.asarray(tree.weight[rows_of] * (tree.risk[rows_of] + drawn))


def answer_risk(tree: TreeData) -> NDArray[np.float64]:
    """Return the mean loss of each node's answer for its training rows.

    It is `risk`, unless the answers differ from the evidence.
    """
    if not len(tree.answer):
        return tree.risk
    every = np.arange(tree.n_nodes)
    cost = answer_cost(tree, every, every)
    return np.divide(cost, tree.weight, out=tree.risk.copy(), where=tree.weight > 0)


def error_unit(tree: TreeData) -> float:
    """Return the mean cost of an error in a tree of classes; 1 without costs.

    The wrong answers to a class count alike, the classes by their shares in the root.
    """
    costs = loss_of(tree).costs
    if costs is None:
        return 1.0
    k, total = len(costs), float(tree.value[0].sum())
    if k < 2 or not total > 0:
        return 1.0
    # The diagonal of costs is 0.
    unit = float(tree.value[0] @ costs.sum(axis=1)) / (total * (k - 1))
    return unit if unit > 0 else 1.0


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
