"""The page writes the same texts as Python, and routes rows as Python does."""

import datetime as dt
import math

import numpy as np
import pytest

import treewright as tw
from support import report_trees as trees
from support.odd_trees import as_frame, odd_tree, random_columns
from support.pages import fill, open_report
from treewright.reading.conditions.path_conditions import answer_nodes
from treewright.tree import wording
from treewright.tree.data import LEAF
from treewright.tree.route import Ends, ends_of
from treewright.tree.split import split_of

# Rows as callers have them include words that no tree has seen.
pytestmark = pytest.mark.filterwarnings(
    "ignore::treewright.errors.UnseenCategoryWarning"
)

ODD = [(seed, style) for style in ("plain", "stops", "divides", "surrogates")
       for seed in (1, 2)]  # fmt: skip


def odd(seed, style):
    return tw.Tree(odd_tree(seed, style))


# -- words --------------------------------------------------------------------------


def test_numbers_are_written_as_in_python(page, tmp_path):
    open_report(page, trees.tennis_id3()[0], tmp_path)
    rng = np.random.default_rng(0)
    plain = rng.normal(size=300) * 10.0 ** rng.integers(-12, 18, 300)
    ties = [
        0.0625,
        0.125,
        12.25,
        2.3125,
        1000.5,
        1001.5,
        6.25,
        0.00005,
        1e16,
        0.1 + 0.2,
    ]
    given = [*plain.tolist(), *ties, 1.0, 0.0, -2.5, 123456789.0, 5e-324, 1e300]
    said = page.evaluate(
        """(list) => list.map((x) => [treewright.number(x), treewright.figures(x),
            treewright.percent(x), treewright.general(x, 6)])""",
        given,
    )
    for x, words in zip(given, said, strict=True):
        expected = [wording.number(x), wording.figures(x), wording.percent(x)]
        assert words == [*expected, f"{x:.6g}"], x


def page_splits(page):
    return page.evaluate(
        """() => Array.from(treewright.data.tree.kind, (kind, i) => {
            if (!kind) return null;
            const plan = [];
            for (let b = 0, c = i + 1; c < i + treewright.data.tree.size[i];
                 c += treewright.data.tree.size[c], b++) {
              plan.push([treewright.splitWords(i, b, { longest: 60 }),
                         treewright.splitWords(i, b, { missing: true, most: 2 })]);
            }
            return plan;
        })"""
    )


def check_words(page, tree):
    for node, said in enumerate(page_splits(page)):
        split = split_of(tree.data, node)
        if split is None:
            assert said is None
            continue
        expected = [
            [split.words(b, longest=60), split.words(b, missing=True, most=2)]
            for b in range(split.n_branches)
        ]
        assert said == expected
    rules = tree.rules()
    said = page.evaluate(
        """() => treewright.answerNodes().map((node) => [node, treewright
            .conditionsOf(node, treewright.data.tree.stops.includes(node))
            .map((c) => treewright.conditionWords(c, { most: 12, longest: 60 }))])
            .map(([node, said]) => [node, said, treewright.inBrackets(said)])"""
    )
    assert [node for node, _, _ in said] == answer_nodes(tree.data).tolist()
    for (_, conditions, told), rule in zip(said, rules, strict=True):
        assert conditions == [c.words(most=12, longest=60) for c in rule.conditions]
        whole = " AND ".join(told) or "any row"
        assert rule.text().startswith(f"IF {whole} THEN ")


@pytest.mark.parametrize(("seed", "style"), ODD)
def test_splits_and_rules_of_odd_trees_read_the_same(page, tmp_path, seed, style):
    tree = odd(seed, style)
    open_report(page, tree, tmp_path)
    check_words(page, tree)


@pytest.mark.parametrize(
    "make",
    [trees.tennis_id3, trees.moments, trees.hitters, trees.gappy_penguins],
    ids=lambda make: make.__name__,
)
def test_splits_and_rules_of_grown_trees_read_the_same(page, tmp_path, make):
    model = make()[0]
    open_report(page, model, tmp_path)
    check_words(page, model.tree_)


# -- walks --------------------------------------------------------------------------


def expected_ends(tree, columns, n):
    ends = ends_of(tree.data, columns, n)
    if not isinstance(ends, Ends):
        return [[[int(node), 1.0]] for node in ends]
    out = [[] for _ in range(n)]
    for r, node, share in zip(ends.rows, ends.nodes, ends.shares, strict=True):
        out[r].append([int(node), float(share)])
    return out


@pytest.mark.parametrize(("seed", "style"), ODD)
def test_rows_of_odd_trees_end_where_the_core_sends_them(page, tmp_path, seed, style):
    tree = odd(seed, style)
    open_report(page, tree, tmp_path)
    columns = random_columns(tree.data, 200, seed)
    rows = [[_js(c[r]) for c in columns] for r in range(200)]
    said = page.evaluate(
        """(rows) => rows.map((row) => {
            const mine = row.map((x) => x === null ? NaN : Number(x));
            const ends = treewright.endsOf(mine);
            const { cls, number, shares } = treewright.answerOf(ends);
            return [ends, cls ?? number, shares && Array.from(shares)];
        })""",
        rows,
    )
    predicted = tree.predict(as_frame(tree.data, columns))
    for r, ends in enumerate(expected_ends(tree, columns, 200)):
        assert [e[0] for e in said[r][0]] == [e[0] for e in ends]
        assert [e[1] for e in said[r][0]] == pytest.approx([e[1] for e in ends])
        answer = said[r][1]
        if tree.data.is_classifier:
            answer = tree.classes[answer]
        assert answer == predicted[r]


def _js(x):
    if isinstance(x, (float, np.floating)):
        if math.isnan(x):
            return None
        return float(x) if math.isfinite(x) else ("Infinity" if x > 0 else "-Infinity")
    return int(x)


def cell_text(feature, value):
    """What to type or choose for a value."""
    if feature.kind != "numeric" and feature.cuts is None:
        if value is None:
            return "-1"
        return str(feature.code_of.get(value, -2))
    if feature.stored_as == "bool":
        return "" if value is None else str(int(value))
    if value is None:
        return ""
    if isinstance(value, dt.date):
        return value.isoformat()
    return str(value) if isinstance(value, dt.timedelta) else repr(value)


def texts_of(tree, row):
    """What to type for a row, by the number of its column."""
    features = tree.schema.features
    places = {name: tree.schema.index_of[name] for name in row}
    return {j: cell_text(features[j], row[name]) for name, j in places.items()}


def random_rows(model, columns, n=200, seed=0):
    """Rows mixed from the values there are, with missing and unseen ones."""
    rng = np.random.default_rng(seed)
    out = {}
    for name, values in columns.items():
        feature = model.tree_.schema.features[model.tree_.schema.index_of[name]]
        pool = [*values]
        mixed = [pool[i] for i in rng.integers(0, len(pool), n)]
        for i in np.flatnonzero(rng.random(n) < 0.12).tolist():
            mixed[i] = None
        if feature.kind == "categorical" and feature.cuts is None:
            for i in np.flatnonzero(rng.random(n) < 0.05).tolist():
                mixed[i] = "never seen"
        out[name] = mixed
    return out


MAKERS = {
    "titanic-like, learned": lambda: trees.gappy_penguins(),
    "penguins": lambda: trees.penguins(max_depth=4),
    "regression": lambda: trees.hitters(),
    "credit": lambda: trees.credit(prune=None, max_depth=7),
    "id3": lambda: trees.tennis_id3(),
    "id3, intervals": lambda: trees.gappy_penguins(
        method="id3", discretize=4, max_depth=3, min_samples_leaf=1
    ),
    "c45, divided": lambda: trees.gappy_penguins(method="c45"),
    "c45, divided, costs": lambda: trees.gappy_penguins(
        method="c45", costs=[[0, 1, 5], [4, 0, 1], [1, 9, 0]], min_branch_weight=0.5
    ),
    "surrogates": lambda: trees.gappy_penguins(missing="surrogate"),
    "surrogates, stopping": lambda: trees.gappy_penguins(
        missing="surrogate", surrogate_fallback="stop", max_surrogates=1
    ),
    "dates, bools, ranks": lambda: trees.moments(),
    "months, local days": lambda: trees.calendars(),
    "float32": lambda: trees.hitters(conventions="sklearn"),
}


@pytest.mark.parametrize("name", MAKERS)
def test_what_if_answers_as_predict_does(page, tmp_path, name):
    model, columns, _ = MAKERS[name]()
    tree = model.tree_
    open_report(page, model, tmp_path)
    page.click("#tab-what-if")
    rows = random_rows(model, columns)
    predicted, ended = model.predict(rows), model.apply(rows)
    used = {tree.schema.index_of[c]: c for c in tree.columns_used}
    texts = [
        [[j, cell_text(tree.schema.features[j], rows[c][r])] for j, c in used.items()]
        for r in range(200)
    ]
    said = page.evaluate(
        """(texts) => texts.map((line) => {
            for (const [j, text] of line) treewright.fields.get(j).input.value = text;
            treewright.walkRow();
            const ends = treewright.endsOf(treewright.row);
            const { cls, number } = treewright.answerOf(ends);
            const bad = document.querySelectorAll('#form [aria-invalid="true"]').length;
            const box = document.querySelector("#what-if-answer b");
            const top = ends.reduce((a, b) => (b[1] > a[1] ? b : a));
            return [bad, cls ?? number, box.textContent, top[0]];
        })""",
        texts,
    )
    for r, (bad, answer, words, node) in enumerate(said):
        assert bad == 0, texts[r]
        if tree.data.is_classifier:
            assert tree.classes[answer] == predicted[r]
            assert words == wording.value(predicted[r], 60)
        else:
            assert answer == predicted[r]
            assert words == wording.figures(predicted[r])
        assert node == ended[r]


@pytest.mark.parametrize(
    "name",
    [
        "titanic-like, learned",
        "regression",
        "surrogates",
        "penguins",
        "id3",
        "c45, divided",
        "c45, divided, costs",
        "dates, bools, ranks",
        "months, local days",
        "float32",
    ],
)
def test_the_path_and_the_smallest_change_equal_those_of_explain(page, tmp_path, name):
    model, columns, _ = MAKERS[name]()
    tree = model.tree_
    open_report(page, model, tmp_path)
    page.click("#tab-what-if")
    rows = random_rows(model, columns, 40, seed=5)
    for r in range(40):
        row = {c: rows[c][r] for c in tree.columns_used}
        if "never seen" in row.values():
            continue
        fill(page, texts_of(tree, row))
        steps, changes = page.evaluate(
            """() => {
                const { row } = treewright;
                const answer = treewright.answerOf(treewright.endsOf(row));
                const other = treewright.smallestChange(row, (each) =>
                    each.cls === undefined ? each.number !== answer.number
                                           : each.cls !== answer.cls);
                return [treewright.stepsOf(row).map((s) => s.sentence),
                    other && [...other.steps].map(
                        ([j, s]) => treewright.changeWords(row, j, s))];
            }"""
        )
        explained = tw.explain(model, row)
        assert steps == [step.sentence for step in explained.steps]
        mine = explained.changes
        assert changes == (None if mine is None else [c.words for c in mine])


def test_a_value_that_cannot_be_read_is_reported(page, tmp_path):
    model = trees.hitters()[0]
    open_report(page, model, tmp_path)
    page.click("#tab-what-if")
    j = model.tree_.schema.index_of[model.tree_.columns_used[0]]
    fill(page, {j: "twelve"})
    name = model.tree_.columns_used[0]
    said = page.inner_text("#walked")
    assert said.startswith(f'{name}: "twelve" cannot be read as a number.')
    fill(page, {j: "12"})
    assert page.inner_text("#what-if-answer")


def test_a_pruned_size_answers_as_the_pruned_tree(page, tmp_path):
    model, columns, _ = trees.gappy_penguins()
    tree = model.tree_
    open_report(page, model, tmp_path)
    path = tw.pruning_path(tree)
    rows = random_rows(model, columns, 60)
    page.click("#tab-what-if")
    leaves = page.evaluate("treewright.data.path.leaves")
    for step, n in enumerate(leaves):
        small = path.tree(n_leaves=n) if n != tree.n_leaves else tree
        page.evaluate("(step) => treewright.setStep(step)", step)
        assert page.evaluate("treewright.answerNodes().length") == small.n_leaves
        predicted = small.predict(rows)
        for r in range(0, 60, 7):
            row = {name: rows[name][r] for name in tree.columns_used}
            fill(page, texts_of(tree, row))
            assert page.inner_text("#what-if-answer b") == str(predicted[r])


def test_odd_trees_have_inner_nodes_to_test():
    assert all((odd(s, style).data.split_kind != LEAF).sum() > 3 for s, style in ODD)
