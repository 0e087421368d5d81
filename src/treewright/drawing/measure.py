"""The width of a text, known without a screen to draw it on, and how to make it fit.

The pictures use Helvetica, Arial or Liberation Sans, which have the same widths;
other fonts are close enough for the margins.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, TypeAlias

__all__ = ["Measure", "clipped", "middle_cut", "text_width", "two_lines", "wrapped"]

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
_BOLD_WIDTHS: Final = (
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
    975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
    333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
    611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
)  # fmt: skip
_OTHERS: Final = {"…": 1000, "≤": 549, "≥": 549, "·": 278, "±": 549}
_LETTER, _WIDE, _WIDEST = 720, 1000, 1400
_ELLIPSIS = "…"
_LONGEST = 400
"""Of a longer text only the two ends can be shown."""


@lru_cache(maxsize=8192)
def _thousandths(character: str, bold: bool) -> int:
    """Return the width of a character; where fonts differ, that of a wide one."""
    code = ord(character)
    widths = _BOLD_WIDTHS if bold else _WIDTHS
    if 32 <= code < 127:
        return widths[code - 32]
    if character in _OTHERS:
        return _OTHERS[character]
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF" or code > 0xFFFF:
        return _WIDE if code < 0x1F000 else _WIDEST
    base = unicodedata.normalize("NFD", character)[0]
    return widths[ord(base) - 32] if 32 <= ord(base) < 127 else _LETTER


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return the width of a text in the units of `size`."""
    return sum(_thousandths(each, bold) for each in text) * size / 1000


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


def middle_cut(
    text: str, room: float, size: float, bold: bool, measure: Measure = text_width
) -> str:
    """Return the text, or as much of its two ends as fits, with an ellipsis between.

    Examples
    --------
    >>> middle_cut("household_capital_gain", 100, 12, False)
    'househol…al_gain'
    """
    if len(text) <= _LONGEST and measure(text, size, bold) <= room:
        return text
    low, high = 2, min(len(text), _LONGEST)
    while low < high:
        kept = (low + high + 1) // 2
        if measure(_ends(text, kept), size, bold) <= room:
            low = kept
        else:
            high = kept - 1
    return _ends(text, low)


def _ends(text: str, kept: int) -> str:
    last = kept // 2
    start, end = text[: kept - last].rstrip(), text[len(text) - last :].lstrip()
    return f"{start}{_ELLIPSIS}{end}"


def two_lines(
    text: str,
    rooms: tuple[float, float],
    size: float,
    bold: bool,
    measure: Measure = text_width,
) -> tuple[str, ...]:
    """Return a name on one line, else on two, else cut in the middle on two.

    Parameters
    ----------
    text : str
        The name.
    rooms : tuple of float
        Widths of the first and of the second line.
    size, bold, measure
        The letters.

    Returns
    -------
    tuple of str
        One or two lines. They are broken between words, where the name has any.
    """
    first, second = rooms
    if len(text) <= _LONGEST and measure(text, size, bold) <= first:
        return (text,)
    if len(text) <= _LONGEST:
        for breaks in (_word_ends(text), range(len(text) - 1, 0, -1)):
            for at in breaks:
                lines = text[:at].rstrip(), text[at:].lstrip()
                if measure(lines[0], size, bold) > first or not all(lines):
                    continue
                if measure(lines[1], size, bold) <= second:
                    return lines
                break
    return _start(text, first, size, bold, measure), _end(
        text, second, size, bold, measure
    )


def _word_ends(text: str) -> list[int]:
    """Return the places after which a name may be broken, the last one first."""
    return [
        at
        for at in range(len(text) - 1, 0, -1)
        if text[at - 1] in " _-./:,;" or (text[at - 1].islower() and text[at].isupper())
    ]


def _start(text: str, room: float, size: float, bold: bool, measure: Measure) -> str:
    return clipped(text[:_LONGEST] + _ELLIPSIS, room, size, bold, measure)


def _end(text: str, room: float, size: float, bold: bool, measure: Measure) -> str:
    back = text[-_LONGEST:]
    low, high = 1, len(back)
    while low < high:
        kept = (low + high + 1) // 2
        if measure(back[-kept:], size, bold) <= room:
            low = kept
        else:
            high = kept - 1
    return back[-low:].lstrip()


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
