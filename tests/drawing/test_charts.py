import sys
from itertools import pairwise

import numpy as np
import pytest

import treewright as tw
from support.looks import HOSTILE, hitters, hostile_tree, penguins, table
from treewright.drawing.size_chart import Curve, draw_sizes
from treewright.errors import OptionError, TableError, TreewrightError
from treewright.reading.answers.reliability import reliability, wilson

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
    with pytest.raises(OptionError, match="theme must be 'light' or 'dark'"):
        tw.plot_tree(penguins(), theme="auto")


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


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(TreewrightError, match=r"pip install 'treewright\[plot\]'"):
        tw.plot_tree(penguins())


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
    assert any("rise of mean squared error on 263 rows" in said for said in drawn(ax))
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
    assert "with flipper_length_mm = 197" in drawn(ax)
    at = {"flipper_length_mm": 230}
    ax = tw.plot_regions(tree, columns=("bill_length_mm", "island"), at=at)
    assert "with flipper_length_mm = 230" in drawn(ax)


def test_regions_of_numbers():
    columns = table("hitters.csv")
    known = [i for i, each in enumerate(columns["Salary"]) if each is not None]
    two = {k: [columns[k][i] for i in known] for k in ("Years", "Hits")}
    y = [columns["Salary"][i] for i in known]
    tree = tw.TreeRegressor(max_leaf_nodes=8).fit(two, y).tree_
    drawn(tw.plot_regions(tree, two, y))


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
