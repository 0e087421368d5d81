"""The first lines of every exported file: what the tree is and what it reads."""

from __future__ import annotations

from treewright._version import __version__
from treewright.exporting.program import Program, Variable
from treewright.tree import wording

__all__ = ["converted_columns", "describe", "heading", "plain"]


def heading(program: Program, *, units: bool = True, **facts: str) -> list[str]:
    """Return lines that describe a file.

    Parameters
    ----------
    program : Program
        The program.
    units : bool, default=True
        Whether dates and times are passed as microseconds.
    **facts
        As for `Program.mark`.

    Returns
    -------
    list of str
        Plain text; a column name or category in it may contain any character.
    """
    n = program.tree.n_leaves
    kind = "class" if program.is_classifier else "number"
    leaves = f"{n:,} {'leaf' if n == 1 else 'leaves'}"
    lines = [
        f"A decision tree for {wording.name(program.target)} (a {kind}), {leaves}, "
        f"written by treewright {__version__}.",
        program.mark(**facts),
        "",
    ]
    if not program.variables:
        return [*lines, "It reads no column: every row gets the same answer."]
    columns = [f"  {describe(variable, units=units)}" for variable in program.variables]
    return [*lines, "Columns that it reads:", *columns, *converted_columns(program)]


def converted_columns(program: Program) -> list[str]:
    """Return lines that list the columns converted from text; empty if none was."""
    found = [_converted(program, variable) for variable in program.variables]
    listed = [f"  {line}" for line in found if line]
    head = "Converted from text before growing; pass the converted values:"
    return [head, *listed] if listed else []


def _converted(program: Program, variable: Variable) -> str:
    """Return how the text of a column was read; empty if it was not text."""
    feature = program.tree.schema.features[variable.column]
    name = wording.name(variable.name)
    if feature.spelling is not None:
        return f"{name}: {feature.spelling.words}"
    return f"{name}: numbers" if feature.stored_as == "text" else ""


def describe(variable: Variable, *, units: bool = True) -> str:
    """Return the name of a variable and the values that it takes.

    Parameters
    ----------
    variable : Variable
        The variable.
    units : bool, default=True
        Whether dates and times are passed as microseconds.

    Returns
    -------
    str
    """
    n = len(variable.labels)
    kinds = {
        "number": "a number",
        "bool": "true or false",
        "date": "a date",
        "datetime": "a point in time",
        "duration": "a duration",
        "time": "a time of day",
        "text": f"a text, one of {n} categories",
        "code": f"a number, one of {n} categories",
    }
    since = {
        "date": " since 1970-01-01",
        "datetime": f" since 1970-01-01{' UTC' if variable.timezone else ''}",
        "time": " since midnight",
        "duration": "",
    }
    unit = ", compared in UTC" if variable.timezone else ""
    if units and variable.type in since:
        unit = f", in microseconds{since[variable.type]}"
    return f"{wording.name(variable.name)}: {kinds[variable.type]}{unit}"


def plain(text: str) -> str:
    """Return text that cannot end a comment or a line.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
    """
    safe = "".join(c if c.isprintable() else " " for c in text)
    return safe.replace("*/", "* /").replace("/*", "/ *").replace("\\", "/")
