"""Every check that scikit-learn generates for estimators; none is expected to fail."""

import os
import subprocess
import sys

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw
from support.versions import missing_version

OLD = missing_version("scikit-learn>=1.7")


class NumbersClassifier(tw.TreeClassifier):
    """Says that it takes numbers only: other checks apply then, and must pass too."""

    def __sklearn_tags__(self):
        return numbers_only(super().__sklearn_tags__())


class NumbersRegressor(tw.TreeRegressor):
    """Says that it takes numbers only."""

    def __sklearn_tags__(self):
        return numbers_only(super().__sklearn_tags__())


def numbers_only(tags):
    tags.input_tags.categorical = False
    tags.input_tags.string = False
    return tags


def run(check, estimator):
    name = check.func.__name__
    if name == "check_sample_weight_equivalence_on_sparse_data" and OLD:
        # scikit-learn 1.6 runs it on estimators that say they take no sparse matrices.
        with pytest.raises(tw.TableError, match="sparse"):
            check(estimator)
    else:
        check(estimator)


@parametrize_with_checks(
    [
        tw.TreeClassifier(),
        tw.TreeRegressor(),
        NumbersClassifier(),
        NumbersRegressor(),
    ]
)
def test_default_estimator_passes(estimator, check):
    run(check, estimator)


@parametrize_with_checks(
    [
        NumbersClassifier(missing="error"),
        NumbersRegressor(missing="error"),
        tw.TreeClassifier(criterion="entropy"),
        tw.TreeClassifier(criterion="misclassification"),
        tw.TreeClassifier(class_weight="balanced"),
        tw.TreeClassifier(max_features="sqrt", max_leaf_nodes=10),
        tw.TreeRegressor(criterion="poisson"),
        tw.TreeRegressor(max_nodes=31, n_jobs=1),
        tw.TreeClassifier(discretize=4),
        tw.TreeClassifier(discretize="mdl"),
        tw.TreeRegressor(discretize=("width", 4)),
        tw.TreeClassifier.like("sklearn"),
        tw.TreeRegressor.like("sklearn"),
        # The classic methods, and every mode for missing values.
        tw.TreeClassifier(method="c45"),
        tw.TreeClassifier(method="c45", prune=None, categories="grouped"),
        tw.TreeClassifier(method="id3", discretize=4, prune=None),
        tw.TreeRegressor(method="id3", discretize=4),
        tw.TreeClassifier(missing="surrogate"),
        tw.TreeRegressor(missing="surrogate", prune=None),
        tw.TreeClassifier(missing="fractional", prune=None),
        tw.TreeRegressor(missing="fractional"),
        tw.TreeClassifier(criterion="gain_ratio", prune=None),
        tw.TreeRegressor(criterion="absolute_error", prune=None),
        # Its least numbers of rows would count copies, not weights.
        tw.TreeClassifier.like("rpart", minsplit=2, minbucket=1),
        tw.TreeRegressor.like("rpart", minsplit=2, minbucket=1),
        tw.TreeClassifier.like("j48"),
    ]
)
def test_estimator_with_other_options_passes(estimator, check):
    run(check, estimator)


@pytest.mark.needs("scikit-learn>=1.7")
@pytest.mark.parametrize("name", ["TreeClassifier", "TreeRegressor"])
def test_no_check_is_left_out_when_array_api_is_on(name):
    # SciPy reads the variable when it is loaded, hence a new interpreter.
    code = (
        "import warnings, treewright as tw\n"
        "from sklearn.utils.estimator_checks import check_estimator\n"
        "warnings.simplefilter('ignore')\n"
        f"results = check_estimator(tw.{name}(), on_fail='raise')\n"
        "print(len(results), {each['status'] for each in results})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    n_checks, statuses = done.stdout.split(maxsplit=1)
    assert int(n_checks) > 50
    assert statuses.strip() == "{'passed'}"
