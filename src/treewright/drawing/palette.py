"""Colours: one set for light pages and one for dark ones.

Class colours have the same hue in both. They were chosen by a search: the contrast
of each with the page is at least 3 : 1, and any two stay distinct for readers with
weak red, green or blue vision. A test checks both.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

__all__ = ["CLASS_INKS", "DARK", "LIGHT", "RAMP_INKS", "THEMES", "class_ink"]

_CLASSES_LIGHT = (
    "#3448bd", "#c24e04", "#1fa59e", "#742651",
    "#b68c2e", "#2d76b5", "#563183", "#696b78",
)  # fmt: skip
_CLASSES_DARK = (
    "#5e7ad4", "#af702f", "#93e1cc", "#ee7a94",
    "#dad34f", "#4facfd", "#b987cb", "#acbace",
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
)
THEMES: Final = MappingProxyType({"light": LIGHT, "dark": DARK})


def class_ink(rank: int) -> str:
    """Return the colour of the class with this rank by frequency; 0 is the first."""
    return CLASS_INKS[rank] if rank < len(CLASS_INKS) else "other"
