"""Every door to a tree gives the same answer, the same refusal, the same figures.

A tree can be asked through an estimator, through its own methods, through functions
of the package and through a report. New rows must be read, refused, routed and
weighed alike by all of them.
"""

import inspect
import json
import math
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import treewright as tw
from treewright.drawing.highlight import row_path
from treewright.reading.answers.evaluation import errors_of_path
from treewright.tree.new_rows import NewRows
from treewright.tree.route import divides_rows

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

N = 240


def table(seed, n=N, gaps=0.12):
    """Two numbers and two categories, with missing values, as a dict of columns."""
    rng = np.random.default_rng(seed)
    x, z = np.round(rng.normal(size=n), 2), rng.integers(0, 9, n).astype(float)
    c, d = rng.choice(list("abcd"), n), rng.choice(["low", "high"], n)
    signal = x + (z > 4) - (c == "b") + 0.7 * (d == "low") + rng.normal(size=n) / 2
    columns = {"x": x, "z": z, "c": c.astype(object), "d": d.astype(object)}
    for values in columns.values():
        values[rng.random(n) < gaps] = np.nan if values.dtype == float else None
    return columns, signal


def classes_of(signal):
    return np.select([signal < 0, signal < 1], ["no", "maybe"], "yes").astype(object)


WEIGHTS = np.round(np.random.default_rng(7).gamma(2, size=N), 1)
WEIGHTS[::17] = 0.0
PRIORS = {"no": 0.2, "maybe": 0.2, "yes": 0.6}
COSTS = {"no": {"yes": 5}, "yes": {"maybe": 0.5}}

CLASSIFIERS = {
    "learned": {},
    "surrogate": {"missing": "surrogate"},
    "stop": {
        "missing": "surrogate",
        "max_surrogates": 1,
        "surrogate_fallback": "stop",
    },
    "fractional": {"missing": "fractional"},
    "c45": {"method": "c45"},
    "entropy": {"criterion": "entropy"},
    "priors": {"priors": PRIORS},
    "costs": {"costs": COSTS},
    "priors and costs": {"priors": PRIORS, "costs": COSTS},
    "fractional, priors, costs": {
        "missing": "fractional",
        "priors": PRIORS,
        "costs": COSTS,
    },
}
REGRESSORS = {
    "squared": {},
    "poisson": {"criterion": "poisson"},
    "absolute": {"criterion": "absolute_error"},
    "squared, fractional": {"missing": "fractional"},
    "poisson, fractional": {"criterion": "poisson", "missing": "fractional"},
    "absolute, surrogate": {"criterion": "absolute_error", "missing": "surrogate"},
}
MODELS = [*CLASSIFIERS, *REGRESSORS]
_FITTED = {}


def fitted(name):
    """Return a model with new rows and their target."""
    if name not in _FITTED:
        X, signal = table(0)
        new_X, new_signal = table(1)
        settings = {"prune": None, "min_samples_leaf": 8}
        if name in CLASSIFIERS:
            settings |= CLASSIFIERS[name]
            model = tw.TreeClassifier(**settings).fit(X, classes_of(signal))
            y = classes_of(new_signal)
        else:
            # Counts, so that some leaves and many rows have none: a rate of 0.
            settings |= REGRESSORS[name] | {"min_samples_leaf": 4}
            model = tw.TreeRegressor(**settings).fit(X, np.rint(np.exp(signal)))
            y = np.rint(np.exp(new_signal))
        _FITTED[name] = model, new_X, y
    return _FITTED[name]


def rows_of(X):
    n = len(next(iter(X.values())))
    return [{name: values[i] for name, values in X.items()} for i in range(n)]


def forms_of(X):
    """Yield the rows in every form that is read by name."""
    yield "dict", X
    yield "lists", {name: values.tolist() for name, values in X.items()}
    yield "pandas", pd.DataFrame(X)
    yield "reordered", pd.DataFrame(X)[[*X][::-1]].assign(other=1)
    plain = {k: [None if v != v else v for v in x.tolist()] for k, x in X.items()}
    yield "polars", pl.DataFrame(plain)
    rows = zip(*plain.values(), strict=True)
    yield "records", [dict(zip(plain, row, strict=True)) for row in rows]


# -- the same answers ------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_estimator_and_tree_answer_alike(name):
    model, X, _ = fitted(name)
    tree = model.tree_
    assert model.predict(X).tolist() == tree.predict(X).tolist()
    assert model.apply(X).tolist() == tree.apply(X).tolist()
    assert (model.decision_path(X) != tree.decision_path(X)).nnz == 0
    if name in CLASSIFIERS:
        shares = model.predict_proba(X)
        assert (shares == tree.predict_proba(X)).all()
        if "costs" not in name:
            # The first of equal shares, to rounding.
            first = np.argmax(shares >= shares.max(axis=1)[:, None] - 1e-12, axis=1)
            assert model.predict(X).tolist() == model.classes_[first].tolist()
    if not divides_rows(tree.data):
        by_node = tree.predict(X), tree.apply(X)
        values = tree.value[by_node[1], 0] if name in REGRESSORS else None
        if values is not None:
            assert by_node[0].tolist() == values.tolist()


@pytest.mark.parametrize("name", MODELS)
def test_any_form_and_any_number_of_threads_answer_alike(name):
    model, X, _ = fitted(name)
    expected = model.predict(X).tolist()
    for form, rows in forms_of(X):
        assert model.predict(rows).tolist() == expected, form
        assert model.tree_.predict(rows, n_jobs=1).tolist() == expected, form
        assert model.tree_.predict(rows, n_jobs=2).tolist() == expected, form


@pytest.mark.parametrize("kind", [np.float32, np.float64, int, "list", "frame"])
@pytest.mark.parametrize("n", [1, 7, 5000])
def test_arrays_of_any_type_and_size_answer_alike(kind, n):
    rng = np.random.default_rng(n)
    X, new = rng.integers(-9, 9, (300, 3)), rng.integers(-9, 9, (n, 3))
    frame = pd.DataFrame(new, columns=["x0", "x1", "x2"])
    given = {"list": new.tolist(), "frame": frame}
    rows = given[kind] if isinstance(kind, str) else new.astype(kind)
    y = (X[:, 0] * X[:, 1] > X[:, 2]).astype(int)
    text = np.array(["no", "yes"], dtype=object)[y]
    for model in (
        tw.TreeClassifier(prune=None).fit(X, y),
        tw.TreeClassifier(prune=None).fit(X, text),
        tw.TreeRegressor(prune=None).fit(X, y + 0.5),
    ):
        tree = model.tree_
        one_by_one = [tree.predict(new[i : i + 1].astype(float))[0] for i in range(n)]
        assert model.predict(rows).tolist() == one_by_one
        assert tree.predict(rows).tolist() == one_by_one
        assert tree.predict(rows, n_jobs=1).tolist() == one_by_one


@pytest.mark.parametrize("name", MODELS)
def test_an_explanation_explains_the_answer(name):
    model, X, _ = fitted(name)
    answers, ends = model.predict(X), model.apply(X)
    for i, row in enumerate(rows_of(X)[:80]):
        found = tw.explain(model, row, change=False)
        assert found.node == ends[i]
        assert found.prediction == answers[i]
        assert [*row_path(model.tree_.data, row)] == [*model.tree_.path(int(ends[i]))]


@pytest.mark.parametrize("name", MODELS)
def test_rows_of_a_node_are_those_of_the_decision_path(name):
    model, X, y = fitted(name)
    tree = model.tree_
    passed = tree.decision_path(X).toarray() == 1
    refitted = tree.refit(X, y)
    seen = tw.evaluate(model, X, y).to_pandas()
    for node in range(tree.n_nodes):
        assert tree.rows(node, X).tolist() == np.flatnonzero(passed[:, node]).tolist()
        assert refitted.n_rows[node] == passed[:, node].sum() == seen.new_rows[node]


@pytest.mark.parametrize("name", MODELS)
def test_rules_and_formula_answer_alike(name):
    model, X, _ = fitted(name)
    tree, answers = model.tree_, model.predict(X)
    rules = tree.rules()
    shares = np.stack([rule.applies(X).astype(float) for rule in rules])
    assert shares.sum(axis=0) == pytest.approx(1.0)
    if divides_rows(tree.data):
        return
    found = np.array([rule.prediction for rule in rules], dtype=object)
    assert found[shares.argmax(axis=0)].tolist() == answers.tolist()
    if name in CLASSIFIERS:
        for label in model.classes_:
            same = tree.formula(label).evaluate(X) == (answers == label)
            assert same.all()


@pytest.mark.parametrize("name", MODELS)
def test_why_stands_on_the_rows_that_growing_had(name):
    model, _, _ = fitted(name)
    X, signal = table(0)
    y = classes_of(signal) if name in CLASSIFIERS else np.rint(np.exp(signal))
    tree = model.tree_
    for node in range(min(tree.n_nodes, 9)):
        found = tw.why(tree, node, X, y)
        assert found.here.rows == tree.n_rows[node]
        assert found.here.impurity == pytest.approx(float(tree.impurity[node]))


@pytest.mark.parametrize("name", ["evaluate", "explain", "simplify", "why"])
def test_a_function_is_the_method_and_takes_estimators(name):
    function, method = getattr(tw, name), getattr(tw.Tree, name)
    (first, *others), (_, *own) = (
        inspect.signature(each).parameters.values() for each in (function, method)
    )
    assert first.name == "tree"
    assert others == own
    said, written = inspect.getdoc(function), inspect.getdoc(method)
    added = "tree : Tree or fitted estimator\n    The tree; it is not changed.\n"
    assert added in said
    assert said.replace(added, "") == written
    model, X, y = fitted("learned")
    given = {
        "evaluate": (X, y),
        "explain": (rows_of(X)[0],),
        "simplify": (),
        "why": (1, X, y),
    }[name]
    found = [
        function(model, *given),
        function(model.tree_, *given),
        function(tree=model, **dict(zip((p.name for p in own), given, strict=False))),
        getattr(model.tree_, name)(*given),
    ]
    assert len({str(each) for each in found}) == 1


# -- the same figures ------------------------------------------------------------------


def shown(model, X, y, tmp_path, weights=None):
    page = tw.report(model, tmp_path / "r.html", X, y, weights).read_text("utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", MODELS)
def test_the_report_shows_the_figures_of_evaluate(name, weighted, tmp_path):
    model, X, y = fitted(name)
    weights = WEIGHTS if weighted else None
    found = tw.evaluate(model, X, y, weights)
    page = shown(model, X, y, tmp_path, weights)
    test, nodes = page["test"], found.to_pandas()
    assert test["n_rows"] == found.n_rows
    assert test["rows"] == nodes["new_rows"].tolist()
    exact = [None if x != x else x for x in nodes["new_error"]]
    assert test["error"] == exact
    data = model.tree_.data
    if page["path"]["leaves"][0] == data.n_leaves:
        assert page["path"]["test"][0] == pytest.approx(found.error, rel=1e-12)
    if name in CLASSIFIERS:
        assert test["confusion"] == found.confusion.tolist()
    figures = page["story"]["figures"][0]
    from treewright.tree.wording import figures as few
    from treewright.tree.wording import percent

    if page["story"]["unit"] == "share":
        low, high = found.interval
        assert figures["value"] == percent(found.accuracy)
        interval = f"95% interval {percent(1 - high)} to {percent(1 - low)}"
        assert interval in figures["detail"]
    elif page["story"]["unit"] == "root":
        assert figures["value"] == f"± {few(found.rmse)}"
    else:
        assert figures["value"] == few(found.error)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", MODELS)
def test_the_error_is_the_mean_loss_of_the_answers(name, weighted):
    """By hand, from predict alone."""
    model, X, y = fitted(name)
    own = WEIGHTS if weighted else np.ones(N)
    found = tw.evaluate(model, X, y, WEIGHTS if weighted else None)
    said = model.predict(X)
    if name in CLASSIFIERS:
        loss = (said != y).astype(float)
        if "costs" in name:
            cost = {t: {s: float(s != t) for s in PRIORS} for t in PRIORS}
            for true, row in COSTS.items():
                cost[true] |= row
            loss = np.array([cost[t][s] for t, s in zip(y, said, strict=True)])
        if "priors" in name:
            total = {k: own[y == k].sum() / own.sum() for k in PRIORS}
            own = own * np.array([PRIORS[k] / total[k] for k in y])
    elif "poisson" in name:
        rate = np.where(said > 0, said, 1e-9)
        pairs = zip(y, rate, strict=True)
        logs = np.array([v * math.log(v / r) if v else 0.0 for v, r in pairs])
        loss = logs - (y - rate)
    else:
        loss = np.abs(y - said) if "absolute" in name else (y - said) ** 2
    assert found.error == pytest.approx(own @ loss / own.sum(), rel=1e-10)
    assert found.weight == pytest.approx(own.sum())
    assert found.n_rows == (own > 0).sum()


@pytest.mark.parametrize("name", MODELS)
def test_errors_along_the_path_are_those_of_its_trees(name):
    model, X, y = fitted(name)
    path = tw.pruning_path(model)
    data = model.tree_.data
    errors = errors_of_path(data, path, NewRows.read(data, X, y, WEIGHTS))
    for step in range(0, len(path), 3):
        found = tw.evaluate(path.pruned(step), X, y, WEIGHTS)
        assert errors[step] == pytest.approx(found.error, rel=1e-9)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_the_chart_of_confusion_shows_that_of_evaluate(name):
    model, X, y = fitted(name)
    found = tw.evaluate(model, X, y)
    title = tw.plot_confusion(model, X, y).get_title(loc="left")
    from treewright.tree.wording import percent

    assert f"{percent(found.accuracy)} right" in title
    plt.close("all")


@pytest.mark.parametrize("name", MODELS)
def test_a_refitted_tree_knows_the_errors_that_evaluate_found(name):
    """Where the answer stays, the risk of the refitted node is the new error."""
    model, X, y = fitted(name)
    again = model.tree_.refit(X, y, WEIGHTS)
    found = tw.evaluate(model, X, y, WEIGHTS).to_pandas()
    if name in CLASSIFIERS:
        same = (again.label == model.tree_.label) & (again.weight > 0)
    else:
        same = np.isclose(again.value[:, 0], model.tree_.value[:, 0])
        same &= again.weight > 0
    assert found["new_error"][same].to_numpy() == pytest.approx(again.data.risk[same])


# -- the same refusals -----------------------------------------------------------------

ASKED = {
    "estimator.predict": lambda m, X: m.predict(X),
    "estimator.predict_proba": lambda m, X: m.predict_proba(X),
    "estimator.predict_log_proba": lambda m, X: m.predict_log_proba(X),
    "estimator.apply": lambda m, X: m.apply(X),
    "estimator.decision_path": lambda m, X: m.decision_path(X),
    "tree.predict": lambda m, X: m.tree_.predict(X),
    "tree.predict_proba": lambda m, X: m.tree_.predict_proba(X),
    "tree.apply": lambda m, X: m.tree_.apply(X),
    "tree.decision_path": lambda m, X: m.tree_.decision_path(X),
    "tree.rows": lambda m, X: m.tree_.rows(0, X),
    "explain": lambda m, X: [tw.explain(m, row, change=False) for row in rows_of(X)],
    "to_svg": lambda m, X: [m.tree_.to_svg(row=row) for row in rows_of(X)],
    "rules": lambda m, X: [rule.applies(X) for rule in m.tree_.rules()],
    "formula": lambda m, X: [m.tree_.formula(k).evaluate(X) for k in m.classes_],
}
LABELLED = {
    "estimator.score": lambda m, X, y: m.score(X, y),
    "evaluate": lambda m, X, y: tw.evaluate(m, X, y),
    "refit": lambda m, X, y: m.tree_.refit(X, y),
    "why": lambda m, X, y: tw.why(m, 0, X, y),
    "report": lambda m, X, y: tw.report(m, "never written.html", X, y),
    "plot_confusion": lambda m, X, y: tw.plot_confusion(m, X, y),
    "plot_importance": lambda m, X, y: tw.plot_importance(m, X, y),
    "plot_reliability": lambda m, X, y: tw.plot_reliability(m, X, y),
    "plot_pruning": lambda m, X, y: tw.plot_pruning(m, X, y),
    "plot_regions": lambda m, X, y: tw.plot_regions(m, X, y, columns=("x", "c")),
}
TRAIN = {"x": [1.0, 2.0, 3.0, 3.0, 4.0, 4.0] * 5, "c": ["a", "b"] * 15}
TRAIN_Y = ["no", "no", "yes", "no", "yes", "no"] * 5


def strict(**rule):
    return tw.TreeClassifier(prune=None, **rule).fit(TRAIN, TRAIN_Y)


def refusal(ask, *given):
    with pytest.raises(tw.TreewrightError) as problem:
        ask(*given)
    return type(problem.value), str(problem.value)


HOLES = [
    ("missing", {"x": [1.0, math.nan], "c": ["a", "b"]}),
    ("missing", {"x": [1.0, 2.0], "c": ["a", None]}),
    ("missing", {"x": [1.0, math.inf], "c": ["a", "b"]}),
    ("unseen", {"x": [1.0, 2.0], "c": ["a", "new"]}),
]


@pytest.mark.parametrize(("rule", "X"), HOLES)
@pytest.mark.parametrize("door", [*ASKED, *LABELLED])
def test_every_door_refuses_alike(door, rule, X, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = strict(**{rule: "error"})
    expected = refusal(model.predict, X)
    assert expected[0] is tw.ColumnError
    assert f"{rule}='error' refuses it" in expected[1]
    if door in ASKED:
        found = refusal(ASKED[door], model, X)
    else:
        found = refusal(LABELLED[door], model, X, ["no", "yes"])
    if door in ("explain", "to_svg"):  # one row, whose number is 0
        expected = expected[0], expected[1].replace("row 1", "row 0")
    assert found == expected
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(("rule", "X"), HOLES)
def test_validation_rows_are_refused_alike(rule, X):
    model = tw.TreeClassifier(prune="validation", **{rule: "error"})
    expected = refusal(strict(**{rule: "error"}).predict, X)
    found = refusal(lambda: model.fit(TRAIN, TRAIN_Y, X_val=X, y_val=["no", "yes"]))
    assert found == expected


@pytest.mark.parametrize(("rule", "X"), HOLES)
@pytest.mark.parametrize("door", [*ASKED, *LABELLED])
def test_without_a_rule_no_door_refuses(door, rule, X, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = strict()
    if door == "why":  # its rows must come to the node; nothing else is asked of them
        model = tw.TreeClassifier(prune=None, max_depth=1).fit(TRAIN, TRAIN_Y)
    with np.errstate(divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        if door in ASKED:
            ASKED[door](model, X)
        else:
            LABELLED[door](model, X, ["no", "yes"])
    plt.close("all")


def test_the_caller_may_choose_another_rule_for_unseen_categories():
    X = {"x": [2.0], "c": ["new"]}
    lenient, strict_one = strict().tree_, strict(unseen="error").tree_
    for ask in ("predict", "apply", "predict_proba", "decision_path"):
        getattr(strict_one, ask)(X, unseen="missing")
        with pytest.raises(tw.ColumnError, match="unseen='error' refuses it"):
            getattr(lenient, ask)(X, unseen="error")
    row = {"x": 2.0, "c": "new"}
    assert tw.explain(strict_one, row, unseen="missing").prediction == "no"
    with pytest.raises(tw.ColumnError, match="unseen='error' refuses it"):
        tw.explain(lenient, row, unseen="error")


def test_the_rules_stay_with_the_tree_through_edits_and_pickles():
    import pickle

    tree = strict(missing="error", unseen="error").tree_
    again = [
        pickle.loads(pickle.dumps(tree)),
        tree.refit(TRAIN, TRAIN_Y),
        tree.collapse(where=lambda node: node.depth > 0),
        tw.simplify(tree),
        tw.pruning_path(tree).tree(n_leaves=3),
    ]
    for each in again:
        assert each.data.refuses_missing
        assert each.data.unseen == "error"
        with pytest.raises(tw.ColumnError, match="missing='error' refuses it"):
            each.predict({"x": [math.nan], "c": [None]})


WRONG = {
    "a class never seen": ({"x": [1.0, 2.0], "c": ["a", "b"]}, ["no", "perhaps"]),
    "too few targets": ({"x": [1.0, 2.0], "c": ["a", "b"]}, ["no"]),
    "no target": ({"x": [1.0, 2.0], "c": ["a", "b"]}, ["no", None]),
    "a column is absent": ({"x": [1.0, 2.0]}, ["no", "yes"]),
    "no rows": ({"x": [], "c": []}, []),
    "text where numbers were": ({"x": ["?", "??"], "c": ["a", "b"]}, ["no", "yes"]),
}


@pytest.mark.parametrize("problem", WRONG)
@pytest.mark.parametrize(
    "door", [name for name in LABELLED if name != "estimator.score"]
)
def test_every_door_with_a_target_refuses_alike(door, problem, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = WRONG[problem]
    expected = refusal(tw.evaluate, strict(), X, y)
    kind, words = refusal(LABELLED[door], strict(), X, y)
    # The report calls them X_test and y_test.
    assert (kind, words.replace("_test", "")) == expected
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [0.0, 0.0], [1.0, math.nan]])
def test_every_door_refuses_the_same_weights(weights, tmp_path):
    X, y, model = {"x": [1.0, 2.0], "c": ["a", "b"]}, ["no", "yes"], strict()
    doors = [
        lambda: tw.evaluate(model, X, y, weights),
        lambda: model.tree_.refit(X, y, weights),
        lambda: tw.why(model, 0, X, y, weights),
        lambda: tw.report(model, tmp_path / "r.html", X, y, weights),
    ]
    assert len({refusal(door) for door in doors}) == 1


def test_an_array_with_missing_values_is_refused_as_a_whole():
    """As in scikit-learn, whether or not the tree uses the column."""
    X = np.array([[1.0, 5.0], [2.0, 5.0]])
    bad = X.copy()
    bad[1, 1] = np.nan
    model = tw.TreeClassifier(missing="error", prune=None).fit(X, ["no", "yes"])
    expected = refusal(model.predict, bad)
    for ask in (
        model.apply,
        model.predict_proba,
        model.tree_.predict,
        model.tree_.apply,
        model.tree_.decision_path,
        lambda X: model.tree_.rows(0, X),
        lambda X: tw.evaluate(model, X, ["no", "yes"]),
        lambda X: model.tree_.refit(X, ["no", "yes"]),
    ):
        assert refusal(ask, bad) == expected


# -- rules that every door keeps -------------------------------------------------------


def counts(n=120):
    random = np.random.default_rng(5)
    X = random.normal(size=(n, 3))
    return X, np.abs(X[:, 0]).round(1)


def test_every_door_refuses_negative_counts(tmp_path):
    X, y = counts()
    tree = tw.TreeRegressor(prune=None, criterion="poisson").fit(X, y).tree_
    wrong = -y - 1
    doors = [
        lambda: tree.evaluate(X, wrong),
        lambda: tree.refit(X, wrong),
        lambda: tw.report(tree, tmp_path / "page.html", X, wrong),
        lambda: tree.why(0, X, wrong),
        lambda: tw.TreeRegressor(criterion="poisson", prune="validation").fit(
            X, y, X_val=X, y_val=wrong
        ),
    ]
    for door in doors:
        with pytest.raises(tw.TableError, match="counts or rates, all >= 0"):
            door()


def test_validation_counts_priors_as_evaluation_does():
    random = np.random.default_rng(3)
    X = random.normal(size=(900, 3))
    y = np.where(X[:, 0] + X[:, 1] + random.normal(size=900) > 1.2, "yes", "no")
    kept = np.r_[500:900]
    kept = kept[(y[kept] == "no") | (random.random(400) < 0.3)]  # another mix
    fitted = tw.TreeClassifier(
        prune="validation", priors={"yes": 0.5, "no": 0.5}, shrinkage=None
    ).fit(X[:500], y[:500], X_val=X[kept], y_val=y[kept])
    found = tw.evaluate(fitted, X[kept], y[kept])
    assert f"{found.error:.4g} after" in fitted.pruning_.words


def test_reliability_counts_priors():
    import matplotlib

    matplotlib.use("Agg")
    random = np.random.default_rng(0)
    x = np.repeat([0.0, 1.0], 200)
    y = np.where(random.random(400) < 0.5, "a", "b")
    fitted = tw.TreeClassifier(prune=None, priors={"a": 0.9, "b": 0.1}).fit(
        x[:, None], y
    )
    drawn = tw.plot_reliability(fitted, x[:, None], y, label="a")
    shown = np.concatenate([line.get_ydata() for line in drawn.get_lines()])
    assert np.abs(np.asarray(shown, float) - 0.9).min() < 0.02
