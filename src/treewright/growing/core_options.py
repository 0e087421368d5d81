"""The options of a tree in the terms of the C++ core."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treewright.criteria import find
from treewright.errors import OptionError
from treewright.growing.threads import n_threads
from treewright.options import GrowOptions
from treewright.table.grain import cut_step
from treewright.table.schema import Schema
from treewright.table.table import Table
from treewright.table.weights import rows_per_weight

__all__ = ["FEWEST_COPIES", "core_options", "least_weight", "options_for_rows"]

_MISSING = {"learned": 0, "error": 0, "surrogate": 1, "fractional": 2}
FEWEST_COPIES = 5
"""Copies of a row that a leaf of numbers must hold, for min_samples_leaf='auto'."""
_NO_LIMIT = 2**62  # more nodes than any tree has, and still a 64-bit number


def core_options(options: GrowOptions, table: Table) -> dict[str, Any]:
    """Return the options in the form that the core expects, for the rows of a table.

    Parameters
    ----------
    options : GrowOptions
        The options of a `TrainingSet`, with no default that depends on the target.
    table : Table
        The table with the weights to grow by. It turns shares of rows and of weight
        into absolute numbers.

    Returns
    -------
    dict
        The core's options, without the habits of other programs (`growing.habits`).
    """
    weights = table.weights
    n_rows = table.n_rows if weights is None else int(np.count_nonzero(weights))
    share = options.min_weight_fraction_leaf
    total = float(n_rows if weights is None else math.fsum(weights) if share else 0.0)
    return options_for_rows(options, table.schema, n_rows, total)


def options_for_rows(
    options: GrowOptions, schema: Schema, n_rows: int, total: float
) -> dict[str, Any]:
    """Return the options in the form that the core expects.

    Parameters
    ----------
    options : GrowOptions
        See `core_options`.
    schema : Schema
        The columns and the target.
    n_rows : int
        Number of rows of positive weight.
    total : float
        Sum of their weights; it need not be right if no share of it is a limit.

    Returns
    -------
    dict
    """
    share, least = options.min_weight_fraction_leaf, options.min_samples_leaf
    n_columns = len(schema.usable)
    every_column = options.max_features is None
    values = {
        "criterion": _core_number(str(options.criterion)),
        "gain_ratio": find(str(options.criterion)).by_ratio,
        "min_samples_split": max(2, _count(options.min_samples_split, n_rows)),
        "min_samples_leaf": 1 if isinstance(least, str) else _count(least, n_rows),
        "min_weight_leaf": share * total,
        "min_branch_weight": options.min_branch_weight or 0.0,
        "min_gain": _in_units(options.min_gain, schema, options),
        "min_impurity_decrease": _in_units(
            options.min_impurity_decrease, schema, options
        ),
        "max_leaf_nodes": min(options.max_leaf_nodes or 0, _NO_LIMIT),
        "max_nodes": min(options.max_nodes or 0, _NO_LIMIT),
        "max_features": 0 if every_column else options.columns_to_try(n_columns),
        "seed": options.random_state,
        "n_threads": n_threads(options.n_jobs),
        "multiway": options.method == "id3" or options.categories == "multiway",
        "ranks_too": options.method == "id3",
        "charge_cuts": options.method == "c45",
        "charge_levels": options.many_levels == "guard",
        "missing": _MISSING[str(options.missing)],
        "max_surrogates": min(options.max_surrogates, n_columns),
        "stop_without_surrogate": options.surrogate_fallback == "stop",
        "known_agreement": options.surrogate_agreement == "known",
    }
    steps = [cut_step(schema.features[i]) for i in schema.usable]
    if any(steps) and options.conventions is None:
        values["steps"] = steps
    if options.max_depth is not None:
        values["max_depth"] = min(options.max_depth, _NO_LIMIT)
    return values


def least_weight(least: int | float | str, total: float, n_rows: int) -> float:
    """Return the weight of five copies of a row for 'auto'; 0 for a number of rows.

    Parameters
    ----------
    least : int, float or 'auto'
        The option `min_samples_leaf`.
    total : float
        Sum of the weights of the whole table, also where a tree of a fold is grown.
    n_rows : int
        Number of rows of positive weight.

    Returns
    -------
    float
        A little less than five copies, because sums of weights are rounded.
    """
    if least != "auto":
        return 0.0
    return FEWEST_COPIES * (1 - 1e-9) / rows_per_weight(total, n_rows)


def _core_number(criterion: str) -> int:
    """Return the number of a criterion in the core."""
    number = find(criterion).core_number
    if number is None:
        raise OptionError(
            f"The C++ core has no formula for criterion {criterion!r}. Grow small "
            "tables with treewright.growing.reference.grow_reference, or add the "
            "formula to core/include/treewright/criterion.hpp."
        )
    return number


def _in_units(gain: float, schema: Schema, options: GrowOptions) -> float:
    """Convert a gain to the unit in which the core holds the target."""
    info = schema.target
    power = getattr(find(str(options.criterion)), "power", None) or 0
    return gain if info is None else info.gain_in_units(gain, power)


def _count(rows_or_share: int | float, n_rows: int) -> int:
    if isinstance(rows_or_share, float):
        return max(1, math.ceil(rows_or_share * n_rows))
    return min(rows_or_share, n_rows + 1)
