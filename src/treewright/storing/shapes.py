"""What may stand in a field of the model file: shapes that check values.

A shape reads one value of parsed JSON and refuses everything it does not allow. It
also describes itself as a JSON schema, so that the published schema, the page about the
file and the loader cannot disagree.

The parser hands over a JSON object as a tuple of (name, value) pairs, so that a name
that occurs twice is seen; a JSON array is a list.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from treewright.errors import TreeFormatError, did_you_mean

__all__ = [
    "Either",
    "Field",
    "Flag",
    "Label",
    "ListOf",
    "Maybe",
    "Number",
    "OneOf",
    "Record",
    "Shape",
    "Text",
    "Whole",
    "fail",
    "label_out",
    "number_out",
    "shown",
]

LONGEST_TEXT = 16_000_000
_LARGEST_WHOLE = 2**63 - 1
_SPECIAL = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def fail(where: str, wanted: str, seen: object) -> NoReturn:
    """Refuse a value: say where it stands, what is allowed, and what was found."""
    raise TreeFormatError(f"{where} must be {wanted}; got {shown(seen)}.")


def shown(seen: object) -> str:
    """Return a value of parsed JSON in a few characters."""
    if isinstance(seen, tuple):
        return "an object" if seen else "an empty object"
    if isinstance(seen, list):
        return f"a list of {len(seen)}"
    if isinstance(seen, int) and seen.bit_length() > 200:
        return "a number of more than 60 digits"
    named = {True: "true", False: "false", None: "null"}
    if seen is None or isinstance(seen, bool):
        return named[seen]
    text = repr(seen)
    return text if len(text) <= 60 else f"{text[:57]}..."


class Shape:
    """The values that a field may have."""

    @property
    def words(self) -> str:
        """The allowed values, for error messages and for the page about the file."""
        raise NotImplementedError

    @property
    def many(self) -> str:
        """The same in the plural."""
        raise NotImplementedError

    def read(self, value: Any, where: str) -> Any:
        """Return the value as Python uses it, or raise TreeFormatError."""
        return self._read(value, where)

    def fast(self, values: list[Any]) -> Any:
        """Read many values at once; None if one of them needs a closer look."""
        return self._fast(values)

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the allowed values."""
        return self._schema()

    def _read(self, value: Any, where: str) -> Any:
        raise NotImplementedError

    def _fast(self, values: list[Any]) -> Any:
        return None

    def _schema(self) -> dict[str, Any]:
        raise NotImplementedError


@dataclass(frozen=True)
class Text(Shape):
    """A text."""

    longest: int = LONGEST_TEXT
    words = "text"
    many = "texts"

    def _read(self, value: Any, where: str) -> Any:
        if type(value) is not str:
            fail(where, "text", value)
        if len(value) > self.longest:
            raise TreeFormatError(
                f"{where} must be at most {self.longest:,} characters long; got "
                f"{len(value):,}."
            )
        return value

    def _fast(self, values: list[Any]) -> Any:
        if set(map(type, values)) != {str} or max(map(len, values)) > self.longest:
            return None
        return values

    def _schema(self) -> dict[str, Any]:
        return {"type": "string", "maxLength": self.longest}


@dataclass(frozen=True)
class OneOf(Shape):
    """One of a few words."""

    names: tuple[str, ...]

    @property
    def words(self) -> str:
        """The words, quoted."""
        *first, last = [f'"{name}"' for name in self.names]
        return f"{', '.join(first)} or {last}" if first else last

    def _read(self, value: Any, where: str) -> Any:
        if type(value) is not str or value not in self.names:
            fail(where, self.words, value)
        return value

    def _fast(self, values: list[Any]) -> Any:
        same = set(map(type, values)) == {str} and set(values) <= set(self.names)
        return values if same else None

    def _schema(self) -> dict[str, Any]:
        return {"enum": list(self.names)}


@dataclass(frozen=True)
class Flag(Shape):
    """A truth value."""

    words = "true or false"

    def _read(self, value: Any, where: str) -> Any:
        if type(value) is not bool:
            fail(where, self.words, value)
        return value

    def _fast(self, values: list[Any]) -> Any:
        return values if set(map(type, values)) == {bool} else None

    def _schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Whole(Shape):
    """A whole number in a range."""

    low: int = 0
    high: int = _LARGEST_WHOLE

    @property
    def words(self) -> str:
        """The range."""
        if self.low == self.high:
            return str(self.low)
        return f"a whole number {self._range}"

    @property
    def many(self) -> str:
        """The range."""
        return f"whole numbers {self._range}"

    @property
    def _range(self) -> str:
        if self.high == _LARGEST_WHOLE:
            return f">= {self.low}"
        return f"from {self.low} to {self.high}"

    def _read(self, value: Any, where: str) -> Any:
        if type(value) is not int or not self.low <= value <= self.high:
            fail(where, self.words, value)
        return value

    def _fast(self, values: list[Any]) -> Any:
        if set(map(type, values)) != {int}:
            return None
        most = min(self.high, _LARGEST_WHOLE)
        inside = min(values) >= self.low and max(values) <= most
        return np.array(values, np.int64) if inside else None

    def _schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Number(Shape):
    """A number; `special` names the texts for what JSON has no number for."""

    low: float = -math.inf
    special: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The range, and the texts that are allowed instead of a number."""
        return f"a number{self._range}"

    @property
    def many(self) -> str:
        """The range, and the texts that are allowed instead of a number."""
        return f"numbers{self._range}"

    @property
    def _range(self) -> str:
        above = f" >= {self.low:g}" if math.isfinite(self.low) else ""
        return above + "".join(f' or "{name}"' for name in self.special)

    def _read(self, value: Any, where: str) -> Any:
        if type(value) is str and value in self.special:
            return _SPECIAL[value]
        if type(value) is int and value.bit_length() < 1024:
            value = float(value)
        if type(value) is not float or not self.low <= value < math.inf:
            fail(where, self.words, value)
        if value == -math.inf:
            fail(where, self.words, value)
        return value

    def _fast(self, values: list[Any]) -> Any:
        if not set(map(type, values)) <= {int, float}:
            return None
        try:
            numbers = np.array(values, np.float64)
        except OverflowError:
            return None
        ok = np.isfinite(numbers).all() and (numbers >= self.low).all()
        return numbers if ok else None

    def _schema(self) -> dict[str, Any]:
        number: dict[str, Any] = {"type": "number"}
        if math.isfinite(self.low):
            number["minimum"] = self.low
        if not self.special:
            return number
        return {"anyOf": [number, {"enum": list(self.special)}]}


@dataclass(frozen=True)
class Label(Shape):
    """A category or a class: text, a number, or true or false."""

    words = "text, a number, true or false"
    many = "labels"

    def _read(self, value: Any, where: str) -> Any:
        if isinstance(value, tuple):
            return _INFINITE.read(value, where)["float"]
        if type(value) is float and not math.isfinite(value):
            fail(where, "a number within the range of float64", value)
        if type(value) is int and value.bit_length() > 64:
            fail(where, "a number of at most 64 bits", value)
        if type(value) not in (str, int, float, bool):
            fail(where, "text, a number, true or false", value)
        return value

    def _fast(self, values: list[Any]) -> Any:
        return values if set(map(type, values)) <= {str, bool} else None

    def _schema(self) -> dict[str, Any]:
        plain = {"type": ["string", "number", "boolean"]}
        return {"anyOf": [plain, _INFINITE.schema()]}


@dataclass(frozen=True)
class Maybe(Shape):
    """A value, or null."""

    shape: Shape

    @property
    def words(self) -> str:
        """What is allowed besides null."""
        return f"{self.shape.words}, or null"

    def _read(self, value: Any, where: str) -> Any:
        return None if value is None else self.shape.read(value, where)

    def _schema(self) -> dict[str, Any]:
        return {"anyOf": [{"type": "null"}, self.shape.schema()]}


@dataclass(frozen=True)
class ListOf(Shape):
    """A list of values of one shape, perhaps of a fixed length."""

    shape: Shape
    length: int | None = None

    @property
    def words(self) -> str:
        """What the list holds."""
        n = "" if self.length is None else f"{self.length} "
        return f"a list of {n}{self.shape.many}"

    @property
    def many(self) -> str:
        """What the lists hold."""
        return f"lists of {self.shape.many}"

    def _read(self, value: Any, where: str) -> Any:
        if type(value) is not list:
            fail(where, "a list", value)
        if self.length is not None and len(value) != self.length:
            fail(where, f"a list of {self.length}", value)
        if value:
            found = self.shape.fast(value)
            if found is not None:
                return found.tolist() if isinstance(found, np.ndarray) else found
        return [self.shape.read(x, f"{where}[{i}]") for i, x in enumerate(value)]

    def _fast(self, values: list[Any]) -> Any:
        if self.length is None or set(map(type, values)) != {list}:
            return None
        if set(map(len, values)) != {self.length}:
            return None
        found = self.shape.fast(list(chain.from_iterable(values)))
        if not isinstance(found, np.ndarray):
            return None
        return found.reshape(len(values), self.length, *found.shape[1:])

    def _schema(self) -> dict[str, Any]:
        size = {} if self.length is None else {"minItems": self.length}
        size |= {} if self.length is None else {"maxItems": self.length}
        return {"type": "array", "items": self.shape.schema(), **size}


@dataclass(frozen=True)
class Field:
    """One field of a record: what it may hold, what it means, and its default."""

    shape: Shape
    about: str
    optional: bool = False


@dataclass(frozen=True)
class Record(Shape):
    """An object with named fields, in a fixed order."""

    fields: Mapping[str, Field] = field(hash=False)

    words = "an object"

    def _read(self, value: Any, where: str) -> dict[str, Any]:
        if type(value) is not tuple:
            fail(where, "an object", value)
        self.check_names([name for name, _ in value], where)
        return {
            name: self.fields[name].shape.read(each, f"{where}, {name}")
            for name, each in value
        }

    def check_names(self, names: Sequence[str], where: str) -> None:
        """Refuse unknown, repeated, misplaced and missing fields."""
        known = [name for name in self.fields if name in names]
        if known != list(names):
            self._explain(names, where)
        for name, each in self.fields.items():
            if not each.optional and name not in names:
                raise TreeFormatError(f"{where} lacks the field {name!r}.")

    def check_next(self, name: str, before: Sequence[str], where: str) -> None:
        """Refuse a field that is unknown, repeated, or not in its place."""
        if name not in self.fields or name in before:
            self._explain([*before, name], where)
        order = list(self.fields)
        if before and order.index(name) < order.index(before[-1]):
            self._explain([*before, name], where)
        for needed in order[: order.index(name)]:
            if not self.fields[needed].optional and needed not in before:
                raise TreeFormatError(f"{where} lacks the field {needed!r}.")

    def _explain(self, names: Sequence[str], where: str) -> NoReturn:
        for i, name in enumerate(names):
            if name not in self.fields:
                hint = did_you_mean(name[:100], self.fields)
                raise TreeFormatError(
                    f"{where} has an unknown field {shown(name)}.{hint}"
                )
            if name in names[:i]:
                raise TreeFormatError(f"{where} has the field {name!r} twice.")
        order = ", ".join(name for name in self.fields if name in names)
        raise TreeFormatError(f"The fields of {where} must be in this order: {order}.")

    def _schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "additionalProperties": False,
            "required": [n for n, each in self.fields.items() if not each.optional],
            "properties": {
                name: {**each.shape.schema(), "description": each.about}
                for name, each in self.fields.items()
            },
        }


class Either(Shape):
    """One of two records; which one, the target decides."""

    words = "an object"

    def __init__(self, *records: Record) -> None:
        self.records = records

    def _schema(self) -> dict[str, Any]:
        return {"anyOf": [each.schema() for each in self.records]}


_INFINITE = Record(
    {"float": Field(Number(special=("inf", "-inf")), "An infinite number.")}
)


def number_out(value: float) -> float | str:
    """Return a number as JSON can hold it: "inf", "-inf" and "nan" are texts."""
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")


def label_out(label: Any) -> Any:
    """Return a category or class as JSON can hold it."""
    if isinstance(label, float) and math.isinf(label):
        return {"float": number_out(label)}
    return label
