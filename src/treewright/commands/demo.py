"""``treewright demo``: the whole story on a table that comes with treewright."""

from __future__ import annotations

import io
import shlex
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from importlib.resources import files
from pathlib import Path

import click

from treewright.commands.flags import TreeCommand, flag
from treewright.commands.output import heading, print_json, say

__all__ = ["STORY", "command"]

_TABLE = "penguins.csv"
_MODEL = "penguins.tree.json"
STORY = (
    (
        "What is in the file?",
        f"treewright inspect {_TABLE} --target species",
    ),
    (
        "Grow a tree; a quarter of the rows is held out to measure it.",
        f"treewright grow {_TABLE} --target species --test-share 0.25 -o {_MODEL} "
        "--report penguins.html",
    ),
    (
        "The tree as rules.",
        f"treewright show {_MODEL} --format rules",
    ),
    (
        f"Why was the first split chosen? ({_TABLE} also contains the held-out rows, "
        "so these gains differ slightly from those in the tree.)",
        f"treewright why {_MODEL} {_TABLE} 0",
    ),
    (
        "Answer the rows of a file, with reasons.",
        f"treewright predict {_MODEL} {_TABLE} -o answers.csv",
    ),
    (
        "Explain one answer, and what would change it.",
        f"treewright explain {_MODEL} --data {_TABLE} --row 1",
    ),
    (
        "Do the rows of a file look like those that the tree has seen?",
        f"treewright check {_MODEL} {_TABLE}",
    ),
    (
        "Cut the tree to three leaves.",
        f"treewright prune {_MODEL} --leaves 3 -o small.tree.json",
    ),
)
"""What is done, and the command that does it."""


@click.command(
    cls=TreeCommand,
    json_keys={
        "folder": "where the files are; null if they were removed",
        "commands": "the commands of the story, in order",
    },
)
@flag("--into", type=click.Path(file_okay=False), help="Keep the files in this folder.")
@click.pass_context
def command(ctx: click.Context, into: str | None, as_json: bool) -> None:
    """Show the whole story on a small table.

    \b
    Examples:
      treewright demo
      treewright demo --into .
    """
    if into is not None:
        Path(into).mkdir(parents=True, exist_ok=True)
        _tell(ctx, into, silent=as_json)
    else:
        with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
            _tell(ctx, folder, silent=as_json)
    if as_json:
        print_json({"folder": into, "commands": [line for _, line in STORY]})
    elif into is not None:
        heading(f"The files are in {into}.")
    else:
        heading("treewright demo --into FOLDER keeps the files.")


def _tell(ctx: click.Context, folder: str, *, silent: bool) -> None:
    """Run the commands of the story in a folder."""
    source = files("treewright") / "data" / _TABLE
    Path(folder, _TABLE).write_bytes(source.read_bytes())
    group = ctx.find_root().command
    with chdir(folder):
        for words, line in STORY:
            if not silent:
                heading(words)
                say(f"$ {line}\n")
            heard = io.StringIO() if silent else sys.stdout
            with redirect_stdout(heard):
                group.main(shlex.split(line)[1:], "treewright", standalone_mode=False)
