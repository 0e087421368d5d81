"""Arrow and Feather files, and Arrow streams."""

from __future__ import annotations

from treewright.files.arrow_table import checked_names, damaged, from_arrow
from treewright.files.content import Content
from treewright.files.opened import OpenedFile
from treewright.files.optional import package
from treewright.files.select import Selection

__all__ = ["read_arrow"]


def read_arrow(file: OpenedFile, selection: Selection, *, stream: bool) -> Content:
    """Read an Arrow file (which Feather files are) or an Arrow stream.

    Parameters
    ----------
    file : OpenedFile
        The file.
    selection : Selection
        The columns to read.
    stream : bool
        Whether it is a stream, without a list of its batches at the end.

    Returns
    -------
    Content

    Raises
    ------
    TableError
        When the file is damaged.
    """
    pa = package("pyarrow", "Reading Arrow files")
    ipc = package("pyarrow.ipc", "Reading Arrow files")
    try:
        with file.seekable() as source:
            opened = ipc.open_stream(source) if stream else ipc.open_file(source)
            names = checked_names(opened.schema.names, file.name)
            wanted = selection.names(names)
            table = opened.read_all().select(wanted)
    except (pa.ArrowException, OSError) as problem:
        raise damaged(file.name, "Arrow", problem) from problem
    return from_arrow(table, file.name)
