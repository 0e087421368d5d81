"""Rows in named parts: Parquet files, a pyarrow dataset, or other batches."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from treewright.errors import TableError
from treewright.files.arrow_table import damaged
from treewright.files.optional import package

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Batches", "OpenPart", "RowsInParts", "is_in_parts", "rows_in_parts"]

Batches: TypeAlias = "Iterable[pa.RecordBatch]"
"""Rows, some thousand at a time."""
OpenPart: TypeAlias = Callable[[], Batches]
"""Opens the rows of a part; it can be called more than once."""

_ROWS = 1 << 17
_ROWS_OF_PART = 1 << 20


@dataclass(frozen=True)
class RowsInParts:
    """Rows that can be read more than once, in named parts.

    Attributes
    ----------
    name : str
        What the rows are called in messages.
    parts : dict of str to callable
        Opens the rows of each part.
    n_rows, n_columns : int or None
        Size, as far as it is known without reading the rows.
    """

    name: str
    parts: dict[str, OpenPart]
    n_rows: int | None
    n_columns: int | None


def is_in_parts(X: Any) -> bool:
    """Return whether `rows_in_parts` opens this, by its form alone.

    Parameters
    ----------
    X : object
        What `fit` was given.

    Returns
    -------
    bool
        True for a pattern of paths, a folder, a list of paths, a pyarrow dataset, a
        polars LazyFrame and a relation of DuckDB. False for one file, which is a table.
    """
    if isinstance(X, str | PathLike):
        return _is_pattern(X) or Path(X).is_dir()
    if isinstance(X, list | tuple):
        return len(X) > 0 and all(isinstance(each, str | PathLike) for each in X)
    return _package_of(X) in ("pyarrow.dataset", "polars.lazy", "duckdb.relation")


def rows_in_parts(X: Any) -> RowsInParts:
    """Open rows that can be read more than once.

    Parameters
    ----------
    X : str, path, list of paths, pyarrow dataset, polars LazyFrame, DuckDB relation
        Paths name Parquet files, folders of them, or patterns such as
        'rows/*.parquet'. The columns are found by name.

    Returns
    -------
    RowsInParts

    Raises
    ------
    TableError
        When a path names nothing, or a file is damaged.
    """
    kind = _package_of(X)
    if kind == "pyarrow.dataset":
        return _of_dataset(X, "the dataset")
    if kind == "polars.lazy":
        n_columns = len(X.collect_schema().names())
        opens: dict[str, OpenPart] = {"the LazyFrame": partial(_of_lazy, X)}
        return RowsInParts("the LazyFrame", opens, None, n_columns)
    if kind == "duckdb.relation":
        opens = {"the relation": partial(_of_relation, X)}
        return RowsInParts("the relation", opens, None, len(X.columns))
    paths = [X] if isinstance(X, str | PathLike) else list(X)
    files = [file for each in paths for file in _files(os.fspath(each))]
    name = os.fspath(paths[0]) + (" ..." if len(paths) > 1 else "")
    datasets = package("pyarrow.dataset", "Reading Parquet files")
    pa = package("pyarrow", "Reading Parquet files")
    try:
        hive = "hive" if len(paths) == 1 and Path(paths[0]).is_dir() else None
        base = os.fspath(paths[0]) if hive else None
        found = datasets.dataset(
            files, format="parquet", partitioning=hive, partition_base_dir=base
        )
        return _of_dataset(found, name)
    except (pa.ArrowException, OSError) as problem:
        raise damaged(name, "Parquet", problem) from problem


def _package_of(X: Any) -> str:
    """Return which source this is, without importing anything."""
    names = {f"{each.__module__}.{each.__name__}" for each in type(X).__mro__}
    if "pyarrow._dataset.Dataset" in names:
        return "pyarrow.dataset"
    if any(n.startswith("polars.") and n.endswith(".LazyFrame") for n in names):
        return "polars.lazy"
    if any("duckdb" in n and n.endswith(".DuckDBPyRelation") for n in names):
        return "duckdb.relation"
    return ""


def _is_pattern(path: str | PathLike[str]) -> bool:
    text = os.fspath(path)
    return any(mark in text for mark in "*?[") and not os.path.exists(text)


def _files(path: str) -> list[str]:
    """Return the Parquet files that a path names, sorted."""
    if _is_pattern(path):
        found = sorted(glob.glob(path, recursive=True))
        found = [each for each in found if not Path(each).is_dir()]
        if not found:
            raise TableError(
                f"No file matches {path!r}. The pattern is looked up from "
                f"{os.getcwd()}."
            )
        return found
    if Path(path).is_dir():
        found = sorted(map(str, Path(path).rglob("*.parquet")))
        if not found:
            raise TableError(
                f"The folder {path!r} holds no file that ends in .parquet. Name the "
                "files by a pattern, such as 'rows/*.pq'."
            )
        return found
    if not Path(path).exists():
        raise TableError(f"There is no file {path}. Check the path.")
    return [path]


# -- files and datasets ----------------------------------------------------------------


def _of_dataset(dataset: Any, name: str) -> RowsInParts:
    parts: dict[str, OpenPart] = {}
    n_rows = 0
    for fragment in dataset.get_fragments():
        label = getattr(fragment, "path", "") or f"part {len(parts)}"
        for first, pieces, n in _pieces(fragment):
            n_rows += n
            at = f"{label} (from row {first})" if first else label
            parts[at] = partial(_of_fragments, pieces)
    return RowsInParts(name, parts, n_rows, len(dataset.schema.names))


def _pieces(fragment: Any) -> Iterator[tuple[int, list[Any], int]]:
    """Yield row groups of a file that make a part: first row, groups, rows."""
    if not hasattr(fragment, "split_by_row_group"):
        yield 0, [fragment], fragment.count_rows()
        return
    first, start, pieces, n = 0, 0, list[Any](), 0
    for group in fragment.split_by_row_group():
        size = sum(each.num_rows for each in group.row_groups)
        if pieces and n + size > _ROWS_OF_PART:
            yield start, pieces, n
            start, pieces, n = first, [], 0
        pieces.append(group)
        first, n = first + size, n + size
    yield start, pieces, n


def _of_fragments(fragments: Sequence[Any]) -> Iterator[pa.RecordBatch]:
    datasets = package("pyarrow.dataset", "Reading Parquet files")
    pa = package("pyarrow", "Reading Parquet files")
    for fragment in fragments:
        keys = datasets.get_partition_keys(fragment.partition_expression)
        options = {"batch_size": _ROWS, "use_threads": False, "batch_readahead": 1}
        for batch in fragment.to_batches(**options):
            for key, value in keys.items():
                if key not in batch.schema.names:
                    column = pa.array([value] * batch.num_rows)
                    batch = batch.append_column(key, column)
            yield batch


def _of_lazy(frame: Any) -> Iterator[pa.RecordBatch]:
    for some in frame.collect_batches(chunk_size=_ROWS):
        yield from some.to_arrow().to_batches()


def _of_relation(relation: Any) -> Iterator[pa.RecordBatch]:
    yield from relation.fetch_record_batch(_ROWS)
