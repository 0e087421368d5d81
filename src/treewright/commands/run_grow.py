"""The work of ``treewright grow``: read, say, grow, measure, write."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from treewright.commands.failures import as_flags
from treewright.commands.figures import figures_dict, pruning_dict, tree_dict
from treewright.commands.grow_in_parts import OF_A_TABLE, run_grow_in_parts
from treewright.commands.grown_tree import say_tree
from treewright.commands.output import (
    check_outputs,
    heading,
    intake_dict,
    print_json,
    say,
)
from treewright.commands.python_lines import python_lines
from treewright.commands.recipe import Recipe, Rows, checked_options
from treewright.errors import IntakeWarning, ResourceLimitError
from treewright.estimators.progress import bar
from treewright.files.formats import is_large, is_parquet
from treewright.files.in_parts import is_in_parts
from treewright.files.opened import shown_name
from treewright.reporting import report as write_report
from treewright.table.findings import look_at
from treewright.table.intake import Intake

if TYPE_CHECKING:
    from treewright.estimators.base import BaseTree
    from treewright.reading.answers.evaluation import Evaluation

__all__ = ["run_grow"]

_OWN = ("task", "groups", "time", "test_share", "test")
_READING = ("columns", "drop", "kinds", "weight", "table", "memory_limit")


def run_grow(
    data: str,
    target: str,
    given: dict[str, Any],
    *,
    output: str | None,
    report: str | None,
    as_json: bool,
) -> None:
    """Grow a tree from a file and print what was found.

    Parameters
    ----------
    data, target : str
        The file, and its column to predict.
    given : dict
        The flags that were set, by the names of the library.
    output, report : str or None
        The files to write.
    as_json : bool
        Whether to print one JSON object.
    """
    options, prune = checked_options(given)  # before a long file is read
    check_outputs([output, report], [data, given.get("test")])
    in_parts, task = is_in_parts(data), given.get("task") or "class"
    if not in_parts and given.get("groups") is None and is_parquet(data):
        prune = prune.for_parts(options, task)  # as in `fit`
        if prune.prune == "validation":
            given["prune"] = "validation"
    if in_parts or _is_large(data, given, prune.method_for(options, task)):
        run_grow_in_parts(
            data, target, given, output=output, report=report, as_json=as_json
        )
        return
    recipe = _recipe(data, target, given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntakeWarning)  # the findings are shown
        with bar(f"Reading {data}") as progress:
            rows = recipe.read(progress)
        intake = look_at(rows.table)
        if not as_json:
            _say_intake(recipe, rows, intake)
        with bar("Growing the tree") as progress:
            model = recipe.fit(rows, progress)
    tree, tested = model.tree_, None
    if rows.test is not None:
        tested = tree.evaluate(rows.test)
        tree = tree.with_evaluation(tested)
    if output is not None:
        tree.save(output)
    if report is not None:
        write_report(model, report, rows.test)
    lines = python_lines(recipe, rows, output, report)
    if as_json:
        made = {"python": lines, "model": output, "report": report, "plan": None}
        print_json(_as_dict(recipe, rows, intake, model, tested) | made)
        return
    say_tree(model, intake, tested)
    heading("The same in Python")
    say(lines)
    written = [path for path in (output, report) if path is not None]
    if written:
        say(f"\nWrote {' and '.join(written)}.")


def _is_large(data: str, given: dict[str, Any], method: str | None) -> bool:
    """Return whether a file grows in parts because of its size; see `fit`."""
    if method == "cv" or not is_large(data, given.get("memory_limit"), 1):
        return False
    for name in OF_A_TABLE:
        if given.get(name) is not None:
            raise ResourceLimitError(
                f"--{name.replace('_', '-')} needs all rows of {data!r} in memory, "
                "which are more than the memory limit allows. Leave it out, so that "
                "the tree grows from rows on disk, or raise --memory-limit."
            )
    return True


def _recipe(data: str, target: str, given: dict[str, Any]) -> Recipe:
    """Return what the flags ask for."""
    own = {name: given.pop(name, None) for name in _OWN}
    reading = {name: given.pop(name, None) for name in _READING}
    return Recipe(
        data=data,
        target=target,
        reading={name: value for name, value in reading.items() if value is not None},
        parameters=given,
        **own,
    )


def _say_intake(recipe: Recipe, rows: Rows, intake: Intake) -> None:
    say(as_flags(f"{shown_name(recipe.data)}: {intake}"))
    if intake.findings:
        say("  (--drop NAME leaves a column out, --kind NAME=KIND reads it otherwise)")
    kind = "classes" if recipe.task_of(rows) == "class" else "numbers"
    said = "as you asked" if recipe.task else "--task overrides this"
    say(f"{recipe.target} is predicted as {kind} ({said}).")
    if rows.test is not None:
        n, m = rows.training.n_rows, rows.test.n_rows
        where = f"of {recipe.test}" if recipe.test else "held out"
        say(f"{n:,} training rows, {m:,} test rows {where}.")


def _as_dict(
    recipe: Recipe,
    rows: Rows,
    intake: Intake,
    model: BaseTree,
    tested: Evaluation | None,
) -> dict[str, Any]:
    tree, pruning = model.tree_, model.pruning_
    return {
        "data": recipe.data,
        "target": recipe.target,
        "task": recipe.task_of(rows),
        "intake": intake_dict(intake),
        "tree": tree_dict(tree),
        "pruning": pruning_dict(pruning),
        "figures": figures_dict(tree, pruning, tested),
    }
