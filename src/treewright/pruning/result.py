"""The record of a pruning: what was done, why, and the table of sizes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TreewrightError, pandas_for_frames
from treewright.pruning.picture import notebook_html
from treewright.tree import wording

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Pruning", "leaves_words"]

_MOST_LINES = 24
_COLUMNS = ("alpha", "n_leaves", "error", "cv_error", "cv_std", "validation_error")
_HEADS = {
    "alpha": "alpha",
    "n_leaves": "leaves",
    "error": "error",
    "cv_error": "cv error",
    "cv_std": "std",
    "validation_error": "validation",
}
_ERRORS = ("error", "cv_error", "cv_std", "validation_error")


@dataclass(frozen=True, eq=False, repr=False)
class Pruning:
    """The record of how a tree got its size.

    Attributes
    ----------
    method : {'cv', 'validation', 'pessimistic', 'ccp_alpha'} or None
        The method of pruning; None if the tree was not pruned.
    words : str
        Which tree was taken, and why.
    n_leaves_before, n_leaves_after : int
        Number of leaves of the grown tree and of the pruned tree.
    alpha, n_leaves, error : float, int and float array
        The table, from the largest tree to the root: the price of a leaf from which
        each tree is the best, its number of leaves, and its error on the training
        rows. Empty where there is no path.
    cv_error, cv_std : float array
        Error on rows not trained on, and its standard error ('cv').
    validation_error : float array
        Error on the validation rows ('validation').
    chosen, best : int
        The row of the table that was taken, and the row with the least error; -1 if
        there is none. The tree that 'validation' takes need not be in the table.
    rises_after : int or None
        For 'validation': the number of leaves of the smallest tree with the least
        validation error. No larger tree of the table is better.
    notes : tuple of str
        Departures from the settings, with the reasons.
    n_folds : int
        Number of folds of 'cv'.
    """

    method: str | None
    words: str
    n_leaves_before: int
    n_leaves_after: int
    risk: str = "error"
    alpha: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    n_leaves: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    error: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    cv_error: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    cv_std: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    validation_error: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    chosen: int = -1
    best: int = -1
    rises_after: int | None = None
    notes: tuple[str, ...] = ()
    n_folds: int = 0

    @property
    def chosen_error(self) -> float:
        """The cross-validated error of the tree that was taken; NaN without one."""
        if self.method != "cv" or self.chosen < 0:
            return float("nan")
        return float(self.cv_error[self.chosen])

    @property
    def said(self) -> tuple[str, ...]:
        """The notes, with further notes that explain the table."""
        more: tuple[str, ...] = ()
        if len(self.n_leaves) and self.n_leaves[0] < self.n_leaves_before:
            more += (
                f"the table starts with {self.n_leaves[0]} of the "
                f"{self.n_leaves_before} leaves grown: splits that save no "
                f"{self.risk} cost nothing to cut",
            )
        if self.method == "validation" and self.chosen < 0:
            more += (
                "the table lists the weakest-link prunings for comparison: the tree "
                "taken was cut split by split and is not among them",
            )
        return self.notes + more

    def to_pandas(self) -> pd.DataFrame:
        """Return the table, one row per tree of the path.

        The column `cp` is rpart's: alpha divided by the error of the root.
        """
        pandas = pandas_for_frames()
        columns = {name: np.array(getattr(self, name)) for name in self._columns()}
        if "alpha" in columns and len(self.error):
            root = self.error[-1]
            columns["cp"] = self.alpha / root if root > 0 else np.zeros(len(self.alpha))
        frame = pandas.DataFrame(columns)
        frame["chosen"] = np.arange(len(frame)) == self.chosen
        return frame

    def plot(self, ax: Any = None) -> Any:
        """Draw error against the number of leaves, with the tree that was taken.

        Parameters
        ----------
        ax : matplotlib axes, optional
            The axes to draw on; None makes a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        if not len(self.n_leaves):
            raise TreewrightError(f"There is nothing to draw: {self.words}")
        if ax is None:
            try:
                from matplotlib import pyplot
            except ImportError as problem:
                raise TreewrightError(
                    "Drawing needs the package 'matplotlib': pip install matplotlib"
                ) from problem
            ax = pyplot.subplots()[1]
        self._draw(ax)
        return ax

    def _draw(self, ax: Any) -> None:
        ax.plot(self.n_leaves, self.error, color="0.6", label="training error")
        if len(self.cv_error):
            ax.errorbar(
                self.n_leaves,
                self.cv_error,
                self.cv_std,
                marker="o",
                markersize=3,
                capsize=2,
                label="cross-validated error",
            )
            limit = self.cv_error[self.best] + self.cv_std[self.best]
            ax.axhline(limit, linestyle=":", color="0.4", label="best + 1 SE")
        if len(self.validation_error):
            ax.plot(self.n_leaves, self.validation_error, label="validation error")
        ax.axvline(self.n_leaves_after, linestyle="--", color="0.4", label="taken")
        if self.n_leaves[0] > 30:
            ax.set_xscale("log")
        ax.set_xlabel("leaves")
        ax.set_ylabel("error")
        ax.legend()

    @property
    def _root_error(self) -> float:
        """The error that the printed errors are relative to, as rpart's are."""
        root = float(self.error[-1]) if len(self.error) else 0.0
        return root if root > 0 and np.isfinite(root) else 1.0

    def _columns(self) -> list[str]:
        return [name for name in _COLUMNS if len(getattr(self, name))]

    def __repr__(self) -> str:
        """Return one line: method and sizes."""
        return (
            f"Pruning({self.method!r}, {self.n_leaves_before} -> "
            f"{leaves_words(self.n_leaves_after)})"
        )

    def __str__(self) -> str:
        """Return the reason, the notes and the table, a long table shortened."""
        lines = [self.words, *(f"({note})" for note in self.said)]
        names = self._columns()
        if names:
            width = {name: max(len(_HEADS[name]), 9) for name in names}
            heads = _HEADS | ({"error": "impurity"} if self.risk == "impurity" else {})
            if self._root_error != 1.0:
                one = wording.figures(self._root_error)
                what = heads["error"]
                lines += ["", f"  {what}s relative to that of the root, {one}:"]
            head = "  ".join(heads[name].rjust(width[name]) for name in names)
            lines += ["", "  " + head]
            lines += [self._line(row, names, width) for row in self._shown()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Show the curve and the table in a notebook."""
        return notebook_html(self)

    def _shown(self) -> list[int]:
        """Return the rows to print: all, or the ends and those near chosen and best."""
        n = len(self.n_leaves)
        if n <= _MOST_LINES:
            return list(range(n))
        near = {0, 1, n - 3, n - 2, n - 1}
        for row in (self.chosen, self.best):
            near |= set(range(row - 3, row + 4)) if row >= 0 else set()
        wanted = sorted(row for row in near if 0 <= row < n)
        shown = wanted[:1]
        for row in wanted[1:]:
            shown += [row] if row == shown[-1] + 1 else [-1, row]
        return shown

    def _line(self, row: int, names: list[str], width: dict[str, int]) -> str:
        if row < 0:
            return "  " + "...".rjust(width[names[0]])
        cells = [self._cell(row, name).rjust(width[name]) for name in names]
        mark = " <- taken" if row == self.chosen else ""
        if row == self.best and row != self.chosen:
            mark = " <- least error"
        return "  " + "  ".join(cells) + mark

    def _cell(self, row: int, name: str) -> str:
        value = getattr(self, name)[row]
        if name == "n_leaves":
            return f"{int(value):,}"
        if name in _ERRORS:
            return f"{float(value) / self._root_error:.3f}"
        return f"{float(value):.3g}"


def leaves_words(n: int) -> str:
    """Return the number of leaves with its noun: '1 leaf', '2 leaves'."""
    return "1 leaf" if n == 1 else f"{n:,} leaves"
