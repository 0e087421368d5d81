"""`discretize`: cut columns of numbers into intervals, once, by the training rows."""

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from treewright.errors import ColumnError, OptionError, did_you_mean
from treewright.table.column import (
    CategoricalColumn,
    Column,
    NumericColumn,
    OrdinalColumn,
)
from treewright.table.cuts import codes_of, mdl_cuts, quantile_cuts, width_cuts
from treewright.table.infer import Wanted, find_column
from treewright.table.raw import freeze
from treewright.table.schema import Feature
from treewright.table.show import show_number
from treewright.table.table import ClassTarget, Table

__all__ = ["Plan", "Rule", "discretized", "read_discretize"]

_METHODS = ("quantile", "width", "mdl")
_FORMS = (
    "('quantile', n), ('width', n), 'mdl', or a whole number n for ('quantile', n), "
    "with n >= 2"
)


class Rule(NamedTuple):
    """How one column is cut."""

    method: str
    n: int = 0

    def __str__(self) -> str:
        """Return the rule as the caller writes it."""
        return repr(self.method) if self.method == "mdl" else repr(tuple(self))


class Plan(NamedTuple):
    """Which columns are cut, and how."""

    by_column: dict[int, Rule]
    for_all: Rule | None = None
    """The rule for all numeric columns."""
    unordered: frozenset[int] = frozenset()
    """Columns whose intervals become categories without an order."""


def read_discretize(
    discretize: Any,
    names: Sequence[str],
    kinds: dict[int, Wanted] | None = None,
    *,
    named: bool = True,
) -> Plan:
    """Check the caller's `discretize` and return it by column number.

    Parameters
    ----------
    discretize : mapping, str, tuple, int or None
        One rule for all numeric columns, or rules by column name.
    names : sequence of str
        The table's column names.
    kinds : dict, optional
        The result of `read_kinds`. The kinds of columns that are cut by name are
        removed from it, because they apply to the intervals, not to the numbers.
    named : bool, default=True
        Whether these names are the caller's own.

    Returns
    -------
    Plan

    Raises
    ------
    TableError
        When a column is unknown; the message suggests the nearest name.
    OptionError
        When a value is not a rule.
    """
    if discretize is None:
        return Plan({})
    if not isinstance(discretize, Mapping):
        return Plan({}, _rule("discretize", discretize))
    kinds = {} if kinds is None else kinds
    rules, unordered = {}, set()
    for key, value in discretize.items():
        index = find_column(key, names, named=named, option="discretize")
        rules[index] = _rule(f"discretize[{key!r}]", value)
        wanted = kinds.pop(index, None)
        if isinstance(wanted, tuple):
            raise OptionError(
                f"Column {key!r} is cut into intervals by discretize, so kinds[{key!r}]"
                f" must be 'categorical' or 'ordinal'; got {list(wanted)!r}."
            )
        if wanted == "numeric":
            kinds[index] = wanted
        elif wanted == "categorical":
            unordered.add(index)
    return Plan(rules, None, frozenset(unordered))


def discretized(table: Table, plan: Plan) -> Table:
    """Return the table with its columns cut into intervals.

    Parameters
    ----------
    table : Table
        With target and weights: the cuts depend on them.
    plan : Plan
        From `read_discretize`.

    Returns
    -------
    Table
        Its schema keeps the cuts.

    Raises
    ------
    ColumnError
        When a column that is to be cut holds no numbers.
    OptionError
        When the rule is 'mdl' and the target holds no classes.
    """
    rules = dict(plan.by_column)
    if plan.for_all is not None:
        of_numbers = (i for i, c in enumerate(table.columns) if c.kind == "numeric")
        rules = dict.fromkeys(of_numbers, plan.for_all)
    columns, features = list(table.columns), list(table.schema.features)
    for index, rule in rules.items():
        columns[index], features[index] = _cut(
            table, index, rule, unordered=index in plan.unordered
        )
    if not rules:
        return table
    schema = replace(table.schema, features=tuple(features))
    return replace(table, columns=tuple(columns), schema=schema)


def _cut(
    table: Table, index: int, rule: Rule, *, unordered: bool
) -> tuple[Column, Feature]:
    column, feature = table.columns[index], table.schema.features[index]
    if not isinstance(column, NumericColumn):
        cut = " that was cut already" if feature.cuts is not None else ""
        such = f", such as {feature.labels[0]!r}" if feature.labels else ""
        raise ColumnError(
            f"discretize names {feature.name!r}, but only numbers can be cut into "
            f"intervals, and this is a column of categories{cut}{such}. Leave it out "
            "of discretize."
        )
    cuts = _cuts(table, column, rule)
    labels = _labels(feature, cuts)
    n = f"{len(labels)} intervals" if cuts else "one interval, for want of a cut"
    reason = f"{feature.reason.removesuffix('.')}; cut into {n}, by {rule}."
    codes = freeze(codes_of(column.values, cuts))
    make = CategoricalColumn if unordered else OrdinalColumn
    cut_column = make(feature.name, codes, labels)
    return cut_column, replace(
        feature, kind=cut_column.kind, labels=labels, reason=reason, cuts=cuts
    )


def _cuts(table: Table, column: NumericColumn, rule: Rule) -> tuple[float, ...]:
    values, weights, stored_as = column.values, table.weights, column.stored_as
    if rule.method == "quantile":
        return quantile_cuts(values, weights, rule.n, stored_as)
    if rule.method == "width":
        return width_cuts(values, weights, rule.n, stored_as)
    target = table.target
    if not isinstance(target, ClassTarget):
        has = "none" if target is None else "numbers"
        raise OptionError(
            f"discretize='mdl' needs a target of classes, and this table has {has}. "
            "Use ('quantile', 5) or ('width', 5) instead."
        )
    n_classes = len(target.classes)
    return mdl_cuts(values, weights, target.codes, n_classes, stored_as)


def _labels(feature: Feature, cuts: tuple[float, ...]) -> tuple[str, ...]:
    """Name the intervals; a lower bound is excluded, an upper one included."""
    if not cuts:
        return ("any value",)
    if feature.stored_as == "bool" and cuts == (0.0,):
        return ("False", "True")
    shown = [show_number(feature, cut) for cut in cuts]
    inner = [f"{a} to {b}" for a, b in pairwise(shown)]
    return (f"<= {shown[0]}", *inner, f"> {shown[-1]}")


def _rule(what: str, value: Any) -> Rule:
    if isinstance(value, str) and value == "mdl":
        return Rule("mdl")
    method, n = "quantile", value
    if isinstance(value, tuple | list) and len(value) == 2:
        method, n = value
    whole = isinstance(n, numbers.Integral) and not isinstance(n, bool)
    if method in ("quantile", "width") and whole and n >= 2:
        return Rule(str(method), int(n))
    raise OptionError(f"{what} must be {_FORMS}; got {value!r}.{_hint(value)}")


def _hint(value: Any) -> str:
    word = value[0] if isinstance(value, tuple | list) and value else value
    if not isinstance(word, str):
        return ""
    if word in ("quantile", "width"):
        return f" Did you mean ({word!r}, 5)?" if isinstance(value, str) else ""
    return did_you_mean(word, _METHODS)
