"""``progress=`` on the estimators: it reports, and never changes the tree."""

import io
import sys

import numpy as np
import pytest
from sklearn.base import clone

import treewright as tw

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(3000, 6)), RNG.integers(0, 2, 3000)


@pytest.mark.parametrize("prune", ["cv", "validation", None])
def test_a_function_hears_rising_shares(prune):
    heard = []
    model = tw.TreeClassifier(progress=heard.append, prune=prune).fit(X, Y)
    assert heard == sorted(heard)
    assert all(0 <= share <= 1 for share in heard)
    assert model.tree_ == tw.TreeClassifier(prune=prune).fit(X, Y).tree_


def test_an_error_in_the_function_stops_the_fit():
    def stop(share):
        raise RuntimeError("enough")

    model = tw.TreeRegressor(progress=stop)
    with pytest.raises(RuntimeError, match="enough"):
        model.fit(np.tile(X, (20, 1)), RNG.normal(size=60_000))
    assert not hasattr(model, "tree_")


def test_a_bar_is_for_terminals_only(monkeypatch):
    heard = io.StringIO()
    monkeypatch.setattr(sys, "stderr", heard)
    tw.TreeClassifier(progress=True).fit(X, Y)
    assert heard.getvalue() == ""


def test_other_values_are_refused():
    with pytest.raises(tw.OptionError, match="progress must be True, False or a func"):
        tw.TreeClassifier(progress="yes").fit(X, Y)


def test_a_tree_does_not_keep_who_watched_it_grow(tmp_path):
    watched = tw.TreeClassifier(progress=lambda share: None).fit(X, Y)
    plain = clone(watched).set_params(progress=False).fit(X, Y)
    for name, model in (("a", watched), ("b", plain)):
        model.tree_.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
