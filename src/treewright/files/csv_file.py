"""Files of delimited text: CSV, TSV and their relatives."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from treewright.files.content import Content, Rejected
from treewright.files.csv_columns import Typed, typed_column
from treewright.files.csv_layout import Layout, find_layout
from treewright.files.csv_rows import (
    QuoteCheck,
    careful_rows,
    fast_rows,
    repeats_header,
)
from treewright.files.opened import OpenedFile
from treewright.files.optional import package
from treewright.files.select import Selection
from treewright.files.text import TextFile
from treewright.table.intake import Finding

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["read_csv", "verified_layout"]


def read_csv(file: OpenedFile, selection: Selection) -> Content:
    """Read a file of delimited text; see `csv_layout` and `csv_rows` for the rules.

    Parameters
    ----------
    file : OpenedFile
        The file.
    selection : Selection
        The columns to read.

    Returns
    -------
    Content
    """
    text = TextFile(file)
    layout, quotes = verified_layout(text)
    names = selection.names(layout.names)
    rows, rejected = _text_rows(text, layout, names, quotes)
    findings = [*_encoding(text), *layout.findings]
    columns = rows.columns
    del rows
    typed = _typed(names, columns, selection)
    findings += [each for column in typed for each in column.findings]
    pa = package("pyarrow", "Reading CSV files")
    table = pa.table([column.values for column in typed], names=names)
    is_text = frozenset(
        name for name, column in zip(names, typed, strict=True) if column.is_text
    )
    return Content(table, is_text, rejected, tuple(findings))


def verified_layout(text: TextFile) -> tuple[Layout, QuoteCheck]:
    """Find the layout of a file, and verify its encoding and quotes on every byte."""
    layout = find_layout(text)
    quotes = QuoteCheck(layout.delimiter)
    for block in text.verified():
        quotes.look_at(block)
    quotes.finish()
    if text.guessed:
        layout = find_layout(text)  # now in the right encoding
    return layout, quotes


def _text_rows(
    text: TextFile, layout: Layout, names: list[str], quotes: QuoteCheck
) -> tuple[pa.Table, tuple[Rejected, ...]]:
    if quotes.tidy and layout.width > 1:
        rows = fast_rows(text, layout, names, quotes=quotes.any)
        if rows is not None and not repeats_header(rows):
            return rows, ()
    return careful_rows(text, layout, names)


def _typed(names: list[str], columns: list[Any], selection: Selection) -> list[Typed]:
    """Decide the type of every column, with as many threads as there are cores.

    The list of columns is emptied on the way, so that text is let go once it is read.
    """
    n_threads = os.cpu_count() or 1
    found: list[Any] = [None] * len(names)

    def of_thread(first: int) -> None:
        for place in range(first, len(names), n_threads):
            text, columns[place] = columns[place], None
            kind = selection.kinds.get(names[place])
            found[place] = typed_column(names[place], text, kind)

    with ThreadPoolExecutor(n_threads) as threads:
        list(threads.map(of_thread, range(n_threads)))
    return found


def _encoding(text: TextFile) -> list[Finding]:
    if not text.guessed:
        return []
    name = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}[text.encoding]
    return [
        Finding(
            "encoding",
            None,
            f"the bytes of the file are not UTF-8; read as {name}",
            "Save the file as UTF-8 if letters look wrong.",
        )
    ]
