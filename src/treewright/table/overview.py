"""The summary of a table: one line per column, with its kind and the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.table.html import table_html

if TYPE_CHECKING:
    from treewright.table.schema import Schema, TargetInfo

__all__ = ["overview", "overview_html"]

_MOST_COLUMNS = 50
_LONGEST_NAME = 30
_MOST_CLASSES = 6


def overview(schema: Schema, title: str) -> str:
    """Return the columns of a schema as text, one per line.

    Parameters
    ----------
    schema : Schema
        The columns.
    title : str
        Start of the first line, such as 'Table: 150 rows, '.

    Returns
    -------
    str
        Name, kind and reason of each column. For a column set aside, the reason is
        why it was set aside.
    """
    features = schema.features[:_MOST_COLUMNS]
    n_aside = len(schema.features) - len(schema.usable)
    counted = f"{len(schema.features)} column{'s' * (len(schema.features) != 1)}"
    aside = f" ({n_aside} set aside)" if n_aside else ""
    target = "" if schema.target is None else f", target {_target(schema.target)}"
    names = [_short(each.name) for each in features]
    width = max(map(len, names), default=0)
    lines = [
        f"  {name:<{width}}  {each.kind:<11}  "
        + (f"set aside: {each.set_aside}" if each.set_aside else each.reason)
        for name, each in zip(names, features, strict=True)
    ]
    if len(schema.features) > _MOST_COLUMNS:
        lines.append(f"  ... and {len(schema.features) - _MOST_COLUMNS} more columns")
    return "\n".join(
        line.rstrip() for line in [f"{title}{counted}{aside}{target}", *lines]
    )


def overview_html(schema: Schema, title: str) -> str:
    """Return the columns of a schema as an HTML table; see `overview`."""
    first, *_ = overview(schema, title).splitlines()
    rows = [
        [
            _short(each.name),
            each.kind,
            f"set aside: {each.set_aside}" if each.set_aside else each.reason,
        ]
        for each in schema.features[:_MOST_COLUMNS]
    ]
    more = len(schema.features) - len(rows)
    note = f"... and {more:,} more columns" if more else ""
    heads = ["column", "kind", "why"]
    return table_html(first, heads, rows, heads, note)


def _target(target: TargetInfo) -> str:
    if target.kind == "number":
        return f"{_short(target.name)} (numbers)"
    classes = ", ".join(_short(str(each)) for each in target.classes[:_MOST_CLASSES])
    more = ", ..." if len(target.classes) > _MOST_CLASSES else ""
    return f"{_short(target.name)} (classes {classes}{more})"


def _short(name: str) -> str:
    name = name if name.isprintable() else repr(name)
    if len(name) <= _LONGEST_NAME:
        return name or "''"
    return name[: _LONGEST_NAME - 3] + "..."
