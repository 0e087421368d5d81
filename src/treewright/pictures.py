"""Charts of a tree, alone or on data, each in one call.

Every function takes a `Tree` or a fitted estimator, and returns the matplotlib axes
it has drawn into.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.drawing import charts
from treewright.drawing.labels import class_names
from treewright.drawing.matplotlib import draw_tree
from treewright.drawing.regions import draw_regions, side_of
from treewright.drawing.report.held_out import held_out
from treewright.drawing.report.story import quality_of
from treewright.drawing.size_chart import Curve, draw_sizes
from treewright.drawing.way import way_of
from treewright.errors import OptionError, TableError, nearest_name
from treewright.model import Tree, as_tree
from treewright.pruning.path import find_path
from treewright.pruning.result import Pruning, leaves_words
from treewright.reading.answer import answers
from treewright.reading.permutation import permutation_importance
from treewright.reading.reliability import reliability
from treewright.table.match import MatchedColumns, match
from treewright.table.match_target import match_target
from treewright.table.table import ClassTarget
from treewright.table.target import read_target
from treewright.tree import wording
from treewright.tree.route import columns_used

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "plot_confusion",
    "plot_importance",
    "plot_pruning",
    "plot_regions",
    "plot_reliability",
    "plot_tree",
]


def plot_tree(
    tree: Any,
    ax: Axes | None = None,
    *,
    row: Any = None,
    max_depth: int | None = None,
    max_leaves: int | None = 60,
    theme: str = "light",
    direction: str | None = None,
) -> Axes:
    """Draw a tree with matplotlib: the picture of `Tree.to_svg`.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The tree.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure in which the letters have a good size by default.
    row : mapping, series, list, array or table of one row, optional
        A row whose way is highlighted.
    max_depth, max_leaves : int or None
        Deepest level and most leaves to draw.
    theme : {'light', 'dark'}, default='light'
        Colours.
    direction : {'down', 'right'} or None, default=None
        Where the tree grows; None: down while that is not too wide.

    Returns
    -------
    matplotlib.axes.Axes
    """
    data = as_tree(tree).data
    return draw_tree(
        data,
        ax,
        way=None if row is None else way_of(data, row),
        max_depth=max_depth,
        max_leaves=max_leaves,
        theme=theme,
        direction=direction,
    )


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
    """Draw how much each column matters.

    Without data: its share of the fall of impurity in growing. With rows that were
    not used for growing: how far the score falls when the column's values are
    shuffled; dots are single shuffles, the bar is their mean.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The tree.
    X, y : table and target, optional
        Held-out rows.
    repeats : int, default=10
        Shuffles of each column.
    random_state : int, default=0
        Of the shuffles.
    max_columns : int, default=20
        Most columns to draw, the most important ones.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    tree = as_tree(tree)
    if (X is None) != (y is None):
        raise OptionError("Importance on held-out rows needs both X and y.")
    _at_least_one("repeats", repeats)
    _at_least_one("max_columns", max_columns)
    if X is None:
        values, words = tree.importances, "share of the fall of impurity"
    else:
        values, words = _permuted(tree, X, y, repeats, random_state)
    middle = values.mean(axis=1) if values.ndim == 2 else values
    kept = np.argsort(-middle, kind="stable")
    kept = kept[np.isin(kept, columns_used(tree.data))][:max_columns]
    if not len(kept):
        kept = np.arange(min(len(middle), max_columns))
    more = len(middle) - len(kept)
    if more:
        words += f"; {more} other {'column' if more == 1 else 'columns'} not drawn"
    names = [wording.name(tree.schema.names[i]) for i in kept.tolist()]
    return charts.draw_importance(names, values[kept], ("Importance", words), ax)


def _permuted(
    tree: Tree, X: Any, y: Any, repeats: int, seed: int
) -> tuple[NDArray[np.float64], str]:
    data = tree.data
    columns = match(tree.schema, X, columns_used(data).tolist())
    if data.is_classifier:
        codes = _class_codes(tree, y, columns.n_rows)
        fallen = permutation_importance(
            data,
            columns,
            lambda nodes: float(np.mean(data.label[nodes] == codes)),
            repeats,
            seed,
        )
        return fallen, f"fall of accuracy on {columns.n_rows:,} rows when shuffled"
    target = read_target(y, columns.n_rows, "number")
    values = np.asarray(target.values, dtype=np.float64)  # type: ignore[union-attr]
    spread = float(values.var()) or 1.0

    def r_squared(nodes: NDArray[np.int32]) -> float:
        return 1.0 - float(np.mean((answers(data, nodes) - values) ** 2)) / spread

    fallen = permutation_importance(data, columns, r_squared, repeats, seed)
    return fallen, f"fall of R² on {columns.n_rows:,} rows when shuffled"


def plot_confusion(tree: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw how often each class was answered for each true class.

    Parameters
    ----------
    tree : Tree or fitted estimator
        A tree that answers classes.
    X, y : table and target
        The rows, best held out from growing.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    tree = _with_classes(as_tree(tree), "A confusion matrix")
    names = class_names(tree.data)
    ended = tree.apply(X)
    codes = _class_codes(tree, y, len(ended))
    truth = [*names, "(a new class)"] if (codes < 0).any() else names
    counts = np.zeros((len(truth), len(names)), dtype=np.int64)
    np.add.at(counts, (codes, tree.data.label[ended]), 1)
    return charts.draw_confusion(counts, truth, names, ax)


def plot_reliability(
    tree: Any,
    X: Any,
    y: Any,
    *,
    label: Any = None,
    groups: int = 10,
    ax: Axes | None = None,
) -> Axes:
    """Draw whether the shares that leaves promise come true.

    Rows are grouped by the share that the tree promises them, rows of one leaf
    together. Lines are intervals of 95%.

    Parameters
    ----------
    tree : Tree or fitted estimator
        A tree that answers classes.
    X, y : table and target
        The rows, best held out from growing.
    label : class, optional
        The class whose share is meant. None: with two classes the second, with more
        the one that the tree answers.
    groups : int, default=10
        Most groups.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    tree = _with_classes(as_tree(tree), "Reliability")
    _at_least_one("groups", groups)
    shares = tree.predict_proba(X)
    codes = _class_codes(tree, y, len(shares))
    if not len(codes):
        raise TableError("Reliability needs at least one row; X has none.")
    if label is None and shares.shape[1] != 2:
        answered = shares.argmax(axis=1)
        promised, came_true = shares.max(axis=1), codes == answered
        of = "the class that is answered"
    else:
        k = 1 if label is None else _class_of(tree, label)
        promised, came_true = shares[:, k], codes == k
        of = class_names(tree.data)[k]
    found = reliability(promised, came_true, groups)
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
        The columns along x and y. Needed unless the tree looks at just two.
    at : mapping of str to value, optional
        Values at which other columns are held. By default numbers are held at their
        median and categories at the first one; the chart says so.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    tree = as_tree(tree)
    data = tree.data
    if (X is None) != (y is None):
        raise OptionError("Points need both X and y.")
    x_column, y_column = _two_columns(tree, columns)
    used = columns_used(data).tolist()
    points = target = None
    if X is not None:
        points = match(tree.schema, X, sorted({*used, x_column, y_column}))
        target = _target_of(tree, y, points)
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
    """Draw error against the size of the tree, with the size that was taken.

    A fitted estimator shows the trees that it has tried: their error on the training
    rows, and in cross-validation (the band is one standard error either way, the
    dotted line the least error and one standard error) or on the validation rows. A
    tree shows its own pruning path.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The tree.
    X, y : table and target, optional
        Held-out rows: adds their error at every size that the tree can be cut to.
    against : {'leaves', 'alpha'}, default='leaves'
        What the horizontal axis shows.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    found = as_tree(tree)
    if (X is None) != (y is None):
        raise OptionError("Error on held-out rows needs both X and y.")
    if against not in ("leaves", "alpha"):
        raise OptionError(f"against must be 'leaves' or 'alpha'; got {against!r}.")
    pruning = getattr(tree, "pruning_", None) if tree is not found else None
    data = found.data
    path = find_path(data)
    curves = []
    if isinstance(pruning, Pruning) and len(pruning.n_leaves):
        at = pruning.n_leaves if against == "leaves" else pruning.alpha
        curves, words = _tried(pruning, at.astype(np.float64)), pruning.words
    else:
        at = path.n_leaves if against == "leaves" else path.alpha
        curves = [Curve("training", at.astype(np.float64), path.risk)]
        words = f"{leaves_words(data.n_leaves)}, as grown"
    if X is not None:
        columns = match(found.schema, X, columns_used(data).tolist())
        target = match_target(found.schema, y, columns.n_rows)
        test = held_out(data, path, columns, target, None)
        at = path.n_leaves if against == "leaves" else path.alpha
        curves.append(Curve("test", at.astype(np.float64), test.path_error))
    taken = float(data.n_leaves) if against == "leaves" else None
    if taken is None and isinstance(pruning, Pruning) and pruning.chosen >= 0:
        taken = float(pruning.alpha[pruning.chosen])
    quality = quality_of(data)
    axis = "mean squared error" if quality.unit == "root" else quality.axis
    return draw_sizes(
        curves, taken, ("Size of the tree", words, axis), against=against, ax=ax
    )


def _tried(pruning: Pruning, at: NDArray[np.float64]) -> list[Curve]:
    """Return the curves of an estimator's table."""
    curves = [Curve("training", at, pruning.error)]
    if len(pruning.cv_error):
        limit = None
        if pruning.best >= 0:
            limit = float(pruning.cv_error[pruning.best] + pruning.cv_std[pruning.best])
        cv = Curve("cross-validated", at, pruning.cv_error, pruning.cv_std, limit)
        curves.append(cv)
    if len(pruning.validation_error):
        curves.append(Curve("validation", at, pruning.validation_error))
    return curves


# -- reading what is given -------------------------------------------------------------


def _two_columns(tree: Tree, columns: Sequence[str] | None) -> tuple[int, int]:
    names = tree.columns_used if columns is None else columns
    if isinstance(names, str) or len(names) != 2 or names[0] == names[1]:
        have = ", ".join(wording.cut(wording.name(n), 40) for n in tree.columns_used)
        raise OptionError(
            "Regions are drawn over two columns; name them, as in columns=('a', 'b'). "
            f"The tree looks at {len(tree.columns_used)}: {have or 'none'}."
        )
    return _column_of(tree, names[0]), _column_of(tree, names[1])


def _column_of(tree: Tree, name: str) -> int:
    column = tree.schema.index_of.get(name)
    if column is None:
        near = nearest_name(str(name), tree.schema.names)
        hint = f" Did you mean {near!r}?" if near else ""
        raise OptionError(f"The tree has no column {name!r}.{hint}")
    return column


def _held(tree: Tree, columns: list[int], at: Mapping[str, Any]) -> dict[int, Any]:
    """Return a value for every column that is neither x nor y."""
    given = {_column_of(tree, name): value for name, value in at.items()}
    held: dict[int, Any] = {}
    for column in columns:
        feature = tree.schema.features[column]
        if column in given:
            one = {feature.name: [given[column]]}
            array = match(tree.schema, one, [column])[column]
            assert array is not None
            held[column] = array[0]
        elif feature.kind != "numeric":
            held[column] = 0
        else:
            known = feature.summary is not None and feature.summary.median is not None
            held[column] = feature.summary.median if known else np.nan  # type: ignore[union-attr]
    return held


def _target_of(tree: Tree, y: Any, points: MatchedColumns) -> NDArray[Any]:
    if tree.data.is_classifier:
        return _class_codes(tree, y, points.n_rows)
    target = read_target(y, points.n_rows, "number")
    return np.asarray(target.values)  # type: ignore[union-attr]


def _class_codes(tree: Tree, y: Any, n_rows: int) -> NDArray[np.int64]:
    """Return the number of each row's class; -1 for one the tree does not know."""
    target = read_target(y, n_rows, "class")
    assert isinstance(target, ClassTarget)
    known = {label: k for k, label in enumerate(tree.classes.tolist())}
    mine = [known.get(label, -1) for label in target.classes.tolist()]
    if mine and max(mine) < 0:
        seen, have = target.classes.tolist()[:3], tree.classes.tolist()[:3]
        raise TableError(
            f"No class of y is one of the tree's: y has {seen!r:.80}, the tree "
            f"{have!r:.80}. Pass y as it was for growing."
        )
    return np.array([*mine, -1], dtype=np.int64)[target.codes]


def _class_of(tree: Tree, label: Any) -> int:
    found = [k for k, each in enumerate(tree.classes.tolist()) if each == label]
    if not found:
        have = ", ".join(repr(each) for each in tree.classes.tolist()[:10])
        raise OptionError(f"label must be a class of the tree; got {label!r}: {have}.")
    return found[0]


def _with_classes(tree: Tree, what: str) -> Tree:
    if not tree.data.is_classifier:
        raise OptionError(f"{what} needs a tree that answers classes, not numbers.")
    return tree


def _at_least_one(name: str, value: object) -> None:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or int(value) < 1:  # type: ignore[call-overload]
        raise OptionError(f"{name} must be a whole number >= 1; got {value!r}.")
