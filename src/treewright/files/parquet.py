"""Parquet files."""

from __future__ import annotations

from treewright.files.arrow_table import checked_names, damaged, from_arrow
from treewright.files.content import Content
from treewright.files.opened import OpenedFile
from treewright.files.optional import package
from treewright.files.select import Selection

__all__ = ["read_parquet"]


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
    parquet = package("pyarrow.parquet", "Reading Parquet files")
    try:
        with file.seekable() as stream, parquet.ParquetFile(stream) as opened:
            names = checked_names(opened.schema_arrow.names, file.name)
            table = opened.read(columns=selection.names(names))
    except (pa.ArrowException, OSError) as problem:
        raise damaged(file.name, "Parquet", problem) from problem
    return from_arrow(table, file.name)
