"""Costs of wrong answers and priors of classes, checked and turned into weights.

As in the CART book and in rpart: the weight of a row is multiplied so that its class
has its share of the population (priors), and by the cost of answering its class
wrongly (altered priors). The tree grows on these weights. `tree.costs` then computes
what each node answers.
"""

import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, did_you_mean
from treewright.table.schema import TargetInfo
from treewright.table.table import ClassTarget, Table
from treewright.table.weights import read_weights

__all__ = [
    "altered",
    "class_totals",
    "cost_factors",
    "prior_factors",
    "read_costs",
    "read_priors",
    "with_costs",
]

Costs: TypeAlias = tuple[tuple[float, ...], ...]
_SUM_TOLERANCE = 1e-6


def with_costs(table: Table, costs: Any, priors: Any) -> Table:
    """Return the table with weights altered by costs and priors, for growing.

    Parameters
    ----------
    table : Table
        A table whose target holds classes.
    costs : array, dict or None
        ``costs[true][predicted]``, in the order of the classes or by class.
    priors : dict, sequence or None
        Share of each class, by class or in the order of the classes.

    Returns
    -------
    Table
        Priors give each class its share of the total weight, which stays the same;
        then the weight of a class is multiplied by the sum of its costs. Costs and
        priors are kept in ``schema.target``.

    Raises
    ------
    OptionError
        When costs or priors do not fit the classes.
    """
    target = table.target
    if (costs is None and priors is None) or not isinstance(target, ClassTarget):
        return table
    assert table.schema.target is not None
    totals = class_totals(target, table.weights)
    info, factors = altered(
        table.schema.target, target.classes.tolist(), totals, costs, priors
    )
    weights = table.weights
    if factors is not None:
        weights = factors[target.codes] * (1.0 if weights is None else weights)
        weights = read_weights(weights, table.n_rows)
    return replace(table, weights=weights, schema=replace(table.schema, target=info))


def altered(
    info: TargetInfo,
    classes: Sequence[Any],
    totals: NDArray[np.float64],
    costs: Any,
    priors: Any,
) -> tuple[TargetInfo, NDArray[np.float64] | None]:
    """Return the target with its costs and priors, and what they do to the weights.

    Parameters
    ----------
    info : TargetInfo
        The target.
    classes : sequence
        The classes, sorted.
    totals : float64 array
        Weight of each class.
    costs, priors
        See `with_costs`.

    Returns
    -------
    info : TargetInfo
    factors : float64 array or None
        What the weight of each class is multiplied by; None: nothing.
    """
    factors = np.ones(len(classes))
    read, shares = None, None
    if priors is not None:
        shares = read_priors(priors, classes, totals)
        factors = _prior_factors(shares, totals)
    if costs is not None:
        read = read_costs(costs, classes)
        factors *= cost_factors(read)
    info = replace(info, costs=read, priors=shares)
    return info, factors if (factors != 1).any() else None


def cost_factors(costs: Costs | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the factor by which costs multiply the weights of each class.

    Parameters
    ----------
    costs : tuple of tuple of float, or array
        From `read_costs`.

    Returns
    -------
    float64 array of classes
        The sum of the costs of each class, divided by the mean of these sums.
    """
    sums = np.array([math.fsum(row) for row in costs])
    if (sums == sums[0]).all():
        return np.ones(len(sums))
    return np.asarray(sums / sums.mean())


def prior_factors(
    priors: Sequence[float], target: ClassTarget, weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return the factors that give each class its prior share of the weight.

    Parameters
    ----------
    priors : sequence of float
        Share of each class.
    target : ClassTarget
        The classes of the rows.
    weights : float64 array or None
        The weights of the rows; None: all 1.

    Returns
    -------
    float64 array of classes
        They keep the total weight. The factor of a class that does not occur is 1,
        and its share goes to the other classes.
    """
    return _prior_factors(priors, class_totals(target, weights))


def _prior_factors(
    priors: Sequence[float], totals: NDArray[np.float64]
) -> NDArray[np.float64]:
    occurs, shares = totals > 0, np.array(priors)
    factors = np.ones(len(shares))
    whole = 1.0 if occurs.all() else float(shares[occurs].sum())
    if whole > 0:
        factors[occurs] = shares[occurs] * math.fsum(totals) / totals[occurs] / whole
    return factors


def read_costs(costs: Any, classes: Sequence[Any]) -> Costs:
    """Check costs and return them as rows in the order of the classes.

    Parameters
    ----------
    costs : array, data frame or dict
        ``costs[true][predicted]``. In a dict, a wrong answer that is not named
        costs 1 and a right answer costs 0.
    classes : sequence
        The classes, sorted.

    Returns
    -------
    tuple of tuple of float

    Raises
    ------
    OptionError
        When the shape is wrong, a class is unknown, a cost is negative or not a
        number, or a right answer has a cost.
    """
    if hasattr(costs, "columns") and hasattr(costs, "to_dict"):
        costs = costs.to_dict("index")
    if isinstance(costs, Mapping):
        rows = _rows_by_class(costs, classes)
    else:
        rows = _rows_of_array(costs, classes)
    for true, row in zip(classes, rows, strict=True):
        _check_row(true, row, classes)
    return tuple(tuple(map(float, row)) for row in rows)


def read_priors(
    priors: Any, classes: Sequence[Any], totals: NDArray[np.float64]
) -> tuple[float, ...]:
    """Check priors and return them in the order of the classes, with sum 1.

    Parameters
    ----------
    priors : dict or sequence
        Share of each class, by class or in order.
    classes : sequence
        The classes, sorted.
    totals : float64 array
        Weight of each class in the table.

    Returns
    -------
    tuple of float

    Raises
    ------
    OptionError
        When a class is unknown or left out, a share is not above 0, or the shares
        do not sum to 1.
    """
    if isinstance(priors, Mapping):
        _check_names("priors", priors, classes)
        left_out = [name for name in classes if name not in priors]
        if left_out:
            raise OptionError(
                f"priors must give a share to every class; {left_out[0]!r} has none. "
                f"The classes are {_shown(classes)}."
            )
        shares = [priors[name] for name in classes]
    else:
        shares = _listed("priors", priors, classes, "one share per class")
    for name, share, total in zip(classes, shares, totals, strict=True):
        _check_prior(name, share, total)
    total = math.fsum(shares)
    if abs(total - 1) > _SUM_TOLERANCE:
        raise OptionError(
            f"priors must sum to 1; they sum to {total:.6g}. Divide each by "
            f"{total:.6g}."
        )
    return tuple(float(share) / total for share in shares)


def class_totals(
    target: ClassTarget, weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return the weight of each class.

    Parameters
    ----------
    target : ClassTarget
        The classes of the rows.
    weights : float64 array or None
        The weights of the rows; None: all 1.

    Returns
    -------
    float64 array
    """
    n_classes = len(target.classes)
    if weights is None:
        return np.bincount(target.codes, minlength=n_classes).astype(np.float64)
    # The sums are exact, so that the order of the rows does not matter.
    order = np.argsort(target.codes, kind="stable")
    ends = np.searchsorted(target.codes[order], np.arange(n_classes + 1))
    sorted_weights = weights[order].tolist()
    parts = zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    return np.array([math.fsum(sorted_weights[a:b]) for a, b in parts])


def _rows_by_class(
    costs: Mapping[Any, Any], classes: Sequence[Any]
) -> list[Sequence[Any]]:
    _check_names("costs", costs, classes)
    rows: list[Sequence[Any]] = []
    for true in classes:
        row = costs.get(true, {})
        if not isinstance(row, Mapping):
            raise OptionError(
                f"costs[{true!r}] must be a dict of predicted class -> cost; got "
                f"{row!r}."
            )
        _check_names(f"costs[{true!r}]", row, classes)
        rows.append([row.get(each, float(each != true)) for each in classes])
    return rows


def _rows_of_array(costs: Any, classes: Sequence[Any]) -> list[Sequence[Any]]:
    n = len(classes)
    form = f"{n} rows (true class) of {n} costs (predicted class)"
    rows = _listed("costs", costs, classes, form)
    return [_listed(f"costs[{i}]", row, classes, form) for i, row in enumerate(rows)]


def _listed(what: str, entries: Any, classes: Sequence[Any], form: str) -> list[Any]:
    """Return one entry per class; `form` describes the accepted form in the error."""
    is_list = isinstance(entries, list | tuple) or getattr(entries, "ndim", 0) > 0
    values = list(entries) if is_list else []
    if not is_list or len(values) != len(classes):
        seen = f"{len(values)} entries" if is_list else f"{entries!r}"
        raise OptionError(
            f"{what.partition('[')[0]} must be {form}, in the order of the classes "
            f"{_shown(classes)}, or a dict by class; {_place(what)}got {seen}."
        )
    return values


def _place(what: str) -> str:
    return f"in {what} " if "[" in what else ""


def _check_names(what: str, named: Mapping[Any, Any], classes: Sequence[Any]) -> None:
    for name in named:
        if name not in classes:
            hint = did_you_mean(name, [str(each) for each in classes])
            raise OptionError(
                f"{what} names the class {name!r}, which is not in y. The classes are "
                f"{_shown(classes)}.{hint}"
            )


def _check_row(true: Any, row: Sequence[Any], classes: Sequence[Any]) -> None:
    for predicted, cost in zip(classes, row, strict=True):
        where = f"costs[{true!r}][{predicted!r}]"
        if not _is_number(cost, lambda x: 0 <= x < math.inf):
            raise OptionError(f"{where} must be a finite number >= 0; got {cost!r}.")
        if predicted == true and cost != 0:
            raise OptionError(
                f"{where} must be 0, since a right answer costs nothing; got {cost!r}. "
                f"Subtract {cost!r} from all costs of {true!r}: no answer changes."
            )
    if not any(row) and len(classes) > 1:
        raise OptionError(
            f"costs gives no cost to any answer for the class {true!r}, so its rows "
            "would have no effect. Leave these rows out, or give a cost above 0."
        )


def _check_prior(name: Any, share: Any, total: float) -> None:
    if not _is_number(share, lambda x: 0 <= x <= 1 + _SUM_TOLERANCE):
        raise OptionError(
            f"priors must hold numbers above 0 and at most 1; got {share!r} for the "
            f"class {name!r}."
        )
    if share == 0 and total > 0:
        raise OptionError(
            f"priors gives the share 0 to the class {name!r}, so its rows would have "
            "no effect. Leave these rows out, or give a share above 0."
        )
    if share > 0 and not total > 0:
        raise OptionError(
            f"priors gives the share {share!r} to the class {name!r}, but none of its "
            "rows has a weight. Give the class the share 0, or its rows a weight."
        )


def _is_number(value: Any, holds: Callable[[float], bool]) -> bool:
    is_real = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
    return is_real and holds(float(value))


def _shown(classes: Sequence[Any]) -> str:
    return ", ".join(map(repr, classes[:10])) + (", ..." if len(classes) > 10 else "")
