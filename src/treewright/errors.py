"""What can go wrong.

TreewrightError
|-- TableError               the table cannot be used (also a ValueError)
|   `-- ColumnError          ... because of one named column
|       `-- ColumnTypeError  ... whose cells are of a kind we cannot read
|                            (also a TypeError)
|-- OptionError              an option is unknown or out of range
|                            (also a ValueError)
`-- TreeFormatError          a saved tree is damaged or newer than this version
                             (also a ValueError)

UserWarning
|-- ColumnSetAsideWarning    columns that tell rows apart were set aside
|-- ColumnKindWarning        columns of numbers were read as categories
`-- UnseenCategoryWarning    a column of new data has no category the tree knows

Every message says what went wrong, where, the value seen and what to do.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import Any

__all__ = [
    "ColumnError",
    "ColumnKindWarning",
    "ColumnSetAsideWarning",
    "ColumnTypeError",
    "OptionError",
    "TableError",
    "TreeFormatError",
    "TreewrightError",
    "UnseenCategoryWarning",
    "memory_explained",
    "nearest_name",
    "pandas_for_frames",
]


class TreewrightError(Exception):
    """Anything treewright refuses to do."""


class TableError(TreewrightError, ValueError):
    """The table cannot be used as given."""


class ColumnError(TableError):
    """The table cannot be used because of one named column."""


class ColumnTypeError(ColumnError, TypeError):
    """A column holds cells that are neither text, numbers nor dates."""


class OptionError(TreewrightError, ValueError):
    """An option is unknown, or its value is out of range."""


class TreeFormatError(TreewrightError, ValueError):
    """A saved tree is damaged, or was written by a newer version."""


class ColumnSetAsideWarning(UserWarning):
    """Columns that tell rows apart, not classes, were set aside."""


class ColumnKindWarning(UserWarning):
    """Columns were read as categories, though nearly all values spell numbers."""


class UnseenCategoryWarning(UserWarning):
    """No category in a column of new data was there when the tree was grown."""


@contextmanager
def memory_explained(n_rows: int, n_columns: int) -> Iterator[None]:
    """Say what was asked for, and what would help, where memory runs out in growing.

    Parameters
    ----------
    n_rows, n_columns : int
        Of the table that the tree is grown on.
    """
    try:
        yield
    except MemoryError as problem:
        # The core sorts every column once: an entry of four bytes per value.
        needed = 4 * n_rows * n_columns / 2**20
        raise MemoryError(
            f"Not enough memory to grow a tree on {n_rows:,} rows and {n_columns:,} "
            f"columns: besides the table, its sorted columns take {needed:,.0f} MB, "
            "and as much again for every tree that grows at the same time. What "
            "helps: prune=None or 'validation' instead of 'cv' or a smaller n_jobs "
            "(fewer trees at a time), fewer columns, a sample of the rows, or "
            "max_leaf_nodes."
        ) from problem


def pandas_for_frames() -> Any:
    """Return pandas, which is optional; say how to get it where it is missing."""
    try:
        return import_module("pandas")
    except ImportError as problem:
        raise TreewrightError(
            "A data frame needs the package 'pandas': pip install pandas"
        ) from problem


def nearest_name(name: str, known: Iterable[str], alike: float = 0.5) -> str | None:
    """Return the known name most like the one given, for "did you mean".

    Parameters
    ----------
    name : str
        The name that was not found.
    known : iterable of str
        The names there are. Letter case is ignored in the comparison.
    alike : float, default=0.5
        How similar a name must be, from 0 to 1, the same name.

    Returns
    -------
    str or None
        The nearest name, or None when none is similar.
    """
    by_lower = {each.lower(): each for each in reversed(list(known))}
    near = get_close_matches(name.lower(), by_lower, n=1, cutoff=alike)
    return by_lower[near[0]] if near else None
