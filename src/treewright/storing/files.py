"""Reading and writing whole files: atomically, and regular files only."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

from treewright.errors import TreeFormatError

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
    # A link keeps pointing to the file that is replaced.
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        _write_new(part, parts)
        if target.exists():
            os.chmod(part, stat.S_IMODE(target.stat().st_mode))
        os.replace(part, target)
        _sync_folder(target.parent)
    except OSError as problem:
        raise _explained(path, problem) from problem
    finally:
        with contextlib.suppress(OSError):
            os.unlink(part)


def _write_new(path: Path, parts: Iterable[bytes]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
    with open(os.open(path, flags, 0o666), "wb") as file:
        for part in parts:
            file.write(part)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the new name last; where folders cannot be opened, the system does it."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _explained(path: Path, problem: OSError) -> OSError:
    reason = problem.strerror or str(problem)
    remedy = "Save it elsewhere."
    if isinstance(problem, FileNotFoundError):
        remedy = f"Make the folder {str(path.parent)!r} first."
    return OSError(problem.errno, f"Could not save {str(path)!r}: {reason}. {remedy}")


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
