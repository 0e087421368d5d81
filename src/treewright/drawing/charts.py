"""Charts of numbers about a tree, in matplotlib: each draws into one axes.

Text keeps the colour of the reader's matplotlib style; data have our colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.drawing.matplotlib import (
    check_axes,
    font_measure,
    inks_of,
    laid_out,
    points_of,
    pyplot,
)
from treewright.drawing.measure import middle_cut, wrapped
from treewright.drawing.palette import LIGHT
from treewright.reading.answers.reliability import Reliability
from treewright.tree import wording

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

__all__ = [
    "commas",
    "draw_confusion",
    "draw_importance",
    "draw_reliability",
    "label_y",
    "legend_above",
    "name_ticks",
    "new_axes",
    "plain",
    "text_size",
    "title",
]

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
        ax.spines[side].set_color(inks_of(ax)["line"])
    ax.tick_params(length=0, labelsize="medium")
    return ax


def title(ax: Axes, main: str, more: str = "") -> None:
    """Write a title at the left, and a smaller line below it, as wide as the axes."""
    size = text_size()
    laid_out(plain(ax))
    below = _broken(more, ax, 0.95 * size)
    lines = below.count("\n") + 1 if below else 0
    ax.set_title(
        _broken(main, ax, 1.2 * size, bold=True),
        loc="left",
        fontsize=1.2 * size,
        fontweight="bold",
        pad=6 + lines * 1.3 * size,
        parse_math=False,
    )
    if below:
        said = ax.annotate(
            below,
            (0, 1),
            (0, 6),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=0.95 * size,
            color=inks_of(ax)["muted"],
            linespacing=1.2,
            parse_math=False,
        )
        said.set_in_layout(False)  # the title above it keeps its room free


def _broken(text: str, ax: Axes, size: float, bold: bool = False) -> str:
    """Break each line of a text into lines that are as wide as the axes."""
    measure = font_measure()
    # Small letters are up to 8 % wider than measured where few pixels draw them.
    room = max(0.92 * points_of(ax)[0], 60.0)
    parts = [
        part
        for line in text.split("\n")
        for part in wrapped(line, room, size, lambda t, s, _: measure(t, s, bold))
    ]
    return "\n".join(middle_cut(part, room, size, bold, measure) for part in parts)


def name_ticks(ax: Axes, names: Sequence[str]) -> None:
    """Write names below an axes, slanted where they would touch each other."""
    ax.set_xticks(range(len(names)), names)
    laid_out(plain(ax))
    low, high = ax.get_xlim()
    step = points_of(ax)[0] / max(high - low, 1.0)
    measure, size = font_measure(), text_size()
    if any(measure(name, size, False) > 0.9 * step for name in names):
        ax.tick_params(axis="x", rotation=35)
        for label in ax.get_xticklabels():
            label.set(horizontalalignment="right", rotation_mode="anchor")


def label_y(ax: Axes, text: str) -> None:
    """Label the vertical axis, in lines that are as long as it is high."""
    measure, size = font_measure(), text_size()
    laid_out(plain(ax))
    lines = wrapped(text, points_of(ax)[1], size, measure)
    ax.set_ylabel("\n".join(lines), fontsize=size)


def legend_above(ax: Axes, top: float) -> float:
    """Put a legend above data that reach up to `top`; return the share it takes."""
    handles, labels = ax.get_legend_handles_labels()
    size, (wide, high) = 0.9 * text_size(), points_of(ax)
    widest = max((font_measure()(label, size, False) for label in labels), default=0)
    columns = max(min(int(wide // (widest + 4.5 * size)), len(labels)), 1)
    lines = -(-len(labels) // columns)
    share = min((1.5 * lines + 1.0) * size / high, 0.6)
    ax.set_ylim(0, top / (1 - share))
    ax.legend(
        handles, labels, loc="upper left", ncols=columns, frameon=False, fontsize=size,
        borderaxespad=0.2, columnspacing=1.2, handlelength=1.6,
    )  # fmt: skip
    return share


def commas(axis: Axis) -> None:
    """Write the numbers of an axis as elsewhere, thousands with commas."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda x, _: wording.figures(x)))


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
    inks = inks_of(ax)
    places = np.arange(len(names))
    strength = 0.35 if has_spread else 1.0
    ax.barh(
        places, middle[order], height=0.62, color=inks["c0"], alpha=strength, zorder=2
    )
    if has_spread:
        aside = np.linspace(-0.2, 0.2, values.shape[1])
        for place, column in zip(places, order.tolist(), strict=True):
            each = values[column]
            ax.plot(
                [each.min(), each.max()],
                [place] * 2,
                color=inks["c0"],
                lw=1.4,
                zorder=3,
            )
            ax.plot(
                each, place + aside, "o", ms=4, color=inks["c0"], mec="white", mew=0.6,
                zorder=4,
            )  # fmt: skip
    else:
        for place, value in zip(places, middle[order].tolist(), strict=True):
            ax.annotate(
                wording.percent(value), (value, place), (5, 0), va="center",
                textcoords="offset points", fontsize="medium", color=inks["muted"],
            )  # fmt: skip
        ax.set_xlim(0, 1.12 * max(float(middle.max(initial=0)), 1e-12))
        ax.set_xticks([])  # every bar has its own label
    ax.set_yticks(places, [wording.cut(names[i], _LONGEST) for i in order.tolist()])
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.axvline(0, color=inks["line"], lw=1, zorder=1)
    ax.grid(axis="x", color=inks["track"], lw=0.8, zorder=0)
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

    Correct answers are purple and wrong ones orange; a darker cell is a larger share of
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
    inks = inks_of(ax)
    shaded = _shaded(shares, inks)
    ax.imshow(shaded, aspect="auto", interpolation="nearest")
    if k <= _MOST_CELLS_WITH_TEXT:
        _write_cells(ax, confusion, shares, shaded)
    longest = _LONGEST if k <= _MOST_CELLS_WITH_TEXT else 12
    short = [wording.cut(name, longest) for name in names]
    ax.set_yticks(range(k), short)
    name_ticks(ax, short)
    ax.set_xlabel("answer of the tree", fontsize="medium")
    ax.set_ylabel("true class", fontsize="medium")
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(k - 1) + 0.5, minor=True)
    ax.set_yticks(np.arange(k - 1) + 0.5, minor=True)
    ax.grid(which="minor", color=inks["page"], lw=2)
    ax.tick_params(which="minor", length=0)
    right, rows = float(np.trace(confusion)), float(confusion.sum())
    title(
        ax,
        f"{wording.percent(right / rows)} right",
        f"{_weight(right)} of {_weight(rows)} rows; percentages are of each true class",
    )
    return plain(ax)


def _write_cells(
    ax: Axes,
    confusion: NDArray[np.float64],
    shares: NDArray[np.float64],
    shaded: NDArray[np.float64],
) -> None:
    """Write the counts, and the percentages where a cell has room for both lines."""
    laid_out(plain(ax))
    size, (width, height) = text_size(), points_of(ax)
    cell = width / len(confusion), height / len(confusion)
    both = cell[1] > 3 * size and cell[0] > font_measure()("100.0%", size, False)
    most = max((_weight(n) for n in confusion.ravel().tolist()), key=len)
    size *= min(1.0, 0.95 * cell[0] / font_measure()(most, size, False))
    for (i, j), n in np.ndenumerate(confusion):
        ink = "#ffffff" if shaded[i, j] @ _BRIGHTNESS < 0.5 else LIGHT["text"]
        percent = f"\n{wording.percent(float(shares[i, j]))}" if n and both else ""
        ax.text(
            j, i, _weight(n) + percent, ha="center", va="center", color=ink,
            fontsize=size, linespacing=1.35,
        )  # fmt: skip


def text_size() -> float:
    """Return the size of text in points, as rcParams have it."""
    return float(pyplot().rcParams["font.size"])


def _weight(weight: float) -> str:
    """Return a number of rows, or a weight, as text."""
    return f"{weight:,.0f}" if weight == round(weight) else wording.figures(weight)


def _shaded(
    shares: NDArray[np.float64], inks: Mapping[str, str]
) -> NDArray[np.float64]:
    """Mix the colours of correct and wrong answers with the page by the shares."""
    from matplotlib.colors import to_rgb

    full = np.empty((*shares.shape, 3))
    full[:] = to_rgb(inks["c1"])
    same = np.arange(min(shares.shape))
    full[same, same] = to_rgb(inks["c0"])
    strength = (0.04 + 0.9 * shares)[..., None]
    return np.asarray(strength * full + (1 - strength) * to_rgb(inks["page"]))


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
    inks = inks_of(ax)
    ax.plot([0, 1], [0, 1], color=inks["other"], lw=1.2, ls=(0, (4, 3)), zorder=1)
    laid_out(plain(ax))
    wide = points_of(ax)[0]
    small = wide < 24 * text_size()
    diagonal = "" if small else "observed = predicted"
    ax.annotate(
        diagonal, (0.97, 0.97), (-2, -14), textcoords="offset points",
        ha="right", rotation=45, rotation_mode="anchor", fontsize="small",
        color=inks["muted"],
    )  # fmt: skip
    for p, low, high in zip(found.promised, found.low, found.high, strict=True):
        ax.plot([p, p], [low, high], color=inks["c0"], lw=2, alpha=0.45, zorder=2)
    sizes = 30 + 170 * found.n_rows / found.n_rows.max()
    ax.plot(found.promised, found.observed, color=inks["c0"], lw=1, alpha=0.6, zorder=2)
    ax.scatter(
        found.promised, found.observed, sizes, color=inks["c0"], edgecolor="white",
        linewidth=1.2, zorder=3,
    )  # fmt: skip
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
    ticks: Any = np.linspace(0, 1, 3 if small else 6)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(ticks, [f"{100 * t:.0f}%" for t in ticks])
    ax.grid(color=inks["track"], lw=0.8)
    ax.set_axisbelow(True)
    ax.set_xlabel("predicted share", fontsize="medium")
    ax.set_ylabel("observed share", fontsize="medium")
    title(ax, *words)
    return plain(ax)
