"""The optional packages of this folder, or the command that installs them."""

from importlib import import_module
from typing import Any

from treewright.errors import TreewrightError

__all__ = ["package"]

_EXTRA_OF = {"pyarrow": "io", "python_calamine": "io", "duckdb": "sql"}


def package(name: str, purpose: str) -> Any:
    """Return an optional package, or explain how to install it.

    Parameters
    ----------
    name : str
        A module such as 'pyarrow.csv'.
    purpose : str
        What it is needed for, the start of a sentence: 'Reading CSV files'.

    Returns
    -------
    module

    Raises
    ------
    TreewrightError
        When it is not installed.
    """
    try:
        return import_module(name)
    except ImportError as problem:
        root = name.partition(".")[0]
        raise TreewrightError(
            f"{purpose} needs the package {root.replace('_', '-')!r}: "
            f"pip install 'treewright[{_EXTRA_OF[root]}]'"
        ) from problem
