"""`class_weight`: the weight of every class, multiplied into the rows' weights."""

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, did_you_mean
from treewright.table.costs import class_totals
from treewright.table.table import ClassTarget, Table
from treewright.table.weights import read_weights

__all__ = ["class_factors", "class_weighted", "weight_factors"]


def class_weighted(table: Table, class_weight: Any) -> Table:
    """Return the table with each row's weight multiplied by the weight of its class.

    Parameters
    ----------
    table : Table
        A table whose target holds classes.
    class_weight : 'balanced', dict or None
        'balanced' gives every class that occurs the same total weight. A dict
        gives the weight of each class; a class that it does not name has weight 1.

    Returns
    -------
    Table

    Raises
    ------
    OptionError
        If `class_weight` has another form, names an unknown class, or leaves every
        row without weight.
    """
    target = table.target
    if class_weight is None or not isinstance(target, ClassTarget):
        return table
    totals = class_totals(target, table.weights)
    factors = weight_factors(class_weight, target.classes.tolist(), totals)
    weights = factors[target.codes]
    if table.weights is not None:
        with np.errstate(over="ignore", under="ignore"):
            weights *= table.weights
    # `read_weights` checks the products, which may overflow or underflow.
    info = table.schema.target
    assert info is not None, "a target of classes has one"
    info = replace(info, class_weight=tuple(factors.tolist()))
    return replace(
        table,
        weights=read_weights(weights, table.n_rows),
        schema=replace(table.schema, target=info),
    )


def weight_factors(
    class_weight: Any, classes: Sequence[Any], totals: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what the weight of each class is multiplied by.

    Parameters
    ----------
    class_weight : 'balanced' or dict
        See `class_weighted`.
    classes : sequence
        The classes, sorted.
    totals : float64 array
        Weight of each class.

    Returns
    -------
    float64 array

    Raises
    ------
    OptionError
        See `class_weighted`.
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        factors = _balanced(totals)
    elif isinstance(class_weight, Mapping):
        factors = _by_class(list(classes), class_weight)
    else:
        raise OptionError(
            "class_weight must be 'balanced', a dict of class -> weight, or None for "
            f"equal weights; got {class_weight!r}."
        )
    if not factors[totals > 0].any():
        raise OptionError(
            f"class_weight gives weight 0 to every row: {class_weight!r}. At least one "
            "class that occurs needs a weight above 0."
        )
    return factors


def class_factors(read: Table, weighted: Table) -> NDArray[np.float64] | None:
    """Return the factor by which `class_weighted` multiplied each class's weight.

    Parameters
    ----------
    read, weighted : Table
        The table before and after.

    Returns
    -------
    float array, one entry per class, or None
        None if the weights were not changed; 1 for a class that does not occur.
    """
    target = read.target
    if weighted.weights is read.weights or not isinstance(target, ClassTarget):
        return None
    assert weighted.weights is not None
    before = np.ones(read.n_rows) if read.weights is None else read.weights
    there = before > 0
    factors = np.ones(len(target.classes))
    factors[target.codes[there]] = weighted.weights[there] / before[there]
    return factors


def _balanced(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    occurs = totals > 0
    factors = np.zeros(len(totals))
    factors[occurs] = math.fsum(totals) / (occurs.sum() * totals[occurs])
    return factors


def _by_class(
    classes: list[Any], class_weight: Mapping[Any, Any]
) -> NDArray[np.float64]:
    unknown = [name for name in class_weight if name not in classes]
    unnamed = [name for name in classes if name not in class_weight]
    # An unknown class is no error if every class of this sample is named: it may
    # simply be absent from the sample.
    if unknown and unnamed:
        hint = did_you_mean(unknown[0], [str(each) for each in unnamed])
        raise OptionError(
            f"class_weight names the class {unknown[0]!r}, which is not in y. The "
            f"classes are {_shown(classes)}.{hint}"
        )
    return np.array([_weight(name, class_weight.get(name, 1.0)) for name in classes])


def _weight(name: Any, weight: Any) -> float:
    is_number = isinstance(weight, numbers.Real) and not isinstance(weight, bool)
    if not is_number or not 0 <= float(weight) < math.inf:
        raise OptionError(
            f"class_weight must hold finite numbers >= 0; got {weight!r} for the class "
            f"{name!r}."
        )
    return float(weight)


def _shown(classes: list[Any]) -> str:
    return ", ".join(map(repr, classes[:10])) + (", ..." if len(classes) > 10 else "")
