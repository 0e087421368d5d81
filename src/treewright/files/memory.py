"""How much memory a file needs, estimated before it is read."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright.errors import OptionError, ResourceLimitError
from treewright.files.opened import OpenedFile
from treewright.files.optional import package

__all__ = [
    "Needed",
    "memory_for_use",
    "memory_in_use",
    "needed_memory",
    "read_limit",
    "shown_bytes",
]

_SHARE = 0.8
_SAMPLE = 1 << 20
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_PROCESS = 256 << 20  # Python and the libraries
_UNPACKED = 6  # times the packed size, where the file does not tell
# Peak memory of reading, in bytes per byte of text (benchmarks/files.py) and, for
# formats whose cells become Python objects, per cell.
_PER_TEXT_BYTE = {"csv": 3.5, "json lines": 14.0}
_PER_OBJECT = 120
_PER_VALUE = 24  # a column of floats or codes, and what it is made from
# The table, one sorted copy of its columns, and as much for each tree that grows.
_PER_VALUE_GROWN, _PER_VALUE_AND_TREE = 12, 4


@dataclass(frozen=True)
class Needed:
    """What a file needs.

    Attributes
    ----------
    file : str
        The file's name.
    n_rows, n_columns : int
        Its size; the rows of a CSV file are estimated from its start.
    reading : int
        Bytes of memory at the peak of reading it.
    in_parts : bool
        Whether `fit` can read it in parts.
    """

    file: str
    n_rows: int
    n_columns: int
    reading: int
    in_parts: bool = False

    def growing(self, n_trees: int = 1) -> int:
        """Return the bytes that growing takes, with so many trees at a time."""
        per_value = _PER_VALUE_GROWN + _PER_VALUE_AND_TREE * n_trees
        return self.n_rows * self.n_columns * per_value

    def peak(self, n_trees: int = 0) -> int:
        """Return the bytes of reading, and of growing so many trees at a time."""
        return max(self.reading, self.growing(n_trees) if n_trees else 0)

    def check(self, limit: int, n_trees: int = 0) -> None:
        """Refuse a file that needs more memory than allowed.

        Parameters
        ----------
        limit : int
            Bytes that may be used.
        n_trees : int, default=0
            Trees that will grow at the same time; 0: the file is only read.

        Raises
        ------
        ResourceLimitError
            Its message says how many rows or columns would fit.
        """
        needed = self.peak(n_trees)
        if needed <= limit:
            return
        share = limit / needed
        todo = f"Reading {self.file}" + " and growing a tree" * (n_trees > 0)
        n_columns = int(self.n_columns * share)
        columns = f", or {n_columns:,} of its {self.n_columns:,} columns"
        way_out = "take a sample of the rows, or raise the memory limit."
        if n_trees and self.in_parts:
            way_out = (
                "raise the memory limit, or choose prune='validation', with which "
                "Parquet may be larger than memory."
            )
        elif n_trees:
            way_out = (
                "raise the memory limit, or write the rows as Parquet, which may be "
                "larger than memory with prune='validation'."
            )
        raise ResourceLimitError(
            f"{todo} needs about {shown_bytes(needed)}, but the limit is "
            f"{shown_bytes(limit)}. About {int(self.n_rows * share):,} of its "
            f"{self.n_rows:,} rows would fit{columns if n_columns else ''}. Name the "
            f"columns to use, {way_out}"
        )


def shown_bytes(n: float) -> str:
    """Return a number of bytes for people: '1.5 GB'."""
    for unit in ("bytes", "KB", "MB"):
        if n < 1024:
            return f"{n:,.0f} {unit}"
        n /= 1024
    return f"{n:,.1f} GB"


def read_limit(wanted: int | str | None = None) -> int:
    """Return a limit in bytes.

    Parameters
    ----------
    wanted : int, str or None
        Bytes, or text such as '500MB' or '2 GB'. None: 80 % of what the process may
        use.

    Returns
    -------
    int

    Raises
    ------
    OptionError
        When it is not a size.
    """
    if wanted is None:
        return int(_SHARE * memory_for_use())
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", str(wanted).lower())
    if found is None or float(found[1]) <= 0:
        raise OptionError(
            "memory_limit must be a number of bytes above 0, or text such as "
            f"'2GB'; got {wanted!r}."
        )
    return int(float(found[1]) * _UNITS[found[2]])


def memory_for_use() -> int:
    """Return the bytes of memory that this process may still take.

    The least of what the machine has left, what a control group allows, and the limit
    of the process itself.
    """
    return max(1, min(filter(None, (_of_machine(), *_of_groups(), _of_process()))))


def memory_in_use() -> int:
    """Return the bytes of memory that this process has now; a guess off Linux."""
    found = re.search(r"VmRSS:\s*(\d+) kB", _read("/proc/self/status"))
    return int(found[1]) * 1024 if found else _PROCESS


def _of_machine() -> int | None:
    found = re.search(r"MemAvailable:\s*(\d+) kB", _read("/proc/meminfo"))
    if found:
        return int(found[1]) * 1024
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return sys.maxsize


def _of_groups(root: str = "/sys/fs/cgroup") -> list[int]:
    """Return what the control groups of this process leave (version 2, then 1)."""
    own = re.search(r"^0::(/.*)$", _read("/proc/self/cgroup"), re.MULTILINE)
    left = []
    folder = Path(root + (own[1] if own else "/"))
    for each in (folder, *folder.parents):
        limit, used = _read(each / "memory.max"), _read(each / "memory.current")
        if limit.strip().isdigit() and used.strip().isdigit():
            left.append(max(1, int(limit) - int(used)))
        if str(each) == root:
            break
    old = _read(Path(root) / "memory" / "memory.limit_in_bytes").strip()
    used_old = _read(Path(root) / "memory" / "memory.usage_in_bytes").strip()
    if old.isdigit() and used_old.isdigit():
        left.append(max(1, int(old) - int(used_old)))
    return left


def _of_process() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    if soft == resource.RLIM_INFINITY:
        return None
    used = re.search(r"VmSize:\s*(\d+) kB", _read("/proc/self/status"))
    return max(1, soft - (int(used[1]) * 1024 if used else 0))


def _read(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def needed_memory(file: OpenedFile, kind: str) -> Needed:
    """Estimate what reading a file and growing a tree from it needs.

    Parameters
    ----------
    file : OpenedFile
        The file.
    kind : str
        Its format; see `format_of`.

    Returns
    -------
    Needed
    """
    if kind == "parquet" and not file.packed:
        return _of_parquet(file)
    size = _unpacked_size(file)
    if kind in _PER_TEXT_BYTE:
        start = file.start(_SAMPLE)
        lines = max(1, start.count(b"\n") or start.count(b"\r"))
        n_rows = size * lines // max(1, len(start))
        first = start.partition(b"\n")[0]
        n_columns = 1 + max(first.count(mark) for mark in (b",", b";", b"\t", b"|"))
        return Needed(file.name, n_rows, n_columns, int(_PER_TEXT_BYTE[kind] * size))
    # About 10 bytes of a file are a cell, whatever its type.
    packing = _UNPACKED if kind == "zip" else 1
    cells = packing * size // 10
    return Needed(file.name, cells, 1, cells * _PER_OBJECT if kind != "arrow" else size)


def _of_parquet(file: OpenedFile) -> Needed:
    parquet = package("pyarrow.parquet", "Reading Parquet files")
    try:
        with file.seekable() as stream:
            found: Any = parquet.read_metadata(stream)
    except Exception:  # damaged in any way: its reader words the error
        return Needed(file.name, 0, 1, file.size)
    stored = sum(
        found.row_group(i).total_byte_size for i in range(found.num_row_groups)
    )
    values = found.num_rows * found.num_columns
    reading = max(3 * stored, _PER_VALUE * values)
    n_columns = max(1, found.num_columns)
    return Needed(file.name, found.num_rows, n_columns, reading, in_parts=True)


def _unpacked_size(file: OpenedFile) -> int:
    """Return the size of the data; where it is packed, as far as the file tells."""
    size = file.size
    if not file.packed:
        return size
    if file.packed == "gzip":
        with file.raw() as stream:
            stream.seek(-4, os.SEEK_END)
            told = int.from_bytes(stream.read(4), "little")  # modulo 4 GB
        return max(told, size)
    return _UNPACKED * size
