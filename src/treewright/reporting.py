"""The report: one HTML file about a tree that anyone can open."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from treewright.drawing.report.build import Subject, build_report
from treewright.errors import OptionError
from treewright.files.atomic import file_to_write, replaced
from treewright.model import Tree, as_tree
from treewright.pruning.result import Pruning
from treewright.reading.one_row.explain import fixed_columns
from treewright.table.table import Table
from treewright.tree.new_rows import NewRows
from treewright.tree.relabel import relabelled

__all__ = ["InlineReport", "report"]


def report(
    tree: Any,
    path: str | os.PathLike[str] | None = None,
    X_test: Any = None,
    y_test: Any = None,
    sample_weight_test: Any = None,
    *,
    title: str | None = None,
    labels: Mapping[str, str] | None = None,
    value_labels: Mapping[str, Mapping[Any, str]] | None = None,
    fixed: Iterable[str] = (),
) -> Path | InlineReport:
    """Write a report about a tree: one HTML file that needs no network.

    It shows the tree (with zoom, collapsing and search), figures of every node on
    training and test rows, a slider along the pruning path that the whole page
    follows, recall and precision by class, thresholds, calibration or residuals, where
    to be careful, the rules, a form that sends a row down the tree and finds the
    smallest change to another answer, the importance of the columns, the columns, and
    how the tree was made. It prints, and without scripts it still shows the headline,
    a picture of the tree and the rules. It contains names, categories and counts of
    the training table, and the most common categories of the test rows, but no row.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The tree. With an estimator, the report shows its parameters and the sizes
        that it tried.
    path : str or path, optional
        The file to write; an existing file is replaced. None: write none; the result
        shows itself in a notebook.
    X_test, y_test : table and target, optional
        Rows that were not used for growing, to measure the tree on. A Table with a
        target needs no `y_test`.
    sample_weight_test : array, series or list, optional
        Weights of these rows.
    title : str, optional
        Title of the report; by default derived from the name of the target.
    labels : dict, optional
        What to call columns, and the target, where people read their names, such as
        ``{"median_income": "Median income ($10k)"}``.
    value_labels : dict, optional
        For a column or the target, what to call its categories or classes, such as
        ``{"sex": {"f": "female", "m": "male"}}``.
    fixed : list of str, optional
        Names of columns that the smallest change of a row must not touch.

    Returns
    -------
    pathlib.Path or InlineReport
        The file; without a path, the report as an object that a notebook shows.

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
    where = None if path is None else file_to_write(path, "report.html")
    if title is not None and not isinstance(title, str):
        raise OptionError(f"title must be text or None; got {title!r}.")
    rows = _test_rows(found, X_test, y_test, sample_weight_test)
    pruning = getattr(tree, "pruning_", None) if tree is not found else None
    intake = getattr(tree, "intake_", None)
    subject = Subject(
        estimator=_owner(tree),
        pruning=pruning if isinstance(pruning, Pruning) else None,
        rows=rows,
        findings=tuple(getattr(intake, "findings", ())),
        conversions=tuple(getattr(intake, "conversions", ())),
    )
    text = build_report(
        found.data,
        subject,
        shown=relabelled(found.data, labels, value_labels),
        fixed=fixed_columns(found.data, fixed),
        title=title,
    )
    if where is None:
        return InlineReport(text)
    with replaced(where) as file:
        file.write(text.encode())
    return where


@dataclass(frozen=True, repr=False)
class InlineReport:
    """A report that a notebook shows below its cell.

    Attributes
    ----------
    html : str
        The whole page.
    """

    html: str

    def _repr_html_(self) -> str:
        """Show the page in a frame of its own, so that styles do not mix."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="Report of a decision tree" '
            'style="width:100%;height:720px;border:0" loading="lazy"></iframe>'
        )

    def __repr__(self) -> str:
        """Say how to keep the report."""
        size = len(self.html.encode("utf-8")) / 1e6
        return f"Report ({size:.1f} MB); tw.report(tree, path) writes it to a file."


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
