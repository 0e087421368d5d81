"""``treewright evaluate``: a model on rows with known answers."""

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
        "evaluation": "rows, error with its 95% interval, and figures by class, or "
        "r2, rmse and mae",
    },
)
@model_argument
@data_argument
@flag(
    "-t",
    "--target",
    metavar="NAME",
    help="The column of true answers; by default the target of the model.",
)
@flag("--weight", metavar="NAME", help="A column of row weights.")
@table_flag
@memory_flag
def command(
    model: str,
    data: str,
    target: str | None,
    weight: str | None,
    table: str | None,
    memory_limit: str | None,
    as_json: bool,
) -> None:
    """Measure a MODEL on rows with known answers.

    \b
    Example:
      treewright evaluate penguins.tree.json penguins.csv
    """
    from treewright.files.in_parts import is_in_parts

    tree = load_model(model)
    if is_in_parts(data):
        found = tree.evaluate(data, target, weight)
    else:
        rows = read_rows(
            tree,
            data,
            target=target,
            weight=weight,
            table=table,
            memory_limit=memory_limit,
        )
        found = tree.evaluate(*rows)
    if not as_json:
        say(found)
        return
    from treewright.commands.figures import evaluation_dict

    print_json({"model": model, "data": data, "evaluation": evaluation_dict(found)})
