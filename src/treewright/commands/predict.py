"""``treewright predict``: answers, probabilities, leaves and reasons for new rows."""

from __future__ import annotations

import click

from treewright.commands.flags import TreeCommand, data_argument, flag, model_argument
from treewright.commands.inputs import load_model, table_flag
from treewright.commands.output import check_outputs, print_json, say

__all__ = ["command"]


@click.command(
    cls=TreeCommand,
    json_keys={
        "model": "the model file",
        "data": "the data file",
        "output": "the file that was written; null without -o",
        "rows": "number of rows answered",
        "columns": "the columns that were added",
        "answers": "without -o: one object per row with these columns; otherwise null",
    },
)
@model_argument
@data_argument
@flag(
    "-o",
    "--output",
    type=click.Path(),
    help="The file to write: .csv, .tsv, .parquet or .jsonl; by default, CSV is "
    "printed.",
)
@flag("--only", is_flag=True, help="Leave the columns of the data out.")
@flag("--no-reason", is_flag=True, help="Leave the column 'reason' out.")
@flag(
    "--unseen",
    type=click.Choice(["missing", "error"]),
    help="Categories that the model has never seen: treat as missing, or refuse.",
)
@table_flag
def command(
    model: str,
    data: str,
    output: str | None,
    only: bool,
    no_reason: bool,
    unseen: str | None,
    table: str | None,
    as_json: bool,
) -> None:
    """Answer the rows of a DATA file with a MODEL.

    The output has the columns of the data, then 'answer', for classes 'probability of
    ...', 'leaf' and 'reason'. CSV, Parquet and Arrow files of any size are streamed; -
    is standard input.

    \b
    Examples:
      treewright predict penguins.tree.json penguins.csv -o answers.csv
      treewright predict penguins.tree.json penguins.csv --only | head -3
    """
    from treewright.commands.run_predict import Predictor, collect, write

    check_outputs([output], [model, data])
    tree = load_model(model)
    predictor = Predictor(tree, reasons=not no_reason, unseen=unseen)
    if as_json and output is None:
        answers = collect(predictor, data, table)
        n_rows = len(answers)
    else:
        answers = None
        n_rows = write(predictor, data, table, output or "-", only=only)
    if as_json:
        print_json(
            {
                "model": model,
                "data": data,
                "output": output,
                "rows": n_rows,
                "columns": predictor.columns,
                "answers": answers,
            }
        )
    elif output is not None:
        say(f"Wrote {n_rows:,} rows to {output}.")
