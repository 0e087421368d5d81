"""Row weights: one finite number >= 0 per row."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TableError
from treewright.table.raw import freeze
from treewright.table.source import is_sparse

__all__ = ["check_each_weight", "check_weights", "read_weights", "rows_per_weight"]

_SMALLEST = 1e-250  # the largest weight must be larger, so that small ones fit below


def read_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Check the caller's weights.

    Parameters
    ----------
    sample_weight : array, series, list or None
        One weight per row. A row of weight 0 is left out. None: all weights are 1.
    n_rows : int
        Number of rows of the table.

    Returns
    -------
    ndarray of float64 or None
        Contiguous and read-only.

    Raises
    ------
    TableError
        When the shape is wrong, a weight is negative, missing or infinite, or all
        are zero.
    """
    if sample_weight is None:
        return None
    if is_sparse(sample_weight):
        raise TableError(
            f"sample_weight is sparse ({type(sample_weight).__name__}), which is not "
            "supported. Pass a dense array with one weight per row."
        )
    if isinstance(sample_weight, str):
        raise TableError(
            f"sample_weight is the text {sample_weight!r}, but one number per row is "
            f"needed. Did you mean X[{sample_weight!r}]?"
        )
    # A relation of DuckDB has a shape, but NumPy cannot read it.
    shape = getattr(sample_weight, "shape", None)
    if isinstance(shape, tuple) and len(shape) > 1:
        raise TableError(_many_axes(shape, n_rows))
    array = np.asarray(sample_weight)
    if array.ndim > 1:
        raise TableError(_many_axes(array.shape, n_rows))
    if array.ndim == 0:
        raise TableError(_no_column(array, n_rows))
    if len(array) != n_rows:
        raise TableError(
            f"sample_weight.shape == {array.shape}, expected ({n_rows},)! Pass one "
            "weight per row."
        )
    weights = np.ascontiguousarray(_as_float64(array))
    check_each_weight(weights)
    with np.errstate(over="ignore"):
        squares = float(weights @ weights)
    check_weights(float(weights.max()), squares)
    return freeze(weights)


def _many_axes(shape: tuple[int, ...], n_rows: int) -> str:
    return (
        f"Sample weights must be one-dimensional, with {n_rows} values; got shape "
        f"{shape}. Pass an array, series or list with one weight per row."
    )


def _no_column(array: NDArray[Any], n_rows: int) -> str:
    if array.dtype.kind == "O":
        return (
            f"sample_weight is an object of type {type(array.item()).__name__!r}, but "
            f"one weight per row is needed. Pass an array of {n_rows} numbers."
        )
    return (
        f"sample_weight is the single value {array.item()!r}, but one weight per row "
        f"is needed. Pass numpy.full({n_rows}, {array.item()!r}), or None for equal "
        "weights."
    )


def _as_float64(array: NDArray[Any]) -> NDArray[np.float64]:
    if array.dtype.kind == "c":
        raise TableError(
            "Complex data not supported: sample_weight is complex. Pass real numbers."
        )
    try:
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as problem:
        raise TableError(
            f"sample_weight holds a value that is not a number ({problem}). Pass one "
            "number >= 0 per row."
        ) from problem


def check_each_weight(weights: NDArray[np.float64]) -> None:
    """Refuse a weight that is negative, missing or infinite.

    Parameters
    ----------
    weights : float64 array
        At least one weight.

    Raises
    ------
    TableError
        Its message names the row.
    """
    low, high = float(weights.min()), float(weights.max())
    # A missing weight makes both NaN, and every comparison with NaN is false.
    if low >= 0 and high < np.inf:
        return
    row = int(np.flatnonzero(~(weights >= 0) | np.isinf(weights))[0])
    seen = float(weights[row])
    wrong = "is negative" if seen < 0 and seen > -np.inf else "is not finite"
    if np.isnan(seen):
        wrong = "is missing (NaN)"
    raise TableError(
        f"sample_weight {wrong} in row {row}: {seen}. Weights must be finite and "
        ">= 0; give weight 0 to leave a row out."
    )


def check_weights(largest: float, squares: float) -> None:
    """Refuse weights that are all zero, or too small or too large to be added up.

    Parameters
    ----------
    largest : float
        The largest weight.
    squares : float
        Sum of the squares of the weights, which every node of a tree keeps.

    Raises
    ------
    TableError
    """
    if largest == 0:
        raise TableError(
            "Sample weights are all zero, so every row is left out. At least one row "
            "needs a weight above zero."
        )
    if largest < _SMALLEST:
        raise TableError(
            "The sample weights are too small to be distinguished (largest: "
            f"{largest}). Multiply all of them by a large number: only their ratios "
            "matter."
        )
    if np.isinf(squares):
        raise TableError(
            f"The sample weights are too large to be added up (largest: {largest}). "
            "Divide all of them by a large number: only their ratios matter."
        )


def rows_per_weight(weight: float, n_rows: int) -> float:
    """Return how many rows a unit of weight counts as in bounds and standard errors.

    Parameters
    ----------
    weight : float
        Sum of the weights, not altered by priors or costs.
    n_rows : int
        Number of rows of positive weight.

    Returns
    -------
    float
        1, because weights count as copies of a row. If they are below 1 on average,
        such as shares of a whole, more than 1: the mean weight then counts as one row.
    """
    return max(1.0, n_rows / weight) if weight > 0 else 1.0
