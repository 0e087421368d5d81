"""Reading and writing whole files: atomically, and regular files only."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from treewright.errors import TreeFormatError
from treewright.files.atomic import replaced

__all__ = ["read_whole", "write_atomically"]

_BINARY = getattr(os, "O_BINARY", 0)  # on Windows
# Opening a pipe that nobody writes to would wait for ever.
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)


def write_atomically(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file so that it is always the old one or the new one, whole.

    The parts go to a temporary file in the same folder, which then takes the name.

    Parameters
    ----------
    path : Path
        The file to write or to replace.
    parts : iterable of bytes
        Its content.

    Raises
    ------
    OSError
        With a message that names the file and the reason; the file is unchanged.
    """
    with replaced(path) as file:
        file.writelines(parts)


def read_whole(path: Path) -> bytes:
    """Return the content of a file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    bytes

    Raises
    ------
    OSError
        If it cannot be read.
    TreeFormatError
        If it is a folder, a device or the like, which may have no end.
    """
    handle = os.open(path, os.O_RDONLY | _BINARY | _NONBLOCK)
    try:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            kind = "a folder" if stat.S_ISDIR(mode) else "not a file but a device"
            raise TreeFormatError(f"{str(path)!r} is {kind}. Pass a *.tree.json file.")
        with open(handle, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(handle)
