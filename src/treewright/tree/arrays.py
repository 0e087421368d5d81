"""Convert the arrays of a tree to their declared types, and make them read-only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.errors import TreeFormatError

__all__ = ["FITS", "declared_array", "extra_array", "frozen"]

FITS: Final[Mapping[str, Callable[[tuple[int, ...], int], bool]]] = {
    "n": lambda shape, n: shape == (n,),
    "n+1": lambda shape, n: shape == (n + 1,),
    "any": lambda shape, n: len(shape) == 1,
    "n,k": lambda shape, n: len(shape) == 2 and shape[0] == n and shape[1] >= 1,
    "n or 0": lambda shape, n: shape in ((n,), (0,)),
    "n or 0,3": lambda shape, n: shape in ((n, 3), (0, 3)),
    "n or 0,k": lambda shape, n: len(shape) == 2 and shape[0] in (n, 0),
}


def declared_array(
    name: str, values: ArrayLike, metadata: Mapping[str, Any], n: int
) -> NDArray[Any]:
    """Return `values` as a read-only array of the declared type and shape."""
    array = _as_type(name, np.asarray(values), metadata["dtype"])
    wanted = metadata["shape"]
    if metadata.get("optional") and not array.size and wanted.startswith("n"):
        array = np.zeros(n + wanted.endswith("+1"), array.dtype)
    if wanted == "n or 0,k" and not array.size:
        array = np.empty((0, 0), array.dtype)
    if not FITS[wanted](array.shape, n):
        raise TreeFormatError(
            f"{name} must have the shape ({wanted}) with n = {n} nodes; "
            f"got {array.shape}."
        )
    return _owned(array)


def extra_array(name: str, values: ArrayLike, n: int) -> NDArray[Any]:
    """Return an extra array as a read-only array; it may hold any plain type."""
    array = np.asarray(values)
    if array.ndim < 1 or len(array) != n or array.dtype.kind not in "biufU":
        raise TreeFormatError(
            f"The extra array {name!r} must hold numbers, booleans or strings, one "
            f"entry (or row) for each of the {n} nodes; "
            f"got {array.dtype} of shape {array.shape}."
        )
    return _owned(_as_type(name, array, array.dtype.newbyteorder("=")))


def _as_type(name: str, array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Convert an array without loss, or refuse it."""
    if array.dtype == dtype:
        return array
    try:
        with np.errstate(invalid="ignore"):
            converted = array.astype(dtype)
        same = np.array_equal(converted, array, equal_nan=array.dtype.kind == "f")
    except (TypeError, ValueError, OverflowError):
        same = False
    if not same:
        raise TreeFormatError(
            f"{name} must hold {dtype} values; got {array.dtype} values that do not "
            "convert without loss."
        )
    return converted


def _owned(array: NDArray[Any]) -> NDArray[Any]:
    """Return a contiguous, read-only array; copy it if it is a view of another."""
    array = np.ascontiguousarray(array)
    if array.flags.writeable and isinstance(array.base, np.ndarray):
        array = array.copy()  # the caller can still write to the base
    return frozen(array)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Make an array read-only, in place, and return it."""
    array.flags.writeable = False
    return array
