"""Programs say what trees say: the slow interpreter against the router."""

import math

import numpy as np
import pytest

import treewright as tw
from support import programs
from support.export_trees import DIVIDED, HARD, beyond
from treewright.errors import OptionError
from treewright.exporting.check_rows import answered, check_rows
from treewright.exporting.program import program_of
from treewright.tree.route import divides_rows


@pytest.mark.parametrize("name", HARD)
def test_a_program_of_a_hard_tree_sends_every_row_where_the_tree_sends_it(name):
    program = program_of(HARD[name]())
    assert program.divides_rows == (name in DIVIDED)
    rows = check_rows(program).rows + programs.random_rows(program, 100)
    for row, node in zip(rows, answered(program, rows).nodes, strict=True):
        ends = programs.interpreted(program, row)
        assert math.isclose(sum(ends.values()), 1.0)
        if program.divides_rows:
            assert ends[node] == max(ends.values()), row
        else:
            assert list(ends) == [node], row


def test_check_rows_of_cut_columns_lie_at_the_cuts():
    program = program_of(HARD["intervals as categories"]())
    place = next(v.place for v in program.variables if v.name == "x")
    cuts = program.tree.schema.features[program.variables[place].column].cuts
    found = {row[place] for row in check_rows(program).rows}
    for cut in cuts:
        assert {cut, math.nextafter(cut, math.inf)} <= found


def test_check_rows_hold_a_number_that_is_no_category():
    program = program_of(HARD["codes"]())
    codes = [v for v in program.variables if v.type == "code"]
    for variable in codes:
        values = {row[variable.place] for row in check_rows(program).rows} - {None}
        assert len(values - set(variable.labels)) == 1
    assert len(codes) == 2


def test_a_column_of_texts_and_numbers_is_refused():
    X = {"m": ["a", 1, "b", 2] * 20}
    table = tw.as_table(X, list("nyny") * 20, kinds={"m": "categorical"})
    with pytest.raises(OptionError, match=r"'m' has categories of several types.*'b'"):
        program_of(tw.grow(table).data)


@pytest.mark.parametrize(("at", "branch"), [(-np.inf, 1), (-0.5, 1), (2.0, 0)])
def test_a_threshold_beyond_all_intervals_sends_every_number_to_one_branch(at, branch):
    program = program_of(beyond(at))
    root = program.nodes[0]
    for x in (-math.inf, 0.0, 5.0, math.inf):
        assert programs.branch_of(root, (x, None, None)) == branch


@pytest.mark.parametrize("block", range(10))
def test_a_program_sends_every_row_where_the_tree_sends_it(block):
    for seed in range(block * 40, block * 40 + 40):
        program = program_of(programs.random_tree(seed))
        rows = check_rows(program).rows + programs.random_rows(program, 60, seed)
        expected = answered(program, rows)
        for row, node, answer in zip(
            rows, expected.nodes, expected.answers, strict=True
        ):
            ends = programs.interpreted(program, row)
            assert math.isclose(sum(ends.values()), 1.0)
            if not divides_rows(program.tree):
                assert list(ends) == [node], (seed, row)
                assert program.answers[node] == answer


@pytest.mark.parametrize("block", range(5))
def test_check_rows_reach_every_leaf_of_a_tree_that_a_row_can_reach(block):
    for seed in range(block * 40, block * 40 + 40):
        tree = programs.random_tree(seed)
        if len(tree.surrogate_feature) or divides_rows(tree):
            continue
        program = program_of(tree)
        reached = set(check_rows(program).nodes)
        more = set(answered(program, programs.random_rows(program, 500, seed)).nodes)
        assert more <= reached


@pytest.mark.parametrize(
    "threshold",
    [0.1, -0.1, 1e39, -1e39, 3.4e38, 1e-46, 2.5, 0.0, math.inf, -math.inf],
)
def test_a_bound_before_rounding_to_float32_separates_the_same_numbers(threshold):
    from treewright.exporting.program import _before_rounding

    bound = _before_rounding(threshold)
    for x in (
        bound,
        math.nextafter(bound, -math.inf),
        math.nextafter(bound, math.inf),
        threshold,
        -threshold,
    ):
        with np.errstate(over="ignore"):
            rounded = float(np.float32(x))
        assert (rounded <= threshold) == (x <= bound), x


def test_check_rows_hold_values_of_the_columns_own_types():
    rng = np.random.default_rng(0)
    n = 300
    X = {
        "sure": rng.random(n) < 0.5,
        "day": np.datetime64("2021-01-01") + rng.integers(0, 90, n),
        "x": rng.normal(size=n).round(2),
    }
    days = (X["day"] - X["day"].min()).astype(int)
    y = (X["sure"] * 3 + days // 9 + (X["x"] > 0) + rng.integers(0, 2, n)) % 5
    tree = tw.TreeClassifier(prune=None).fit(X, y).tree_
    program = program_of(tree.data)
    types = {each.type: each.place for each in program.variables}
    rows = check_rows(program).rows
    sure = {row[types["bool"]] for row in rows}
    assert sure == {None, 0.0, 1.0}
    day = {row[types["date"]] for row in rows} - {None}
    assert len(day) > 20
    assert all(each % 86_400_000_000 == 0 for each in day)
