"""`class_weight`: the weight of every class, multiplied into the rows' weights."""

import math
import numbers
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, nearest_name
from treewright.table.table import ClassTarget, Table
from treewright.table.weights import read_weights

__all__ = ["class_factors", "class_weighted"]


def class_weighted(table: Table, class_weight: Any) -> Table:
    """Return the table with each row's weight multiplied by that of its class.

    Parameters
    ----------
    table : Table
        A table whose target holds classes.
    class_weight : 'balanced', dict or None
        'balanced' gives every class that occurs the same total weight. A dict
        gives the weight of each class; a class not named weighs 1.

    Returns
    -------
    Table

    Raises
    ------
    OptionError
        When `class_weight` is of another form, names an unknown class, or leaves
        every row without weight.
    """
    target = table.target
    if class_weight is None or not isinstance(target, ClassTarget):
        return table
    if isinstance(class_weight, str) and class_weight == "balanced":
        factors = _balanced(target, table.weights)
    elif isinstance(class_weight, Mapping):
        factors = _by_class(target.classes.tolist(), class_weight)
    else:
        raise OptionError(
            "class_weight must be 'balanced', a dict of class -> weight, or None for "
            f"equal weights; got {class_weight!r}."
        )
    weights = factors[target.codes]
    if table.weights is not None:
        with np.errstate(over="ignore", under="ignore"):
            weights *= table.weights
    if not weights.any():
        raise OptionError(
            f"class_weight gives weight 0 to every row: {class_weight!r}. At least one "
            "class that occurs needs a weight above 0."
        )
    # The product of two sets of weights may overflow, or come to nothing.
    info = table.schema.target
    assert info is not None, "a target of classes has one"
    info = replace(info, class_weight=tuple(factors.tolist()))
    return replace(
        table,
        weights=read_weights(weights, table.n_rows),
        schema=replace(table.schema, target=info),
    )


def class_factors(read: Table, weighted: Table) -> NDArray[np.float64] | None:
    """Return what `class_weighted` multiplied the weight of each class by.

    Parameters
    ----------
    read, weighted : Table
        Before and after.

    Returns
    -------
    float array, one entry per class, or None
        None where nothing was multiplied; 1 for a class that does not occur.
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


def _balanced(
    target: ClassTarget, weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    n_classes = len(target.classes)
    total = np.bincount(target.codes, weights, minlength=n_classes).astype(np.float64)
    occurs = total > 0
    factors = np.zeros(n_classes)
    factors[occurs] = total.sum() / (occurs.sum() * total[occurs])
    return factors


def _by_class(
    classes: list[Any], class_weight: Mapping[Any, Any]
) -> NDArray[np.float64]:
    unknown = [name for name in class_weight if name not in classes]
    unnamed = [name for name in classes if name not in class_weight]
    # A class that did not make it into this sample is nothing to complain about
    # while all those that did are named.
    if unknown and unnamed:
        near = nearest_name(str(unknown[0]), [str(each) for each in unnamed])
        hint = f" Did you mean {near!r}?" if near else ""
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
