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
from treewright.table.spelling import (
    VALUES_OF,
    Spelling,
    is_missing_mark,
    parse_duration,
    recognise,
)

if TYPE_CHECKING:
    from treewright.model import Tree
    from treewright.table.schema import Feature

__all__ = ["command"]


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
    cells, one = ({}, {}) if data is None else _row_of_file(tree, data, row)
    named = _named_values(tree, values)
    cells |= named
    one |= {name: _typed(tree, name, text) for name, text in named.items()}
    found = tree.explain(one, to=_wanted(tree, to), fixed=fixed or ())
    if as_json:
        print_json({"model": model, "row": cells, "explanation": found.to_dict()})
        return
    width = width_of(sys.stdout)
    say(found if width is None else found.text(width))


def _named_values(tree: Tree, values: tuple[str, ...]) -> dict[str, str]:
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


def _row_of_file(
    tree: Tree, data: str, row: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the cells of one row: as in the file, and as the tree reads them."""
    from treewright.files.batches import read_batches

    n_rows = 0
    for batch in read_batches(data, tree.schema):
        place, n_rows = row - 1 - n_rows, n_rows + batch.rows.num_rows
        if row <= n_rows:
            cells = batch.rows.slice(place, 1).to_pylist()[0]
            known = [name for name in cells if name in tree.schema.index_of]
            typed = batch.X.row(place)
            return {n: cells[n] for n in known}, {n: typed[n] for n in known}
    raise TableError(
        f"{data} has {n_rows:,} row{'s' * (n_rows != 1)}; there is no row {row:,}. "
        "Rows are counted from 1, without the header."
    )


def _typed(tree: Tree, name: str, text: str) -> Any:
    """Return what a text stands for in a column of the tree; None if it is missing."""
    feature = tree.schema.features[tree.schema.index_of[name]]
    if feature.spelling is not None:
        return text
    stored = feature.stored_as
    if feature.kind != "numeric" and feature.cuts is None:
        if feature.has_text != {False}:
            return _category(feature, text)
        stored = "bool" if isinstance(feature.labels[0], bool) else "float"
    if is_missing_mark(text, among_numbers=True):
        return None
    found = _value(text.strip(), stored)
    if found is None:
        held = VALUES_OF.get(stored, "numbers such as 1000.5")
        raise click.UsageError(
            f"Column {name!r} holds {held}; got {text!r}. Leave it empty if it is "
            "missing."
        )
    return found


def _category(feature: Feature, text: str) -> Any:
    labels: dict[str, Any] = {str(label): label for label in feature.labels}
    return labels.get(text, None if is_missing_mark(text) else text)


def _value(text: str, stored: str) -> Any:
    """Return what a text spells: a number, a truth value, a moment; None if nothing."""
    from treewright.table.raw import parse_number, truth_value

    if stored == "bool":
        return truth_value(text)
    if stored == "duration":
        ticks = parse_duration(text)
        return None if ticks is None else timedelta(microseconds=ticks)
    return _moment(text, stored) if stored in VALUES_OF else parse_number(text)


def _moment(text: str, stored: str) -> datetime | time | None:
    spelling = recognise([text], kind="date")
    if not isinstance(spelling, Spelling):
        return None
    ticks = spelling.parse(text)
    if ticks is None or (spelling.what == "time") != (stored == "time"):
        return None
    passed = timedelta(microseconds=ticks)
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
