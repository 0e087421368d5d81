"""What a node answers, apart from what its training rows show."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.typing import NDArray

import treewright as tw
from treewright.errors import TreeFormatError
from treewright.model import Tree
from treewright.tree.answer import node_answers, plain_answers
from treewright.tree.data import TreeData
from treewright.tree.edit import collapse, replace, with_values

X = {"a": [1, 2, 3, 4, 5, 6, 7, 8], "b": ["x", "y", "x", "y", "x", "x", "y", "y"]}
CLASSES = ["no", "no", "yes", "yes", "no", "yes", "yes", "yes"]
NUMBERS = [1.0, 2.0, 4.0, 3.0, 9.0, 11.0, 10.0, 12.0]


def grown(y: list[str] | list[float]) -> TreeData:
    return tw.grow(tw.as_table(X, y)).data


def own_answers(tree: TreeData) -> NDArray[np.float64]:
    """Answers halfway between a node's evidence and that of the root."""
    plain = plain_answers(tree)
    return (plain + plain[0]) / 2


@pytest.fixture(params=[CLASSES, NUMBERS], ids=["classes", "numbers"])
def tree(request: pytest.FixtureRequest) -> TreeData:
    plain = grown(request.param)
    return with_values(plain, answer=own_answers(plain))


def test_a_tree_without_answers_of_its_own_answers_by_its_evidence() -> None:
    numbers, classes = grown(NUMBERS), grown(CLASSES)
    assert numbers.answer.shape == (0, 0)
    assert np.array_equal(node_answers(numbers), numbers.value)
    shares = classes.value / classes.value.sum(axis=1, keepdims=True)
    assert np.array_equal(node_answers(classes), shares)


def test_predictions_are_the_answers_of_the_ends(tree: TreeData) -> None:
    public = Tree(tree)
    ends = public.apply(X)
    if tree.is_classifier:
        assert np.array_equal(public.predict_proba(X), tree.answer[ends])
    else:
        assert np.array_equal(public.predict(X), tree.answer[ends, 0])
    assert np.array_equal(tree.value, grown(_target(tree)).value)


def test_many_rows_of_a_matrix_get_the_same_answers() -> None:
    matrix = np.arange(20_000.0).reshape(-1, 2) % 17
    plain = tw.grow(tw.as_table(matrix, matrix[:, 0] * matrix[:, 1])).data
    public = Tree(with_values(plain, answer=own_answers(plain)))
    few = np.concatenate(
        [public.predict(matrix[i : i + 99]) for i in range(0, 10_000, 99)]
    )
    assert np.array_equal(public.predict(matrix), few)


def test_answers_belong_to_the_value_of_a_tree(tree: TreeData) -> None:
    plain = grown(_target(tree))
    assert tree != plain
    assert tree.fingerprint != plain.fingerprint
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert with_values(tree, answer=np.empty((0, 0))) == plain


def test_a_collapsed_node_keeps_its_answer(tree: TreeData) -> None:
    inner = int(np.flatnonzero(tree.subtree_size > 1)[-1])
    smaller, old_to_new = collapse(tree, inner)
    kept = old_to_new >= 0
    assert np.array_equal(smaller.answer, tree.answer[kept])


def test_replacing_a_node_keeps_the_answers_of_both_trees(tree: TreeData) -> None:
    plain = grown(_target(tree))
    node = int(np.flatnonzero(tree.subtree_size == 1)[0])
    joined, _ = replace(tree, node, plain)
    n = plain.n_nodes
    assert np.array_equal(joined.answer[node : node + n], plain_answers(plain))
    assert np.array_equal(joined.answer[:node], tree.answer[:node])
    assert np.array_equal(joined.answer[node + n :], tree.answer[node + 1 :])


def test_evaluation_judges_the_answers_not_the_evidence() -> None:
    plain = grown(NUMBERS)
    tree = with_values(plain, answer=own_answers(plain))
    seen = Tree(tree).evaluate(X, NUMBERS)
    expected = np.mean((Tree(tree).predict(X) - NUMBERS) ** 2)
    assert seen.error == pytest.approx(expected, rel=1e-12)
    by_node = seen.to_pandas()["new_error"].to_numpy()
    leaves = tree.subtree_size == 1
    total = (by_node * tree.share)[leaves].sum()
    assert total == pytest.approx(expected, rel=1e-12)


def test_readers_show_the_answer_and_the_evidence() -> None:
    plain = grown(NUMBERS)
    tree = Tree(with_values(plain, answer=own_answers(plain)))
    row = {"a": 1, "b": "x"}
    said = str(tree.explain(row))
    # The mean of this row's leaf is 1, of all rows 6.5, so the answer is 3.75.
    assert "y = 3.75 (mean of 1 row 1, drawn towards" in said
    assert tree.explain(row).shares == (1.0,)
    rule = tree.rules()[0]
    assert (rule.prediction, rule.mean) == (3.75, 1.0)
    assert "answer" in tree.text()
    frame = tree.to_pandas()
    assert frame["answer"][tree.leaves[0]] == 3.75
    assert frame["mean"][tree.leaves[0]] == 1.0


def test_readers_show_the_probability_and_the_share() -> None:
    plain = grown(CLASSES)
    tree = Tree(with_values(plain, answer=own_answers(plain)))
    # The leaf of this row is all "no"; of all rows 3 of 8 are: (1 + 3/8) / 2.
    explained = tree.explain({"a": 1, "b": "x"})
    assert explained.shares == (1.0, 0.0)
    assert explained.probabilities == (0.6875, 0.3125)
    assert "y = no (probability 68.8%; 100% of 2 rows)" in str(explained)
    rule = tree.rules()[0]
    assert (rule.probability, rule.confidence) == (0.6875, 1.0)
    assert "probability 68.8%, confidence 100%" in str(rule)
    answer = tree.to_dict()["nodes"][int(tree.leaves[0])]["answer"]
    assert answer["probabilities"] == [0.6875, 0.3125]


def _target(tree: TreeData) -> list[str] | list[float]:
    return CLASSES if tree.is_classifier else NUMBERS


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a * 2, "probability of a class"),
        (lambda a: a / 2, "the sum of its answer must be 1"),
        (lambda a: a * np.nan, "answer must be finite"),
        (lambda a: a[:, :1], "as many as value has"),
        (lambda a: a[:-1], "shape"),
        (lambda a: a[:, 0], "shape"),
    ],
)
def test_impossible_answers_are_refused(change, message: str) -> None:
    plain = grown(CLASSES)
    with pytest.raises(TreeFormatError, match=message):
        with_values(plain, answer=change(own_answers(plain)))
