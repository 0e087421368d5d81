"""Reading many objects of the model file at once, field by field."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from treewright.storing.shapes import Record, Shape, fail

__all__ = ["ABSENT", "Where", "columns_of", "read_all"]

ABSENT: Any = object()
"""Stands for a field that an object does not have."""
Where = Callable[[int], str]
"""Says where the i-th object stands, for an error message."""
_NAME = itemgetter(0)


def columns_of(
    objects: list[Any], record: Record, where: Where
) -> dict[str, list[Any]]:
    """Return the values of objects field by field, `ABSENT` where there is none."""
    if set(map(type, objects)) != {tuple}:
        bad = next(i for i, each in enumerate(objects) if type(each) is not tuple)
        fail(where(bad), "an object", objects[bad])
    layouts = [tuple(map(_NAME, each)) for each in objects]
    distinct = set(layouts)
    for layout in distinct:
        record.check_names(layout, where(layouts.index(layout)))
    if len(distinct) == 1:
        return {
            name: [each[place][1] for each in objects]
            for place, name in enumerate(layouts[0])
        }
    there = {name for layout in distinct for name in layout}
    found = list(map(dict, objects))
    return {name: [each.get(name, ABSENT) for each in found] for name in there}


def read_all(values: list[Any], shape: Shape, name: str, where: Where) -> Any:
    """Read the values of one field: all at once, or one by one if one is unusual."""
    found = shape.fast(values)
    if found is not None:
        return found
    return [shape.read(x, f"{where(i)}, {name}") for i, x in enumerate(values)]
