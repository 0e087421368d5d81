"""A recipe: all that ``grow`` was told, to be carried out or written as Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from treewright.errors import TableError
from treewright.files.formats import check_memory
from treewright.files.read import read
from treewright.growing.threads import n_threads
from treewright.options import GrowOptions, PruneOptions
from treewright.pruning.hold_out import hold_out
from treewright.table.column import NumericColumn
from treewright.table.table import ClassTarget, Table

if TYPE_CHECKING:
    from treewright.estimators.base import BaseTree

__all__ = ["Recipe", "Rows", "checked_options"]

Progress = Callable[[float], Any] | None

_BY_CLASS = ("class_weight", "costs", "priors")
_DEFAULT_SHARE = 0.2


class Rows(NamedTuple):
    """The rows that a recipe reads."""

    table: Table
    """The whole data file."""
    training: Table
    test: Table | None
    groups: Any
    """The group of each training row, or None."""
    test_arguments: Mapping[str, Any] = MappingProxyType({})
    """The arguments of `read` for a file of test rows."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """All that decides which tree ``grow`` makes.

    Attributes
    ----------
    data, target : str
        The data file, and its column to predict.
    reading : dict
        Further arguments of `treewright.read`.
    task : {'class', 'number'} or None
        What to predict; None: what the target suggests.
    parameters : dict
        Parameters of the estimator.
    groups, time : str or None
        Columns that name the group, or the time, of each row. They are no features.
    test_share : float or None
        Share of the rows to hold out.
    test : str or None
        A file with test rows.
    """

    data: str
    target: str
    reading: dict[str, Any]
    task: str | None
    parameters: dict[str, Any]
    groups: str | None
    time: str | None
    test_share: float | None
    test: str | None

    def __post_init__(self) -> None:
        """Refuse what contradicts itself."""
        if self.test is not None and (self.test_share is not None or self.time):
            other = "--test-share" if self.test_share is not None else "--time"
            raise click.UsageError(f"Use either --test or {other}, not both.")
        if self.groups is not None and self.time is not None:
            raise click.UsageError("Use either --groups or --time, not both.")
        if self.data == "-" and (self.groups or self.time):
            raise click.UsageError(
                "--groups and --time read the file twice, which standard input does "
                "not allow. Save it to a file first."
            )

    @property
    def share(self) -> float | None:
        """The share of the rows to hold out; None: no rows are held out."""
        if self.time is not None and self.test_share is None:
            return _DEFAULT_SHARE
        return self.test_share

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `read`; the columns of groups and time are dropped."""
        aside = [name for name in (self.groups, self.time) if name is not None]
        if not aside:
            return self.reading
        if (columns := self.reading.get("columns")) is not None:
            kept = [name for name in columns if name not in aside]
            return {**self.reading, "columns": kept}
        return {**self.reading, "drop": [*self.reading.get("drop", ()), *aside]}

    @property
    def arguments_aside(self) -> dict[str, Any]:
        """The arguments of `read` for the columns of groups and time."""
        shared = ("kinds", "table", "memory_limit")
        return {n: v for n, v in self.reading.items() if n in shared}

    def read(self, progress: Progress = None) -> Rows:
        """Read the data, and hold out or read the test rows."""
        limit = self.reading.get("memory_limit")
        check_memory(self.data, limit, n_threads(self.parameters.get("n_jobs")))
        table = read(self.data, self.target, **self.arguments, progress=progress)
        groups = None if self.groups is None else self._values(self.groups)
        if self.test is not None:
            test, arguments = self._read_test(self.test, table)
            return Rows(table, table, test, groups, arguments)
        if self.share is None:
            return Rows(table, table, None, groups)
        time = None if self.time is None else self._values(self.time)
        training, test_rows = hold_out(table, self.share, groups=groups, time=time)
        kept = None if groups is None else groups[training]
        return Rows(table, table.take(training), table.take(test_rows), kept)

    def _read_test(self, path: str, table: Table) -> tuple[Table, dict[str, Any]]:
        """Read the test rows, and return the arguments of `read` with them.

        A few rows may lack the values that made a column categorical: '2' and '4' are
        numbers, but beside '5more' they are categories. The training rows decide.
        """
        arguments = self.arguments
        test = read(path, self.target, **arguments)
        kinds = {each.name: each.kind for each in test.schema.features}
        other = {
            each.name: each.kind
            for each in table.schema.features
            if each.kind == "categorical" and kinds.get(each.name) == "numeric"
        }
        if other:
            arguments = {**arguments, "kinds": arguments.get("kinds", {}) | other}
            test = read(path, self.target, **arguments)
        return test, arguments

    def _values(self, name: str) -> Any:
        """Return the values of a column that is no feature, for the same rows."""
        table = read(self.data, self.target, columns=[name], **self.arguments_aside)
        column = table.columns[0]
        values = column.data
        is_number = isinstance(column, NumericColumn)
        missing = np.isnan(values) if is_number else values < 0
        if missing.any():
            raise TableError(
                f"Column {name!r} is missing in {int(missing.sum()):,} rows (first: "
                f"row {int(np.argmax(missing)) + 1}). Leave such rows out, or fill the "
                "column."
            )
        return values

    def estimator(self, rows: Rows) -> BaseTree:
        """Return the estimator for these rows, not fitted yet."""
        from treewright.estimators.classifier import TreeClassifier
        from treewright.estimators.regressor import TreeRegressor

        of_classes = self.task_of(rows) == "class"
        kind = TreeClassifier if of_classes else TreeRegressor
        known = kind._get_param_names()
        for name in self.parameters:
            if name not in known:
                raise click.UsageError(
                    f"--{name.replace('_', '-')} is for trees that answer classes, but "
                    f"the target {self.target!r} holds numbers. Leave it out, or use "
                    "--task class."
                )
        estimator: BaseTree = kind(**self.parameters_for(rows))
        return estimator

    def task_of(self, rows: Rows) -> str:
        """Return what to predict: what was asked for, or what the target suggests."""
        found = "class" if isinstance(rows.table.target, ClassTarget) else "number"
        return self.task or found

    def parameters_for(self, rows: Rows) -> dict[str, Any]:
        """Return the parameters with the names of classes as classes of the target."""
        target = rows.table.target
        if not isinstance(target, ClassTarget):
            return self.parameters
        by_text = {str(label): label for label in target.classes.tolist()}
        return {
            name: _renamed(value, by_text) if name in _BY_CLASS else value
            for name, value in self.parameters.items()
        }

    def fit(self, rows: Rows, progress: Progress = None) -> BaseTree:
        """Grow and prune the tree."""
        estimator = self.estimator(rows)
        estimator.set_params(progress=progress or False)
        estimator.fit(rows.training, groups=rows.groups)
        # A parameter that never changes the tree does not belong into its records.
        estimator.set_params(progress=False)
        return estimator


def checked_options(parameters: dict[str, Any]) -> tuple[GrowOptions, PruneOptions]:
    """Return the options among the parameters; refuse values that make no tree."""

    def among(options: type[Any]) -> dict[str, Any]:
        names = {each.name for each in fields(options)}
        return {n: v for n, v in parameters.items() if n in names}

    return GrowOptions(**among(GrowOptions)), PruneOptions(**among(PruneOptions))


def _renamed(value: Any, by_text: dict[str, Any]) -> Any:
    """Return a dict, and the dicts in it, with classes in place of their names."""
    if not isinstance(value, dict):
        return value
    return {by_text.get(k, k): _renamed(v, by_text) for k, v in value.items()}
