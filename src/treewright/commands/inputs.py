"""What the commands read: model files and data files."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import click

from treewright.commands.failures import say_warning
from treewright.commands.flags import flag

if TYPE_CHECKING:
    from treewright.model import Tree

__all__ = [
    "Kind",
    "Names",
    "load_model",
    "memory_flag",
    "read_rows",
    "table_flag",
]


class Names(click.ParamType):  # type: ignore[type-arg]
    """Column names, separated by commas; a name with a comma stands in quotes."""

    name = "names"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[str]:
        """Return the names."""
        return next(csv.reader([value], skipinitialspace=True), [])

    def get_metavar(self, param: Any, ctx: Any = None) -> str:
        """Return the form of the value."""
        return "NAME,..."


class Kind(click.ParamType):  # type: ignore[type-arg]
    """The kind of a column: NAME=KIND, or NAME=low<middle<high for ordered ones."""

    name = "kind"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, Any]:
        """Return name and kind; ordered categories are a list."""
        name, sign, kind = value.rpartition("=")
        if not (name and sign and kind):
            self.fail(f"{value!r} is not NAME=KIND, such as zip=categorical.")
        return name, kind.split("<") if "<" in kind else kind

    def get_metavar(self, param: Any, ctx: Any = None) -> str:
        """Return the form of the value."""
        return "NAME=KIND"


memory_flag = flag(
    "--memory-limit",
    metavar="SIZE",
    help="Memory that reading may need, such as 500MB or 4GB; by default 80 % of what "
    "the process may use.",
)


table_flag = flag(
    "--table", metavar="NAME", help="The sheet or the table of the data file."
)


def load_model(path: str) -> Tree:
    """Load the tree of a model file."""
    from treewright.model import load

    return load(path)


def is_model(path: str) -> bool:
    """Return whether a file begins as model files do."""
    try:
        with open(path, "rb") as file:
            start = file.read(200)
    except OSError:
        return False  # the reader of data files explains it
    return b'"format": "treewright' in start


def read_rows(
    tree: Tree, path: str, *, needs_target: bool = True, **options: Any
) -> tuple[Any, Any, Any]:
    """Read the rows of a data file as a tree knows them.

    Parameters
    ----------
    tree : Tree
        The tree.
    path : str
        The data file.
    needs_target : bool, default=True
        Whether the true answers are needed; rows without one are left out.
    **options
        Further options of `read_for_tree`.

    Returns
    -------
    X, y, sample_weight
    """
    from treewright.files.for_tree import read_for_tree

    found = read_for_tree(path, tree.schema, needs_target=needs_target, **options)
    if found.no_target:
        left_out = f"{found.no_target:,} row{'s' * (found.no_target > 1)}"
        say_warning(f"{left_out} of {path} without a target left out.")
    return found.X, found.y, found.weights
