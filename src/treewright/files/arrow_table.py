"""Arrow tables from typed files: checked in full, with types that `as_table` reads.

What becomes of a column:

- text stays text, and is read like the text of a CSV file; a dictionary is a declared
  set of categories;
- times of day become durations since midnight; half floats become float32;
- timestamps of every unit and durations are read in microseconds (a finding says so if
  nanoseconds are lost); decimals are numbers as long as a float64 holds them exactly;
- extension types are read as what they store; run-end encoded columns, and
  dictionaries of anything but text, are read as their decoded values;
- lists, structs, maps and intervals are refused: name them in `drop`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.errors import ColumnTypeError, TableError
from treewright.files.content import Content
from treewright.files.optional import package
from treewright.table.intake import Finding

__all__ = ["checked_names", "damaged", "from_arrow"]


def checked_names(names: list[str], file: str) -> list[str]:
    """Return the names of columns, and refuse one that occurs twice."""
    twice = [name for name in names if names.count(name) > 1] if _repeats(names) else []
    if twice:
        raise TableError(
            f"Two columns of {file} are called {twice[0]!r}. Rename one of them where "
            "the file is written: columns are found by name."
        )
    return names


def _repeats(names: list[str]) -> bool:
    return len(set(names)) < len(names)


def from_arrow(table: Any, file: str) -> Content:
    """Return the content of a typed file.

    Parameters
    ----------
    table : pyarrow.Table
        The columns that were read.
    file : str
        The file's name, for messages.

    Returns
    -------
    Content

    Raises
    ------
    TableError
        When the buffers of the table are not valid.
    ColumnTypeError
        When a column is nested.
    """
    pa = package("pyarrow", "Reading files")
    try:
        table.validate(full=True)
    except pa.ArrowInvalid as problem:
        raise TableError(
            f"{file} is damaged: {_first_line(problem)}. Write or fetch it again."
        ) from problem
    findings: list[Finding] = []
    columns = []
    for name, values in zip(table.column_names, table.columns, strict=True):
        columns.append(_readable(name, values, file))
        findings += _lost_nanoseconds(name, values)
    out = pa.table(columns, names=table.column_names)
    text = frozenset(each.name for each in out.schema if pa.types.is_string(each.type))
    return Content(out, text, (), tuple(findings))


def damaged(file: str, kind: str, problem: Exception) -> TableError:
    """Return the error for a file that its format's reader refuses."""
    return TableError(
        f"{file} is not a whole {kind} file: {_first_line(problem)}. Write or fetch it "
        "again."
    )


def _first_line(problem: Exception) -> str:
    return (str(problem) or type(problem).__name__).splitlines()[0].rstrip(".")


def _readable(name: str, values: Any, file: str) -> Any:
    """Return a column in a type that `as_table` reads."""
    pa = package("pyarrow", "Reading files")
    types, kind = pa.types, values.type
    if isinstance(kind, pa.BaseExtensionType):
        chunks = [chunk.storage for chunk in values.chunks]
        return _readable(name, pa.chunked_array(chunks, kind.storage_type), file)
    if types.is_run_end_encoded(kind):
        return _decoded_runs(name, values, file)
    if types.is_dictionary(kind) and not _is_text(kind.value_type):
        # A dictionary of other values than text is only a compression.
        chunks = [chunk.dictionary_decode() for chunk in values.chunks]
        return _readable(name, pa.chunked_array(chunks, kind.value_type), file)
    if types.is_nested(kind) or types.is_interval(kind):
        raise ColumnTypeError(
            f"Column {name!r} of {file} is nested ({kind}), so a row has no single "
            f"value there. Put its parts into columns of their own, or pass "
            f"drop=[{name!r}]."
        )
    if types.is_dictionary(kind):
        return _with_text_labels(values)
    if types.is_large_string(kind) or types.is_string_view(kind):
        return values.cast(pa.string())
    if types.is_time(kind):
        unit = "us" if types.is_time32(kind) else kind.unit
        return values.cast(pa.time64(unit)).cast(pa.int64()).cast(pa.duration(unit))
    if types.is_float16(kind):
        return values.cast(pa.float32())
    return values


def _decoded_runs(name: str, values: Any, file: str) -> Any:
    """Return a run-end encoded column as its decoded values.

    `run_end_decode` of pyarrow knows neither dictionaries nor views.
    """
    pa = package("pyarrow", "Reading files")
    kind = values.type.value_type
    chunks = []
    for runs in values.chunks:
        known = _readable(name, pa.chunked_array([runs.values], kind), file)
        places = np.repeat(
            np.arange(len(known)), np.diff(runs.run_ends.to_numpy(), prepend=0)
        )
        rows = pa.array(places[runs.offset : runs.offset + len(runs)])
        chunks.append(known.combine_chunks().take(rows))
    plain = _readable(name, pa.chunked_array([], kind), file)
    return pa.chunked_array(chunks, plain.type)


def _is_text(kind: Any) -> bool:
    types = package("pyarrow", "Reading files").types
    known = (types.is_string, types.is_large_string, types.is_string_view)
    return any(each(kind) for each in known)


def _with_text_labels(values: Any) -> Any:
    """Return a dictionary column of text whose labels are plain strings."""
    pa = package("pyarrow", "Reading files")
    if pa.types.is_string(values.type.value_type):
        return values
    return values.cast(pa.dictionary(pa.int64(), pa.string(), values.type.ordered))


def _lost_nanoseconds(name: str, values: Any) -> list[Finding]:
    """Find points in time that microseconds cannot hold."""
    pa = package("pyarrow", "Reading files")
    pc = package("pyarrow.compute", "Reading files")
    kind = values.type
    if not (pa.types.is_timestamp(kind) or pa.types.is_duration(kind)):
        return []
    if kind.unit != "ns":
        return []
    whole = values.cast(pa.int64())
    part = pc.subtract(whole, pc.multiply(pc.divide(whole, 1000), 1000))
    n = pc.sum(pc.not_equal(part, 0)).as_py() or 0
    if not n:
        return []
    return [
        Finding(
            "rounded",
            name,
            f"{n:,} value{'s' * (n > 1)} with nanoseconds",
            "Read to the microsecond.",
        )
    ]
