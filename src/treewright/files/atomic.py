"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from treewright.errors import OptionError

__all__ = ["file_to_write", "replaced"]

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def file_to_write(path: str | os.PathLike[str], example: str) -> Path:
    """Return the path of a file that can be written: its folder exists.

    Parameters
    ----------
    path : str or path
        What the caller was given.
    example : str
        A name that would do, for the message.

    Raises
    ------
    OptionError
        If it is no name of a file, a folder, or a name in a folder that is not there.
    """
    if not isinstance(path, str | os.PathLike):
        raise OptionError(
            f"path must be the name of a file, such as {example!r}; got {path!r}."
        )
    where = Path(path)
    if where.is_dir():
        raise OptionError(f"path is the folder {str(where)!r}; name a file in it.")
    if not where.parent.is_dir():
        raise OptionError(
            f"There is no folder {str(where.parent)!r} to write {where.name!r} into. "
            "Make it first."
        )
    return where


@contextlib.contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file to write; it takes its name only when everything is written.

    Until then it is a temporary file in the same folder. If the block raises an
    exception, that file is removed and what stood there before is unchanged. A pipe or
    a device is written to as it is.

    Parameters
    ----------
    path : str or path
        The file to write or to replace.

    Yields
    ------
    binary file

    Raises
    ------
    OSError
        With a message that names the file and the reason.
    """
    if _is_stream(path):
        try:
            with open(path, "wb") as file:
                yield file
        except OSError as problem:
            raise _explained(Path(path), problem) from problem
        return
    # A link keeps pointing to the file that is replaced.
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        with open(os.open(part, _NEW, 0o666), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(part, stat.S_IMODE(target.stat().st_mode))
        os.replace(part, target)
        _sync_folder(target.parent)
    except OSError as problem:
        raise _explained(target, problem) from problem
    finally:
        with contextlib.suppress(OSError):
            os.unlink(part)


def _is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether a path names a pipe or a device, which a file must not replace."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


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
    remedy = "Write it elsewhere."
    if isinstance(problem, FileNotFoundError) and not path.parent.is_dir():
        remedy = f"Make the folder {str(path.parent)!r} first."
    return OSError(problem.errno, f"Could not write {str(path)!r}: {reason}. {remedy}")
