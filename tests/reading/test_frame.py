import sys

import numpy as np
import pytest

from support.build import (
    build,
    categorical,
    chain,
    leaf,
    random_tree,
    schema_of,
    subset,
    threshold,
)
from treewright.errors import TreewrightError
from treewright.reading.text.frame import to_pandas


@pytest.fixture
def tree():
    schema = schema_of("x", categorical("c", "a", "b"))
    spec = threshold(0, 2.5, leaf(0, 0, 0), subset(1, [[0], [1]], leaf(1), leaf(0, 1)))
    return build(spec, schema, extras={"note": np.arange(5.0)})


def test_a_frame_has_one_row_per_node(tree):
    frame = to_pandas(tree)
    assert frame.index.name == "node"
    assert frame["parent"].tolist() == [-1, 0, 0, 2, 2]
    assert frame["condition"].tolist() == ["", "x <= 2.5", "x > 2.5", "c = a", "c = b"]
    assert frame["split"].tolist() == ["threshold", "leaf", "subset", "leaf", "leaf"]
    assert frame["answer"].tolist() == ["no", "no", "yes", "yes", "no"]
    assert frame["confidence"].tolist() == pytest.approx([2 / 3, 1, 2 / 3, 1, 0.5])
    assert frame["weight of no"].tolist() == [4, 3, 1, 0, 1]
    assert frame["stop_reason"].tolist() == ["", "pure", "", "pure", "pure"]
    assert frame["extra note"].tolist() == [0, 1, 2, 3, 4]
    assert frame.loc[0, "feature"] == "x"


def test_a_frame_of_numbers_has_quartiles():
    frame = to_pandas(random_tree(1, numbers=True))
    assert (frame["q1"] <= frame["median"]).all()
    assert frame["answer"].dtype == np.float64


def test_a_frame_is_its_owners(tree):
    before = tree.fingerprint
    frame = to_pandas(tree)
    frame.loc[:, "gain"] = -1.0
    frame["n_rows"].to_numpy().sum()
    assert tree.gain.min() >= 0
    assert tree.fingerprint == before


def test_without_pandas_the_error_says_what_to_install(tree, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(TreewrightError, match="pip install pandas"):
        to_pandas(tree)


def test_a_deep_chain_is_a_flat_frame():
    assert len(to_pandas(chain(20_000))) == 40_001
