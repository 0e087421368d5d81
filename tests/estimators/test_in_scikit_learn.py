"""Inside scikit-learn: pipelines, searches, ensembles, workers, callbacks, Ctrl-C."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, BaggingRegressor
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import treewright as tw
from treewright.growing.threads import n_threads


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


def test_pipeline_hands_frames_on_by_name(iris):
    X, y = iris
    scale = make_column_transformer(
        (StandardScaler(), list(X.columns[:2])),
        remainder="passthrough",
        verbose_feature_names_out=False,
    )
    pipeline = make_pipeline(scale, tw.TreeClassifier(max_depth=3))
    pipeline.set_output(transform="pandas").fit(X, y)
    assert pipeline[-1].feature_names_in_.tolist() == X.columns.tolist()
    assert pipeline.score(X, y) > 0.95
    assert pipeline.set_output(transform="default").fit(X, y).score(X, y) > 0.95


def test_grid_search_tries_our_parameters(iris):
    X, y = iris
    grid = {"max_depth": [1, 3], "min_gain": [0.0, 0.4], "criterion": ["gini"]}
    search = GridSearchCV(tw.TreeClassifier(), grid, cv=3, n_jobs=1).fit(X, y)
    assert search.best_params_["max_depth"] == 3
    assert search.best_score_ > 0.9


def test_bagging_and_boosting_take_our_trees(iris):
    X, y = iris
    bag = BaggingClassifier(
        tw.TreeClassifier(prune=None, max_features=2),
        n_estimators=5,
        max_features=3,
        random_state=0,
    )
    assert bag.fit(X, y).score(X, y) > 0.9
    assert len({each.tree_.fingerprint for each in bag.estimators_}) == 5
    boost = AdaBoostClassifier(
        tw.TreeClassifier(prune=None, max_depth=1), n_estimators=10
    )
    assert boost.fit(X, y).score(X, y) > 0.9
    regression = BaggingRegressor(
        tw.TreeRegressor(prune=None), n_estimators=5, random_state=0
    )
    assert regression.fit(X, y).score(X, y) > 0.9


def test_cross_validation_and_inspection_work(iris):
    X, y = iris
    assert cross_val_score(tw.TreeRegressor(max_depth=3), X, y, cv=3).shape == (3,)
    fitted = tw.TreeClassifier(max_depth=2).fit(X, y)
    importance = permutation_importance(fitted, X, y, n_repeats=2, random_state=0)
    used = importance["importances_mean"] > 0
    assert set(X.columns[used]) <= set(fitted.tree_.columns_used)


def test_sample_weight_can_be_routed(iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), tw.TreeClassifier())
    weights = (y != 2).astype(float)
    pipeline.fit(X, y, treeclassifier__sample_weight=weights)
    assert set(pipeline.predict(X)) == {0, 1}


# --- threads and workers -------------------------------------------------------------


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_n_jobs_none_is_one_inside_a_joblib_worker(backend):
    inside = Parallel(n_jobs=2, backend=backend)(
        delayed(n_threads)(None) for _ in range(2)
    )
    assert inside == [1, 1]


def fit_fingerprint(n_jobs):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 5)), rng.integers(0, 3, 3000)
    return tw.TreeClassifier(n_jobs=n_jobs).fit(X, y).tree_.fingerprint


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib_workers_grow_the_same_tree(backend):
    inside = Parallel(n_jobs=2, backend=backend)(
        delayed(fit_fingerprint)(n_jobs) for n_jobs in (None, 1, 2, -1)
    )
    assert set(inside) == {fit_fingerprint(None)}


# --- callbacks -----------------------------------------------------------------------

has_callbacks = pytest.mark.needs("scikit-learn>=1.9")


class Recorder:
    """Keeps the order in which its hooks are called."""

    def __init__(self, stop_after=None):
        self.calls = []
        self.stop_after = stop_after

    def setup(self, estimator, context):
        self.calls.append("setup")

    def teardown(self, estimator, context):
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.calls.append("begin")

    def on_fit_task_end(self, estimator, context):
        self.calls.append("end")
        if len(self.calls) == self.stop_after:
            raise RuntimeError("enough")


@has_callbacks
def test_callback_sees_a_hundred_steps_of_the_fit(iris):
    recorder = Recorder()
    tw.TreeClassifier().set_callbacks(recorder).fit(*iris)
    steps = ["begin", "end"] * 100
    assert recorder.calls == ["setup", "begin", *steps, "end", "teardown"]


@has_callbacks
def test_callback_does_not_change_the_tree_or_the_attributes(iris):
    plain = tw.TreeClassifier().fit(*iris)
    watched = tw.TreeClassifier().set_callbacks(Recorder()).fit(*iris)
    assert watched.tree_ == plain.tree_
    assert set(vars(watched)) - set(vars(plain)) == {"_skl_callbacks"}


@has_callbacks
def test_error_in_a_callback_leaves_the_estimator_unfitted(iris):
    recorder = Recorder(stop_after=42)
    estimator = tw.TreeClassifier().set_callbacks(recorder)
    with pytest.raises(RuntimeError, match="enough"):
        estimator.fit(*iris)
    assert not hasattr(estimator, "tree_")
    assert recorder.calls[-1] == "teardown"


@has_callbacks
def test_progress_bar_shows_a_finished_fit(iris, capsys):
    from sklearn.callback import ProgressBar

    tw.TreeClassifier().set_callbacks(ProgressBar()).fit(*iris)
    printed = capsys.readouterr().out
    assert "TreeClassifier - fit" in printed
    assert "100%" in printed


@has_callbacks
def test_scoring_monitor_scores_the_finished_tree(iris):
    from sklearn.callback import ScoringMonitor

    monitor = ScoringMonitor(scoring="accuracy")
    tw.TreeClassifier(prune=None).set_callbacks(monitor).fit(*iris)
    log = monitor.get_logs().data_as_pandas
    assert log["accuracy"].tolist() == [1.0]


@has_callbacks
def test_callbacks_of_a_search_reach_the_tree(iris):
    from sklearn.callback import ProgressBar

    search = GridSearchCV(tw.TreeClassifier(), {"max_depth": [1, 2]}, cv=2)
    search.set_callbacks(ProgressBar()).fit(*iris)
    assert search.best_params_ == {"max_depth": 2}


# --- Ctrl-C --------------------------------------------------------------------------

INTERRUPTED_FIT = """
import os, signal, threading, time
import numpy as np
import treewright as tw

rng = np.random.default_rng(0)
X, y = rng.random((600_000, 10)), rng.{target}
estimator = tw.{estimator}(prune={prune!r})

def seconds_after_the_signal():
    sent = []
    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Timer({after}, interrupt).start()
    try:
        estimator.fit(X, y)
    except KeyboardInterrupt:
        assert not hasattr(estimator, "tree_"), "half a state was left"
        return time.perf_counter() - sent[0]
    raise SystemExit("the fit was over before the signal came")

# On a busy machine one of them may be late through no fault of ours.
assert any(seconds_after_the_signal() < 0.5 for _ in range(3)), "ended late"
assert estimator.set_params(prune=None).fit(X[:100], y[:100]).tree_.n_leaves > 1
print("interrupted, unfitted, fitted again")
"""


@pytest.mark.parametrize(
    ("estimator", "target", "prune", "after"),
    [
        ("TreeClassifier", "integers(0, 2, 600_000)", None, 0.2),
        ("TreeRegressor", "random(600_000)", None, 0.3),
        ("TreeClassifier", "integers(0, 2, 600_000)", "cv", 2.5),  # among the folds
    ],
)
def test_ctrl_c_ends_a_fit_within_half_a_second(estimator, target, prune, after):
    code = INTERRUPTED_FIT.format(
        estimator=estimator, target=target, prune=prune, after=after
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "interrupted, unfitted, fitted again"


def test_progress_of_public_grow_rises_and_may_stop_it():
    rng = np.random.default_rng(0)
    table = tw.as_table(rng.random((300_000, 40)), rng.integers(0, 2, 300_000))
    slowly = tw.GrowOptions(n_jobs=1)  # for more than three tenths of a second
    seen = []

    def watch(share):
        seen.append(share)
        if len(seen) == 3:
            raise StopIteration("seen enough")

    with pytest.raises(StopIteration, match="seen enough"):
        tw.grow(table, slowly, progress=watch)
    assert seen == sorted(seen)
    assert all(0 <= share <= 1 for share in seen)


def test_series_of_weights_and_target_from_a_frame(iris):
    X, y = iris
    weights = pd.Series(np.ones(len(y)), index=np.arange(len(y))[::-1])
    fitted = tw.TreeClassifier().fit(X, y, sample_weight=weights)
    assert fitted.tree_ == tw.TreeClassifier().fit(X, y).tree_
