"""The same tree with other names for its columns and values, for people to read."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from treewright.errors import OptionError, did_you_mean
from treewright.table.schema import Feature, Schema, TargetInfo
from treewright.tree.data import TreeData

__all__ = ["relabelled"]


def relabelled(
    tree: TreeData,
    labels: Mapping[str, str] | None = None,
    value_labels: Mapping[str, Mapping[Any, str]] | None = None,
) -> TreeData:
    """Return the tree with labels in place of names, for display only.

    Parameters
    ----------
    tree : TreeData
        The tree; it does not change.
    labels : mapping or None
        Label of each column, by its name; the target may have one too.
    value_labels : mapping or None
        For a column or the target, the label of each category or class.

    Returns
    -------
    TreeData
        Splits and answers are those of `tree`; it cannot read new rows by their
        original names.
    """
    labels = _checked("labels", labels, tree.schema)
    values = _checked("value_labels", value_labels, tree.schema)
    if not labels and not values:
        return tree
    features = tuple(
        _feature(each, labels.get(each.name), values.get(each.name, {}))
        for each in tree.schema.features
    )
    _check_distinct([each.name for each in features])
    target = tree.schema.target
    if target is not None:
        target = _target(target, labels.get(target.name), values.get(target.name, {}))
    schema = dataclasses.replace(tree.schema, features=features, target=target)
    return TreeData.from_arrays(
        tree.arrays(), schema, made_by=tree.made_by, extras=dict(tree.extras)
    )


def _checked(option: str, given: Any, schema: Schema) -> Mapping[str, Any]:
    """Refuse what is not a mapping from names of columns to labels."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise OptionError(
            f"{option} must be a dict with names of columns as keys; got {given!r}."
        )
    known = {each.name for each in schema.features}
    if schema.target is not None:
        known.add(schema.target.name)
    inner = Mapping if option == "value_labels" else str
    what = "a dict of values and their labels" if inner is Mapping else "text"
    for name, to in given.items():
        if name not in known:
            hint = did_you_mean(name, known)
            raise OptionError(
                f"{option} names {name!r}, but the tree has no such column.{hint}"
            )
        if not isinstance(to, inner):
            raise OptionError(f"{option}[{name!r}] must be {what}; got {to!r}.")
    return given


def _feature(feature: Feature, label: str | None, values: Mapping[Any, str]) -> Feature:
    if values and (not feature.labels or feature.cuts is not None):
        raise OptionError(
            f"value_labels[{feature.name!r}]: the tree has no categories of this "
            f"column, which is {feature.kind}."
        )
    named = _named(feature.name, feature.labels, values)
    return dataclasses.replace(feature, name=label or feature.name, labels=named)


def _target(
    target: TargetInfo, label: str | None, values: Mapping[Any, str]
) -> TargetInfo:
    if values and not target.classes:
        raise OptionError(
            f"value_labels[{target.name!r}]: the target is a number and has no classes."
        )
    named = _named(target.name, target.classes, values)
    return dataclasses.replace(target, name=label or target.name, classes=named)


def _named(
    name: str, labels: tuple[Any, ...], values: Mapping[Any, str]
) -> tuple[Any, ...]:
    """Return the labels of categories, in the order of the categories."""
    for value, to in values.items():
        if value not in labels:
            raise OptionError(
                f"value_labels[{name!r}] labels {value!r}, which is not among its "
                "categories."
            )
        if not isinstance(to, str):
            raise OptionError(
                f"value_labels[{name!r}][{value!r}] must be text; got {to!r}."
            )
    if not values:
        return labels
    named = tuple(values.get(each, str(each)) for each in labels)
    _check_distinct(list(named))
    return named


def _check_distinct(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise OptionError(f"Two labels are {name!r}; labels must differ.")
        seen.add(name)
