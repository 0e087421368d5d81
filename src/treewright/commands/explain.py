"""``treewright explain``: why one row gets its answer."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

import click

from treewright.commands.flags import TreeCommand, flag, model_argument
from treewright.commands.inputs import Names, load_model
from treewright.commands.output import print_json, say, width_of
from treewright.errors import TableError, did_you_mean
from treewright.table.spelling import Spelling, is_missing_mark, recognise

if TYPE_CHECKING:
    from treewright.model import Tree

__all__ = ["command"]

_HELD = {
    "bool": "true or false",
    "date": "dates such as 2024-02-29",
    "datetime": "points in time such as '2024-02-29 14:30'",
    "duration": "durations such as 02:30:00",
    "time": "times of day such as 14:30",
}
"""What the values of a column that are not plain numbers are called."""


@click.command(
    cls=TreeCommand,
    json_keys={
        "model": "the model file",
        "row": "the values of the row",
        "explanation": "the answer, the steps to it, and the smallest change of it",
    },
)
@model_argument
@click.argument("values", nargs=-1, metavar="[NAME=VALUE]...")
@flag("--data", type=click.Path(), help="Take the row from this file.")
@flag("--row", type=click.IntRange(1), default=1, help="Its number, counted from 1.")
@flag(
    "--to", metavar="ANSWER", help="The wanted class, or a range of numbers LOW:HIGH."
)
@flag("--fixed", type=Names(), help="Columns that must not change.")
def command(
    model: str,
    values: tuple[str, ...],
    data: str | None,
    row: int,
    to: str | None,
    fixed: list[str] | None,
    as_json: bool,
) -> None:
    """Explain one answer, and what would change it.

    The row is given as values, as a row of a file, or as a row of a file with some
    values replaced. NAME= without a value is a missing value.

    \b
    Examples:
      treewright explain penguins.tree.json island=Dream bill_length_mm=45 \\
        flipper_length_mm=190
      treewright explain penguins.tree.json --data penguins.csv --row 5 --to Gentoo
    """
    if data is None and not values:
        raise click.UsageError("Name the row: NAME=VALUE ..., or --data FILE.")
    tree = load_model(model)
    cells = {} if data is None else _row_of_file(tree, data, row)
    cells |= _named_values(tree, values)
    one = {name: _typed(tree, name, cell) for name, cell in cells.items()}
    found = tree.explain(one, to=_wanted(tree, to), fixed=fixed or ())
    if as_json:
        print_json({"model": model, "row": cells, "explanation": found.to_dict()})
        return
    width = width_of(sys.stdout)
    say(found if width is None else found.text(width))


def _named_values(tree: Tree, values: tuple[str, ...]) -> dict[str, Any]:
    """Return what NAME=VALUE arguments say."""
    found = {}
    for each in values:
        name, sign, text = each.partition("=")
        if not (name and sign):
            raise click.UsageError(
                f"{each!r} is not NAME=VALUE. Put an equals sign between a column and "
                "its value."
            )
        if name not in tree.schema.index_of:
            hint = did_you_mean(name, tree.schema.names)
            raise click.UsageError(f"The model has no column {name!r}.{hint}")
        found[name] = text
    return found


def _row_of_file(tree: Tree, data: str, row: int) -> dict[str, Any]:
    """Return the cells of one row of a file."""
    from treewright.files.batches import read_batches

    n_rows = 0
    for batch in read_batches(data, tree.schema):
        place, n_rows = row - 1 - n_rows, n_rows + batch.rows.num_rows
        if row <= n_rows:
            cells = batch.rows.slice(place, 1).to_pylist()[0]
            return {n: v for n, v in cells.items() if n in tree.schema.index_of}
    raise TableError(
        f"{data} has {n_rows:,} row{'s' * (n_rows != 1)}; there is no row {row:,}. "
        "Rows are counted from 1, without the header."
    )


def _typed(tree: Tree, name: str, cell: Any) -> Any:
    """Return a cell as the column of the tree holds it; empty text is missing."""
    feature = tree.schema.features[tree.schema.index_of[name]]
    if not isinstance(cell, str) or feature.spelling is not None:
        return cell
    if feature.kind != "numeric" and feature.cuts is None:
        labels: dict[str, Any] = {str(label): label for label in feature.labels}
        if any(isinstance(label, bool) for label in feature.labels):
            labels |= {"true": True, "false": False}
        return labels.get(cell, None if is_missing_mark(cell) else cell)
    if is_missing_mark(cell, among_numbers=True):
        return None
    found = _value(cell.strip(), feature.stored_as)
    if found is None:
        held = _HELD.get(feature.stored_as, "numbers such as 1000.5")
        raise click.UsageError(
            f"Column {name!r} holds {held}; got {cell!r}. Leave it empty if it is "
            "missing."
        )
    return found


def _value(text: str, stored: str) -> Any:
    """Return the number, truth value or moment that a text spells; None if none."""
    from treewright.table.raw import parse_number

    if stored == "bool":
        return {"true": True, "false": False, "1": True, "0": False}.get(text.lower())
    return _moment(text, stored) if stored in _HELD else parse_number(text)


def _moment(text: str, stored: str) -> datetime | time | timedelta | None:
    spelling = recognise([text], kind="date")
    if not isinstance(spelling, Spelling):
        return None
    ticks = spelling.parse(text)
    if ticks is None:
        return None
    passed = timedelta(microseconds=ticks)
    if (spelling.what == "time") != (stored in ("duration", "time")):
        return None
    if stored == "duration":
        return passed
    moment = datetime(1970, 1, 1, tzinfo=UTC if spelling.zone else None) + passed
    return moment.time() if stored == "time" else moment


def _wanted(tree: Tree, to: str | None) -> Any:
    """Return the class that a text names, or the range that LOW:HIGH spells."""
    if to is None:
        return None
    if len(tree.classes):
        return {str(label): label for label in tree.classes.tolist()}.get(to, to)
    low, colon, high = to.partition(":")
    try:
        if colon and (low or high):
            return float(low or "-inf"), float(high or "inf")
    except ValueError:
        pass
    raise click.UsageError(
        f"--to needs a range of numbers such as 10:20, 10: or :20; got {to!r}."
    )
