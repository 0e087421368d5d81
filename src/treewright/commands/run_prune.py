"""The work of ``treewright prune``: the table of sizes, and the cut."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.api import pruning_path
from treewright.commands.figures import tree_dict
from treewright.commands.inputs import load_model, read_rows
from treewright.commands.output import (
    aligned,
    check_outputs,
    heading,
    print_json,
    print_tree,
    say,
)
from treewright.model import Tree
from treewright.pruning.path import PruningPath
from treewright.pruning.result import Pruning
from treewright.pruning.validation import prune_by_validation
from treewright.reading.answers.evaluation import errors_of_path
from treewright.storing.record import steps_out
from treewright.tree.new_rows import NewRows

__all__ = ["run_prune"]

_MOST_LINES = 30


def run_prune(
    model: str,
    cuts: dict[str, Any],
    *,
    output: str | None,
    risk: str | None,
    as_json: bool,
) -> None:
    """Print the sizes of a tree, and cut it if a cut is asked for.

    Parameters
    ----------
    model : str
        The model file.
    cuts : dict
        `alpha`, `leaves`, `nodes` and `validation`, at most one of them set.
    output : str or None
        Where to save the smaller tree.
    risk : {'error', 'impurity', 'mixed'} or None
        What alpha is weighed against; None: what the tree was pruned by.
    as_json : bool
        Whether to print one JSON object.
    """
    check_outputs([output], [cuts["validation"]])
    tree = load_model(model)
    grown = tree.data.made_by.get("grown")
    whole = tree if grown is None else Tree(grown)
    record: Pruning | None = tree.data.made_by.get("pruning")
    path = pruning_path(whole, risk or ("error" if record is None else record.risk))
    rows = errors = None
    if cuts["validation"] is not None:
        rows = NewRows.read(whole.data, *read_rows(whole, cuts["validation"]))
        errors = errors_of_path(whole.data, path, rows)
    smaller, words = _cut(tree, whole, path, cuts, rows)
    along_path = cuts["alpha"] is not None or cuts["leaves"] is not None
    if smaller is not None and record is not None and along_path:
        smaller = Tree(record.answering(smaller.data))
    if output is not None and smaller is not None:
        smaller.save(output)
    if as_json:
        sizes = {"alpha": path.alpha, "leaves": path.n_leaves, "risk": path.risk}
        print_json(
            {
                "model": model,
                "path": sizes,
                "tried": None if record is None else list(steps_out(record)),
                "validation_error": errors,
                "tree": None if smaller is None else tree_dict(smaller),
                "output": output,
            }
        )
        return
    if record is not None:
        say("\n".join([record.words, *(f"({note})" for note in record.all_notes), ""]))
    say(_table(path, errors, record))
    if smaller is None:
        say("\n--alpha, --leaves, --node or --validation cuts; -o saves the result.")
        return
    heading(words)
    print_tree(smaller)
    if output is not None:
        say(f"\nWrote {output}.")


def _cut(
    tree: Tree,
    whole: Tree,
    path: PruningPath,
    cuts: dict[str, Any],
    rows: NewRows | None,
) -> tuple[Tree | None, str]:
    """Return the smaller tree and why it has its size; None without a cut.

    `path` and `rows` belong to `whole`, the tree before pruning if the model has it;
    nodes are numbered as in `tree`, which ``show`` prints.
    """
    if cuts["alpha"] is not None:
        return path.tree(alpha=cuts["alpha"]), f"Cut at alpha = {cuts['alpha']:g}"
    if cuts["leaves"] is not None:
        words = f"The largest best pruning of at most {cuts['leaves']} leaves"
        return path.tree(n_leaves=cuts["leaves"]), words
    if cuts["nodes"]:
        listed = ", ".join(map(str, cuts["nodes"]))
        return tree.collapse(list(cuts["nodes"])), f"Collapsed at {listed}"
    if rows is not None:
        data, pruning = prune_by_validation(whole.data, rows)
        return Tree(data), pruning.words
    return None, ""


def _table(
    path: PruningPath, errors: NDArray[np.float64] | None, record: Pruning | None
) -> str:
    """Return the sizes, one per line; the middle of a long table is left out."""
    records: list[dict[str, Any]] = [
        {"alpha": float(alpha), "leaves": int(leaves), path.kind: float(risk)}
        for alpha, leaves, risk in zip(
            path.alpha, path.n_leaves, path.risk, strict=True
        )
    ]
    if errors is None and record is not None and len(record.cv_error):
        for each in records:
            each |= _tried(record, each["leaves"])
    if errors is not None:
        best = int(np.flatnonzero(errors <= errors.min())[-1])
        for place, (each, error) in enumerate(zip(records, errors, strict=True)):
            each["validation error"] = float(error)
            each[" "] = "<- least" if place == best else ""
    # A terminal that is too narrow for all columns gets several tables.
    return "\n\n".join(map(_shortened, aligned(records).split("\n\n")))


def _shortened(table: str) -> str:
    lines = table.split("\n")
    if len(lines) <= _MOST_LINES:
        return table
    half = _MOST_LINES // 2
    n = len(lines) - 2 * half
    hidden = f"... {n} more size{'s' * (n > 1)}; --json lists all of them"
    return "\n".join([*lines[:half], hidden, *lines[-half:]])


def _tried(record: Pruning, leaves: int) -> dict[str, Any]:
    """Return what cross-validation found for a tree of so many leaves."""
    columns = {"cv error": record.cv_error, "std": record.cv_std}
    if len(record.score):
        columns["score"] = record.score
    if len(record.strength):
        columns["drawn by"] = record.strength
    at = np.flatnonzero(record.n_leaves == leaves)
    if not len(at):
        return dict.fromkeys([*columns, " "])
    place = int(at[0])
    marks = {record.one_se: "<- 1-SE rule", record.chosen: "<- taken"}
    found = {name: float(column[place]) for name, column in columns.items()}
    return {**found, " ": marks.get(place, "")}
