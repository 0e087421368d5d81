"""Whole days are cut at a day, and months and hours are too where that was asked."""

import datetime as dt
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw
from support.strategies import assert_same_tree
from treewright.growing.reference import grow_reference
from treewright.table.as_table import as_table
from treewright.table.grain import DAY, day_below, grain_of, whole_below

N = 200
HALF = ["early" if i < N // 2 else "late" for i in range(N)]


def first_words(values, y=HALF, **options):
    classifier = tw.TreeClassifier(prune=None, findings="ignore", **options)
    fitted = classifier.fit({"when": values}, y)
    return fitted.tree_.split(0).words(0)


@pytest.mark.parametrize("thresholds", ["midpoint", "readable"])
@pytest.mark.parametrize("conventions", [None, "rpart"])
def test_a_day_is_never_cut_at_noon(thresholds, conventions):
    days = pd.date_range("2019-01-01", periods=N)
    words = first_words(days, thresholds=thresholds, conventions=conventions)
    if conventions is None or thresholds == "readable":
        assert words == "when <= 2019-04-10"
    else:
        assert words == "when <= 2019-04-10T12:00:00"  # what rpart does


@pytest.mark.parametrize(
    "days",
    [
        [dt.date(2019, 1, 1) + dt.timedelta(days=i) for i in range(N)],
        np.arange("2019-01-01", N, dtype="datetime64[D]"),
        pd.date_range("2019-01-01", periods=N).to_period("D"),
        pd.Series(pd.date_range("2019-01-01", periods=N, tz="UTC")),
        pl.Series(pd.date_range("2019-01-01", periods=N).to_list()).cast(pl.Date),
    ],
    ids=["objects", "numpy", "periods", "UTC", "polars"],
)
def test_all_sorts_of_days_are_cut_at_a_day(days):
    assert first_words(days).removesuffix("T00:00:00+00:00") == "when <= 2019-04-10"


def test_months_and_hours_are_cut_at_months_and_hours_if_readable():
    months = pd.period_range("2000-01", periods=N, freq="M")
    assert first_words(months, thresholds="readable") == "when <= 2008-04-01"
    hours = pd.date_range("2000-01-01", periods=N, freq="h")
    assert first_words(hours) == "when <= 2000-01-05T03:30:00"
    assert first_words(hours, thresholds="readable") == "when <= 2000-01-05T03:00:00"
    times = [dt.time(i % 24) for i in range(N)]
    noon = ["am" if i % 24 < 12 else "pm" for i in range(N)]
    assert first_words(times, noon) == "when <= 11:30"
    assert first_words(times, noon, thresholds="readable") == "when <= 11:00"


def test_the_arithmetic_of_a_node_shows_the_same_days():
    days = pd.date_range("2019-01-01", periods=N)
    for options in ({}, {"thresholds": "readable"}):
        fitted = tw.TreeClassifier(prune=None, findings="ignore", **options).fit(
            {"when": days}, HALF
        )
        words = str(fitted.tree_.why(0, {"when": days}, HALF))
        assert "when <= 2019-04-10" in words
        assert "T12:00:00" not in words


def random_days(rng, n):
    days = rng.integers(0, 40, n) * float(DAY)
    days[rng.random(n) < 0.15] = np.nan
    moments = pd.to_datetime(pd.Series(days), unit="us")
    return {
        "day": moments,
        "other": pd.to_datetime(pd.Series(rng.integers(-9, 9, n) * DAY), unit="us"),
        "x": rng.normal(size=n).round(1),
    }


@pytest.mark.parametrize("seed", range(40))
def test_the_reference_cuts_days_alike(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 60))
    table = as_table(random_days(rng, n), rng.integers(0, 3, n).astype(str))
    missing = ["learned", "surrogate", "fractional"][seed % 3]
    options = tw.GrowOptions(missing=missing, max_depth=4)
    tree = tw.grow(table, options).data
    assert_same_tree(tree, grow_reference(table, options))
    whole = tree.threshold[(tree.feature >= 0) & (tree.feature < 2)]
    whole = whole[~np.isnan(whole)]
    assert (whole % DAY == 0).all()


def test_the_cut_does_not_change_the_division_of_the_training_rows():
    rng = np.random.default_rng(3)
    X = random_days(rng, 300)
    y = rng.integers(0, 2, 300)
    tree = tw.grow(as_table(X, y))
    numbers = {
        name: pd.Series(values).astype("int64").where(pd.notna(values))
        if name != "x"
        else values
        for name, values in X.items()
    }
    plain = tw.grow(as_table(numbers, y))
    np.testing.assert_array_equal(tree.apply(X), plain.apply(numbers))


def test_the_grain_is_the_coarsest_unit():
    day = np.array([0.0, 31, np.nan, 59]) * DAY
    assert grain_of(day, "date") == "month"
    assert grain_of(day + DAY, "date") == "day"
    assert grain_of(day + 3.6e9, "datetime") == "hour"
    assert grain_of(day + 6e7, "datetime") == "minute"
    assert grain_of(day + 1e6, "datetime") == "second"
    assert grain_of(day + 1, "datetime") == ""
    assert grain_of(day, "datetime", "Europe/Berlin") == ""  # 1 or 2 in the morning
    assert grain_of(day, "float") == ""
    assert grain_of(np.array([np.nan]), "date") == ""
    assert whole_below("month", 40.5 * DAY) == 31 * DAY
    assert whole_below("day", -0.5 * DAY) == -DAY


# -- days of a time zone --------------------------------------------------------------

ZONES = [
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "America/Sao_Paulo",  # clocks went forward at midnight: some days began at 1:00
    "America/St_Johns",  # clocks went back at 0:01, so a midnight came twice
    "Pacific/Apia",  # the 30th of December 2011 is missing
]


def local_days(timezone, start="2009-01-01", n=1500):
    """Return the first moment of each day of a zone."""
    zone = ZoneInfo(timezone)
    days = [dt.date.fromisoformat(start) + dt.timedelta(days=i) for i in range(n)]
    moments = [dt.datetime(d.year, d.month, d.day, tzinfo=zone) for d in days]
    in_utc = pd.DatetimeIndex([each.astimezone(dt.UTC) for each in moments])
    return in_utc.unique().tz_convert(timezone)


@pytest.mark.parametrize("thresholds", ["midpoint", "readable"])
@pytest.mark.parametrize("timezone", ZONES)
def test_days_of_a_zone_are_cut_at_a_day_of_the_zone(timezone, thresholds):
    rng = np.random.default_rng(len(timezone))
    days = local_days(timezone)
    when = days[np.sort(rng.choice(len(days), 300, replace=False))]
    y = rng.integers(0, 3, 300).astype(str)
    table = as_table(pd.DataFrame({"when": when}), y)
    assert table.schema.features[0].grain == "day"
    tree = tw.grow(table, tw.GrowOptions(thresholds=thresholds, competitors=2))
    cuts = tree.data.threshold[~np.isnan(tree.data.threshold)]
    begins = {float(each.value // 1000) for each in days}
    assert len(cuts) > 20
    assert begins.issuperset(cuts.tolist())
    numbers = tw.grow(as_table({"when": table.columns[0].data}, y))
    np.testing.assert_array_equal(
        tree.apply(table), numbers.apply({"when": table.columns[0].data})
    )


@pytest.mark.parametrize("seed", range(12))
def test_the_reference_cuts_days_of_a_zone_alike(seed):
    rng = np.random.default_rng(seed)
    days = local_days(ZONES[seed % len(ZONES)], n=60)
    n = 40
    when = pd.Series(days[rng.integers(0, len(days), n)])
    when[rng.random(n) < 0.15] = pd.NaT
    X = pd.DataFrame({"when": when, "x": rng.normal(size=n).round(1)})
    table = as_table(X, rng.integers(0, 3, n).astype(str))
    missing = ["learned", "surrogate", "fractional"][seed % 3]
    options = tw.GrowOptions(missing=missing, max_depth=4)
    tree = tw.grow(table, options)
    assert_same_tree(tree.data, grow_reference(table, options))
    begins = {float(each.value // 1000) for each in days}
    for cuts, feature in (
        (tree.data.threshold, tree.data.feature),
        (tree.data.surrogate_threshold, tree.data.surrogate_feature),
    ):
        known = cuts[(feature == 0) & ~np.isnan(cuts)]
        assert begins.issuperset(known.tolist())


def test_the_words_and_the_arithmetic_of_days_of_a_zone_name_the_day():
    days = local_days("Europe/Berlin", "2019-01-01", N)
    X = pd.DataFrame({"when": days})
    fitted = tw.TreeClassifier(prune=None, findings="ignore").fit(X, HALF)
    assert fitted.tree_.split(0).words(0) == "when <= 2019-04-10T00:00:00+02:00"
    words = str(fitted.tree_.why(0, X, HALF))
    assert "when <= 2019-04-10T00:00:00+02:00" in words
    assert "T12:00:00" not in words


def test_months_of_a_zone_are_months():
    days = local_days("Europe/Berlin", "2019-01-01", 400)

    def grain(moments, timezone="Europe/Berlin"):
        return grain_of(moments.as_unit("us").asi8 / 1, "datetime", timezone)

    assert grain(days) == "day"
    assert grain(days[days.day == 1]) == "month"
    assert grain(days + pd.Timedelta(hours=12)) == ""
    assert grain(days, "No/Such_Zone") == ""
    assert day_below(2.0**62, "Europe/Berlin") == 2.0**62


# -- periods and times of day ---------------------------------------------------------

TIMES = [dt.time(i // 10, i % 10 * 6) for i in range(N)]
FORMS = {
    "list": TIMES,
    "pandas": pd.DataFrame({"when": TIMES}),
    "polars": pl.DataFrame({"when": TIMES}),
    "time32": pa.table({"when": pa.array(TIMES, pa.time32("s"))}),
    "time64": pa.table({"when": pa.array(TIMES, pa.time64("us"))}),
}


@pytest.mark.parametrize("form", FORMS)
def test_times_of_day_work(form):
    X = FORMS[form] if form != "list" else {"when": TIMES}
    fitted = tw.TreeClassifier(prune=None, findings="ignore").fit(X, HALF)
    assert fitted.tree_.split(0).words(0) == "when <= 09:57"
    new = {"when": [dt.time(9, 54), dt.time(10)]}
    assert fitted.predict(new).tolist() == ["early", "late"]
    for other in FORMS.values():
        new = {"when": other} if isinstance(other, list) else other
        assert fitted.predict(new).tolist() == HALF


def test_a_time_of_day_is_no_duration_and_no_number():
    fitted = tw.TreeClassifier(prune=None, findings="ignore").fit({"when": TIMES}, HALF)
    with pytest.raises(tw.ColumnError, match="held times of day"):
        fitted.predict({"when": [dt.timedelta(hours=3)]})
    with pytest.raises(tw.ColumnError, match="held times of day"):
        fitted.predict({"when": [3.5]})
    with pytest.raises(tw.ColumnError, match=r"time of day .* with a time zone"):
        tw.as_table({"when": [dt.time(3, tzinfo=dt.UTC)]})
    with pytest.raises(tw.ColumnError, match="mixes"):
        tw.as_table({"when": [dt.time(3), "three"]})


def test_midnight_prints_as_a_time():
    y = ["a"] * 50 + ["b"] * 50
    times = [dt.time(0)] * 50 + [dt.time(0, 0, 0, 2)] * 50
    assert first_words(times, y) == "when <= 00:00:00.000001"
    times = [dt.time(0)] * 50 + [dt.time(0, 0, 0, 1)] * 50
    assert first_words(times, y) == "when <= 00:00"


def test_periods_are_read_as_their_start():
    months = pd.period_range("2000-01", periods=N, freq="M")
    frame = pd.DataFrame({"when": months})
    fitted = tw.TreeClassifier(prune=None, findings="ignore").fit(frame, HALF)
    as_objects = {"when": list(months)}
    assert fitted.predict(as_objects).tolist() == HALF
    assert fitted.predict({"when": months.to_timestamp()}).tolist() == HALF


# -- zones ----------------------------------------------------------------------------

PLAIN = [f"2019-01-01 {i // 10:02}:{i % 10 * 6:02}" for i in range(N)]
ZONED = [f"{text}Z" for text in PLAIN]


@pytest.mark.parametrize(("trained", "new"), [(PLAIN, ZONED), (ZONED, PLAIN)])
def test_a_zone_that_comes_or_goes_is_not_read_silently(trained, new):
    kinds = {"when": "date"}
    classifier = tw.TreeClassifier(kinds=kinds, findings="ignore")
    fitted = classifier.fit({"when": trained}, HALF)
    assert fitted.predict({"when": trained}).tolist() == HALF
    with pytest.raises(tw.ColumnError, match="time zone when the tree was grown"):
        fitted.predict({"when": new})
    zone = None if trained is ZONED else "UTC"
    moments = pd.date_range("2019-01-01", periods=3, tz=zone)
    with pytest.raises(
        tw.ColumnError, match=r"column 'when' named .* so they cannot be compared"
    ):
        fitted.predict({"when": moments})
