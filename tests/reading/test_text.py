import time

import numpy as np
import pytest

from tree.build import (
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
from treewright.errors import OptionError
from treewright.reading.text import text
from treewright.table.schema import Feature, Schema, Summary, TargetInfo


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
        "                           rows  share  class       confidence",
        "all rows                    150   100%  setosa           33.3%",
        "├─ petal length <= 2.45      50  33.3%  setosa            100% *",
        "└─ petal length > 2.45      100  66.7%  versicolor       50.0%",
        "   ├─ petal width <= 1.75    54  36.0%  versicolor       90.7% *",
        "   └─ petal width > 1.75     46  30.7%  virginica        97.8% *",
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
        "`- age > 30      2  50.0%   1250  50.25 *",
    ]


def test_a_single_leaf():
    assert text(build(leaf(0, 0, 1), schema_of("x"))).splitlines() == [
        "Tree for y: 1 node, 1 leaf (*), depth 0",
        "",
        "          rows  share  class  confidence",
        "all rows     3   100%  no          66.7% *",
    ]


def test_folding_says_how_much_lies_below(iris_like):
    lines = text(iris_like, max_depth=1).splitlines()
    assert len(lines) == 6
    assert lines[-1].endswith("50.0% ... 2 leaves below")
    assert lines[-2].endswith("*")
    assert text(iris_like, max_depth=0).endswith("... 3 leaves below")
    assert text(iris_like, max_depth=2) == text(iris_like)


def test_missing_values_are_spoken_of_only_where_there_were_any():
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


def test_a_deep_chain_is_written_quickly_and_not_indented_for_ever():
    tree = chain(50_000)
    started = time.perf_counter()
    lines = text(tree).splitlines()
    assert time.perf_counter() - started < 10
    assert len(lines) == tree.n_nodes + 3
    assert max(map(len, lines)) < 140
    assert "[depth 50000] x > 49999" in lines[-1]


@pytest.mark.parametrize("max_depth", [-1, 1.5, "2", True])
def test_a_wrong_max_depth_is_refused(max_depth):
    with pytest.raises(OptionError, match=r"max_depth must be a whole number >= 0"):
        text(chain(1), max_depth)


def test_numpy_integers_are_depths():
    assert text(chain(3), np.int64(1)) == text(chain(3), 1)
