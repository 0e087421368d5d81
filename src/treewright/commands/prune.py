"""``treewright prune``: the sizes of a tree, and a smaller one."""

from __future__ import annotations

from typing import Any

import click

from treewright.commands.flags import TreeCommand, flag, model_argument

__all__ = ["command"]

_CUT = "Where to cut (at most one)"


@click.command(
    cls=TreeCommand,
    json_keys={
        "model": "the model file",
        "path": "alpha, leaves and risk of every best pruning, the largest first",
        "tried": "the sizes that fitting tried, with their cross-validated errors; "
        "null if the model does not know them",
        "validation_error": "the error of each on the validation file; otherwise null",
        "tree": "nodes, leaves, depth, columns used and fingerprint of the tree cut; "
        "null without a cut",
        "output": "the file that was written; null without -o",
    },
)
@model_argument
@flag("--alpha", type=click.FloatRange(0), help="Price of a leaf.", section=_CUT)
@flag("--leaves", type=click.IntRange(1), help="Most leaves to keep.", section=_CUT)
@flag(
    "--node",
    "nodes",
    type=click.IntRange(0),
    multiple=True,
    help="Make a leaf of this node; may be repeated.",
    section=_CUT,
)
@flag(
    "--validation",
    type=click.Path(),
    help="A file of rows with known answers: cut every split that does not help there.",
    section=_CUT,
)
@flag(
    "--risk",
    type=click.Choice(["error", "impurity", "mixed"]),
    help="What alpha is weighed against; mixed is errors + 0.2 x log-loss. By default "
    "what the tree was pruned by, otherwise error.",
)
@flag("-o", "--output", type=click.Path(), help="Save the smaller tree.")
def command(
    model: str,
    output: str | None,
    risk: str | None,
    as_json: bool,
    **cuts: Any,
) -> None:
    """Show the sizes of a tree, and cut it to one.

    \b
    Examples:
      treewright prune penguins.tree.json
      treewright prune penguins.tree.json --leaves 3 -o small.tree.json
      treewright prune penguins.tree.json --validation penguins.csv
    """
    from treewright.commands.run_prune import run_prune

    chosen = [name for name, value in cuts.items() if value not in (None, ())]
    if len(chosen) > 1:
        from treewright.table.announce import listed

        named = listed(["--node" if n == "nodes" else f"--{n}" for n in chosen])
        raise click.UsageError(f"{named} cannot be used together; use one of them.")
    if output is not None and not chosen:
        raise click.UsageError(
            "-o saves a smaller tree; say where to cut: --alpha, --leaves, --node or "
            "--validation."
        )
    run_prune(model, cuts, output=output, risk=risk, as_json=as_json)
