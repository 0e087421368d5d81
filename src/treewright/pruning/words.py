"""Which size was chosen, and why, in a sentence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.pruning.select import Choice, SizeRule
from treewright.tree import wording

__all__ = ["leaves_words", "words_of_choice"]


def leaves_words(n: int) -> str:
    """Return the number of leaves with its noun: '1 leaf', '2 leaves'."""
    return wording.count(n, "leaf", "leaves")


def words_of_choice(choice: Choice, leaves: NDArray[np.int64], size: SizeRule) -> str:
    """Return which tree was taken, why, and what a smaller one would cost.

    Parameters
    ----------
    choice : Choice
        The choice.
    leaves : int array
        Number of leaves of each step.
    size : SizeRule
        The rule.

    Returns
    -------
    str
    """
    taken, best = int(leaves[choice.step]), int(leaves[choice.best])
    root = len(leaves) - 1
    if choice.fell_back:
        own, one = (f"{choice.log_loss[s]:.4g}" for s in (choice.step, root))
        return (
            f"no size clearly has fewer errors than one leaf; {leaves_words(taken)} by "
            f"log-loss, {own} instead of {one} for one leaf: use predict_proba, costs= "
            "or priors="
        )
    if choice.step == root and size.rule == "price":
        return "1 leaf: no size is better than one leaf"
    what = {"auto": "score", "log_loss": "log-loss"}.get(size.by, "error")
    if not len(choice.log_loss):
        what = "error"
    if size.rule == "min" or choice.best == choice.step == root:
        return f"{leaves_words(taken)}: the tree with the least cross-validated {what}"
    if size.rule == "1se":
        return f"{leaves_words(taken)}: {_one_se_reason(choice, best, what)}"
    why = (
        f"the tree with the least cross-validated {what}"
        if choice.step == choice.best
        else f"within {_margin(size)} of the best, {leaves_words(best)}"
    )
    return f"{leaves_words(taken)}: {why}{_price_of_half(choice, leaves)}"


def _margin(size: SizeRule) -> str:
    half = "half a" if size.by == "log_loss" else "one"
    return f"{half} standard error"


def _one_se_reason(choice: Choice, best: int, what: str) -> str:
    if choice.step == choice.best:
        return (
            f"the tree with the least cross-validated {what}; no smaller tree is "
            "within one standard error of it"
        )
    return (
        f"the smallest tree within one standard error of the best, {leaves_words(best)}"
    )


def _but(choice: Choice, half: int) -> str:
    """Return why a smaller tree of no more error was not taken: its probabilities."""
    if not len(choice.log_loss):
        return ""
    own, other = choice.log_loss[choice.step], choice.log_loss[half]
    return f", but a log-loss of {other:.4g} instead of {own:.4g}" * bool(other > own)


def _price_of_half(choice: Choice, leaves: NDArray[np.int64]) -> str:
    """Return what a tree of half the size would cost in error."""
    taken = int(leaves[choice.step])
    error = float(choice.error[choice.step])
    if taken < 2 or not error > 0:
        return ""
    half = int(np.flatnonzero(leaves <= taken // 2)[0])
    more = float(choice.error[half]) / error - 1.0
    if more < 0.0005:
        return f"; half as many would cost no more error{_but(choice, half)}"
    if more >= 1.0:
        return f"; half as many would have {1.0 + more:.1f} times the error"
    return f"; half as many would cost {wording.percent(more)} more error"
