"""Charts of a tree, alone or on data, each in one call.

Every function takes a `Tree` or a fitted estimator, and returns the matplotlib axes
of the chart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.drawing import charts
from treewright.drawing.highlight import row_path
from treewright.drawing.labels import class_names
from treewright.drawing.matplotlib import draw_tree
from treewright.drawing.node_columns import column_charts
from treewright.drawing.regions import draw_regions, side_of
from treewright.drawing.report.story import Quality, quality_of
from treewright.drawing.size_chart import Curve, draw_sizes
from treewright.drawing.split_chart import draw_split
from treewright.drawing.visible_nodes import visible_nodes
from treewright.errors import OptionError
from treewright.model import Tree, as_tree
from treewright.pruning.path import find_path
from treewright.pruning.result import Pruning
from treewright.pruning.words import leaves_words
from treewright.reading.answers.answer import class_probabilities
from treewright.reading.answers.evaluation import errors_of_path, evaluate_rows
from treewright.reading.answers.permutation import permutation_importance
from treewright.reading.answers.reliability import reliability
from treewright.reading.conditions.evidence import class_of, column_of
from treewright.table.match import match
from treewright.table.table import Table
from treewright.tree import wording
from treewright.tree.loss import loss_of
from treewright.tree.new_rows import NewRows
from treewright.tree.route import columns_used

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "plot_confusion",
    "plot_importance",
    "plot_pruning",
    "plot_regions",
    "plot_reliability",
    "plot_split",
    "plot_tree",
]


def plot_tree(
    tree: Any,
    ax: Axes | None = None,
    *,
    X: Any = None,
    y: Any = None,
    row: Any = None,
    max_depth: int | None = None,
    max_leaves: int | None = 60,
    theme: str = "auto",
    direction: str | None = None,
    show: Iterable[str] | None = None,
    digits: int | None = None,
    node_numbers: bool = False,
    align_leaves: bool = False,
    title: str | None = None,
    palette: str = "colour",
) -> Axes:
    """Draw a tree with matplotlib: the picture of `Tree.to_svg`.

    Fonts and their size are those of rcParams. In a small axes no letter is smaller
    than 6 points: nodes drop the numbers of rows, then the shares, then the tree is
    folded; a line below the tree says so. `Tree.save_picture` writes a PDF with
    Type 42 fonts; for a figure of your own set ``rcParams["pdf.fonttype"] = 42``.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The tree.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure with readable text.
    X, y : table and target, optional
        Rows, such as those the tree was grown on: each node then shows the
        distribution of its column among them, with the cut.
    row : mapping, series, list, array or table of one row, optional
        A row whose path is highlighted.
    max_depth, max_leaves : int or None
        Deepest level, and maximum number of leaves, to draw.
    theme : {'auto', 'light', 'dark'}, default='auto'
        Colours; 'auto' follows the background of the figure.
    direction : {'down', 'right'} or None, default=None
        Where the tree grows; None: where it is easier to read.
    show, digits, node_numbers, align_leaves, title, palette
        As for `Tree.to_svg`.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
    >>> tree = tw.grow(tw.as_table(X, y))
    >>> ax = tw.plot_tree(tree, title="When to sail")
    >>> ax.figure.savefig("tree.png")  # doctest: +SKIP
    """
    data = as_tree(tree).data
    _check_both("Distributions of columns need", X, y)
    path = None if row is None else row_path(data, row)
    charts = None
    if X is not None:
        nodes = visible_nodes(
            data, max_depth, max_leaves, tuple(path or ())
        ).nodes.tolist()
        charts = column_charts(data, nodes, NewRows.read(data, X, y))
    return draw_tree(
        data,
        ax,
        path=path,
        max_depth=max_depth,
        max_leaves=max_leaves,
        theme=theme,
        direction=direction,
        charts=charts,
        show=show,
        digits=digits,
        node_numbers=node_numbers,
        align_leaves=align_leaves,
        title=title,
        palette=palette,
    )


def plot_split(
    tree: Any,
    node: int,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw one split large: its rows by class, the cut, and the gain of every cut.

    Classes are a histogram of the column; numbers are points, with the mean on both
    sides of the cut. The line shows the gain of every threshold that could have been
    taken. Categories are bars, branch by branch. Bars, points and the middle half count
    rows; means are weighted.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The tree.
    node : int
        Number of an inner node, as in ``tree.text(numbers=True)``.
    X, y, sample_weight
        The rows that the tree was grown on.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
    >>> tree = tw.grow(tw.as_table(X, y))
    >>> ax = tw.plot_split(tree, 0, X, y)
    >>> ax.get_xlabel()
    'wind'
    """
    found = as_tree(tree)
    split = found.split(node)
    if split is None:
        raise OptionError(f"Node {node} is a leaf; a split is drawn at an inner node.")
    why = found.why(node, X, y, sample_weight, split.feature)
    rows = NewRows.read(found.data, X, y, sample_weight)
    return draw_split(found.data, int(node), rows, why, ax)


def plot_importance(
    tree: Any,
    X: Any = None,
    y: Any = None,
    *,
    repeats: int = 10,
    random_state: int = 0,
    max_columns: int = 20,
    ax: Axes | None = None,
) -> Axes:
    """Draw the importance of each column.

    Without data: its share of the decrease of impurity in growing. With rows that were
    not used for growing: how much the error (see `Tree.evaluate`) rises when the
    values of the column are shuffled; dots are single shuffles, the bar is their mean.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The tree.
    X, y : table and target, optional
        Held-out rows; of a Table with a target, only X.
    repeats : int, default=10
        Number of shuffles per column.
    random_state : int, default=0
        Seed of the shuffles.
    max_columns : int, default=20
        Maximum number of columns to draw; the most important ones are drawn.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
    >>> tree = tw.grow(tw.as_table(X, y))
    >>> ax = tw.plot_importance(tree)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['wind']
    """
    tree = as_tree(tree)
    _check_both("Importance on held-out rows needs", X, y)
    _at_least_one("repeats", repeats)
    _at_least_one("max_columns", max_columns)
    if X is None:
        values, words = tree.importances, "share of the decrease of impurity"
    else:
        values, words = _permuted(tree, X, y, repeats, random_state)
    middle = values.mean(axis=1) if values.ndim == 2 else values
    kept = np.argsort(-middle, kind="stable")
    kept = kept[np.isin(kept, columns_used(tree.data))][:max_columns]
    more = len(middle) - len(kept)
    if not len(kept):
        words = "The tree has no split, so no column has any."
    elif more:
        words += f"; {more} other {'column' if more == 1 else 'columns'} not drawn"
    names = [wording.name(tree.schema.names[i]) for i in kept.tolist()]
    return charts.draw_importance(names, values[kept], ("Importance", words), ax)


def _permuted(
    tree: Tree, X: Any, y: Any, repeats: int, seed: int
) -> tuple[NDArray[np.float64], str]:
    rows, loss = NewRows.read(tree.data, X, y), loss_of(tree.data)
    rise = permutation_importance(tree.data, rows, repeats, seed)
    name = "RMSE" if loss.unit == "root" else loss.name
    words = f"rise of {name}{loss.unit_text} on {rows.n_rows:,} rows"
    return rise, f"{words} when shuffled"


def plot_confusion(tree: Any, X: Any, y: Any = None, *, ax: Axes | None = None) -> Axes:
    """Draw a confusion matrix: true classes by answers.

    Parameters
    ----------
    tree : Tree or fitted estimator
        A tree that answers classes. With priors, rows are weighted so that the class
        shares equal the priors.
    X, y : table and target
        The rows, preferably held out from growing; of a Table with a target, only X.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
    >>> tree = tw.grow(tw.as_table(X, y))
    >>> ax = tw.plot_confusion(tree, X, y)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['no', 'yes']
    """
    tree = _with_classes(as_tree(tree), "A confusion matrix")
    confusion = evaluate_rows(tree.data, NewRows.read(tree.data, X, y)).confusion
    assert confusion is not None
    return charts.draw_confusion(confusion, class_names(tree.data), ax)


def plot_reliability(
    tree: Any,
    X: Any,
    y: Any = None,
    *,
    label: Any = None,
    groups: int = 10,
    ax: Axes | None = None,
) -> Axes:
    """Draw observed against predicted class shares.

    Rows are grouped by their predicted share; rows of one leaf stay together. Lines
    are 95% intervals.

    Parameters
    ----------
    tree : Tree or fitted estimator
        A tree that answers classes.
    X, y : table and target
        The rows, preferably held out from growing; of a Table with a target, only X.
    label : class, optional
        The class whose share is drawn. None: the second of two classes; with more
        classes, the one that the tree answers.
    groups : int, default=10
        Maximum number of groups.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
    >>> tree = tw.grow(tw.as_table(X, y))
    >>> ax = tw.plot_reliability(tree, X, y)
    >>> ax.get_xlabel()
    'predicted share'
    """
    tree = _with_classes(as_tree(tree), "Reliability")
    _at_least_one("groups", groups)
    rows = NewRows.read(tree.data, X, y)
    codes, shares = rows.y, class_probabilities(tree.data, rows.ends(tree.data))
    if label is None and shares.shape[1] != 2:
        answered = shares.argmax(axis=1)
        promised, came_true = shares.max(axis=1), codes == answered
        of = "the class that is answered"
    else:
        k = 1 if label is None else class_of(tree.data, label)
        promised, came_true = shares[:, k], codes == k
        of = class_names(tree.data)[k]
    found = reliability(promised, came_true, groups, rows.own_weights)
    words = f"share of {wording.cut(of, 40)}, {len(codes):,} rows"
    return charts.draw_reliability(found, ("Reliability", words), ax)


def plot_regions(
    tree: Any,
    X: Any = None,
    y: Any = None,
    *,
    columns: Sequence[str] | None = None,
    at: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the answers of a tree over two of its columns; borders are exact.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The tree.
    X, y : table and target, optional
        Rows to draw as points.
    columns : sequence of two str, optional
        The columns along x and y. Needed unless the tree uses exactly two columns.
    at : mapping of str to value, optional
        Values at which other columns are held. By default numbers are held at their
        median and categories at the first one; the chart shows these values.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import treewright as tw
    >>> X = {"wind": [3, 9, 5, 1], "sun": [2, 2, 1, 0]}
    >>> tree = tw.grow(tw.as_table(X, ["no", "no", "no", "yes"]))
    >>> ax = tw.plot_regions(tree, columns=("wind", "sun"))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('wind', 'sun')
    """
    tree = as_tree(tree)
    data = tree.data
    _check_both("Points need", X, y)
    x_column, y_column = _two_columns(tree, columns)
    used = columns_used(data).tolist()
    points = target = None
    if X is not None:
        rows = NewRows.read(data, X, y, needed=sorted({*used, x_column, y_column}))
        points, target = rows.columns, rows.y
    others = _held(tree, [j for j in used if j not in (x_column, y_column)], at or {})
    sides = (
        side_of(data, x_column, None if points is None else points[x_column]),
        side_of(data, y_column, None if points is None else points[y_column]),
    )
    return draw_regions(data, sides, others, points, target, ax)


def plot_pruning(
    tree: Any,
    X: Any = None,
    y: Any = None,
    *,
    against: str = "leaves",
    ax: Axes | None = None,
) -> Axes:
    """Draw the error against the size of the tree, and mark the chosen size.

    For a fitted estimator the chart shows the trees that it tried: their error on the
    training rows, and in cross-validation (the band is plus or minus one standard
    error, the dotted line the least error plus one standard error) or on the
    validation rows. Where the size of a tree of classes was chosen by errors + 0.2 x
    log-loss, or by the log-loss, this score is drawn too, with the band and the line.
    For a tree it shows the pruning path.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The tree.
    X, y : table and target, optional
        Held-out rows, whose error is drawn for every step of the pruning path.
    against : {'leaves', 'alpha'}, default='leaves'
        What the horizontal axis shows.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
    >>> tree = tw.grow(tw.as_table(X, y))
    >>> ax = tw.plot_pruning(tree)
    >>> ax.get_xlabel()
    'leaves'
    """
    found = as_tree(tree)
    _check_both("Error on held-out rows needs", X, y)
    if against not in ("leaves", "alpha"):
        raise OptionError(f"against must be 'leaves' or 'alpha'; got {against!r}.")
    pruning = getattr(tree, "pruning_", None) if tree is not found else None
    data = found.data
    quality = quality_of(data)
    path = find_path(data)
    curves = []
    if isinstance(pruning, Pruning) and len(pruning.n_leaves):
        at = pruning.n_leaves if against == "leaves" else pruning.alpha
        curves = _tried(pruning, at.astype(np.float64), quality)
        words = "\n".join([pruning.words, *_settings(pruning)])
        if pruning.score_name:
            words += f"; score: {pruning.score_name}"
    else:
        at = path.n_leaves if against == "leaves" else path.alpha
        curves = [Curve("training", at.astype(np.float64), quality.shown(path.risk))]
        words = f"{leaves_words(data.n_leaves)}, as grown"
    if X is not None:
        errors = errors_of_path(data, path, NewRows.read(data, X, y))
        at = path.n_leaves if against == "leaves" else path.alpha
        curves.append(Curve("test", at.astype(np.float64), quality.shown(errors)))
    taken = float(data.n_leaves) if against == "leaves" else None
    if taken is None and isinstance(pruning, Pruning) and pruning.chosen >= 0:
        taken = float(pruning.alpha[pruning.chosen])
    return draw_sizes(
        curves, taken, ("Size of the tree", words, quality.axis), against=against, ax=ax
    )


def _settings(pruning: Pruning) -> list[str]:
    """Return how strongly answers are drawn, and what 1-SE would have taken."""
    parts = []
    if pruning.shrinkage:
        parts.append(f"answers drawn as by {pruning.shrinkage:g} rows")
    if pruning.one_se >= 0:
        leaves = leaves_words(int(pruning.n_leaves[pruning.one_se]))
        parts.append(f"1-SE would have taken {leaves}")
    return ["; ".join(parts)] if parts else []


def _tried(pruning: Pruning, at: NDArray[np.float64], quality: Quality) -> list[Curve]:
    """Return the curves of the sizes that an estimator tried."""
    shown = quality.shown
    curves = [Curve("training", at, shown(pruning.error))]
    if len(pruning.cv_error):
        name, score, std = "cross-validated", pruning.cv_error, pruning.cv_std
        if len(pruning.score):
            name, score, std = "score", pruning.score, pruning.score_std
            curves.append(Curve("cross-validated error", at, shown(pruning.cv_error)))
        limit = None
        if pruning.best >= 0:
            limit = float(shown(score[pruning.best] + std[pruning.best]))
        band = shown(score - std), shown(score + std)
        curves.append(Curve(name, at, shown(score), band, limit))
    if len(pruning.validation_error):
        curves.append(Curve("validation", at, shown(pruning.validation_error)))
    return curves


# -- reading arguments -----------------------------------------------------------------


def _two_columns(tree: Tree, columns: Sequence[str] | None) -> tuple[int, int]:
    names = tree.columns_used if columns is None else columns
    if isinstance(names, str) or len(names) != 2 or names[0] == names[1]:
        have = ", ".join(wording.cut(wording.name(n), 40) for n in tree.columns_used)
        raise OptionError(
            "Regions are drawn over two columns; name them, as in columns=('a', 'b'). "
            f"The tree uses {len(tree.columns_used)}: {have or 'none'}."
        )
    return column_of(tree.data, names[0]), column_of(tree.data, names[1])


def _held(tree: Tree, columns: list[int], at: Mapping[str, Any]) -> dict[int, Any]:
    """Return a value for every column that is neither x nor y."""
    chosen = {column_of(tree.data, name): value for name, value in at.items()}
    held: dict[int, Any] = {}
    for column in columns:
        feature = tree.schema.features[column]
        if column in chosen:
            one = {feature.name: [chosen[column]]}
            array = match(tree.schema, one, [column])[column]
            assert array is not None
            held[column] = array[0]
        elif feature.kind != "numeric":
            held[column] = 0
        else:
            known = feature.summary is not None and feature.summary.median is not None
            held[column] = feature.summary.median if known else np.nan  # type: ignore[union-attr]
    return held


def _with_classes(tree: Tree, what: str) -> Tree:
    if not tree.data.is_classifier:
        raise OptionError(f"{what} needs a tree that answers classes, not numbers.")
    return tree


def _check_both(what: str, X: Any, y: Any) -> None:
    """Refuse rows without a target; a Table may have its own."""
    has_target = isinstance(X, Table) and X.target is not None
    if (X is None) != (y is None) and not has_target:
        raise OptionError(f"{what} both X and y.")


def _at_least_one(name: str, value: object) -> None:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or int(value) < 1:  # type: ignore[call-overload]
        raise OptionError(f"{name} must be a whole number >= 1; got {value!r}.")
