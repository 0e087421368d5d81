"""Which format a file has: by its first bytes, else by the end of its name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from treewright.errors import TableError
from treewright.files.arrow import read_arrow
from treewright.files.content import Content
from treewright.files.csv_file import read_csv
from treewright.files.excel import read_excel
from treewright.files.in_parts import is_in_parts
from treewright.files.json_lines import read_json_lines
from treewright.files.memory import Needed, needed_memory, read_limit
from treewright.files.opened import OpenedFile
from treewright.files.parquet import read_parquet
from treewright.files.select import Selection
from treewright.files.sql import is_query, read_query
from treewright.files.sqlite import read_sqlite

__all__ = ["check_memory", "format_of", "is_large", "is_parquet", "read_content"]

_MAGIC = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"FEA1", "feather 1"),
    (b"\xff\xff\xff\xff", "arrow stream"),
    (b"SQLite format 3\0", "sqlite"),
    (b"PK\x03\x04", "zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
)
_SUFFIXES = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".arrows": "arrow stream",
    ".db": "sqlite",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".xlsx": "zip",
    ".xlsm": "zip",
    ".xlsb": "zip",
    ".ods": "zip",
    ".xls": "ole",
    ".jsonl": "json lines",
    ".ndjson": "json lines",
    ".json": "json lines",
}


def format_of(file: OpenedFile) -> str:
    """Return the format of a file."""
    start = file.start(16)
    for magic, found in _MAGIC:
        if start.startswith(magic):
            return found
    suffixes = [each.lower() for each in file.path.suffixes[-2:]]
    if suffixes and suffixes[-1] in (".gz", ".zst"):
        suffixes.pop()
    named = _SUFFIXES.get(suffixes[-1], "csv") if suffixes else "csv"
    if named in ("csv", "json lines"):
        return named
    raise TableError(
        f"{file.name} ends in {suffixes[-1]}, but its first bytes are {start[:8]!r}, "
        "not those of such a file. It is damaged, incomplete or of another format; "
        "rename it if it is text."
    )


def check_memory(
    path: str | os.PathLike[str], memory_limit: int | str | None, n_trees: int = 0
) -> None:
    """Refuse a file that needs too much memory, before it is read.

    Parameters
    ----------
    path : str or path
        The file. Standard input and queries, which can be read only once, pass, and so
        do rows in parts.
    memory_limit : int, str or None
        See `read`.
    n_trees : int, default=0
        Trees that will grow from it at the same time.
    """
    limit = read_limit(memory_limit)
    needed = _needed(path, limit)
    if needed is not None:
        needed.check(limit, n_trees)


def is_parquet(path: str | os.PathLike[str]) -> bool:
    """Return whether a path names one Parquet file, which may be larger than memory.

    Parameters
    ----------
    path : str or path
        See `check_memory`.

    Returns
    -------
    bool
    """
    if not _is_one_file(path):
        return False
    return format_of(OpenedFile(path, read_limit(None))) == "parquet"


def is_large(
    path: str | os.PathLike[str], memory_limit: int | str | None, n_trees: int
) -> bool:
    """Return whether one Parquet file needs too much memory.

    Parameters
    ----------
    path, memory_limit, n_trees
        See `check_memory`.

    Returns
    -------
    bool
    """
    limit = read_limit(memory_limit)
    needed = _needed(path, limit)
    return needed is not None and needed.in_parts and needed.peak(n_trees) > limit


def _needed(path: str | os.PathLike[str], limit: int) -> Needed | None:
    """Return what one file needs; None for what is read otherwise."""
    if not _is_one_file(path):
        return None
    file = OpenedFile(path, limit)
    return needed_memory(file, format_of(file))


def _is_one_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a path names one file, which may be looked at more than once."""
    if str(path) == "-" or is_query(path) or is_in_parts(path):
        return False
    return not Path(path).exists() or Path(path).is_file()


def read_content(
    path: str | os.PathLike[str],
    selection: Selection,
    *,
    table: str | None,
    memory_limit: int | str | None,
    progress: Callable[[float], Any] | None = None,
) -> Content:
    """Read a file with the reader of its format."""
    if is_query(path):
        return read_query(str(path), selection)
    limit = read_limit(memory_limit)
    file = OpenedFile(path, limit, progress)
    kind = format_of(file)
    needed_memory(file, kind).check(limit)
    match kind:
        case "parquet":
            return read_parquet(file, selection)
        case "arrow" | "arrow stream":
            return read_arrow(file, selection, stream=kind == "arrow stream")
        case "sqlite":
            return read_sqlite(file, selection, table)
        case "zip" | "ole":
            return read_excel(file, selection, table)
        case "json lines":
            return read_json_lines(file, selection)
        case "feather 1":
            raise TableError(
                f"{file.name} is a Feather file of version 1, which is no longer in "
                "use. Write it again as Feather 2 or Parquet."
            )
    return read_csv(file, selection)
