"""What an option may be: tests for the accepted forms, and the words for them."""

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
    """What one option may be."""

    accepts: tuple[Callable[[Any], bool], ...]
    """A test for each accepted form."""
    words: str | Callable[[], str]
    """The accepted forms, for the error message."""
    hint: Callable[[Any], str] = lambda value: ""
    """A sentence, with a blank before it, about a value that is refused."""
    plain: Callable[[str], str] = str
    """Turn an accepted word into the one to keep."""

    def checked(self, name: str, value: Any) -> Any:
        """Return the value as a plain Python value, or raise OptionError."""
        if not any(accepts(value) for accepts in self.accepts):
            words = self.words if isinstance(self.words, str) else self.words()
            raise OptionError(
                f"{name} must be {words}; got {value!r}.{self.hint(value)}"
            )
        if isinstance(value, str):
            return self.plain(value)
        if is_whole(value):
            return int(value)
        return float(value) if is_real(value) else value


def check_all(options: Any, rules: Mapping[str, Rule]) -> None:
    """Check every option of a frozen dataclass and keep it as a plain Python value."""
    for name, rule in rules.items():
        value = rule.checked(name, getattr(options, name))
        object.__setattr__(options, name, value)


def whole(low: int) -> Callable[[Any], bool]:
    """Accept a whole number from `low` on."""
    return lambda v: is_whole(v) and v >= low


def real(low: float, high: float = math.inf) -> Callable[[Any], bool]:
    """Accept a finite number from `low` to `high`."""
    return lambda v: is_real(v) and low <= v <= high and v < math.inf


def share(*, one: bool) -> Callable[[Any], bool]:
    """Accept a share of rows or columns: above 0, below 1 (or 1.0 itself)."""
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
    """Return whether this is a whole number of Python's or NumPy's, and no bool."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool)


def is_real(value: Any) -> bool:
    """Return whether this is a number of Python's or NumPy's, and no bool."""
    # Decimals and fractions are not registered as float; NaN fails every range.
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool)


def is_generator(value: Any) -> bool:
    """Return whether this is a random generator of NumPy."""
    return isinstance(value, np.random.RandomState | np.random.Generator)


def listed(words: Collection[str]) -> str:
    """Return the words in quotes: 'a', 'b' or 'c'."""
    quoted = [repr(word) for word in words]
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]
