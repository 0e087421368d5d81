"""Hold rows out of a table, to measure a tree on rows that it was not grown on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, TableError
from treewright.options.rules import share as is_share
from treewright.pruning.folds import check_groups, deal, held_out
from treewright.table.table import Table

__all__ = ["hold_out"]


def hold_out(
    table: Table, share: float = 0.2, *, groups: Any = None, time: Any = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Divide the rows of a table into training rows and test rows.

    Parameters
    ----------
    table : Table
        A table with a target, from `read` or `as_table`.
    share : float, default=0.2
        Share of the rows to hold out, above 0 and below 1. The test rows are spread
        evenly over the target, and do not depend on the order of the rows.
    groups : array, series or list, default=None
        A group name per row; rows of one group stay together. Few or large groups may
        hold out another share than asked for.
    time : array, series or list of numbers or dates, default=None
        The time of each row: the test rows are the latest ones. Rows of equal time
        stay together.

    Returns
    -------
    training, test : int arrays
        Row numbers, ascending; ``table.take(rows)`` is the table of these rows.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.as_table({"wind": list(range(10))}, ["no", "yes"] * 5)
    >>> training, test = tw.hold_out(table, 0.2)
    >>> len(training), len(test), table.take(test).n_rows
    (8, 2, 2)
    """
    if not isinstance(table, Table) or table.target is None:
        raise TableError(
            "hold_out takes a Table with a target. Make one with tw.read(path, target) "
            "or tw.as_table(X, y)."
        )
    if not is_share(one=False)(share):
        raise OptionError(
            f"share must be a share of the rows above 0 and below 1; got {share!r}."
        )
    if groups is not None and time is not None:
        raise OptionError("Pass either groups or time, not both.")
    test = np.sort(_test_rows(table, share, groups, time))
    training = np.setdiff1d(np.arange(table.n_rows), test)
    for rows, name in ((training, "training"), (test, "test")):
        if not len(rows):
            raise TableError(
                f"share={share!r} of {table.n_rows} rows leaves no {name} row. Choose "
                "another share."
            )
    return training, test


def _test_rows(table: Table, share: float, groups: Any, time: Any) -> NDArray[np.int64]:
    if time is not None:
        return _latest(np.asarray(time), share, table.n_rows)
    if groups is None:
        return held_out(table, share, 0)
    numbers = check_groups(groups, table.n_rows)
    n_groups = int(numbers.max()) + 1
    if n_groups < 2:
        raise TableError(
            "All rows belong to one group, and the rows of a group stay together. "
            "Leave groups out, or hold rows out by hand."
        )
    n_folds = min(max(2, round(1 / share)), n_groups)
    return deal(table, n_folds, 0, numbers)[0].test


def _latest(time: NDArray[Any], share: float, n_rows: int) -> NDArray[np.int64]:
    """Return the rows from the time on that about this share of the rows reach."""
    if time.ndim != 1 or len(time) != n_rows:
        raise TableError(
            f"time must have one value per row, {n_rows} in all; got an array of "
            f"shape {time.shape}."
        )
    if time.dtype.kind not in "iufM":
        raise TableError(
            f"time must hold numbers or dates; got values such as {time[0]!r}."
        )
    missing = time != time  # NaN and NaT
    if missing.any():
        row = int(np.argmax(missing))
        raise TableError(
            f"time is missing in row {row}. Leave rows without a time out."
        )
    first = np.sort(time)[n_rows - max(1, round(share * n_rows))]
    return np.flatnonzero(time >= first)
