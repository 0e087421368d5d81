"""Names for columns that have none of their own."""

from __future__ import annotations

from treewright.table.intake import Finding

__all__ = ["numbered_names"]


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
    shown = ", ".join(f"{name!r}" for _, name in renamed[:3])
    more = f" and {len(renamed) - 3} more" if len(renamed) > 3 else ""
    finding = Finding(
        "renamed",
        None,
        f"{len(renamed)} column{'s' * (len(renamed) > 1)} without a name of "
        f"{'their' if len(renamed) > 1 else 'its'} own read as {shown}{more}",
        "Name every column in the file, or leave these out with drop=.",
    )
    return tuple(names), [finding]
