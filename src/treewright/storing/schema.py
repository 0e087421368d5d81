"""The columns and the target of the model file, checked as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from treewright.errors import TreeFormatError
from treewright.storing.shapes import fail
from treewright.table.schema import Feature, Schema, TargetInfo

__all__ = ["schema_in"]


def schema_in(
    features: Sequence[dict[str, Any]], target: dict[str, Any], named: bool
) -> Schema:
    """Return the schema that the fields of a file describe.

    Parameters
    ----------
    features : sequence of dict
        The columns, each of the shape `FEATURE`.
    target : dict
        The target, of the shape `TARGET`.
    named : bool
        Whether the names are the author's.

    Returns
    -------
    Schema
    """
    full = [{"labels": (), **each} for each in features]
    schema = Schema.from_dict({"features": full, "target": target, "named": named})
    for i, feature in enumerate(schema.features):
        _check_feature(feature, f"features[{i}]")
    if len(schema.index_of) < len(schema.features):
        names = list(schema.names)
        twice = next(i for i, name in enumerate(names) if name in names[:i])
        raise TreeFormatError(f"features[{twice}]: another column has the same name.")
    assert schema.target is not None, "checked by the shape"
    _check_target(schema.target)
    return schema


def _check_feature(feature: Feature, at: str) -> None:
    numeric = feature.kind == "numeric"
    if numeric and feature.labels:
        labels = list(feature.labels)
        fail(f"{at}, labels", "absent for a column of numbers", labels)
    by_name = not numeric and feature.cuts is None
    if by_name != (feature.stored_as == "category"):
        fail(f"{at}, stored_as", '"category" exactly for categories', feature.stored_as)
    if len(feature.code_of) < len(feature.labels):
        raise TreeFormatError(f"{at}, labels names a category twice.")
    if feature.cuts is not None and not _ascending(feature.cuts):
        raise TreeFormatError(f"{at}, cuts must be ascending.")
    summary = feature.summary
    if summary is not None:
        low, high = (summary.minimum, summary.q1), (summary.q3, summary.maximum)
        known = (*low, summary.median, *high)
        numbers = [x for x in known if x is not None]
        if len(numbers) not in (0, 5) or sorted(numbers) != numbers:
            raise TreeFormatError(
                f"{at}, summary must hold five ascending numbers, or none."
            )


def _ascending(numbers: Sequence[float]) -> bool:
    return all(a < b for a, b in pairwise(numbers))


def _check_target(target: TargetInfo) -> None:
    k = len(target.classes)
    if (target.kind == "class") != (k > 0):
        wanted = "there exactly for a target of classes"
        fail("target, classes", wanted, list(target.classes))
    if len(set(target.classes)) < k:
        raise TreeFormatError("target, classes names a class twice.")
    for name in ("costs", "priors", "class_weight"):
        values = getattr(target, name)
        if values is not None and len(values) != k:
            fail(f"target, {name}", f"a list of {k}, one per class", list(values))
    for i, row in enumerate(target.costs or ()):
        if len(row) != k:
            fail(f"target, costs[{i}]", f"a list of {k}, one per class", list(row))
