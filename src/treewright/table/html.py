"""HTML of what people print, for notebooks: plain tables that suit any theme."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

__all__ = ["list_html", "pre_html", "table_html"]

_CELL = "padding:.2em .7em;vertical-align:top;border-top:1px solid #8884;"


def table_html(
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: Collection[str] = (),
    note: str = "",
) -> str:
    """Return a table.

    Parameters
    ----------
    title : str
        Text above the table.
    heads : sequence of str
        Headings of the columns.
    rows : sequence of sequence of str
        The cells.
    left : collection of str
        Headings of the columns whose text starts at the left; others are numbers.
    note : str
        Text below the table.

    Returns
    -------
    str
        It takes the colours and fonts of the page.
    """
    sides = ["left" if head in left else "right;white-space:nowrap" for head in heads]
    parts = ['<div class="treewright-table" style="overflow-x:auto;max-width:100%">']
    parts += [f"<div>{escape(title)}</div>"] if title else []
    parts.append(
        '<table style="border-collapse:collapse;font-variant-numeric:'
        'tabular-nums"><thead><tr>'
    )
    parts += [
        f'<th scope="col" style="{_CELL}border-top:0;text-align:{side}">'
        f"{escape(head)}</th>"
        for head, side in zip(heads, sides, strict=True)
    ]
    parts.append("</tr></thead><tbody>")
    for row in rows:
        cells = "".join(
            f'<td style="{_CELL}text-align:{side}">{escape(cell)}</td>'
            for cell, side in zip(row, sides, strict=True)
        )
        parts.append(f"<tr>{cells}</tr>")
    parts.append("</tbody></table>")
    parts += [f"<div>{escape(note)}</div>"] if note else []
    return "".join(parts) + "</div>"


def list_html(title: str, items: Sequence[tuple[str, str]], more: str = "") -> str:
    """Return a numbered list; each item is a line, and a paler line below it.

    Parameters
    ----------
    title : str
        Text above the list.
    items : sequence of tuple of str
        The two lines of each item.
    more : str
        HTML below the list.

    Returns
    -------
    str
    """
    lines = "".join(
        f'<li style="margin:.3em 0">{escape(one)}'
        f'<div style="opacity:.75">{escape(two)}</div></li>'
        for one, two in items
    )
    return (
        f'<div style="max-width:100%"><div><b>{escape(title)}</b></div>'
        f'<ol start="0" style="margin:.4em 0">{lines}</ol>{more}</div>'
    )


def pre_html(text: str) -> str:
    """Return a text as it is, with long lines that scroll instead of wrapping."""
    return (
        '<pre style="line-height:1.35;overflow-x:auto;max-width:100%">'
        f"{escape(text)}</pre>"
    )
