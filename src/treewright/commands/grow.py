"""``treewright grow``: from a data file to a tree, with honest figures."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from treewright.commands.estimator_flags import estimator_flags
from treewright.commands.flags import TreeCommand, data_argument, flag
from treewright.commands.inputs import Kind, Names, memory_flag

__all__ = ["command"]

_DATA = "Data"
_TEST = "Rows to measure the tree on"


class GrowCommand(TreeCommand):
    """A command with a flag for each parameter of the estimators, made when needed."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, with those of the estimators."""
        own = super().get_params(ctx)
        return [*own[:-2], *estimator_flags(), *own[-2:]]


@click.command(
    cls=GrowCommand,
    json_keys={
        "data": "the data file",
        "target": "the column to predict",
        "task": "class or number",
        "intake": "rows read, used and rejected, and the findings",
        "tree": "nodes, leaves, depth, columns used and fingerprint",
        "pruning": "why the tree has this size",
        "figures": "errors, each named by the rows that it was measured on",
        "python": "Python lines that make the same tree",
        "model": "the model file; null without -o",
        "report": "the report; null without --report",
        "plan": "where rows in parts grew, and what it took; null for one file",
    },
)
@data_argument
@flag("-t", "--target", required=True, metavar="NAME", help="The column to predict.")
@flag("-o", "--output", type=click.Path(), help="Save the model: NAME.tree.json.")
@flag("--report", type=click.Path(), help="Write an HTML report about the tree.")
@flag(
    "--task",
    type=click.Choice(["class", "number"]),
    help="Predict classes or numbers; by default what the target suggests.",
    section=_DATA,
)
@flag(
    "--columns",
    type=Names(),
    multiple=True,
    help="Use only these columns. May be repeated.",
    section=_DATA,
)
@flag(
    "--drop",
    type=Names(),
    multiple=True,
    help="Leave these columns out. May be repeated.",
    section=_DATA,
)
@flag(
    "--kind",
    "kinds",
    type=Kind(),
    multiple=True,
    help="Where the inferred kind is wrong: NAME=numeric, categorical, ordinal, "
    "date, 'day first' or 'month first'; NAME=low<middle<high for ordered "
    "categories. May be repeated.",
    section=_DATA,
)
@flag("--weight", metavar="NAME", help="A column of row weights.", section=_DATA)
@flag(
    "--groups",
    metavar="NAME",
    help="A column of groups: rows of one group are never both trained on and tested. "
    "It is no feature.",
    section=_DATA,
)
@flag(
    "--table",
    metavar="NAME",
    help="The sheet of an Excel file, or the table of a database.",
    section=_DATA,
)
@memory_flag
@flag(
    "--checkpoint",
    type=click.Path(),
    help="With rows in parts: a file from which the same command goes on if it is "
    "killed. It is removed at the end.",
    section=_DATA,
)
@flag(
    "--test-share",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Hold this share of the rows out.",
    section=_TEST,
)
@flag("--test", type=click.Path(), help="A file of test rows.", section=_TEST)
@flag(
    "--time",
    metavar="NAME",
    help="A column of numbers or dates: the latest rows are held out (a fifth, or "
    "--test-share). It is no feature.",
    section=_TEST,
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    data: str,
    target: str,
    output: str | None,
    report: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Grow a tree from a DATA file and measure it.

    The tree is pruned to the size that cross-validation chooses.

    DATA is CSV, TSV, Parquet, Arrow, JSON lines, Excel or SQLite; - is standard
    input. Missing values, categories and dates need no preparation.

    Parquet may be larger than memory, and a fifth of its rows decides on the size of
    the tree. DATA can also be a folder of Parquet files, or a pattern such as
    'rows/*.parquet' in quotes.

    \b
    Examples:
      treewright grow penguins.csv --target species
      treewright grow penguins.csv --target species --test-share 0.25 \\
        -o penguins.tree.json --report penguins.html
      treewright grow penguins.csv --target body_mass_g --max-depth 3
    """
    from treewright.commands.run_grow import run_grow

    given = {
        name: value
        for name, value in options.items()
        if ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE
    }
    given["kinds"] = dict(options["kinds"]) or None
    for option in ("columns", "drop"):
        given[option] = [name for names in options[option] for name in names] or None
    run_grow(data, target, given, output=output, report=report, as_json=as_json)
