"""Error against the size of a tree, in matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright.drawing.charts import (
    commas,
    label_y,
    legend_above,
    new_axes,
    plain,
    title,
)
from treewright.drawing.matplotlib import inks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Curve", "draw_sizes"]

_INKS = {"training": "other", "test": "c1", "cross-validated error": "c2"}
_EVEN = 30
"""Up to this number of leaves the axis is linear; beyond it, logarithmic."""
_SMALLEST, _MOST_TICKS = 1e-8, 7
"""Alphas below this share of the largest are drawn near 0; ticks on their axis."""


@dataclass(frozen=True)
class Curve:
    """The error of trees of several sizes.

    Attributes
    ----------
    name : str
        The rows that the errors are measured on.
    at : float array
        Numbers of leaves, or alphas.
    error : float array
        The error at each of them; NaN if there is none.
    band : tuple of two float arrays, or None
        One standard error below and above each error.
    limit : float or None
        Height of a horizontal line: the least error plus one standard error.
    """

    name: str
    at: NDArray[np.float64]
    error: NDArray[np.float64]
    band: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    limit: float | None = None


def draw_sizes(
    curves: Sequence[Curve],
    taken: float | None,
    words: tuple[str, str, str],
    *,
    against: str = "leaves",
    ax: Axes | None = None,
) -> Axes:
    """Draw curves of errors against the size of the tree.

    Parameters
    ----------
    curves : sequence of Curve
        The curves.
    taken : float or None
        The size that was chosen.
    words : tuple of str
        Title, subtitle, and label of the error axis.
    against : {'leaves', 'alpha'}, default='leaves'
        What the horizontal axis shows.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = new_axes(ax, 7.0, 4.0)
    inks = inks_of(ax)
    ax.grid(axis="y", color=inks["track"], linewidth=0.8)
    ax.set_axisbelow(True)
    for curve in curves:
        _draw(ax, curve)
    if taken is not None:
        ax.axvline(taken, color=inks["accent"], linewidth=1.3, label="taken", zorder=1)
    _scale(ax, np.concatenate([curve.at for curve in curves]), against)
    ax.set_xlabel("leaves" if against == "leaves" else "alpha, the price of a leaf")
    label_y(ax, words[2])  # before the title, whose lines are as wide as the axes
    title(ax, words[0], words[1])
    legend_above(ax, 1.03 * _highest(curves))
    return plain(ax)


def _highest(curves: Sequence[Curve]) -> float:
    tops = [curve.error if curve.band is None else curve.band[1] for curve in curves]
    found = np.concatenate(tops)
    return float(found[np.isfinite(found)].max(initial=0.0)) or 1.0


def _draw(ax: Axes, curve: Curve) -> None:
    known = np.isfinite(curve.error)
    at, error = curve.at[known], curve.error[known]
    ink = inks_of(ax)[_INKS.get(curve.name, "c0")]
    dot = "o" if len(at) <= 60 else ""
    ax.plot(
        at,
        error,
        color=ink,
        linewidth=1.7,
        label=curve.name,
        marker=dot,
        markersize=3.2,
    )
    if curve.band is not None:
        low, high = curve.band
        ax.fill_between(at, low[known], high[known], color=ink, alpha=0.13, linewidth=0)
    if curve.limit is not None:
        ax.axhline(
            curve.limit,
            color=ink,
            linewidth=1,
            linestyle=(0, (1.5, 2.5)),
            label="least + 1 SE",
        )


def _scale(ax: Axes, at: NDArray[np.float64], against: str) -> None:
    from matplotlib.ticker import (
        FuncFormatter,
        LogLocator,
        MaxNLocator,
        NullFormatter,
    )

    # No power of ten above the axis: the title is there.
    commas(ax.yaxis)
    if against == "alpha":
        positive = at[at > 0]
        if len(positive) and positive.max() > 30 * positive.min():
            _alphas(ax, float(positive.min()), float(positive.max()))
    elif at.max(initial=1) > _EVEN:
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.tick_params(which="minor", length=0)
    else:
        ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))


def _alphas(ax: Axes, least: float, most: float) -> None:
    """Set a logarithmic axis that includes 0, with a few round ticks."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    least = max(least, most * _SMALLEST)
    # The part from 0 to the least alpha is as wide as one power of ten.
    ax.set_xscale("symlog", linthresh=least, linscale=0.9)
    first, last = math.ceil(math.log10(least)), math.floor(math.log10(most))
    step = max(math.ceil((last - first + 1) / _MOST_TICKS), 1)
    powers = [10.0**power for power in range(last, first - 1, -step)]
    ax.xaxis.set_major_locator(FixedLocator([0.0, *reversed(powers)]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlim(0.0, most * 1.5)
