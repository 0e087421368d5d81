"""Error against size: the chart, and the table in a notebook."""

import xml.etree.ElementTree as ET

import matplotlib
import numpy as np
import pytest

import treewright as tw
from support import report_trees as trees
from treewright.errors import OptionError

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def credit():
    return trees.credit(prune_rule="min")


@pytest.fixture(autouse=True)
def closed():
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def line(ax, name):
    return next(each for each in ax.get_lines() if each.get_label() == name)


def test_the_chart_shows_the_table_of_an_estimator(credit):
    model, X, y = credit
    ax = tw.plot_pruning(model, X, y)
    pruning = model.pruning_
    errors = line(ax, "cross-validated error").get_ydata()
    assert errors.tolist() == pruning.cv_error.tolist()
    score = line(ax, "score").get_ydata()
    assert score.tolist() == pruning.score.tolist()
    assert line(ax, "training").get_xdata().tolist() == pruning.n_leaves.tolist()
    limit = pruning.score[pruning.best] + pruning.score_std[pruning.best]
    assert line(ax, "least + 1 SE").get_ydata()[0] == pytest.approx(limit)
    assert line(ax, "taken").get_xdata()[0] == model.tree_.n_leaves
    test = line(ax, "test")
    assert test.get_ydata()[0] == pytest.approx(1 - model.score(X, y))
    assert test.get_xdata()[-1] == 1


def test_a_size_by_log_loss_is_called_so():
    model, *_ = trees.credit(size_by="log_loss")
    ax = tw.plot_pruning(model)
    drawn = line(ax, "score").get_ydata()
    assert drawn.tolist() == model.pruning_.log_loss.tolist()
    assert "score: log-loss" in model.pruning_._repr_html_()


def test_the_chart_can_run_along_alpha(credit):
    model = credit[0]
    ax = tw.plot_pruning(model, against="alpha")
    assert line(ax, "training").get_xdata().tolist() == model.pruning_.alpha.tolist()
    taken = model.pruning_.alpha[model.pruning_.chosen]
    assert line(ax, "taken").get_xdata()[0] == taken


def test_a_bare_tree_shows_its_own_path():
    model, X, y = trees.hitters()
    ax = tw.plot_pruning(model.tree_, X, y)
    path = tw.pruning_path(model.tree_)
    assert line(ax, "training").get_ydata().tolist() == np.sqrt(path.risk).tolist()
    error = np.sqrt(np.mean((model.predict(X) - np.array(y)) ** 2))
    assert line(ax, "test").get_ydata()[0] == pytest.approx(error)
    assert "RMSE" in ax.get_ylabel()


def test_validation_and_one_leaf_have_a_chart(tmp_path):
    columns, y = trees.frame("penguins.csv", "species")
    model = tw.TreeClassifier(prune="validation").fit(columns, y)
    assert line(tw.plot_pruning(model), "validation")
    one = tw.TreeClassifier().fit({"a": [1, 2, 3]}, ["x", "x", "x"])
    tw.plot_pruning(one).figure.savefig(tmp_path / "one.png")


def test_bad_words_are_refused(credit):
    with pytest.raises(OptionError, match="both X and y"):
        tw.plot_pruning(credit[0], credit[1])
    with pytest.raises(OptionError, match="against must be 'leaves' or 'alpha'"):
        tw.plot_pruning(credit[0], against="depth")


@pytest.mark.parametrize("prune", ["cv", "validation", None])
def test_a_notebook_shows_curve_and_table(prune):
    columns, y = trees.frame("penguins.csv", "species")
    pruning = tw.TreeClassifier(prune=prune).fit(columns, y).pruning_
    root = ET.fromstring(pruning._repr_html_())
    assert pruning.words in "".join(root.itertext())
    curves = [e for e in root.iter() if e.tag == "polyline"]
    assert len(curves) == {"cv": 3, "validation": 2, None: 0}[prune]
    if prune:
        assert "leaves" in "".join(root.find("details").itertext())
