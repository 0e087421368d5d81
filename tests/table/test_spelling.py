"""Columns of text: each is recognised as the right thing, or left as text."""

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.table.spelling import Ambiguous, Spelling, recognise

DAY = 86_400_000_000

SPELLED = [
    # texts, what they spell, their values
    (["0.3312", "1.5", "-2"], "number", [0.3312, 1.5, -2]),
    (["1e5", "2.5E-3"], "number", [1e5, 2.5e-3]),
    ([".5", "1."], "number", [0.5, 1]),
    (["+5", "-3"], "number", [5, -3]),
    (["\u22125", "3"], "number", [-5, 3]),
    (["5-", "3"], "number", [-5, 3]),
    (["(12.00)", "3.50"], "number", [-12, 3.5]),
    (["1,234", "12,345", "950"], "number", [1234, 12345, 950]),
    (["1,234.50", "2,000,000.25"], "number", [1234.5, 2000000.25]),
    (["1.234,56", "12,5"], "number", [1234.56, 12.5]),
    (["0,123", "0,5"], "number", [0.123, 0.5]),
    (["1 234", "12 345,5"], "number", [1234, 12345.5]),
    (["1\u00a0234,5", "2"], "number", [1234.5, 2]),
    (["1'234", "5.5"], "number", [1234, 5.5]),
    (["$1,234", "$950", "-$3.50", "($12.00)"], "money", [1234, 950, -3.5, -12]),
    (["$ 5", "$ 1,000"], "money", [5, 1000]),
    (["12,50 €", "1.200,00 €"], "money", [12.5, 1200]),
    (["£3", "£4.25"], "money", [3, 4.25]),
    (["USD 100", "USD 2,000"], "money", [100, 2000]),
    (["100 USD", "5 USD"], "money", [100, 5]),
    (["61.5%", "3%", "0.2 %"], "percent", [61.5, 3, 0.2]),
    (["12,5 %", "3 %"], "percent", [12.5, 3]),
    (["9 years", "1 year", "10 years"], "measure", [9, 1, 10]),
    (["5kg", "7.5 kg"], "measure", [5, 7.5]),
    (["21°C", "-3°C"], "measure", [21, -3]),
    (["100 km/h", "50 km/h"], "measure", [100, 50]),
    (["12 m", "3.4 m"], "measure", [12, 3.4]),
    (["1970-01-02", "1970-01-11"], "date", [DAY, 10 * DAY]),
    (["1970/01/02", "1970/1/11"], "date", [DAY, 10 * DAY]),
    (["13/01/1970", "02/01/1970"], "date", [12 * DAY, DAY]),
    (["01/13/1970", "01/02/1970"], "date", [12 * DAY, DAY]),
    (["02.01.1970", "03.01.1970"], "date", [DAY, 2 * DAY]),
    (["13-01-70", "02-01-70"], "date", [12 * DAY, DAY]),
    (["2 Jan 1970", "3 January 1970"], "date", [DAY, 2 * DAY]),
    (["Jan 2, 1970", "Jan 3, 1970"], "date", [DAY, 2 * DAY]),
    (["02-Jan-70", "03-Jan-70"], "date", [DAY, 2 * DAY]),
    (["1970-01", "1970-02"], "date", [0, 31 * DAY]),
    (["1970-01-02T06:00:00", "1970-01-01"], "datetime", [1.25 * DAY, 0]),
    (["1970-01-02 06:00", "1970-01-01 00:00"], "datetime", [1.25 * DAY, 0]),
    (["1970-01-01T00:00:00Z", "1970-01-01T02:00:00+02:00"], "datetime", [0, 0]),
    (["1970-01-01T00:00:00.5", "1970-01-01"], "datetime", [500_000, 0]),
    (["06:00", "23:59:59"], "time", [DAY / 4, DAY - 1_000_000]),
    (["1:30 PM", "12:00 AM"], "time", [48_600_000_000, 0]),
    (["5 PM", "7 PM", "12 a.m."], "time", [DAY * 17 / 24, DAY * 19 / 24, 0]),
    (["5PM", "7:30PM"], "time", [DAY * 17 / 24, DAY * 19.5 / 24]),
]
LEFT_AS_TEXT = [
    (["red", "blue"], "colour"),
    (["yes", "no"], "smoker"),
    (["t", "f"], "flag"),
    (["01234", "98765"], "x"),
    (["007", "008"], "agent"),
    (["12345", "54321"], "zip_code"),
    (["12345", "54321"], "PostalCode"),
    (["5551234", "5559876"], "phone"),
    (["+49 170 123", "030 555"], "x"),
    (["555-1234", "555-9876"], "x"),
    (["100000001", "100000002"], "x"),
    (["12345678901234567", "1"], "x"),
    (["12A", "14A"], "flat"),
    (["12A", "14B"], "flat"),
    (["A12", "A14"], "part"),
    (["$5", "€6"], "price"),
    (["5 kg", "6 lb"], "mass"),
    (["10k", "2M"], "reach"),
    (["10.0.0.1", "10.0.0.2"], "host"),
    (["1.2.3", "1.2.4"], "version"),
    (["10-20", "20-30"], "age"),
    (["<5", ">10"], "x"),
    (["1_000", "2"], "x"),
    (["14/08/2019", "08/14/2019"], "when"),
    (["31/02/2019", "14/08/2019"], "when"),
    (["25:00", "10:30"], "when"),
    (["2019-08-14T10:11:12Z", "2019-08-14 10:11"], "when"),
    (["1", "two"], "x"),
    (["(5", "3)"], "x"),
    (["--5", "3"], "x"),
    (["1,23,456", "2"], "x"),
    (["13 PM", "7 PM"], "when"),
    (["5 PM", "7 kg"], "x"),
    (["$5 kg", "$6 kg"], "x"),
    (["1.5", "x", *(f"{n}.5" for n in range(50))], "x"),
]


@pytest.mark.parametrize(("texts", "what", "values"), SPELLED)
def test_it_is_recognised(texts, what, values):
    found = recognise(texts)
    assert isinstance(found, Spelling)
    assert found.what == what
    assert [found.parse(text) for text in texts] == pytest.approx(values)
    assert Spelling.from_dict(found.to_dict()) == found


@pytest.mark.parametrize(("texts", "name"), LEFT_AS_TEXT)
def test_it_is_left_as_text(texts, name):
    assert recognise(texts, name) is None


def test_no_value_says_which_comes_first():
    found = recognise(["01/02/2019", "03/04/2019"])
    assert isinstance(found, Ambiguous)
    # The same date either way is no question.
    assert recognise(["01/01/2019", "02/02/2019"]).what == "date"
    assert recognise(["01/02/2019"], kind="month first").order == "mdy"


def test_text_with_other_marks_spells_nothing():
    found = recognise(["1,234.50", "950"])
    assert found.parse("2,000") == 2000
    for text in ("1.234,50", "1 234", "$950", "(950", "x"):
        assert found.parse(text) is None


# -- in a table -----------------------------------------------------------------------


def column(texts, **kinds):
    table = tw.as_table({"x": texts}, kinds={"x": kinds.get("kind", "numeric")})
    return table.columns[0].values, table.schema.features[0]


def test_kinds_read_money():
    values, feature = column(["$1,234", "?", None, "$5"])
    np.testing.assert_array_equal(values, [1234, np.nan, np.nan, 5])
    assert "amounts of money in $" in feature.reason


def test_kinds_read_dates_and_show_them():
    values, feature = column(["14/08/2019", "02/09/2019"], kind="date")
    assert feature.stored_as == "date"
    assert values[0] < values[1]
    with pytest.raises(tw.ColumnError, match=r"'day first'} or 'month first'"):
        column(["01/02/2019", "03/04/2019"], kind="date")
    day = column(["01/02/2019", "03/04/2019"], kind="day first")[0]
    month = column(["01/02/2019", "03/04/2019"], kind="month first")[0]
    assert day[0] > month[0]


def test_kinds_take_dates_that_are_dates_already():
    days = np.array(["1970-01-02", "NaT"], "datetime64[D]")
    for kind in ("date", "day first"):
        values, feature = column(days, kind=kind)
        np.testing.assert_array_equal(values, [DAY, np.nan])
        assert feature.stored_as == "date"
        assert feature.reason == "Asked for by kinds."


def test_categories_that_no_row_has_spell_nothing_wrong():
    values, feature = column(pd.Categorical(["$2", "$5"], ["$2", "$5", "none"]))
    np.testing.assert_array_equal(values, [2, 5])
    assert "amounts of money in $" in feature.reason
    values, feature = column(pd.Categorical(["2", "5"], ["none", "2", "5"]))
    np.testing.assert_array_equal(values, [2, 5])
    with pytest.raises(
        tw.ColumnError, match=r"1 value is not a number .first: 'x', row 1"
    ):
        column(pd.Categorical(["2", "x"], ["2", "x", "none"]))


def test_what_spells_nothing_is_refused_by_name():
    with pytest.raises(tw.ColumnError, match=r"1 value is not a number .first: 'x'"):
        column(["1", "x"])
    with pytest.raises(tw.ColumnError, match="not all of its values are such dates"):
        column(["1970-01-01", "x"], kind="date")
    with pytest.raises(tw.ColumnError, match="neither dates nor text"):
        column([1.5, 2.5], kind="date")


def test_new_rows_are_read_by_the_same_rules():
    price = [f"${n:,}" for n in range(900, 1100)]
    y = ["dear" if n >= 1000 else "cheap" for n in range(900, 1100)]
    clf = tw.TreeClassifier(kinds={"price": "numeric"}, findings="ignore")
    clf.fit({"price": price}, y)
    assert clf.predict({"price": ["$1,050", "$950.50"]}).tolist() == ["dear", "cheap"]
    assert clf.predict({"price": [1050.0, 950.0]}).tolist() == ["dear", "cheap"]
    with pytest.raises(
        tw.ColumnError, match=r"held amounts of money.*spells none.*'1.050 €'"
    ):
        clf.predict({"price": ["1.050 €"]})


def test_a_tree_of_spelled_dates_splits_at_dates():
    days = pd.date_range("2019-01-01", periods=200).strftime("%d/%m/%Y").tolist()
    y = ["late" if n >= 100 else "early" for n in range(200)]
    clf = tw.TreeClassifier(kinds={"when": "date"}, findings="ignore")
    clf.fit({"when": days}, y)
    assert "when <= 2019-04-" in clf.tree_.text()
    assert clf.predict({"when": ["01/05/2019"]}).tolist() == ["late"]
