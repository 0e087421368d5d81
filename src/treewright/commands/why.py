"""``treewright why``: the calculation behind a node."""

from __future__ import annotations

import click

from treewright.commands.flags import TreeCommand, data_argument, flag, model_argument
from treewright.commands.inputs import load_model, memory_flag, read_rows, table_flag
from treewright.commands.output import print_json, say

__all__ = ["command"]


@click.command(
    cls=TreeCommand,
    json_keys={
        "model": "the model file",
        "data": "the data file",
        "why": "the node, its rows, every candidate with its gain, and the choice",
    },
)
@model_argument
@data_argument
@click.argument("node", type=click.IntRange(0), default=0)
@flag("--column", metavar="NAME", help="List every candidate of this column.")
@flag("--weight", metavar="NAME", help="The column of weights it was grown with.")
@table_flag
@memory_flag
def command(
    model: str,
    data: str,
    node: int,
    column: str | None,
    weight: str | None,
    table: str | None,
    memory_limit: str | None,
    as_json: bool,
) -> None:
    """Show the calculation behind the split of a NODE.

    DATA are the rows that the MODEL was grown on. Nodes are numbered from 0, the
    root; 'treewright show --numbers' shows the numbers.

    \b
    Examples:
      treewright why penguins.tree.json penguins.csv
      treewright why penguins.tree.json penguins.csv 1 --column bill_length_mm
    """
    tree = load_model(model)
    rows = read_rows(tree, data, weight=weight, table=table, memory_limit=memory_limit)
    found = tree.why(node, *rows, column=column)
    if as_json:
        print_json({"model": model, "data": data, "why": found.to_dict()})
    else:
        say(found)
