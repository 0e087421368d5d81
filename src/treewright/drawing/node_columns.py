"""The distribution of a split's column among the rows of its node, with the cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.drawing.cards import Chart, Scale, own_inks, scale_of
from treewright.drawing.marks import Box, Mark
from treewright.drawing.palette import RAMP_INKS
from treewright.tree.data import THRESHOLD, TreeData
from treewright.tree.new_rows import NewRows
from treewright.tree.route import share_at
from treewright.tree.split import Split, split_of

__all__ = ["Bars", "column_bars", "column_charts"]

_HEIGHT, _NARROWEST = 36.0, 116.0
_BINS = 24
_MOST_CATEGORIES = 12
_GAP = 0.6


@dataclass(frozen=True)
class Bars:
    """The rows of a node by the values of its split's column.

    Attributes
    ----------
    edges : float64 array
        Borders of the bars. Categories are bars of width 1.
    heights : float64 array of bars x classes
        Rows in each bar; for numbers one column.
    means : float64 array
        Numbers: the mean of the target in each bar; NaN in an empty one.
    cuts : list of float
        Where branches meet.
    names : list of object
        The category of each bar; empty for a number.
    n_missing : int
        Rows of the node without a value.
    n_other : int
        Categories that are not drawn.
    """

    edges: NDArray[np.float64]
    heights: NDArray[np.float64]
    means: NDArray[np.float64]
    cuts: list[float]
    names: list[Any]
    n_missing: int
    n_other: int = 0


def column_bars(
    tree: TreeData,
    node: int,
    rows: NewRows,
    bins: int = _BINS,
    most: int = _MOST_CATEGORIES,
) -> Bars:
    """Return the rows of an inner node by the values of its split's column.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        An inner node.
    rows : NewRows
        The rows to draw, such as those the tree was grown on.
    bins : int, optional
        Number of bars of a column of numbers.
    most : int, optional
        Maximum number of categories to draw, the most frequent ones.

    Returns
    -------
    Bars
    """
    split = split_of(tree, node)
    assert split is not None
    here = share_at(tree, node, rows.ends(tree)) > 0
    column = rows.columns[split.column]
    assert column is not None
    x, y = column[here].astype(np.float64), rows.y[here]
    is_number = tree.schema.features[split.column].kind == "numeric"
    known = np.isfinite(x) if is_number else x >= 0
    x, y, n_missing = x[known], y[known], int((~known).sum())
    if is_number:
        edges, cuts = _number_edges(tree, node, x, bins)
        place = np.clip(np.searchsorted(edges, x, side="left") - 1, 0, len(edges) - 2)
        heights, means = _stacked(tree, place, y, len(edges) - 1)
        return Bars(edges, heights, means, cuts, [], n_missing)
    codes, cuts, n_other = _category_order(tree, node, split, x, most)
    at = {code: k for k, code in enumerate(codes)}
    place = np.array([at.get(int(code), -1) for code in x], dtype=np.int64)
    heights, means = _stacked(tree, place[place >= 0], y[place >= 0], len(codes))
    labels = tree.schema.features[split.column].labels
    edges = np.arange(len(codes) + 1, dtype=np.float64) - 0.5
    return Bars(
        edges, heights, means, cuts, [labels[c] for c in codes], n_missing, n_other
    )


def _number_edges(
    tree: TreeData, node: int, x: NDArray[np.float64], bins: int
) -> tuple[NDArray[np.float64], list[float]]:
    """Return borders of bars; the cut is one of them, so no bar has two colours."""
    cuts = []
    if int(tree.split_kind[node]) == THRESHOLD:
        cuts = [float(tree.threshold[node])]
    seen = np.concatenate([x, cuts]) if len(x) or cuts else np.array([0.0, 1.0])
    low, high = float(seen.min()), float(seen.max())
    high = high if high > low else low + 1.0
    edges = np.linspace(low, high, bins + 1)
    if cuts and low < cuts[0] < high:
        inner = np.argmin(np.abs(edges[1:-1] - cuts[0])) + 1
        edges[inner] = cuts[0]
    return edges, cuts


def _category_order(
    tree: TreeData, node: int, split: Split, x: NDArray[np.float64], most: int
) -> tuple[list[int], list[float], int]:
    """Return the most frequent categories branch by branch, and where branches meet."""
    counts = np.bincount(x.astype(np.int64)) if len(x) else np.zeros(1, np.int64)
    seen = np.flatnonzero(counts).tolist()
    kept = sorted(seen, key=lambda code: (-counts[code], code))[:most]
    if int(tree.split_kind[node]) == THRESHOLD:
        kept = sorted(kept)
        first = sum(code <= tree.threshold[node] for code in kept)
        return kept, [first - 0.5], len(seen) - len(kept)
    start, end = tree.category_start[node : node + 2].tolist()
    branch = dict(
        zip(
            tree.categories[start:end].tolist(),
            tree.category_branch[start:end].tolist(),
            strict=True,
        )
    )
    kept.sort(key=lambda code: (branch.get(code, split.n_branches), -counts[code]))
    sides = [branch.get(code, split.n_branches) for code in kept]
    cuts = [k - 0.5 for k in range(1, len(sides)) if sides[k] != sides[k - 1]]
    return kept, cuts, len(seen) - len(kept)


def _stacked(
    tree: TreeData, place: NDArray[np.int64], y: NDArray[Any], n: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rows of each bar by class, and the mean target of each bar."""
    if tree.is_classifier:
        k = tree.value.shape[1]
        cell = np.bincount(place * k + y.astype(np.int64), minlength=n * k)
        return cell.reshape(n, k).astype(np.float64), np.full(n, np.nan)
    total = np.bincount(place, minlength=n).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(place, weights=y, minlength=n) / total
    return total[:, None], means


def column_charts(
    tree: TreeData, nodes: Sequence[int], rows: NewRows
) -> dict[int, Chart]:
    """Return the charts of the inner nodes among `nodes`, for their cards.

    Parameters
    ----------
    tree : TreeData
        The tree.
    nodes : sequence of int
        The nodes that a picture shows.
    rows : NewRows
        The rows to draw.

    Returns
    -------
    dict of int to Chart
    """
    inks = own_inks(tree) if tree.is_classifier else []
    scale = Scale(0.0, 1.0) if tree.is_classifier else scale_of(tree, np.array(nodes))
    charts = {}
    for node in nodes:
        if tree.subtree_size[node] > 1:
            bars = column_bars(tree, node, rows)
            charts[node] = _chart(bars, inks, scale)
    return charts


def _chart(bars: Bars, inks: Sequence[str], scale: Scale) -> Chart:
    return Chart(
        lambda x, y, room: _draw(bars, inks, scale, x, y, room), _HEIGHT, _NARROWEST
    )


def _draw(
    bars: Bars, inks: Sequence[str], scale: Scale, x: float, y: float, room: float
) -> Iterator[Mark]:
    low, span = bars.edges[0], bars.edges[-1] - bars.edges[0]
    lefts = x + (bars.edges[:-1] - low) / span * room
    widths = np.diff(bars.edges) / span * room
    tallest = max(float(bars.heights.sum(axis=1).max(initial=0.0)), 1.0)
    for left, width, stack, mean in zip(
        lefts.tolist(), widths.tolist(), bars.heights, bars.means, strict=True
    ):
        top = y + _HEIGHT
        for k, n in enumerate(stack.tolist()):
            if n > 0:
                high = n / tallest * (_HEIGHT - 3)
                top -= high
                ink = inks[k] if inks else _ramp_ink(scale.at(float(mean)))
                yield Box(left, top, max(width - _GAP, 0.75), high, ink)
    yield Box(x, y + _HEIGHT, room, 0.75, "muted")
    for cut in bars.cuts:
        yield Box(x + (cut - low) / span * room - 0.75, y, 1.5, _HEIGHT + 3, "accent")


def _ramp_ink(at: float) -> str:
    return RAMP_INKS[min(int(at * len(RAMP_INKS)), len(RAMP_INKS) - 1)]
