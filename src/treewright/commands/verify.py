"""``treewright verify``: an exported file against its model."""

from __future__ import annotations

import dataclasses

import click

from treewright.commands.failures import BAD_INPUT, say_warning
from treewright.commands.flags import TreeCommand, model_argument
from treewright.commands.inputs import load_model
from treewright.commands.output import print_json, say

__all__ = ["command"]


@click.command(
    cls=TreeCommand,
    json_keys={
        "export": "the exported file",
        "model": "the model file",
        "ok": "whether every answer is the tree's",
        "engine": "what ran the export",
        "n_rows": "number of rows compared",
        "n_embedded": "how many of them stand in the file itself",
        "differences": "the first rows with another answer, in words",
        "n_different": "number of rows with another answer",
        "same_tree": "whether the file names this tree; null if it names none",
    },
)
@click.argument("export", type=click.Path(), metavar="EXPORT")
@model_argument
def command(export: str, model: str, as_json: bool) -> None:
    """Run an exported file in its engine and compare the answers.

    EXPORT is a file that 'treewright export' wrote from MODEL. Its compiler,
    interpreter or database must be installed; a scorecard needs none. The rows reach
    every leaf and include every threshold, the numbers beside it, missing values and
    unseen categories. The exit code is 3 if an answer differs.

    \b
    Examples:
      treewright export penguins.tree.json -o penguins.py
      treewright verify penguins.py penguins.tree.json
    """
    found = load_model(model).verify(export)
    if as_json:
        record = dataclasses.asdict(found)
        print_json({"export": export, "model": model, "ok": found.ok, **record})
    else:
        say(found)
    if found.same_tree is False:
        say_warning(f"{export} says that it was written from another tree.")
    if not found.ok:
        raise click.exceptions.Exit(BAD_INPUT)
