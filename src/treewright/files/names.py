"""Names for columns that have none of their own."""

from __future__ import annotations

from collections.abc import Iterator

from treewright.table.intake import Finding

__all__ = ["numbered_names"]

_MOST_SHOWN = 3


def numbered_names(fields: list[str]) -> tuple[tuple[str, ...], list[Finding]]:
    """Return distinct names of the columns, and a finding if some were renamed.

    Parameters
    ----------
    fields : list of str
        The names as the file has them. They lose the blanks around them; an empty name
        becomes 'column_3', and one that occurs again becomes 'name_2'.

    Returns
    -------
    names : tuple of str
    findings : list of Finding
    """
    wanted = [each.strip() or f"column_{n}" for n, each in enumerate(fields, 1)]
    taken, names = set(wanted), []
    seen: dict[str, int] = {}
    for name in wanted:
        seen[name] = n = seen.get(name, 0) + 1
        if n > 1:
            while f"{name}_{n}" in taken:
                n += 1
            name = f"{name}_{n}"
            taken.add(name)
        names.append(name)
    renamed = [
        (field.strip(), name)
        for field, name in zip(fields, names, strict=True)
        if field.strip() != name
    ]
    if not renamed:
        return tuple(names), []
    finding = Finding(
        "renamed",
        None,
        "; ".join(_renamed(renamed)),
        "Name every column in the file, or leave these out with drop=.",
    )
    return tuple(names), [finding]


def _renamed(renamed: list[tuple[str, str]]) -> Iterator[str]:
    """Yield what became of names: pairs of the old and the new one."""
    nameless = [new for old, new in renamed if not old]
    again = [new for old, new in renamed if old]
    for new, which in ((nameless, "no name"), (again, "the name of another")):
        if new:
            shown = ", ".join(map(repr, new[:_MOST_SHOWN]))
            more = f" and {len(new) - _MOST_SHOWN} more" if new[_MOST_SHOWN:] else ""
            have = "column has" if len(new) == 1 else "columns have"
            yield f"{len(new)} {have} {which}, read as {shown}{more}"
