"""Read the target of new rows, with classes numbered as in a tree."""

from typing import Any

import numpy as np

from treewright.errors import TableError
from treewright.table.raw import as_label, freeze
from treewright.table.schema import Schema
from treewright.table.table import ClassTarget, NumericTarget, Target
from treewright.table.target import read_target

__all__ = ["match_target"]


def match_target(schema: Schema, y: Any, n_rows: int, name: str = "y") -> Target:
    """Read the target of new rows by the schema of a tree.

    Parameters
    ----------
    schema : Schema
        The schema of the tree.
    y : array, series or list
        One value per row.
    n_rows : int
        Number of rows of the new data.
    name : str, default='y'
        The caller's name for it, for messages.

    Returns
    -------
    ClassTarget or NumericTarget
        Classes are numbered as in the schema.

    Raises
    ------
    TableError
        When y is None, has the wrong length, or holds a class that the tree does not
        know.
    """
    info = schema.target
    if info is None:
        raise TableError(
            f"{name} cannot be read, because the tree's schema has no target. Give the "
            "schema its target."
        )
    if y is None:
        raise TableError(
            f"{name} is None, but one target value per row is needed. Pass the target."
        )
    target = read_target(y, n_rows, info.kind)
    if isinstance(target, NumericTarget):
        return target
    number = {label: code for code, label in enumerate(info.classes)}
    codes = [number.get(as_label(each), -1) for each in target.classes.tolist()]
    if -1 in codes:
        unknown = target.classes.tolist()[codes.index(-1)]
        known = ", ".join(repr(each) for each in info.classes[:10])
        more = ", ..." if len(info.classes) > 10 else ""
        raise TableError(
            f"{name} has the class {unknown!r}, which was not there when the tree was "
            f"grown; its classes are {known}{more}. Leave such rows out."
        )
    new = np.array(codes, dtype=np.int32)[target.codes]
    return ClassTarget(freeze(new), np.array(info.classes, object), target.name)
