"""The report: one HTML file about a tree that anyone can open."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from treewright.drawing.report.build import build_report
from treewright.errors import OptionError
from treewright.model import Tree, as_tree
from treewright.pruning.result import Pruning
from treewright.table.intake import Intake
from treewright.table.table import Table
from treewright.tree.new_rows import NewRows

__all__ = ["report"]


def report(
    tree: Any,
    path: str | os.PathLike[str],
    X_test: Any = None,
    y_test: Any = None,
    sample_weight_test: Any = None,
    *,
    title: str | None = None,
) -> Path:
    """Write a report about a tree: one HTML file that needs no network.

    It shows the tree (with zoom, collapsing and search), figures of every node on
    training and test rows, a slider along the pruning path, the rules, a form that
    sends a row down the tree and finds the smallest change to another answer, the
    importance of the columns, the columns, what is suspicious about the training
    table (with an estimator), and how the tree was made. It contains
    names, categories and counts of the training table, but no row of the training or
    test rows.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The tree. With an estimator, the report shows its parameters and the sizes
        that it tried.
    path : str or path
        The file to write; an existing file is replaced.
    X_test, y_test : table and target, optional
        Rows that were not used for growing, to measure the tree on. A Table with a
        target needs no `y_test`.
    sample_weight_test : array, series or list, optional
        Weights of these rows.
    title : str, optional
        Title of the report; by default derived from the name of the target.

    Returns
    -------
    pathlib.Path
        The file.

    Examples
    --------
    >>> import tempfile, treewright as tw
    >>> X = {"wind": [3, 9, 5, 1], "sun": ["no", "yes", "no", "no"]}
    >>> tree = tw.TreeClassifier(prune=None).fit(X, ["stay", "stay", "stay", "sail"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tw.report(tree, f"{folder}/report.html").name
    'report.html'
    """
    found = as_tree(tree)
    where = _checked_path(path)
    if title is not None and not isinstance(title, str):
        raise OptionError(f"title must be text or None; got {title!r}.")
    rows = _test_rows(found, X_test, y_test, sample_weight_test)
    pruning = getattr(tree, "pruning_", None) if tree is not found else None
    intake = getattr(tree, "intake_", None) if tree is not found else None
    text = build_report(
        found.data,
        estimator=_owner(tree),
        pruning=pruning if isinstance(pruning, Pruning) else None,
        rows=rows,
        title=title,
        intake=intake if isinstance(intake, Intake) else None,
    )
    _write(where, text)
    return where


def _checked_path(path: str | os.PathLike[str]) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise OptionError(
            f"path must be the name of a file, such as 'report.html'; got {path!r}."
        )
    where = Path(path)
    if where.is_dir():
        raise OptionError(f"path is the folder {str(where)!r}; name a file in it.")
    if not where.parent.is_dir():
        raise OptionError(
            f"There is no folder {str(where.parent)!r} to write {where.name!r} into. "
            "Make it first."
        )
    return where


def _test_rows(tree: Tree, X: Any, y: Any, weight: Any) -> NewRows | None:
    has_target = isinstance(X, Table) and X.target is not None
    if (X is None) != (y is None) and not has_target:
        raise OptionError("Test rows need both X_test and y_test.")
    if X is None:
        if weight is not None:
            raise OptionError("sample_weight_test needs X_test and y_test.")
        return None
    return NewRows.read(tree.data, X, y, weight, suffix="_test")


def _owner(tree: Any) -> tuple[str, Mapping[str, Any], Mapping[str, Any]] | None:
    """Return class name, parameters and defaults of an estimator; None for a tree."""
    if not hasattr(tree, "get_params"):
        return None
    parameters = tree.get_params(deep=False)
    signature = inspect.signature(type(tree).__init__)
    defaults = {name: each.default for name, each in signature.parameters.items()}
    return type(tree).__name__, parameters, defaults


def _write(where: Path, text: str) -> None:
    """Write the whole file, or leave an existing one unchanged."""
    draft = where.with_name(f".{where.name[:100]}.{os.getpid()}.tmp")
    try:
        with open(draft, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(draft, where)
    finally:
        draft.unlink(missing_ok=True)
