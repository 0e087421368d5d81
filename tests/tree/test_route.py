import numpy as np
import pytest

from support.build import build, chain, leaf, random_tree, schema_of, threshold
from support.slow_route import _branch, slow_route
from treewright.tree import walk
from treewright.tree.data import ALL_BRANCHES, STOP_HERE
from treewright.tree.edit import with_values
from treewright.tree.route import (
    MISSING_ROUTE,
    OWN_VALUE,
    branches_at,
    columns_used,
    decision_path,
    ends_of,
    route,
    route_matrix,
    share_at,
    turn_at,
)

N = 300


def random_columns(seed, dtype=np.float64):
    """Columns for `random_tree`, with missing, unseen and infinite values."""
    rng = np.random.default_rng(seed)
    numbers = [np.round(rng.normal(size=N), 2).astype(dtype) for _ in range(2)]
    for values in numbers:
        values[rng.random(N) < 0.15] = np.nan
        values[rng.random(N) < 0.05] = np.inf
        values[rng.random(N) < 0.05] = -np.inf
    b = rng.integers(-2, 6, size=N).astype(np.int32)
    c = rng.integers(-2, 3, size=N).astype(np.int32)
    return [numbers[0], b, c, numbers[1]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(20))
def test_the_router_equals_the_plain_one(seed, dtype):
    tree = random_tree(seed, n_inner=1 + seed)
    columns = random_columns(seed, dtype)
    expected = slow_route(tree, columns, N)
    assert route(tree, columns, N).tolist() == expected.tolist()
    assert route(tree, columns, N, n_jobs=3).tolist() == expected.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_the_branch_at_one_node_is_the_one_that_routing_takes(seed):
    tree = random_tree(seed, n_inner=1 + seed)
    columns = random_columns(seed)
    for node in range(tree.n_nodes):
        column = int(tree.feature[node])
        if column < 0:
            assert set(branches_at(tree, node, {}, 2).tolist()) == {STOP_HERE}
            continue
        values = columns[column]
        expected = [_branch(tree, node, columns, row) for row in range(N)]
        found = branches_at(tree, node, {column: values}, N)
        assert found.tolist() == expected
        for value, branch in zip(values[:40].tolist(), expected[:40], strict=True):
            gone = value != value or (values.dtype == np.int32 and value < 0)
            turn = turn_at(tree, node, {} if gone else {column: value})
            assert turn.branch == branch
            assert turn.chosen_by in (OWN_VALUE, MISSING_ROUTE)
            if gone:
                assert turn.missing


def test_a_node_that_is_not_there_is_refused():
    tree = random_tree(1, n_inner=2)
    for node in (-1, tree.n_nodes):
        with pytest.raises(ValueError, match="no such node"):
            turn_at(tree, node, {})
        with pytest.raises(ValueError, match="no such node"):
            branches_at(tree, node, {}, 1)


@pytest.mark.parametrize("seed", range(5))
def test_shares_at_a_node_are_those_of_the_decision_path(seed):
    tree = random_tree(seed, n_inner=6)
    ends = ends_of(tree, random_columns(seed), N)
    passed = decision_path(tree, ends).toarray()
    for node in range(tree.n_nodes):
        assert ((share_at(tree, node, ends) > 0) == (passed[:, node] == 1)).all()
    assert share_at(tree, 0, ends) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(5))
def test_strided_columns_and_columns_not_needed(seed):
    tree = random_tree(seed, n_inner=3)
    columns = random_columns(seed)
    expected = slow_route(tree, columns, N)
    table = np.stack([columns[0], columns[3]], axis=1)
    used = set(columns_used(tree).tolist())
    strided = [table[:, 0], columns[1], columns[2], table[:, 1]]
    given = [c if j in used else None for j, c in enumerate(strided)]
    assert route(tree, given, N).tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_matrix_is_routed_like_its_columns(order, dtype):
    spec = threshold(
        1,
        0.25,
        threshold(0, -0.5, leaf(0), leaf(1), missing=1),
        threshold(0, 0.75, leaf(1), leaf(0)),
        missing=1,
    )
    tree = build(spec, schema_of("a", "b"))
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(N, 2)) * 4).astype(dtype) / 4
    X[rng.random((N, 2)) < 0.2] = np.nan
    X = np.asarray(X, order=order)
    expected = slow_route(tree, list(X.T), N)
    assert route_matrix(tree, X).tolist() == expected.tolist()
    assert route_matrix(tree, X[:1]).tolist() == expected[:1].tolist()
    assert route_matrix(tree, X, n_jobs=2).tolist() == expected.tolist()


def test_a_value_equal_to_the_threshold_goes_left():
    # scikit-learn #11165, #28175: thresholds compared in another precision.
    for at in (0.1, float(np.float32(0.1)), 1e-300, 16777217.0):
        tree = build(threshold(0, at, leaf(0), leaf(1)), schema_of("x"))
        above = np.nextafter(at, np.inf)
        X = np.array([[at], [above]])
        assert route_matrix(tree, X).tolist() == [1, 2]
        if float(np.float32(at)) == at:
            assert route_matrix(tree, X[:1].astype(np.float32)).tolist() == [1]


def test_a_single_leaf_takes_every_row():
    tree = build(leaf(0, 1), schema_of("x"))
    assert route(tree, [None], 4).tolist() == [0] * 4
    assert route_matrix(tree, np.full((3, 1), np.nan)).tolist() == [0] * 3


def test_no_rows_give_no_nodes():
    tree = random_tree(1)
    columns = [c[:0] for c in random_columns(1)]
    assert route(tree, columns, 0).shape == (0,)


def test_a_chain_50_000_deep_is_routed():
    tree = chain(50_000)
    X = np.array([[0.0], [49_999.0], [50_000.0], [np.nan]])
    expected = [1, tree.n_nodes - 2, tree.n_nodes - 1, tree.n_nodes - 1]
    assert route_matrix(tree, X).tolist() == expected


def test_a_divided_row_ends_in_every_leaf_by_their_weights():
    inner = threshold(0, 2.0, leaf(0, 0, 0), leaf(1))
    tree = build(threshold(1, 1.0, leaf(1, 1, 1, 1), inner), schema_of("x", "z"))
    tree = with_values(tree, missing_route=[ALL_BRANCHES, -1, ALL_BRANCHES, -1, -1])
    x, z = np.array([5.0, np.nan, 5.0]), np.array([0.0, np.nan, np.nan])
    ends = ends_of(tree, [x, z], 3)
    assert ends.rows.tolist() == [0, 1, 1, 1, 2, 2]
    assert ends.nodes.tolist() == [1, 1, 3, 4, 1, 4]
    np.testing.assert_allclose(ends.shares, [1, 1 / 2, 3 / 8, 1 / 8, 1 / 2, 1 / 2])
    assert route(tree, [x, z], 3).tolist() == [1, 1, 1]
    passed = decision_path(tree, ends).toarray()
    assert passed.tolist() == [[1, 1, 0, 0, 0], [1, 1, 1, 1, 1], [1, 1, 1, 0, 1]]
    np.testing.assert_allclose(ends.total(np.arange(5.0)), [1, 17 / 8, 5 / 2])


def test_no_rows_give_no_answers_of_divided_rows():
    tree = build(threshold(0, 1.0, leaf(0), leaf(1)), schema_of("x"))
    tree = with_values(tree, missing_route=[ALL_BRANCHES, -1, -1])
    ends = ends_of(tree, [np.zeros(0)], 0)
    assert ends.total(tree.value).shape == (0, 2)
    assert ends.total(tree.risk).shape == (0,)
    assert share_at(tree, 1, ends).shape == (0,)


def test_columns_used_are_those_of_the_splits():
    tree = random_tree(7)
    assert columns_used(tree).tolist() == sorted(set(tree.feature.tolist()) - {-1})
    assert columns_used(build(leaf(1), schema_of("x"))).tolist() == []


@pytest.mark.parametrize("seed", range(10))
def test_the_decision_path_is_the_path_of_the_node(seed):
    tree = random_tree(seed)
    nodes = np.random.default_rng(seed).integers(tree.n_nodes, size=50)
    matrix = decision_path(tree, nodes.astype(np.int32))
    assert matrix.shape == (50, tree.n_nodes)
    for row, node in enumerate(nodes.tolist()):
        found = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
        assert tuple(found.tolist()) == walk.path(tree, node)
    assert (matrix.data == 1).all()


def test_the_decision_path_of_no_rows_is_empty():
    matrix = decision_path(random_tree(1), np.zeros(0, dtype=np.int32))
    assert matrix.shape[0] == 0


def test_the_decision_path_of_a_deep_chain():
    tree = chain(50_000)
    nodes = np.array([tree.n_nodes - 1, 1, tree.n_nodes - 1], dtype=np.int32)
    matrix = decision_path(tree, nodes)
    assert np.diff(matrix.indptr).tolist() == [50_001, 2, 50_001]
