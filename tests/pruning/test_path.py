"""The weakest-link path: against all prunings, other programs and worked numbers."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from support.build import build, chain, leaf, random_tree, schema_of, threshold
from support.oracle_files import fit_of
from support.peer_trees import sklearn_paths, sklearn_tree
from treewright.errors import OptionError
from treewright.growing.grow import grow
from treewright.pruning.path import cost_complexity, find_path
from treewright.pruning.risks import node_risks
from treewright.tree.check import check
from treewright.tree.edit import with_values
from treewright.tree.walk import children, key


def all_prunings(tree, risks):
    """All (units of risk, leaves) that prunings of a small tree can have."""
    found = {}
    for node in reversed(range(tree.n_nodes)):
        options = {(int(risks.own[node]), 1)}
        below = children(tree, node)
        if below:
            for parts in itertools.product(*(found[child] for child in below)):
                cost = int(risks.stopped[node]) + sum(part[0] for part in parts)
                options.add((cost, sum(part[1] for part in parts)))
        found[node] = options
    return found[0]


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("risk", ["error", "impurity"])
@pytest.mark.parametrize("seed", range(40))
def test_every_tree_of_the_path_is_the_smallest_best_of_all_prunings(
    seed, risk, numbers
):
    tree = random_tree(seed, n_inner=1 + seed % 9, numbers=numbers)
    path = find_path(tree, risk)
    risks = node_risks(tree, risk)
    everything = all_prunings(tree, risks)
    between = (path.alpha[1:] + path.alpha[:-1]) / 2
    slack = Fraction(0) if risks.slack == 0 else Fraction(1, 10**12)
    for alpha in [*path.alpha, *between, path.alpha[-1] + 1]:
        # An alpha of a step is a rounded fraction: a hair more puts it past the tie.
        price = Fraction(float(alpha)) * (1 + Fraction(1, 10**13))
        unit = Fraction(risks.total)
        costs = {(r / unit + price * n, n) for r, n in everything}
        least = min(cost for cost, _ in costs)
        margin = slack * (1 + abs(least))
        smallest = min(n for cost, n in costs if cost <= least + margin)
        pruned = path.tree(alpha=float(alpha))
        assert pruned.n_leaves == smallest
        value = cost_complexity(pruned, float(alpha), risk)
        assert value == pytest.approx(float(least), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_the_trees_are_nested_and_alpha_rises_strictly(seed, numbers):
    tree = random_tree(seed, n_inner=40, numbers=numbers)
    for risk in ("error", "impurity"):
        path = find_path(tree, risk)
        assert path.alpha[0] == 0
        assert (np.diff(path.alpha) > 0).all()
        assert (np.diff(path.n_leaves) < 0).all()
        assert (np.diff(path.risk) >= 0).all()
        assert path.n_leaves[-1] == 1
        keys = None
        for i, alpha in enumerate(path.alpha):
            pruned = path.tree(alpha=alpha)
            check(pruned)
            assert pruned.n_leaves == path.n_leaves[i]
            smaller = {key(pruned, node) for node in range(pruned.n_nodes)}
            assert keys is None or smaller < keys
            keys = smaller


def test_t1_has_the_risk_of_t0_and_no_node_that_costs_nothing():
    for seed in range(20):
        tree = random_tree(seed, n_inner=30)
        path = find_path(tree)
        assert path.risk[0] == pytest.approx(cost_complexity(tree, 0), abs=1e-15)
        assert (path.step(0).link > 0).all()


def test_the_next_alpha_is_the_weakest_link_of_this_step():
    tree = random_tree(3, n_inner=40)
    path = find_path(tree, "impurity")
    for i in range(len(path) - 1):
        step = path.step(i)
        assert step.link.min() == pytest.approx(path.alpha[i + 1], rel=1e-9)
        cut = step.weakest
        assert path.collapse_alpha[cut] == pytest.approx(path.alpha[i + 1], rel=1e-9)
        assert len(step.node) >= len(cut)


def test_rows_that_stop_at_inner_nodes_are_part_of_the_risk():
    from support.build import categorical, multiway

    root = multiway(0, [[0], [1]], leaf(0, 0, 0), leaf(1, 1, 1), stopped=[0, 0, 1])
    tree = build(root, schema_of(categorical("c", "u", "v")))
    risks = node_risks(tree)
    # 5 against 4: the node answers 0, and of the three stopped rows one is a 1.
    assert (risks.own[0], risks.stopped[0], risks.total) == (4, 1, 9)
    path = find_path(tree)
    np.testing.assert_allclose(path.risk, [1 / 9, 4 / 9])
    np.testing.assert_allclose(path.alpha, [0, 3 / 9])


def seed_001():
    """80/20 -> 90/10 + 55/45: 5/7 of 700 rows go to the purer leaf."""
    return build(
        threshold(
            0,
            0.5,
            leaf(*[1] * 450, *[0] * 50),
            leaf(*[1] * 110, *[0] * 90),
        ),
        schema_of("Ca"),
    )


def test_a_split_that_only_purifies_survives_with_impurity_as_risk_alone():
    tree = seed_001()
    assert tree.impurity[0] == pytest.approx(0.320)
    by_error, by_impurity = find_path(tree), find_path(tree, "impurity")
    assert by_error.n_leaves.tolist() == [1]
    assert by_error.risk.tolist() == [0.2]
    assert by_impurity.n_leaves.tolist() == [2, 1]
    assert by_impurity.risk[0] == pytest.approx(0.270, abs=1e-3)


def test_all_weakest_links_of_the_same_alpha_are_cut_together():
    part = threshold(0, 1, leaf(0, 0, 1), leaf(1, 1))
    other = threshold(0, 5, leaf(0, 0, 1), leaf(1, 1))
    tree = build(threshold(0, 3, part, other), schema_of("x"))
    path = find_path(tree)
    assert path.n_leaves.tolist() == [4, 1]
    np.testing.assert_allclose(path.alpha, [0, (4 - 2) / 10 / 3])


def test_a_chain_of_50000_splits_has_a_path():
    path = find_path(chain(50_000), "impurity")
    assert path.n_leaves[-1] == 1
    assert (np.diff(path.alpha) > 0).all()


def test_equal_weights_of_a_tenth_tie_as_counts_do():
    rng = np.random.default_rng(0)
    from treewright.table.as_table import as_table

    X, y = rng.integers(0, 9, (200, 3)).astype(float), rng.integers(0, 3, 200)
    plain = find_path(grow(as_table(X, y)))
    tenth = find_path(grow(as_table(X, y, np.full(200, 0.1))))
    thirds = find_path(grow(as_table(X, y, np.full(200, 3.0))))
    for other in (tenth, thirds):
        np.testing.assert_array_equal(plain.alpha, other.alpha)
        np.testing.assert_array_equal(plain.n_leaves, other.n_leaves)


def test_weight_k_gives_the_path_of_k_copies():
    from treewright.table.as_table import as_table

    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 6, (120, 3)).astype(float), rng.integers(0, 3, 120)
    w = rng.integers(0, 4, 120)
    weighted = find_path(grow(as_table(X, y, w)))
    copied = find_path(grow(as_table(np.repeat(X, w, axis=0), np.repeat(y, w))))
    np.testing.assert_allclose(weighted.alpha, copied.alpha, rtol=1e-14)
    np.testing.assert_array_equal(weighted.n_leaves, copied.n_leaves)


def test_alpha_max_ends_the_path():
    tree = random_tree(5, n_inner=30)
    whole = find_path(tree)
    path = find_path(tree, alpha_max=float(whole.alpha[2]))
    np.testing.assert_array_equal(path.alpha, whole.alpha[:3])
    with pytest.raises(OptionError, match="ends at alpha_max"):
        path.tree(alpha=1.0)
    with pytest.raises(OptionError, match="the smallest has"):
        path.tree(n_leaves=1)


def test_the_largest_tree_with_at_most_k_leaves():
    path = find_path(random_tree(5, n_inner=30))
    for k in range(1, 40):
        allowed = [n for n in path.n_leaves if n <= k]
        assert path.tree(n_leaves=k).n_leaves == max(allowed)


@pytest.mark.parametrize("bad", [-0.1, math.nan, "much", None, True])
def test_a_price_of_a_leaf_is_a_number_from_0_on(bad):
    tree = seed_001()
    with pytest.raises(OptionError, match=r"alpha_max must be a number >= 0"):
        find_path(tree, alpha_max=bad)
    with pytest.raises(OptionError, match=r"alpha must be a number >= 0"):
        cost_complexity(tree, bad)
    if bad is not None:
        with pytest.raises(OptionError, match=r"alpha must be a number >= 0"):
            find_path(tree).tree(alpha=bad)


def test_other_invalid_arguments_of_a_path():
    path = find_path(seed_001())
    with pytest.raises(OptionError, match="either alpha or n_leaves"):
        path.tree()
    with pytest.raises(OptionError, match="n_leaves must be a whole number >= 1"):
        path.tree(n_leaves=0)
    with pytest.raises(OptionError, match="from 0 to 0; got 7"):
        path.step(7)
    with pytest.raises(OptionError, match="Did you mean 'impurity'"):
        find_path(seed_001(), "impuriti")


def test_a_path_and_a_step_print_as_tables():
    path = find_path(random_tree(5, n_inner=200), "impurity")
    assert str(path).splitlines()[0].split() == ["step", "alpha", "leaves", "risk"]
    assert "..." in str(path)
    assert repr(path).startswith("PruningPath(")
    step = path.step(0)
    head = str(step).splitlines()[2]
    assert head.split() == ["node", "R(t)", "R(T_t)", "leaves", "g(t)"]
    assert len(path.to_pandas()) == len(path)
    assert len(step.to_pandas()) == len(step.node)


def test_the_last_step_has_no_link_that_is_the_weakest():
    path = find_path(seed_001(), "impurity")
    first, last = path.step(0), path.step(1)
    assert first.weakest.tolist() == [0]
    assert repr(first) == "PruningStep(alpha=0, 1 inner node)"
    assert last.weakest.tolist() == []
    assert repr(last) == f"PruningStep(alpha={last.alpha:.6g}, 0 inner nodes)"
    assert str(last).splitlines()[2:] == str(first).splitlines()[2:3]
    assert str(first) in first._repr_html_()


def test_a_tree_without_weight_has_no_risk():
    whole = random_tree(3, n_inner=5)
    tree = with_values(whole, weight=whole.weight * 0, value=whole.value * 0)
    for risk in ("error", "impurity", "mixed"):
        path = find_path(tree, risk)
        assert (path.alpha.tolist(), path.risk.tolist()) == ([0], [0])
        assert path.n_leaves.tolist() == [1]


# scikit-learn ------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "fit_name"), sklearn_paths())
def test_the_path_is_scikit_learns_with_equal_alphas_merged(name, fit_name):
    theirs = fit_of(name, fit_name)["pruning_path"]
    alphas, impurities = np.array(theirs["ccp_alphas"]), np.array(theirs["impurities"])
    path = find_path(sklearn_tree(name, fit_name), "impurity")
    # The last of a run of equal alphas belongs to the tree pruned with it.
    last = np.append(np.diff(alphas) > 1e-12 * alphas.max(), True)
    assert len(path) == last.sum()
    np.testing.assert_allclose(path.alpha, alphas[last], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(path.risk, impurities[last], rtol=1e-9, atol=1e-12)
