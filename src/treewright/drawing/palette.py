"""Colours: one set for light pages and one for dark ones.

Class colours have the same hue in both. They were chosen by a search: the contrast
of each with the page is at least 3 : 1, any two stay distinct for readers without red,
green or blue vision, and any two differ in lightness, so that they stay distinct in
grey print. Tests check all three.
"""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import Final

__all__ = [
    "CLASS_INKS",
    "DARK",
    "LIGHT",
    "PATTERNS",
    "PRINT",
    "RAMP_INKS",
    "THEMES",
    "class_ink",
    "terminal_colours",
]

_CLASSES_LIGHT = (
    "#5d4198", "#d2670e", "#13777a", "#74094c",
    "#959463", "#127cd1", "#7133e4", "#2b5003",
)  # fmt: skip
_CLASSES_DARK = (
    "#7b76ff", "#ffbe84", "#2fbac0", "#c10e97",
    "#f1df4b", "#95bdf2", "#b582e6", "#45872f",
)  # fmt: skip
# Low to high. Each step is visible on its page; high values have more contrast.
_RAMP_LIGHT = (
    "#6fa8d6", "#5a97cb", "#4786bf", "#3775b1",
    "#2a64a2", "#205392", "#18437f", "#12346b",
)  # fmt: skip
_RAMP_DARK = (
    "#4a76a8", "#5685b8", "#6595c7", "#77a6d4",
    "#8bb6e0", "#a1c6ea", "#b9d6f2", "#d3e6f9",
)  # fmt: skip

_RAMP_PRINT = (
    "#d9d9d9", "#c2c2c2", "#ababab", "#939393",
    "#7a7a7a", "#606060", "#434343", "#222222",
)  # fmt: skip
_PATTERNS = (
    ("#111111", "", ""),
    ("#ffffff", "M0 6L6 0M-1 1L1 -1M5 7L7 5", "////"),
    ("#a8a8a8", "", ""),
    ("#ffffff", "M1.5 1.5h1.4v1.4h-1.4zM4.5 4.5h1.4v1.4h-1.4z", "...."),
    ("#ffffff", "M0 3H6", "----"),
    ("#ffffff", "M0 0L6 6M0 6L6 0", "xxxx"),
    ("#ffffff", "M3 0V6", "||||"),
    ("#d4d4d4", "M0 0L6 6M-1 5L1 7M5 -1L7 1", "\\\\\\\\"),
)

CLASS_INKS: Final = tuple(f"c{k}" for k in range(len(_CLASSES_LIGHT)))
"""Names of the class colours, the most frequent class first."""
RAMP_INKS: Final = tuple(f"r{k}" for k in range(len(_RAMP_LIGHT)))
"""Names of the colours of numbers, from low to high."""


def _inks(
    classes: tuple[str, ...], ramp: tuple[str, ...], **more: str
) -> MappingProxyType[str, str]:
    named = dict(zip(CLASS_INKS, classes, strict=True))
    return MappingProxyType(named | dict(zip(RAMP_INKS, ramp, strict=True)) | more)


LIGHT: Final = _inks(
    _CLASSES_LIGHT,
    _RAMP_LIGHT,
    page="#ffffff",
    card="#ffffff",
    leaf="#f4f6f9",
    line="#c9d1dc",
    flow="#d5dce6",
    track="#e3e8ef",
    text="#18212f",
    muted="#586475",
    accent="#c2185b",
    other="#9aa3b0",
    tint="#c5ccd7",
)
DARK: Final = _inks(
    _CLASSES_DARK,
    _RAMP_DARK,
    page="#14181f",
    card="#1b212a",
    leaf="#222a35",
    line="#3d4959",
    flow="#333e4d",
    track="#333e4d",
    text="#e8edf4",
    muted="#a3afbf",
    accent="#ff7bac",
    other="#78838f",
    tint="#4b5768",
)
THEMES: Final = MappingProxyType({"light": LIGHT, "dark": DARK})

PRINT: Final = MappingProxyType(
    dict(LIGHT)
    | dict(zip(RAMP_INKS, _RAMP_PRINT, strict=True))
    | {"accent": "#000000", "line": "#8a8a8a", "flow": "#dddddd", "leaf": "#ffffff"}
    | {"track": "#cccccc", "text": "#000000", "muted": "#404040", "tint": "#ececec"}
)
"""Inks for black-and-white print; classes have `PATTERNS` in place of colours."""
PATTERNS: Final = MappingProxyType(dict(zip(CLASS_INKS, _PATTERNS, strict=True)))
"""The pattern of each class in print: a tile of 6 x 6, and matplotlib's hatch for it.

A tile is the grey of its ground and the outline of its strokes.
"""


def terminal_colours() -> tuple[str, ...]:
    """Return the class colours for the background of the terminal.

    Some terminals name it in the variable COLORFGBG, as in "0;15"; others are dark.
    """
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    inks = LIGHT if background in ("7", "15") else DARK
    return tuple(inks[ink] for ink in CLASS_INKS)


def class_ink(rank: int) -> str:
    """Return the colour of the class with this rank by frequency; 0 is the first."""
    return CLASS_INKS[rank] if rank < len(CLASS_INKS) else "other"
