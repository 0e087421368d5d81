"""The headline and the figures: those of `evaluate`, at every size of the tree."""

import types

import numpy as np
import pytest

import treewright as tw
from support import report_trees as trees
from support.looks import many_classes
from support.pages import open_report
from support.report_data import data_of
from treewright.drawing.report.story import headline
from treewright.errors import OptionError
from treewright.reading.answers.importance import impurity_importance
from treewright.tree import wording

MAKERS = {
    "classes": lambda: trees.credit(prune=None, max_depth=5),
    "three classes": lambda: trees.penguins(),
    "costs": lambda: trees.gappy_penguins(costs=[[0, 1, 5], [4, 0, 1], [1, 9, 0]]),
    "stopping": lambda: trees.gappy_penguins(
        missing="surrogate", surrogate_fallback="stop", max_surrogates=1
    ),
    "numbers": trees.hitters,
    "medians": lambda: trees.hitters(criterion="absolute_error"),
}


def page_story(page):
    return page.evaluate(
        """() => [document.querySelector("#lead").textContent,
            [...document.querySelectorAll(".figure")].map((e) => [
                e.querySelector("dt").textContent, e.querySelector("b").textContent,
                e.querySelector("span").textContent])]"""
    )


def at_every_size(page, model, X, y, folder):
    """Open a report and slide through all sizes; yield the tree of each size."""
    tree = model.tree_
    open_report(page, tree, folder, X_test=X, y_test=y)
    path = tw.pruning_path(tree)
    for step, n in enumerate(page.evaluate("treewright.data.path.leaves")):
        page.evaluate("(step) => treewright.setStep(step)", step)
        yield tree if n == tree.n_leaves else path.tree(n_leaves=n)


@pytest.mark.parametrize("name", MAKERS)
def test_the_headline_follows_the_slider(page, tmp_path, name):
    """At every size the page says what a report about the pruned tree would say."""
    model, X, y = MAKERS[name]()
    for small in at_every_size(page, model, X, y, tmp_path):
        lead, figures = page_story(page)
        importance = impurity_importance(small.data)
        test = small.evaluate(X, y)
        story = headline(small.data, importance, None, test, None)
        expected = [[f["name"], f["value"], f["detail"]] for f in story["figures"]]
        assert figures == expected
        if small.n_leaves > 1 and name != "stopping":
            assert lead == "".join(piece["text"] for piece in story["lead"])


@pytest.mark.parametrize("name", MAKERS)
def test_figures_are_those_of_evaluate_digit_by_digit(page, tmp_path, name):
    model, X, y = MAKERS[name]()
    for small in at_every_size(page, model, X, y, tmp_path):
        found = small.evaluate(X, y)
        if not small.data.is_classifier:
            error = page.evaluate("treewright.errorsNow().test")
            assert error == pytest.approx(found.error, rel=1e-12)
            continue
        assert page.evaluate("treewright.confusionNow()") == found.confusion.tolist()
        cells = page.locator("#class-body tr").evaluate_all(
            "(all) => all.map((e) => [...e.querySelectorAll('td')].map("
            "(td) => td.textContent))"
        )
        for k, (weight, recall, precision) in enumerate(cells):
            assert weight == f"{int(found.confusion[k].sum()):,}"
            assert recall == shown(found.recall[k])
            assert precision == shown(found.precision[k])


def shown(share):
    return "\N{EN DASH}" if np.isnan(share) else wording.percent(float(share))


def test_the_area_under_the_curve_is_that_of_scikit_learn(page, tmp_path):
    metrics = pytest.importorskip("sklearn.metrics")
    model, X, y = trees.credit(prune=None, max_depth=5)
    open_report(page, model, tmp_path, X_test=X, y_test=y)
    score = model.predict_proba(X)[:, 0]
    expected = metrics.roc_auc_score(np.array(y) == "bad", score)
    assert page.evaluate("treewright.rocOf(0).area") == pytest.approx(expected)
    for limit in (0.1, 0.3, 0.5, 0.7):
        page.evaluate(
            """(limit) => { const e = document.querySelector("#limit");
                e.value = 100 * limit; e.dispatchEvent(new Event("input")); }""",
            limit,
        )
        said = np.where(score >= limit, "bad", "good")
        found = metrics.recall_score(np.array(y), said, pos_label="bad")
        words = page.inner_text("#limit-words")
        assert f"finds {int(100 * found + 0.5)} of 100 bad" in words
        right = metrics.accuracy_score(np.array(y), said)
        assert f"together: {wording.percent(right)} right" in words


def test_the_title_says_what_the_tree_does(tmp_path):
    model = trees.credit()[0]
    story = data_of(tw.report(model, tmp_path / "r.html"))["story"]
    assert story["title"] == "How this tree predicts class"


def test_training_and_test_that_part_are_reported(page, tmp_path):
    X = {"a": [0.0] * 50 + [1.0] * 50}
    model = tw.TreeClassifier(prune=None, findings="ignore")
    model.fit(X, ["no"] * 50 + ["yes"] * 50)
    test = {"a": [0.0, 0.0, 0.0, 1.0, 1.0]}
    open_report(page, model, tmp_path, X_test=test, y_test=["no"] * 5)
    said = page.inner_text("#warnings")
    assert "100% yes in training, 0% of 2 test rows" in said
    page.click("#warnings .link")
    assert page.evaluate("treewright.state.selected") == 2


# -- labels, fixed columns, findings --------------------------------------------------

LABELS = {"checking_status": "Balance of the account", "class": "Credit risk"}
VALUES = {"class": {"bad": "does not pay", "good": "pays"}}


def test_labels_stand_wherever_people_read(page, tmp_path):
    model, X, y = trees.credit(prune_rule="min")
    path = open_report(
        page, model, tmp_path, X_test=X, y_test=y, labels=LABELS, value_labels=VALUES
    )
    assert page.inner_text("h1") == "How this tree predicts Credit risk"
    assert "does not pay or pays" in page.inner_text("#lead")
    for part in ("#cards", "#details", "#rules-body", "#importance-bars", "#columns"):
        words = page.inner_text(part)
        assert "Balance of the account" in words
        assert "checking_status" not in words
    assert "does not pay" in page.inner_text("#by-class")
    assert "'checking_status'" in page.inner_text("#made-code")
    still = path.read_text().split("still-tree")[1].split("</svg>")[0]
    assert "checking_status" not in still
    same = data_of(tw.report(model, tmp_path / "b.html", X, y))["tree"]
    assert same == data_of(path)["tree"]


def test_bad_labels_are_refused_in_words(tmp_path):
    model = trees.credit()[0]

    def refused(match, **more):
        with pytest.raises(OptionError, match=match):
            tw.report(model, tmp_path / "r.html", **more)

    refused("labels must be a dict", labels=["a"])
    refused("Did you mean 'duration'", labels={"durations": "Months"})
    refused("must be text; got 3", labels={"duration": 3})
    refused("Two labels are 'age'", labels={"duration": "age"})
    refused("has no categories", value_labels={"duration": {"1": "one"}})
    refused("labels 'ugly'", value_labels={"class": {"ugly": "x"}})
    refused("must be a dict of values", value_labels={"class": "x"})
    refused("must be text; got 1", value_labels={"class": {"good": 1}})
    refused("Two labels are 'bad'", value_labels={"class": {"good": "bad"}})
    refused("fixed names 'duratio'", fixed=["duratio"])
    refused("fixed must be a list", fixed="duration")
    assert list(tmp_path.iterdir()) == []


def test_a_number_has_no_classes_to_label(tmp_path):
    model = tw.TreeRegressor(prune=None).fit({"a": [1, 2, 3, 4]}, [1.0, 2.0, 3.0, 5.0])
    with pytest.raises(OptionError, match=r"\['y'\]: the target is a number and has"):
        tw.report(model, tmp_path / "r.html", value_labels={"y": {1.0: "low"}})
    assert list(tmp_path.iterdir()) == []


def test_numbers_as_classes_can_have_labels(tmp_path):
    X, y = {"a": [1, 2, 3, 4] * 5}, [0, 0, 1, 1] * 5
    model = tw.TreeClassifier(prune=None).fit(X, y)
    labels = {"y": {0: "healthy", 1: "ill"}}
    data = data_of(tw.report(model, tmp_path / "r.html", X, y, value_labels=labels))
    assert data["target"]["classes"] == ["healthy", "ill"]


def test_columns_that_cannot_change_are_kept(page, tmp_path):
    model = trees.credit(prune_rule="min")[0]
    names = list(model.tree_.columns_used)
    open_report(page, model, tmp_path, fixed=names)
    page.click("#tab-what-if")
    assert "No change of known values leads there" in page.inner_text("#changed")
    locks = page.locator("#form .lock")
    assert locks.count() == len(names)
    for lock in locks.all():
        assert lock.is_disabled()
        assert lock.inner_text() == "fixed"


def test_a_slider_passes_equal_shares_of_the_rows(page, tmp_path):
    model = trees.hitters()[0]
    open_report(page, model, tmp_path)
    page.click("#tab-what-if")
    column = model.tree_.columns_used[0]
    j = model.tree_.schema.index_of[column]
    summary = model.tree_.schema.features[j].summary
    five = (summary.minimum, summary.q1, summary.median, summary.q3, summary.maximum)
    for share, value in zip((0, 25, 50, 75, 100), five, strict=True):
        page.evaluate(
            """([j, share]) => { const { slider } = treewright.fields.get(j);
                slider.value = share; slider.dispatchEvent(new Event("input")); }""",
            [j, share],
        )
        typed = page.evaluate(f"Number(treewright.fields.get({j}).input.value)")
        assert typed == pytest.approx(value, rel=0.01, abs=0.5)


def test_findings_about_the_training_table_are_shown(page, tmp_path):
    model, _X, _y = trees.credit(prune_rule="min")
    finding = types.SimpleNamespace(
        place="<b>id</b>", words="differs in every row", advice="Drop it."
    )
    model.intake_ = types.SimpleNamespace(findings=(finding,))
    open_report(page, model, tmp_path)
    assert "<b>id</b> differs in every row. Drop it." in page.inner_text("#intake")
    del model.intake_
    assert 'id="intake"' not in tw.report(model, tmp_path / "r.html").read_text()


def test_the_gain_of_numbers_is_told_in_their_unit(page, tmp_path):
    model, X, y = trees.hitters()
    open_report(page, model, tmp_path, X_test=X, y_test=y)
    tree = model.tree_.data
    below = [1, 1 + int(tree.subtree_size[1])]
    within = sum(tree.weight[c] * tree.variance[c] for c in below) / tree.weight[0]
    before, after = np.sqrt(tree.variance[0]), np.sqrt(within)
    said = f"from {wording.figures(before)} to {wording.figures(after)}."
    assert f"The split lowers the RMSE here {said}" in page.inner_text("#details")


def test_text_picture_rules_explanation_and_page_tell_the_same_probability(
    page, tmp_path
):
    _, X, y = trees.gappy_penguins()
    model = tw.TreeClassifier(n_jobs=1).fit(X, y)
    tree = model.tree_
    assert len(tree.data.answer)  # probabilities differ from shares
    open_report(page, model, tmp_path, X_test=X, y_test=y)
    rules = {rule.node: rule for rule in tree.rules()}
    picture, lines = tree.to_svg(max_leaves=None), tree.text(numbers=True).split("\n")
    frame = tree.to_pandas()
    for node in tree.leaves:
        told = wording.percent(frame["probability"][node])
        assert wording.percent(rules[node].probability) == told
        assert next(line for line in lines if line.split()[:1] == [str(node)]).endswith(
            f"{told} *"
        )
        assert f"({told})" in picture
        shown = page.evaluate(
            f"treewright.percent(treewright.probability({int(node)}))"
        )
        assert shown == told
    cards = page.locator(".card.leaf").all()
    assert cards
    for card in cards:
        node = int(card.get_attribute("data-node"))
        told = wording.percent(rules[node].probability)
        assert card.locator(".main > span:not(.sr)").inner_text() == told
    row = {name: X[name][0] for name in tree.columns_used}
    made = tree.explain(row)
    told = wording.percent(rules[made.node].probability)
    assert f"(probability {told}; " in str(made)
    assert "beside a class: its probability" in page.inner_text("#legend")


def test_no_leaf_of_many_classes_is_grey(page, tmp_path):
    model = many_classes()
    open_report(page, model, tmp_path)
    inks = page.evaluate("treewright.data.target.own_inks")
    assert "other" not in inks
    tabs = page.locator(".card.leaf .tab").evaluate_all(
        "(all) => all.map((each) => each.style.background)"
    )
    assert tabs
    assert set(tabs) <= {f"var(--c{k})" for k in range(8)}
