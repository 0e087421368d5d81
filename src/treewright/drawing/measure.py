"""The width of a text, estimated without a screen to draw it on.

The pictures use Helvetica, Arial or Liberation Sans, which have the same widths;
other fonts are close enough for the margins.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, TypeAlias

__all__ = ["Measure", "clipped", "text_width", "wrapped"]

Measure: TypeAlias = Callable[[str, float, bool], float]
"""Width of a text, given the size of its letters and whether they are bold."""

# Widths of characters 32 to 126, in thousandths of the font size.
_WIDTHS: Final = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
_OTHERS: Final = {"…": 1000, "≤": 584, "·": 278, "±": 584}
_LETTER, _WIDE = 640, 1000
_BOLDER = 1.1
_ELLIPSIS = "…"


@lru_cache(maxsize=4096)
def _thousandths(character: str) -> int:
    code = ord(character)
    if 32 <= code < 127:
        return _WIDTHS[code - 32]
    if character in _OTHERS:
        return _OTHERS[character]
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return _WIDE
    base = unicodedata.normalize("NFD", character)[0]
    return _WIDTHS[ord(base) - 32] if 32 <= ord(base) < 127 else _LETTER


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return the width of a text in the units of `size`."""
    width = sum(map(_thousandths, text)) * size / 1000
    return width * _BOLDER if bold else width


def clipped(
    text: str, room: float, size: float, bold: bool, measure: Measure = text_width
) -> str:
    """Return the text, or as much of its beginning as fits, with an ellipsis."""
    longest = 4 + int(room / (0.2 * size))  # no letter is narrower than that
    if len(text) <= longest and measure(text, size, bold) <= room:
        return text
    low, high = 0, min(len(text), longest)
    while low < high:
        middle = (low + high + 1) // 2
        if measure(text[:middle] + _ELLIPSIS, size, bold) <= room:
            low = middle
        else:
            high = middle - 1
    return text[: max(low, 1)].rstrip() + _ELLIPSIS


def wrapped(
    text: str, room: float, size: float, measure: Measure = text_width
) -> Iterator[str]:
    """Break a text into lines at spaces."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if line and measure(longer, size, False) > room:
            yield line
            longer = word
        line = longer
    if line:
        yield line
