import io
import re
import sys
from dataclasses import replace

import numpy as np
import pytest

import treewright as tw
from support.build import (
    build,
    categorical,
    chain,
    is_missing,
    leaf,
    multiway,
    random_tree,
    schema_of,
    subset,
    threshold,
)
from support.looks import table
from treewright.drawing.palette import DARK, LIGHT
from treewright.errors import OptionError, TreewrightError
from treewright.model import Tree
from treewright.reading.text.colour import coloured
from treewright.reading.text.text import text
from treewright.reading.text.visible_nodes import shown_nodes
from treewright.table.schema import Feature, Schema, Summary, TargetInfo
from treewright.tree.split import split_of


@pytest.fixture
def iris_like():
    target = TargetInfo("species", "class", ("setosa", "versicolor", "virginica"))
    schema = Schema((Feature("petal length"), Feature("petal width")), target)
    spec = threshold(
        0,
        2.45,
        leaf(*[0] * 50),
        threshold(1, 1.75, leaf(*[1] * 49, *[2] * 5), leaf(1, *[2] * 45)),
    )
    return build(spec, schema)


def test_a_tree_of_classes(iris_like):
    assert text(iris_like).splitlines() == [
        "Tree for species: 5 nodes, 3 leaves (*), depth 2",
        "",
        "                           rows  share  class       probability",
        "all rows                    150   100%  setosa            33.3%",
        "├─ petal length <= 2.45      50  33.3%  setosa             100% *",
        "└─ petal length > 2.45      100  66.7%  versicolor        50.0%",
        "   ├─ petal width <= 1.75    54  36.0%  versicolor        90.7% *",
        "   └─ petal width > 1.75     46  30.7%  virginica         97.8% *",
    ]


def test_a_tree_of_numbers_in_ascii():
    schema = Schema((Feature("age"),), TargetInfo("price", "number"))
    spec = threshold(0, 30.0, leaf(1.5, 2.5), leaf(1200.25, 1300.75))
    assert text(build(spec, schema), ascii=True).splitlines() == [
        "Tree for price: 3 nodes, 2 leaves (*), depth 1",
        "",
        "              rows  share   mean    std",
        "all rows         4   100%  626.2  625.3",
        "|- age <= 30     2  50.0%      2    0.5 *",
        "`- age > 30      2  50.0%  1,250  50.25 *",
    ]


def test_a_single_leaf():
    assert text(build(leaf(0, 0, 1), schema_of("x"))).splitlines() == [
        "Tree for y: 1 node, 1 leaf (*), depth 0",
        "",
        "          rows  share  class  probability",
        "all rows     3   100%  no           66.7% *",
    ]


def test_folding_says_how_much_lies_below(iris_like):
    lines = text(iris_like, max_depth=1).splitlines()
    assert len(lines) == 6
    assert lines[-1].endswith("50.0% + 2 leaves")
    assert lines[-2].endswith("*")
    assert text(iris_like, max_depth=0).endswith("+ 3 leaves")
    assert text(iris_like, max_depth=2) == text(iris_like)


def test_missing_values_are_mentioned_only_if_there_were_any():
    outlook = categorical("outlook", "rainy", "sunny", summary=Summary(n_missing=2))
    schema = schema_of(outlook, "wind")
    low = threshold(1, 3.5, leaf(0), leaf(1))
    spec = subset(0, [[0], [1]], low, is_missing(1, leaf(0), leaf(1)), missing=1)
    lines = text(build(spec, schema)).splitlines()
    told = [line[:30].strip(" │├└─") for line in lines[4:]]
    assert [" ".join(line.split("  ")[0].split()) for line in told] == [
        "outlook = rainy",
        "wind <= 3.5",
        "wind > 3.5",
        "outlook = sunny or missing",
        "wind is missing",
        "wind is known",
    ]


def test_rows_that_stop_are_noted():
    outlook = categorical("outlook", "rainy", "sunny", summary=Summary(n_missing=2))
    spec = multiway(0, [[0], [1]], leaf(0), leaf(1), stopped=[1, 1])
    lines = text(build(spec, schema_of(outlook))).splitlines()
    assert lines[3].endswith("missing stops here")


def test_every_node_has_its_line():
    for seed in range(10):
        tree = random_tree(seed, numbers=seed % 2 == 0)
        assert len(text(tree).splitlines()) == tree.n_nodes + 3
        assert text(tree).count("*") == tree.n_leaves + 1


def test_lines_end_without_blanks_and_hostile_names_do_not_break_them():
    schema = schema_of(
        categorical("a\nb", "x\r", "y" * 1000), classes=("n\n", "p" * 99)
    )
    tree = build(subset(0, [[0], [1]], leaf(0), leaf(1, 1)), schema)
    lines = text(tree).splitlines()
    assert len(lines) == 6
    assert all(line == line.rstrip() and len(line) < 250 for line in lines)
    assert '"a\\nb" = "x\\r"' in lines[4]


def test_a_deep_chain_is_not_indented_for_ever():
    tree = chain(50_000)
    lines = text(tree).splitlines()
    assert len(lines) == tree.n_nodes + 3 + 3
    assert max(map(len, lines)) < 140
    assert "[50000] x > 49999" in lines[-4]
    assert lines[-3] == ""
    assert lines[-1:] == ["text(max_depth=3) shows less."]
    assert "shows less" not in text(tree, max_depth=3)


@pytest.mark.parametrize("max_depth", [-1, 1.5, "2", True])
def test_a_wrong_max_depth_is_refused(max_depth):
    with pytest.raises(OptionError, match=r"max_depth must be a whole number >= 0"):
        text(chain(1), max_depth)


@pytest.mark.parametrize("width", [0, 19, 80.5, "88", None, True])
def test_a_wrong_width_is_refused(width):
    with pytest.raises(OptionError, match="width must be a whole number of columns"):
        text(chain(1), width=width)


def test_numpy_integers_are_depths():
    assert text(chain(3), np.int64(1)) == text(chain(3), 1)


def many_jobs(**more):
    return categorical("job", *(f"occupation {i}" for i in range(12)), **more)


def test_only_the_list_of_categories_is_shortened():
    job = many_jobs(summary=Summary(n_missing=2))
    halves = [[*range(11)], [11]]
    tree = build(subset(0, halves, leaf(0), leaf(1), missing=0), schema_of(job))
    line = text(tree).splitlines()[4]
    assert "job in {occupation 0, " in line
    assert " more} or missing " in line
    assert len(line) <= 88
    assert "occupation 0, occupation 1, occupation 2, " in text(tree, width=140)
    assert "{occ...n 0, ... 10 more} or missing " in text(tree, width=66)
    narrow = text(tree, width=59, cuts_names=True)
    assert "{11 categories} or missing " in narrow


def test_the_numbers_line_up_whatever_the_names_are():
    job = many_jobs()
    wordy = categorical("a column of the name " + "n" * 90, "p" * 80, "q" * 80)
    spec = subset(1, [[0], [1]], leaf(0), leaf(1))
    for depth in range(30):
        spec = subset(0, [[*range(11)], [11]], spec, leaf(depth % 2))
    lines = text(build(spec, schema_of(job, wordy))).splitlines()[2:-2]
    at = lines[0].index("class")
    assert at < 150  # the name of the column, and the rails of 15 levels
    assert {line[at - 2 : at] for line in lines} == {"  "}
    assert {line[at : at + 3].strip() for line in lines[1:]} == {"no", "yes"}


def test_missing_is_not_mentioned_where_it_cannot_arrive():
    wind = Feature("wind", summary=Summary(n_missing=3))
    left = threshold(0, 1.0, leaf(0), leaf(1), missing=1)
    right = threshold(0, 9.0, leaf(0), leaf(1), missing=0)
    spec = threshold(0, 5.0, left, right, missing=1)
    lines = text(build(spec, schema_of(wind))).splitlines()
    assert [line.split("wind ")[1].split("  ")[0] for line in lines[4:]] == [
        "<= 5",
        "<= 1",
        "> 1",
        "> 5 or missing",
        "<= 9 or missing",
        "> 9",
    ]


def test_splits_not_proven_the_best_are_marked_and_the_mark_explained(iris_like):
    assert "~" not in text(iris_like)
    tree = replace(iris_like, proven=np.array([True, True, False, True, True]))
    lines = text(tree).splitlines()
    assert ["~ petal" in line for line in lines[3:8]] == [False] * 3 + [True] * 2
    assert lines[8:] == ["", "~ the split is not proven to be the best of its kind"]
    assert "~" not in text(tree, max_depth=1)


def test_a_share_of_unequal_weights_is_called_so(iris_like):
    assert "  weight share  " not in text(iris_like)
    squares = iris_like.weight_squared * 1.5
    assert "  weight share  " in text(replace(iris_like, weight_squared=squares))


def test_node_numbers_stand_at_the_left(iris_like):
    lines = text(iris_like, numbers=True).splitlines()
    assert [line[:4].strip() for line in lines[2:]] == ["node", *"01234"]
    assert lines[4].startswith("   1  ├─ petal length <= 2.45")


# Folding, printing, colour ----------------------------------------------------------


def test_impure_nodes_with_many_rows_are_opened_first(iris_like):
    lines = text(iris_like, max_leaves=2).splitlines()
    assert [line[:24].strip() for line in lines[3:]] == [
        "all rows",
        "├─ petal length <= 2.45",
        "└─ petal length > 2.45",
        "",
        "2 leaves folded; text()",
    ]
    assert lines[5].endswith("+ 2 leaves")
    assert text(iris_like, max_leaves=3) == text(iris_like)
    assert text(iris_like, max_leaves=1).splitlines()[3].endswith("+ 3 leaves")


def test_the_heaviest_of_many_branches_are_shown():
    names = [f"c{i}" for i in range(300)]
    leaves = [leaf(*[i % 2] * (1 + (i == 7) * 5 + (i == 250) * 3)) for i in range(300)]
    tree = build(
        multiway(0, [[i] for i in range(300)], *leaves),
        schema_of(categorical("c", *names)),
    )
    lines = text(tree, max_leaves=5).splitlines()
    assert lines[3].endswith("+ 296 lighter branches")
    assert [line.split("  ")[0] for line in lines[4:8]] == [
        "├─ c = c0",
        "├─ c = c1",
        "├─ c = c7",
        "└─ c = c250",
    ]
    assert lines[-1] == "296 leaves folded; text() writes the whole tree."


def test_folded_trees_hang_together_and_keep_to_the_limit():
    for seed in range(20):
        tree = random_tree(seed, 30)
        for most in (1, 2, 5, 10):
            shown = np.flatnonzero(shown_nodes(tree, None, most))
            assert set(tree.parent[shown[1:]]) <= set(shown)
            ends = set(shown) - set(tree.parent[shown[1:]])
            assert len(ends) <= most
            assert len(text(tree, max_leaves=most).splitlines()) >= len(shown) + 3


@pytest.mark.parametrize("max_leaves", [0, 1.5, "2", True])
def test_a_wrong_max_leaves_is_refused(max_leaves):
    with pytest.raises(OptionError, match=r"max_leaves must be a whole number >= 1"):
        text(chain(1), max_leaves=max_leaves)


def test_print_folds_a_large_tree_and_says_so():
    said = str(Tree(chain(5000)))
    assert len(said.splitlines()) < 420
    assert said.endswith("4,802 leaves folded; text() writes the whole tree.")


def test_show_uses_ascii_where_the_stream_cannot_draw(iris_like, monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    Tree(iris_like).show()
    print(Tree(iris_like))
    sys.stdout.flush()
    written = sys.stdout.buffer.getvalue().decode()
    assert written.count("|- petal length <= 2.45") == 2


def test_the_width_of_a_terminal_does_not_change_str(iris_like, monkeypatch):
    before = str(Tree(iris_like))
    monkeypatch.setenv("COLUMNS", "30")
    assert str(Tree(iris_like)) == before


def test_show_prints_plain_text_where_there_is_no_terminal(iris_like, capsys):
    Tree(iris_like).show()
    assert capsys.readouterr().out == text(iris_like) + "\n"


def test_colour_changes_no_character(iris_like):
    colours = ("#010203", "#040506", "#070809")
    made = coloured(iris_like, text(iris_like), colours)
    assert re.sub(r"\x1b\[[\d;]*m", "", made) == text(iris_like)
    assert made.count("\x1b[38;2;1;2;3msetosa\x1b[0m") == 2
    assert made.count("\x1b[38;2;7;8;9mvirginica\x1b[0m") == 1


def test_more_classes_than_colours_have_none(iris_like):
    made = coloured(iris_like, text(iris_like), ("#010203", "#040506"))
    assert "\x1b[38;2" not in made
    assert made.startswith("\x1b[1m")  # the heading is still bold
    assert re.sub(r"\x1b\[[\d;]*m", "", made) == text(iris_like)


def test_without_rich_it_says_what_to_install(iris_like, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.text", None)
    with pytest.raises(TreewrightError, match="needs the package 'rich': pip install"):
        Tree(iris_like).__rich__()


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def open_terminal(monkeypatch):
    """Let the rest of a test print to a terminal."""
    made = Terminal()
    monkeypatch.setattr(sys, "stdout", made)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("COLORFGBG", raising=False)
    return made


def test_a_terminal_gets_the_colours_of_the_pictures(iris_like, monkeypatch):
    terminal = open_terminal(monkeypatch)
    Tree(iris_like).show()
    rgb = ";".join(str(int(DARK["c0"][i : i + 2], 16)) for i in (1, 3, 5))
    assert f"\x1b[38;2;{rgb}msetosa" in terminal.getvalue()
    monkeypatch.setenv("COLORFGBG", "0;15")
    Tree(iris_like).show()
    rgb = ";".join(str(int(LIGHT["c0"][i : i + 2], 16)) for i in (1, 3, 5))
    assert f"\x1b[38;2;{rgb}msetosa" in terminal.getvalue()


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", ""), ("TERM", "dumb")])
def test_colour_can_be_turned_off(iris_like, monkeypatch, name, value):
    terminal = open_terminal(monkeypatch)
    monkeypatch.setenv(name, value)
    Tree(iris_like).show()
    assert "\x1b" not in terminal.getvalue()
    assert "setosa" in terminal.getvalue()


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_show_fits_the_terminal(monkeypatch, width):
    terminal = open_terminal(monkeypatch)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    job = categorical("job", *(f"occupation {i}" for i in range(40)))
    spec = leaf(0, 0, 1)
    for k in range(5):
        spec = subset(0, [[*range(8 * k + 1)], [*range(8 * k + 1, 40)]], spec, leaf(1))
    Tree(build(spec, schema_of(job))).show()
    longest = max(map(len, terminal.getvalue().splitlines()))
    assert longest <= width
    if width >= 100:
        assert longest > 80  # the room is used


def test_markup_in_names_is_no_markup():
    pytest.importorskip("rich", reason="NOT TESTED: pip install rich")
    schema = schema_of(categorical("[bold]a[/bold]", "[red]x", "y"))
    tree = build(subset(0, [[0], [1]], leaf(0), leaf(1, 1)), schema)
    assert "[bold]a[/bold] = [red]x" in Tree(tree).__rich__().plain


@pytest.mark.parametrize("seed", range(40))
def test_lines_are_at_most_88_wide_where_names_allow(seed):
    tree = random_tree(seed, 40)
    for numbers in (False, True):
        said = text(tree, max_depth=8, numbers=numbers)
        assert max(map(len, said.splitlines())) <= 88


def test_the_route_of_missing_values_is_shown_on_request():
    X, y = {"x": [1, 2, 3, 4]}, ["a", "a", "b", "b"]
    tree = tw.TreeClassifier(prune=None, n_jobs=1).fit(X, y).tree_
    assert "missing" not in tree.text()
    assert tree.text(missing=True).count("or missing") == 1
    X = {"x": [1, 2, 3, None]}
    tree = tw.TreeClassifier(prune=None, n_jobs=1).fit(X, y).tree_
    assert tree.text() == tree.text(missing=True)
    assert "missing" not in tree.text(missing=False)


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("seed", range(12))
def test_lines_are_no_wider_than_asked_for(seed, width):
    tree = random_tree(np.random.default_rng(seed))
    for options in ({}, {"numbers": True}, {"max_depth": 3}, {"missing": True}):
        written = text(tree, width=width, cuts_names=True, **options).split("\n")
        assert max(map(len, written)) <= width
        assert len(written) == len(text(tree, **options).split("\n"))


def test_deep_trees_keep_their_conditions_at_eighty_columns():
    names = ("median_income", "housing_median_age", "ocean_proximity_x")
    spec = leaf(0, 0, 1)
    for depth in range(28):
        spec = threshold(depth % 3, 100.5 + depth, spec, leaf(1))
    tree = build(spec, schema_of(*names))
    lines = text(tree, width=80, cuts_names=True).split("\n")
    assert max(map(len, lines)) <= 80
    for depth in range(28):
        condition = f"{names[depth % 3]} <= {100.5 + depth}"
        assert sum(f"{condition} " in line for line in lines) == 1, condition
    assert lines[2].split() == ["rows", "class", "prob."]  # shares give way
    assert "depth of a node" not in lines[-1]


def test_narrow_rails_come_before_flat_lines():
    spec = leaf(0, 0, 1)
    for depth in range(20):
        spec = threshold(0, float(depth), spec, leaf(1))
    tree = build(spec, schema_of("a_column_of_some_length"))
    assert "├─ " in text(tree, max_depth=2)
    assert "│ ├ " in text(tree, max_depth=7, width=78)
    assert "│├ " in text(tree, width=80)
    assert "|`-" in text(tree, width=80, ascii=True).replace("||", "|")
    assert "depth of a node" not in text(tree, width=80)


def test_shares_give_way_before_conditions():
    island = categorical("island_of_the_archipelago", *(f"place {k}" for k in range(9)))
    halves = [[*range(4)], [*range(4, 9)]]
    tree = build(subset(0, halves, leaf(0), leaf(1)), schema_of(island))
    heads = {
        width: text(tree, width=width).splitlines()[2] for width in range(88, 49, -1)
    }
    assert [*dict.fromkeys(" ".join(head.split()) for head in heads.values())] == [
        "rows share class probability",
        "rows share class prob.",
        "rows class prob.",
    ]


def test_two_categories_are_named_however_narrow_the_text():
    island = categorical("island", "Biscoe", "Dream", "Torgersen")
    tree = build(subset(0, [[0, 2], [1]], leaf(0), leaf(1)), schema_of(island))
    assert "island in {Biscoe, Torgersen}" in text(tree, width=60)
    assert "categories" not in text(tree, width=40)


def test_a_shortened_list_names_the_categories_that_carry_the_rows():
    shares = (0.01, 0.02, 0.5, 0.02, 0.4, 0.05)
    town = categorical("town", *"abcdef", summary=Summary(0, shares=shares))
    tree = build(subset(0, [[0, 1, 2, 3, 4], [5]], leaf(0), leaf(1)), schema_of(town))
    assert split_of(tree, 0).words(0, most=2) == "town in {c, e, ... 3 more}"
    assert split_of(tree, 0).words(0) == "town in {a, b, c, d, e}"


@pytest.mark.parametrize("name", ["penguins", "hitters"])
def test_everything_printed_keeps_to_88_columns(name):
    target = {"penguins": "species", "hitters": "Salary"}[name]
    made = table(f"{name}.csv")
    known = [i for i, each in enumerate(made[target]) if each is not None]
    X = {k: [v[i] for i in known] for k, v in made.items()}
    y = X.pop(target)
    by_class = name == "penguins"
    fitted = (tw.TreeClassifier if by_class else tw.TreeRegressor)().fit(X, y)
    tree, first = fitted.tree_, {key: values[0] for key, values in X.items()}
    printed = {
        "tree": tree,
        "rules": tree.rules(),
        "formula": tree.formula("Adelie") if by_class else tree.formula(),
        "explain": tree.explain(first),
        "pruning": fitted.pruning_,
        "evaluate": tree.evaluate(X, y),
    }
    for what, each in printed.items():
        assert max(map(len, str(each).splitlines())) <= 88, what
