"""Models that an earlier version saved load now, and answer as they did then."""

import json

import numpy as np
import pytest

import treewright as tw
from support.golden_models import FOLDER, answers, frame
from support.model_kinds import MAKERS

SAVED = sorted(FOLDER.glob("*/*.tree.json"))

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def test_there_is_a_golden_model_of_every_kind():
    first = {
        path.name.split(".")[0] for path in SAVED if path.parent.name == "format-1"
    }
    assert first == set(MAKERS)


@pytest.mark.parametrize("path", SAVED, ids=lambda p: f"{p.parent.name} {p.name}")
def test_a_golden_model_answers_as_when_it_was_saved(path):
    stored = json.loads(
        path.with_name(path.name.replace(".tree.", ".answers.")).read_bytes()
    )
    tree = tw.load(path)
    rows = frame(stored["rows"])
    found = answers(tree, rows)
    assert found["predict"] == stored["answers"]["predict"]
    assert found["apply"] == stored["answers"]["apply"]
    if "predict_proba" in found:
        np.testing.assert_array_equal(
            found["predict_proba"], stored["answers"]["predict_proba"]
        )
    assert len(set(found["apply"])) > 1 or tree.n_leaves == 1


@pytest.mark.parametrize("path", SAVED, ids=lambda p: f"{p.parent.name} {p.name}")
def test_a_golden_model_becomes_an_estimator(path):
    tree = tw.load(path)
    maker = tw.TreeClassifier if tree.data.is_classifier else tw.TreeRegressor
    fitted = maker.from_tree(tree)
    assert fitted.tree_ == tree
    assert fitted.pruning_.n_leaves_after == tree.n_leaves
    assert tree.notes == (f"A golden model: {path.name.split('.')[0]}.",)
