"""One split, large: the rows of its node by column, and the gain of every candidate."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.drawing.cards import own_inks
from treewright.drawing.charts import (
    commas,
    label_y,
    legend_above,
    name_ticks,
    new_axes,
    plain,
    title,
)
from treewright.drawing.labels import class_names, question, target_name
from treewright.drawing.matplotlib import inks_of
from treewright.drawing.node_columns import Bars, column_bars
from treewright.drawing.value_axis import value_ticks
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
_FULL_POINTS, _MOST_SHAPES = 900, 5_000
"""Points up to which they keep full ink, and from which a PDF holds an image."""


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
    for cut in bars.cuts:
        ax.axvline(cut, color=inks_of(ax)["accent"], linewidth=1.5, zorder=4)
    ax.set_xlabel(wording.cut(question(split), 60))
    top = 0.0
    if tree.is_classifier:
        top = _draw_bars(ax, tree, bars)
    elif bars.names:
        _draw_boxes(ax, tree, node, rows, split.column, bars)
    else:
        _draw_points(ax, tree, node, rows, split.column)
    whole = 1.0 if tree.is_classifier else why.here.impurity or 1.0
    gains = _draw_gains(ax, why, whole, _ranks(tree, split.column, bars))
    words = f"node {node}: {wording.count(int(tree.n_rows[node]), 'row')}; "
    if tree.is_classifier:
        words += f"gain of the split {wording.figures(split.gain)}"
    else:
        words += f"the split removes {wording.percent(split.gain / whole)} of the error"
    if bars.n_missing:
        words += f"; {wording.count(bars.n_missing, 'missing value')} not drawn"
    if bars.n_other:
        rarer = wording.count(bars.n_other, "rarer category", "rarer categories")
        words += f"; {rarer} not drawn"
    if not bars.names:
        value_ticks(ax.xaxis, tree.schema.features[split.column])
    shown = wording.cut(split.words(0, most=3, longest=30), 80)
    title(ax, shown, words)
    kept = legend_above(ax, top) if tree.is_classifier else 0.0
    if gains is not None:
        gains.set_ylim(0, 1.15 * gains.dataLim.ymax / (1 - kept) or 1.0)
    return plain(ax)


def _draw_bars(ax: Axes, tree: TreeData, bars: Bars) -> float:
    """Draw the rows by class, and return how high the bars are."""
    inks = inks_of(ax)
    names, colours = class_names(tree), [inks[k] for k in own_inks(tree)]
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
    commas(ax.yaxis)
    if bars.names:
        name_ticks(ax, [wording.value(each, 18) for each in bars.names])
    return 1.02 * float(below.max(initial=1.0))


def _draw_boxes(
    ax: Axes, tree: TreeData, node: int, rows: NewRows, column: int, bars: Bars
) -> None:
    """Draw the middle half and the mean of each category, and of each branch."""
    inks = inks_of(ax)
    here, weights = _here(tree, node, rows), rows.own_weights
    codes: Any = rows.columns[column]
    labels = tree.schema.features[column].labels
    code_of = {label: code for code, label in enumerate(labels)}
    found = [np.flatnonzero(here & (codes == code_of[name])) for name in bars.names]
    for place, each in enumerate(found):
        if not len(each):
            continue
        values = rows.y[each]
        low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
        ax.bar(place, high - low, 0.55, low, color=inks["r4"], zorder=2)
        ends = place - 0.275, place + 0.275
        ax.plot(ends, (middle, middle), color=inks["page"], linewidth=1.5, zorder=3)
        mean = np.average(values, weights=weights[each])
        ax.plot(place, mean, "o", color=inks["c1"], mec=inks["page"], zorder=3)
    borders = [-0.5, *bars.cuts, len(found) - 0.5]
    for left, right in itertools.pairwise(borders):
        inside = [each for k, each in enumerate(found) if left < k < right]
        both = np.concatenate([*inside, np.zeros(0, np.int64)])
        if len(both):
            mean = np.average(rows.y[both], weights=weights[both])
            ax.plot((left, right), (mean, mean), color=inks["c1"], lw=1.5, ls="--")
    ax.set_xlim(-0.5, len(found) - 0.5)
    ax.use_sticky_edges = False
    ax.margins(y=0.06)
    commas(ax.yaxis)
    name_ticks(ax, [wording.value(each, 18) for each in bars.names])
    label_y(ax, f"{wording.cut(target_name(tree), 30)}: middle half, mean (dot)")


def _draw_points(
    ax: Axes, tree: TreeData, node: int, rows: NewRows, column: int
) -> None:
    """Draw each row as a point, and the mean on both sides of the cut."""
    inks = inks_of(ax)
    here = _here(tree, node, rows)
    values: Any = rows.columns[column]
    x, y, weights = values[here], rows.y[here], rows.own_weights[here]
    strength = float(np.clip(_FULL_POINTS / max(len(x), 1), 0.06, 0.45))
    ax.scatter(
        x, y, s=14, color=inks["c0"], alpha=strength, linewidth=0, zorder=2,
        rasterized=len(x) > _MOST_SHAPES,
    )  # fmt: skip
    cut = float(tree.threshold[node])
    with np.errstate(invalid="ignore"):
        for side in (x <= cut, x > cut):
            if side.any():
                mean = float(np.average(y[side], weights=weights[side]))
                ends = float(x[side].min()), float(x[side].max())
                ax.plot(ends, (mean, mean), color=inks["c1"], linewidth=2.5, zorder=3)
    ax.set_ylabel(wording.cut(target_name(tree), 40))
    commas(ax.yaxis)


def _here(tree: TreeData, node: int, rows: NewRows) -> NDArray[np.bool_]:
    """Return which rows pass the node; those of weight 0 were left out in growing."""
    return (share_at(tree, node, rows.ends(tree)) > 0) & (rows.own_weights > 0)


def _ranks(tree: TreeData, column: int, bars: Bars) -> list[int]:
    """Return the code of each bar; empty for a column of numbers."""
    labels = tree.schema.features[column].labels
    return [labels.index(name) for name in bars.names]


def _draw_gains(ax: Axes, why: Why, whole: float, ranks: list[int]) -> Axes | None:
    """Draw the gain of every threshold, divided by `whole`, on a scale of its own."""
    best: dict[float, float] = {}  # a cut has two gains: missing values left or right
    for each in why.candidates:
        if isinstance(each.split, Threshold) and np.isfinite(each.gain):
            cut, gain = each.split.threshold, each.gain / whole
            if ranks:  # between the bars: ranks without rows have no bar
                cut = sum(rank <= cut for rank in ranks) - 0.5
            best[cut] = max(gain, best.get(cut, gain))
    if not best:
        return None
    from matplotlib.ticker import PercentFormatter

    inks = inks_of(ax)
    places, gains = zip(*sorted(best.items()), strict=True)
    other = ax.twinx()
    other.plot(
        places, gains, color=inks["muted"], linewidth=1.4, zorder=5,
        marker="o" if len(places) <= 40 else "", markersize=3,
    )  # fmt: skip
    if whole == 1.0:
        words = "gain of a cut here (line)"
    else:
        words = "error that a cut here removes (line)"
        other.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    other.set_ylabel(words, color=inks["muted"])
    other.tick_params(length=0, colors=inks["muted"])
    other.spines[:].set_visible(False)
    return plain(other)
