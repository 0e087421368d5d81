"""`inspect`: what is suspicious about a table, before a tree is grown from it."""

from collections.abc import Mapping
from typing import Any

from treewright.table.as_table import read_table
from treewright.table.findings import look_at
from treewright.table.intake import Intake

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
    >>> prices = [f"${n:,}" for n in range(900, 1100)]
    >>> print(tw.inspect({"price": prices, "size": [1, 2] * 100}))
    200 rows, 2 columns: 1 finding
      price  '$1,000', '$1,001', '$1,002' spell amounts of money in $ with commas \
for thousands. kinds={'price': 'numeric'} reads them; as text it is not used.
    """
    return look_at(read_table(X, y, kinds=kinds), X, y)
