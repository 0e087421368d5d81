"""Rules for options: tests for the accepted values, and descriptions of them."""

import math
import numbers
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.errors import OptionError

__all__ = [
    "Rule",
    "check_all",
    "is_generator",
    "is_real",
    "is_whole",
    "listed",
    "none",
    "one_of",
    "real",
    "share",
    "whole",
]


@dataclass(frozen=True)
class Rule:
    """The values that one option accepts."""

    accepts: tuple[Callable[[Any], bool], ...]
    """One test for each accepted kind of value."""
    description: str | Callable[[], str]
    """Description of the accepted values, for the error message."""
    hint: Callable[[Any], str] = lambda value: ""
    """Return a sentence about a refused value, with a leading blank, or ''."""
    plain: Callable[[str], str] = str
    """Replace an alias by the name to keep."""

    def checked(self, name: str, value: Any) -> Any:
        """Return the value as a plain Python value, or raise OptionError."""
        if not any(accepts(value) for accepts in self.accepts):
            text = self.description
            text = text if isinstance(text, str) else text()
            raise OptionError(
                f"{name} must be {text}; got {value!r}.{self.hint(value)}"
            )
        if isinstance(value, str):
            return self.plain(value)
        if is_whole(value):
            return int(value)
        return float(value) if is_real(value) else value


def check_all(options: Any, rules: Mapping[str, Rule]) -> None:
    """Check every option of a frozen dataclass and keep it as a plain Python value.

    A default needs no check: most options have it, and options are made several times
    in a fit.
    """
    for name, rule in rules.items():
        value, default = getattr(options, name), getattr(type(options), name)
        if type(value) is not type(default) or value != default:
            object.__setattr__(options, name, rule.checked(name, value))


def whole(low: int) -> Callable[[Any], bool]:
    """Accept a whole number >= `low`."""
    return lambda v: is_whole(v) and v >= low


def real(low: float, high: float = math.inf) -> Callable[[Any], bool]:
    """Accept a finite number from `low` to `high`."""
    return lambda v: is_real(v) and low <= v <= high and v < math.inf


def share(*, one: bool) -> Callable[[Any], bool]:
    """Accept a share of rows or columns: above 0, below 1 (with `one`, or 1.0)."""
    return lambda v: (
        is_real(v) and not is_whole(v) and (0.0 < v < 1.0 or (one and v == 1.0))
    )


def one_of(*words: str) -> Callable[[Any], bool]:
    """Accept one of these words."""
    return lambda v: isinstance(v, str) and v in words


def none(value: Any) -> bool:
    """Accept None."""
    return value is None


def is_whole(value: Any) -> bool:
    """Return whether this is a whole number of Python or NumPy, but not a bool."""
    return isinstance(value, numbers.Integral) and not isinstance(
        value, bool | np.bool_
    )


def is_real(value: Any) -> bool:
    """Return whether this is a real number of Python or NumPy, but not a bool."""
    # Decimal is not registered as Real. NaN passes here but fails every range test.
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def is_generator(value: Any) -> bool:
    """Return whether this is a random generator of NumPy."""
    return isinstance(value, np.random.RandomState | np.random.Generator)


def listed(words: Collection[str]) -> str:
    """Return the words in quotes: 'a', 'b' or 'c'."""
    quoted = [repr(word) for word in words]
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]
