"""The wording of names, labels and numbers in everything that people read.

Text is ASCII apart from names, so that it can be pasted into code: ``<=``, ``...``.
Pictures use typographic signs: ``≤``, ``…``. Only rails and formulas of text have other
signs, and ``ascii=True`` replaces them.

Numbers are written by three functions, in Python and, as tests check, in the same words
on the page of the report (`words.js`):

- `number`, exact: thresholds and everything that must read back;
- `figures`, for reading: four figures, from 1000 on whole numbers with commas;
- `percent`, for shares: one decimal; 0% and 100% only where they are exact.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

__all__ = [
    "WIDTH",
    "count",
    "cut",
    "figures",
    "frequent_first",
    "listed",
    "name",
    "number",
    "percent",
    "value",
    "wrapped",
]

WIDTH = 88
"""Lines of text are at most this wide, where names allow it."""

_UNKNOWN: Mapping[Any, float] = MappingProxyType({})
_RESERVED = frozenset('{},"')


def number(x: float) -> str:
    """Return the shortest decimal that reads back as exactly `x`.

    Examples
    --------
    >>> number(2.45), number(150.0), number(0.1 + 0.2), number(-0.0)
    ('2.45', '150', '0.30000000000000004', '0')
    """
    text = repr(float(x) + 0.0)  # adding 0.0 turns -0.0 into 0.0
    return text.removesuffix(".0")


def figures(x: float, digits: int = 4) -> str:
    """Return `x` rounded for reading: four figures, or all before the point.

    Whole thousands are separated by commas. The page of the report writes the same
    texts (`words.js`), and a test compares them.

    Examples
    --------
    >>> figures(21.948275), figures(123456.7), figures(0.00001234), figures(3.0)
    ('21.95', '123,457', '1.234e-05', '3')
    """
    return f"{x:,.0f}" if 1000 <= abs(x) < 1e15 else f"{x + 0.0:.{digits}g}"


def percent(share: float, decimals: int = 1) -> str:
    """Return a share as a percentage; only exactly 0 is '0%' and exactly 1 '100%'.

    Examples
    --------
    >>> percent(1 / 3), percent(1.0), percent(0.9999), percent(0.00001)
    ('33.3%', '100%', '>99.9%', '<0.1%')
    """
    if share <= 0 or share >= 1:
        return "0%" if share <= 0 else "100%"
    step, half = 10.0**-decimals, 0.5 * 10.0 ** -(decimals + 2)
    if share < half:
        return f"<{step:.{decimals}f}%"
    if share >= 1 - half:
        return f">{100 - step:.{decimals}f}%"
    return f"{100 * share:.{decimals}f}%"


def count(n: int, one: str, many: str = "") -> str:
    """Return a number with its noun, in singular or plural.

    Examples
    --------
    >>> count(1, "row"), count(2000, "row"), count(3, "leaf", "leaves")
    ('1 row', '2,000 rows', '3 leaves')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def name(text: object) -> str:
    """Return a column's name on one line."""
    written = str(text)
    return written if written.isprintable() and written else _quoted(written)


def cut(text: str, longest: int | None, dots: str = "...") -> str:
    """Return the text, or its two ends with dots between them if it is too long.

    Both ends stay, because names often differ only there.

    Examples
    --------
    >>> cut("household_capital_gain", 15), cut("age", 15), cut("age", None)
    ('househ...l_gain', 'age', 'age')
    """
    if longest is None or len(text) <= longest:
        return text
    kept = max(longest - len(dots), 2)
    last = kept // 2
    return text[: kept - last] + dots + text[len(text) - last :]


def value(label: object, longest: int | None = None) -> str:
    """Return a category or class as text, in quotes if it could be misread.

    Text of more than `longest` characters is shortened before it is quoted.

    Examples
    --------
    >>> value("female"), value("a, b"), value(""), value(3.0), value(True)
    ('female', '"a, b"', '""', '3', 'True')
    """
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float):
        return number(label)
    written = cut(str(label), longest)
    plain = written.isprintable() and written == written.strip() and written
    return written if plain and not _RESERVED & set(written) else _quoted(written)


def frequent_first(labels: Sequence[Any], shares: Mapping[Any, float]) -> Sequence[Any]:
    """Return categories in the order of their rows, the most frequent first."""
    return sorted(labels, key=lambda each: -shares.get(each, 0)) if shares else labels


def listed(
    labels: Sequence[Any],
    most: int | None = None,
    longest: int | None = None,
    shares: Mapping[Any, float] = _UNKNOWN,
) -> str:
    """Return labels as a set in braces: all, or `most` and the number of others.

    Each label is shortened to `longest` characters. Of a list that is shortened, the
    most frequent labels by `shares` are named; with ``most=0``, none.

    Examples
    --------
    >>> listed(["a", "b", "c", "d"], most=2)
    '{a, b, ... 2 more}'
    >>> listed(["a", "b", "c", "d"], most=2, shares={"d": 0.7, "b": 0.2, "c": 0.1})
    '{d, b, ... 2 more}'
    >>> listed(["a", "b", "c", "d"], most=0)
    '{4 categories}'
    """
    if most == 0 and len(labels) > 2:
        return f"{{{len(labels):,} categories}}"
    if most is None or len(labels) <= max(most, 1) + 1:
        return "{" + ", ".join(value(label, longest) for label in labels) + "}"
    named = frequent_first(labels, shares)[:most]
    shown = ", ".join(value(label, longest) for label in named)
    return f"{{{shown}, ... {len(labels) - most:,} more}}"


def wrapped(
    text: str, start: str = "", below: str = "", width: int = WIDTH
) -> list[str]:
    """Return text as lines of at most `width` characters, where words allow it.

    `start` stands before the first line, `below` before the others.
    """
    return textwrap.wrap(
        text, width, initial_indent=start, subsequent_indent=below,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _quoted(text: str) -> str:
    """Return text in double quotes, with unprintable characters spelled out."""
    spelled = "".join(
        c if c.isprintable() and c not in '"\\' else json.dumps(c)[1:-1] for c in text
    )
    return f'"{spelled}"'
