"""The size, the answers and the probabilities are those of the written recipe."""

import math
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import treewright as tw
from support.classic import CLASSIC_CLASSES
from support.slow_recipe import (
    LAMBDAS,
    MS,
    choose_classes,
    choose_numbers,
    slow_classes,
    slow_label,
    slow_numbers,
)
from treewright.growing.training_set import TrainingSet
from treewright.model import Tree
from treewright.pruning.risks import node_risks
from treewright.pruning.select import SizeRule, choose_size
from treewright.pruning.shrinkage import with_drawn_answers
from treewright.pruning.size_scores import Scores
from treewright.pruning.validation import grow_validated
from treewright.pruning.words import words_of_choice
from treewright.tree.check import check


def rows_of(seed, n=90, classes=3, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (n, 3)).astype(float)
    score = X[:, 0] / 4 + (X[:, 1] > 5) + noise * rng.normal(size=n)
    y = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    return X, y, score


def pairs_of(n, k=5):
    fold = np.arange(n) % k
    return [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(k)]


# -- answers --------------------------------------------------------------------------


@pytest.mark.parametrize("m", MS)
@pytest.mark.parametrize("seed", range(3))
def test_numbers_are_drawn_by_the_formula(seed, m):
    X, _, y = rows_of(seed)
    w = np.random.default_rng(seed).integers(1, 5, len(y))
    tree = tw.TreeRegressor(prune=None, max_depth=4).fit(X, y, w).tree_
    drawn = with_drawn_answers(tree.data, m)
    expected = [float(a) for a in slow_numbers(tree, m)]
    found = drawn.answer[:, 0] if m else tree.value[:, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    np.testing.assert_array_equal(drawn.value, tree.value)


@pytest.mark.parametrize("strength", [0.0, *LAMBDAS])
@pytest.mark.parametrize("seed", range(3))
def test_probabilities_are_drawn_by_the_formula(seed, strength):
    X, y, _ = rows_of(seed)
    w = np.random.default_rng(seed).integers(1, 5, len(y))
    for costs in (None, [[0, 1, 4], [2, 0, 1], [1, 3, 0]]):
        fitted = tw.TreeClassifier(prune=None, max_depth=4, costs=costs).fit(X, y, w)
        tree = fitted.tree_
        drawn = with_drawn_answers(tree.data, strength)
        check(drawn)
        expected = slow_classes(tree, strength)
        np.testing.assert_allclose(
            drawn.answer, [[float(x) for x in row] for row in expected], rtol=1e-12
        )
        labels = [
            slow_label(p, counts, costs)
            for p, counts in zip(expected, tree.value.tolist(), strict=True)
        ]
        assert drawn.label.tolist() == labels
        assert 0 < drawn.answer.min() < drawn.answer.max() < 1


def test_of_equal_probabilities_the_frequent_class_is_the_answer():
    # By hand: p of both classes is 1/2 in every node, the counts are not equal.
    p = [Fraction(1, 2), Fraction(1, 2)]
    assert slow_label(p, [1, 2]) == 1
    assert slow_label(p, [2, 2]) == 0
    tree = tw.TreeClassifier(prune=None).fit([[0.0], [1.0]] * 2, [0, 1, 0, 1]).tree_
    far = with_drawn_answers(tree.data, 1e18)  # all nodes answer the root's shares
    np.testing.assert_allclose(far.answer, 0.5)
    assert far.label.tolist() == [0, 0, 1]


def test_predict_is_the_argmax_of_predict_proba():
    for seed in range(4):
        X, y, _ = rows_of(seed, n=200, noise=2.0)
        fitted = tw.TreeClassifier().fit(X, y)
        proba = fitted.predict_proba(X)
        np.testing.assert_array_equal(
            fitted.classes_[proba.argmax(1)], fitted.predict(X)
        )
        assert proba.min() > 0
        assert proba.max() < 1
        np.testing.assert_allclose(proba.sum(axis=1), 1)


def test_without_shrinkage_answers_are_shares_and_means():
    X, y, numbers = rows_of(1)
    classes = tw.TreeClassifier(shrinkage=None).fit(X, y).tree_
    assert not len(classes.answer)
    shares = classes.value / classes.value.sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(classes.predict_proba(X), shares[classes.apply(X)])
    assert not len(tw.TreeRegressor(shrinkage=None).fit(X, numbers).tree_.answer)
    medians = tw.TreeRegressor(criterion="absolute_error").fit(X, numbers)
    assert not len(medians.tree_.answer)
    assert medians.pruning_.shrinkage is None


def test_a_number_sets_the_shrinkage_under_every_pruning():
    X, y, numbers = rows_of(2)
    for prune in (None, "cv", "validation"):
        tree = tw.TreeRegressor(prune=prune, shrinkage=3).fit(X, numbers).tree_
        expected = [float(a) for a in slow_numbers(tree, 3)]
        np.testing.assert_allclose(tree.answer[:, 0], expected, rtol=1e-12)
    tree = tw.TreeClassifier(prune="pessimistic", shrinkage=2.5).fit(X, y).tree_
    expected = [[float(x) for x in row] for row in slow_classes(tree, 2.5)]
    np.testing.assert_allclose(tree.answer, expected, rtol=1e-12)


def test_refit_draws_as_strongly_again():
    X, _, numbers = rows_of(3, n=200)
    new_X, _, new_numbers = rows_of(4, n=200)
    fitted = tw.TreeRegressor(shrinkage=5).fit(X, numbers)
    again = fitted.tree_.refit(new_X, new_numbers)
    expected = [float(a) for a in slow_numbers(again, 5)]
    np.testing.assert_allclose(again.answer[:, 0], expected, rtol=1e-10)
    same = fitted.tree_.refit(X, numbers)
    np.testing.assert_allclose(same.answer, fitted.tree_.answer, rtol=1e-10)


# -- the path -------------------------------------------------------------------------


def test_the_mixed_risk_is_errors_and_a_fifth_of_the_log_loss():
    X, y, _ = rows_of(5)
    tree = tw.TreeClassifier(prune=None, max_depth=3).fit(X, y).tree_.data
    for node in range(tree.n_nodes):
        counts = tree.value[node]
        total = counts.sum()
        nats = -sum(c * math.log(c / total) for c in counts if c)
        expected = (total - counts.max() + 0.2 * nats) / tree.weight[0]
        found = node_risks(tree, "mixed").weighted[node]
        assert found == pytest.approx(expected, abs=1e-15)


def test_the_mixed_risk_of_costs_counts_errors_at_their_mean_cost():
    X, y, _ = rows_of(6)
    costs = np.array([[0, 1, 4], [2, 0, 1], [1, 3, 0]], dtype=float)
    tree = tw.TreeClassifier(prune=None, costs=costs, max_depth=3).fit(X, y).tree_.data
    shares = tree.value[0] / tree.value[0].sum()
    unit = float(shares @ (costs.sum(axis=1) / 2))
    node = tree.n_nodes - 1
    counts = tree.value[node]
    nats = -sum(c * math.log(c / counts.sum()) for c in counts if c)
    expected = (counts @ costs).min() + 0.2 * unit * nats
    found = node_risks(tree, "mixed").weighted[node] * tree.weight[0]
    assert found == pytest.approx(expected, rel=1e-12)
    with pytest.raises(tw.OptionError, match="predicts numbers"):
        tw.pruning_path(tw.TreeRegressor(prune=None).fit(X, y), "mixed")


# -- the choice -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.slow
def test_the_size_and_lambda_of_classes_are_the_slow_recipes(seed):
    X, y, _ = rows_of(seed, n=50, classes=2 + seed % 2, noise=0.5 + seed % 4)
    pairs = pairs_of(len(y))
    record = tw.TreeClassifier(cv=pairs).fit(X, y).pruning_
    if len(record.n_leaves) == 1:
        pytest.fail("this table has nothing to choose; take another seed")

    def grown(X, y):
        return tw.TreeClassifier(prune=None, criterion="entropy").fit(X, y)

    slow = choose_classes(X, y, pairs, record.alpha, record.n_leaves, grown)
    np.testing.assert_allclose(record.cv_error, slow.error, atol=1e-12)
    np.testing.assert_allclose(record.log_loss, slow.log_loss, rtol=1e-10)
    np.testing.assert_allclose(record.score, slow.score, rtol=1e-10)
    assert record.chosen == slow.step
    assert record.shrinkage == slow.strength
    assert record.words.startswith("no size clearly") == slow.fell_back


@pytest.mark.parametrize("seed", range(8))
def test_the_size_and_m_of_numbers_are_the_slow_recipes(seed):
    X, _, y = rows_of(seed, n=70, noise=0.3 + seed % 3)
    pairs = pairs_of(len(y))
    record = tw.TreeRegressor(cv=pairs).fit(X, y).pruning_

    def grown(X, y):
        return tw.TreeRegressor(prune=None, min_samples_leaf=5).fit(X, y)

    slow = choose_numbers(X, y, pairs, record.alpha, record.n_leaves, grown)
    np.testing.assert_allclose(record.cv_error, slow.error, rtol=1e-10)
    assert record.chosen == slow.step
    assert record.shrinkage == slow.strength


def scores(error, std=0.0):
    error = np.array([error], dtype=float)
    return Scores(np.zeros(1), error, np.full_like(error, std))


LEAVES = np.array([40, 20, 10, 5, 2, 1])


def test_the_price_takes_the_least_log_error_plus_log_leaves_within_one_error():
    error = [0.100, 0.101, 0.104, 0.110, 0.150, 0.300]
    pick = choose_size(scores(error, 0.02), LEAVES, SizeRule("price", 0.04))
    priced = np.log(error) + 0.04 * np.log(LEAVES)
    assert pick.step == int(np.argmin(priced[:4]))
    assert pick.best == 0
    assert pick.one_se == 3
    # The standard error forbids what the price alone would take.
    dear = choose_size(scores(error, 0.02), LEAVES, SizeRule("price", 9.0))
    assert dear.step == 3
    free = choose_size(scores(error, 0.02), LEAVES, SizeRule("price", 0.0))
    assert free.step == 0
    assert choose_size(scores(error, 0.02), LEAVES, SizeRule("1se")).step == 3
    assert choose_size(scores(error, 0.02), LEAVES, SizeRule("min")).step == 0


def test_of_trees_without_error_the_smallest_is_taken():
    error = [0.0, 0.0, 0.0, 0.01, 0.2, 0.5]
    assert choose_size(scores(error, 0.1), LEAVES, SizeRule("price", 0.04)).step == 2


def test_of_equal_prices_the_smaller_tree_is_taken():
    # ln error + ln leaves is the same for all.
    error = 1.0 / LEAVES
    assert choose_size(scores(error, 1.0), LEAVES, SizeRule("price", 1.0)).step == 5


def rare_class(seed, n=500):
    """No region has more than half of the rare class, but one has seven times it."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(n, 3)).astype(float)
    p = np.where(X[:, 0] == 4, 0.15, 0.02)
    return X, (rng.random(n) < p).astype(int)


def test_a_rare_class_is_ranked_though_no_answer_changes():
    X, y = rare_class(4)
    fitted = tw.TreeClassifier().fit(X, y)
    assert fitted.get_n_leaves() > 1
    words = fitted.pruning_.words
    assert words.startswith("no size clearly has fewer errors than one leaf; ")
    assert words.endswith("for one leaf: use predict_proba, costs= or priors=")
    assert "by log-loss, 0." in words
    plain = tw.TreeClassifier(size_by="error").fit(X, y)
    assert plain.get_n_leaves() == 1
    assert plain.pruning_.words == "1 leaf: no size is better than one leaf"
    new_X, new_y = rare_class(1, n=4000)
    assert tw.evaluate(fitted, new_X, new_y).auc > 0.6
    by_log_loss = tw.TreeClassifier(size_by="log_loss").fit(X, y)
    assert by_log_loss.get_n_leaves() > 1


def test_shuffled_labels_give_one_leaf():
    single = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(200, 4)), rng.integers(0, 2, 200)
        single += tw.TreeClassifier().fit(X, y).get_n_leaves() == 1
    assert single >= 18


# -- what must not matter -------------------------------------------------------------


@pytest.mark.parametrize("estimator", [tw.TreeClassifier, tw.TreeRegressor])
def test_order_and_threads_do_not_change_a_byte(estimator):
    X, y, numbers = rows_of(7, n=400, noise=1.5)
    y = y if estimator is tw.TreeClassifier else numbers
    order = np.random.default_rng(0).permutation(len(y))
    one = estimator(n_jobs=1).fit(X, y)
    other = estimator(n_jobs=2).fit(X[order], y[order])
    assert one.tree_ == other.tree_
    for name in ("cv_error", "cv_std", "score", "score_std", "log_loss", "strength"):
        np.testing.assert_array_equal(
            getattr(one.pruning_, name), getattr(other.pruning_, name)
        )


@pytest.mark.parametrize("estimator", [tw.TreeClassifier, tw.TreeRegressor])
def test_weight_k_is_k_copies(estimator):
    X, y, numbers = rows_of(8, n=120)
    y = y if estimator is tw.TreeClassifier else numbers
    w = np.random.default_rng(8).integers(1, 4, len(y))
    fold = np.arange(len(y)) % 5
    copied = np.repeat(np.arange(len(y)), w)

    def pairs(fold):
        return [
            (np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(5)
        ]

    weighted = estimator(cv=pairs(fold)).fit(X, y, w)
    copies = estimator(cv=pairs(fold[copied])).fit(X[copied], y[copied])
    np.testing.assert_allclose(weighted.pruning_.cv_error, copies.pruning_.cv_error)
    np.testing.assert_allclose(weighted.pruning_.cv_std, copies.pruning_.cv_std)
    assert weighted.pruning_.chosen == copies.pruning_.chosen
    assert weighted.pruning_.shrinkage == copies.pruning_.shrinkage
    np.testing.assert_allclose(weighted.tree_.answer, copies.tree_.answer)
    np.testing.assert_array_equal(weighted.tree_.threshold, copies.tree_.threshold)


def test_the_unit_of_small_weights_does_not_matter():
    X, _, y = rows_of(9, n=150)
    w = np.random.default_rng(9).random(len(y))
    w /= w.sum()
    one, other = (tw.TreeRegressor().fit(X, y, unit * w) for unit in (1.0, 2.0**-20))
    assert one.pruning_.shrinkage == other.pruning_.shrinkage
    np.testing.assert_array_equal(one.tree_.subtree_size, other.tree_.subtree_size)
    np.testing.assert_allclose(one.tree_.answer, other.tree_.answer, rtol=1e-12)


def test_a_scaled_target_scales_the_answers():
    X, _, y = rows_of(10, n=150)
    one, other = (tw.TreeRegressor().fit(X, c * y) for c in (1.0, 1024.0))
    assert one.pruning_.shrinkage == other.pruning_.shrinkage
    np.testing.assert_array_equal(one.tree_.threshold, other.tree_.threshold)
    np.testing.assert_array_equal(1024.0 * one.predict(X), other.predict(X))


def test_five_copies_of_a_row_make_a_leaf():
    X, _, y = rows_of(11, n=200)
    tree = tw.TreeRegressor(prune_rule="min").fit(X, y).tree_
    assert tree.n_rows.min() >= 5
    w = np.random.default_rng(11).integers(1, 4, len(y))
    weighted = tw.TreeRegressor(prune_rule="min").fit(X, y, w).tree_
    assert weighted.weight.min() >= 5
    shares = tw.TreeRegressor(prune_rule="min").fit(X, y, w / w.sum()).tree_
    assert shares.weight.min() * len(y) >= 5 * (1 - 1e-6)


def test_few_rows_grow_as_without_pruning():
    X, y = {"x": [1, 2, 3, 4, 5, 6]}, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    few = tw.TreeRegressor().fit(X, y)
    assert few.tree_ == tw.TreeRegressor(prune=None).fit(X, y).tree_
    assert few.pruning_.method is None


# -- where 'auto' means what it meant -------------------------------------------------


@pytest.mark.parametrize(
    "settings", [{"prune": None}, {"ccp_alpha": 0.01}, {"prune": "pessimistic"}]
)
def test_auto_is_plain_where_nothing_is_chosen(settings):
    X, y, _ = rows_of(12)
    auto = tw.TreeClassifier(**settings).fit(X, y).tree_
    plain = tw.TreeClassifier(
        criterion="gini", min_samples_leaf=1, shrinkage=None, **settings
    )
    assert auto == plain.fit(X, y).tree_


def test_presets_are_plain():
    X, y, numbers = rows_of(13)
    for program in ("sklearn", "rpart", "c45", "j48"):
        assert not len(tw.TreeClassifier.like(program).fit(X, y).tree_.answer)
    made = tw.TreeClassifier.like("id3", discretize=3, prune="cv")
    assert made.prune_rule == "1se"
    assert made.size_by == made.prune_risk == "error"
    assert not len(made.fit(X, y).tree_.answer)
    assert not len(tw.TreeRegressor.like("rpart").fit(X, numbers).tree_.answer)


def test_grow_takes_auto_for_one_row():
    X, _, y = rows_of(14)
    table = tw.as_table(X, y)
    auto = tw.grow(table, tw.GrowOptions(min_samples_leaf="auto"))
    assert auto == tw.grow(table)


def test_the_classic_settings_are_cross_validation_as_rpart_does_it():
    X, y, _ = rows_of(15, n=300, noise=2.0)
    record = tw.TreeClassifier(**CLASSIC_CLASSES).fit(X, y).pruning_
    allowed = record.cv_error[record.best] + record.cv_std[record.best]
    within = np.flatnonzero(record.cv_error <= allowed * (1 + 1e-12))
    assert record.chosen == within[-1] == record.one_se


# -- the record -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted():
    X, _, y = rows_of(16, n=500, noise=0.5)
    return X, y, tw.TreeRegressor().fit(X, y)


def test_the_record_prices_smaller_trees(fitted):
    _, _, estimator = fitted
    record = estimator.pruning_
    frame = record.to_pandas()
    against = frame["error against the chosen size"]
    assert against[record.chosen] == 0
    np.testing.assert_allclose(
        against, record.cv_error / record.cv_error[record.chosen] - 1
    )
    half = int(np.flatnonzero(record.n_leaves <= record.n_leaves_after // 2)[0])
    assert f"half as many would cost {100 * against[half]:.3g}% more" in record.words
    assert "answers are drawn towards the node above as by" in str(record)


def test_a_smaller_tree_of_several_times_the_error_is_priced_as_such():
    x = np.arange(200.0)
    y = np.where((x < 100) ^ (x % 20 == 0), "a", "b")
    record = tw.TreeClassifier().fit(x[:, None], y).pruning_
    against = record.to_pandas()["error against the chosen size"]
    half = int(np.flatnonzero(record.n_leaves <= record.n_leaves_after // 2)[0])
    assert against[half] > 1
    times = f"{1 + against[half]:.1f}"
    assert record.words.endswith(f"; half as many would have {times} times the error")


def test_numbers_of_no_more_error_have_no_log_loss_to_blame():
    error = [0.1, 0.10004, 0.2, 0.3, 0.4, 0.5]
    choice = choose_size(scores(error, 0.1), LEAVES, SizeRule("min"))
    assert not len(choice.log_loss)
    assert words_of_choice(choice, LEAVES, SizeRule("price")) == (
        "40 leaves: the tree with the least cross-validated error; half as many would "
        "cost no more error"
    )


def test_a_record_without_a_tree_or_an_error_says_so():
    X, _, y = rows_of(16)
    training = TrainingSet(tw.as_table(X, y), tw.GrowOptions())
    tree, record = grow_validated(training, 0.3)
    assert math.isnan(record.chosen_error)
    with pytest.raises(tw.TreewrightError, match="no tree to cut; fit once more"):
        record.at(1)
    cut = replace(record, tree=tree).at(1)
    assert type(cut) is type(tree)  # not yet the public face
    assert cut.n_leaves == 1


def test_a_smaller_size_needs_no_fit(fitted):
    X, y, estimator = fitted
    record = estimator.pruning_
    n = int(record.n_leaves[record.chosen + 1])
    smaller = record.at(n)
    assert isinstance(smaller, Tree)
    assert smaller.n_leaves == n
    assert record.at(record.n_leaves_after) == estimator.tree_
    assert record.at(1).n_leaves == 1
    with pytest.raises(tw.OptionError, match=r"keeps sizes up to .*keep_path=True"):
        record.at(record.n_leaves_after + 1)
    with pytest.raises(tw.OptionError, match="whole number >= 1; got 0"):
        record.at(0)
    whole = tw.TreeRegressor(keep_path=True).fit(X, y)
    assert whole.tree_ == estimator.tree_
    larger = whole.pruning_.at(int(record.n_leaves[0]))
    assert larger.n_leaves == record.n_leaves[0] > record.n_leaves_after
    kept = whole.pruning_.at(n)
    np.testing.assert_array_equal(kept.threshold, smaller.threshold)
    np.testing.assert_array_equal(kept.answer, smaller.answer)
    assert len(larger.answer)


def test_smaller_trees_of_classes_have_the_lambda_of_their_size():
    X, y, _ = rows_of(17, n=500, noise=1.0)
    record = tw.TreeClassifier().fit(X, y).pruning_
    for row in range(record.chosen, len(record.n_leaves)):
        tree = record.at(int(record.n_leaves[row]))
        expected = slow_classes(tree, float(record.strength[row]))
        np.testing.assert_allclose(
            tree.answer, [[float(x) for x in each] for each in expected], rtol=1e-10
        )


def test_validation_rows_choose_the_strength_after_the_cut():
    X, y, numbers = rows_of(18, n=300)
    X_val, y_val, numbers_val = rows_of(19, n=200)
    plain = tw.TreeRegressor(prune="validation", shrinkage=None)
    plain.fit(X, numbers, X_val=X_val, y_val=numbers_val)
    drawn = tw.TreeRegressor(prune="validation")
    drawn.fit(X, numbers, X_val=X_val, y_val=numbers_val)
    np.testing.assert_array_equal(plain.tree_.subtree_size, drawn.tree_.subtree_size)
    errors = []
    for m in MS:
        answers = np.array([float(a) for a in slow_numbers(plain.tree_, m)])
        said = answers[plain.tree_.apply(X_val)]
        errors.append(np.mean((said - numbers_val) ** 2))
    assert drawn.pruning_.shrinkage == MS[int(np.argmin(errors))]
    classes = tw.TreeClassifier(prune="validation").fit(X, y, X_val=X_val, y_val=y_val)
    losses = []
    for strength in LAMBDAS:
        p = np.array(slow_classes(classes.tree_, strength), dtype=float)
        ends = classes.tree_.apply(X_val)
        losses.append(-np.log(p[ends, y_val]).mean())
    assert classes.pruning_.shrinkage == LAMBDAS[int(np.argmin(losses))]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"shrinkage": -1}, "shrinkage must be a finite number of rows >= 0, 'auto'"),
        ({"size_price": -1}, "size_price must be a finite number >= 0, or 'auto'"),
        ({"size_by": "auc"}, "size_by must be 'auto', 'error' or 'log_loss'"),
        ({"keep_path": 1}, "keep_path must be True or False"),
        ({"size_price": 0.1, "prune_rule": "min"}, "size_price belongs to prune_rule"),
        ({"keep_path": True, "prune": None}, "keep_path belongs to prune='cv'"),
    ],
)
def test_settings_that_contradict_are_refused(settings, words):
    X, y, _ = rows_of(20)
    with pytest.raises(tw.OptionError, match=words):
        tw.TreeClassifier(**settings).fit(X, y)


def test_numbers_have_no_mixed_path():
    X, _, y = rows_of(21)
    with pytest.raises(tw.OptionError, match="prune_risk='mixed' adds log-loss"):
        tw.TreeRegressor(prune_risk="mixed").fit(X, y)


def test_a_smaller_tree_of_no_more_error_is_refused_for_its_log_loss():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, 2000)
    y = rng.random(2000) < np.array([0.01, 0.3, 0.7, 0.99])[x]
    words = tw.TreeClassifier().fit({"x": x}, y).pruning_.words
    found = re.search(r"cost no more error, but a log-loss of (\S+) instead of", words)
    assert found, words
    assert float(found[1]) > float(words.split()[-1])


def test_words_never_claim_that_answers_do_not_change():
    # A single leaf has the best score here, but the two leaves answer two classes.
    rng = np.random.default_rng(3)
    x = rng.integers(0, 2, 400)
    y = np.where(rng.random(400) < 0.11, x, rng.integers(0, 40, 400))
    fitted = tw.TreeClassifier(max_depth=1, findings="ignore").fit({"x": x}, y)
    assert len(set(fitted.predict({"x": [0, 1]}))) == fitted.get_n_leaves()
    assert "changes the answers" not in fitted.pruning_.words
