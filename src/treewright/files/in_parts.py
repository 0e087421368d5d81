"""Rows in named parts: Parquet files, a pyarrow dataset, or other batches."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from treewright.errors import TableError
from treewright.files.arrow_table import damaged
from treewright.files.optional import package
from treewright.table.target import MOST_INTEGER_CLASSES

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Batches",
    "OpenPart",
    "RowsInParts",
    "is_in_parts",
    "rows_in_parts",
    "seen_in_target",
    "task_of_target",
]

Batches: TypeAlias = "Iterable[pa.RecordBatch]"
"""Rows, some thousand at a time."""
OpenPart: TypeAlias = Callable[..., Batches]
"""Opens the rows of a part, all columns or those that are named; more than once."""

_ROWS = 1 << 16
_ROWS_OF_PART = 1 << 20
_BUFFER = 1 << 16  # bytes of a column that are read at a time


@dataclass(frozen=True)
class RowsInParts:
    """Rows that can be read more than once, in named parts.

    Attributes
    ----------
    name : str
        What the rows are called in messages.
    parts : dict of str to callable
        Opens the rows of each part.
    columns, drop : sequence of str or None
        The columns to predict from, or those to leave out; see `read`.
    cluster : object
        The frame of Dask or Spark that holds the rows; `parts` is empty then.
    """

    name: str
    parts: dict[str, OpenPart]
    columns: Sequence[str] | None = None
    drop: Sequence[str] | None = None
    cluster: Any = None


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
        polars LazyFrame, a relation of DuckDB and a DataFrame of Dask or Spark. False
        for one file, which is a table.
    """
    if isinstance(X, RowsInParts):
        return True
    if isinstance(X, str | PathLike):
        return _is_pattern(X) or Path(X).is_dir()
    if isinstance(X, list | tuple):
        return len(X) > 0 and all(isinstance(each, str | PathLike) for each in X)
    return _package_of(X) != ""


def rows_in_parts(
    X: Any, *, columns: Sequence[str] | None = None, drop: Sequence[str] | None = None
) -> RowsInParts:
    """Open rows that can be read more than once, to fit a tree from some columns.

    Parameters
    ----------
    X : path, paths, pyarrow dataset, LazyFrame, DuckDB relation, Dask or Spark frame
        Paths name Parquet files, folders of them, or patterns such as
        ``rows/*.parquet``. The columns are found by name.
    columns, drop : list of str, default=None
        The columns to predict from, or those to leave out.

    Returns
    -------
    RowsInParts

    Raises
    ------
    TableError
        When a path names nothing, or a file is damaged.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> import treewright as tw
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for n in (1, 2):
    ...     rows = pa.table({"id": [n, n + 2], "wind": [n, 9 * n], "y": ["no", "yes"]})
    ...     pq.write_table(rows, folder / f"{n}.parquet")
    >>> rows = tw.rows_in_parts(folder, drop=["id"])
    >>> tw.TreeClassifier(prune=None).fit(rows, target="y").tree_.columns_used
    ('wind',)
    """
    if isinstance(X, RowsInParts):
        return replace(X, columns=columns or X.columns, drop=drop or X.drop)
    kind = _package_of(X)
    if kind in ("dask", "spark"):
        return RowsInParts(f"the DataFrame of {kind.title()}", {}, columns, drop, X)
    if kind == "pyarrow.dataset":
        name, parts = "the dataset", _of_dataset(X)
    elif kind == "polars.lazy":
        name, parts = "the LazyFrame", {"the LazyFrame": partial(_of_lazy, X)}
    elif kind == "duckdb.relation":
        name, parts = "the relation", {"the relation": partial(_of_relation, X)}
    else:
        name, parts = _of_paths(X)
    return RowsInParts(name, parts, columns, drop)


def _of_paths(X: Any) -> tuple[str, dict[str, OpenPart]]:
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
        return name, _of_dataset(found)
    except (pa.ArrowException, OSError) as problem:
        raise damaged(name, "Parquet", problem) from problem


def task_of_target(found: Iterable[str | set[Any]]) -> str:
    """Return what the target suggests: 'class' or 'number'; see `as_table`.

    Parameters
    ----------
    found : iterable
        Of each part, what `seen_in_target` returned. No more of it is taken once the
        answer is known.

    Returns
    -------
    str
    """
    seen: set[Any] = set()
    for each in found:
        if isinstance(each, str):
            return each
        seen |= each
        if len(seen) > MOST_INTEGER_CLASSES:
            return "number"
    return "class"


def seen_in_target(batches: Batches, target: str) -> str | set[Any]:
    """Return what the target of a part suggests.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch
        The rows; the target is enough.
    target : str
        The column to predict.

    Returns
    -------
    'class', 'number' or set
        Of whole numbers, the different ones, until there are too many for classes.
    """
    pa = package("pyarrow", "Reading files")
    seen: set[Any] = set()
    for batch in batches:
        if target not in batch.schema.names:
            break  # describing the rows says which columns there are
        column = batch.column(target)
        if not pa.types.is_integer(column.type):
            is_number = pa.types.is_floating(column.type)
            is_number |= pa.types.is_decimal(column.type)
            return "number" if is_number else "class"
        seen.update(column.drop_null().unique().to_pylist())
        if len(seen) > MOST_INTEGER_CLASSES:
            return "number"
    return seen


def _package_of(X: Any) -> str:
    """Return which source this is, without importing anything."""
    names = {f"{each.__module__}.{each.__name__}" for each in type(X).__mro__}
    if "pyarrow._dataset.Dataset" in names:
        return "pyarrow.dataset"
    if any(n.startswith("polars.") and n.endswith(".LazyFrame") for n in names):
        return "polars.lazy"
    if any("duckdb" in n and n.endswith(".DuckDBPyRelation") for n in names):
        return "duckdb.relation"
    for cluster, begin in (("dask", "dask.dataframe."), ("spark", "pyspark.sql.")):
        if any(n.startswith(begin) and n.endswith(".DataFrame") for n in names):
            return cluster
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


def _of_dataset(dataset: Any) -> dict[str, OpenPart]:
    parts: dict[str, OpenPart] = {}
    try:
        fragments = list(dataset.get_fragments())
    except ValueError:  # it is filtered, and does not tell its files
        return {"the dataset": partial(_of_filtered, dataset)}
    for fragment in fragments:
        label = getattr(fragment, "path", "") or f"part {len(parts)}"
        for first, pieces in _pieces(fragment):
            at = f"{label} (from row {first})" if first else label
            parts[at] = partial(_of_file, at, pieces)
    return parts


def _of_filtered(
    dataset: Any, columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    wanted = None
    if columns is not None:
        wanted = [name for name in dataset.schema.names if name in columns]
    yield from dataset.to_batches(
        columns=wanted, batch_size=_ROWS, batch_readahead=1, fragment_readahead=1
    )


def _pieces(fragment: Any) -> Iterator[tuple[int, list[Any]]]:
    """Yield row groups of a file that make a part, with the number of the first row."""
    if not hasattr(fragment, "split_by_row_group"):
        yield 0, [fragment]
        return
    first, start, pieces, n = 0, 0, list[Any](), 0
    for group in fragment.split_by_row_group():
        size = sum(each.num_rows for each in group.row_groups)
        if pieces and n + size > _ROWS_OF_PART:
            yield start, pieces
            start, pieces, n = first, [], 0
        pieces.append(group)
        first, n = first + size, n + size
    yield start, pieces


def _of_file(
    name: str, fragments: Sequence[Any], columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    pa = package("pyarrow", "Reading Parquet files")
    try:
        yield from _of_fragments(fragments, columns)
    except (pa.ArrowException, OSError) as problem:
        lines = str(problem).splitlines() or [type(problem).__name__]
        raise TableError(
            f"{name} cannot be read ({lines[0].rstrip('.')}): it is damaged, or it "
            "changed since it was opened. Write it again, or fit again once nothing "
            "writes to it."
        ) from problem


def _of_fragments(
    fragments: Sequence[Any], columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    datasets = package("pyarrow.dataset", "Reading Parquet files")
    pa = package("pyarrow", "Reading Parquet files")
    for fragment in fragments:
        keys = datasets.get_partition_keys(fragment.partition_expression)
        there = fragment.physical_schema.names
        wanted = None if columns is None else [n for n in there if n in columns]
        for batch in _batches_of(fragment, wanted):
            for key, value in keys.items():
                if key not in there and (columns is None or key in columns):
                    column = pa.array([value] * batch.num_rows)
                    batch = batch.append_column(key, column)
            yield batch


def _batches_of(fragment: Any, columns: list[str] | None) -> Iterator[pa.RecordBatch]:
    """Read a file in batches; of Parquet, without a whole row group in memory."""
    if not hasattr(fragment, "row_groups"):
        yield from fragment.to_batches(
            columns=columns, batch_size=_ROWS, use_threads=False
        )
        return
    parquet = package("pyarrow.parquet", "Reading Parquet files")
    with fragment.filesystem.open_input_file(fragment.path) as file:
        opened = parquet.ParquetFile(file, pre_buffer=False, buffer_size=_BUFFER)
        yield from opened.iter_batches(
            _ROWS,
            row_groups=[each.id for each in fragment.row_groups],
            columns=columns,
            use_threads=False,
        )


def _of_lazy(
    frame: Any, columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    frame = frame if columns is None else frame.select(columns)
    if hasattr(frame, "collect_batches"):
        frames = frame.collect_batches(chunk_size=_ROWS)
    else:  # an older polars holds all rows at once
        frames = frame.collect().iter_slices(_ROWS)
    for some in frames:
        yield from some.to_arrow().to_batches()


def _of_relation(
    relation: Any, columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    # A new relation each time: DuckDB 1.3 gives the rows of a relation only once.
    relation = relation.select(*(["*"] if columns is None else columns))
    # DuckDB 2, releases before it, and DuckDB 1.3 each have another name.
    names = ("to_arrow_reader", "fetch_record_batch", "fetch_arrow_reader")
    name = next(name for name in names if hasattr(relation, name))
    yield from getattr(relation, name)(_ROWS)
