"""Read data frames (pandas, polars, pyarrow, any Arrow stream) through narwhals."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from treewright.errors import ColumnTypeError, TableError
from treewright.table.from_numpy import from_array
from treewright.table.from_objects import COMPLEX_WORDS, from_objects
from treewright.table.from_rows import distinct_names
from treewright.table.raw import RawColumn, as_label

__all__ = ["FrameSource", "from_series"]

_NESTED = (nw.List, nw.Struct, nw.Array)


@dataclass(frozen=True, eq=False, slots=True)
class FrameSource:
    """Columns of a data frame.

    Attributes
    ----------
    frame : narwhals.DataFrame
        The data frame.
    own_names : list
        The names as the frame holds them. Access by name is fast; access by number
        scans all columns.
    names, n_rows, named
        See `treewright.table.source.Source`.
    matrix : float array of rows x columns, or None
        All columns, if reading them at once is faster than one by one.
    """

    frame: nw.DataFrame[Any]
    own_names: list[Any]
    names: tuple[str, ...]
    n_rows: int
    named: bool = True
    matrix: NDArray[np.floating[Any]] | None = None

    @classmethod
    def open(cls, X: Any) -> "FrameSource":
        """Check that this is a data frame with distinct names whose rows are loaded.

        Parameters
        ----------
        X : data frame or Arrow stream
            Anything narwhals understands.

        Returns
        -------
        FrameSource

        Raises
        ------
        TableError
            When it is lazy, a single series, or has two columns of the same name.
        """
        try:
            frame = nw.from_native(X, allow_series=True, pass_through=True)
        except DuplicateError:
            distinct_names(list(getattr(X, "column_names", None) or X.columns))
            raise
        if isinstance(frame, nw.LazyFrame):
            frame = _loaded(X, "X")
        if isinstance(frame, nw.Series):
            raise TableError(
                "Expected 2D array, got 1D array instead: X is a single series. "
                "Reshape your data with X.to_frame() if it is a single column. Take a "
                "single row of a frame with frame.iloc[[i]]."
            )
        if not isinstance(frame, nw.DataFrame):
            frame = _from_arrow_stream(X)
        try:
            own_names = frame.columns
            names = distinct_names(own_names)
        except DuplicateError:
            distinct_names(list(getattr(X, "column_names", None) or X.columns))
            raise
        return cls(frame, own_names, names, len(frame), matrix=_matrix(frame))

    def raw(self, index: int) -> RawColumn:
        """Read one column."""
        name = self.names[index]
        if self.matrix is not None:
            return from_array(name, self.matrix[:, index])
        return _from_narwhals(name, self.frame.get_column(self.own_names[index]))


def _matrix(frame: nw.DataFrame[Any]) -> NDArray[np.floating[Any]] | None:
    """Return a pandas frame of floats as one array if it has more columns than rows.

    pandas is slow to return a column, even a short one.
    """
    if not frame.implementation.is_pandas() or len(frame) >= len(frame.columns):
        return None
    types = set(frame.to_native().dtypes.tolist())
    if types not in ({np.dtype(np.float64)}, {np.dtype(np.float32)}):
        return None
    return frame.to_numpy()


def from_series(name: str, values: Any) -> RawColumn:
    """Return a series (or a data frame of one column) as a raw column.

    Parameters
    ----------
    name : str
        The column's name, for messages.
    values : series
        Anything narwhals understands.

    Returns
    -------
    RawColumn
    """
    series = nw.from_native(values, allow_series=True, pass_through=True)
    if isinstance(series, nw.LazyFrame):
        series = _loaded(values, f"Column {name!r}")
        values = series.to_native()
    if isinstance(series, nw.DataFrame) and len(series.columns) == 1:
        series = series[:, 0]
    if isinstance(series, nw.Series):
        return _from_narwhals(name, series)
    if hasattr(values, "codes") and hasattr(values, "categories"):
        return _from_pandas_categories(name, values)
    return from_array(name, np.asarray(values))


def _loaded(X: Any, what: str) -> nw.DataFrame[Any]:
    """Return the rows of a lazy table that exports an Arrow stream.

    A relation of DuckDB is one. Other lazy tables are refused.
    """
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "collect"):
        return _from_arrow_stream(X)
    verb = "compute" if hasattr(X, "compute") else "collect"
    kind = f"{type(X).__module__.split('.')[0]} {type(X).__name__}"
    raise TableError(
        f"{what} is a lazy table ({kind}): its rows are not loaded yet. Call .{verb}() "
        "first and pass the result."
    )


def _from_arrow_stream(X: Any) -> nw.DataFrame[Any]:
    if not hasattr(X, "__arrow_c_stream__"):
        raise TableError(
            f"X is an object of type {type(X).__name__!r}, which is not a table "
            "narwhals knows. Convert it to pandas, polars or pyarrow first."
        )
    for backend in ("pyarrow", "polars"):
        try:
            return nw.from_arrow(X, backend=backend)
        except ImportError:
            continue
    raise TableError(
        "Reading an Arrow stream needs pyarrow or polars: pip install pyarrow"
    )


def _from_narwhals(name: str, series: "nw.Series[Any]") -> RawColumn:
    dtype = series.dtype
    storage = str(dtype).lower()
    if dtype.is_float():
        return from_array(name, series.to_numpy())
    if dtype.is_integer() or dtype == nw.Boolean:
        return _whole(name, series, storage)
    if dtype in (nw.Categorical, nw.Enum):
        return _categories(name, series)
    if dtype == nw.String:
        if str(getattr(series.to_native(), "dtype", "")) == "object":
            # narwhals infers the type of such columns from their first cells only.
            raw = from_objects(name, _objects(series))
            return _coded_text(name, series) if raw.content == "text" else raw
        return _coded_text(name, series)
    if dtype.is_decimal():
        return from_objects(name, series.to_list())
    if dtype.is_temporal():
        return _moments(name, series)
    if dtype in _NESTED:
        raise ColumnTypeError(
            f"Column {name!r} is nested ({dtype}): argument must be a string or a "
            "number per row. Put each part into a column of its own."
        )
    return _unknown(name, series)


def _whole(name: str, series: "nw.Series[Any]", storage: str) -> RawColumn:
    if series.dtype in (nw.Int128, nw.UInt128):
        return from_objects(name, series.to_list())
    missing, filled = None, series
    if series.null_count():
        missing = np.asarray(series.is_null().to_numpy(), np.bool_)
        filled = series.fill_null(False if series.dtype == nw.Boolean else 0)
    values = filled.to_numpy()
    if values.dtype.kind not in "iub":
        # Some nullable bools arrive as objects although nothing is missing.
        return from_objects(name, series.to_list())
    content = "bool" if series.dtype == nw.Boolean else "int"
    return RawColumn(name, content, values, missing, storage=storage)


def _coded_text(
    name: str, series: "nw.Series[Any]", storage: str = "text"
) -> RawColumn:
    """Read text as codes, by the library's own hash table; sort the distinct texts."""
    if series.implementation.is_polars():
        try:
            places, labels = _dictionary(_polars_dictionary(series))
        except ImportError:  # polars alone has no quick way to number texts
            return RawColumn(name, "text", _objects(series), storage=storage)
    elif series.implementation.is_pyarrow():
        encoded = series.to_native().dictionary_encode()
        places, labels = _dictionary(encoded.unify_dictionaries().combine_chunks())
    else:
        places, distinct = series.to_native().factorize()
        labels = [as_label(each) for each in distinct.tolist()]
    order = sorted(range(len(labels)), key=labels.__getitem__)
    rank = np.full(len(order) + 1, -1, np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    texts = tuple(map(labels.__getitem__, order))
    return RawColumn(name, "text", rank[places], labels=texts, storage=storage)


def _polars_dictionary(series: "nw.Series[Any]") -> Any:
    """Return a polars series as a dictionary of Arrow, without a copy if possible."""
    native = series.to_native()
    polars = series.implementation.to_native_namespace()
    try:
        views = polars.CompatLevel.newest()
        return native.to_arrow(compat_level=views).dictionary_encode()
    # The polars or the pyarrow of today's oldest images cannot number views of text.
    except (AttributeError, NotImplementedError):
        return native.to_arrow().dictionary_encode()


def _dictionary(array: Any) -> tuple[NDArray[Any], list[Any]]:
    """Return the codes (-1 = missing) and the labels of an Arrow dictionary."""
    return array.indices.fill_null(-1).to_numpy(), array.dictionary.to_pylist()


def _objects(series: "nw.Series[Any]") -> NDArray[Any]:
    return np.asarray(series.to_numpy(), object)


def _moments(name: str, series: "nw.Series[Any]") -> RawColumn:
    dtype = series.dtype
    if dtype == nw.Time:
        return from_objects(name, series.to_list())
    zone = getattr(dtype, "time_zone", None) or ""
    values = series.to_numpy()
    if values.dtype.kind not in "mM":
        # Arrow-backed pandas columns return dates as objects.
        return from_objects(name, values)
    content = {nw.Date: "date", nw.Duration: "duration"}.get(type(dtype), "datetime")
    return RawColumn(name, content, values, timezone=zone, storage=str(dtype))


def _categories(name: str, series: "nw.Series[Any]") -> RawColumn:
    """Read codes and labels from the library itself: narwhals exposes neither."""
    native = series.to_native()
    if series.implementation.is_polars():
        if series.dtype == nw.Categorical:
            # polars numbers these by first occurrence: take the text and sort it.
            return _coded_text(name, series.cast(nw.String), storage="category")
        labels = native.dtype.categories.to_list()
        codes = native.to_physical().cast(int).fill_null(-1).to_numpy()
        return _coded(name, codes, labels, declared=True, storage="enum")
    if series.implementation.is_pyarrow():
        array = native.unify_dictionaries().combine_chunks()
        labels = array.dictionary.to_pylist()
        codes = array.indices.cast("int64").fill_null(-1).to_numpy()
        if None in labels:
            return from_objects(name, native.to_pylist())
        order = bool(array.type.ordered)
        return _coded(
            name, codes, labels, declared=order, ordered=order, storage="dictionary"
        )
    return _from_pandas_categories(name, native.cat)


def _from_pandas_categories(name: str, values: Any) -> RawColumn:
    """Read a pandas Categorical, or the `.cat` of a series of them."""
    return _coded(
        name,
        np.asarray(values.codes),
        values.categories.tolist(),
        declared=True,
        ordered=bool(values.ordered),
        storage="category",
    )


def _coded(
    name: str, codes: NDArray[Any], labels: Iterable[Any], **declared: Any
) -> RawColumn:
    texts = tuple(as_label(label) for label in labels)
    return RawColumn(name, "category", codes, labels=texts, **declared)


def _unknown(name: str, series: "nw.Series[Any]") -> RawColumn:
    native_type = str(getattr(series.to_native(), "dtype", series.dtype))
    if series.null_count() == len(series):
        return RawColumn(name, "empty", np.full(len(series), np.nan))
    if native_type.startswith("period"):
        return from_array(name, series.to_native().dt.to_timestamp().to_numpy())
    if "complex" in native_type:
        raise TableError(
            f"{COMPLEX_WORDS}: column {name!r} is of type {native_type}. Split it into "
            "a real and an imaginary column."
        )
    if "Sparse" in native_type:
        raise TableError(
            f"Column {name!r} is sparse ({native_type}), which is not supported. Make "
            "it dense first, in pandas with X[name].sparse.to_dense()."
        )
    return from_objects(name, _objects(series))
