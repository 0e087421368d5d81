"""Cross-validated pruning: rpart's tables, folds, the choice, the record."""

import re
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
)

import treewright as tw
from support.classic import CLASSIC_CLASSES
from support.oracle_files import (
    data_of,
    fit_of,
    is_here,
    only_here,
    oracle,
    real_table,
)
from treewright.estimators import in_parts
from treewright.estimators.class_weight import class_factors
from treewright.growing.parts.plan import Plan
from treewright.growing.training_set import TrainingSet
from treewright.pruning import cross_validation
from treewright.pruning.cross_validation import cross_validate
from treewright.pruning.folds import Fold, check_groups, deal, held_out
from treewright.pruning.path import find_path
from treewright.pruning.select import least_error, one_standard_error
from treewright.tree.loss import loss_of

# rpart -------------------------------------------------------------------------------

NEEDS_KYPHOSIS = pytest.mark.skipif(
    not is_here("rpart_kyphosis"),
    reason="NOT COMPARED: kyphosis may not be shipped; set TREEWRIGHT_SHARED",
)
RPART = [
    ("rpart_kyphosis", "default"),
    ("rpart_kyphosis", "cp0_minsplit2"),
    ("rpart_kyphosis", "cp0_minsplit5"),
    ("rpart_kyphosis", "cp0_minsplit10"),
    ("rpart_kyphosis", "maxdepth2"),
    ("rpart_kyphosis", "minbucket10"),
    ("rpart_kyphosis", "prior_65_35"),
    ("rpart_carseats", "default"),
    ("rpart_solder_poisson", "shrink0"),
    ("rpart_solder_poisson", "anova_default"),
    ("rpart_car_test_frame", "default"),
    ("rpart_heart", "default"),
    ("rpart_heart", "information"),
    ("rpart_adult_first5000", "default"),
    # Rows left out lie on a cut, and go right as in rpart.
    ("rpart_hitters", "default"),
    ("rpart_hitters", "cp0_minsplit20"),
    ("rpart_hitters", "maxdepth3"),
    ("rpart_carseats", "cp0_minsplit20"),
    ("rpart_car_test_frame", "cp0_minsplit10"),
    ("rpart_heart", "cp0_minsplit10"),
    ("rpart_heart", "cp0_minsplit20"),
    ("rpart_penguins", "default"),
    ("rpart_penguins", "cp0_minsplit20"),
    ("rpart_stagec", "default"),
    ("rpart_stagec", "cp0_minsplit20"),
    ("rpart_stagec", "surrogatestyle1"),
]
# Where splits of a fold's tree tie, rpart may take another one: the cross-validated
# columns differ by a few rows. The others do not.
RPART_BUT_FOR_A_ROW = {
    ("rpart_hitters", "cp0_minsplit10"): 0.004,
    ("rpart_car_test_frame", "cp0_minsplit2"): 0.01,
    ("rpart_penguins", "cp0_minsplit2"): 3 / 192,
    ("rpart_stagec", "cp0_minsplit5"): 5 / 54,
    ("rpart_stagec", "maxsurrogate2_cp0_minsplit10"): 1 / 54,
    ("rpart_stagec", "information"): 1 / 54,
    ("rpart_titanic", "default"): 1 / 500,
    ("rpart_titanic", "information"): 1 / 500,
    ("rpart_adult_first5000", "cp0_minsplit200"): 0.02,
}
# Whole trees that are rpart's, also where its links are understated (see below).
RPART_TREES = [
    *RPART,
    *RPART_BUT_FOR_A_ROW,
    ("rpart_kyphosis", "cp-1_minsplit20"),
    ("rpart_kyphosis", "information"),
    ("rpart_kyphosis", "information_cp0_minsplit2"),
    ("rpart_kyphosis", "loss_1_4"),
    ("rpart_carseats", "cp-1_minsplit30"),
    ("rpart_car_test_frame", "maxsurrogate0"),
    ("rpart_heart", "cp0_minsplit2"),
    ("rpart_heart", "cp-1_minsplit20"),
    ("rpart_heart", "usesurrogate0"),
    ("rpart_heart", "loss_1_3"),
    ("rpart_penguins", "cp-1_minsplit20"),
    ("rpart_stagec", "usesurrogate0"),
    ("rpart_stagec", "usesurrogate1"),
    ("rpart_titanic", "cp0_minsplit20"),
    ("rpart_titanic", "cp0_minsplit50"),
    ("rpart_titanic", "usesurrogate0"),
]
# Another of several splits that tie (the oracle lists them): the same number of
# leaves, but not the same nodes.
RPART_TIED = {
    ("rpart_adult_first5000", "default"),
    ("rpart_adult_first5000", "cp0_minsplit200"),
    ("rpart_car_test_frame", "cp0_minsplit2"),
    ("rpart_penguins", "cp0_minsplit2"),
}


def like_rpart(name, fit_name):
    """An estimator with rpart's settings, and rpart's rows and folds."""
    answer, call = oracle(name), fit_of(name, fit_name)["call"]
    frame = data_of(name)
    has_target = frame[answer["response"]].notna().to_numpy()
    folds = np.array(answer["xval_folds"])[has_target]
    frame = frame[has_target]
    is_class = call["method"] == "class"
    y = frame[answer["response"]].astype(str if is_class else float)
    made = (tw.TreeClassifier if is_class else tw.TreeRegressor).like(
        "rpart", method=call["method"], **call["control"], **call.get("parms", {})
    )
    return made, frame[answer["predictors"]], y, folds


def rpart_table(name, fit_name):
    """Our cp table with rpart's folds and settings, and the path behind it."""
    estimator, X, y, folds = like_rpart(name, fit_name)
    read = estimator._read(X, y, None, None)
    table = estimator._reweighted(read)
    training = TrainingSet(table, estimator._options())
    whole = find_path(training.grow())
    # rpart's tables end at the given cp.
    root = whole.risk[-1]
    least = fit_of(name, fit_name)["call"]["control"].get("cp", 0.01) * root
    path = whole.starting_at(least * (1 + 1e-9))
    scores = cross_validate(
        training,
        path,
        [Fold(np.flatnonzero(folds == each), None) for each in np.unique(folds)],
        factors=class_factors(read, table),
    )
    ours = {
        "CP": path.alpha / root,
        "nsplit": path.n_leaves - 1,
        "rel_error": path.risk / root,
        "xerror": scores.error[0] / root,
        "xstd": scores.error_std[0] / root,
    }
    return pd.DataFrame(ours).iloc[::-1].reset_index(drop=True), whole


@pytest.mark.parametrize(("name", "fit_name"), only_here(RPART_TREES))
def test_the_tree_is_rparts_node_by_node(name, fit_name):
    estimator, X, y, _ = like_rpart(name, fit_name)
    tree = estimator.fit(X, y).tree_
    theirs = fit_of(name, fit_name)["nodes"]
    assert tree.n_leaves == sum(node["var"] is None for node in theirs)
    if (name, fit_name) in RPART_TIED:
        assert fit_of(name, fit_name)["ties"]
        return
    names = [*X.columns, None]
    risk = tree.data.weighted_risk * len(y)
    if estimator.criterion == "poisson":
        risk = 2 * risk  # ours is half the deviance
    ours = zip(
        tree.n_rows.tolist(),
        [str(names[j]) for j in tree.feature],
        risk,
        strict=True,
    )
    said = [(node["n"], str(node["var"]), node["dev"]) for node in theirs]
    for mine, other in zip(sorted(ours), sorted(said), strict=True):
        assert mine[:2] == other[:2]
        assert mine[2] == pytest.approx(other[2], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("name", "fit_name"), only_here(RPART))
def test_the_table_is_rparts_number_by_number(name, fit_name):
    ours, _ = rpart_table(name, fit_name)
    theirs = pd.DataFrame(fit_of(name, fit_name)["cptable"])
    assert len(ours) == len(theirs)
    for column in theirs:
        np.testing.assert_allclose(ours[column], theirs[column], rtol=0, atol=1e-9)


@pytest.mark.parametrize(("name", "fit_name"), only_here(RPART_BUT_FOR_A_ROW))
def test_the_table_is_rparts_but_for_a_row(name, fit_name):
    ours, _ = rpart_table(name, fit_name)
    theirs = pd.DataFrame(fit_of(name, fit_name)["cptable"])
    for column in ("CP", "nsplit", "rel_error"):
        np.testing.assert_allclose(ours[column], theirs[column], rtol=0, atol=1e-9)
    off = RPART_BUT_FOR_A_ROW[name, fit_name]
    np.testing.assert_allclose(ours["xerror"], theirs["xerror"], atol=off + 1e-9)


@NEEDS_KYPHOSIS
def test_rpart_reads_losses_the_wrong_way_round_in_cross_validation(monkeypatch):
    # The root answers "present": 64 "absent" rows, at 1 each, are its risk. rpart
    # writes an xerror above 3: it takes 4, the loss of the other mistake.
    name, fit_name = "rpart_kyphosis", "loss_1_4"
    theirs = pd.DataFrame(fit_of(name, fit_name)["cptable"])
    ours, _ = rpart_table(name, fit_name)
    for column in ("CP", "nsplit", "rel_error"):
        np.testing.assert_allclose(ours[column], theirs[column], rtol=0, atol=1e-9)
    assert theirs["xerror"][0] > 3
    assert ours["xerror"][0] < 1.5
    turned = np.array(fit_of(name, fit_name)["call"]["parms"]["loss"], dtype=float).T
    monkeypatch.setattr(
        "treewright.tree.new_rows.loss_of",
        lambda tree: replace(loss_of(tree), costs=turned),
    )
    ours, _ = rpart_table(name, fit_name)
    for column in theirs:
        np.testing.assert_allclose(ours[column], theirs[column], rtol=0, atol=1e-9)


@NEEDS_KYPHOSIS
def test_rpart_understates_a_link_that_we_do_not():
    # Root: 17 wrong; four leaves: 12 wrong. A leaf is worth (17 - 12) / 3 of 17,
    # 0.098, as all prunings show; rpart 4.1.19 writes 0.088 and cuts too early.
    name, fit_name = "rpart_kyphosis", "information"
    theirs = fit_of(name, fit_name)["cptable"]
    assert [row["nsplit"] for row in theirs] == [0, 3]
    assert theirs[1]["rel_error"] == pytest.approx(12 / 17)
    assert theirs[0]["CP"] == pytest.approx(1.5 / 17)


@pytest.mark.parametrize(("name", "fit_name"), only_here(RPART))
def test_the_tree_at_one_standard_error_is_rparts(name, fit_name):
    ours, path = rpart_table(name, fit_name)
    theirs = pd.DataFrame(fit_of(name, fit_name)["cptable"])
    best = theirs["xerror"].idxmin()
    limit = theirs["xerror"][best] + theirs["xstd"][best]
    row = int(np.flatnonzero(theirs["xerror"] <= limit)[0])
    reverse = ours.iloc[::-1]
    step = one_standard_error(reverse["xerror"].to_numpy(), reverse["xstd"].to_numpy())
    assert len(ours) - 1 - step == row
    cp = theirs["CP"][row]
    pruned = path.tree(alpha=float(cp) * path.risk[-1] * (1 + 1e-9))
    kept = [
        node
        for node in fit_of(name, fit_name)["nodes"]
        if node["var"] is not None and node["cp"] > cp * (1 + 1e-9)
    ]
    assert sorted(pruned.n_rows[pruned.subtree_size > 1]) == sorted(
        node["n"] for node in kept
    )


# folds -------------------------------------------------------------------------------


def table_of(seed=0, n=103, classes=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 3)).astype(float)
    return X, rng.integers(0, classes, n)


def as_multisets(table, folds):
    """What each fold holds, whichever of equal rows they are."""
    values = np.stack([column.data for column in table.columns], axis=1)
    y = table.target.codes
    return [
        sorted((*values[row].tolist(), int(y[row])) for row in fold.test)
        for fold in folds
    ]


def test_folds_are_stratified_and_hold_every_row_once():
    X, y = table_of()
    folds = deal(tw.as_table(X, y), 10, 0)
    assert sorted(np.concatenate([f.test for f in folds]).tolist()) == list(range(103))
    for k in range(3):
        counts = [int((y[fold.test] == k).sum()) for fold in folds]
        assert max(counts) - min(counts) <= 2
    sizes = [len(fold.test) for fold in folds]
    assert max(sizes) - min(sizes) <= 1


def test_folds_do_not_depend_on_the_order_of_the_rows():
    X, y = table_of()
    order = np.random.default_rng(5).permutation(len(y))
    one, other = tw.as_table(X, y), tw.as_table(X[order], y[order])
    assert as_multisets(one, deal(one, 7, 3)) == as_multisets(other, deal(other, 7, 3))
    assert as_multisets(one, deal(one, 7, 3)) != as_multisets(one, deal(one, 7, 4))


def test_equal_rows_are_dealt_singly():
    table = tw.as_table(np.zeros((40, 2)), np.arange(40) % 2)
    for fold in deal(table, 10, 0):
        assert len(fold.test) == 4


def test_rows_of_a_group_stay_together():
    X, y = table_of(n=200)
    groups = np.random.default_rng(1).integers(0, 30, 200)
    folds = deal(tw.as_table(X, y), 5, 0, groups)
    home = {}
    for number, fold in enumerate(folds):
        for group in groups[fold.test].tolist():
            assert home.setdefault(group, number) == number
    sizes = [len(fold.test) for fold in folds]
    assert max(sizes) - min(sizes) <= 20


def test_groups_that_cannot_be_sorted_are_told_apart():
    X, y = table_of(n=60)
    names = np.array([7, "a", (1, 2), 7.5, "b", (2, 1)], dtype=object)
    number = np.random.default_rng(2).integers(0, 6, 60)
    found = check_groups(names[number], 60)
    assert len(np.unique(np.c_[found, number], axis=0)) == len(set(number)) == 6
    estimator = tw.TreeClassifier(cv=3)
    one = estimator.fit(X, y, groups=names[number]).tree_.fingerprint
    assert one == estimator.fit(X, y, groups=found).tree_.fingerprint


def test_rows_without_weight_are_not_dealt():
    X, y = table_of()
    w = np.arange(103) % 2
    folds = deal(tw.as_table(X, y, w), 5, 0)
    assert sorted(np.concatenate([f.test for f in folds])) == list(range(1, 103, 2))


def test_held_out_rows_are_a_share_of_every_class():
    X, y = table_of(n=1000)
    out = held_out(tw.as_table(X, y), 0.3, 0)
    assert len(out) == pytest.approx(300, abs=1)
    for k in range(3):
        assert (y[out] == k).sum() == pytest.approx(0.3 * (y == k).sum(), abs=1)


# the choice --------------------------------------------------------------------------


def test_the_smallest_tree_within_one_standard_error():
    error = np.array([0.30, 0.25, 0.20, 0.20, 0.24, 0.26, 0.50])
    std = np.full(7, 0.05)
    assert one_standard_error(error, std) == 4
    assert least_error(error) == 3


# the estimator -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5))
    y = (X[:, 0] > 0).astype(int) ^ (rng.random(600) < 0.15)
    return X, y.astype(int)


def test_the_default_finds_the_split_that_is_there(noisy):
    fitted = tw.TreeClassifier(**CLASSIC_CLASSES).fit(*noisy)
    assert fitted.tree_.n_leaves == 2
    record = fitted.pruning_
    assert record.method == "cv"
    assert record.n_folds == 10
    assert (
        record.n_leaves_before
        == tw.TreeClassifier(prune=None).fit(*noisy).get_n_leaves()
    )
    assert "the smallest tree within one standard error" in record.words or (
        "no smaller tree is within one standard error" in record.words
    )
    assert record.chosen_error == pytest.approx(0.15, abs=0.05)
    reasons = fitted.tree_.to_pandas()["stop_reason"]
    assert set(reasons) - {""} == {"cross_validation"}


def test_the_same_tree_and_table_for_any_order_and_threads(noisy):
    X, y = noisy
    X = np.round(X)
    order = np.random.default_rng(3).permutation(len(y))
    one = tw.TreeClassifier(n_jobs=1).fit(X, y)
    other = tw.TreeClassifier(n_jobs=3).fit(X[order], y[order])
    assert one.tree_ == other.tree_
    np.testing.assert_array_equal(one.pruning_.cv_error, other.pruning_.cv_error)
    y = X[:, 0] + X[:, 1] * 0.25
    one = tw.TreeRegressor(n_jobs=1).fit(X, y)
    other = tw.TreeRegressor(n_jobs=2).fit(X[order], y[order])
    assert one.tree_ == other.tree_
    np.testing.assert_array_equal(one.pruning_.cv_error, other.pruning_.cv_error)


@pytest.mark.parametrize("estimator", [tw.TreeClassifier, tw.TreeRegressor])
def test_weight_k_is_k_copies_for_given_folds(noisy, estimator):
    X, y = noisy[0][:150], noisy[1][:150]
    w = np.random.default_rng(2).integers(0, 4, 150)
    fold = np.arange(150) % 5
    pairs = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(5)]
    weighted = estimator(cv=pairs, prune_rule="min").fit(X, y, sample_weight=w)
    copies = np.repeat(fold, w)
    pairs = [
        (np.flatnonzero(copies != k), np.flatnonzero(copies == k)) for k in range(5)
    ]
    copied = estimator(cv=pairs, prune_rule="min").fit(
        np.repeat(X, w, axis=0), np.repeat(y, w)
    )
    for name in ("alpha", "n_leaves", "cv_error", "cv_std"):
        np.testing.assert_allclose(
            getattr(weighted.pruning_, name),
            getattr(copied.pruning_, name),
            rtol=1e-9,
            atol=1e-12,
        )
    np.testing.assert_array_equal(weighted.tree_.threshold, copied.tree_.threshold)


@pytest.mark.parametrize("estimator", [tw.TreeClassifier, tw.TreeRegressor])
@pytest.mark.parametrize("unit", [0.01, 0.1])
def test_the_unit_of_weights_below_one_does_not_matter(noisy, estimator, unit):
    X, y = noisy
    w = np.random.default_rng(3).choice([0.0, 0.5, 1.0, 1.5], len(y))
    w[w > 0] /= w[w > 0].mean()
    one = estimator().fit(X, y, sample_weight=w)
    other = estimator().fit(X, y, sample_weight=w * unit)
    assert_same_table(one.pruning_, other.pruning_)
    np.testing.assert_array_equal(one.tree_.threshold, other.tree_.threshold)
    alike = estimator().fit(X, y, sample_weight=np.full(len(y), unit))
    assert_same_table(estimator().fit(X, y).pruning_, alike.pruning_)


@pytest.mark.parametrize(
    "altered", [{"priors": [0.3, 0.7]}, {"costs": [[0, 1], [5, 0]]}]
)
def test_priors_and_costs_do_not_alter_what_a_row_counts(noisy, altered):
    X, y = noisy
    plain = tw.TreeClassifier(**altered).fit(X, y).pruning_
    tenth = tw.TreeClassifier(**altered).fit(X, y, sample_weight=np.full(len(y), 0.1))
    assert_same_table(plain, tenth.pruning_)


def test_weights_from_one_on_count_as_copies(noisy):
    X, y = noisy
    once, twice = (
        tw.TreeClassifier(**CLASSIC_CLASSES)
        .fit(X, y, sample_weight=np.full(len(y), w))
        .pruning_
        for w in (1.0, 2.0)
    )
    np.testing.assert_allclose(twice.cv_std, once.cv_std / np.sqrt(2))
    np.testing.assert_array_equal(twice.cv_error, once.cv_error)


@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_equal_weights_deal_the_folds_of_none(target):
    y = table_of()[1]
    X = np.random.default_rng(4).random((len(y), 2))
    y = y if target == "classes" else X[:, 0]
    plain = deal(tw.as_table(X, y), 5, 0)
    for w in (1.0, 2.0, 0.1):
        folds = deal(tw.as_table(X, y, np.full(len(y), w)), 5, 0)
        for one, other in zip(plain, folds, strict=True):
            np.testing.assert_array_equal(one.test, other.test)
    # Rows of weight 0 are as absent.
    there = np.arange(len(y)) % 3 > 0
    part = deal(tw.as_table(X[there], y[there]), 5, 0)
    folds = deal(tw.as_table(X, y, 0.5 * there), 5, 0)
    for one, other in zip(part, folds, strict=True):
        np.testing.assert_array_equal(np.flatnonzero(there)[one.test], other.test)


def assert_same_table(one, other):
    np.testing.assert_array_equal(one.n_leaves, other.n_leaves)
    assert one.n_leaves_after == other.n_leaves_after
    for name in ("alpha", "error", "cv_error", "cv_std"):
        np.testing.assert_allclose(
            getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-12
        )


def test_splitters_of_scikit_learn_give_the_folds(noisy):
    X, y = noisy
    plain = tw.TreeClassifier(cv=KFold(4)).fit(X, y).pruning_
    pairs = tw.TreeClassifier(cv=list(KFold(4).split(X))).fit(X, y).pruning_
    np.testing.assert_array_equal(plain.cv_error, pairs.cv_error)
    assert plain.n_folds == 4
    assert tw.TreeClassifier(cv=StratifiedKFold(3)).fit(X, y).pruning_.n_folds == 3
    groups = np.arange(600) // 10
    assert tw.TreeClassifier(cv=GroupKFold(3)).fit(X, y, groups=groups).tree_
    assert tw.TreeClassifier(cv=5).fit(X, y, groups=groups).pruning_.n_folds == 5


def test_cp_says_where_the_table_of_cross_validation_begins(noisy):
    X, y = noisy
    settings = {"prune": "cv", "prune_rule": "min", "minsplit": 5}
    whole = tw.TreeClassifier.like("rpart", cp=0, **settings).fit(X, y).pruning_
    root, middle = whole.error[-1], len(whole.alpha) // 2
    cp = float(whole.alpha[middle : middle + 2].mean() / root)
    found = tw.TreeClassifier.like("rpart", cp=cp, **settings).fit(X, y).pruning_
    assert found.method == "cv"
    assert found.alpha[0] == pytest.approx(cp * root)
    np.testing.assert_array_equal(found.alpha[1:], whole.alpha[middle + 1 :])
    np.testing.assert_array_equal(found.n_leaves, whole.n_leaves[middle:])
    np.testing.assert_array_equal(found.cv_error[1:], whole.cv_error[middle + 1 :])
    assert found.n_leaves_after <= found.n_leaves[0]
    assert found.n_leaves_before == whole.n_leaves_before
    with pytest.raises(tw.OptionError, match="fixed cut, which contradicts prune='cv'"):
        tw.TreeClassifier(ccp_alpha=0.01, prune="cv").fit(X, y)


def test_one_fold_is_one_part_held_out(noisy):
    X, y = noisy
    splitter = ShuffleSplit(1, test_size=0.25, random_state=0)
    train, test = next(splitter.split(X))
    fitted = tw.TreeClassifier(cv=splitter, **CLASSIC_CLASSES).fit(X, y)
    found = fitted.pruning_
    assert found.n_folds == 1
    assert found.notes[0] == "1 fold: the errors come from a single held-out part"
    # A tree of the training rows, cut at the geometric means, and its binomial error.
    whole = tw.pruning_path(tw.TreeClassifier(prune=None).fit(X, y))
    part = tw.pruning_path(tw.TreeClassifier(prune=None).fit(X[train], y[train]))
    alphas = [*np.sqrt(whole.alpha[:-1] * whole.alpha[1:]), 1e9]
    wrong = [np.mean(part.tree(alpha=a).predict(X[test]) != y[test]) for a in alphas]
    np.testing.assert_allclose(found.cv_error, wrong)
    spread = np.sqrt(found.cv_error * (1 - found.cv_error) / len(test))
    np.testing.assert_allclose(found.cv_std, spread)
    pair = tw.TreeClassifier(cv=[(train, test)], **CLASSIC_CLASSES).fit(X, y)
    assert_same_table(pair.pruning_, found)
    assert pair.tree_ == fitted.tree_


def test_folds_that_test_a_row_twice_are_refused_with_the_row(noisy):
    X, y = noisy
    everyone = np.arange(600)
    cases = [
        ([(everyone[9:], [4, 7]), (everyone[9:], [5, 7])], "row 7 .*folds 0 and 1"),
        ([(everyone[9:], [4, 7, 4])], "tests row 4 twice, in folds 0 and 0"),
        ([(everyone[9:], [4]), (everyone[3:], [8, 1])], "Fold 1 .* trains on row 8"),
        (ShuffleSplit(5, random_state=0), "tests row [0-9]+ twice"),
        (RepeatedKFold(n_splits=2, n_repeats=2, random_state=0), "in folds 0 and 2"),
    ]
    for cv, words in cases:
        with pytest.raises(tw.OptionError, match=words):
            tw.TreeClassifier(cv=cv).fit(X, y)


def test_folds_without_weight_are_named(noisy):
    X, y = noisy
    weight = np.ones(600)
    weight[:300] = 0
    halves = [(range(300, 600), range(300)), (range(300), range(300, 600))]
    with pytest.raises(tw.OptionError, match="Fold 1 of cv trains on no row of weight"):
        tw.TreeClassifier(cv=halves).fit(X, y, sample_weight=weight)
    with pytest.raises(tw.OptionError, match="cv tests no row of weight above 0"):
        tw.TreeClassifier(cv=halves[:1]).fit(X, y, sample_weight=weight)


def test_few_rows_give_fewer_folds_or_no_pruning_and_say_so():
    X = np.arange(40.0).reshape(-1, 2)
    fitted = tw.TreeClassifier().fit(X[:14], np.arange(14) % 2)
    assert fitted.pruning_.n_folds == 7 or fitted.pruning_.n_folds == 0
    assert fitted.pruning_.notes == ("7 folds instead of 10, for 14 rows",)
    few = tw.TreeClassifier().fit(X[:4], [0, 1, 0, 1])
    assert few.pruning_.method is None
    assert "4 rows are too few to cross-validate" in few.pruning_.words
    assert few.tree_.n_leaves == 4
    groups = [0] * 10 + [1] * 10
    grouped = tw.TreeClassifier().fit(X, np.arange(20) % 2, groups=groups)
    assert grouped.pruning_.notes == ("2 folds instead of 10, for 2 groups",)
    alone = tw.TreeClassifier().fit(X, np.arange(20) % 2, groups=["a"] * 20)
    assert alone.pruning_.method is None
    assert "all rows belong to one group" in alone.pruning_.words
    with pytest.raises(tw.OptionError, match="number of groups, 2; got 5"):
        tw.TreeClassifier(cv=5).fit(X, np.arange(20) % 2, groups=groups)


@pytest.mark.parametrize("n_groups", [2, 5, 9, 12])
def test_few_groups_are_the_folds(noisy, n_groups):
    X, y = noisy
    groups = np.arange(600) % n_groups
    found = tw.TreeClassifier().fit(X, y, groups=groups).pruning_
    assert found.method == "cv"
    assert found.n_folds == min(n_groups, 10)
    if n_groups < 10:
        by_hand = tw.TreeClassifier(cv=GroupKFold(n_groups)).fit(X, y, groups=groups)
        np.testing.assert_allclose(found.cv_error, by_hand.pruning_.cv_error)


@pytest.mark.parametrize("absent", [None, float("nan"), pd.NA, pd.NaT])
def test_a_missing_group_is_refused(noisy, absent):
    X, y = noisy
    groups = np.array([*"abcdefgh"] * 75, dtype=object)
    groups[7] = absent
    for cv in (None, GroupKFold(3)):
        with pytest.raises(tw.TableError, match="groups is missing in row 7"):
            tw.TreeClassifier(cv=cv).fit(X, y, groups=groups)
    with pytest.raises(tw.TableError, match="row 3"):
        tw.TreeClassifier().fit(X, y, groups=np.where(np.arange(600) == 3, np.nan, 1))


@pytest.mark.parametrize("cv", [GroupKFold(3), LeaveOneGroupOut()])
def test_a_splitter_by_groups_needs_groups(noisy, cv):
    with pytest.raises(tw.OptionError, match=r"Call fit\(X, y, groups=...\)"):
        tw.TreeClassifier(cv=cv).fit(*noisy)


def test_other_errors_of_a_splitter_are_its_own(noisy):
    with pytest.raises(ValueError, match="n_splits=1000 greater than the number of"):
        tw.TreeClassifier(cv=KFold(1000)).fit(*noisy)


def test_without_threads_the_folds_are_scored_one_after_another(noisy, monkeypatch):
    training = TrainingSet(tw.as_table(*noisy), tw.GrowOptions(n_jobs=3))
    path, folds = find_path(training.grow()), deal(training.table, 4, 0)
    monkeypatch.setattr(cross_validation, "_SMALL_WORK", 0)
    expected = cross_validate(training, path, folds)

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    done = []
    found = cross_validate(training, path, folds, progress=done.append)
    assert done == [1, 2, 3, 4]
    for name, values in vars(expected).items():
        np.testing.assert_array_equal(getattr(found, name), values, err_msg=name)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"priors": [0.5, 0.5], "costs": [[0, 3], [1, 0]]}, r"\d leaves: "),
        ({"min_samples_leaf": 60}, "1 leaf: the grown tree has no split to prune"),
    ],
    ids=["priors and costs", "one size"],
)
def test_rows_on_disk_get_the_size_of_rows_in_memory(
    noisy, settings, words, tmp_path, monkeypatch
):
    pytest.importorskip("pyarrow")
    X, y = (part[:100] for part in noisy)
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    frame = frame.assign(y=y, w=1.0 + np.arange(100) % 3)
    for part in (0, 1):
        frame.iloc[part::2].to_parquet(tmp_path / f"{part}.parquet", index=False)
    found = []
    for where in ("memory", "codes on disk"):
        plan = Plan(where, where, 40)
        monkeypatch.setattr(in_parts, "plan_for", lambda *_, plan=plan, **__: plan)
        estimator = tw.TreeClassifier(prune="cv", cv=2, findings="ignore", **settings)
        found.append(estimator.fit(tmp_path, target="y", sample_weight="w"))
    one, other = found
    assert re.match(words, one.pruning_.words)
    assert one.tree_ == other.tree_
    assert str(one.pruning_) == str(other.pruning_)
    assert one.pruning_.shrinkage == other.pruning_.shrinkage


def test_a_class_with_one_row_is_named():
    X, y = np.arange(30.0).reshape(-1, 1), ["a"] * 15 + ["b"] * 14 + ["c"]
    record = tw.TreeClassifier().fit(X, y).pruning_
    assert record.notes == ("class 'c' has one row, never both trained on and tested",)


def test_the_record_prints_goes_to_pandas_and_is_drawn(noisy):
    record = tw.TreeClassifier(**CLASSIC_CLASSES).fit(*noisy).pruning_
    lines = str(record).splitlines()
    assert max(map(len, lines)) <= 88
    assert " ".join(lines.pop(0).split() + lines.pop(0).split()) == record.words
    lines.insert(0, record.words)
    assert lines[2].startswith("  errors relative to that of the root, ")
    heads = ["alpha", "leaves", "error", "cv", "error", "std", "log-loss"]
    assert lines[4].split() == [*heads, "vs", "taken"]
    assert lines[-1].split()[1:3] == ["1", "1.000"]
    assert sum("<- taken" in line for line in lines) == 1
    assert len(lines) < 40
    frame = record.to_pandas()
    assert list(frame) == [
        "alpha",
        "n_leaves",
        "error",
        "cv_error",
        "cv_std",
        "log_loss",
        "error against the chosen size",
        "cp",
        "chosen",
    ]
    assert frame["chosen"].sum() == 1
    assert frame["cp"].iloc[-1] == pytest.approx(
        frame["alpha"].iloc[-1] / frame["error"].iloc[-1]
    )
    assert repr(record).startswith("Pruning('cv', ")


def test_the_path_of_the_estimator_is_scikit_learns(noisy):
    from sklearn.tree import DecisionTreeClassifier

    X, y = noisy[0].astype(np.float32), noisy[1]
    ours = tw.TreeClassifier(max_depth=3).cost_complexity_pruning_path(X, y)
    theirs = DecisionTreeClassifier(max_depth=3).cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(ours.ccp_alphas, theirs.ccp_alphas, atol=1e-9)
    np.testing.assert_allclose(ours.impurities, theirs.impurities, atol=1e-9)
    for alpha in ours.ccp_alphas:
        cut = tw.TreeClassifier(max_depth=3, ccp_alpha=float(alpha)).fit(X, y)
        same = DecisionTreeClassifier(max_depth=3, ccp_alpha=float(alpha) * (1 + 1e-9))
        assert cut.get_n_leaves() == same.fit(X, y).get_n_leaves()
    by_error = tw.TreeClassifier(max_depth=3, prune_risk="error")
    assert by_error.cost_complexity_pruning_path(X, y).impurities[-1] == min(
        y.mean(), 1 - y.mean()
    )


def test_titanic_with_coarse_columns_has_an_honest_error():
    frame = pd.read_csv(real_table("titanic.csv"))
    X = frame[["pclass", "sex", "sibsp", "parch", "embarked"]]
    record = tw.TreeClassifier().fit(X, frame["survived"]).pruning_
    assert record.cv_error.min() == pytest.approx(0.21, abs=0.02)
