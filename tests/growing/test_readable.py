import datetime as dt
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest

import treewright as tw
from support.strategies import case, make_table, numeric
from treewright.errors import OptionError
from treewright.growing.grow import grow
from treewright.growing.readable import gaps, midpoint, readable, short_between
from treewright.growing.reference import grow_reference
from treewright.growing.reference.candidates import midpoint as by_oracle
from treewright.options import GrowOptions
from treewright.table.grain import DAY
from treewright.table.schema import Feature
from treewright.tree.data import THRESHOLD
from treewright.tree.route import route

NUMBER = Feature("x")


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (42.3, 42.4, 42.35),
        (30, 31, 30.5),
        (30, 32, 31),
        (1, 100, 50),
        (-3, 5, 0),
        (0.1, 0.3, 0.2),
        (1234567, 1250000, 1240000),
        (-42.4, -42.3, -42.35),
        (2.449999988079071, 2.4500000178813934, 2.45),
        (1e-300, 3e-300, 2e-300),
        (1e300, 1.8e300, 1.4e300),
    ],
)
def test_the_shortest_decimal_in_the_middle_half(a, b, expected):
    found = short_between(NUMBER, float(a), float(b), float("nan"))
    assert found == expected
    assert a <= found < b
    assert a + (b - a) / 4 <= found <= b - (b - a) / 4


def test_neighbouring_doubles_keep_what_they_had():
    a = 1.0
    assert short_between(NUMBER, a, np.nextafter(a, 2), 1.0) == 1.0
    assert short_between(NUMBER, -np.inf, 3.0, 7.0) == 7.0
    assert short_between(NUMBER, -1e308, 1e308, 0.5) == 0.0


def micro(*parts):
    return (dt.datetime(*parts) - dt.datetime(1970, 1, 1)) / dt.timedelta(
        microseconds=1
    )


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((2019, 3, 1), (2020, 9, 1), (2020, 1, 1)),
        ((2020, 1, 20), (2020, 2, 10), (2020, 2, 1)),
        ((2020, 1, 10), (2020, 1, 14), (2020, 1, 12)),
        ((2020, 1, 10), (2020, 1, 11), (2020, 1, 10, 12)),
        ((2020, 1, 10, 7, 1), (2020, 1, 10, 7, 59), (2020, 1, 10, 7, 30)),
    ],
)
def test_moments_are_cut_at_the_start_of_something(one, other, expected):
    born = Feature("born", stored_as="datetime")
    assert short_between(born, micro(*one), micro(*other), 0.5) == micro(*expected)


def test_in_a_zone_the_day_is_the_day_there():
    there = Feature("at", stored_as="datetime", timezone="Asia/Tokyo")
    found = short_between(there, micro(2020, 1, 10, 9), micro(2020, 1, 14, 9), 0.5)
    assert found == micro(2020, 1, 12, 15)  # the 13th begins in Tokyo


@pytest.mark.parametrize(
    ("zone", "one", "other"),
    [
        ("", (9999, 10, 1), (9999, 12, 31)),
        ("America/New_York", (1, 1, 1), (1, 1, 1, 6)),
        ("Asia/Tokyo", (1, 1, 1), (1, 3, 1)),  # the year 1 begins there in the year 0
    ],
)
def test_where_the_calendar_ends_a_threshold_stays_as_it_is(zone, one, other):
    there = Feature("at", stored_as="datetime", timezone=zone)
    assert short_between(there, micro(*one), micro(*other), 0.5) == 0.5


@pytest.mark.parametrize("zone", ["Mars/Base", "+02:00", "../zones", "Europe"])
def test_the_day_of_a_zone_that_nobody_knows_is_that_of_utc(zone):
    there = Feature("at", stored_as="datetime", timezone=zone)
    found = short_between(there, micro(2020, 1, 10), micro(2020, 1, 14), 0.5)
    assert found == micro(2020, 1, 12)


def test_durations_are_whole_hours():
    long = Feature("took", stored_as="duration")
    hour = 3_600_000_000.0
    assert short_between(long, 1.1 * hour, 3.2 * hour, 0.5) == 2 * hour
    assert short_between(long, 20 * hour, 60 * hour, 0.5) == 48 * hour


def test_every_training_row_ends_where_it_did():
    changed = 0
    for seed in range(500, 700):
        table, options = case(seed)
        plain = grow(table, options)
        short = grow(table, replace(options, thresholds="readable"))
        columns = [column.data for column in table.columns]
        used = slice(None) if table.weights is None else table.weights > 0
        before = route(plain, columns, table.n_rows)[used]
        assert (route(short, columns, table.n_rows)[used] == before).all()
        for name, array in plain.arrays().items():
            if name != "threshold":
                assert array.tobytes() == getattr(short, name).tobytes()
        changed += (plain.threshold != short.threshold)[plain.split_kind == 1].sum()
    assert changed > 100


def test_thresholds_lie_in_the_middle_half_of_their_gap():
    for seed in range(700, 760):
        table, options = case(seed)
        tree = grow(table, replace(options, thresholds="readable"))
        low, high = gaps(tree, table)
        for node in np.flatnonzero(tree.split_kind == THRESHOLD):
            a, b, t = low[node], high[node], tree.threshold[node]
            assert a <= t < b
            quarter = b / 4 - a / 4
            if np.isfinite(quarter) and a + quarter < t:
                assert a + quarter <= t <= max(b - quarter, a / 2 + b / 2)


def test_no_shorter_decimal_would_do():
    rng = np.random.default_rng(1)
    for _ in range(300):
        a, b = np.sort(rng.normal(scale=10.0 ** rng.integers(-3, 6), size=2))
        found = short_between(NUMBER, a, b, np.nan)
        if found == 0:
            continue
        digits = len(Decimal(repr(float(found))).normalize().as_tuple().digits)
        quarter = (b - a) / 4
        for fewer in range(1, digits):
            step = 10.0 ** (np.floor(np.log10(abs(found))) - fewer + 1)
            first = np.ceil((a + quarter) / step) * step
            assert first > b - quarter - 1e-9 * step


def test_gaps_agree_with_the_rows():
    for seed in range(760, 790):
        table, options = case(seed)
        tree = grow(table, options)
        low, high = gaps(tree, table)
        for node in np.flatnonzero(tree.split_kind == THRESHOLD):
            t = (low[node] / 2 + high[node] / 2) + 0.0
            t = t if low[node] <= t < high[node] else low[node]
            # Up to rounding: a short decimal is taken where that makes one.
            assert tree.threshold[node] == pytest.approx(t, rel=1e-15)


def test_the_estimators_take_it_and_say_so():
    X = {"height": [171.3, 171.4, 180.9, 181.2]}
    plain = tw.TreeClassifier(prune=None).fit(X, [0, 0, 1, 1]).tree_
    short = (
        tw.TreeClassifier(prune=None, thresholds="readable").fit(X, [0, 0, 1, 1]).tree_
    )
    assert plain.threshold[0] == 176.15
    assert short.threshold[0] == 176
    assert "height <= 176 " in str(short)
    assert short.data.made_by["options"]["thresholds"] == "readable"
    prices = (
        tw.TreeRegressor(prune=None, thresholds="readable")
        .fit(X, [1.0, 1.0, 9.0, 9.5])
        .tree_
    )
    assert prices.threshold[0] == 176
    with pytest.raises(
        OptionError, match="thresholds must be 'midpoint' or 'readable'"
    ):
        tw.TreeClassifier(prune=None, thresholds="nice").fit(X, [0, 0, 1, 1])


def test_printed_dates_are_short():
    born = np.array(["1990-03-04", "1991-07-09", "2001-11-20", "2002-02-03"], "M8[D]")
    short = tw.TreeClassifier(prune=None, thresholds="readable").fit(
        {"born": born}, [0, 0, 1, 1]
    )
    assert "born <= 1997-01-01 " in str(short.tree_)


def test_trees_of_others_can_be_made_readable_too():
    table = make_table([numeric("x", [0.12, 0.34, 0.57])], ["a", "a", "b"])
    tree = grow_reference(table, GrowOptions())
    assert readable(tree, table).threshold[0] == 0.5


def test_the_midpoint_is_the_one_of_the_oracle():
    rng = np.random.default_rng(0)
    pairs = [np.sort(np.round(rng.normal(size=2), k % 9)) for k in range(2000)]
    pairs += [(-np.inf, 1.0), (1.0, np.inf), (5e-324, 1e-323), (1e308, 1.7e308)]
    for a, b in pairs:
        if a < b:
            assert midpoint(float(a), float(b)) == by_oracle(float(a), float(b))
    days = np.unique(rng.integers(-700_000, 2_900_000, 2000))  # to the year 9999
    for a, b in pairwise((days * DAY).astype(float).tolist()):
        middle = midpoint(a, b, DAY)
        assert a <= middle < b
        assert middle == (a + b) // 2 // DAY * DAY == by_oracle(a, b, DAY)
