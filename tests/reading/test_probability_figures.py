"""Log-loss, Brier score, AUC and calibration are scikit-learn's, digit by digit."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import (
    brier_score_loss,
    log_loss,
    precision_score,
    recall_score,
    roc_auc_score,
)

import treewright as tw

NEW = pytest.mark.needs("scikit-learn>=1.7")  # Brier scores of more than two classes


def rows_of(seed, classes, n=400):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    score = X[:, 0] + X[:, 1] + rng.normal(size=n)
    y = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    return X, y, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "classes", [2, pytest.param(3, marks=NEW), pytest.param(5, marks=NEW)]
)
@pytest.mark.parametrize("shrinkage", ["auto", None])
def test_the_figures_are_scikit_learns(classes, weighted, shrinkage):
    X, y, _ = rows_of(0, classes)
    new, truth, own = rows_of(1, classes)
    own = own if weighted else None
    fitted = tw.TreeClassifier(shrinkage=shrinkage).fit(X, y)
    found = tw.evaluate(fitted, new, truth, own)
    p, said = fitted.predict_proba(new), fitted.predict(new)
    labels = np.arange(classes)
    expected = log_loss(truth, p, sample_weight=own, labels=labels)
    assert found.log_loss == pytest.approx(expected, rel=1e-13)
    if classes == 2:
        brier = brier_score_loss(truth, p[:, 1], sample_weight=own)
        auc = roc_auc_score(truth, p[:, 1], sample_weight=own)
    else:
        brier = brier_score_loss(truth, p, sample_weight=own, labels=labels)
        each = [roc_auc_score(truth == c, p[:, c], sample_weight=own) for c in labels]
        auc = np.mean(each)
        np.testing.assert_allclose(found.class_auc, each, rtol=1e-12)
    assert found.brier == pytest.approx(brier, rel=1e-12)
    assert found.auc == pytest.approx(auc, rel=1e-12)
    common = {"labels": labels, "average": None, "sample_weight": own}
    np.testing.assert_allclose(found.recall, recall_score(truth, said, **common))
    precision = precision_score(truth, said, **common, zero_division=np.nan)
    np.testing.assert_allclose(found.precision, precision)
    for name in ("log_loss", "brier", "auc"):
        low, high = getattr(found, f"{name}_interval")
        assert low <= getattr(found, name) <= high
    for name in ("precision", "recall", "class_auc"):
        low, high = getattr(found, f"{name}_interval").T
        value = getattr(found, name)
        known = ~np.isnan(value)
        assert (low[known] <= value[known]).all()
        assert (value[known] <= high[known]).all()


def test_the_calibration_is_scikit_learns_curve():
    X, y, _ = rows_of(2, 2)
    new, truth, _ = rows_of(3, 2, n=1000)
    fitted = tw.TreeClassifier().fit(X, y)
    found = tw.evaluate(fitted, new, truth).calibration
    p = fitted.predict_proba(new)[:, 1]
    observed, promised = calibration_curve(truth, p, n_bins=10)
    there = found.weight[1] > 0
    np.testing.assert_allclose(found.observed[1, there], observed, rtol=1e-12)
    np.testing.assert_allclose(found.promised[1, there], promised, rtol=1e-12)
    assert (found.low[1, there] <= observed).all()
    assert (observed <= found.high[1, there]).all()
    frame = found.to_pandas(fitted.classes_)
    assert frame["weight"].sum() == pytest.approx(2 * len(truth))


def test_intervals_of_the_auc_hold_the_truth_about_as_often_as_they_say():
    # Labels that a fixed tree ranks with a known AUC; 200 draws of 150 rows.
    X, y, _ = rows_of(4, 2)
    tree = tw.TreeClassifier().fit(X, y)
    many, truth, _ = rows_of(5, 2, n=40_000)
    whole = tw.evaluate(tree, many, truth).auc
    rng = np.random.default_rng(6)
    held = 0
    for _ in range(200):
        rows = rng.integers(0, len(truth), 150)
        low, high = tw.evaluate(tree, many[rows], truth[rows]).auc_interval
        held += low <= whole <= high
    assert 0.88 <= held / 200 <= 0.99


def test_the_figures_of_each_class_are_a_table():
    X, y, _ = rows_of(7, 3)
    found = tw.evaluate(tw.TreeClassifier(max_depth=2).fit(X, y), X, y)
    frame = found.classes_to_pandas()
    assert frame.index.name == "class"
    assert frame.index.tolist() == [0, 1, 2]
    assert frame["weight"].tolist() == np.bincount(y).tolist()
    for name, values, interval in (
        ("precision", found.precision, found.precision_interval),
        ("recall", found.recall, found.recall_interval),
        ("auc", found.class_auc, found.class_auc_interval),
    ):
        np.testing.assert_array_equal(frame[name], values)
        np.testing.assert_array_equal(frame[[f"{name} low", f"{name} high"]], interval)
    np.testing.assert_array_equal(frame["f1"], found.f1)
    numbers = tw.evaluate(tw.TreeRegressor(max_depth=2).fit(X, y), X, y)
    with pytest.raises(tw.TreewrightError) as refused:
        numbers.classes_to_pandas()
    assert str(refused.value) == (
        "classes_to_pandas shows the figures of each class, but this tree answers "
        "numbers. Use to_pandas, which shows those of each node."
    )


def test_an_evaluation_is_one_line_or_a_page():
    X, y, _ = rows_of(7, 3)
    found = tw.evaluate(tw.TreeRegressor(max_depth=2).fit(X, y), X, y)
    low, high = found.interval
    assert repr(found) == (
        f"Evaluation({len(y)} rows, error {found.error:.4g}, interval {low:.4g} to "
        f"{high:.4g})"
    )
    page = found._repr_html_()
    assert page.count("<div>") == 1 + 3
    assert "<table" not in page
    assert f"R2 {found.r2:.3f}, RMSE " in page


@pytest.mark.parametrize(
    ("n", "last"), [(13, "... 1 more class"), (15, "... 3 more classes")]
)
def test_twelve_classes_at_most_are_listed(n, last):
    X, y = {"x": [float(k) for k in range(n)]}, [f"c{k:02}" for k in range(n)]
    found = tw.evaluate(tw.TreeClassifier(prune=None).fit(X, y), X, y)
    lines = str(found).splitlines()
    assert lines[-1] == last
    assert lines[-2].split()[:2] == ["c11", "1.000"]
    assert lines[-14].split()[-1] == "c11"
    assert found.classes_to_pandas().shape[0] == n


def test_a_class_without_rows_has_no_auc():
    X, y, _ = rows_of(7, 3)
    found = tw.evaluate(tw.TreeClassifier().fit(X, y), X[y < 2], y[y < 2])
    assert np.isnan(found.class_auc[2])
    assert np.isnan(found.class_auc_interval[2]).all()
    assert not np.isnan(found.class_auc[:2]).any()
    numbers = tw.evaluate(tw.TreeRegressor().fit(X, X[:, 0]), X, X[:, 0])
    assert np.isnan(numbers.log_loss)
    assert numbers.calibration is None
