"""``treewright show``: a tree as text, rules, a table or a picture."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treewright.commands.flags import TreeCommand, flag, model_argument
from treewright.commands.inputs import load_model
from treewright.commands.output import (
    aligned,
    check_outputs,
    print_json,
    print_tree,
    say,
    write_file,
)

if TYPE_CHECKING:
    from treewright.model import Tree

__all__ = ["command"]

_ENDINGS = {"txt": "text", "csv": "table", "mmd": "mermaid", "gv": "dot"}


@click.command(
    cls=TreeCommand,
    json_keys={
        "model": "the model file",
        "format": "the form of the tree",
        "content": "the tree in this form; rules and table: one object per entry; "
        "null for png",
        "output": "the file that was written; null without -o",
    },
)
@model_argument
@flag(
    "--format",
    "form",
    type=click.Choice(["text", "rules", "table", "mermaid", "dot", "svg", "png"]),
    help="The form; by default that of the ending of -o, otherwise text.",
)
@flag("-o", "--output", type=click.Path(), help="Write this file instead of printing.")
@flag("--max-depth", type=click.IntRange(0), help="Deepest level to show.")
@flag("--max-leaves", type=click.IntRange(1), help="Maximum number of leaves to show.")
@flag("--numbers", is_flag=True, help="Text: show the number of each node.")
def command(
    model: str,
    form: str | None,
    output: str | None,
    numbers: bool,
    as_json: bool,
    **limits: int | None,
) -> None:
    """Show a tree as text, rules, a table or a picture.

    \b
    Examples:
      treewright show penguins.tree.json
      treewright show penguins.tree.json --format rules
      treewright show penguins.tree.json -o penguins.svg
    """
    form = form or _form_of(output)
    if form == "png" and output is None:
        raise click.UsageError("A png picture needs a file: -o tree.png.")
    check_outputs([output], [model])
    tree = load_model(model)
    given = {name: limit for name, limit in limits.items() if limit is not None}
    if numbers and form == "text":
        given["numbers"] = True
    if output is None and not as_json and form == "text":
        print_tree(tree, **given)
        return
    content: Any = None if form == "png" else _CONTENTS[form](tree, given)
    if output is not None and form == "png":
        _draw_png(tree, output, given)
    elif output is not None:
        write_file(output, f"{_as_text(content)}\n".encode())
    if as_json:
        content = content.to_dict() if form == "rules" else content
        shown = {"model": model, "format": form, "content": content, "output": output}
        print_json(shown)
    elif output is not None:
        say(f"Wrote {output}.")
    elif form == "table" and sys.stdout.isatty():
        say(aligned(content))
    else:
        say(_as_text(content))


def _as_text(content: Any) -> str:
    """Return rules line by line, a table of nodes as CSV, other content as it is."""
    if not isinstance(content, list):
        return "\n".join(map(str, content)) if hasattr(content, "nodes") else content
    written = io.StringIO()
    table = csv.DictWriter(written, list(content[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(content)
    return written.getvalue().rstrip("\n")


def _form_of(output: str | None) -> str:
    """Return the form that the ending of a file's name stands for."""
    ending = "" if output is None else Path(output).suffix.lower()[1:]
    form = _ENDINGS.get(ending, ending or "text")
    if form not in (*_CONTENTS, "png"):
        raise click.UsageError(
            f"The ending of {output!r} names no form of a tree. Name the form, such as "
            "--format text, or end the name in .txt, .csv, .mmd, .dot, .svg or .png."
        )
    return form


def _nodes(tree: Tree) -> list[dict[str, Any]]:
    """Return one flat record per node, with the same keys for all of them."""
    import numpy as np

    from treewright.reading.answers.answer import answers
    from treewright.tree.data import STOP_REASONS

    data = tree.data
    answer = answers(data, np.arange(data.n_nodes)).tolist()
    records: list[dict[str, Any]] = []
    for node in range(data.n_nodes):
        split, parent = tree.split(node), tree.parent(node)
        above = None if parent is None else tree.split(parent)
        reason = STOP_REASONS[int(data.stop_reason[node])].name
        records.append(
            {
                "node": node,
                "parent": parent,
                "depth": int(data.depth[node]),
                "condition": "all rows"
                if above is None
                else above.words(int(data.branch[node])),
                "rows": int(data.n_rows[node]),
                "share": float(data.share[node]),
                "answer": answer[node],
                "risk": float(data.risk[node]),
                "impurity": float(data.impurity[node]),
                "split": None if split is None else split.feature,
                "gain": None if split is None else float(data.gain[node]),
                "stop_reason": reason if split is None else None,
            }
        )
    return records


def _draw_png(tree: Tree, output: str, options: dict[str, Any]) -> None:
    from treewright.plots import plot_tree

    picture = io.BytesIO()
    figure: Any = plot_tree(tree, **options).figure
    figure.savefig(picture, format="png", dpi=150, bbox_inches="tight")
    write_file(output, picture.getvalue())


_CONTENTS: Mapping[str, Callable[[Any, dict[str, Any]], Any]] = {
    "text": lambda tree, options: tree.text(**options),
    "rules": lambda tree, options: tree.rules(),
    "table": lambda tree, options: _nodes(tree),
    "mermaid": lambda tree, options: tree.to_mermaid(**options),
    "dot": lambda tree, options: tree.to_dot(**options),
    "svg": lambda tree, options: tree.to_svg(**options),
}
