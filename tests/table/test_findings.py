"""What is suspicious about a table is found, and clean tables give no finding."""

from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.table.intake import KINDS_OF_FINDINGS, Finding, Intake

RNG = np.random.default_rng(0)
N = 400
CLEAN = pd.DataFrame(
    {
        "age": RNG.integers(18, 90, N),
        "income": RNG.normal(3e4, 1e4, N).round(2),
        "town": RNG.choice(["Rome", "Bonn", "Lyon"], N),
    }
)
CLASS = pd.Series(np.where(RNG.random(N) < 0.4, "yes", "no"), name="bought")


def kinds_of(X, y=CLASS):
    return {(each.kind, each.column) for each in tw.inspect(X, y).findings}


def with_column(values):
    return CLEAN.assign(new=values)


@pytest.mark.parametrize(
    ("name", "target"),
    [("penguins", "species"), ("german_credit", "class"), ("carseats", "Sales")],
)
def test_clean_tables_give_no_finding(name, target):
    frame = pd.read_csv(files("treewright") / "data" / f"{name}.csv")
    found = tw.inspect(frame.drop(columns=target), frame[target])
    assert found.findings == ()
    assert "nothing suspicious" in str(found)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (CLASS.to_numpy(), "leak"),
        ((CLASS == "yes").astype(float).to_numpy() * 3, "leak"),
        (np.where(CLASS == "yes", 1.0, np.nan), "leak"),
        (np.full(N, 7.5), "constant"),
        (np.full(N, "a"), "constant"),
        (np.full(N, np.nan), "all_missing"),
        (np.arange(N)[::-1], "running_number"),
        ([f"name {i}" for i in range(N)], "tells_rows_apart"),
        ([f"t{i // 3}" for i in range(N)], "many_categories"),
        ([f"${i:,}" for i in range(900, 900 + N)], "spelled"),
        (["01/02/2019", "03/04/2019"] * (N // 2), "ambiguous"),
        (["?", "a", "b", "c"] * (N // 4), "missing_marks"),
    ],
)
def test_a_suspicious_column_is_found(values, kind):
    assert (kind, "new") in kinds_of(with_column(values))


def test_unknown_is_a_mark_among_numbers_and_a_category_among_words():
    numbers = [f"{i}.5" for i in range(N - 1)] + ["unknown"]
    assert ("missing_marks", "new") in kinds_of(with_column(numbers))
    words = ["unknown", "a", "b", "none"] * (N // 4)
    assert kinds_of(with_column(words)) == set()


def test_a_number_that_follows_the_target_is_a_leak():
    y = CLEAN["income"] * 1.19
    assert ("leak", "income") in kinds_of(CLEAN, y)
    assert kinds_of(CLEAN.drop(columns="income"), y) == set()
    (found,) = tw.inspect(CLEAN, CLEAN["income"]).of("leak")
    assert found.words == "it equals the target"


def test_infinite_numbers_can_be_a_leak():
    x = np.where(np.arange(N) % 2, np.inf, -np.inf)
    assert ("leak", "new") in kinds_of(with_column(x), (x > 0).astype(int))


def test_few_rows_per_group_and_one_large_class_are_no_leak():
    classes = [f"class {i % 20}" for i in range(N)]
    assert kinds_of(with_column([f"n{i // 2}" for i in range(N)]), classes) == {
        ("many_categories", "new")
    }
    X = pd.concat([CLEAN] * 4, ignore_index=True)
    rare = ["rare"] + ["usual"] * (len(X) - 1)
    assert tw.inspect(X.assign(new=rare), rare).of("leak") == []


def test_a_number_far_below_all_others_looks_like_a_mark():
    below = np.where(np.arange(N) % 9, CLEAN["age"], -999)
    (found,) = tw.inspect(with_column(below), CLASS).of("missing_marks")
    assert found.words == "-999 in 45 rows looks like a mark of missing values"
    near = np.where(np.arange(N) % 9, CLEAN["age"] * -10, -999)
    assert kinds_of(with_column(near)) == set()


def test_a_table_joined_with_itself_has_copies():
    twice = pd.concat([CLEAN, CLEAN], ignore_index=True)
    y = pd.concat([CLASS, CLASS], ignore_index=True)
    (found,) = tw.inspect(twice, y).findings
    assert found.kind == "copies"
    assert f"{N} of {2 * N} rows" in found.words
    # Few different values explain copies.
    few = CLEAN[["town"]]
    assert kinds_of(pd.concat([few] * 2, ignore_index=True), y) == set()


def test_the_target_is_looked_at():
    names = [f"n{i}" for i in range(N)]
    assert ("target_like_names", None) in kinds_of(CLEAN, names)
    spelled = [str(i % 30) for i in range(N)]
    assert ("target_spells_numbers", None) in kinds_of(CLEAN, spelled)
    assert ("rare_class", None) in kinds_of(CLEAN, ["once"] + ["a", "b", "c"] * 133)


def test_indexes_that_disagree_are_found():
    shuffled = CLASS.sample(frac=1, random_state=0)
    assert ("index", None) in kinds_of(CLEAN, shuffled)


def test_small_tables_and_plain_arrays_give_none():
    X = with_column(np.full(N, 7.5))
    assert tw.inspect(X[:49], CLASS[:49]).findings == ()
    assert tw.inspect(X[["age", "new"]].to_numpy(float), CLASS).findings == ()


def test_an_intake_is_a_value_that_prints():
    found = tw.inspect(with_column(np.full(N, 7.5)), CLASS)
    assert [each.kind for each in found.findings] == ["constant"]
    assert str(found).splitlines()[1].startswith("  new  every known value is")
    assert list(found.to_pandas().columns) == ["kind", "column", "words", "advice"]
    assert ">constant</td>" in found._repr_html_()
    assert found.to_dict()["findings"][0]["column"] == "new"
    assert found.of("leak") == []


def test_an_intake_shows_conversions_and_cuts_long_lists():
    read = [
        Finding("converted", f"c{i}", f"'{i} kg' read as numbers in kg", "Keep it.")
        for i in range(13)
    ]
    found = Intake(1_000, 13, conversions=tuple(read))
    lines = str(found).splitlines()
    assert lines[:3] == [
        "1,000 rows, 13 columns: nothing suspicious",
        "While reading:",
        "  c0   '0 kg' read as numbers in kg",
    ]
    assert lines[-2:] == [
        "  ... and 1 more; see .conversions",
        "  kinds={'c0': 'categorical'} keeps a column as it is written.",
    ]
    html = found._repr_html_()
    assert "While reading" in html
    assert html.count(">converted</td>") == 13


def test_hostile_names_stay_text_in_html():
    X = CLEAN.assign(**{"<script>": 1.0})
    assert "<script>" not in tw.inspect(X, CLASS)._repr_html_()


def test_the_most_serious_come_first():
    X = CLEAN.assign(flat=1.0, leak=CLASS)
    ranks = [
        list(KINDS_OF_FINDINGS).index(f.kind) for f in tw.inspect(X, CLASS).findings
    ]
    assert ranks == sorted(ranks)
    assert len(ranks) == 2


def test_dates_written_in_several_ways_are_named():
    days = pd.date_range("2019-01-01", periods=90)
    forms = ["%Y-%m-%d", "%d/%m/%Y", "%b %d, %Y"]
    texts = [day.strftime(forms[i % 3]) for i, day in enumerate(days)]
    (one,) = tw.inspect({"when": texts}).of("mixed_dates")
    assert one.column == "when"
    assert one.words.startswith("dates written in several ways, ")
    assert one.advice.startswith("Write them all in one way, such as 2019-08-14.")
    assert tw.inspect({"when": [*texts[:-1], "soon"]}).of("mixed_dates") == []


def test_categories_that_differ_by_blanks_only_are_named():
    towns = ["Bonn", "Bonn ", "Rome", " Oslo"] * 20
    (one,) = tw.inspect({"town": towns}).of("blanks")
    assert one.words == "'Bonn ' differs from another category by blanks only"
    assert tw.inspect({"town": ["Bonn ", "Rome "] * 40}).of("blanks") == []
