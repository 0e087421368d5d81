"""Grow a tree with the C++ core.

`grow` is what everybody calls. `sort_columns` and `make_grower` are its two halves,
for those who sort once and grow many trees (folds, forests), or who grow node by
node.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from treewright import _core
from treewright._version import __version__
from treewright.errors import ColumnError, TableError
from treewright.growing.conventions import as_j48
from treewright.growing.readable import readable
from treewright.options import GrowOptions
from treewright.table.check import check_no_missing
from treewright.table.column import NumericColumn
from treewright.table.float32 import Runs, read_as_float32
from treewright.table.schema import Schema, Summary
from treewright.table.table import ClassTarget, Table
from treewright.table.weights import read_weights
from treewright.tree.costs import settle_costs
from treewright.tree.data import TreeData
from treewright.tree.edit import out_of_runs

if TYPE_CHECKING:
    from treewright._core import Grower, SortedTable

__all__ = [
    "dressed",
    "grow",
    "make_grower",
    "n_threads",
    "prepared",
    "settled",
    "shaped",
    "sort_columns",
    "tree_of",
    "with_summaries",
]

_CRITERIA = {
    "gini": 0,
    "entropy": 1,
    "misclassification": 2,
    "squared_error": 3,
    "poisson": 4,
    "absolute_error": 5,
    "gain_ratio": 1,  # of the entropy
}
_MISSING = {"learned": 0, "error": 0, "surrogate": 1, "fractional": 2}
_FIXED_SEED = 0
_NO_LIMIT = 2**62  # more than any tree can have, and still a 64-bit number
_MAX_THREADS = 256


def grow(
    table: Table,
    options: GrowOptions | None = None,
    *,
    progress: Callable[[float], Any] | None = None,
) -> TreeData:
    """Grow the exact greedy tree of a table.

    Parameters
    ----------
    table : Table
        Columns, target and weights, from `as_table`.
    options : GrowOptions, optional
        Criterion, stopping rules and so on.
    progress : callable, optional
        Called about ten times a second with the share of rows that have reached
        their leaf. An exception it raises ends the growing.

    Returns
    -------
    TreeData
        The same tree for any number of threads and any order of the rows.
    """
    options = settled(table, options)
    table, runs = prepared(table, options)
    columns = sort_columns(table, options.n_jobs)
    schema = with_summaries(table.schema, columns)
    grower = make_grower(table, options, columns, consume=True)
    grower.grow_all(progress)
    tree = tree_of(grower.take_tree(), schema, options)
    return dressed(shaped(tree, table, options, runs), table, options)


def prepared(table: Table, options: GrowOptions) -> tuple[Table, dict[int, Runs]]:
    """Return the table as another program would read it, and the runs for `shaped`."""
    if options.conventions == "sklearn":
        return read_as_float32(table)
    return table, {}


def shaped(
    tree: TreeData, table: Table, options: GrowOptions, runs: dict[int, Runs]
) -> TreeData:
    """Return the tree with the thresholds and branches of the conventions.

    Parameters
    ----------
    tree : TreeData
        From `tree_of`.
    table : Table
        From `prepared`, with the weights that the tree grew on.
    options : GrowOptions
        From `settled`.
    runs : dict of int to Runs
        From `prepared`.

    Returns
    -------
    TreeData
    """
    tree = out_of_runs(tree, runs)
    return as_j48(tree, table) if options.conventions == "j48" else tree


def dressed(tree: TreeData, table: Table, options: GrowOptions) -> TreeData:
    """Return the tree with what was asked for beside its growing.

    Competitors of its splits and readable thresholds: to be done once, after pruning.
    Parameters are those of `shaped`.
    """
    if options.competitors:
        # Imported late: it grows by steps, which grow by this module.
        from treewright.growing.competitors import with_competitors

        tree = with_competitors(tree, table, options)
    return readable(tree, table) if options.thresholds == "readable" else tree


def settled(table: Table, options: GrowOptions | None) -> GrowOptions:
    """Check that the table can be grown from, and settle what depends on its target."""
    options = GrowOptions() if options is None else options
    if table.target is None:
        raise TableError(
            "This table has no target, so there is nothing to grow a tree for. "
            "Pass y: as_table(X, y)."
        )
    if options.missing == "error":
        check_no_missing(table)
    options = options.for_task(_task(table))
    if options.criterion == "poisson":
        _check_counts(table)
    if options.method == "id3":
        check_no_numbers(table)
    # A generator gives its number once, so that the tree can say what it was.
    return replace(options, random_state=_seed(options.random_state))


def sort_columns(table: Table, n_jobs: int | None = None) -> SortedTable:
    """Sort every usable column once.

    Parameters
    ----------
    table : Table
        The table; its target and weights are not looked at.
    n_jobs : int, optional
        Threads; None: the cores this process may use.

    Returns
    -------
    SortedTable
        To be shared by all trees grown on these rows.
    """
    arrays = [table.columns[i].data for i in table.usable]
    kinds = [table.schema.features[i].kind_code for i in table.usable]
    return _core.SortedTable(arrays, kinds, table.n_rows, n_threads(n_jobs))


def with_summaries(schema: Schema, columns: SortedTable) -> Schema:
    """Return the schema with the range and quartiles of each usable column."""
    summaries: list[Summary | None] = [None] * len(schema.features)
    for place, index in enumerate(schema.usable):
        n_missing, *known = columns.summary(place)
        numeric = schema.features[index].kind == "numeric"
        if numeric and not math.isnan(known[0]):
            summaries[index] = Summary(n_missing, *known)
        else:
            summaries[index] = Summary(n_missing)
    return schema.with_summaries(summaries)


def make_grower(
    table: Table,
    options: GrowOptions,
    columns: SortedTable,
    *,
    weights: ArrayLike | None = None,
    consume: bool = False,
) -> Grower:
    """Open the root of a tree.

    Parameters
    ----------
    table : Table
        The table that was sorted.
    options : GrowOptions
        From `settled`.
    columns : SortedTable
        From `sort_columns`.
    weights : array, optional
        Instead of the table's own: 0 leaves a row out, so that a fold needs no
        copy of the table.
    consume : bool, default=False
        Let the grower take the sorted columns over; they are of no use afterwards.

    Returns
    -------
    Grower
        With `candidates`, `split`, `close` and `grow_all`; see core/grow.hpp.
    """
    target = table.target
    if target is None:
        raise TableError("This table has no target. Pass y: as_table(X, y).")
    if weights is not None:
        table = replace(table, weights=read_weights(weights, table.n_rows))
    values = _core_options(table, options)
    labels, n_classes, numbers = None, 0, None
    if isinstance(target, ClassTarget):
        labels, n_classes = target.codes, len(target.classes)
    else:
        numbers = target.values
    return _core.Grower(
        columns, labels, n_classes, numbers, table.weights, values, consume
    )


def tree_of(arrays: dict[str, Any], schema: Schema, options: GrowOptions) -> TreeData:
    """Return the tree of the arrays that a grower gives; open nodes are leaves."""
    for name in ("proven", "surrogate_flip"):
        if name in arrays:
            arrays[name] = arrays[name].view(np.bool_)
    if len(schema.usable) != len(schema.features):
        # The core numbers the usable columns only.
        number = np.array([*schema.usable, -1], dtype=np.int32)
        for name in ("feature", "surrogate_feature"):
            if name in arrays:
                arrays[name] = number[arrays[name]]
    made_by = {
        "method": options.method,
        "task": schema.target.kind if schema.target else None,
        "options": options.to_dict(),
        "version": __version__,
    }
    return settle_costs(TreeData.from_arrays(arrays, schema, made_by))


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` stands for.

    None is the cores this process may use, but one inside a joblib worker, whose
    siblings use the others already. -1 is all cores, -2 all but one, and so on.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
    cores = cores or os.cpu_count() or 1
    if n_jobs is None:
        return 1 if _in_joblib_worker() else cores
    return min(n_jobs, _MAX_THREADS) if n_jobs > 0 else max(1, cores + 1 + n_jobs)


def _in_joblib_worker() -> bool:
    joblib = sys.modules.get("joblib")
    if joblib is None:
        return False
    backend, _ = joblib.parallel.get_active_backend()
    return bool(backend.nesting_level)


def _task(table: Table) -> str:
    return "class" if isinstance(table.target, ClassTarget) else "number"


def _check_counts(table: Table) -> None:
    y = table.target.values  # type: ignore[union-attr]
    if (y < 0).any():
        row = int(np.argmax(y < 0))
        raise TableError(
            "criterion='poisson' needs a target of counts or rates, all >= 0; "
            f"row {row} has {y[row]:g}. Use criterion='squared_error' instead."
        )
    weights = table.weights
    if not (y if weights is None else y[weights > 0]).any():
        raise TableError(
            "criterion='poisson' needs a target with a sum above 0, but all values "
            "are 0: there is nothing to predict."
        )


def _core_options(table: Table, options: GrowOptions) -> dict[str, Any]:
    weights = table.weights
    n_rows = table.n_rows if weights is None else int(np.count_nonzero(weights))
    share = options.min_weight_fraction_leaf
    total = float(n_rows if weights is None else math.fsum(weights) if share else 0.0)
    values = {
        "criterion": _CRITERIA[str(options.criterion)],
        "min_samples_split": max(2, _count(options.min_samples_split, n_rows)),
        "min_samples_leaf": _count(options.min_samples_leaf, n_rows),
        "min_weight_leaf": share * total,
        "min_gain": options.min_gain,
        "min_impurity_decrease": options.min_impurity_decrease,
        "max_leaf_nodes": min(options.max_leaf_nodes or 0, _NO_LIMIT),
        "max_nodes": min(options.max_nodes or 0, _NO_LIMIT),
        "max_features": 0
        if options.max_features is None
        else options.columns_to_try(len(table.usable)),
        "seed": options.random_state,
        "n_threads": n_threads(options.n_jobs),
        **_classic_options(table, options),
    }
    if options.max_depth is not None:
        values["max_depth"] = min(options.max_depth, _NO_LIMIT)
    return values


def _classic_options(table: Table, options: GrowOptions) -> dict[str, Any]:
    """What the core must know of ID3, C4.5 and missing values."""
    is_c45 = options.method == "c45"
    return {
        "missing": _MISSING[str(options.missing)],
        "multiway": options.method == "id3" or options.categories == "multiway",
        "ranks_too": options.method == "id3",
        "gain_ratio": options.criterion == "gain_ratio",
        "charge_cuts": is_c45,
        "charge_levels": options.many_levels == "guard",
        "min_branch_weight": options.min_branch_weight or 0.0,
        "max_surrogates": min(options.max_surrogates, len(table.usable)),
        "stop_without_surrogate": options.surrogate_fallback == "stop",
        "known_agreement": options.surrogate_agreement == "known",
        **_habits(table, options),
    }


def _habits(table: Table, options: GrowOptions) -> dict[str, Any]:
    """What the core does differently under another program's conventions."""
    if options.conventions == "sklearn":
        return {"round_midpoint": False}
    if options.conventions == "rpart":
        return {"stop_on_equal_sides": True, "min_surrogate_rows": 2}
    if options.conventions == "j48":
        return {
            "tenth_of_class_per_side": True,
            "count_allowed_cuts": True,
            "average_slack": 1e-3,
            "not_averaged": _not_averaged(table),
        }
    return {}


def _not_averaged(table: Table) -> list[bool]:
    """Columns with so many categories that J48 leaves them out of the average."""
    columns = [table.schema.features[i] for i in table.usable]
    weights = table.weights
    n_rows = table.n_rows if weights is None else int(np.count_nonzero(weights))
    most = 0.3 * n_rows
    many = [f.kind == "categorical" and len(f.labels or ()) >= most for f in columns]
    return [False] * len(many) if all(many) else many


def check_no_numbers(table: Table) -> None:
    """Refuse numeric columns, which ID3 cannot split."""
    for i in table.usable:
        name = table.columns[i].name
        if isinstance(table.columns[i], NumericColumn):
            raise ColumnError(
                "method='id3' opens a branch for every category, and column "
                f"{name!r} holds numbers. Cut all such columns into intervals with "
                "discretize=5, this one with discretize={"
                f"{name!r}: ('quantile', 5)}}; or use method='c45' or 'cart'."
            )


def _count(rows_or_share: int | float, n_rows: int) -> int:
    if isinstance(rows_or_share, float):
        return max(1, math.ceil(rows_or_share * n_rows))
    return min(rows_or_share, n_rows + 1)


def _seed(state: Any) -> int:
    """Return the seed as a number; a generator is asked for one."""
    if state is None:
        return _FIXED_SEED
    if isinstance(state, int):
        return state
    draw = state.integers if isinstance(state, np.random.Generator) else state.randint
    return int(draw(2**31 - 1))
