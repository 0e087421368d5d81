"""The record of a pruning: what was done, why, and the table of sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, TreewrightError, pandas_for_frames
from treewright.pruning.path import find_path
from treewright.pruning.picture import notebook_html
from treewright.pruning.shrinkage import with_drawn_answers
from treewright.pruning.words import leaves_words
from treewright.tree import wording
from treewright.tree.data import TreeData

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Pruning", "leaves_words", "without_tree"]

_MOST_LINES = 24
_COLUMNS = (
    "alpha",
    "n_leaves",
    "error",
    "cv_error",
    "cv_std",
    "log_loss",
    "score",
    "score_std",
    "strength",
    "validation_error",
    "against",
)
_HEADS = {
    "alpha": "alpha",
    "n_leaves": "leaves",
    "error": "error",
    "cv_error": "cv error",
    "cv_std": "std",
    "log_loss": "log-loss",
    "score": "score",
    "score_std": "std",
    "strength": "drawn by",
    "validation_error": "validation",
    "against": "vs taken",
}
_ERRORS = ("error", "cv_error", "cv_std", "validation_error")
_SCORES = ("log_loss", "score")
_LONG_NAMES = {"against": "error against the chosen size", "strength": "shrinkage"}
"""Names of columns in data frames, where they differ from the attribute."""


def _itself(tree: TreeData) -> Any:
    return tree


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
    log_loss : float array
        Log-loss on rows not trained on ('cv', classes).
    score, score_std : float array
        What the size was chosen by, and its standard error, where it is not the
        error: errors + 0.2 x log-loss, or the log-loss ('cv', classes).
    strength : float array
        How strongly the answers of each tree are drawn towards the node above, in
        rows: lambda of classes, m of numbers. Empty if they are not.
    validation_error : float array
        Error on the validation rows ('validation').
    held_out_error : float or None
        Error of the tree that was taken on the validation rows ('validation').
    chosen, best : int
        The row of the table that was taken, and the row with the least score; -1 if
        there is none. The tree that 'validation' takes need not be in the table.
    one_se : int
        The row of the smallest tree within one standard error; -1 if there is none.
    rule : {'price', '1se', 'min'}
        The rule that chose ('cv').
    shrinkage : float or None
        How strongly the answers of the tree that was taken are drawn.
    rises_after : int or None
        For 'validation': the number of leaves of the smallest tree with the least
        validation error. No larger tree of the table is better.
    notes : tuple of str
        Departures from the settings, with the reasons.
    n_folds : int
        Number of folds of 'cv'.
    tree : TreeData or None
        The largest tree from which `at` can cut: the one taken, or with
        ``keep_path=True`` the whole grown tree.
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
    log_loss: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    score: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    score_std: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    strength: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    validation_error: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    held_out_error: float | None = None
    chosen: int = -1
    best: int = -1
    one_se: int = -1
    rule: str = "1se"
    shrinkage: float | None = None
    rises_after: int | None = None
    notes: tuple[str, ...] = ()
    n_folds: int = 0
    tree: TreeData | None = None
    _face: Callable[[TreeData], Any] = _itself

    @property
    def against(self) -> NDArray[np.float64]:
        """The error of each size against the chosen one: 0.03 is 3% more error.

        Empty without a chosen size or without errors on rows not trained on.
        """
        if self.chosen < 0 or not len(self.cv_error):
            return np.zeros(0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.cv_error / self.cv_error[self.chosen] - 1.0)

    @property
    def score_name(self) -> str:
        """What the score adds up; empty if the size was chosen by the error."""
        if not len(self.score):
            return ""
        by_log_loss = np.array_equal(self.score, self.log_loss)
        return "log-loss" if by_log_loss else "errors + 0.2 x log-loss"

    def at(self, n_leaves: int) -> Any:
        """Return the best tree of at most so many leaves, without fitting again.

        Parameters
        ----------
        n_leaves : int
            The largest number of leaves. Sizes above the one that was taken need
            ``keep_path=True``.

        Returns
        -------
        Tree
            The largest tree of the path that has no more leaves, with the answers
            that suit its size.
        """
        if self.tree is None:
            raise TreewrightError("This record has no tree to cut; fit once more.")
        whole = isinstance(n_leaves, (int, np.integer))
        if whole and n_leaves > self.tree.n_leaves == self.n_leaves_after:
            raise OptionError(
                f"The record keeps sizes up to {leaves_words(self.n_leaves_after)}, "
                f"the size that was taken; got {n_leaves}. Fit with keep_path=True for "
                "larger ones."
            )
        cut: TreeData = find_path(self.tree, self.risk).tree(n_leaves=n_leaves)
        return self._face(self.answering(cut))

    def answering(self, cut: TreeData) -> TreeData:
        """Return a smaller tree with the answers that suit its size.

        Parameters
        ----------
        cut : TreeData
            A tree that was cut from `tree`.

        Returns
        -------
        TreeData
        """
        rows = np.flatnonzero(self.n_leaves <= cut.n_leaves)
        strength = self.shrinkage
        if len(self.strength) and len(rows):
            strength = float(self.strength[rows[0]])
        return cut if strength is None else with_drawn_answers(cut, strength)

    @property
    def chosen_error(self) -> float:
        """The cross-validated error of the tree that was taken; NaN without one."""
        if self.method != "cv" or self.chosen < 0:
            return float("nan")
        return float(self.cv_error[self.chosen])

    @property
    def all_notes(self) -> tuple[str, ...]:
        """The notes, with further notes that explain the table."""
        more: tuple[str, ...] = ()
        if len(self.n_leaves) and self.n_leaves[0] < self.n_leaves_before:
            more += (
                f"the table starts with {self.n_leaves[0]} of the "
                f"{self.n_leaves_before} leaves grown: splits that save no "
                f"{self.risk} cost nothing to cut",
            )
        if self.rule == "price" and self.one_se > self.chosen >= 0:
            more += (
                "the smallest tree within one standard error of the best has "
                f"{leaves_words(int(self.n_leaves[self.one_se]))}",
            )
        if self.shrinkage:
            more += (
                "answers are drawn towards the node above as by "
                f"{self.shrinkage:g} row{'s' * (self.shrinkage != 1)}",
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
        columns = {
            _LONG_NAMES.get(name, name): np.array(getattr(self, name))
            for name in self._columns()
        }
        if "alpha" in columns and len(self.error) and self.risk != "mixed":
            root = self.error[-1]
            columns["cp"] = self.alpha / root if root > 0 else np.zeros(len(self.alpha))
        frame = pandas.DataFrame(columns)
        frame["chosen"] = np.arange(len(frame)) == self.chosen
        return frame

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
        sentences = [self.words, *(f"({note})" for note in self.all_notes)]
        lines = [line for each in sentences for line in wording.wrapped(each, "", "  ")]
        names = self._columns()
        if names:
            names = [name for name in names if name != "score_std"]
            heads = _HEADS | ({"error": "impurity"} if self.risk == "impurity" else {})
            if self._root_error != 1.0:
                one = wording.figures(self._root_error)
                what = heads["error"]
                lines += ["", f"  {what}s relative to that of the root, {one}:"]
            rows = range(len(self.n_leaves))
            width = {
                name: max(len(heads[name]), *(len(self._cell(r, name)) for r in rows))
                for name in names
            }
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
            mark = " <- least score" if len(self.score) else " <- least error"
        return "  " + "  ".join(cells) + mark

    def _cell(self, row: int, name: str) -> str:
        value = getattr(self, name)[row]
        if name == "against":
            return f"{100 * float(value):+.1f}%" if np.isfinite(value) else ""
        if name == "n_leaves":
            return f"{int(value):,}"
        if name in _ERRORS:
            return f"{float(value) / self._root_error:.3f}"
        if name in _SCORES:
            return f"{float(value):.4f}"
        return wording.figures(float(value), 3)


def without_tree(pruning: Pruning) -> Pruning:
    """Return a record of pruning that a tree can keep without keeping itself."""
    return replace(pruning, tree=None, _face=_itself)
