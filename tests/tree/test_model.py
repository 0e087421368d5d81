import copy
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import treewright as tw
from support.build import (
    build,
    categorical,
    chain,
    leaf,
    multiway,
    random_tree,
    schema_of,
    threshold,
)
from treewright.errors import OptionError, TableError
from treewright.model import Tree, as_tree
from treewright.tree.split import Multiway, Threshold


@pytest.fixture
def tree():
    """Nodes: 0 wind, 1 leaf, 2 outlook, 3 leaf, 4 leaf, 5 leaf."""
    schema = schema_of("wind", categorical("outlook", "dry", "rain", "sun"), "unused")
    days = multiway(1, [[0], [1], [2]], leaf(1), leaf(0, 0), leaf(1, 1, 0), stopped=[0])
    return Tree(build(threshold(0, 2.5, leaf(1, 1), days, missing=1), schema))


NEW = {
    "outlook": ["sun", "rain", None, "hail", "dry"],
    "wind": [1.0, 2.6, 9.0, 9.0, np.nan],
}


def test_shape(tree):
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (6, 4, 2)
    assert tree.leaves.tolist() == [1, 3, 4, 5]
    assert tree.children(2) == (3, 4, 5)
    assert tree.children(3) == ()
    assert tree.parent(4) == 2
    assert tree.parent(0) is None
    assert tree.path(5) == (0, 2, 5)
    assert tree.key(5) == (1, 2)


def test_splits_and_columns(tree):
    assert isinstance(tree.split(0), Threshold)
    assert isinstance(tree.split(2), Multiway)
    assert tree.split(1) is None
    assert tree.columns_used == ("wind", "outlook")
    assert tree.classes.tolist() == ["no", "yes"]
    assert tree.importances.shape == (3,)


@pytest.mark.parametrize("method", ["children", "parent", "path", "key", "split"])
def test_a_node_that_is_not_there_is_named(tree, method):
    with pytest.raises(OptionError, match=r"node must be .* from 0 to 5; got 6"):
        getattr(tree, method)(6)
    with pytest.raises(OptionError, match=r"0 to 5; got -1"):
        tree.rows(-1, NEW)


def test_arrays_are_attributes(tree):
    assert tree.threshold is tree.data.threshold
    assert tree.n_rows[0] == 9
    assert "missing_route" in dir(tree)
    with pytest.raises(AttributeError, match=r"no 'n_leafs'. Did you mean 'n_leaves'"):
        _ = tree.n_leafs


def test_a_tree_never_changes(tree):
    with pytest.raises(AttributeError, match="never changes; 'data'"):
        tree.data = None
    with pytest.raises(AttributeError, match="never changes"):
        tree.note = 1
    with pytest.raises(AttributeError, match="never changes"):
        del tree.data


def test_risk_by_error_and_by_impurity(tree):
    # Leaves by hand: 2 pure, 1 pure, 2 pure and (1 no, 2 yes) of 9 rows.
    assert tree.risk() == tree.risk("error") == pytest.approx(1 / 9)
    # One row stops at an inner node of 7 rows, 4 of them of its class.
    assert tree.risk("impurity") == pytest.approx(3 / 9 * 4 / 9 + 1 / 9 * 3 / 7)
    with pytest.raises(OptionError, match=r"got 'impuritty'. Did you mean 'impurity'"):
        tree.risk("impuritty")


def test_risk_of_a_tree_is_the_recursion_of_the_textbook():
    # GT(S) = |S_L| / |S| GT(S_L) + |S_R| / |S| GT(S_R), from the leaves up.
    for seed in range(10):
        data = random_tree(seed, stops=False).arrays()
        tree = Tree(random_tree(seed, stops=False))
        up = data["impurity"].copy()
        for node in range(tree.n_nodes - 1, -1, -1):
            below = list(tree.children(node))
            if below:
                share = data["weight"][below] / data["weight"][node]
                up[node] = (share * up[below]).sum()
        assert tree.risk("impurity") == pytest.approx(up[0])


def test_values_compare_hash_pickle_and_copy(tree):
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert hash(again) == hash(tree)
    assert again == tree
    assert copy.deepcopy(tree) == tree
    assert tree != Tree(chain(1))
    assert tree != tree.data


def test_repr_and_str(tree):
    assert repr(tree) == "Tree(y: 6 nodes, 4 leaves, depth 2, 9 rows)"
    assert str(tree) == tree.text()
    assert len(tree.text(max_depth=1).splitlines()) == 6
    assert len(tree.to_pandas()) == 6
    assert len(tree.to_dict()["nodes"]) == 6


def test_as_tree_takes_trees_and_whatever_has_one(tree):
    assert as_tree(tree) is tree
    assert as_tree(tree.data) == tree
    assert as_tree(SimpleNamespace(tree_=tree)) is tree
    with pytest.raises(OptionError, match=r"a fitted treewright estimator; got str"):
        as_tree("tree")
    for name, hint in (
        ("named_steps", "pipe[-1]"),
        ("best_estimator_", "Pass its best"),
    ):
        with pytest.raises(OptionError, match=r"got SimpleNamespace\.") as caught:
            as_tree(SimpleNamespace(**{name: tree}))
        assert hint in str(caught.value)
    unfitted = type("TreeClassifier", (), {"__module__": "treewright.estimators"})()
    with pytest.raises(OptionError, match=r"TreeClassifier has no tree yet; call fit"):
        as_tree(unfitted)


def test_new_rows_are_answered_by_name(tree):
    assert tree.apply(NEW).tolist() == [1, 4, 2, 2, 3]
    assert tree.predict(NEW).tolist() == ["yes", "no", "no", "no", "yes"]
    proba = tree.predict_proba(NEW)
    assert proba.sum(axis=1) == pytest.approx(np.ones(5))
    assert proba[2].tolist() == pytest.approx([4 / 7, 3 / 7])


def test_rows_of_a_node_are_those_that_pass_it(tree):
    assert tree.rows(0, NEW).tolist() == [0, 1, 2, 3, 4]
    assert tree.rows(2, NEW).tolist() == [1, 2, 3, 4]
    assert tree.rows(4, NEW).tolist() == [1]
    path = tree.decision_path(NEW)
    for node in range(tree.n_nodes):
        passed = np.flatnonzero(path[:, [node]].toarray().ravel())
        assert passed.tolist() == tree.rows(node, NEW).tolist()


def test_an_absent_column_is_an_error(tree):
    with pytest.raises(TableError, match=r"no column 'outlook'.*'Outlook'"):
        tree.predict({"Outlook": ["sun"], "wind": [1.0]})


def test_an_unseen_category_can_be_refused(tree):
    with pytest.raises(TableError, match="'hail'"):
        tree.predict(NEW, unseen="error")


def test_a_plain_matrix_and_its_named_columns_agree():
    numbers = Tree(
        build(threshold(1, 0.5, leaf(0), leaf(1), missing=1), schema_of("a", "b"))
    )
    X = np.array([[9.0, 0.5], [0.0, 0.6], [0.0, np.nan]])
    assert numbers.apply(X).tolist() == [1, 2, 2]
    assert numbers.apply(X.astype(np.float32)).tolist() == [1, 2, 2]
    assert numbers.apply(np.asfortranarray(X)).tolist() == [1, 2, 2]
    assert numbers.apply({"b": X[:, 1]}).tolist() == [1, 2, 2]
    with pytest.raises(TableError, match="X has 3 features"):
        numbers.apply(np.zeros((2, 3)))


def test_a_single_leaf_answers_any_table():
    only = Tree(build(leaf(0, 1, 1), schema_of("x")))
    assert only.predict({"x": [1, 2, 3]}).tolist() == ["yes"] * 3
    assert only.columns_used == ()


# -- what is refused -------------------------------------------------------------------


@pytest.fixture(scope="module")
def small():
    table = tw.as_table({"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"])
    return tw.grow(table)


@pytest.mark.parametrize("figure", ["risk", "cost_complexity"])
def test_a_risk_of_another_kind_is_refused_by_the_name_of_its_parameter(small, figure):
    arguments = (0.1,) if figure == "cost_complexity" else ()
    with pytest.raises(OptionError, match="kind must be 'error' or 'impurity'; got"):
        getattr(small, figure)(*arguments, kind="mixed")


def test_half_a_node_is_refused(small):
    with pytest.raises(OptionError, match=r"node must be a whole number.*got 0\.5"):
        small.collapse(0.5)


@pytest.mark.parametrize("n_jobs", [0, "a", 1.5])
def test_a_wrong_number_of_threads_is_refused_for_any_number_of_rows(small, n_jobs):
    for method in (small.predict, small.apply, small.reasons):
        with pytest.raises(OptionError, match="n_jobs must be a whole number >= 1"):
            method({"wind": [1]}, n_jobs=n_jobs)


def test_an_option_that_pictures_do_not_have_is_refused(small, tmp_path):
    with pytest.raises(OptionError, match=r"'max_dept'\. Did you mean 'max_depth'"):
        small.save_picture(tmp_path / "tree.svg", max_dept=2)
    with pytest.raises(OptionError, match=r"no option 'xyz'\. It has row, max_depth"):
        small.save_picture(tmp_path / "tree.png", xyz=1)


def test_an_export_needs_its_folder_and_replaces_a_file_as_a_whole(small, tmp_path):
    with pytest.raises(OptionError, match=r"There is no folder .* Make it first"):
        small.export("python", tmp_path / "none" / "tree.py")
    file = tmp_path / "tree.py"
    file.write_text("before")
    with pytest.raises(OptionError):
        small.export("python", file, no_such_option=1)
    assert file.read_text() == "before"
    assert small.export("python", file) == file.read_text()
    assert [each.name for each in tmp_path.iterdir()] == ["tree.py"]


def test_one_node_is_counted_in_the_singular(small):
    assert repr(small) == "Tree(y: 3 nodes, 2 leaves, depth 1, 4 rows)"
    assert repr(small.collapse(0)) == "Tree(y: 1 node, 1 leaf, depth 0, 4 rows)"
