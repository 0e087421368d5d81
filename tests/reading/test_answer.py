from dataclasses import replace

import numpy as np
import pytest

import treewright as tw
from support.build import build, leaf, schema_of, threshold
from treewright.errors import OptionError
from treewright.reading.answers.answer import (
    answers,
    class_probabilities,
    class_shares,
    classes,
    evidence_words,
    finer_answers,
)
from treewright.tree.edit import with_values


def stump(classes=("no", "yes")):
    return build(
        threshold(0, 2.5, leaf(0, 0), leaf(0, 1, 1)), schema_of("x", classes=classes)
    )


def test_a_node_answers_its_class_or_its_mean():
    nodes = np.array([2, 0, 1])
    assert answers(stump(), nodes).tolist() == ["yes", "no", "no"]
    assert answers(stump(()), nodes).tolist() == pytest.approx([2 / 3, 0.4, 0])


@pytest.mark.parametrize("labels", [(3, 7), (0.5, 1.5), (False, True), ("a", "bcd")])
def test_classes_have_the_type_of_their_labels(labels):
    found = classes(stump(labels))
    assert found.dtype == np.array(labels).dtype
    assert found.tolist() == list(labels)
    assert not found.flags.writeable


def test_classes_of_several_types_stay_apart():
    assert classes(stump((1, "1"))).tolist() == [1, "1"]
    assert classes(stump(())).tolist() == []


def test_classes_without_a_target_are_numbered():
    tree = stump()
    nameless = replace(tree, schema=replace(tree.schema, target=None))
    assert classes(nameless).tolist() == [0, 1]


def test_shares_sum_to_one():
    shares = class_shares(stump(), np.array([0, 1, 2, 2]))
    assert shares.sum(axis=1) == pytest.approx(np.ones(4))
    assert shares[2].tolist() == pytest.approx([1 / 3, 2 / 3])
    shares[:] = 0
    assert class_shares(stump(), np.array([1])).tolist() == [[1, 0]]


def test_a_node_that_no_weight_reached_takes_all_classes_alike():
    tree = stump()
    empty = with_values(tree, value=tree.value * 0)
    assert class_shares(empty, np.array([1])).tolist() == [[0.5, 0.5]]


def test_numbers_have_no_class_probabilities():
    with pytest.raises(OptionError, match="answers numbers"):
        class_probabilities(stump(()), np.array([0]))


def test_the_evidence_is_told_only_of_nodes_that_answer_otherwise():
    X, y = {"x": [1.0, 2.0, 3.0, 4.0]}, [1.0, 3.0, 10.0, 12.0]
    model = tw.TreeRegressor(prune=None, max_depth=1, shrinkage=2.0)
    tree = model.fit(X, y).tree_.data
    assert evidence_words(tree, 0) == ""  # nothing is above the root
    assert evidence_words(tree, 1) == "mean of 2 rows 2, drawn towards 6.5"
    same = with_values(tree, answer=np.array([[6.5], [2.0], [8.75]]))
    assert evidence_words(same, 1) == ""
    assert evidence_words(same, 2) == "mean of 2 rows 11, drawn towards 6.5"
    assert evidence_words(stump(()), 1) == ""


def test_classes_have_no_finer_figures():
    assert finer_answers(stump()) == {}


def test_siblings_that_answer_differently_say_so():
    X, y = {"x": [1, 2, 3]}, [1000000.1, 1000000.2, 0.5]
    tree = tw.TreeRegressor(prune=None, n_jobs=1).fit(X, y).tree_
    for said in (tree.text(), str(tree.rules()), tree.to_svg()):
        assert "1000000.1" in said
        assert "1000000.2" in said
    assert "to 1000000.2:" in str(tw.explain(tree, {"x": 1}))
    assert "0.5" in tree.text()


def test_a_formula_of_numbers_reads_back_as_what_is_predicted():
    X, y = {"x": [1, 2, 3, 4, 5, 6]}, [0.1, 0.2, 0.7, 9.1, 9.2, 11.4]
    model = tw.TreeRegressor(max_leaf_nodes=2, prune=None, n_jobs=1).fit(X, y)
    said = model.tree_.formula().text(ascii=True)
    values = {float(part.split("*")[0]) for part in said.split(" + ")}
    assert values == set(model.predict(X).tolist())
