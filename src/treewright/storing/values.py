"""Settings and figures of any kind as JSON: the parameters of an estimator and so on.

Most values are JSON already. An object with the name "$float", "$tuple", "$dict" or
"$object" stands for what JSON lacks: {"$float": "inf"}, {"$tuple": [...]},
{"$dict": [[key, value], ...]} for keys that are not text, and {"$object": "KFold"} for
an object that cannot be stored. Arrays become lists.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.errors import TreeFormatError
from treewright.storing.shapes import (
    Number,
    Shape,
    Text,
    fail,
    number_out,
    shown,
)

__all__ = ["AnyValue", "NotStored", "kept", "plain"]

_DEEPEST = 12
_MOST_BITS = 1000


@dataclass(frozen=True)
class NotStored:
    """Stands for an object that the file could only name, such as a splitter.

    Attributes
    ----------
    name : str
        The class of the object.
    """

    name: str

    def __repr__(self) -> str:
        """Return the name, and that the object itself is not there."""
        return f"<{self.name}, not stored>"


def plain(value: Any, depth: int = 0) -> Any:
    """Return a value as JSON can hold it; `AnyValue` reads it back.

    Parameters
    ----------
    value : object
        Numbers, texts, lists, tuples, dicts, arrays and data frames are stored; of
        other objects, only the name of their class.
    depth : int, default=0
        How deep the value lies in another.

    Returns
    -------
    object
        Lists, dicts with text keys, texts, finite numbers, booleans and None.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int) and value.bit_length() <= _MOST_BITS:
        return int(value)
    if isinstance(value, float):
        finite = math.isfinite(value)
        return float(value) if finite else {"$float": number_out(value)}
    if depth >= _DEEPEST:
        return _name(value)
    return _container(value, depth + 1)


def _container(value: Any, depth: int) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufUO":
        return plain(value.tolist(), depth)
    if isinstance(value, list):
        return [plain(each, depth) for each in value]
    if isinstance(value, tuple):
        return {"$tuple": [plain(each, depth) for each in value]}
    if hasattr(value, "to_dict") and hasattr(value, "columns"):  # a data frame
        value = value.to_dict("index")
    elif hasattr(value, "to_dict") and hasattr(value, "index"):  # a series
        value = value.to_dict()
    if not isinstance(value, Mapping):
        return _name(value)
    if all(isinstance(key, str) and not key.startswith("$") for key in value):
        return {key: plain(each, depth) for key, each in value.items()}
    pairs = [(_scalar(key), each) for key, each in value.items()]
    if not all(_is_scalar(key) for key, _ in pairs):
        return _name(value)
    return {"$dict": [[plain(k, depth), plain(v, depth)] for k, v in pairs]}


def _scalar(key: Any) -> Any:
    return key.item() if isinstance(key, np.generic) else key


def _name(value: Any) -> dict[str, str]:
    is_name = isinstance(value, NotStored)
    return {"$object": value.name if is_name else type(value).__name__}


def kept(value: Any) -> Any:
    """Return a copy of a value, as it will be after saving and loading."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    parsed = json.loads(json.dumps(plain(value)), object_pairs_hook=tuple)
    return AnyValue().read(parsed, "value")


class AnyValue(Shape):
    """What `plain` writes."""

    words = "any value"

    def _read(self, value: Any, where: str) -> Any:
        return _read(value, where, 0)

    def _schema(self) -> dict[str, Any]:
        return {}


def _read(value: Any, where: str, depth: int) -> Any:
    if depth > _DEEPEST + 4:
        raise TreeFormatError(f"{where} is nested too deeply.")
    if isinstance(value, list):
        return [_read(x, f"{where}[{i}]", depth + 1) for i, x in enumerate(value)]
    if isinstance(value, tuple):
        return _read_object(value, where, depth + 1)
    if isinstance(value, float) and not math.isfinite(value):
        fail(where, "a number within the range of float64", value)
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        fail(where, f"a number of at most {_MOST_BITS} bits", value)
    return value


def _read_object(value: tuple[Any, ...], where: str, depth: int) -> Any:
    names = [name for name, _ in value]
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise TreeFormatError(f"{where} has the field {twice!r} twice.")
    if not any(name.startswith("$") for name in names):
        return {name: _read(x, f"{where}, {name}", depth) for name, x in value}
    if len(names) != 1 or names[0] not in _TAGGED:
        raise TreeFormatError(f"{where} has an unknown field {shown(names[0])}.")
    return _TAGGED[names[0]](value[0][1], where, depth)


def _tuple(inner: Any, where: str, depth: int) -> tuple[Any, ...]:
    if not isinstance(inner, list):
        fail(where, "a list", inner)
    return tuple(_read(x, f"{where}[{i}]", depth) for i, x in enumerate(inner))


def _dict(inner: Any, where: str, depth: int) -> dict[Any, Any]:
    if not isinstance(inner, list):
        fail(where, "a list of pairs", inner)
    found = {}
    for i, pair in enumerate(inner):
        at = f"{where}[{i}]"
        if not isinstance(pair, list) or len(pair) != 2:
            fail(at, "a list of a key and a value", pair)
        key = _read(pair[0], f"{at}, key", depth)
        if not _is_scalar(key):
            fail(f"{at}, key", "text, a number, true, false or null", pair[0])
        found[key] = _read(pair[1], at, depth)
    return found


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str))


def _float(inner: Any, where: str, depth: int) -> Any:
    return Number(special=("inf", "-inf", "nan")).read(inner, where)


def _object(inner: Any, where: str, depth: int) -> NotStored:
    return NotStored(Text(200).read(inner, where))


_TAGGED: dict[str, Callable[[Any, str, int], Any]] = {
    "$float": _float,
    "$tuple": _tuple,
    "$dict": _dict,
    "$object": _object,
}
