"""Charts of numbers about a tree, in matplotlib: each draws into one axes.

Text keeps the colour of the reader's matplotlib style; data have our colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.drawing.matplotlib import check_axes, pyplot
from treewright.drawing.palette import LIGHT
from treewright.reading.answers.reliability import Reliability
from treewright.tree import wording

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "draw_confusion",
    "draw_importance",
    "draw_reliability",
    "new_axes",
    "plain",
    "title",
]

_MAIN, _OFF = LIGHT["c0"], LIGHT["c1"]
_LONGEST = 32
_BRIGHTNESS = np.array([0.299, 0.587, 0.114])
_MOST_CELLS_WITH_TEXT = 20


def new_axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return `ax`, or the axes of a new figure of this size in inches."""
    check_axes(ax)
    if ax is None:
        _, made = pyplot().subplots(figsize=(width, height), layout="constrained")
        ax = made
    assert ax is not None
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(LIGHT["line"])
    ax.tick_params(length=0, labelsize=9.5)
    return ax


def title(ax: Axes, main: str, more: str = "") -> None:
    """Write a title at the left, and a smaller line below it."""
    ax.set_title(
        main + ("\n" if more else ""),
        loc="left",
        fontsize=12,
        fontweight="bold",
        parse_math=False,
    )
    if more:
        ax.annotate(
            more,
            (0, 1),
            (0, 6),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=9.5,
            color=LIGHT["muted"],
            parse_math=False,
        )


def plain(ax: Axes) -> Axes:
    """Show every text literally, never as a formula."""
    from matplotlib.text import Text

    for text in ax.findobj(Text):
        text.set_parse_math(False)
    return ax


def draw_importance(
    names: Sequence[str],
    values: NDArray[np.float64],
    words: tuple[str, str],
    ax: Axes | None = None,
) -> Axes:
    """Draw one bar per column, the longest on top, with the spread of repeats.

    Parameters
    ----------
    names : sequence of str
        The columns.
    values : float64 array of columns, or of columns x repeats
        The importance of each column.
    words : tuple of str
        Title and subtitle: what was measured.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    has_spread = values.ndim == 2
    middle = values.mean(axis=1) if has_spread else values
    order = np.argsort(-middle, kind="stable")[::-1]
    ax = new_axes(ax, 7.0, 1.1 + 0.32 * max(len(names), 3))
    places = np.arange(len(names))
    strength = 0.35 if has_spread else 1.0
    ax.barh(places, middle[order], height=0.62, color=_MAIN, alpha=strength, zorder=2)
    if has_spread:
        aside = np.linspace(-0.2, 0.2, values.shape[1])
        for place, column in zip(places, order.tolist(), strict=True):
            each = values[column]
            ax.plot(
                [each.min(), each.max()], [place] * 2, color=_MAIN, lw=1.4, zorder=3
            )
            ax.plot(
                each, place + aside, "o", ms=4, color=_MAIN, mec="white", mew=0.6,
                zorder=4,
            )  # fmt: skip
    else:
        for place, value in zip(places, middle[order].tolist(), strict=True):
            ax.annotate(
                wording.percent(value), (value, place), (5, 0), va="center",
                textcoords="offset points", fontsize=9.5, color=LIGHT["muted"],
            )  # fmt: skip
        ax.set_xlim(0, 1.12 * max(float(middle.max(initial=0)), 1e-12))
        ax.set_xticks([])  # every bar has its own label
    ax.set_yticks(places, [wording.cut(names[i], _LONGEST) for i in order.tolist()])
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.axvline(0, color=LIGHT["line"], lw=1, zorder=1)
    ax.grid(axis="x", color=LIGHT["track"], lw=0.8, zorder=0)
    ax.set_axisbelow(True)
    ax.spines[["left", "bottom"]].set_visible(False)
    title(ax, *words)
    return plain(ax)


def draw_confusion(
    confusion: NDArray[np.float64],
    names: Sequence[str],
    ax: Axes | None = None,
) -> Axes:
    """Draw a confusion matrix: true classes by answers.

    Correct answers are blue and wrong ones orange; a darker cell is a larger share of
    its true class.

    Parameters
    ----------
    confusion : float64 array of true classes x answers
        Weight of each pair.
    names : sequence of str
        Names of the classes.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    k, totals = len(names), confusion.sum(axis=1, keepdims=True)
    shares = confusion / np.where(totals > 0, totals, 1.0)
    size = min(max(k, 3), 14)
    ax = new_axes(ax, 2.2 + 0.85 * size, 1.2 + 0.7 * size)
    shaded = _shaded(shares)
    ax.imshow(shaded, aspect="auto", interpolation="nearest")
    if k <= _MOST_CELLS_WITH_TEXT:
        for (i, j), n in np.ndenumerate(confusion):
            ink = "#ffffff" if shaded[i, j] @ _BRIGHTNESS < 0.5 else LIGHT["text"]
            text = f"{_weight(n)}\n{wording.percent(float(shares[i, j]))}" if n else "0"
            ax.text(
                j, i, text, ha="center", va="center", color=ink, fontsize=9.5,
                linespacing=1.35,
            )  # fmt: skip
    longest = _LONGEST if k <= _MOST_CELLS_WITH_TEXT else 12
    short = [wording.cut(name, longest) for name in names]
    ax.set_xticks(range(k), short)
    ax.set_yticks(range(k), short)
    if sum(map(len, short)) > 9 * k:
        ax.tick_params(axis="x", rotation=35)
        for label in ax.get_xticklabels():
            label.set_horizontalalignment("right")
            label.set_rotation_mode("anchor")
    ax.set_xlabel("answer of the tree", fontsize=10)
    ax.set_ylabel("true class", fontsize=10)
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(k - 1) + 0.5, minor=True)
    ax.set_yticks(np.arange(k - 1) + 0.5, minor=True)
    ax.grid(which="minor", color="white", lw=2)
    ax.tick_params(which="minor", length=0)
    right, rows = float(np.trace(confusion)), float(confusion.sum())
    title(
        ax,
        f"{wording.percent(right / rows)} right",
        f"{_weight(right)} of {_weight(rows)} rows; percentages are of each true class",
    )
    return plain(ax)


def _weight(weight: float) -> str:
    """Return a number of rows, or a weight, as text."""
    return f"{weight:,.0f}" if weight == round(weight) else wording.figures(weight)


def _shaded(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mix the colours of correct and wrong answers with white by the shares."""
    from matplotlib.colors import to_rgb

    full = np.empty((*shares.shape, 3))
    full[:] = to_rgb(_OFF)
    same = np.arange(min(shares.shape))
    full[same, same] = to_rgb(_MAIN)
    strength = (0.04 + 0.9 * shares)[..., None]
    return np.asarray(strength * full + (1 - strength))


def draw_reliability(
    found: Reliability, words: tuple[str, str], ax: Axes | None = None
) -> Axes:
    """Draw observed against predicted shares, with intervals and group sizes.

    Parameters
    ----------
    found : Reliability
        The groups.
    words : tuple of str
        Title and subtitle.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = new_axes(ax, 5.6, 5.6)
    ax.plot([0, 1], [0, 1], color=LIGHT["other"], lw=1.2, ls=(0, (4, 3)), zorder=1)
    ax.annotate(
        "observed = predicted", (0.97, 0.97), (-2, -14), textcoords="offset points",
        ha="right", rotation=45, rotation_mode="anchor", fontsize=9,
        color=LIGHT["muted"],
    )  # fmt: skip
    for p, low, high in zip(found.promised, found.low, found.high, strict=True):
        ax.plot([p, p], [low, high], color=_MAIN, lw=2, alpha=0.45, zorder=2)
    sizes = 30 + 170 * found.n_rows / found.n_rows.max()
    ax.plot(found.promised, found.observed, color=_MAIN, lw=1, alpha=0.6, zorder=2)
    ax.scatter(
        found.promised, found.observed, sizes, color=_MAIN, edgecolor="white",
        linewidth=1.2, zorder=3,
    )  # fmt: skip
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
    ticks: Any = np.linspace(0, 1, 6)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(ticks, [f"{100 * t:.0f}%" for t in ticks])
    ax.grid(color=LIGHT["track"], lw=0.8)
    ax.set_axisbelow(True)
    ax.set_xlabel("predicted share", fontsize=10)
    ax.set_ylabel("observed share", fontsize=10)
    title(ax, *words)
    return plain(ax)
