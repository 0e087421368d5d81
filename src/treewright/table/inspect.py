"""`inspect`: what is suspicious about a table, before a tree is grown from it."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.table.as_table import as_table
from treewright.table.findings import look_at
from treewright.table.intake import Finding, Intake

__all__ = ["inspect"]


def inspect(X: Any, y: Any = None, kinds: Mapping[Any, Any] | None = None) -> Intake:
    """Return what is suspicious about a table; change nothing.

    Parameters
    ----------
    X : array, data frame, dict of columns, list of rows or Table
        The rows; see `as_table`.
    y : array, series or list, optional
        The target. With it, columns that give it away are found.
    kinds : dict, optional
        See `as_table`.

    Returns
    -------
    Intake
        Its `findings` name the column, the evidence and what to do, the most serious
        first; ``print`` shows them as a short table. Plain arrays and tables of fewer
        than 50 rows give none.

    Examples
    --------
    >>> import treewright as tw
    >>> prices = {"price": [f"${n:,}" for n in range(900, 1100)]}
    >>> print(tw.inspect(prices))
    200 rows, 1 column: 1 finding
      price  '$1,000', '$1,001', '$1,002' spell amounts of money in $ with commas \
for thousands. kinds={'price': 'numeric'} reads them; as text each is a category.
    """
    with warnings.catch_warnings():
        # The findings say the same, and more.
        warnings.simplefilter("ignore")
        table = as_table(X, y, kinds=kinds)
    return look_at(table).with_findings(_different_indexes(X, y))


def _different_indexes(X: Any, y: Any) -> list[Finding]:
    """Find a target whose rows are labelled in another order than those of X."""
    ours, theirs = getattr(X, "index", None), getattr(y, "index", None)
    if ours is None or theirs is None or callable(ours) or callable(theirs):
        return []
    if len(ours) != len(theirs) or np.array_equal(ours, theirs):
        return []
    row = int(np.argmax(np.asarray(ours) != np.asarray(theirs)))
    return [
        Finding(
            "index",
            None,
            f"the indexes of X and y differ from row {row} on ({ours[row]!r} and "
            f"{theirs[row]!r})",
            "Rows are taken in their order, not by index. Align them: y.loc[X.index].",
        )
    ]
