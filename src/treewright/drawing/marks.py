"""The shapes that a picture consists of. Colours are names; a palette gives values.

Lengths are in pixels; x grows to the right and y downwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

__all__ = ["Box", "Dot", "Flow", "Mark", "Words", "moved"]

_BOW = 0.62
"""Length of a curve's handles; a larger value makes its ends straighter."""


@dataclass(frozen=True)
class Box:
    """A rectangle; `x` and `y` are its top left corner."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    edge: str = ""
    radius: float = 0.0
    thick: float = 1.0


@dataclass(frozen=True)
class Dot:
    """A small disc."""

    x: float
    y: float
    radius: float
    fill: str
    edge: str
    thick: float = 1.5


@dataclass(frozen=True)
class Words:
    """A line of text; `y` is its baseline."""

    x: float
    y: float
    text: str
    size: float
    ink: str = "text"
    bold: bool = False
    anchor: str = "start"


@dataclass(frozen=True)
class Flow:
    """A branch: a band between two points; its width shows its share of the rows."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float
    ink: str
    is_down: bool

    def bend(self) -> tuple[tuple[float, float], ...]:
        """Return the four points of its cubic Bézier curve."""
        if self.is_down:
            bow = _BOW * (self.y1 - self.y0)
            first, second = (self.x0, self.y0 + bow), (self.x1, self.y1 - bow)
        else:
            bow = _BOW * (self.x1 - self.x0)
            first, second = (self.x0 + bow, self.y0), (self.x1 - bow, self.y1)
        return (self.x0, self.y0), first, second, (self.x1, self.y1)


Mark: TypeAlias = Box | Dot | Words


def moved(mark: Mark, x: float, y: float) -> Mark:
    """Return the mark shifted by x and y."""
    return replace(mark, x=mark.x + x, y=mark.y + y)
