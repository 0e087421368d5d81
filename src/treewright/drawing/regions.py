"""The answers of a tree over the plane of two columns, with exact borders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.drawing.cards import class_inks
from treewright.drawing.charts import commas, new_axes, plain, title
from treewright.drawing.labels import class_names, target_name
from treewright.drawing.matplotlib import inks_of
from treewright.drawing.palette import LIGHT, RAMP_INKS
from treewright.drawing.value_axis import value_ticks
from treewright.table.schema import Feature
from treewright.table.show import show_value
from treewright.tree import wording
from treewright.tree.answer import node_answers
from treewright.tree.data import LEAF, THRESHOLD, TreeData
from treewright.tree.route import route

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Side", "draw_regions", "side_of"]

_MOST_STEPS = 1500
_MARKS = "osD^vPX*"
_FADED = 0.18


@dataclass(frozen=True)
class Side:
    """One axis of the plane, divided into steps at the borders of regions.

    Attributes
    ----------
    column : int
        Number of the column.
    edges : float64 array
        Borders of the steps, ascending; categories are steps of width 1 around
        their code.
    inside : float64 array
        One value inside each step.
    """

    column: int
    edges: NDArray[np.float64]
    inside: NDArray[np.float64]


def side_of(tree: TreeData, column: int, seen: NDArray[Any] | None) -> Side:
    """Return the steps of a column; the tree's answer is constant within a step.

    Parameters
    ----------
    tree : TreeData
        The tree.
    column : int
        Number of the column.
    seen : array or None
        Values that must be visible: numbers, or codes of categories.

    Returns
    -------
    Side
    """
    feature = tree.schema.features[column]
    if feature.kind != "numeric":
        codes = np.arange(max(len(feature.labels), 1), dtype=np.float64)
        return Side(column, np.append(codes - 0.5, codes[-1] + 0.5), codes)
    at = (tree.feature == column) & (tree.split_kind == THRESHOLD)
    cuts = np.unique(tree.threshold[at])
    cuts = cuts[np.isfinite(cuts)]
    low, high = _range(feature, cuts, seen)
    cuts = cuts[(cuts > low) & (cuts < high)]
    if len(cuts) > _MOST_STEPS:  # finer than screen pixels
        cuts = np.linspace(low, high, _MOST_STEPS)[1:-1]
    edges = np.concatenate([[low], cuts, [high]])
    # A value on a border belongs to the step on its left.
    return Side(column, edges, edges[1:])


def _range(
    feature: Feature, cuts: NDArray[np.float64], seen: NDArray[Any] | None
) -> tuple[float, float]:
    known = [cuts]
    if feature.summary is not None and feature.summary.minimum is not None:
        known.append(np.array([feature.summary.minimum, feature.summary.maximum]))
    if seen is not None:
        known.append(np.asarray(seen, dtype=np.float64))
    values = np.concatenate(known)
    values = values[np.isfinite(values)]
    if not len(values):
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room


def draw_regions(
    tree: TreeData,
    sides: tuple[Side, Side],
    others: Mapping[int, Any],
    points: Sequence[NDArray[Any] | None] | None = None,
    target: NDArray[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the answers over two columns, and rows as points.

    Parameters
    ----------
    tree : TreeData
        The tree.
    sides : tuple of Side
        The columns along x and along y.
    others : mapping of int to number
        The value of every other column that the tree uses.
    points : sequence of array or None, optional
        Rows to draw.
    target : array, optional
        The class numbers, or the target values, of these rows.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = new_axes(ax, 7.2, 5.4)
    nodes = _plane(tree, sides, others)
    x, y = sides
    in_slice = _in_slice(tree, points, target, others)
    paint = _paint_classes if tree.is_classifier else _paint_numbers
    paint(ax, tree, x, y, nodes, points, target, in_slice)
    for axis, side in ((ax.xaxis, x), (ax.yaxis, y)):
        feature = tree.schema.features[side.column]
        axis.set_label_text(
            wording.cut(wording.name(feature.name), 40), fontsize="medium"
        )
        if feature.kind != "numeric":
            names = [wording.value(label, 24) for label in feature.labels]
            axis.set_ticks(np.arange(len(names)), names)
    ax.set(xlim=(x.edges[0], x.edges[-1]), ylim=(y.edges[0], y.edges[-1]))
    for axis, side in ((ax.xaxis, x), (ax.yaxis, y)):
        value_ticks(axis, tree.schema.features[side.column])
    about = wording.cut(target_name(tree), 40)
    words = _held(tree, others)
    if words and not in_slice.all():
        words += "; rows that these values send elsewhere are pale"
    title(ax, f"Answers of the tree: {about}", words)
    return plain(ax)


def _in_slice(
    tree: TreeData,
    points: Sequence[NDArray[Any] | None] | None,
    target: NDArray[Any] | None,
    others: Mapping[int, Any],
) -> NDArray[np.bool_]:
    """Return which rows end in the node that the plane shows at their place.

    The plane holds some columns at one value. A row is in the slice if its own values
    in these columns lead to the same node.
    """
    n = 0 if target is None else len(target)
    if points is None or not others:
        return np.ones(n, dtype=bool)
    held = list(points)
    for column, value in others.items():
        held[column] = np.full(n, value, dtype=_dtype(tree, column))
    return np.asarray(route(tree, points, n) == route(tree, held, n))


def _held(tree: TreeData, others: Mapping[int, Any]) -> str:
    """Return the values at which the other columns are held, as text."""
    parts = []
    for column, value in others.items():
        feature = tree.schema.features[column]
        shown = wording.cut(show_value(feature, float(value)), 20)
        parts.append(f"{wording.cut(wording.name(feature.name), 24)} = {shown}")
    more = f", ... {len(parts) - 4} more" if len(parts) > 4 else ""
    return f"slice at {', '.join(parts[:4])}{more}" if parts else ""


def _plane(
    tree: TreeData, sides: tuple[Side, Side], others: Mapping[int, Any]
) -> NDArray[np.int32]:
    """Return the node where each cell ends, indexed by y and x."""
    x, y = sides
    n = len(x.inside) * len(y.inside)
    columns: list[NDArray[Any] | None] = [None] * len(tree.schema.features)
    for column, value in others.items():
        columns[column] = np.full(n, value, dtype=_dtype(tree, column))
    across, up = np.meshgrid(x.inside, y.inside)
    for side, values in ((x, across), (y, up)):
        columns[side.column] = values.ravel().astype(_dtype(tree, side.column))
    return route(tree, columns, n).reshape(across.shape)


def _dtype(tree: TreeData, column: int) -> type:
    numeric = tree.schema.features[column].kind == "numeric"
    return np.float64 if numeric else np.int32


def _paint_classes(
    ax: Axes,
    tree: TreeData,
    x: Side,
    y: Side,
    nodes: NDArray[np.int32],
    points: Sequence[NDArray[Any] | None] | None,
    target: NDArray[Any] | None,
    in_slice: NDArray[np.bool_],
) -> None:
    from matplotlib.colors import ListedColormap, to_rgb
    from matplotlib.lines import Line2D

    inks = inks_of(ax)
    page = to_rgb(inks["page"])
    colours = [inks[ink] for ink in class_inks(tree)]
    pale = [
        tuple(0.26 * c + 0.74 * p for c, p in zip(to_rgb(colour), page, strict=True))
        for colour in colours
    ]
    ax.pcolormesh(
        x.edges, y.edges, tree.label[nodes], cmap=ListedColormap(pale), vmin=-0.5,
        vmax=len(pale) - 0.5, rasterized=True,
    )  # fmt: skip
    names, entries = class_names(tree), []
    shown = [k for k, ink in enumerate(class_inks(tree)) if ink != "other"]
    for k in shown:
        mark = _MARKS[k % len(_MARKS)]
        entries.append(
            Line2D([], [], ls="", marker=mark, color=colours[k], mec="white", ms=7)
        )
        if points is None or target is None:
            continue
        for inside, strength in ((False, _FADED), (True, 1.0)):
            here = (target == k) & (in_slice == inside)
            across, up = _scattered(tree, (x, y), points, here)
            ax.scatter(
                across, up, s=26, marker=mark, color=colours[k], edgecolor="white",
                linewidth=0.6, zorder=3 if inside else 2.5, alpha=strength,
            )  # fmt: skip
    ax.legend(
        entries, [wording.cut(names[k], 28) for k in shown], loc="upper left",
        bbox_to_anchor=(1.01, 1), frameon=False, fontsize="medium", borderaxespad=0,
    )  # fmt: skip


def _paint_numbers(
    ax: Axes,
    tree: TreeData,
    x: Side,
    y: Side,
    nodes: NDArray[np.int32],
    points: Sequence[NDArray[Any] | None] | None,
    target: NDArray[Any] | None,
    in_slice: NDArray[np.bool_],
) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    ramp = ["#dbe9f5", *(LIGHT[ink] for ink in RAMP_INKS)]
    colours = LinearSegmentedColormap.from_list("treewright", ramp)
    answer = node_answers(tree)[:, 0]
    values, ends = answer[nodes], answer[tree.split_kind == LEAF]
    low, high = float(ends.min()), float(ends.max())
    painted = ax.pcolormesh(
        x.edges, y.edges, values, cmap=colours, vmin=low, vmax=high, rasterized=True
    )
    if points is not None and target is not None:
        known = np.isfinite(target.astype(np.float64))
        for inside, strength in ((False, _FADED), (True, 1.0)):
            here = known & (in_slice == inside)
            across, up = _scattered(tree, (x, y), points, here)
            ax.scatter(
                across, up, c=target[here], cmap=colours, vmin=low, vmax=high, s=26,
                edgecolor=inks_of(ax)["text"], linewidth=0.6, alpha=strength,
                zorder=3 if inside else 2.5,
            )  # fmt: skip
    figure = ax.get_figure()
    assert figure is not None
    bar = figure.colorbar(painted, ax=ax, pad=0.02, fraction=0.05)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, labelsize="small")
    commas(bar.ax.yaxis)
    plain(bar.ax)


def _scattered(
    tree: TreeData,
    sides: tuple[Side, Side],
    points: Sequence[NDArray[Any] | None],
    here: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the positions of rows; rows of one category are spread over its step."""
    rng = np.random.default_rng(0)
    places = []
    for side in sides:
        values = points[side.column]
        assert values is not None
        at = np.asarray(values[here], dtype=np.float64)
        if tree.schema.features[side.column].kind != "numeric":
            at = np.where(at < 0, np.nan, at + rng.uniform(-0.35, 0.35, len(at)))
        places.append(at)
    return places[0], places[1]
