"""What every criterion has, for classes and for numbers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TableError

__all__ = ["ClassCriterion", "Criterion", "NumberCriterion", "Working"]


class Working(NamedTuple):
    """The numbers of a set of rows, written out, for `Criterion.formula`.

    Attributes
    ----------
    total : str
        Weight of the rows.
    shares : list of str
        Weight over total weight of each class present, such as '3/8'.
    largest : str
        The largest of them.
    mean, median : str
        Of a numeric target.
    loss : str
        Sum of the losses of the rows.
    value : str
        The impurity.
    """

    total: str
    shares: list[str]
    largest: str
    mean: str
    median: str
    loss: str
    value: str


class Criterion(ABC):
    """A measure of how mixed a set of rows is, and all that follows from it.

    Attributes
    ----------
    name : str
        What the parameter `criterion` calls it.
    title : str
        What people call the impurity, at the start of a sentence.
    aliases : tuple of str
        Other names that the parameter accepts.
    other_names : tuple of str
        Names used by other programs, for suggestions only.
    task : {'class', 'number'}
        The kind of target.
    core_number : int or None
        Its number in the C++ core (`enum class Criterion`); None: the core does not
        have it, and only the reference grower can use it.
    by_ratio : bool
        Whether columns compete by gain over split information.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    other_names: ClassVar[tuple[str, ...]] = ()
    task: ClassVar[str]
    core_number: ClassVar[int | None] = None
    by_ratio: ClassVar[bool] = False

    @abstractmethod
    def impurity(self, weights: Mapping[Any, float]) -> float:
        """Return the impurity of a set of rows.

        Parameters
        ----------
        weights : mapping
            The weight of each class, or of each value of y; all above 0.

        Returns
        -------
        float
            0 if all rows are alike.
        """

    def formula(self, numbers: Working) -> str:
        """Return the formula of the impurity with its numbers filled in."""
        return numbers.value

    def check_target(
        self, values: NDArray[np.float64], weights: NDArray[np.float64] | None
    ) -> None:
        """Refuse a numeric target that the criterion cannot measure.

        Parameters
        ----------
        values : float array
            The target of each row.
        weights : float array or None
            The weight of each row; None: all 1.

        Raises
        ------
        TableError
        """
        return

    def check_number(self, value: float, where: str, given: object) -> None:
        """Refuse one value of the target, `given` at the place called `where`."""
        return

    def __repr__(self) -> str:
        """Return the name."""
        return f"<criterion {self.name}>"

    def __str__(self) -> str:
        """Return the name."""
        return self.name


class ClassCriterion(Criterion):
    """A criterion for classes. The loss of an answer is 0 or 1, or its cost."""

    task = "class"

    def of_shares(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the impurity of many sets of rows at once.

        Parameters
        ----------
        shares : float array of sets x classes
            The share of each class.

        Returns
        -------
        float array
            One impurity per set; 0 for a set without rows, whose shares are 0.
        """
        present = [
            {k: p for k, p in enumerate(row) if p > 0} for row in shares.tolist()
        ]
        return np.array([self.impurity(row) if row else 0.0 for row in present])

    def of_row(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what a row of each class adds to the impurity of its set.

        The mean over the rows of a set is the impurity of the set.

        Parameters
        ----------
        shares : float array of sets x classes
            The share of each class.

        Returns
        -------
        float array of sets x classes
        """
        return np.repeat(self.of_shares(shares)[:, None], shares.shape[1], axis=1)


class NumberCriterion(Criterion):
    """A criterion for numbers: the mean loss of the best single answer.

    Attributes
    ----------
    answer : {'mean', 'median'}
        The answer of least loss.
    error_name : str
        What the mean loss is called.
    unit : {'root', 'plain'}
        'root': people read the square root of the mean loss; 'plain': the loss itself.
    here : str
        What the figure in that unit is called for the rows of one node.
    power : int or None
        The impurity of c y is c ** power times that of y; None: it is not so simple.
    is_bregman : bool
        Whether Σ loss(y, a) = Σ loss(y, mean) + W loss(mean, a) for every answer a,
        as for squared error. Then sums over the rows suffice for the loss of any
        answer.
    core_loss : int
        Number of the loss in the C++ core (`enum class Loss`).
    needs_positive_sums : bool
        Whether every branch needs a sum of y above 0.
    smallest_share : float or None
        An answer of 0 counts as this share of the root's, as in the core: it would
        otherwise make some losses infinite. None: any number may be an answer.
    """

    task = "number"
    answer: ClassVar[str] = "mean"
    error_name: ClassVar[str]
    unit: ClassVar[str] = "plain"
    here: ClassVar[str]
    power: ClassVar[int | None] = None
    is_bregman: ClassVar[bool] = False
    core_loss: ClassVar[int | None] = None
    needs_positive_sums: ClassVar[bool] = False
    smallest_share: ClassVar[float | None] = None

    @abstractmethod
    def loss(self, y: Any, answer: Any) -> NDArray[np.float64]:
        """Return what each answer costs.

        Parameters
        ----------
        y : float array
            The numbers.
        answer : float array
            The answers, of the same shape.

        Returns
        -------
        float array
            0 where an answer is right.
        """

    def axis(self, target: str) -> str:
        """Return what an axis of errors is called."""
        return self.error_name

    def impurity(self, weights: Mapping[Any, float]) -> float:
        """Return the mean loss of answering the mean; see `Criterion.impurity`."""
        total = math.fsum(weights.values())
        mean = math.fsum(w / total * y for y, w in weights.items())
        losses = self.loss(np.array(list(weights)), np.full(len(weights), mean))
        pairs = zip(weights.values(), losses.tolist(), strict=True)
        return math.fsum(w / total * loss for w, loss in pairs)

    def check_number(self, value: float, where: str, given: object) -> None:
        """Refuse a value that is not a finite number."""
        if not math.isfinite(value):
            raise TableError(
                f"{self.name} needs finite numbers; {where} is {given!r}. For classes "
                "use gini, entropy or misclassification."
            )


def scaled_down(weights: Mapping[Any, float]) -> tuple[list[tuple[float, float]], int]:
    """Divide y by a power of two that brings it into [-1, 1], so squares stay finite.

    Returns the pairs (y, weight) and the exponent of the power.
    """
    exponent = math.frexp(max(abs(y) for y in weights))[1]
    return [(math.ldexp(y, -exponent), w) for y, w in weights.items()], exponent


def scaled_up(value: float, exponent: int) -> float:
    """Multiply by a power of two; infinity beyond the largest float."""
    try:
        return math.ldexp(value, exponent)
    except OverflowError:  # the variance of numbers near 1e300 is beyond floats
        return math.inf
