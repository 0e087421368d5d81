"""``treewright inspect``: what is in a data file or a model file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from treewright.commands.failures import as_flags
from treewright.commands.flags import TreeCommand, flag
from treewright.commands.inputs import is_model, load_model, memory_flag
from treewright.commands.output import aligned, heading, intake_dict, print_json, say
from treewright.files.opened import shown_name

if TYPE_CHECKING:
    from treewright.model import Tree
    from treewright.table.table import Table

__all__ = ["command"]


@click.command(
    cls=TreeCommand,
    json_keys={
        "file": "the file",
        "holds": "data or model",
        "columns": "name, kind, and the reason for it, of each column",
        "intake": "rows and findings of the data, or of the model's training data",
        "model": "size, target, method and options of a model; null for data",
    },
)
@click.argument("file", type=click.Path(), metavar="FILE")
@flag("-t", "--target", metavar="NAME", help="Data: the column to predict.")
@flag("--table", metavar="NAME", help="Data: the sheet or the table.")
@memory_flag
def command(
    file: str,
    target: str | None,
    table: str | None,
    memory_limit: str | None,
    as_json: bool,
) -> None:
    """Show what a data file or a model file holds.

    \b
    Examples:
      treewright inspect penguins.csv --target species
      treewright inspect penguins.tree.json
    """
    if is_model(file):
        _inspect_model(file, load_model(file), as_json)
        return
    from treewright.files.read import read

    _inspect_data(
        file, read(file, target, table=table, memory_limit=memory_limit), as_json
    )


def _inspect_data(file: str, table: Table, as_json: bool) -> None:
    from treewright.table.findings import look_at

    intake = look_at(table)
    if as_json:
        columns = _columns(table.schema)
        print_json(
            {
                "file": file,
                "holds": "data",
                "columns": columns,
                "intake": intake_dict(intake),
                "model": None,
            }
        )
        return
    say(as_flags(f"{shown_name(file)}: {intake}"))
    heading("Columns")
    say(as_flags(aligned(_columns(table.schema))))


def _columns(schema: Any) -> list[dict[str, Any]]:
    return [
        {"name": each.name, "kind": each.kind, "why": each.set_aside or each.reason}
        for each in schema.features
    ]


def _inspect_model(file: str, tree: Tree, as_json: bool) -> None:
    from treewright.commands.figures import tree_dict

    made, target = dict(tree.data.made_by), tree.schema.target
    intake, pruning = made.get("intake"), made.get("pruning")
    record = {
        **tree_dict(tree),
        "target": None if target is None else target.name,
        "classes": tree.classes.tolist(),
        "method": tree.method,
        "criterion": str(tree.criterion),
        "made_with": made.get("parameters") or made.get("options"),
        "version": made.get("version"),
        "pruning": None if pruning is None else pruning.words,
        "evaluation": tree.evaluation,
        "notes": tree.notes,
    }
    if as_json:
        print_json(
            {
                "file": file,
                "holds": "model",
                "columns": _columns(tree.schema),
                "intake": None if intake is None else intake_dict(intake),
                "model": record,
            }
        )
        return
    say(f"{file}: {tree!r}")
    for name, value in record.items():
        if value not in (None, (), [], {}) and name not in ("nodes", "leaves", "depth"):
            say(f"  {name.replace('_', ' ')}: {_words(value)}")
    heading("Columns")
    say(as_flags(aligned(_columns(tree.schema))))
    if intake is not None:
        heading("Training data")
        say(as_flags(str(intake)))


def _words(value: Any) -> str:
    """Return a value of a record as text; of options, those that are set."""
    if isinstance(value, Mapping):
        return ", ".join(f"{k}={v}" for k, v in value.items() if v is not None)
    if isinstance(value, str):
        return value
    return ", ".join(map(str, value)) if hasattr(value, "__iter__") else str(value)
