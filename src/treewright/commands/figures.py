"""How good a tree is: figures that name the rows they were measured on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.tree.loss import loss_of

if TYPE_CHECKING:
    from treewright.model import Tree
    from treewright.pruning.result import Pruning
    from treewright.reading.answers.evaluation import Evaluation

__all__ = [
    "HOLD_OUT",
    "evaluation_dict",
    "figures_dict",
    "figures_lines",
    "pruning_dict",
    "tree_dict",
]


def figures_dict(
    tree: Tree, pruning: Pruning, tested: Evaluation | None
) -> dict[str, Any]:
    """Return the figures of a new tree, for JSON.

    Parameters
    ----------
    tree : Tree
        The tree.
    pruning : Pruning
        How it was pruned.
    tested : Evaluation or None
        The tree on rows that it was not grown on.

    Returns
    -------
    dict
        `measure`, the name of the error; `test`, `cross_validation` and `validation`,
        each null if there was none; and `training`, which flatters the tree.
    """
    crossed = validated = None
    if pruning.method == "cv" and pruning.chosen >= 0:
        crossed = {
            "error": pruning.chosen_error,
            "std": float(pruning.cv_std[pruning.chosen]),
            "folds": pruning.n_folds,
        }
    if pruning.held_out_error is not None:
        validated = {"error": pruning.held_out_error}
    return {
        "measure": loss_of(tree.data).name,
        "test": None if tested is None else evaluation_dict(tested),
        "cross_validation": crossed,
        "validation": validated,
        "training": {"rows": int(tree.data.n_rows[0]), "error": _training_error(tree)},
    }


def _training_error(tree: Tree) -> float:
    """Return the mean loss of the tree's answers on its training rows."""
    from treewright.pruning.path import training_loss

    return float(loss_of(tree.data).from_units(training_loss(tree.data)))


HOLD_OUT = "--test-share 0.2 holds rows out"
"""How to get an honest figure."""


def figures_lines(
    tree: Tree, pruning: Pruning, tested: Evaluation | None, advice: str = HOLD_OUT
) -> list[str]:
    """Return the same for people, the most trustworthy first."""
    found = figures_dict(tree, pruning, tested)
    measure, lines = found["measure"], []
    if tested is not None:
        lines += str(tested).split("\n")
        lines[0] = lines[0].replace(" rows:", " test rows, not used for growing:", 1)
        lines.append("")
    if found["cross_validation"] is not None:
        crossed = found["cross_validation"]
        lines.append(
            f"Cross-validated {measure} ({crossed['folds']} folds): "
            f"{crossed['error']:.4g}, standard error {crossed['std']:.2g}"
        )
    if found["validation"] is not None:
        lines.append(
            f"Validation {measure}, on the rows that chose the size: "
            f"{found['validation']['error']:.4g}"
        )
    training = found["training"]
    lines.append(
        f"Training {measure}, which flatters the tree: {training['error']:.4g}"
    )
    if tested is None and found["cross_validation"] is None:
        lines.append(f"No honest figure yet: {advice}.")
    return lines


def pruning_dict(pruning: Pruning) -> dict[str, Any]:
    """Return why a tree has its size, for JSON."""
    return {
        "method": pruning.method,
        "words": pruning.words,
        "notes": list(pruning.all_notes),
        "n_leaves_before": pruning.n_leaves_before,
        "n_leaves_after": pruning.n_leaves_after,
    }


def tree_dict(tree: Tree) -> dict[str, Any]:
    """Return the size and the identity of a tree, for JSON."""
    return {
        "nodes": tree.n_nodes,
        "leaves": tree.n_leaves,
        "depth": tree.depth,
        "columns_used": list(tree.columns_used),
        "fingerprint": tree.fingerprint,
    }


def evaluation_dict(tested: Evaluation) -> dict[str, Any]:
    """Return the figures of an evaluation, for JSON."""
    found: dict[str, Any] = {"measure": loss_of(tested.tree).name}
    target = tested.tree.schema.target
    if target is not None and target.classes:
        found["classes"] = list(target.classes)
    return found | tested.to_dict()
