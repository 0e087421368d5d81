"""What a picture of a tree shows, and how: the options of its cards."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from inspect import signature
from typing import Any

from treewright.errors import OptionError, did_you_mean
from treewright.tree import wording

__all__ = [
    "FIGURES",
    "PALETTES",
    "PLAIN",
    "Look",
    "check_options",
    "check_theme",
    "length_of",
    "make_look",
    "pixels_of",
]

FIGURES = ("rows", "share", "shares", "interval")
"""What a card can show besides its column or answer."""
PALETTES = ("colour", "print")
_THEMES = ("auto", "light", "dark")
_OPTIONS = ("row", "max_depth", "max_leaves", "theme", "direction", "width")
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s*(px|mm|cm|in|pt|)")
_PIXELS = {
    "": 1.0,
    "px": 1.0,
    "mm": 96 / 25.4,
    "cm": 96 / 2.54,
    "in": 96.0,
    "pt": 96 / 72,
}


@dataclass(frozen=True)
class Look:
    """The options of a picture's cards, checked.

    Attributes
    ----------
    show : tuple of str
        Which of `FIGURES` the cards show.
    digits : int or None
        Significant figures of numbers and percentages; None: four figures, and one
        decimal of a percentage.
    numbers : bool
        Whether cards show the numbers of their nodes.
    align_leaves : bool
        Whether all leaves stand on the last level.
    title : str or None
        The title; None: the name of the target.
    palette : {'colour', 'print'}
        Colours of the classes, or patterns for black-and-white print.
    is_chosen : bool
        Whether the reader chose what the cards show. Otherwise the low cards of a
        tree that grows to the right leave out the share of all rows.
    is_tight : bool
        Whether margins and distances are small, for pictures of a few inches.
    """

    show: tuple[str, ...] = ("rows", "share")
    digits: int | None = None
    numbers: bool = False
    align_leaves: bool = False
    title: str | None = None
    palette: str = "colour"
    is_chosen: bool = False
    is_tight: bool = False

    def figures(self, x: float) -> str:
        """Return a number as text."""
        return (
            wording.figures(x)
            if self.digits is None
            else wording.figures(x, self.digits)
        )

    def percent(self, share: float) -> str:
        """Return a share as text."""
        if self.digits is None:
            return wording.percent(share)
        return wording.percent(share, max(self.digits - 2, 0))


PLAIN = Look()
"""The look of a picture without options."""


def make_look(
    show: Iterable[str] | None = None,
    digits: int | None = None,
    node_numbers: bool = False,
    align_leaves: bool = False,
    title: str | None = None,
    palette: str = "colour",
) -> Look:
    """Check the options of a picture; see `Tree.to_svg`."""
    if isinstance(show, str):
        raise OptionError(f"show must be a list of names; pass show=[{show!r}].")
    wanted = PLAIN.show if show is None else tuple(show)
    for name in wanted:
        _check_choice("show", name, FIGURES, "names of figures out of ")
    if digits is not None and not (_is_whole(digits) and 1 <= digits <= 17):
        raise OptionError(
            "digits must be a whole number from 1 to 17, or None for the usual "
            f"rounding; got {digits!r}."
        )
    if title is not None and not isinstance(title, str):
        raise OptionError(f"title must be text or None; got {title!r}.")
    _check_choice("palette", palette, PALETTES)
    return Look(
        wanted,
        digits,
        bool(node_numbers),
        bool(align_leaves),
        title,
        palette,
        is_chosen=show is not None,
    )


def check_theme(theme: object) -> None:
    """Refuse a theme that does not exist."""
    _check_choice("theme", theme, _THEMES)


def check_options(names: Iterable[str]) -> None:
    """Refuse names that are no options of a picture; see `Tree.to_svg`."""
    known = (*_OPTIONS, *signature(make_look).parameters)
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or f" It has {', '.join(known)}."
            raise OptionError(f"A picture has no option {name!r}.{hint}")


def length_of(width: float | str) -> tuple[float, str]:
    """Return a width as a number and its unit; "" for pixels."""
    found = _LENGTH.fullmatch(str(width).strip())
    if isinstance(width, bool) or found is None or float(found[1]) <= 0:
        raise OptionError(
            "width must be a number of pixels such as 800, or a length such as "
            f"'90mm'; got {width!r}."
        )
    return float(found[1]), found[2]


def pixels_of(width: float | str) -> float:
    """Return a width in pixels, of which an inch has 96."""
    number, unit = length_of(width)
    return number * _PIXELS[unit]


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_choice(
    option: str, value: object, allowed: tuple[str, ...], before: str = ""
) -> None:
    if value in allowed:
        return
    hint = did_you_mean(value, allowed)
    listed = ", ".join(map(repr, allowed[:-1])) + f" {'and' if before else 'or'} "
    raise OptionError(
        f"{option} must be {before}{listed}{allowed[-1]!r}; got {value!r}.{hint}"
    )
