"""Arrays of a tree, brought to their declared type and shape and made read-only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.errors import TreeFormatError

__all__ = ["FITS", "frozen", "settled", "settled_extra"]

FITS: Final[Mapping[str, Callable[[tuple[int, ...], int], bool]]] = {
    "n": lambda shape, n: shape == (n,),
    "n+1": lambda shape, n: shape == (n + 1,),
    "any": lambda shape, n: len(shape) == 1,
    "n,k": lambda shape, n: len(shape) == 2 and shape[0] == n and shape[1] >= 1,
    "n or 0": lambda shape, n: shape in ((n,), (0,)),
    "n or 0,3": lambda shape, n: shape in ((n, 3), (0, 3)),
}


def settled(
    name: str, given: ArrayLike, metadata: Mapping[str, Any], n: int
) -> NDArray[Any]:
    """Return `given` with the declared type and shape, read-only."""
    array = _as_type(name, np.asarray(given), metadata["dtype"])
    wanted = metadata["shape"]
    if metadata.get("optional") and not array.size and wanted.startswith("n"):
        array = np.zeros(n + wanted.endswith("+1"), array.dtype)
    if not FITS[wanted](array.shape, n):
        raise TreeFormatError(
            f"{name} must have the shape ({wanted}) with n = {n} nodes; "
            f"got {array.shape}."
        )
    return _handed_over(array)


def settled_extra(name: str, given: ArrayLike, n: int) -> NDArray[Any]:
    """Return an extra array, read-only, of whatever type it has."""
    array = np.asarray(given)
    if array.ndim < 1 or len(array) != n or array.dtype.kind not in "biufU":
        raise TreeFormatError(
            f"The extra array {name!r} must hold numbers, booleans or strings, one "
            f"entry (or row) for each of the {n} nodes; "
            f"got {array.dtype} of shape {array.shape}."
        )
    return _handed_over(_as_type(name, array, array.dtype.newbyteorder("=")))


def _as_type(name: str, array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Convert without losing anything."""
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
            f"{name} must hold {dtype} values; got {array.dtype} that does not fit."
        )
    return converted


def _handed_over(array: NDArray[Any]) -> NDArray[Any]:
    """Return a contiguous array that nobody can change any more."""
    array = np.ascontiguousarray(array)
    if array.flags.writeable and isinstance(array.base, np.ndarray):
        array = array.copy()  # the rest of the base stays the caller's
    return frozen(array)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Make an array read-only, in place, and return it."""
    array.flags.writeable = False
    return array
