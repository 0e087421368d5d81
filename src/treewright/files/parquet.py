"""Parquet files."""

from __future__ import annotations

from typing import IO, Any

from treewright.files.arrow_table import checked_names, damaged, from_arrow
from treewright.files.content import Content
from treewright.files.opened import OpenedFile
from treewright.files.optional import package
from treewright.files.select import Selection

__all__ = ["open_parquet", "read_parquet"]


def read_parquet(file: OpenedFile, selection: Selection) -> Content:
    """Read a Parquet file.

    Parameters
    ----------
    file : OpenedFile
        The file.
    selection : Selection
        The columns to read.

    Returns
    -------
    Content

    Raises
    ------
    TableError
        When the file is damaged or encrypted.
    """
    pa = package("pyarrow", "Reading Parquet files")
    try:
        with file.seekable() as stream, open_parquet(stream) as opened:
            names = checked_names(opened.schema_arrow.names, file.name)
            table = _row_groups(opened, selection.names(names), file)
    except (pa.ArrowException, OSError) as problem:
        raise damaged(file.name, "Parquet", problem) from problem
    return from_arrow(table, file.name)


def _row_groups(opened: Any, names: list[str], file: OpenedFile) -> Any:
    """Read all rows; group by group if somebody watches."""
    n = opened.num_row_groups
    if not file.is_watched or n < 2:
        return opened.read(columns=names)
    pa = package("pyarrow", "Reading Parquet files")
    groups = []
    for group in range(n):
        groups.append(opened.read_row_group(group, columns=names))
        file.report((group + 1) / n)
    return pa.concat_tables(groups)


def open_parquet(stream: IO[bytes]) -> Any:
    """Open a Parquet file; its pages are held against their checksums, if any."""
    parquet = package("pyarrow.parquet", "Reading Parquet files")
    return parquet.ParquetFile(stream, page_checksum_verification=True)
