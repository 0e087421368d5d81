"""The columns of a file as a source for `as_table`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.files.csv_columns import missing_marks
from treewright.files.optional import package
from treewright.table.from_frame import from_series
from treewright.table.from_numpy import from_array
from treewright.table.intake import Finding
from treewright.table.raw import RawColumn
from treewright.table.spelling import is_missing_mark

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ArrowSource"]


@dataclass(frozen=True, eq=False)
class ArrowSource:
    """Columns of an Arrow table; those that were text in the file are coded.

    Attributes
    ----------
    table : pyarrow.Table
        The columns.
    text : frozenset of str
        Names of the columns that hold text.
    keep_marks : collection of str
        Columns in which marks of missing values, such as 'NA', are categories.
    findings : list of Finding
        Grows with every column that is read: marks that became missing values.
    marks : dict of Counter
        The rows of each such mark, by column.
    """

    table: pa.Table
    text: frozenset[str]
    keep_marks: Collection[str] = ()
    findings: list[Finding] = field(default_factory=list)
    marks: dict[str, Counter[str]] = field(default_factory=dict)
    named: bool = True

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Column names."""
        return tuple(self.table.column_names)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.table.num_rows)

    def row(self, place: int) -> dict[str, Any]:
        """Return the values of one row by name; marks of missing values are None."""
        found: dict[str, Any] = self.table.slice(place, 1).to_pylist()[0]
        for name in self.text.difference(self.keep_marks):
            if isinstance(found[name], str) and is_missing_mark(found[name]):
                found[name] = None
        return found

    def raw(self, index: int) -> RawColumn:
        """Read one column."""
        name, values = self.names[index], self.table.column(index)
        if name in self.text:
            return self._coded(name, values)
        pa = package("pyarrow", "Reading files")
        # narwhals takes a quarter of a millisecond per column.
        if pa.types.is_float64(values.type):
            return from_array(name, values.to_numpy())
        if pa.types.is_int64(values.type) and not values.null_count:
            return RawColumn(name, "int", values.to_numpy(), storage="int64")
        return from_series(name, values)

    def _coded(self, name: str, values: pa.ChunkedArray) -> RawColumn:
        pa = package("pyarrow", "Reading files")
        if not pa.types.is_dictionary(values.type):
            values = values.dictionary_encode()
        array = values.unify_dictionaries().combine_chunks()
        if isinstance(array, pa.ChunkedArray):
            array = array.chunk(0) if array.num_chunks else pa.array([], values.type)
        labels = array.dictionary.to_pylist()
        codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        order = sorted(range(len(labels)), key=labels.__getitem__)
        marks = [] if name in self.keep_marks else [x for x in labels if _is_mark(x)]
        known = [at for at in order if labels[at] not in marks]
        place = np.full(len(labels) + 1, -1, np.int32)
        place[known] = np.arange(len(known), dtype=np.int32)
        if marks:
            counts = np.bincount(codes[codes >= 0], minlength=len(labels))
            rows = Counter({x: int(counts[labels.index(x)]) for x in marks})
            self.marks[name] = +rows
            found = missing_marks(name, +rows)
            self.findings.extend([found] if found else [])
        texts = tuple(labels[at] for at in known)
        content = "category" if texts else "empty"
        return RawColumn(name, content, place[codes], labels=texts, storage="text")


def _is_mark(label: Any) -> bool:
    return is_missing_mark(label)
