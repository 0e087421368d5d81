"""A table to grow trees from: checked, read, sorted and summarised once.

treewright grows every tree here: single trees, the trees of all folds (a fold is a
vector of weights), trees grown node by node, and the search for competitors.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from treewright import _core
from treewright._version import __version__
from treewright.criteria import find
from treewright.errors import ColumnError, TableError
from treewright.growing.competitors import with_competitors
from treewright.growing.core_options import (
    FEWEST_COPIES,
    core_options,
    least_weight,
)
from treewright.growing.habits import habits_of
from treewright.growing.local_days import at_local_days
from treewright.growing.readable import readable
from treewright.growing.steps import Steps
from treewright.growing.threads import n_threads
from treewright.options import GrowOptions
from treewright.table.check import check_no_missing
from treewright.table.column import Column, NumericColumn
from treewright.table.schema import Schema, Summary, TargetInfo
from treewright.table.table import ClassTarget, NumericTarget, Table
from treewright.table.weights import read_weights
from treewright.tree.costs import restore_row_weights
from treewright.tree.data import TreeData

if TYPE_CHECKING:
    from treewright._core import Grower, SortedTable

__all__ = [
    "TrainingSet",
    "check_no_numbers",
    "settled_options",
    "tree_of_arrays",
]

_FIXED_SEED = 0


class TrainingSet:
    """A table, sorted once, and the options to grow trees from it.

    Parameters
    ----------
    table : Table
        Columns, target and weights, from `as_table`.
    options : GrowOptions, optional
        Criterion, stopping rules and so on.

    Attributes
    ----------
    options : GrowOptions
        The options, with every default that depends on the target filled in and the
        seed as a number.
    habits : Habits
        How another program reads the table and writes the tree, if
        `options.conventions` names one.
    table : Table
        The table as the habits read it. Its schema has the range and quartiles of the
        columns.

    Raises
    ------
    OptionError
        If an option does not suit the target.
    TableError
        If there is no target, or the table does not suit the options.
    """

    def __init__(self, table: Table, options: GrowOptions | None = None) -> None:
        self.options = _options_for(
            table, GrowOptions() if options is None else options
        )
        self.habits = habits_of(self.options.conventions)(table)
        table = self.habits.table
        self._columns = _sorted(table, self.options.n_jobs)
        schema = _with_summaries(table, self._columns)
        self.table = replace(table, schema=schema)

    def grow(
        self,
        weights: ArrayLike | None = None,
        progress: Callable[[float], Any] | None = None,
        *,
        last: bool = False,
    ) -> TreeData:
        """Grow a whole tree.

        Parameters
        ----------
        weights : array, optional
            Row weights to use instead of the table's own; 0 leaves a row out, so a
            fold needs no copy of the table.
        progress : callable, optional
            Called about ten times a second with the share of rows that have reached
            their leaf. Growing ends if it raises an exception.
        last : bool, default=False
            Whether this is the last tree grown from this set. The grower then reuses
            the memory of the sorted columns instead of copying them, unless `finish`
            needs them.

        Returns
        -------
        TreeData
        """
        table = self._weighted(weights)
        grower = self._grower(table, consume=last and not self.options.competitors)
        grower.grow_all(progress)
        return self._tree(table, grower.take_tree())

    def steps(self, weights: ArrayLike | None = None) -> Steps:
        """Open the root of a tree that grows node by node.

        Parameters
        ----------
        weights : array, optional
            Row weights to use instead of the table's own; 0 leaves a row out.

        Returns
        -------
        Steps
            Its steps, in any order, lead to the tree that `grow` returns.
        """
        table = self._weighted(weights)
        grower, make_tree = self._grower(table), partial(self._tree, table)
        return Steps(grower, table.schema, self.options, make_tree)

    def finish(self, tree: TreeData, weights: ArrayLike | None = None) -> TreeData:
        """Add what the options request beyond growing.

        These are the competitors of the splits and the readable thresholds. Call this
        once, after pruning.

        Parameters
        ----------
        tree : TreeData
            Grown from this set, and perhaps pruned.
        weights : array, optional
            The weights it was grown with.

        Returns
        -------
        TreeData
        """
        if self.options.competitors:
            # Limits on the whole tree decide when growing stops, not which splits
            # compete at a node.
            unlimited = self.with_options(max_leaf_nodes=None, max_nodes=None)
            tree = with_competitors(
                tree, unlimited.steps(weights), self.options.competitors
            )
        if self.options.thresholds == "readable":
            tree = readable(tree, self._weighted(weights))
        return tree

    def with_options(self, **changes: Any) -> Self:
        """Return a training set with other options on the same sorted columns.

        Parameters
        ----------
        **changes
            Options of growing, except `conventions`, which decided how the table was
            read.

        Returns
        -------
        TrainingSet
        """
        changed = copy.copy(self)
        changed.options = replace(self.options, **changes)
        return changed

    def _weighted(self, weights: ArrayLike | None) -> Table:
        if weights is None:
            return self.table
        return replace(self.table, weights=read_weights(weights, self.table.n_rows))

    def _grower(self, table: Table, *, consume: bool = False) -> Grower:
        """Open the root; see core/include/treewright/grow.hpp."""
        values = core_options(self.options, table) | self.habits.core_options(table)
        weights = self.table.weights
        if self.options.min_samples_leaf == "auto" and weights is not None:
            n_rows = int(np.count_nonzero(weights))
            least = least_weight("auto", math.fsum(weights), n_rows)
            values["min_weight_leaf"] = max(values["min_weight_leaf"], least)
        target = table.target
        labels, n_classes, numbers = None, 0, None
        if isinstance(target, ClassTarget):
            labels, n_classes = target.codes, len(target.classes)
        else:
            numbers = _info(table).in_units(target.values)  # type: ignore[union-attr]
        return _core.Grower(
            self._columns, labels, n_classes, numbers, table.weights, values, consume
        )

    def _tree(self, table: Table, arrays: dict[str, Any]) -> TreeData:
        """Build the tree from a grower's arrays, as the habits write it."""
        return self.habits.as_written(
            tree_of_arrays(arrays, table.schema, self.options), table
        )


def tree_of_arrays(
    arrays: dict[str, Any], schema: Schema, options: GrowOptions
) -> TreeData:
    """Build the tree from a grower's arrays.

    Parameters
    ----------
    arrays : dict of str to array
        What the core returned; some of them are changed.
    schema : Schema
        The columns and the target.
    options : GrowOptions
        The options it was grown by.

    Returns
    -------
    TreeData
    """
    info = schema.target
    assert info is not None, "a tree has a target"
    for name in ("proven", "surrogate_flip"):
        if name in arrays:
            arrays[name] = arrays[name].view(np.bool_)
    if len(schema.usable) != len(schema.features):
        # The core numbers the usable columns only.
        number = np.array([*schema.usable, -1], dtype=np.int32)
        for name in ("feature", "surrogate_feature"):
            if name in arrays:
                arrays[name] = number[arrays[name]]
    if options.conventions is None:
        at_local_days(arrays, schema)
    if info.exponent:
        for name in ("value", "quartiles"):
            arrays[name] = info.from_units(arrays[name])
    made_by = {
        "method": options.method,
        "task": info.kind,
        "options": options.to_dict(),
        "version": __version__,
    }
    return restore_row_weights(TreeData.from_arrays(arrays, schema, made_by))


# -- preparation --------------------------------------------------------------------


def _options_for(table: Table, options: GrowOptions) -> GrowOptions:
    """Check the table, and fill in the defaults that depend on its target."""
    if table.target is None:
        raise TableError(
            "This table has no target, so there is nothing to grow a tree for. "
            "Pass y: as_table(X, y)."
        )
    if options.missing == "error":
        check_no_missing(table)
    task = "class" if isinstance(table.target, ClassTarget) else "number"
    options = settled_options(task, table.weights is not None, options)
    if isinstance(table.target, NumericTarget):
        find(str(options.criterion)).check_target(table.target.values, table.weights)
    if options.method == "id3":
        check_no_numbers(table.schema)
    return options


def settled_options(task: str, weighted: bool, options: GrowOptions) -> GrowOptions:
    """Fill in the defaults that depend on the target, and draw the seed.

    Parameters
    ----------
    task : {'class', 'number'}
        What the target holds.
    weighted : bool
        Whether rows have weights.
    options : GrowOptions
        The options.

    Returns
    -------
    GrowOptions
    """
    # A generator is drawn from once, so that the tree can record the seed.
    settled: dict[str, Any] = {"random_state": _seed(options.random_state)}
    if options.min_samples_leaf == "auto" and (task == "class" or not weighted):
        settled["min_samples_leaf"] = 1 if task == "class" else FEWEST_COPIES
    return options.for_task(task, **settled)


def _info(table: Table) -> TargetInfo:
    info = table.schema.target
    assert info is not None, "checked by _options_for"
    return info


def check_no_numbers(schema: Schema) -> None:
    """Refuse numeric columns, which ID3 cannot split."""
    for i in schema.usable:
        feature = schema.features[i]
        if feature.kind == "numeric":
            raise ColumnError(
                "method='id3' opens a branch for every category, and column "
                f"{feature.name!r} holds numbers. Cut all such columns into intervals "
                "with discretize=5, this one with discretize={"
                f"{feature.name!r}: ('quantile', 5)}}; or use method='c45' or 'cart'."
            )


def _seed(state: Any) -> int:
    """Return the seed as a number; draw it if `state` is a generator."""
    if state is None:
        return _FIXED_SEED
    if isinstance(state, int):
        return state
    draw = state.integers if isinstance(state, np.random.Generator) else state.randint
    return int(draw(2**31 - 1))


def _sorted(table: Table, n_jobs: int | None) -> SortedTable:
    """Sort every usable column. Target and weights play no part."""
    arrays = [table.columns[i].data for i in table.usable]
    kinds = [table.schema.features[i].kind_code for i in table.usable]
    return _core.SortedTable(arrays, kinds, table.n_rows, n_threads(n_jobs))


def _with_summaries(table: Table, columns: SortedTable) -> Schema:
    """Return the schema with the distribution of each usable column."""
    schema = table.schema
    summaries: list[Summary | None] = [None] * len(schema.features)
    for place, index in enumerate(schema.usable):
        n_missing, *known = columns.summary(place)
        if schema.features[index].kind != "numeric":
            shares = _shares(table.columns[index])
            summaries[index] = Summary(n_missing, shares=shares)
        elif math.isnan(known[0]):
            summaries[index] = Summary(n_missing)
        else:
            deciles, counts = columns.deciles(place)
            n_known = table.n_rows - n_missing
            shares = tuple((np.diff([0, *counts, n_known]) / n_known).tolist())
            summary = Summary(n_missing, *known)
            summaries[index] = replace(summary, deciles=tuple(deciles), shares=shares)
    return schema.with_summaries(summaries)


def _shares(column: Column) -> tuple[float, ...]:
    """Return the share of each category among the known values."""
    assert not isinstance(column, NumericColumn)
    known = column.codes[column.codes >= 0]
    counts = np.bincount(known, minlength=len(column.labels))
    return tuple((counts / max(len(known), 1)).tolist())
