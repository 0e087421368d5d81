"""``treewright export``: a tree as a program or a table for another place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treewright.commands.flags import TreeCommand, flag, model_argument
from treewright.commands.inputs import load_model
from treewright.commands.output import print_json, say, write_file

__all__ = ["command"]

_FORMATS = (
    "sql",
    "python",
    "javascript",
    "c",
    "java",
    "rust",
    "r",
    "onnx",
    "pmml",
    "xlsx",
    "scorecard",
)
_DIALECTS = (
    "ansi",
    "postgresql",
    "duckdb",
    "sqlite",
    "mysql",
    "bigquery",
    "snowflake",
    "spark",
    "tsql",
)


if TYPE_CHECKING:
    _ParamType = click.ParamType[bool | int]
else:
    _ParamType = click.ParamType  # before click 8.4 it takes no type


class _Rows(_ParamType):
    """``all``, ``none`` or a number of rows."""

    name = "rows"

    def convert(self, value: Any, param: Any, ctx: Any) -> bool | int:
        """Return True, False or the number."""
        words = {"all": True, "none": False}
        if value not in words and not value.isdecimal():
            self.fail(f"{value!r} is not 'all', 'none' or a number of rows.")
        return words[value] if value in words else int(value)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return the accepted values."""
        return "all|none|INT"


@click.command(
    cls=TreeCommand,
    json_keys={
        "model": "the model file",
        "format": "the format",
        "output": "the file that was written; null without -o",
        "content": "without -o: the text of the export; otherwise null",
    },
)
@model_argument
@flag(
    "--to",
    "form",
    type=click.Choice(_FORMATS),
    help="The format; by default that of the ending of -o.",
)
@flag("-o", "--output", type=click.Path(), help="Write this file instead of printing.")
@flag(
    "--check-rows",
    type=_Rows(),
    help="Embed rows with the expected answers, which verify runs.",
)
@flag("--dialect", type=click.Choice(_DIALECTS), help="SQL: the database.")
@flag("--table", help="SQL: the table to score; without it, a CASE expression.")
@flag(
    "--form",
    "sql_form",
    type=click.Choice(["case", "select", "view"]),
    help="SQL: what to write.",
)
@flag("--view", help="SQL: the name of the view.")
@flag("--prefix", help="SQL: begins the names of the added columns.")
@flag("--probabilities", is_flag=True, help="SQL: add one column per class.")
@flag("--leaf", is_flag=True, help="SQL: add the number of the leaf.")
@flag("--reason", is_flag=True, help="SQL: add the rule of the leaf in words.")
@flag("--rows", type=click.IntRange(1), help="xlsx: rows to type into; default 100.")
@flag("--good", help="scorecard: the class that earns points.")
@flag("--pdo", type=float, help="scorecard: points that double the odds; default 20.")
@flag("--points", type=float, help="scorecard: the score of --odds; default 600.")
@flag("--odds", type=float, help="scorecard: the odds of --points; default 50.")
def command(
    model: str,
    form: str | None,
    output: str | None,
    sql_form: str | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Export a tree as code, SQL, a spreadsheet or a scorecard.

    The export gives the answers of the tree for every row, also for missing values and
    unseen categories.

    \b
    Examples:
      treewright export penguins.tree.json --to sql --dialect duckdb --table penguins
      treewright export penguins.tree.json -o penguins.py --check-rows all
    """
    form = form or _form_of(output)
    if form in ("onnx", "xlsx") and output is None:
        raise click.UsageError(f"The format {form} is not text: name a file with -o.")
    switches = {"probabilities", "leaf", "reason"}
    options = {
        name: value
        for name, value in {**flags, "form": sql_form}.items()
        if value is not None and (value is not False or name not in switches)
    }
    tree = load_model(model)
    written = tree.export(form, **options)
    if output is not None:
        write_file(output, written if isinstance(written, bytes) else written.encode())
    if as_json:
        content = None if output is not None else str(written)
        print_json(
            {"model": model, "format": form, "output": output, "content": content}
        )
    else:
        say(str(written).rstrip("\n") if output is None else f"Wrote {output}.")


def _form_of(output: str | None) -> str:
    """Return the format that the ending of a file's name stands for."""
    from treewright.exporting.export import FORMATS

    suffix = "" if output is None else Path(output).suffix.lower()
    found = [name for name, each in FORMATS.items() if each.suffix.lower() == suffix]
    if not found:
        ending = f"The ending of {output!r} names no format. " if suffix else ""
        raise click.UsageError(f"{ending}Name the format: --to {', '.join(_FORMATS)}.")
    return found[0]
