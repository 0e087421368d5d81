"""Random trees of scikit-learn and of rpart come in: each row has the same answer."""

import numpy as np
import pytest

import treewright as tw
from support import rpart_cases, sklearn_cases
from treewright.exporting.check_rows import check_rows
from treewright.exporting.program import program_of


@pytest.mark.parametrize("block", range(10))
def test_random_trees_of_sklearn_answer_alike(block):
    nodes = [sklearn_cases.compare(seed) for seed in range(block * 12, block * 12 + 12)]
    assert sum(nodes) > 60


def test_random_trees_of_rpart_answer_alike(tmp_path):
    rpart_cases.require_rpart()
    nodes = [
        rpart_cases.compare(each) for each in rpart_cases.cases(range(40), tmp_path)
    ]
    assert sum(nodes) > 400


def test_random_trees_of_rpart_can_be_saved_pruned_and_exported(tmp_path):
    rpart_cases.require_rpart()
    for case in rpart_cases.cases(range(40, 52), tmp_path):
        tree = tw.from_rpart(case.folder / "fit.csv")
        tree.save(tmp_path / "one.tree.json")
        assert tw.load(tmp_path / "one.tree.json") == tree
        path = tw.pruning_path(tree)
        assert path.n_leaves[-1] == 1
        assert (np.diff(path.alpha) >= 0).all()
        tree.export("python", tmp_path / "tree.py", check_rows=True)
        found = tree.verify(tmp_path / "tree.py")
        assert found.ok
        assert found.n_embedded == len(check_rows(program_of(tree.data)))
