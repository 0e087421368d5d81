"""A saved tree comes back equal, with all that is known about it, as the same bytes."""

import copy
import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted

import treewright as tw
from support import model_kinds as kinds
from support.build import chain, random_tree
from support.comma_locale import COMMA_LOCALE, make_comma_locale
from support.strategies import case, classic_case
from treewright.errors import OptionError
from treewright.growing.grow import grow
from treewright.storing.load import load_bytes
from treewright.storing.save import saved_bytes
from treewright.storing.values import NotStored
from treewright.table.intake import Finding, Intake
from treewright.tree.data import TreeData
from treewright.tree.edit import with_made_by, with_values

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def assert_comes_back(tree):
    """Save and load a TreeData: equal in every array, and the same bytes again."""
    data = saved_bytes(tree)
    back = load_bytes(data)
    for name in TreeData.array_names:
        np.testing.assert_array_equal(getattr(back, name), getattr(tree, name), name)
        assert getattr(back, name).dtype == getattr(tree, name).dtype
    assert back == tree
    assert back.schema == tree.schema
    assert set(back.extras) == set(tree.extras)
    assert saved_bytes(back) == data
    return back


# -- every kind of tree ----------------------------------------------------------------


@pytest.mark.parametrize("name", kinds.MAKERS)
def test_every_kind_of_model_comes_back_with_its_answers(name, tmp_path):
    fitted, rows = kinds.model(name)
    assert_comes_back(fitted.tree_.data)
    path = tmp_path / "model.tree.json"
    fitted.tree_.save(path)
    tree = tw.load(path)
    again = type(fitted).from_tree(tree)
    for model in (tree, again):
        np.testing.assert_array_equal(model.predict(rows), fitted.predict(rows))
        np.testing.assert_array_equal(model.apply(rows), fitted.apply(rows))
    if tree.data.is_classifier:
        one, other = again.predict_proba(rows), fitted.predict_proba(rows)
        np.testing.assert_array_equal(one, other)
    assert tree.text() == fitted.tree_.text()
    assert tree == fitted.tree_


@pytest.mark.parametrize("seed", range(60))
def test_random_trees_come_back(seed):
    table, options = (case if seed % 2 else classic_case)(seed)
    assert_comes_back(grow(table, options))


@pytest.mark.parametrize("seed", range(20))
def test_trees_built_by_hand_come_back(seed):
    assert_comes_back(random_tree(seed, 6, numbers=seed % 2 == 1))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(
    name=st.text(),
    labels=st.lists(st.text(), min_size=2, max_size=6, unique=True),
    classes=st.lists(st.text(), min_size=2, max_size=4, unique=True),
    note=st.text(min_size=1).filter(str.strip),
    number=st.floats(allow_nan=False),
)
def test_any_text_and_any_number_come_back(name, labels, classes, note, number):
    n = 12
    X = {name: [labels[i % len(labels)] for i in range(n)], name + "2": [number, 0] * 6}
    y = [classes[i % len(labels) % len(classes)] for i in range(n)]
    kinds_of = {name: "categorical", name + "2": "numeric"}
    data = grow(tw.as_table(X, y, kinds=kinds_of))
    back = assert_comes_back(with_made_by(data, notes=(note,)))
    assert back.made_by["notes"] == (note,)


@pytest.mark.parametrize("width", [1, 3])
def test_answers_of_their_own_come_back(width):
    name = "classes" if width == 3 else "numbers"
    data = kinds.model(name).estimator.tree_.data
    rng = np.random.default_rng(0)
    answer = rng.random((data.n_nodes, width))
    label = data.label
    if width == 3:
        answer /= answer.sum(axis=1, keepdims=True)
        label = answer.argmax(axis=1)
    tree = with_values(data, answer=answer, label=label)
    text = saved_bytes(tree)
    assert b'"answers": "own"' in text
    back = assert_comes_back(tree)
    np.testing.assert_array_equal(back.answer, answer)
    nodes = json.loads(text)["nodes"]
    given = [node["answer"] for node in nodes]
    key = "probabilities" if width == 3 else "number"
    stored = [each[key] if width == 3 else [each[key]] for each in given]
    assert stored == answer.tolist()


def test_extra_arrays_of_every_type_come_back():
    tree = kinds.model("classes").estimator.tree_.data
    n, rng = tree.n_nodes, np.random.default_rng(0)
    extras = {
        "flag": rng.random(n) < 0.5,
        "byte": rng.integers(-128, 128, n).astype(np.int8),
        "large": np.full(n, 2**64 - 1, np.uint64),
        "single": rng.normal(size=(n, 2)).astype(np.float32),
        "double": np.array([np.nan, np.inf, -np.inf] + [0.1] * (n - 3)),
        "word": np.array(["é", ""] + ["x"] * (n - 2)),
        "cube": rng.normal(size=(n, 2, 3)),
        "empty": np.empty((n, 0)),
    }
    back = assert_comes_back(with_values(tree, extras=extras))
    for name, array in extras.items():
        assert back.extras[name].dtype == array.dtype, name


@pytest.mark.parametrize(
    ("extras", "words"),
    [
        (
            {"half": np.zeros(17, np.float16)},
            "'half' of type float16 with 1 axis cannot",
        ),
        (
            {"deep": np.zeros((17, 1, 1, 1, 1))},
            "'deep' .* 5 axes cannot be saved.* 4 ax",
        ),
        (
            {"word": np.array(["x" * 201] + [""] * 16)},
            "'word' has a text of 201 charac",
        ),
        (
            {"room": np.full((17, 40), ["x" * 200] + [""] * 39)},
            "'room' takes too much m",
        ),
        (
            {f"array {i}": np.zeros(17) for i in range(65)},
            "65 extra arrays; .* at most",
        ),
        ({5: np.zeros(17)}, "an extra array called 5, but .* names that are text"),
        ({None: np.zeros(17)}, "an extra array called None, but"),
    ],
)
def test_extra_arrays_that_could_not_be_loaded_again_are_not_saved(extras, words):
    tree = kinds.model("classes").estimator.tree_.data
    assert tree.n_nodes == 17
    with pytest.raises(OptionError, match=words):
        saved_bytes(with_values(tree, extras=extras))


def test_texts_that_could_not_be_loaded_some_nodes_at_a_time_are_not_saved():
    tree = chain(3999)
    words = np.full((tree.n_nodes, 10), "x" * 150, "<U200")
    words[:128] = ""
    assert_comes_back(with_values(tree, extras={"word": words.copy()}))
    words[0, 0] = "y" * 200
    with pytest.raises(OptionError, match=r"each of 1,280 texts .* 200 character"):
        saved_bytes(with_values(tree, extras={"word": words}))


def test_a_tree_without_a_target_is_not_saved():
    tree = kinds.model("numbers").estimator.tree_.data
    schema = replace(tree.schema, target=None)
    with pytest.raises(OptionError, match="without a target in its schema cannot be"):
        saved_bytes(TreeData.from_arrays(tree.arrays(), schema))


def test_a_chain_of_50_000_splits_comes_back():
    tree = chain(50_000)
    assert tree.depth.max() == 50_000
    assert_comes_back(tree)


@pytest.mark.slow
def test_a_tree_of_200_000_nodes_comes_back(tmp_path):
    rng = np.random.default_rng(0)
    tree = tw.grow(
        tw.as_table(rng.normal(size=(200_000, 4)), rng.normal(size=200_000)),
        tw.GrowOptions(max_leaf_nodes=100_000),
    )
    assert tree.n_nodes == 199_999
    tree.save(tmp_path / "large.tree.json")
    assert tw.load(tmp_path / "large.tree.json") == tree


# -- the same model, the same bytes ----------------------------------------------------


def frame(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "x": rng.normal(size=n).round(2),
            "c": rng.choice(["a", "b", "ü"], n),
            "d": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 99, n), unit="D"),
        }
    )
    X.loc[rng.random(n) < 0.1, "x"] = np.nan
    y = np.where(X["x"].fillna(0) + (X["c"] == "a") + rng.normal(size=n) > 0, "u", "v")
    return X, pd.Series(y, name="answer")


@pytest.mark.parametrize("settings", [{}, {"missing": "surrogate", "competitors": 2}])
def test_fits_in_any_order_and_with_any_threads_give_the_same_bytes(settings):
    X, y = frame()
    found = set()
    for n_jobs, seed in ((1, None), (2, None), (-1, 1), (None, 2)):
        order = np.arange(len(X))
        if seed is not None:
            order = np.random.default_rng(seed).permutation(len(X))
        fitted = tw.TreeClassifier(n_jobs=n_jobs, **settings)
        fitted.fit(X.iloc[order], y.iloc[order])
        found.add(saved_bytes(fitted.tree_.data))
    assert len(found) == 1


def test_saving_twice_and_pickling_in_between_give_the_same_bytes():
    tree = kinds.model("pruned_classes").estimator.tree_
    data = saved_bytes(tree.data)
    assert saved_bytes(tree.data) == data
    for other in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        assert other == tree
        assert saved_bytes(other.data) == data


def test_the_file_names_no_time_no_host_no_folder_and_no_threads(tmp_path):
    tree = kinds.model("pruned_classes").estimator.tree_
    tree.save(tmp_path / "model.tree.json")
    text = (tmp_path / "model.tree.json").read_text(encoding="utf-8")
    assert str(tmp_path) not in text
    assert "n_jobs" not in text


def test_other_rows_give_another_data_fingerprint():
    X, y = frame()
    prints = set()
    more = X.copy()
    more.loc[7, "x"] = 9.25
    swapped = y.copy()
    swapped[[0, 1]] = "u", "v"
    for rows, target, weight in (
        (X, y, None),
        (more, y, None),
        (X, swapped if swapped[0] != y[0] or swapped[1] != y[1] else ~(y == "u"), None),
        (X, y, np.ones(len(X))),
        (X.rename(columns={"x": "z"}), y, None),
    ):
        fitted = tw.TreeClassifier(prune=None, max_depth=1).fit(rows, target, weight)
        prints.add(fitted.tree_.data.made_by["data"]["fingerprint"])
    assert len(prints) == 5


def test_the_type_of_numbers_and_the_order_of_columns_do_not_change_the_fingerprint():
    X = pd.DataFrame({"a": [1.5, 2.5, np.nan, 4.0], "b": [1, 2, 3, 4]})
    y = [0, 1, 1, 0]
    prints = {
        tw.TreeClassifier(prune=None)
        .fit(rows, y)
        .tree_.data.made_by["data"]["fingerprint"]
        for rows in (X, X[["b", "a"]], X.astype({"a": np.float32, "b": float}))
    }
    assert len(prints) == 1


def test_a_decimal_comma_of_the_locale_changes_nothing(tmp_path):
    make_comma_locale(tmp_path)
    tree = kinds.model("numbers").estimator.tree_
    tree.save(tmp_path / "here.tree.json")
    code = (
        "import locale, sys, treewright as tw\n"
        f"locale.setlocale(locale.LC_ALL, '{COMMA_LOCALE}')\n"
        "assert locale.localeconv()['decimal_point'] == ','\n"
        "tw.load(sys.argv[1]).save(sys.argv[2])\n"
    )
    paths = [str(tmp_path / "here.tree.json"), str(tmp_path / "there.tree.json")]
    environment = {**os.environ, "LOCPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code, *paths], check=True, env=environment)
    one, other = (Path(path).read_bytes() for path in paths)
    assert one == other


# -- the text --------------------------------------------------------------------------


def test_the_file_is_json_with_one_node_per_line():
    tree = kinds.model("hostile").estimator.tree_.data
    text = saved_bytes(tree).decode()
    assert "\r" not in text
    assert text.endswith("}\n")
    document = json.loads(text)
    lines = text.split("\n")
    start = lines.index('"nodes": [') + 1
    for node, line in zip(document["nodes"], lines[start:], strict=False):
        assert json.loads(line.removesuffix(",")) == node
        assert set(node) - {"stop"} == {"depth", "split", "evidence", "answer"}


def test_to_dict_is_the_content_of_the_file():
    for name in ("classes", "pruned_numbers", "surrogates", "labels", "extreme"):
        tree = kinds.model(name).estimator.tree_.with_note("x")
        stored = json.loads(saved_bytes(tree.data))
        del stored["checksum"]
        assert json.loads(json.dumps(tree.to_dict(), allow_nan=False)) == stored


def test_names_that_utf_8_cannot_hold_come_back():
    tree = kinds.model("classes").estimator.tree_.with_note("half \ud83c of a tree")
    data = saved_bytes(tree.data)
    assert b"half \\ud83c of" in data
    assert load_bytes(data).made_by["notes"] == ("half \ud83c of a tree",)


def test_pruning_a_subtree_changes_few_lines():
    tree = kinds.model("id3").estimator.tree_
    cut = tree.collapse(int(tree.children(0)[0]))
    one, other = (set(saved_bytes(t.data).split(b"\n")) for t in (tree, cut))
    # The collapsed node, and the checksum; the pruning record goes.
    assert len([x for x in other - one if x.startswith(b'{"depth"')]) == 1


def test_line_ends_of_windows_are_read():
    tree = kinds.model("classes").estimator.tree_.data
    assert load_bytes(saved_bytes(tree).replace(b"\n", b"\r\n")) == tree


def test_numbers_are_the_shortest_that_read_back():
    tree = kinds.model("numbers").estimator.tree_.data
    node = json.loads(saved_bytes(tree))["nodes"][0]
    assert node["split"]["threshold"] == tree.threshold[0]
    assert repr(float(tree.threshold[0])).encode() in saved_bytes(tree)


# -- what is known beyond the tree -----------------------------------------------------


def test_pruning_travels_with_the_tree(tmp_path):
    fitted = kinds.model("pruned_numbers").estimator
    fitted.tree_.save(tmp_path / "t.tree.json")
    again = tw.TreeRegressor.from_tree(tw.load(tmp_path / "t.tree.json"))
    assert str(again.pruning_) == str(fitted.pruning_)
    pd.testing.assert_frame_equal(
        again.pruning_.to_pandas(), fitted.pruning_.to_pandas()
    )


def test_intake_travels_with_the_tree():
    found = Finding("leak", "x", "it equals the target", "Leave it out.")
    whole = Finding("copies", None, "9 of 10 rows are copies", "Drop them.")
    read = Finding("converted", "x", "'NA' in 2 rows read as missing", "Keep it.")
    intake = Intake(10, 2, (found, whole), (read,), 13, ((4, "3 cells"), (9, "1")), 1)
    data = with_made_by(kinds.model("classes").estimator.tree_.data, intake=intake)
    back = load_bytes(saved_bytes(data))
    assert back.made_by["intake"] == intake
    assert tw.TreeClassifier.from_tree(tw.Tree(back)).intake_ == intake


def test_from_tree_gives_an_estimator_that_scikit_learn_accepts(tmp_path):
    X, y = frame()
    fitted = tw.TreeClassifier(
        class_weight={"u": 2.0, "v": 1.0}, kinds={"c": "categorical"}, max_depth=4
    ).fit(X, y)
    fitted.tree_.save(tmp_path / "t.tree.json")
    again = tw.TreeClassifier.from_tree(tw.load(tmp_path / "t.tree.json"))
    check_is_fitted(again)
    assert again.get_params() == fitted.get_params()
    assert clone(again).fit(X, y).tree_ == fitted.tree_
    assert again.n_features_in_ == 3
    assert again.classes_.tolist() == ["u", "v"]
    assert again.n_classes_ == 2
    assert again.feature_names_in_.tolist() == ["x", "c", "d"]
    assert again.score(X, y) == fitted.score(X, y)
    assert cross_val_score(again, X, y, cv=2).min() > 0.5
    search = GridSearchCV(again, {"max_depth": [1, 2]}, cv=2).fit(X, y)
    assert search.best_params_["max_depth"] in (1, 2)
    assert make_pipeline(again).predict(X).tolist() == fitted.predict(X).tolist()
    assert pickle.loads(pickle.dumps(again)).tree_ == fitted.tree_


def test_objects_that_a_file_cannot_hold_become_the_defaults():
    X, y = frame()
    generator = np.random.RandomState(3)
    fitted = tw.TreeClassifier(cv=KFold(4), max_features=2, random_state=generator).fit(
        X, y
    )
    back = load_bytes(saved_bytes(fitted.tree_.data))
    again = tw.TreeClassifier.from_tree(tw.Tree(back))
    assert again.cv is None
    assert again.random_state == fitted.tree_.data.options["random_state"]
    assert repr(back.made_by["parameters"]["cv"]) == "<KFold, not stored>"


def nested(value, kind, times):
    for _ in range(times):
        value = kind([value])
    return value


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (np.float32(0.5), 0.5),
        (np.str_("auto"), "auto"),
        (pd.Series({"u": 2.0, "v": 1.0}), {"u": 2.0, "v": 1.0}),
        ({np.int64(1): np.int64(2), None: np.inf}, {1: 2, None: np.inf}),
        ({(0, 1): 2}, NotStored("dict")),
        (nested(1, tuple, 12), nested(1, tuple, 12)),
        (nested(1, list, 14), nested(NotStored("list"), list, 12)),
    ],
)
def test_parameters_come_back_as_plain_values(given, wanted):
    data = kinds.model("classes").estimator.tree_.data
    parameters = {**data.made_by["parameters"], "cv": given}
    back = load_bytes(saved_bytes(with_made_by(data, parameters=parameters)))
    found = back.made_by["parameters"]["cv"]
    assert found == wanted
    assert type(found) is type(wanted)


def test_folds_given_as_rows_are_not_stored():
    X, y = frame()
    pairs = list(KFold(4).split(X))
    data = tw.TreeClassifier(cv=pairs).fit(X, y).tree_.data
    assert json.loads(saved_bytes(data))["parameters"]["cv"] == {"$object": "folds"}


@pytest.mark.parametrize(
    "costs",
    [
        {"u": {"v": 3}},
        [[0, 1], [5, 0]],
        np.array([[0, 1.5], [2, 0]]),
        pd.DataFrame([[0, 1], [4, 0]], ["u", "v"], ["u", "v"]),
    ],
)
def test_costs_in_any_form_come_back_as_parameters_that_fit_the_same_tree(costs):
    X, y = frame()
    fitted = tw.TreeClassifier(costs=costs).fit(X, y)
    back = tw.Tree(load_bytes(saved_bytes(fitted.tree_.data)))
    assert clone(tw.TreeClassifier.from_tree(back)).fit(X, y).tree_ == fitted.tree_


def test_the_wrong_estimator_is_refused_by_name():
    tree = kinds.model("numbers").estimator.tree_
    with pytest.raises(OptionError, match=r"predicts numbers; use TreeRegressor.from_"):
        tw.TreeClassifier.from_tree(tree)


def test_a_tree_from_grow_becomes_an_estimator_that_grows_it_again():
    X, y = frame()
    tree = tw.grow(tw.as_table(X, y), tw.GrowOptions(max_depth=3))
    again = tw.TreeClassifier.from_tree(tree)
    assert again.prune is None
    assert clone(again).fit(X, y).tree_ == tree
    assert "no estimator made this tree" in str(again.pruning_)


def test_an_edited_tree_does_not_keep_what_is_no_longer_true():
    fitted, rows = kinds.model("pruned_classes")
    tree = fitted.tree_.with_note("stays")
    tree = tree.with_evaluation(tree.evaluate(rows, kinds.classes()))
    cut = tree.collapse(1)
    assert cut.notes == ("stays",)
    assert cut.evaluation is None
    words = str(tw.TreeClassifier.from_tree(cut).pruning_)
    assert "changed after it was fitted" in words
    again = tree.refit(rows, kinds.classes())
    assert "data" not in again.data.made_by


def test_notes_and_evaluations_are_kept_and_not_compared(tmp_path):
    fitted, rows = kinds.model("classes")
    tree = fitted.tree_
    evaluation = tree.evaluate(rows, kinds.classes())
    noted = tree.with_note("For the shop.").with_note("Until May.")
    noted = noted.with_evaluation(evaluation)
    assert noted == tree
    assert tree.notes == ()
    noted.save(tmp_path / "t.tree.json")
    back = tw.load(tmp_path / "t.tree.json")
    assert back.notes == ("For the shop.", "Until May.")
    assert back.evaluation["accuracy"] == evaluation.accuracy
    assert back.evaluation["interval"] == list(evaluation.interval)
    assert back.evaluation["confusion"] == evaluation.confusion.tolist()
    assert back.evaluation == noted.evaluation


@pytest.mark.parametrize("note", ["", "  ", 3, None])
def test_an_empty_note_is_refused(note):
    with pytest.raises(OptionError, match="A note must be a text with words; got"):
        kinds.model("classes").estimator.tree_.with_note(note)


def test_an_evaluation_of_another_tree_is_refused():
    fitted, rows = kinds.model("classes")
    other = kinds.model("costs").estimator.tree_.evaluate(rows, kinds.classes())
    with pytest.raises(OptionError, match="of another tree"):
        fitted.tree_.with_evaluation(other)
    with pytest.raises(OptionError, match=r"the result of tree.evaluate\(X, y\); got"):
        fitted.tree_.with_evaluation(0.9)


def test_the_tree_before_pruning_is_stored_on_request():
    X, y = frame()
    grown = grow(tw.as_table(X, y))
    path = tw.pruning_path(tw.Tree(grown))
    data = with_made_by(path.tree(n_leaves=4).data, grown=grown)
    back = load_bytes(saved_bytes(data))
    assert back == data
    assert back.made_by["grown"] == grown
    again = tw.pruning_path(tw.Tree(back.made_by["grown"]))
    np.testing.assert_array_equal(again.alpha, path.alpha)
    assert again.tree(n_leaves=9) == path.tree(n_leaves=9)
    assert len(saved_bytes(data, keep_path=False)) < len(saved_bytes(data)) / 2
    assert "grown" not in load_bytes(saved_bytes(data, keep_path=False)).made_by


def test_keep_path_without_the_grown_tree_says_what_to_do():
    tree = kinds.model("classes").estimator.tree_
    with pytest.raises(OptionError, match="Fit with keep_path=True"):
        saved_bytes(tree.data, keep_path=True)


@pytest.mark.parametrize("kind", [tw.TreeClassifier, tw.TreeRegressor])
@pytest.mark.parametrize("keep_path", [False, True])
def test_other_sizes_are_handed_out_after_loading(tmp_path, kind, keep_path):
    rng = np.random.default_rng(17)
    X = rng.normal(size=(500, 4))
    y = 2 * X[:, 0] + np.sin(3 * X[:, 1]) + rng.normal(size=500) / 2
    target = np.where(y > 0, "up", "down") if kind is tw.TreeClassifier else y
    fitted = kind(keep_path=keep_path).fit(X, target)
    fitted.tree_.save(tmp_path / "model.tree")
    back = kind.from_tree(tw.load(tmp_path / "model.tree")).pruning_
    record = fitted.pruning_
    assert record.n_leaves[0] > record.n_leaves_after > 3
    for n_leaves in (1, 3, record.n_leaves_after):
        assert back.at(n_leaves) == record.at(n_leaves)
        np.testing.assert_array_equal(
            back.at(n_leaves).answer, record.at(n_leaves).answer
        )
    larger = int(record.n_leaves[0])
    if keep_path:
        assert back.at(larger).n_leaves == larger
        assert back.at(larger) == record.at(larger)
    else:
        with pytest.raises(OptionError, match="keep_path=True"):
            back.at(larger)
