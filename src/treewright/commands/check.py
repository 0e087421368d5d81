"""``treewright check``: new data against a model."""

from __future__ import annotations

import click

from treewright.commands.flags import TreeCommand, data_argument, model_argument
from treewright.commands.inputs import load_model, memory_flag, read_rows, table_flag
from treewright.commands.output import print_json, say

__all__ = ["command"]


@click.command(
    cls=TreeCommand,
    json_keys={
        "model": "the model file",
        "data": "the data file",
        "check": "per column: unseen, newly missing and out of range, and the drift",
    },
)
@model_argument
@data_argument
@table_flag
@memory_flag
def command(
    model: str, data: str, table: str | None, memory_limit: str | None, as_json: bool
) -> None:
    """Compare new rows with those a MODEL has seen.

    \b
    Example:
      treewright check penguins.tree.json penguins.csv
    """
    from treewright.files.in_parts import is_in_parts

    tree = load_model(model)
    if is_in_parts(data):
        found = tree.check(data)
    else:
        rows = read_rows(
            tree, data, needs_target=False, table=table, memory_limit=memory_limit
        )
        found = tree.check(rows[0])
    if as_json:
        print_json({"model": model, "data": data, "check": found.to_dict()})
    else:
        say(found)
