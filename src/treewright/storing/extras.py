"""Extra arrays of a tree in the model file: their declaration and their values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, TreeFormatError
from treewright.storing.nodes import CHUNK
from treewright.storing.shapes import (
    Field,
    Flag,
    ListOf,
    Number,
    OneOf,
    Record,
    Shape,
    Text,
    Whole,
    fail,
)
from treewright.tree.data import TreeData

__all__ = ["EXTRA", "Extra", "extras_in", "extras_out"]

_WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_TYPES = ("bool", "text", "float32", "float64", *_WHOLE)
_MOST = 64
_SPECIAL = ("inf", "-inf", "nan")
_SPARE_CHARACTERS = 100_000
_LONGEST_TEXT = 200
_MOST_AXES = 4

EXTRA = Record(
    {
        "name": Field(Text(), "The name of the array."),
        "type": Field(OneOf(_TYPES), "The type of its values."),
        "shape": Field(
            ListOf(Whole(0, 2**31 - 1)),
            "What each node has: [] a value, [3] a list of 3 values, and so on.",
        ),
    }
)


@dataclass(frozen=True)
class Extra:
    """The type of one extra array, and the shape of what each node has of it."""

    type: str
    shape: tuple[int, ...]

    @property
    def value(self) -> Shape:
        """The shape of the value that each node has."""
        dtype = self._dtype
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            shape: Shape = Whole(int(info.min), int(info.max))
        else:
            shape = {
                "b": Flag(),
                "U": Text(_LONGEST_TEXT),
                "f": Number(special=_SPECIAL),
            }[dtype.kind]
        for length in reversed(self.shape):
            shape = ListOf(shape, length)
        return shape

    def array(self, name: str, values: Any) -> NDArray[Any]:
        """Return the values of some nodes as an array."""
        plain = np.array(values, dtype=object if self.type == "text" else None)
        if self.type == "text":
            check_texts(name, plain.ravel().tolist())
        with np.errstate(over="ignore"):
            array = plain.astype(self._dtype).reshape(len(values), *self.shape)
        if self.type == "float32" and not np.array_equal(array, plain, equal_nan=True):
            odd = plain[(array != plain) & ~np.isnan(plain)]
            wanted = "a number that float32 holds exactly"
            fail(f"Every value of the extra array {name!r}", wanted, odd[0].item())
        return array

    def joined(self, name: str, parts: list[NDArray[Any]]) -> NDArray[Any]:
        """Return the whole array."""
        if self.type == "text":
            check_texts(name, [x for part in parts for x in part.ravel().tolist()])
        return np.concatenate(parts)

    @property
    def _dtype(self) -> np.dtype[Any]:
        return np.dtype(str if self.type == "text" else self.type)


def check_texts(name: str, texts: list[str]) -> None:
    """Refuse texts of very different lengths: an array gives each the longest's."""
    longest = max(map(len, texts), default=0)
    if longest * len(texts) > _SPARE_CHARACTERS + 2 * sum(map(len, texts)):
        raise TreeFormatError(
            f"Extra array {name!r} takes too much memory: each of {len(texts):,} texts "
            f"is stored at the length of the longest, {longest} characters. Shorten it."
        )


def extras_out(tree: TreeData) -> list[dict[str, Any]]:
    """Return the declaration of a tree's extra arrays."""
    if len(tree.extras) > _MOST:
        raise OptionError(
            f"The tree has {len(tree.extras)} extra arrays; the model file holds at "
            f"most {_MOST}. Join arrays of one type into one with a further axis."
        )
    out = []
    for name, array in tree.extras.items():
        if not isinstance(name, str):
            raise OptionError(
                f"The tree has an extra array called {name!r}, but the model file "
                "holds names that are text. Rename it."
            )
        kind = "text" if array.dtype.kind == "U" else array.dtype.name
        if kind not in _TYPES or array.ndim > _MOST_AXES:
            raise OptionError(
                f"The extra array {name!r} of type {array.dtype} with {array.ndim} "
                f"{'axis' if array.ndim == 1 else 'axes'} cannot be saved; the model "
                f"file holds {', '.join(_TYPES)} with at most {_MOST_AXES} axes. "
                "Convert it first."
            )
        if kind == "text":
            _check_saved_texts(name, array)
        out.append({"name": name, "type": kind, "shape": list(array.shape[1:])})
    return out


def _check_saved_texts(name: str, array: NDArray[np.str_]) -> None:
    texts = array.ravel().tolist()
    longest = max(map(len, texts), default=0)
    if longest > _LONGEST_TEXT:
        raise OptionError(
            f"The extra array {name!r} has a text of {longest:,} characters; the model "
            f"file holds at most {_LONGEST_TEXT}. Shorten it."
        )
    try:
        # A file is read some nodes at a time, then put together.
        for start in range(0, len(array), CHUNK):
            check_texts(name, array[start : start + CHUNK].ravel().tolist())
        check_texts(name, texts)
    except TreeFormatError as problem:
        raise OptionError(str(problem)) from problem


def extras_in(items: Iterable[Any]) -> dict[str, Extra]:
    """Read the declaration of extra arrays."""
    found: dict[str, Extra] = {}
    for i, raw in enumerate(items):
        each = EXTRA.read(raw, f"extras[{i}]")
        if each["name"] in found:
            raise TreeFormatError(f"extras[{i}] declares {each['name']!r} again.")
        if i >= _MOST:
            raise TreeFormatError(
                f"extras[{i}] is one too many: a model file holds at most {_MOST}."
            )
        if len(each["shape"]) >= _MOST_AXES:
            raise TreeFormatError(
                f"extras[{i}] must have at most {_MOST_AXES - 1} axes per node; got "
                f"{len(each['shape'])}."
            )
        found[each["name"]] = Extra(each["type"], tuple(each["shape"]))
    return found
