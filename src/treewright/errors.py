"""The errors and warnings of treewright.

TreewrightError
|-- TableError               the table cannot be used (also a ValueError)
|   `-- ColumnError          ... because of one named column
|       `-- ColumnTypeError  ... whose cells have a type that cannot be read
|                            (also a TypeError)
|-- OptionError              an option is unknown or out of range
|                            (also a ValueError)
|-- ResourceLimitError       there is not enough memory for a file (also a MemoryError)
|-- ClusterError             a cluster gave no answer, or another one than before
|                            (also a RuntimeError)
`-- TreeFormatError          the arrays or the schema do not describe a valid tree
                             (also a ValueError)

UserWarning
|-- IntakeWarning            something about the training table is suspicious
|   |-- ColumnSetAsideWarning  columns that identify rows were set aside
|   `-- ColumnKindWarning      columns of numbers were read as categories
`-- UnseenCategoryWarning    a column of new data has categories the tree lacks

Every message states what went wrong, where, the value seen and what to do.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import Any

__all__ = [
    "ClusterError",
    "ColumnError",
    "ColumnKindWarning",
    "ColumnSetAsideWarning",
    "ColumnTypeError",
    "IntakeWarning",
    "OptionError",
    "ResourceLimitError",
    "TableError",
    "TreeFormatError",
    "TreewrightError",
    "UnseenCategoryWarning",
    "did_you_mean",
    "memory_explained",
    "nearest_name",
    "pandas_for_frames",
]


class TreewrightError(Exception):
    """The base class of all errors that treewright raises.

    Examples
    --------
    >>> import treewright as tw
    >>> try:
    ...     tw.read("nowhere.csv")
    ... except tw.TreewrightError as problem:
    ...     print(str(problem).partition(". ")[0])
    There is no file nowhere.csv
    """


class TableError(TreewrightError, ValueError):
    """The table cannot be used.

    Examples
    --------
    >>> import treewright as tw
    >>> tw.as_table({"wind": [3, 9]}, ["yes"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    treewright.errors.TableError: ...: give every row one target value.
    """


class ColumnError(TableError):
    """The table cannot be used because of one named column.

    Examples
    --------
    >>> import treewright as tw
    >>> X = {"wind": ["calm", "gale"]}
    >>> tw.as_table(X, kinds={"wind": "numeric"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    treewright.errors.ColumnError: Column 'wind' is numeric but 2 values are not ...
    """


class ColumnTypeError(ColumnError, TypeError):
    """A column holds cells that are neither text, numbers nor dates.

    Examples
    --------
    >>> import treewright as tw
    >>> tw.as_table({"wind": [{}, {}]})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    treewright.errors.ColumnTypeError: ...
    """


class OptionError(TreewrightError, ValueError):
    """An option is unknown, or its value is out of range.

    Examples
    --------
    >>> import treewright as tw
    >>> tw.GrowOptions(max_depth=0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    treewright.errors.OptionError: max_depth must be a whole number >= 1, ...; got 0.
    """


class ResourceLimitError(TreewrightError, MemoryError):
    r"""Reading a file, or growing a tree from it, needs more memory than allowed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import treewright as tw
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "wind.csv"
    >>> _ = path.write_text("\n".join(["wind,sail", *["3,no", "1,yes"] * 1000]))
    >>> tw.read(path, memory_limit="1kB")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    treewright.errors.ResourceLimitError: ...
    """


class ClusterError(TreewrightError, RuntimeError):
    """Workers of a cluster gave no answer in time, or not the one of before.

    Examples
    --------
    >>> import pickle
    >>> from treewright.growing.parts.on_worker import Task
    >>> task = Task(len, None)
    >>> task._version = "0.0"
    >>> pickle.loads(pickle.dumps(task)).opened()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    treewright.errors.ClusterError: A worker runs treewright ...
    """


class TreeFormatError(TreewrightError, ValueError):
    """The arrays or the schema do not describe a valid tree.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import treewright as tw
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "sail.tree.json"
    >>> _ = path.write_text("{}")
    >>> tw.load(path)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    treewright.errors.TreeFormatError: ...
    """


class IntakeWarning(UserWarning):
    """Something about the training table is suspicious; `intake_` lists it.

    Examples
    --------
    >>> import warnings, treewright as tw
    >>> X = {"wind": list(range(60))}
    >>> with warnings.catch_warnings(record=True) as given:
    ...     warnings.simplefilter("always")
    ...     model = tw.TreeClassifier().fit(X, ["yes", "no"] * 30)
    >>> [issubclass(each.category, tw.IntakeWarning) for each in given]
    [True]
    """


class ColumnSetAsideWarning(IntakeWarning):
    """Columns that identify rows, such as names or tickets, were set aside.

    Examples
    --------
    >>> import warnings, treewright as tw
    >>> X = {"name": [f"boat {i}" for i in range(60)], "wind": [3, 9, 5, 1] * 15}
    >>> with warnings.catch_warnings(record=True) as given:
    ...     warnings.simplefilter("always")
    ...     model = tw.TreeClassifier().fit(X, ["yes", "no"] * 30)
    >>> [issubclass(each.category, tw.ColumnSetAsideWarning) for each in given]
    [True]
    """


class ColumnKindWarning(IntakeWarning):
    """Columns were read as categories, though their values spell numbers or dates.

    Examples
    --------
    >>> import warnings, treewright as tw
    >>> X = {"wind": ["3 kn", "9 kn", "5 kn", "1 kn"] * 15}
    >>> with warnings.catch_warnings(record=True) as given:
    ...     warnings.simplefilter("always")
    ...     model = tw.TreeClassifier().fit(X, ["yes", "no", "no"] * 20)
    >>> [issubclass(each.category, tw.ColumnKindWarning) for each in given]
    [True]
    """


class UnseenCategoryWarning(UserWarning):
    """Columns of new data hold categories that the tree has never seen.

    Examples
    --------
    >>> import warnings, treewright as tw
    >>> X, y = {"sky": ["blue", "grey"]}, ["yes", "no"]
    >>> model = tw.TreeClassifier(prune=None).fit(X, y)
    >>> with warnings.catch_warnings(record=True) as given:
    ...     warnings.simplefilter("always")
    ...     answers = model.predict({"sky": ["azure", "slate", "blue"] * 2})
    >>> [each.category.__name__ for each in given]
    ['UnseenCategoryWarning']
    """


@contextmanager
def memory_explained(n_rows: int, n_columns: int) -> Iterator[None]:
    """Turn a MemoryError of growing into one that names the table and the remedies.

    Parameters
    ----------
    n_rows, n_columns : int
        Size of the table that the tree is grown on.
    """
    try:
        yield
    except MemoryError as problem:
        # The core sorts every column once: an entry of four bytes per value.
        needed = 4 * n_rows * n_columns / 2**20
        raise MemoryError(
            f"Not enough memory to grow a tree on {n_rows:,} rows and {n_columns:,} "
            f"columns: besides the table, its sorted columns take {needed:,.0f} MB, "
            "and as much again for every tree that grows at the same time. To need "
            "less, use prune=None or 'validation' instead of 'cv' or a smaller n_jobs "
            "(fewer trees at a time), fewer columns, a sample of the rows, or "
            "max_leaf_nodes."
        ) from problem


def pandas_for_frames() -> Any:
    """Return pandas, or explain how to install this optional package."""
    try:
        return import_module("pandas")
    except ImportError as problem:
        raise TreewrightError(
            "A data frame needs the package 'pandas': pip install pandas"
        ) from problem


def nearest_name(name: str, known: Iterable[str], alike: float = 0.5) -> str | None:
    """Return the known name that is most similar to `name`, for "did you mean".

    Parameters
    ----------
    name : str
        The name that was not found.
    known : iterable of str
        The names to choose from. The comparison ignores letter case.
    alike : float, default=0.5
        Least similarity, from 0 to 1 (the same name).

    Returns
    -------
    str or None
        The nearest name, or None if none is similar enough.
    """
    by_lower = {each.lower(): each for each in reversed(list(known))}
    near = get_close_matches(name.lower(), by_lower, n=1, cutoff=alike)
    return by_lower[near[0]] if near else None


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a sentence that suggests the nearest name, for the end of a message.

    Parameters
    ----------
    name : object
        What was not found.
    known : iterable of str
        The names to choose from.

    Returns
    -------
    str
        With a leading blank; '' if no name is similar enough.

    Examples
    --------
    >>> did_you_mean("gnii", ["gini", "entropy"])
    " Did you mean 'gini'?"
    """
    near = nearest_name(str(name), known)
    return f" Did you mean {near!r}?" if near else ""
