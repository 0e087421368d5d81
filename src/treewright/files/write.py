"""Write rows with answers next to them, whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np

from treewright.errors import OptionError
from treewright.files.atomic import replaced
from treewright.files.optional import package

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RowWriter", "row_writer"]

_FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "json lines",
    ".ndjson": "json lines",
}
_NEEDS_QUOTES = r'[",\t\r\n]'


class RowWriter:
    """Writes batches of rows; see `row_writer`."""

    def __init__(self, out: _Out) -> None:
        self._out = out

    def write(self, rows: pa.Table, added: Mapping[str, Any]) -> None:
        """Write some rows.

        Parameters
        ----------
        rows : pyarrow.Table
            Columns of the input, such as `Batch.rows`.
        added : mapping of str to array
            More columns, one value per row. One that `rows` has already is replaced.
        """
        for name, values in added.items():
            column = _column(values)
            if name in rows.column_names:
                place = rows.column_names.index(name)
                rows = rows.set_column(place, name, column)
            else:
                rows = rows.append_column(name, column)
        self._out.write(rows)


class _Out(Protocol):
    """One format."""

    def write(self, rows: pa.Table) -> None:
        """Write some rows."""

    def close(self) -> None:
        """Write what is left."""


def _column(values: Any) -> Any:
    """Return values as a column of Arrow; objects are text if there are none."""
    pa = package("pyarrow", "Writing files")
    if isinstance(values, np.ndarray) and values.dtype.kind in "OU":
        listed = values.tolist()
        return pa.array(listed, None if listed else pa.string())
    return pa.array(values)


@contextmanager
def row_writer(path: str | os.PathLike[str]) -> Iterator[RowWriter]:
    """Open a file to write rows to; the end of its name says in which format.

    Parameters
    ----------
    path : str or path
        A .csv, .tsv, .parquet or .jsonl file, which appears under its name only when
        everything is written; '-' is standard output, as CSV.

    Yields
    ------
    RowWriter

    Raises
    ------
    OptionError
        When the format is not known.
    """
    if str(path) == "-":
        with _closing(_Delimited(sys.stdout.buffer, ",")) as out:
            yield RowWriter(out)
        sys.stdout.buffer.flush()
        return
    kind = _FORMATS.get(Path(path).suffix.lower())
    if kind is None:
        raise OptionError(
            f"{path} should end in .csv, .tsv, .parquet or .jsonl, so that the format "
            "is known."
        )
    with replaced(path) as file, _closing(_opened(file, kind)) as out:
        yield RowWriter(out)


@contextmanager
def _closing(out: _Out) -> Iterator[_Out]:
    yield out
    out.close()


def _opened(file: IO[bytes], kind: str) -> _Out:
    if kind == "parquet":
        return _Parquet(file)
    if kind == "json lines":
        return _JsonLines(file)
    return _Delimited(file, "\t" if kind == "tsv" else ",")


class _Delimited:
    """Delimited text, with quotes only where they are needed."""

    def __init__(self, file: IO[bytes], delimiter: str) -> None:
        self._file = file
        self._delimiter = delimiter
        self._started = False

    def write(self, rows: pa.Table) -> None:
        if not self._started:
            self._by_python([rows.column_names])
            self._started = True
        pa = package("pyarrow", "Writing files")
        text = pa.table([_as_text(each) for each in rows.columns], rows.column_names)
        if len(text.columns) == 1 or any(map(_needs_quotes, text.columns)):
            columns = [each.to_pylist() for each in text.columns]
            self._by_python(zip(*columns, strict=True))
            return
        pa_csv = package("pyarrow.csv", "Writing files")
        options = pa_csv.WriteOptions(
            include_header=False, delimiter=self._delimiter, quoting_style="none"
        )
        pa_csv.write_csv(text, self._file, options)

    def _by_python(self, rows: Any) -> None:
        out = io.StringIO(newline="")
        writer = csv.writer(out, delimiter=self._delimiter, lineterminator="\n")
        writer.writerows(rows)
        self._file.write(out.getvalue().encode())

    def close(self) -> None:
        pass


def _as_text(values: Any) -> Any:
    pa = package("pyarrow", "Writing files")
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    return values if pa.types.is_string(values.type) else values.cast(pa.string())


def _needs_quotes(values: Any) -> bool:
    pc = package("pyarrow.compute", "Writing files")
    found = pc.any(pc.match_substring_regex(values, _NEEDS_QUOTES)).as_py()
    return bool(found)


class _Parquet:
    """A Parquet file, a row group per batch."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._writer: Any = None

    def write(self, rows: pa.Table) -> None:
        if self._writer is None:
            parquet = package("pyarrow.parquet", "Writing Parquet files")
            self._writer = parquet.ParquetWriter(self._file, rows.schema)
        self._writer.write_table(rows.cast(self._writer.schema))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


class _JsonLines:
    """JSON lines; NaN and infinities, which JSON lacks, are null and text."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, rows: pa.Table) -> None:
        lines = [
            json.dumps(
                {name: _json_value(cell) for name, cell in row.items()},
                ensure_ascii=False,
            )
            for row in rows.to_pylist()
        ]
        self._file.write("".join(f"{line}\n" for line in lines).encode())

    def close(self) -> None:
        pass


def _json_value(cell: Any) -> Any:
    if cell is None or isinstance(cell, bool | int | str):
        return cell
    if isinstance(cell, float):
        if cell != cell:
            return None
        return cell if abs(cell) < float("inf") else str(cell)
    return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)
