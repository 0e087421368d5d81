"""What `tw.report` counts, writes and refuses."""

import numpy as np
import pytest

import treewright as tw
from support import report_trees as trees
from support.report_data import data_of
from treewright.errors import OptionError, TableError
from treewright.pruning.path import find_path
from treewright.reading.answers.evaluation import errors_of_path, evaluate_rows
from treewright.tree import wording
from treewright.tree.new_rows import NewRows


def counted(model, X, y, weights=None):
    data = model.tree_.data
    rows, path = NewRows.read(data, X, y, weights), find_path(data)
    return data, path, evaluate_rows(data, rows), errors_of_path(data, path, rows)


def lead_of(story):
    return "".join(piece["text"] for piece in story["lead"])


# -- figures ------------------------------------------------------------------------


def test_rows_and_classes_of_every_node_are_those_that_pass_it():
    model, X, y = trees.gappy_penguins()
    tree, _, found, _ = counted(model, X, y)
    passed = model.decision_path(X).toarray()
    assert found.seen.n_rows.tolist() == passed.sum(axis=0).tolist()
    for k, name in enumerate(model.classes_):
        own = passed[np.array(y) == name].sum(axis=0)
        assert found.seen.value[:, k].tolist() == pytest.approx(own.tolist())
    wrong = [np.mean(np.array(y)[passed[:, i] > 0] != model.classes_[tree.label[i]])
             for i in range(tree.n_nodes) if passed[:, i].any()]  # fmt: skip
    by_node = found.seen.extras["new_error"][found.seen.n_rows > 0]
    assert by_node.tolist() == pytest.approx(wrong)
    assert found.error == pytest.approx(1 - model.score(X, y))
    assert found.confusion.sum() == len(y)


@pytest.mark.parametrize(
    "make",
    [
        lambda: trees.gappy_penguins(),
        lambda: trees.gappy_penguins(missing="surrogate", surrogate_fallback="stop",
                                     max_surrogates=1),
        lambda: trees.gappy_penguins(method="c45", prune=None),
        lambda: trees.hitters(),
        lambda: trees.hitters(criterion="poisson"),
        lambda: trees.hitters(criterion="absolute_error"),
    ],
    ids=["learned", "stopping", "divided", "squared", "poisson", "absolute"],
)  # fmt: skip
def test_the_error_of_every_size_is_that_of_the_pruned_tree(make):
    model, X, y = make()
    _, path, _, errors = counted(model, X, y)
    own = np.array(y)
    for step in range(len(path)):
        small = tw.Tree(path.pruned(step))
        said = small.predict(X)
        if model.tree_.data.is_classifier:
            error = np.mean(said != own)
        elif model.criterion == "absolute_error":
            error = np.mean(np.abs(said - own))
        elif model.criterion == "poisson":
            error = np.mean(own * np.log(own / said) - own + said)
        else:
            error = np.mean((said - own) ** 2)
        assert errors[step] == pytest.approx(error)


def test_weights_count_as_copies():
    model, X, y = trees.hitters()
    weights = np.arange(len(y)) % 3 + 0.0
    again = [i for i in range(len(y)) for _ in range(i % 3)]
    _, _, found, errors = counted(model, X, y, weights)
    rows = {k: [v[i] for i in again] for k, v in X.items()}
    _, _, copies, errors_of_copies = counted(model, rows, [y[i] for i in again])
    assert found.error == pytest.approx(copies.error)
    assert found.weight == pytest.approx(copies.weight)
    assert found.seen.weight.tolist() == pytest.approx(copies.seen.weight.tolist())
    assert found.r2 == pytest.approx(copies.r2)
    assert errors.tolist() == pytest.approx(errors_of_copies.tolist())


def test_numbers_of_nodes_are_means_and_errors_of_their_rows():
    model, X, y = trees.hitters()
    tree, _, found, _ = counted(model, X, y)
    passed = model.decision_path(X).toarray() > 0
    own = np.array(y)
    for node in np.flatnonzero(found.seen.n_rows > 0).tolist():
        rows = own[passed[:, node]]
        assert found.seen.value[node, 0] == pytest.approx(rows.mean())
        error = np.mean((rows - tree.value[node, 0]) ** 2)
        assert found.seen.extras["new_error"][node] == pytest.approx(error)


def test_training_errors_along_the_path_are_those_of_the_trees(tmp_path):
    model = trees.gappy_penguins(missing="surrogate", surrogate_fallback="stop")[0]
    given = data_of(tw.report(model, tmp_path / "r.html"))["path"]
    path = tw.pruning_path(model.tree_)
    for n, error in zip(given["leaves"], given["train"], strict=True):
        small = path.tree(n_leaves=n)
        if small.n_leaves == n:
            stopped = small.data.split_kind != 0
            assert error >= small.risk() - 1e-12 or stopped.any()
    assert given["leaves"][-1] == 1
    assert given["train"][-1] == pytest.approx(float(model.tree_.data.risk[0]))


def test_arrays_survive_to_the_last_bit(tmp_path):
    model = trees.hitters()[0]
    given = data_of(tw.report(model, tmp_path / "r.html"))["tree"]
    tree = model.tree_.data
    assert given["mean"] == tree.value[:, 0].tolist()
    assert given["threshold"] == tree.threshold[tree.split_kind == 1].tolist()
    assert given["size"] == tree.subtree_size.tolist()


# -- words --------------------------------------------------------------------------


def test_the_lead_falls_back_to_the_best_there_is(tmp_path):
    model, X, y = trees.credit()
    first = data_of(tw.report(model, tmp_path / "r.html"))["story"]
    assert "In cross-validation" in lead_of(first)
    bare = data_of(tw.report(model.tree_, tmp_path / "r.html"))["story"]
    assert "rows it learned from" in lead_of(bare)
    full = data_of(tw.report(model, tmp_path / "r.html", X, y))["story"]
    assert "it had not seen" in lead_of(full)
    assert full["figures"][0]["name"] == "Test rows"


@pytest.mark.parametrize(("depth", "in_table"), [(2, True), (None, False)])
def test_the_error_on_validation_rows_is_told_if_no_other_rows_are_known(
    tmp_path, depth, in_table
):
    model, _, _ = trees.hitters(prune="validation", max_depth=depth)
    record = model.pruning_
    assert (record.chosen >= 0) is in_table
    data = data_of(tw.report(model, tmp_path / "r.html"))
    assert data["curve"]["validation_error"] == record.validation_error.tolist()
    error, whole = record.held_out_error, record.validation_error[-1]
    rmse, share = wording.figures(error**0.5), wording.percent(1 - error / whole)
    assert (
        "On the validation rows the root mean squared error of its answers was "
        f"{rmse}; they explained {share} of the differences."
    ) in lead_of(data["story"])
    figure = data["story"]["figures"][0]
    assert (figure["name"], figure["value"]) == ("Validation rows", f"± {rmse}")
    assert figure["detail"] == f"RMSE; {share} explained"


def test_sizes_without_a_measured_error_make_no_curve(tmp_path):
    model, _, _ = trees.credit(ccp_alpha=0.01)
    assert len(model.pruning_.n_leaves) > 1
    assert data_of(tw.report(model, tmp_path / "r.html"))["curve"] is None


def test_a_tree_without_a_split_has_nothing_to_shuffle(tmp_path):
    model, X, y = trees.credit(max_depth=1, prune=None)
    data = data_of(tw.report(model.tree_.collapse(0), tmp_path / "r.html", X, y))
    assert "no split helped: all 500 rows get one answer" in lead_of(data["story"])
    assert not any("permuted" in column for column in data["columns"])
    used = data_of(tw.report(model, tmp_path / "r.html", X, y))["columns"]
    assert sum("permuted" in column for column in used) == 1


def test_the_lines_of_python_make_the_same_tree(tmp_path):
    import pandas as pd

    X, y = trees.frame("penguins.csv", "species")
    data = pd.DataFrame({**X, "species": list(y)})
    model = tw.TreeClassifier(max_depth=3, criterion="entropy")
    model.fit(data[list(X)], data["species"])
    code = data_of(tw.report(model, tmp_path / "r.html"))["made"]["code"]
    lines = "\n".join(code).replace("report.html", str(tmp_path / "again.html"))
    exec(lines, {"data": data})
    assert (tmp_path / "again.html").exists()


def test_the_same_report_is_written_byte_for_byte(tmp_path):
    model, X, y = trees.credit()
    one = tw.report(model, tmp_path / "a.html", X, y).read_bytes()
    assert one == tw.report(model, tmp_path / "b.html", X, y).read_bytes()


def test_fingerprints_of_other_rows_differ(tmp_path):
    model, X, y = trees.hitters()
    made = data_of(tw.report(model, tmp_path / "r.html", X, y))["made"]["fingerprints"]
    other = {**X, "Hits": X["Hits"][::-1]}
    again = data_of(tw.report(model, tmp_path / "r.html", other, y))["made"]
    same = [a == b for a, b in zip(made, again["fingerprints"], strict=True)]
    assert same == [True, False, True]


# -- refusals -----------------------------------------------------------------------


def test_bad_input_is_refused_in_words(tmp_path):
    model, X, y = trees.tennis_id3()
    where = tmp_path / "r.html"
    with pytest.raises(OptionError, match="both X_test and y_test"):
        tw.report(model, where, X)
    with pytest.raises(OptionError, match="sample_weight_test needs"):
        tw.report(model, where, sample_weight_test=[1])
    with pytest.raises(OptionError, match="is the folder"):
        tw.report(model, tmp_path)
    with pytest.raises(OptionError, match="There is no folder"):
        tw.report(model, tmp_path / "none" / "r.html")
    with pytest.raises(OptionError, match="path must be the name of a file"):
        tw.report(model, 3)
    with pytest.raises(OptionError, match="title must be text"):
        tw.report(model, where, title=3)
    with pytest.raises(OptionError, match="call fit first"):
        tw.report(tw.TreeClassifier(), where)
    with pytest.raises(OptionError, match="tree must be"):
        tw.report("tree", where)
    with pytest.raises(TableError, match="no rows"):
        tw.report(model, where, {k: [] for k in X}, [])
    with pytest.raises(TableError, match="y_test has the class 'Maybe'"):
        tw.report(model, where, X, ["Maybe", *y[1:]])
    with pytest.raises(TableError, match="Outlook"):
        tw.report(model, where, {"Wind": X["Wind"]}, y)
    assert list(tmp_path.iterdir()) == []


def test_a_report_replaces_one_that_is_there(tmp_path):
    where = tmp_path / "r.html"
    where.write_text("old")
    assert tw.report(trees.tennis_id3()[0], str(where)) == where
    assert where.read_text().startswith("<!doctype html>")
    assert [each.name for each in tmp_path.iterdir()] == ["r.html"]


def test_the_words_fit_what_is_counted(tmp_path):
    X, y = trees.frame("german_credit.csv", "class")
    costly = tw.TreeClassifier(costs={"bad": {"good": 5}}, n_jobs=1).fit(X, y)
    story = data_of(tw.report(costly, tmp_path / "r.html"))["story"]
    said = {each["name"]: each["detail"] for each in story["figures"]}
    assert said["Without a tree"] == "always answering bad, the cheapest single answer"
    model, X, y = trees.hitters()
    story = data_of(tw.report(model, tmp_path / "r.html", X, y))["story"]
    lead = lead_of(story)
    assert "root mean squared error of its answers was " in lead
    assert "typical" not in lead + story["axis"]


def test_the_lines_of_python_run_on_a_table_with_other_columns(tmp_path):
    import pandas as pd

    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        rng.normal(size=(60, 80)), columns=[f"v {i}" for i in range(80)]
    )
    data["y it is"] = np.where(data["v 7"] > 0, "a", "b")
    X = data.drop(columns=["v 1", "v 2", "y it is"])
    model = tw.TreeClassifier(n_jobs=1, findings="ignore").fit(X, data["y it is"])
    page = tw.report(model, tmp_path / "r.html", X, data["y it is"])
    code = data_of(page)["made"]["code"]
    assert max(map(len, code)) <= 88
    lines = "\n".join(code).replace("report.html", str(tmp_path / "again.html"))
    assert "# data: " in lines
    assert "# X_test, y_test: " in lines
    exec(lines, {"data": data, "X_test": X, "y_test": data["y it is"]})


def test_the_report_shows_the_findings_of_an_estimator(tmp_path):
    n = 80
    X = {"x": [i % 7 for i in range(n)], "<b>flat": [1.5] * n}
    y = ["low" if i % 7 < 3 else "high" for i in range(n)]
    fitted = tw.TreeClassifier(findings="ignore").fit(X, y)
    text = tw.report(fitted, tmp_path / "report.html").read_text(encoding="utf-8")
    section = text[text.index('<section id="intake"') :]
    section = section[: section.index("</section>")]
    assert "&lt;b&gt;flat" in section
    assert "<b>flat" not in section
    assert "every known value is 1.5" in section
    alone = tw.report(fitted.tree_, tmp_path / "tree.html").read_text(encoding="utf-8")
    assert '<section id="intake"' not in alone
