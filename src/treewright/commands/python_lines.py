"""The Python lines that do what a recipe of ``grow`` does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treewright.commands.recipe import Recipe, Rows

__all__ = ["python_lines"]


def python_lines(
    recipe: Recipe, rows: Rows, model: str | None, report: str | None
) -> str:
    """Return a program that makes the same tree, and the same files.

    Parameters
    ----------
    recipe : Recipe
        What was done.
    rows : Rows
        The rows that it read.
    model, report : str or None
        The files to write.

    Returns
    -------
    str
        Its variables `model` and `tree` are the fitted estimator and its tree.
    """
    estimator = recipe.estimator(rows)
    settings = _keywords(recipe.parameters_for(rows))
    reading = _keywords(recipe.arguments)
    lines = ["import treewright as tw", ""]
    lines.append(f"table = {_read(recipe.data, recipe.target, reading)}")
    for name, column in (("groups", recipe.groups), ("time", recipe.time)):
        if column is not None:
            aside = _keywords({"columns": [column]} | recipe.arguments_aside)
            alone = _read(recipe.data, recipe.target, aside)
            lines.append(f"{name} = {alone}.columns[0].data")
    fit = f"tw.{type(estimator).__name__}({settings}).fit"
    lines += _fit_lines(recipe, fit, _keywords(rows.test_arguments))
    lines.append("tree = model.tree_")
    if rows.test is not None:
        lines.append("tree = tree.with_evaluation(tree.evaluate(test))")
    if model is not None:
        lines.append(f"tree.save({model!r})")
    if report is not None:
        tested = ", test" if rows.test is not None else ""
        lines.append(f"tw.report(model, {report!r}{tested})")
    return "\n".join(lines)


def _fit_lines(recipe: Recipe, fit: str, reading_test: str) -> list[str]:
    """Return the lines that hold rows out, fit and make `test`."""
    if recipe.share is None:
        grouped = ", groups=groups" if recipe.groups else ""
        lines = [f"model = {fit}(table{grouped})"]
        if recipe.test is not None:
            lines.append(f"test = {_read(recipe.test, recipe.target, reading_test)}")
        return lines
    by = next((n for n in ("groups", "time") if getattr(recipe, n)), None)
    keyword = "" if by is None else f", {by}={by}"
    grouped = ", groups=groups[training]" if recipe.groups else ""
    return [
        f"training, held_out = tw.hold_out(table, {recipe.share!r}{keyword})",
        f"model = {fit}(table.take(training){grouped})",
        "test = table.take(held_out)",
    ]


def _read(path: str, target: str, keywords: str) -> str:
    more = f", {keywords}" if keywords else ""
    return f"tw.read({path!r}, target={target!r}{more})"


def _keywords(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())
