"""One split, large: the rows of its node by column, and the gain of every candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.drawing.cards import own_inks
from treewright.drawing.charts import new_axes, plain, title
from treewright.drawing.labels import class_names, count, question, target_name
from treewright.drawing.matplotlib import inks_of
from treewright.drawing.node_columns import Bars, column_bars
from treewright.reading.why.why import Why
from treewright.tree import wording
from treewright.tree.data import TreeData
from treewright.tree.new_rows import NewRows
from treewright.tree.route import share_at
from treewright.tree.split import Threshold, split_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_split"]

_BINS, _MOST_CATEGORIES = 40, 20
_MOST_LEGEND = 12


def draw_split(
    tree: TreeData, node: int, rows: NewRows, why: Why, ax: Axes | None = None
) -> Axes:
    """Draw the rows of a node by the column of its split, with the gains.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        An inner node.
    rows : NewRows
        The rows that the tree was grown on.
    why : Why
        Every candidate of the split's column.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    split = split_of(tree, node)
    assert split is not None
    ax = new_axes(ax, 7.0, 4.4)
    bars = column_bars(tree, node, rows, _BINS, _MOST_CATEGORIES)
    if tree.is_classifier or bars.names:
        _draw_bars(ax, tree, bars)
    else:
        _draw_points(ax, tree, node, rows, split.column)
    for cut in bars.cuts:
        ax.axvline(cut, color=inks_of(ax)["accent"], linewidth=1.5, zorder=4)
    _draw_gains(ax, why)
    name = wording.cut(question(split), 60)
    ax.set_xlabel(name)
    words = f"node {node}: {count(int(tree.n_rows[node]), 'row')}; gain of the split "
    words += wording.figures(split.gain)
    if bars.n_missing:
        words += f"; {count(bars.n_missing, 'missing value')} not drawn"
    if bars.n_other:
        words += f"; {bars.n_other:,} rarer categories not drawn"
    shown = wording.cut(split.words(0, most=3, longest=30), 80)
    title(ax, shown, words)
    return plain(ax)


def _draw_bars(ax: Axes, tree: TreeData, bars: Bars) -> None:
    inks = inks_of(ax)
    names = class_names(tree) if tree.is_classifier else [""]
    colours = [inks[k] for k in own_inks(tree)] if tree.is_classifier else [inks["r4"]]
    below = np.zeros(len(bars.heights))
    widths = np.diff(bars.edges) * (0.8 if bars.names else 0.97)
    middles = (bars.edges[:-1] + bars.edges[1:]) / 2
    for k, (name, colour) in enumerate(zip(names, colours, strict=True)):
        high = bars.heights[:, k]
        if high.any():
            label = wording.cut(name, 28) if k < _MOST_LEGEND else "_"
            ax.bar(middles, high, widths, below, color=colour, label=label or "_")
            below = below + high
    ax.set_ylabel("rows")
    if bars.names:
        short = [wording.value(each, 18) for each in bars.names]
        ax.set_xticks(range(len(short)), short)
        if sum(map(len, short)) > 60:
            ax.tick_params(axis="x", rotation=35)
            for tick in ax.get_xticklabels():
                tick.set(horizontalalignment="right", rotation_mode="anchor")
    if tree.is_classifier:
        ax.legend(frameon=False, title=wording.cut(target_name(tree), 28))


def _draw_points(
    ax: Axes, tree: TreeData, node: int, rows: NewRows, column: int
) -> None:
    """Draw each row as a point, and the mean on both sides of the cut."""
    inks = inks_of(ax)
    here = share_at(tree, node, rows.ends(tree)) > 0
    values: Any = rows.columns[column]
    x, y = values[here], rows.y[here]
    ax.scatter(x, y, s=14, color=inks["c0"], alpha=0.45, linewidth=0, zorder=2)
    cut = float(tree.threshold[node])
    with np.errstate(invalid="ignore"):
        for side in (x <= cut, x > cut):
            if side.any():
                mean = float(y[side].mean())
                ends = float(x[side].min()), float(x[side].max())
                ax.plot(ends, (mean, mean), color=inks["c1"], linewidth=2.5, zorder=3)
    ax.set_ylabel(wording.cut(target_name(tree), 40))


def _draw_gains(ax: Axes, why: Why) -> None:
    """Draw the gain of every threshold along the axis, on a scale of its own."""
    at = [
        (each.split.threshold, each.gain)
        for each in why.candidates
        if isinstance(each.split, Threshold) and np.isfinite(each.gain)
    ]
    if not at:
        return
    inks = inks_of(ax)
    places, gains = zip(*sorted(at), strict=True)
    other = ax.twinx()
    other.plot(
        places, gains, color=inks["muted"], linewidth=1.4, zorder=5,
        marker="o" if len(places) <= 40 else "", markersize=3,
    )  # fmt: skip
    other.set_ylim(0, 1.15 * max(max(gains), 1e-300))
    other.set_ylabel("gain of a cut here (line)", color=inks["muted"])
    other.tick_params(length=0, colors=inks["muted"])
    other.spines[:].set_visible(False)
    plain(other)
