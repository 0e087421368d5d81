"""`like`: other programs' settings, in their names, as ordinary parameters."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw
from treewright.estimators import presets

BOTH = (tw.TreeClassifier, tw.TreeRegressor)
OF_PRUNING = {"ccp_alpha", "prune", "prune_confidence", "prune_risk", "shrinkage"}
PEERS = Path(__file__).resolve().parents[2] / "docs" / "reference" / "peers.md"


def given(program, estimator=tw.TreeClassifier, **settings):
    """Return the parameters that are not our defaults."""
    made = estimator.like(program, **settings)
    usual = estimator().get_params()
    assert clone(made).get_params() == made.get_params()
    return {k: v for k, v in made.get_params().items() if v is not usual[k]}


def refused(words, program, estimator=tw.TreeClassifier, **settings):
    with pytest.raises(tw.OptionError) as caught:
        estimator.like(program, **settings)
    assert words in str(caught.value), str(caught.value)


def without_pruning(parameters):
    """Return the other parameters; what no other program does must be off."""
    assert parameters["shrinkage"] is None
    assert parameters["min_samples_leaf"] != "auto"
    found = {k: v for k, v in parameters.items() if k not in OF_PRUNING}
    if found["min_samples_leaf"] == 1:
        del found["min_samples_leaf"]
    return found


# --- what each preset is -------------------------------------------------------------


def test_sklearn():
    assert without_pruning(given("sklearn")) == {
        "conventions": "sklearn",
        "criterion": "gini",
        "missing": "learned",
    }
    assert given("sklearn", tw.TreeRegressor)["criterion"] == "squared_error"
    settings = {"max_depth": 3, "min_samples_leaf": 0.1, "splitter": "best"}
    made = given("sklearn", criterion="log_loss", monotonic_cst=None, **settings)
    assert made["max_depth"] == 3
    assert made["min_samples_leaf"] == 0.1
    assert made["criterion"] == "log_loss"
    made = given("sklearn", tw.TreeRegressor, criterion="friedman_mse")
    assert made["criterion"] == "squared_error"


def test_every_parameter_of_scikit_learn_is_known():
    theirs = {*DecisionTreeClassifier().get_params()}
    theirs |= {*DecisionTreeRegressor().get_params()}
    assert theirs == set(presets._SKLEARN.settings)


def test_rpart():
    assert without_pruning(given("rpart")) == {
        "conventions": "rpart",
        "criterion": "gini",
        "max_depth": 30,
        "min_gain": 1e-10,
        "min_samples_leaf": 7,
        "min_samples_split": 20,
        "missing": "surrogate",
    }


def test_rpart_ties_minsplit_and_minbucket_together():
    for settings, expected in (
        ({"minsplit": 10}, (10, 3)),
        ({"minsplit": 2}, (2, 1)),
        ({"minbucket": 4}, (12, 4)),
        ({"minsplit": 8, "minbucket": 5}, (8, 5)),
        ({"minsplit": 1, "minbucket": 1}, (2, 1)),
    ):
        made = tw.TreeClassifier.like("rpart", **settings)
        assert (made.min_samples_split, made.min_samples_leaf) == expected


def test_none_is_no_limit_where_we_have_one():
    assert tw.TreeClassifier.like("rpart", maxdepth=None).max_depth is None
    model = tw.TreeClassifier.like("rpart", minsplit=None)
    with pytest.raises(tw.OptionError, match=r"min_samples_split must be .* got None"):
        model.fit({"x": [1, 2]}, [0, 1])


def test_rpart_settings():
    made = given(
        "rpart",
        maxdepth=4,
        maxsurrogate=2,
        surrogatestyle=1,
        usesurrogate=1,
        split="information",
        loss=[[0, 1], [4, 0]],
        prior=[0.65, 0.35],
        xval=10,
        maxcompete=4,
        method="class",
    )
    assert made["max_depth"] == 4
    assert made["max_surrogates"] == 2
    assert made["surrogate_agreement"] == "known"
    assert made["surrogate_fallback"] == "stop"
    assert made["criterion"] == "entropy"
    assert made["costs"] == [[0, 1], [4, 0]]
    assert made["priors"] == [0.65, 0.35]
    stopping = given("rpart", usesurrogate=0)
    assert stopping["max_surrogates"] == 0
    assert stopping["surrogate_fallback"] == "stop"
    poisson = given("rpart", tw.TreeRegressor, method="poisson", shrink=0)
    assert poisson["criterion"] == "poisson"


def test_c45():
    assert without_pruning(given("c45")) == {
        "categories": "multiway",
        "criterion": "gain_ratio",
        "method": "c45",
        "min_branch_weight": 2,
        "missing": "fractional",
    }
    made = given("c45", m=5, s=True)
    assert (made["min_branch_weight"], made["categories"]) == (5, "grouped")


def test_j48():
    made = given("j48", M=3, U=True, Q=1, L=True, A=False)
    assert without_pruning(made) == {
        "categories": "multiway",
        "conventions": "j48",
        "criterion": "gain_ratio",
        "method": "c45",
        "min_branch_weight": 3,
        "missing": "fractional",
        "random_state": 1,
    }
    assert given("j48", minNumObj=3, unpruned=True, seed=1) == made


def test_id3():
    assert without_pruning(given("id3", discretize=4)) == {
        "criterion": "entropy",
        "discretize": 4,
        "method": "id3",
        "missing": "learned",
    }
    assert given("id3", tw.TreeRegressor)["criterion"] == "squared_error"


@pytest.mark.parametrize("estimator", BOTH)
def test_our_own_parameters_go_with_every_preset(estimator):
    for program in ("sklearn", "rpart", "id3"):
        made = estimator.like(
            program, n_jobs=1, kinds={"a": "categorical"}, max_nodes=9
        )
        assert made.n_jobs == 1
        assert made.kinds == {"a": "categorical"}
        assert made.max_nodes == 9


def test_options_accept_every_preset():
    X, y = [[1.0], [2.0], [3.0]], [0, 1, 1]
    for program in presets.PROGRAMS:
        made = tw.TreeClassifier.like(program)
        assert made._options().method in ("cart", "id3", "c45")
    assert clone(tw.TreeClassifier.like("sklearn")).fit(X, y).predict(X).tolist() == y


# --- what is refused -----------------------------------------------------------------


def test_an_unknown_program():
    refused(
        "like takes 'sklearn', 'rpart', 'c45', 'j48' or 'id3'; got 'sklern'. Did you "
        "mean 'sklearn'?",
        "sklern",
    )
    refused("got 7.", 7)


def test_an_unknown_setting():
    refused(
        "like('rpart') has no setting 'minsplt'. Did you mean 'minsplit'?",
        "rpart",
        minsplt=20,
    )
    refused("Its settings are m, c, s, g.", "c45", qqqqqq=1)
    refused("It has no settings of its own.", "id3", qqqqqq=1)


def test_programs_for_classes_are_refused_for_numbers():
    for program in ("c45", "j48"):
        refused(
            f"like({program!r}) grows classification trees, but TreeRegressor predicts "
            "numbers. Use like('rpart'), like('sklearn') or like('id3').",
            program,
            tw.TreeRegressor,
        )
    words = "prior is a setting for classes, but TreeRegressor predicts numbers."
    refused(words, "rpart", tw.TreeRegressor, prior=[0.5, 0.5])
    words = "class_weight is a setting for classes, but TreeRegressor predicts numbers."
    refused(words, "sklearn", tw.TreeRegressor, class_weight="balanced")
    words = "method='anova' is for TreeRegressor.like('rpart')."
    refused(words, "rpart", method="anova")


@pytest.mark.parametrize(
    ("program", "settings", "words"),
    [
        ("sklearn", {"splitter": "random"}, "splitter='random' is not supported"),
        ("sklearn", {"splitter": "random"}, "Use max_features for random trees."),
        ("sklearn", {"monotonic_cst": [1]}, "have no monotonicity constraints."),
        ("sklearn", {"criterion": "ginni"}, "criterion must be 'gini', 'entropy',"),
        ("rpart", {"usesurrogate": 3}, "usesurrogate must be 0, 1 or 2; got 3."),
        ("rpart", {"usesurrogate": True}, "must be 0, 1 or 2; got True."),
        ("rpart", {"surrogatestyle": 2}, "surrogatestyle must be 0 or 1; got 2."),
        ("rpart", {"split": "entropy"}, "split must be 'gini' or 'information'; got"),
        ("rpart", {"shrink": 1}, "shrink=1 is not supported"),
        ("rpart", {"cost": [1, 2]}, "columns have no costs. Leave costly columns"),
        ("rpart", {"method": "exp"}, "is for TreeRegressor.like('rpart')."),
        ("j48", {"B": True}, "categories='grouped' finds the best grouping."),
        ("j48", {"A": True}, "shares are not smoothed."),
        ("j48", {"J": True}, "J=True is not supported"),
        ("c45", {"g": True}, "c45 chooses by the gain ratio."),
        (
            "rpart",
            {"minsplit": 20, "min_samples_split": 5},
            "minsplit and min_samples_split both set min_samples_split, to 20 and 5. "
            "Pass only one of them.",
        ),
    ],
)
def test_what_cannot_be_is_refused(program, settings, words):
    refused(words, program, **settings)


def test_settings_of_pruning():
    names = tw.TreeClassifier().get_params()
    made = presets.translated("rpart", "class", names, {"cp": 0.02})
    assert (made["ccp_alpha"], made["prune_risk"]) == (0.02, "error")
    assert presets.translated("rpart", "class", names, {})["ccp_alpha"] == 0.01
    assert presets.translated("rpart", "class", names, {"cp": -1})["prune"] is None
    made = presets.translated("sklearn", "class", names, {"ccp_alpha": 0.1})
    assert (made["prune"], made["prune_risk"]) == ("auto", "impurity")
    assert presets.translated("sklearn", "class", names, {})["prune"] is None
    made = presets.translated("c45", "class", names, {"c": 10})
    assert (made["prune"], made["prune_confidence"]) == ("pessimistic", 0.1)
    made = presets.translated("j48", "class", names, {"R": True, "N": 4})
    assert (made["prune"], made["validation_fraction"]) == ("validation", 0.25)


def noisy(n=300):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4)).round(1)
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


def test_another_pruning_method_replaces_the_programs_own():
    X, y = noisy()
    for settings, method in (
        ({}, "ccp_alpha"),
        ({"cp": 0.1}, "ccp_alpha"),
        ({"cp": -1}, None),
        ({"prune": None}, None),
        ({"prune": "cv"}, "cv"),
        ({"prune": "cv", "cv": 4, "prune_rule": "min"}, "cv"),
        ({"prune": "validation"}, "validation"),
    ):
        fitted = tw.TreeClassifier.like("rpart", **settings).fit(X, y)
        assert fitted.pruning_.method == method, settings
    for program in ("c45", "j48"):
        fitted = tw.TreeClassifier.like(program).fit(X, y)
        assert fitted.pruning_.method == "pessimistic"
        assert fitted.pruning_.n_leaves_after < fitted.pruning_.n_leaves_before
    fitted = tw.TreeClassifier.like("j48", U=True).fit(X, y)
    assert fitted.pruning_.method is None
    fitted = tw.TreeClassifier.like("j48", R=True, N=3).fit(X, y)
    assert fitted.pruning_.method == "validation"


def test_cp_is_relative_to_the_risk_of_the_root():
    X, y = noisy()
    whole = tw.TreeClassifier.like("rpart", cp=-1).fit(X, y)
    path = tw.pruning_path(whole)
    for alpha, n_leaves in zip(path.alpha, path.n_leaves, strict=True):
        # A node whose complexity is cp is cut.
        cp = float(alpha / path.risk[-1])
        fitted = tw.TreeClassifier.like("rpart", cp=cp).fit(X, y)
        assert fitted.tree_.n_leaves == n_leaves
    assert "the root's error" in fitted.pruning_.words
    numbers = X[:, 0] + X[:, 1]
    fitted = tw.TreeRegressor.like("rpart", cp=0.05).fit(X, numbers)
    by_share = tw.TreeRegressor.like("rpart", cp=-1).fit(X, numbers)
    path = tw.pruning_path(by_share)
    same = path.tree(alpha=0.05 * float(np.var(numbers)))
    np.testing.assert_array_equal(fitted.tree_.threshold, same.threshold)


def test_scikit_learn_keeps_every_split_at_alpha_0():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    y = [0, 1, 0, 1]
    fitted = tw.TreeClassifier.like("sklearn", ccp_alpha=0.0).fit(X, y)
    assert fitted.prune is None
    theirs = DecisionTreeClassifier(ccp_alpha=0.0).fit(X, y)
    assert fitted.get_n_leaves() == theirs.get_n_leaves()
    for alpha in (0.005, 0.02):
        X, y = noisy()
        ours = tw.TreeClassifier.like("sklearn", ccp_alpha=alpha, max_depth=4).fit(X, y)
        theirs = DecisionTreeClassifier(ccp_alpha=alpha, max_depth=4, random_state=0)
        assert ours.get_n_leaves() == theirs.fit(X, y).get_n_leaves()


@pytest.mark.parametrize("prune", [None, "cv", "validation"])
def test_extra_outputs_of_growing_survive_pruning(prune):
    X, y = noisy()
    rng = np.random.default_rng(1)
    X = X + rng.random(X.shape) * 1e-3
    options = {"thresholds": "readable", "competitors": 2, "prune": prune}
    seed = 1 if prune == "validation" else None  # other rows prefer a single leaf
    tree = tw.TreeClassifier(max_depth=3, random_state=seed, **options).fit(X, y).tree_
    assert tree.n_leaves > 1
    cuts = tree.threshold[~np.isnan(tree.threshold)]
    assert max(len(repr(float(cut))) for cut in cuts) <= 8
    assert len(tree.competitors(0)) == 2
    float32 = tw.TreeClassifier.like("sklearn", prune=prune).fit(X, y).tree_
    assert float32.schema.any_float32


def test_the_document_names_every_setting_and_its_code_runs():
    text = PEERS.read_text(encoding="utf-8")
    parts = text.split("\n## ")
    for program, preset in presets._PRESETS.items():
        (part,) = [each for each in parts if f'`like("{program}")`' in each]
        assert [name for name in preset.settings if f"`{name}`" not in part] == []
    exec(text.partition("```python")[2].partition("```")[0], {})


# --- rpart's and J48's rows and trees -------------------------------------------------


def test_numbers_of_numpy_and_whole_floats_count_as_numbers():
    for number in (np.int64(30), np.int8(30), 30.0, np.float32(30), np.float64(30)):
        made = tw.TreeClassifier.like("rpart", minsplit=number)
        assert (made.min_samples_split, made.min_samples_leaf) == (30, 10)
        made = tw.TreeClassifier.like("rpart", minbucket=number)
        assert (made.min_samples_split, made.min_samples_leaf) == (90, 30)
        made = tw.TreeClassifier.like("rpart", maxdepth=number, maxsurrogate=number)
        assert (made.max_depth, made.max_surrogates) == (30, 30)
    assert tw.TreeClassifier.like("rpart", cp=np.float32(-1)).prune is None
    assert tw.TreeClassifier.like("sklearn", ccp_alpha=np.float32(0)).prune is None
    assert tw.TreeClassifier.like("j48", U=np.True_).prune is None
    assert tw.TreeClassifier.like("j48", N=np.int64(4)).validation_fraction == 0.25
    assert tw.TreeClassifier.like("c45", c=np.int64(10)).prune_confidence == 0.1
    for wrong in (0.5, 20.5, "20", True, np.True_, float("nan"), float("inf")):
        refused("minsplit must be a whole number; got", "rpart", minsplit=wrong)


def test_rpart_takes_maxsurrogate_where_surrogates_are_not_used():
    made = tw.TreeClassifier.like("rpart", usesurrogate=0, maxsurrogate=3)
    assert (made.max_surrogates, made.surrogate_fallback) == (0, "stop")
    made = tw.TreeClassifier.like("rpart", minsplit=9, min_samples_leaf=4)
    assert (made.min_samples_split, made.min_samples_leaf) == (9, 4)


def test_rpart_leaves_rows_out_that_have_no_value_at_all():
    X, y = noisy()
    gone = np.random.default_rng(2).random(len(X)) < 0.1
    X[gone] = np.nan
    X[0, 0] = np.nan
    whole = tw.TreeClassifier.like("rpart").fit(X, y)
    known = tw.TreeClassifier.like("rpart").fit(X[~gone], y[~gone])
    assert whole.tree_.n_rows[0] == np.count_nonzero(~gone)
    for name, array in known.tree_.data.arrays().items():
        np.testing.assert_array_equal(getattr(whole.tree_.data, name), array)
    nothing = {"a": [None, None], "b": [np.nan, np.nan]}
    with pytest.raises(tw.TableError, match="No row has a known value in any column"):
        tw.TreeClassifier.like("rpart", kinds={"a": "numeric"}).fit(nothing, [0, 1])


def test_j48_cuts_what_saves_no_training_error_even_unpruned():
    # The second split has no class of its own on either side.
    X = {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]}
    y = ["a", "a", "a", "b", "b", "b", "b", "b"]
    plain = tw.TreeClassifier.like("j48", U=True).fit(X, y)
    assert plain.tree_.n_leaves == 2
    X, y = noisy()
    grown = tw.TreeClassifier.like("c45", prune=None).fit(X, y)
    fitted = tw.TreeClassifier.like("j48", U=True).fit(X, y)
    record, tree = fitted.pruning_, fitted.tree_.data
    assert record.n_leaves_after == tree.n_leaves < record.n_leaves_before
    assert "splits that save no training error are cut" in record.words
    assert grown.pruning_.n_leaves_before == grown.tree_.n_leaves
    errors = tree.value.sum(axis=1) - tree.value.max(axis=1)
    for node in np.flatnonzero(tree.subtree_size > 1):
        part = slice(node, node + tree.subtree_size[node])
        leaves = tree.subtree_size[part] == 1
        assert errors[part][leaves].sum() < errors[node] - 1e-3


# --- scikit-learn's numbers ----------------------------------------------------------


def same_cuts(ours, theirs):
    mine = np.sort(ours.tree_.threshold[ours.tree_.split_kind > 0])
    other = np.sort(theirs.tree_.threshold[theirs.tree_.feature >= 0])
    return np.array_equal(mine, other)


def test_thresholds_are_scikit_learns_to_the_last_bit():
    rng = np.random.default_rng(0)
    for _ in range(10):
        X, y = rng.normal(size=(500, 4)), rng.normal(size=500)
        rules = {"max_depth": 3, "min_samples_leaf": 20}  # few rows, many ties
        ours = tw.TreeRegressor.like("sklearn", **rules).fit(X, y)
        theirs = DecisionTreeRegressor(random_state=0, **rules).fit(X, y)
        assert same_cuts(ours, theirs)
        assert ours.tree_.schema.any_float32
        # Values beside a threshold, too near for float32 to tell: cast, then compare.
        at = ours.tree_.threshold[0] * (1 + 1e-9 * np.arange(-5, 6))
        Z = np.repeat(X[:1], 11, axis=0)
        Z[:, ours.tree_.feature[0]] = at
        assert np.allclose(ours.predict(Z), theirs.predict(Z))
        as_frame = {f"x{i}": Z[:, i] for i in range(4)}
        assert np.allclose(ours.predict(as_frame), theirs.predict(Z))


def test_dates_keep_every_microsecond_where_numbers_are_float32():
    days = np.datetime64("2020-01-01", "us") + np.arange(40) * np.timedelta64(1, "s")
    X = {"at": days, "x": np.linspace(0, 1, 40)[::-1] % 0.3}
    tree = tw.TreeClassifier.like("sklearn").fit(X, np.arange(40) > 13).tree_
    assert [each.float32 for each in tree.schema.features] == [False, True]
    middle = days[13] + np.timedelta64(500_000, "us")
    assert tree.threshold[0] == float(middle.astype(np.int64))  # float32 is coarser
    assert tree.apply(X).tolist() == [1] * 14 + [2] * 26


def test_missing_values_go_where_scikit_learn_sends_them():
    compared = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 40))
        X, y = rng.normal(size=(n, 1)), rng.normal(size=n)
        if seed % 2:
            X[rng.random(n) < 0.1] = np.nan
        weight = rng.integers(1, 4, n).astype(float) if seed % 3 == 0 else None
        ours = tw.TreeRegressor.like("sklearn").fit(X, y, weight)
        theirs = DecisionTreeRegressor(random_state=0).fit(X, y, weight)
        if not same_cuts(ours, theirs):  # other ties
            continue
        cut = ours.tree_.split_kind == 1
        left = theirs.tree_.missing_go_to_left[theirs.tree_.feature >= 0]
        assert np.array_equal(ours.tree_.missing_route[cut] == 0, left[cut[cut]])
        compared += 1
    assert compared > 25


@pytest.mark.needs("scikit-learn>=1.7")
def test_values_within_1e_7_are_one_as_in_scikit_learn():
    rng = np.random.default_rng(1)
    merged = 0
    for _ in range(200):
        n = int(rng.integers(5, 60))
        steps = rng.choice([3e-8, 6e-8, 9e-8, 2e-7])
        X = np.round(rng.random((n, 1)), 2) + rng.integers(0, 4, (n, 1)) * steps
        X *= rng.choice([1, 0.01, 1e-4])
        y = rng.integers(0, 2, n)
        ours = tw.TreeClassifier.like("sklearn").fit(X, y)
        theirs = DecisionTreeClassifier(random_state=0).fit(X, y)
        assert same_cuts(ours, theirs)
        Z = X + rng.normal(size=X.shape) * 1e-8
        assert np.array_equal(ours.predict_proba(Z), theirs.predict_proba(Z))
        merged += ours.get_n_leaves() != tw.TreeClassifier().fit(X, y).get_n_leaves()
    assert merged > 20


@pytest.mark.needs("scikit-learn>=1.7")
def test_a_chain_of_near_values_is_no_place_to_cut():
    X = (np.arange(20) * 9e-8)[:, None]
    X = np.vstack([X, X[-1:] + 2e-7])
    y = [0, 1] * 10 + [2]
    ours = tw.TreeClassifier.like("sklearn").fit(X, y)
    theirs = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert same_cuts(ours, theirs)
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()
    assert ours.get_n_leaves() == 2
