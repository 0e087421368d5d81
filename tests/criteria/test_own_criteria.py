"""A criterion written in one file grows, evaluates, prints and reports."""

import math

import numpy as np
import pytest

import treewright as tw
from support.own_criteria import Hellinger, LogCosh
from treewright.criteria import find, names, register, unregister
from treewright.growing.reference import grow_reference
from treewright.tree.check import check

X = {
    "colour": ["red", "blue", "red", "green", "blue", "green", "red", "blue"] * 3,
    "size": [1, 2, 3, 4, 5, 6, 7, 8] * 3,
}
LABELS = ["no", "no", "yes", "yes", "yes", "no", "yes", "maybe"] * 3
NUMBERS = [0.5, 1.0, 1.5, 3.0, 3.5, 4.0, 9.0, 9.5] * 3


@pytest.fixture(
    params=[(Hellinger(), LABELS), (LogCosh(), NUMBERS)], ids=["classes", "numbers"]
)
def grown(request):
    """A registered criterion, its target, and a tree grown by the reference."""
    criterion, y = request.param
    register(criterion)
    options = tw.GrowOptions(criterion=criterion.name, max_depth=2)
    yield criterion, y, tw.Tree(grow_reference(tw.as_table(X, y), options))
    unregister(criterion.name)


def test_the_reference_grows_by_it(grown):
    criterion, _, tree = grown
    check(tree.data)
    assert tree.n_leaves > 1
    assert tree.criterion is criterion
    # The split of the root lowers the impurity by the recorded gain.
    left, right = tree.children(0)
    weight, impurity = tree.data.weight, tree.data.impurity
    after = weight[left] * impurity[left] + weight[right] * impurity[right]
    gain = impurity[0] - after / weight[0]
    assert tree.gain[0] == pytest.approx(gain, rel=1e-12)


def test_no_other_threshold_gains_more(grown):
    criterion, y, tree = grown
    best = 0.0
    for cut in np.arange(1.5, 8):
        sides = [str(size <= cut) for size in X["size"]]
        best = max(best, tw.gain(y, sides, criterion.name))
    assert tree.gain[0] >= best - 1e-12


def test_it_evaluates_and_refits(grown):
    criterion, y, tree = grown
    found = tw.evaluate(tree, X, y)
    again = tree.refit(X, y)
    assert np.allclose(again.impurity, tree.impurity)
    if criterion.task == "number":
        assert found.error == pytest.approx(
            float(np.mean(criterion.loss(np.array(y), tree.predict(X))))
        )
        assert "mean log cosh" in str(found)


def test_it_prints_and_reports(grown, tmp_path):
    criterion, y, tree = grown
    assert "size" in tree.text() or "colour" in tree.text()
    assert criterion.title in str(tw.why(tree, 0, X, y))
    page = tmp_path / "report.html"
    tw.report(tree, page, X, y)
    assert page.stat().st_size > 10_000


def test_the_core_says_that_it_does_not_have_it(grown):
    criterion, y, _ = grown
    options = tw.GrowOptions(criterion=criterion.name)
    with pytest.raises(tw.OptionError, match="core has no formula for criterion"):
        tw.grow(tw.as_table(X, y), options)


def test_two_criteria_cannot_share_a_name():
    class Other(Hellinger):
        name = "gini"

    with pytest.raises(tw.OptionError, match="already registered: Gini"):
        register(Other())


def test_a_name_nobody_registered_is_refused_with_the_nearest():
    with pytest.raises(tw.OptionError, match="Did you mean 'gini'"):
        find("ginni")


@pytest.mark.parametrize("name", names("class"))
def test_the_formula_for_many_sets_is_that_for_one(name):
    criterion = find(name)
    counts = np.random.default_rng(0).integers(1, 9, (20, 4)).astype(float)
    shares = counts / counts.sum(axis=1, keepdims=True)
    one_by_one = [criterion.impurity(dict(enumerate(row))) for row in counts.tolist()]
    assert np.allclose(criterion.of_shares(shares), one_by_one, atol=1e-14)
    mean = (shares * criterion.of_row(shares)).sum(axis=1)
    assert np.allclose(mean, one_by_one, atol=1e-14)
    assert criterion.of_shares(np.zeros((1, 4))).tolist() == [0.0]


@pytest.mark.parametrize("name", names("number"))
def test_the_impurity_is_the_mean_loss_of_the_best_answer(name):
    criterion = find(name)
    y = np.random.default_rng(1).integers(0, 9, 31).astype(float)
    answer = float(np.mean(y) if criterion.answer == "mean" else np.median(y))
    weights = {value: float((y == value).sum()) for value in set(y.tolist())}
    losses = criterion.loss(y, np.full(31, answer))
    assert criterion.impurity(weights) == pytest.approx(math.fsum(losses) / 31)
    if criterion.is_bregman:
        about = criterion.loss(y, np.full(31, 3.0)).sum()
        moved = criterion.loss(np.array([answer]), np.array([3.0]))[0]
        assert about == pytest.approx(losses.sum() + 31 * moved)


def test_it_prunes_on_validation_rows(grown):
    from treewright.pruning.validation import prune_by_validation
    from treewright.tree.new_rows import NewRows

    _, y, tree = grown
    pruned, _ = prune_by_validation(tree.data, NewRows.read(tree.data, X, y))
    assert 1 <= pruned.n_leaves <= tree.n_leaves


def test_a_criterion_is_shown_by_its_name():
    assert repr(Hellinger()) == "<criterion hellinger>"
    assert str(find("poisson")) == f"{find('poisson')}" == "poisson"
