import sys
import warnings
from itertools import combinations, pairwise

import numpy as np
import pytest

import treewright as tw
from support.gallery import GALLERY
from support.looks import HOSTILE, hitters, hostile_tree, penguins, table
from treewright.drawing.node_columns import column_bars, column_charts
from treewright.drawing.palette import DARK, PATTERNS, RAMP_INKS
from treewright.drawing.size_chart import Curve, draw_sizes
from treewright.errors import OptionError, TableError, TreewrightError
from treewright.reading.answers.reliability import reliability, wilson
from treewright.tree.new_rows import NewRows

matplotlib = pytest.importorskip("matplotlib", reason="NOT TESTED: needs matplotlib")
matplotlib.use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="module")
def birds():
    columns = table("penguins.csv")
    return columns, columns["species"]


def drawn(ax):
    """Draw for real, so that anything that fails does it here."""
    ax.figure.canvas.draw()
    return [text.get_text() for text in ax.findobj(matplotlib.text.Text)]


# -- the tree --------------------------------------------------------------------------


def test_the_tree_has_the_words_of_the_svg():
    said = drawn(tw.plot_tree(penguins()))
    for words in ("flipper_length_mm", "≤ 206.5 or missing", "Gentoo", "344 rows"):
        assert words in said


def test_the_tree_goes_into_a_given_axes():
    _, (left, right) = pyplot.subplots(1, 2, figsize=(12, 5))
    assert tw.plot_tree(penguins(), ax=left, theme="dark") is left
    assert tw.plot_tree(hitters(), ax=right, max_depth=1) is right
    drawn(left)
    with pytest.raises(OptionError, match="theme must be 'auto', 'light' or 'dark'"):
        tw.plot_tree(penguins(), theme="night")


def test_estimators_are_taken_too(birds):
    X, y = birds
    model = tw.TreeClassifier(max_depth=2).fit({"f": X["flipper_length_mm"]}, y)
    assert "species" not in drawn(tw.plot_tree(model))
    with pytest.raises(OptionError, match="no tree yet; call fit first"):
        tw.plot_tree(tw.TreeClassifier())
    with pytest.raises(OptionError, match="got int"):
        tw.plot_confusion(3, X, y)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.filterwarnings("ignore:Glyph")
def test_hostile_names_are_drawn_as_text(name):
    tree = hostile_tree(name)
    said = drawn(tw.plot_tree(tree))
    assert max(map(len, said)) < 300
    X = {name: [name, "plain", "third"], name + "!": [0.0, 1.0, 0.0]}
    drawn(tw.plot_confusion(tree, X, [name, "plain", "plain"]))
    drawn(tw.plot_importance(tree, X, [name, "plain", "plain"]))
    drawn(tw.plot_reliability(tree, X, [name, "plain", "plain"]))
    drawn(tw.plot_regions(tree, X, [name, "plain", "plain"]))


def test_the_importance_of_a_tree_without_a_split_has_no_bars(birds):
    stump = penguins().collapse([0])
    for rows in ((), birds):
        ax = tw.plot_importance(stump, *rows)
        assert not ax.patches
        assert not ax.get_yticklabels()
        texts = [text.get_text() for text in ax.findobj(matplotlib.text.Text)]
        assert "The tree has no split, so no column has any." in texts
        pyplot.close(ax.figure)


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(TreewrightError, match=r"pip install 'treewright\[plot\]'"):
        tw.plot_tree(penguins())


def letters(ax):
    """Return the sizes of the letters of a tree in points, as they are drawn."""
    ax.figure.canvas.draw()
    return [t.get_fontsize() for t in ax.findobj(matplotlib.text.Text) if t.get_text()]


@pytest.mark.parametrize("name", GALLERY)
@pytest.mark.parametrize("inches", [(3.5, 2.6), (3.5, 5.0), (7.0, 4.0)])
@pytest.mark.filterwarnings("ignore:Glyph")
def test_no_letter_is_smaller_than_six_points(name, inches):
    _, ax = pyplot.subplots(figsize=inches, layout="constrained")
    tree = GALLERY[name]()
    tw.plot_tree(tree, ax=ax)
    assert min(letters(ax)) >= 6 - 1e-6
    box = ax.get_window_extent()
    for text in ax.findobj(matplotlib.text.Text):
        if text.get_text():
            extent = text.get_window_extent()
            # Whole pixels make the letters a little wider than the font says.
            assert extent.x0 >= box.x0 - 0.03 * box.width
            assert extent.x1 <= box.x1 + 0.03 * box.width


def test_a_small_tree_says_what_it_leaves_out():
    _, ax = pyplot.subplots(figsize=(3.5, 2.6), layout="constrained")
    said = " ".join(drawn(tw.plot_tree(penguins(), ax=ax)))
    assert "Row counts and shares are left out." in said
    assert "folded node" in said


def test_size_and_colours_are_those_of_the_style():
    with pyplot.style.context({"font.size": 20}):
        large = max(letters(tw.plot_tree(penguins())))
    usual = max(letters(tw.plot_tree(penguins())))
    assert large == pytest.approx(2 * usual, rel=0.01)
    with pyplot.style.context("dark_background"):
        ax = tw.plot_tree(penguins())
        colours = {t.get_color() for t in ax.findobj(matplotlib.text.Text)}
        assert DARK["text"] in colours
        other = tw.plot_importance(penguins())
        assert DARK["muted"] in {
            t.get_color() for t in other.findobj(matplotlib.text.Text)
        }


def test_nodes_show_the_distribution_of_their_column(birds):
    X, y = birds
    tree = penguins()
    rows = NewRows.read(tree.data, X, y)
    bars = column_bars(tree.data, 0, rows)
    assert bars.heights.sum() == 342
    assert bars.n_missing == 2
    assert bars.cuts == [206.5]
    assert 206.5 in bars.edges
    assert np.diff(bars.edges).min() > 0
    left = bars.heights[bars.edges[1:] <= 206.5].sum()
    assert left == sum(v is not None and v <= 206.5 for v in X["flipper_length_mm"])
    island = column_bars(tree.data, 8, rows)
    assert island.names[-1] == "Biscoe"
    assert island.cuts == [1.5]
    drawn(tw.plot_tree(tree, X=X, y=y))
    with pytest.raises(OptionError, match="need both X and y"):
        tw.plot_tree(tree, X=X)


def test_one_split_is_drawn_large_with_the_gain_of_every_cut(birds):
    X, y = birds
    tree = penguins()
    ax = tw.plot_split(tree, 0, X, y)
    said = drawn(ax)
    assert "flipper_length_mm <= 206.5" in said
    assert any("344 rows; gain of the split 0.3297; 2 missing" in each for each in said)
    line = ax.figure.axes[1].lines[0]
    places, gains = line.get_data()
    assert places[np.argmax(gains)] == 206.5
    assert max(gains) == pytest.approx(tree.gain[0])
    drawn(tw.plot_split(tree, 8, X, y))
    with pytest.raises(OptionError, match="Node 3 is a leaf"):
        tw.plot_split(tree, 3, X, y)


def test_print_marks_classes_by_patterns_with_dark_edges():
    ax = tw.plot_tree(penguins(max_depth=1), palette="print", theme="dark")
    ax.figure.canvas.draw()
    fills = {
        (matplotlib.colors.to_hex(each.get_facecolor()), each.get_hatch() or "")
        for each in ax.patches
    }
    assert {(PATTERNS[f"c{k}"][0], PATTERNS[f"c{k}"][2]) for k in range(3)} < fills
    hatched = [each for each in ax.patches if each.get_hatch()]
    assert {matplotlib.colors.to_hex(p.get_edgecolor()) for p in hatched} == {"#000000"}


def ranks_with_a_gap():
    """Ranks of which "b" has no row; only the cut behind "c" is any good."""
    X = {"grade": [name for name in "acde" for _ in range(6)]}
    fitted = tw.TreeClassifier(
        prune=None, max_depth=1, kinds={"grade": list("abcde")}, findings="ignore"
    )
    y = [0] * 12 + [1] * 12
    return fitted.fit(X, y).tree_, X, y


def test_ranks_are_drawn_in_order_and_their_cuts_between_the_bars():
    tree, X, y = ranks_with_a_gap()
    bars = column_bars(tree.data, 0, NewRows.read(tree.data, X, y))
    assert bars.names == ["a", "c", "d", "e"]
    assert bars.cuts == [1.5]
    assert bars.heights.tolist() == [[6, 0], [6, 0], [0, 6], [0, 6]]
    few = column_bars(tree.data, 0, NewRows.read(tree.data, X, y), most=2)
    assert (few.names, few.cuts, few.n_other) == (["a", "c"], [1.5], 2)
    ax = tw.plot_split(tree, 0, X, y)
    ax.figure.canvas.draw()
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["a", "c", "d", "e"]
    places, gains = ax.figure.axes[1].lines[0].get_data()
    assert places.tolist() == [0.5, 1.5, 2.5]
    assert gains[1] == max(gains) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("n", "words"),
    [(21, "1 rarer category not drawn"), (25, "5 rarer categories not drawn")],
)
def test_a_chart_of_many_categories_says_how_many_it_leaves_out(n, words):
    X = {"c": [f"c{k:02}" for k in range(n) for _ in range(k + 2)]}
    y = [name > "c12" for name in X["c"]]
    fitted = tw.TreeClassifier(prune=None, max_depth=1, findings="ignore").fit(X, y)
    ax = tw.plot_split(fitted, 0, X, y)
    ax.figure.canvas.draw()
    shown = {tick.get_text() for tick in ax.get_xticklabels()}
    assert shown == {f"c{k:02}" for k in range(n - 20, n)}
    assert ax.texts[-1].get_text().endswith(words)


def test_bars_of_numbers_are_darker_where_the_target_is_higher():
    X = {"x": [float(k) for k in range(40)]}
    y = [float(k) for k in range(40)]
    tree = tw.TreeRegressor(prune=None, max_depth=1).fit(X, y).tree_.data
    chart = column_charts(tree, [0, 1, 2], NewRows.read(tree, X, y))
    assert list(chart) == [0]  # leaves have no column
    inks = [mark.fill for mark in chart[0].draw(0.0, 0.0, 116.0)]
    bars = [int(ink[1:]) for ink in inks if ink in RAMP_INKS]
    assert bars == sorted(bars)
    assert len(set(bars)) > 4


def test_one_split_of_numbers_is_drawn_as_points():
    columns = table("hitters.csv")
    y = columns.pop("Salary")
    known = [i for i, each in enumerate(y) if each is not None]
    X = {k: [v[i] for i in known] for k, v in columns.items()}
    ax = tw.plot_split(hitters(), 0, X, [y[i] for i in known])
    drawn(ax)
    assert len(ax.collections[0].get_offsets()) == 263


def test_charts_share_a_figure_without_overprinting(birds):
    X, y = birds
    figure, axes = pyplot.subplots(2, 2, figsize=(9, 7), layout="constrained")
    tw.plot_importance(penguins(), X, y, ax=axes[0, 0])
    tw.plot_confusion(penguins(), X, y, ax=axes[0, 1])
    tw.plot_reliability(penguins(), X, y, ax=axes[1, 0])
    columns = ("bill_length_mm", "island")
    tw.plot_regions(penguins(), X, y, columns=columns, ax=axes[1, 1])
    figure.canvas.draw()
    boxes = [ax.get_tightbbox() for ax in axes.flat]
    for i, one in enumerate(boxes):
        for two in boxes[:i]:
            width = min(one.x1, two.x1) - max(one.x0, two.x0)
            height = min(one.y1, two.y1) - max(one.y0, two.y0)
            assert min(width, height) <= 2


def letters_of(ax):
    return [text for text in ax.texts if text.get_text()]


def test_a_tree_is_laid_out_again_when_a_layout_engine_shrinks_its_axes(birds):
    fitted, (X, y) = penguins(), birds
    figure, axes = pyplot.subplots(1, 3, figsize=(12, 4), layout="constrained")
    tw.plot_tree(fitted, ax=axes[0])
    tw.plot_importance(fitted, ax=axes[1])
    tw.plot_confusion(fitted, X, y, ax=axes[2])
    figure.canvas.draw()
    assert min(text.get_fontsize() for text in letters_of(axes[0])) > 5.95
    small = len(letters_of(axes[0]))
    figure.set_size_inches(36, 12)
    figure.canvas.draw()
    assert len(letters_of(axes[0])) > 2 * small
    figure.set_size_inches(12, 4)
    figure.canvas.draw()
    assert len(letters_of(axes[0])) == small


def test_a_tree_goes_with_tight_layout():
    figure, axes = pyplot.subplots(1, 2, figsize=(8, 4))
    tw.plot_tree(penguins(), ax=axes[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.tight_layout()
        figure.canvas.draw()
    assert axes[0].get_window_extent().width > 250


def test_a_category_that_splits_numbers_shows_the_target_of_each():
    X = {"kind": ["a", "b", "c"] * 36}
    middle = {"a": 10.0, "b": 11.0, "c": 50.0}
    y = [middle[kind] + k // 3 % 9 - 4 for k, kind in enumerate(X["kind"])]
    fitted = tw.TreeRegressor(prune=None, max_depth=1).fit(X, y)
    ax = tw.plot_split(fitted, 0, X, y)
    ax.figure.canvas.draw()
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["a", "b", "c"]
    means = [line.get_ydata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert means == pytest.approx([10.0, 11.0, 50.0])
    dashed = [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == "--"]
    assert dashed == pytest.approx([10.5, 50.0])  # the mean of each branch
    said = " ".join(text.get_text() for text in ax.texts)
    assert "the split removes" in said
    assert ax.get_ylabel().startswith("y: middle half")


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_no_word_of_a_chart_leaves_the_figure_or_meets_a_neighbour(birds, style):
    X, y = dict(birds[0]), birds[1]
    del X["species"]
    fitted = tw.TreeClassifier(n_jobs=1).fit(X, y)
    with pyplot.style.context(style):
        figure, axes = pyplot.subplots(2, 3, figsize=(13, 8), layout="constrained")
        tw.plot_importance(fitted, ax=axes[0, 0])
        tw.plot_confusion(fitted, X, y, ax=axes[0, 1])
        tw.plot_reliability(fitted, X, y, ax=axes[0, 2])
        tw.plot_pruning(fitted, ax=axes[1, 0])
        tw.plot_split(fitted, 0, X, y, ax=axes[1, 1])
        tw.plot_tree(fitted, ax=axes[1, 2])
        figure.canvas.draw()
    whole = figure.bbox
    boxes = [ax.get_tightbbox() for ax in axes.ravel()]
    for box in boxes:
        assert box.x0 > whole.x0 - 2
        assert box.x1 < whole.x1 + 2
        assert box.y1 < whole.y1 + 2
    for one, other in combinations(boxes, 2):
        assert not one.shrunk(0.98, 0.98).overlaps(other.shrunk(0.98, 0.98))


def test_errors_of_numbers_are_drawn_in_the_unit_of_the_target():
    X = {"x": [k * 7 % 200 / 2 for k in range(200)]}
    y = [1000.0 * (x > 50) + k % 10 for k, x in enumerate(X["x"])]
    fitted = tw.TreeRegressor().fit(X, y)
    ax = tw.plot_pruning(fitted)
    top = max(max(line.get_ydata()) for line in ax.lines if line.get_marker() == "o")
    assert 490 < top < 520  # the root's RMSE, not its square
    assert "RMSE" in ax.get_ylabel()


def test_rows_outside_the_slice_are_pale(birds):
    X, y = birds
    tree = penguins()
    ax = tw.plot_regions(tree, X, y, columns=("bill_length_mm", "island"))
    strong = sum(
        len(c.get_offsets()) for c in ax.collections[1:] if c.get_alpha() == 1.0
    )
    held = {k: list(v) for k, v in X.items()} | {"flipper_length_mm": [197.0] * 344}
    assert strong == int((tree.apply(held) == tree.apply(X)).sum())


# -- importance ------------------------------------------------------------------------


def test_importance_in_growing():
    tree = penguins()
    ax = tw.plot_importance(tree)
    assert "share of the decrease of impurity; 4 other columns not drawn" in drawn(ax)
    lengths = sorted(bar.get_width() for bar in ax.patches)
    assert lengths == pytest.approx(sorted(tree.importances[tree.importances > 0]))


def test_importance_on_held_out_rows(birds):
    X, y = birds
    tree = penguins()
    ax = tw.plot_importance(tree, X, y, repeats=6)
    assert any(said.startswith("rise of error on 344 rows") for said in drawn(ax))
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert set(names) == set(tree.columns_used)
    lengths = [bar.get_width() for bar in ax.patches]
    assert lengths == sorted(lengths)
    again = tw.plot_importance(tree, X, y, repeats=6)
    assert [bar.get_width() for bar in again.patches] == lengths


def test_a_column_that_decides_alone_loses_all():
    x = np.repeat([0.0, 1.0], 500)
    tree = tw.TreeClassifier(findings="ignore").fit({"x": x}, x.astype(int)).tree_
    ax = tw.plot_importance(tree, {"x": x}, x.astype(int), repeats=4)
    assert ax.patches[0].get_width() == pytest.approx(0.5, abs=0.05)


def test_importance_for_numbers():
    columns = table("hitters.csv")
    y = columns.pop("Salary")
    known = [i for i, each in enumerate(y) if each is not None]
    X = {k: [v[i] for i in known] for k, v in columns.items()}
    ax = tw.plot_importance(hitters(), X, [y[i] for i in known], max_columns=3)
    assert any("rise of RMSE on 263 rows" in said for said in drawn(ax))
    assert max(patch.get_width() for patch in ax.patches) < max(y[i] for i in known)
    assert len(ax.patches) == 3


def test_importance_needs_rows_and_targets(birds):
    with pytest.raises(OptionError, match="both X and y"):
        tw.plot_importance(penguins(), birds[0])
    with pytest.raises(OptionError, match="repeats must be a whole number >= 1; got 0"):
        tw.plot_importance(penguins(), *birds, repeats=0)


def test_a_tree_without_splits():
    tree = tw.TreeClassifier().fit({"x": [1.0, 1.0]}, ["a", "a"]).tree_
    drawn(tw.plot_importance(tree))
    drawn(tw.plot_tree(tree))
    drawn(tw.plot_confusion(tree, {"x": [1.0]}, ["a"]))


# -- confusion -------------------------------------------------------------------------


def test_confusion_counts_every_pair(birds):
    X, y = birds
    tree = penguins()
    said = drawn(tw.plot_confusion(tree, X, y))
    right = int(np.sum(tree.predict(X) == np.array(y)))
    assert f"{right} of 344 rows; percentages are of each true class" in said
    assert "122\n98.4%" in said


def test_confusion_refuses_an_unknown_class(birds):
    X, y = birds
    with pytest.raises(TableError, match="y has the class 'Emperor', which was not"):
        tw.plot_confusion(penguins(), X, ["Emperor", *y[1:]])
    with pytest.raises(OptionError, match="answers classes, not numbers"):
        tw.plot_confusion(hitters(), X, y)


# -- reliability -----------------------------------------------------------------------


def test_reliability_by_hand():
    promised = np.array([0.1] * 10 + [0.1] * 10 + [0.8] * 10)
    true = np.array([False] * 18 + [True] * 2 + [True] * 8 + [False] * 2)
    found = reliability(promised, true, groups=3)
    assert found.promised == pytest.approx([0.1, 0.8])
    assert found.observed == pytest.approx([0.1, 0.8])
    assert found.n_rows.tolist() == [20, 10]


def test_wilsons_interval():
    # 8 of 10: the textbook interval is 0.490 to 0.943.
    low, high = wilson(np.array([0.8]), np.array([10]))
    assert (low[0], high[0]) == pytest.approx((0.490, 0.943), abs=5e-4)


@pytest.mark.parametrize("seed", range(20))
def test_reliability_groups_hold_every_row_and_divide_no_leaf(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 200))
    promised = rng.choice(rng.random(int(rng.integers(1, 30))), n)
    found = reliability(promised, rng.random(n) < promised, int(rng.integers(1, 12)))
    assert found.n_rows.sum() == n
    assert np.all(np.diff(found.promised) > 0)
    assert np.all((found.low <= found.observed) & (found.observed <= found.high))


def test_reliability_chart(birds):
    X, y = birds
    said = drawn(tw.plot_reliability(penguins(max_depth=2), X, y))
    assert "share of the class that is answered, 344 rows" in said
    said = drawn(tw.plot_reliability(penguins(), X, y, label="Adelie"))
    assert "share of Adelie, 344 rows" in said
    with pytest.raises(OptionError, match="no class 'Emperor'; the classes are"):
        tw.plot_reliability(penguins(), X, y, label="Emperor")


# -- regions ---------------------------------------------------------------------------


def painted(ax):
    mesh = ax.collections[0]
    return mesh.get_coordinates(), mesh.get_array()


def test_regions_are_the_answers(birds):
    X, y = birds
    two = {k: X[k] for k in ("bill_length_mm", "flipper_length_mm")}
    tree = tw.TreeClassifier(max_depth=4).fit(two, y).tree_
    ax = tw.plot_regions(tree, X, y)
    drawn(ax)
    corners, labels = painted(ax)
    rng = np.random.default_rng(0)
    xs, ys = corners[0, :, 0], corners[:, 0, 1]
    across = rng.uniform(xs[0], xs[-1], 500)
    up = rng.uniform(ys[0], ys[-1], 500)
    cells = labels[np.searchsorted(ys, up) - 1, np.searchsorted(xs, across) - 1]
    answers = tree.predict({"bill_length_mm": across, "flipper_length_mm": up})
    assert (tree.classes[cells.astype(int)] == answers).all()


def test_regions_of_a_category_hold_other_columns(birds):
    X, y = birds
    tree = penguins()
    ax = tw.plot_regions(tree, X, y, columns=("bill_length_mm", "island"))
    said = " ".join(drawn(ax)).replace("\n", " ")
    assert "slice at flipper_length_mm = 197; rows that these values send" in said
    at = {"flipper_length_mm": 230}
    ax = tw.plot_regions(tree, columns=("bill_length_mm", "island"), at=at)
    assert "slice at flipper_length_mm = 230" in drawn(ax)
    ax = tw.plot_regions(tree, columns=("bill_length_mm", "flipper_length_mm"))
    assert "slice at island = Biscoe" in " ".join(drawn(ax)).replace("\n", " ")


def test_regions_of_numbers():
    columns = table("hitters.csv")
    known = [i for i, each in enumerate(columns["Salary"]) if each is not None]
    two = {k: [columns[k][i] for i in known] for k in ("Years", "Hits")}
    y = [columns["Salary"][i] for i in known]
    tree = tw.TreeRegressor(max_leaf_nodes=8).fit(two, y).tree_
    drawn(tw.plot_regions(tree, two, y))


def test_a_column_that_no_row_has_a_value_of_has_a_side_of_its_own():
    X = {"x": [1.0, 2.0, 3.0, 4.0] * 5, "empty": [None] * 20}
    tree = tw.TreeClassifier(prune=None, findings="ignore").fit(X, [0, 0, 1, 1] * 5)
    ax = tw.plot_regions(tree, columns=("x", "empty"))
    assert ax.get_ylim() == (0.0, 1.0)
    assert ax.get_xlim() == pytest.approx((0.88, 4.12))
    labels = painted(ax)[1]
    assert labels.tolist() == [[0, 1]]


def test_more_steps_than_pixels_are_drawn_as_even_steps():
    x = np.arange(1600.0)
    tree = tw.TreeClassifier(prune=None, findings="ignore").fit(
        {"x": x, "z": x % 3}, x.astype(int) % 2
    )
    corners, labels = painted(tw.plot_regions(tree, columns=("x", "z")))
    edges = corners[0, :, 0]
    assert labels.shape[1] == len(edges) - 1 == 1499
    np.testing.assert_allclose(np.diff(edges), (edges[-1] - edges[0]) / 1499)
    answers = tree.predict({"x": edges[1:], "z": np.zeros(1499)})
    assert labels[0].tolist() == answers.tolist()


def test_regions_need_two_columns():
    with pytest.raises(OptionError, match=r"columns=\('a', 'b'\). The tree uses 3"):
        tw.plot_regions(penguins())
    with pytest.raises(OptionError, match=r"no column 'iland'\. Did you mean 'island'"):
        tw.plot_regions(penguins(), columns=("iland", "bill_length_mm"))
    with pytest.raises(OptionError, match="Points need both"):
        tw.plot_regions(penguins(), {}, columns=("island", "bill_length_mm"))


def test_alphas_of_many_powers_of_ten_have_few_ticks():
    alphas = np.concatenate([[0.0], 10.0 ** np.arange(-20, 10)])
    curve = Curve("training", alphas, np.arange(31.0) * 1e9)
    ax = draw_sizes([curve], None, ("", "", ""), against="alpha")
    ax.figure.canvas.draw()
    ticks = ax.get_xticklabels() + ax.get_xticklabels(minor=True)
    assert 3 <= len(ticks) <= 9
    boxes = [each.get_window_extent() for each in ticks]
    assert all(a.x1 < b.x0 for a, b in pairwise(boxes))
    assert ax.yaxis.get_offset_text().get_text() == ""


def test_an_invalid_ax_is_refused():
    with pytest.raises(OptionError, match=r"ax must be a matplotlib Axes.* got int 3"):
        tw.plot_tree(penguins(), ax=3)
    with pytest.raises(OptionError, match=r"such as ax\[0\]"):
        tw.plot_pruning(penguins(), ax=[1, 2])


# -- axes of dates, weights, missing values --------------------------------------------


def ticks(axis):
    axis.figure.canvas.draw()
    return [label.get_text() for label in axis.get_ticklabels()]


def moments(n=400):
    rng = np.random.default_rng(0)
    start = np.datetime64("2020-01-01T00:00:00")
    when = start + np.arange(n) * np.timedelta64(6, "h")
    lasts = rng.integers(1, 9000, n).astype("m8[s]")
    late = when > np.datetime64("2020-03-05")
    y = np.where(late ^ (lasts > np.timedelta64(1, "h")), "hot", "cold")
    return {"when": when, "lasts": lasts}, y


def test_dates_and_durations_are_written_along_the_axes():
    X, y = moments()
    fitted = tw.TreeClassifier().fit(X, y)
    ax = tw.plot_regions(fitted, X, y, columns=("when", "lasts"))
    assert ticks(ax.xaxis)[:2] == ["2020-01-01", "2020-02-01"]
    assert ticks(ax.yaxis)[1:3] == ["0:30:00", "1:00:00"]
    ax = tw.plot_split(fitted, 0, X, y)
    assert "2020-02-01" in ticks(ax.xaxis)


@pytest.mark.parametrize("days", [0.0001, 0.3, 3, 40, 900, 90_000])
def test_every_span_of_dates_has_a_few_ticks_inside_it(days):
    span = np.timedelta64(int(days * 86_400e6), "us")
    when = np.datetime64("2001-02-03T04:05:06", "us") + span * np.arange(20) // 19
    fitted = tw.TreeClassifier(prune=None).fit({"when": when}, np.arange(20) > 9)
    ax = tw.plot_split(fitted, 0, {"when": when}, np.arange(20) > 9)
    low, high = ax.get_xlim()
    at = ax.get_xticks()
    assert 1 <= len(at) <= 8
    assert all(low <= each <= high for each in at)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.arange(20) > 9, ["False", "True"]),
        (np.arange(9).astype("m8[s]"), ["0:00:00", "0:00:02", "0:00:04", "0:00:06"]),
        (np.arange(8).astype("m8[D]"), ["0:00:00", "2 days, 0:00:00"]),
        # No year before 1 or after 9999 has a name.
        (np.datetime64("0001-01-01") + np.arange(20), ["0001-01-01", "0001-01-05"]),
        (np.datetime64("9999-12-12") + np.arange(20), ["9999-12-13", "9999-12-17"]),
        (np.arange(0, 8000, 400).astype("M8[Y]"), ["2001-01-01", "4001-01-01"]),
    ],
    ids=["bool", "seconds", "days", "first year", "last year", "all years"],
)
def test_ticks_stand_at_round_values_that_exist(values, said):
    y = np.arange(len(values)) >= len(values) // 2
    fitted = tw.TreeClassifier(prune=None, findings="ignore").fit({"v": values}, y)
    ax = tw.plot_split(fitted, 0, {"v": values}, y)
    assert ticks(ax.xaxis)[: len(said)] == said


def test_the_axis_of_dates_after_the_last_year_shows_its_ends():
    values = np.datetime64("12001-01-01T00:00:00") + np.arange(20)
    fitted = tw.TreeClassifier(prune=None).fit({"v": values}, np.arange(20) > 9)
    ax = tw.plot_split(fitted, 0, {"v": values}, np.arange(20) > 9)
    assert ax.get_xticks() == pytest.approx(ax.get_xlim())


def test_a_cut_has_one_gain_though_missing_values_can_go_two_ways():
    X = {"x": [1.0, 2.0, 3.0, 4.0, None, None] * 5}
    y = [0, 0, 1, 1, 1, 0] * 5
    ax = tw.plot_split(tw.TreeClassifier(prune=None).fit(X, y), 0, X, y)
    (other,) = (each for each in ax.figure.axes if each is not ax)
    at = other.lines[0].get_xdata()
    assert list(at) == [1.5, 2.5, 3.5]


def test_the_means_of_a_split_are_weighted():
    X, y = {"x": [1.0, 2.0, 3.0, 4.0]}, [0.0, 8.0, 20.0, 30.0]
    weights = [3.0, 1.0, 1.0, 0.0]
    fitted = tw.TreeRegressor(prune=None, max_depth=1).fit(X, y, weights)
    ax = tw.plot_split(fitted, 0, X, y, weights)
    means = sorted(line.get_ydata()[0] for line in ax.lines if line.get_lw() == 2.5)
    assert means == [2.0, 20.0]
    names = {"x": ["a", "b", "c", "d"]}
    fitted = tw.TreeRegressor(prune=None, max_depth=1).fit(names, y, weights)
    ax = tw.plot_split(fitted, 0, names, y, weights)
    dashed = sorted(line.get_ydata()[0] for line in ax.lines if line.get_ls() == "--")
    assert dashed == [2.0, 20.0]


@pytest.mark.parametrize("dpi", [72, 80, 100, 200])
def test_the_words_of_the_chart_of_sizes_stay_inside_the_figure(dpi, birds):
    X = {name: birds[0][name] for name in ("bill_length_mm", "sex", "year")}
    ax = tw.plot_pruning(tw.TreeClassifier().fit(X, birds[1]))
    ax.figure.set_dpi(dpi)
    ax.figure.canvas.draw()
    right = ax.figure.bbox.x1
    for text in ax.texts:
        assert text.get_window_extent().x1 <= right
