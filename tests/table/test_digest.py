"""What is known about a column in parts is what the whole column would show."""

from datetime import date
from decimal import Decimal
from functools import reduce

import numpy as np
import pyarrow as pa
import pytest

from treewright.errors import ColumnError, TableError
from treewright.files.source import ArrowSource
from treewright.table import digest
from treewright.table.as_table import as_table
from treewright.table.digest import Distinct, Numbers, checksum, digest_of
from treewright.table.from_frame import from_series

LIMIT = 20
LARGE = Decimal(2**60)


def source(values, kind=None, name="x"):
    """Return a column as the readers of files hand it over."""
    table = pa.table({name: pa.array(values, kind)})
    is_text = table.schema.types == [pa.string()]
    return ArrowSource(table, frozenset(table.column_names if is_text else ()))


def part(values, kind=None, name="x"):
    return source(values, kind, name).raw(0)


def joined(parts, kind=None, wanted=None, name="x"):
    found = [digest_of(part(each, kind, name), wanted, 4, LIMIT) for each in parts]
    return reduce(lambda one, other: one.with_other(other), found)


def feature_of(found, wanted=None):
    if isinstance(found, Numbers):
        return found.settled(wanted, is_key=False)
    return found.settled(wanted)[0]


@pytest.mark.parametrize(
    ("parts", "kind", "wanted"),
    [
        ([[3, None], [1, 3]], pa.int64(), "categorical"),
        ([[True, None], [False]], pa.bool_(), "categorical"),
        ([[1.5, None], [0.5, 1.5]], pa.float64(), "categorical"),
        ([[date(2020, 1, 2), None], [date(2019, 1, 1)]], pa.date32(), "categorical"),
        ([[LARGE, None], [LARGE + 1, LARGE]], pa.decimal128(20, 0), "categorical"),
        ([["b", None], ["c", "a", "b"]], pa.string(), None),
        ([[None, None], ["b", "a"]], pa.string(), "categorical"),
        ([["b", "a"], [None, None]], pa.string(), "categorical"),
        ([[None], [None, None]], pa.string(), None),
        ([[None], [None, None]], pa.null(), "categorical"),
        ([["b", "a"], ["a"]], pa.string(), "categorical"),
        ([[2, 1], [3]], pa.int64(), (3, 1, 2)),
        ([[2, 1], [3]], pa.int64(), "ordinal"),
        ([[3, None], [1, 3]], pa.int64(), None),
        ([[None, None], [1.5, -2.5]], pa.float64(), None),
        ([[1.5, -2.5], [None, None]], pa.float64(), None),
        ([[None, None], [None]], pa.null(), None),
        ([["1", "2"], ["10"]], pa.string(), "numeric"),
        ([[Decimal(1), Decimal(2)], [Decimal("2.5")]], pa.decimal128(5, 1), None),
        ([[date(2020, 1, 1)], [date(2019, 6, 1), None]], pa.date32(), None),
        ([[date(2020, 1, 1)], [date(2019, 6, 2), None]], pa.date32(), None),
        ([[date(2020, 1, 1)], [date(2019, 6, 2), None]], pa.date32(), "date"),
    ],
)
def test_a_column_in_parts_is_settled_as_a_whole_one(parts, kind, wanted):
    found = joined(parts, kind, wanted)
    kinds = None if wanted is None else {"x": wanted}
    table = as_table(source([x for each in parts for x in each], kind), kinds=kinds)
    assert feature_of(found, wanted) == table.schema.features[0]
    data = table.columns[0].data
    missing = np.isnan(data) if data.dtype.kind == "f" else data < 0
    assert found.n_missing == missing.sum()
    if isinstance(found, Distinct):
        assert found.counts.sum() == len(data) - missing.sum()


def test_numbers_beyond_2_to_the_53_are_refused_in_whichever_part_they_are():
    for parts in ([[LARGE], [Decimal(1)]], [[Decimal(1)], [LARGE, None]]):
        found = joined(parts, pa.decimal128(20, 0))
        with pytest.raises(ColumnError, match=rf"beyond 2\^53.*first: {LARGE}"):
            feature_of(found)


def ranks(labels, codes, ordered=True):
    array = pa.DictionaryArray.from_arrays(codes, labels, ordered=ordered)
    return Distinct.of(from_series("x", pa.chunked_array([array])))


def test_a_declared_order_must_be_that_of_all_parts():
    one = ranks(["low", "high"], [0, 1, 0])
    both = one.with_other(ranks(["low", "high"], [1, None]))
    feature, column = both.settled(None)
    assert feature.kind == "ordinal"
    assert feature.labels == ("low", "high")
    assert column is None
    assert both.counts.tolist() == [2, 2]
    words = (
        r"'x' declares the categories \('low', 'high'\) in one part and \('high', 'l"
    )
    with pytest.raises(TableError, match=words):
        one.with_other(ranks(["high", "low"], [0]))
    free = ranks(["low", "high"], [0, 1], False)
    both = free.with_other(ranks(["mid", "low"], [0, 1, 1], False))
    counts = dict(zip(both.raw.labels, both.counts.tolist(), strict=True))
    assert counts == {"low": 3, "high": 1, "mid": 1}


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        ([["a", "b"], ["c", "d"]], pa.string()),
        ([["a", "b", "c", "d"], ["a"]], pa.string()),
        ([[1, 2], [3, 4]], pa.int64()),
    ],
)
def test_too_many_different_values_are_known_as_such(monkeypatch, parts, kind):
    monkeypatch.setattr(digest, "_MOST_LABELS", 3)
    found = joined(parts, kind, "categorical")
    assert found.too_many
    assert len(found.counts) == len(found.raw.values) == 3
    assert not joined([parts[0][:2], parts[0][:1]], kind, "categorical").too_many


def test_more_different_numbers_than_the_limit_are_not_kept():
    assert joined([range(LIMIT)]).values.tolist() == list(range(LIMIT))
    for n in (LIMIT + 1, 10 * LIMIT):
        found = joined([range(n)])
        assert found.values is None
        assert found.raw.values.tolist() == [0, n - 1]
    assert joined([range(LIMIT), range(1, LIMIT + 1)]).values is None


def test_whole_numbers_that_number_the_rows_are_set_aside():
    found = joined([[], range(60), range(60, 90), []], pa.int64(), name="id")
    assert found.keys == ((0, 59), (60, 89))
    assert not found.keys_overlap
    words = "its 90 whole numbers differ in every row"
    assert found.settled(None, is_key=True).set_aside.startswith(words)
    assert found.settled("numeric", is_key=True).set_aside == ""
    assert joined([[3, 1], [2]], name="id").settled(None, is_key=True).set_aside == ""
    assert joined([[0, 9], [5, 14]], name="id").keys_overlap
    assert joined([[0, 0], [5, 14]], name="id").keys is None


@pytest.mark.parametrize(
    ("values", "other", "kind"),
    [
        ([1, 0, 3], [1, None, 3], pa.int64()),
        ([True, False], [True, None], pa.bool_()),
        ([1.5, 0.0], [1.5, None], pa.float64()),
        ([date(2020, 1, 1), date(1970, 1, 1)], [date(2020, 1, 1), None], pa.date32()),
        (["a", "b"], ["a", None], pa.string()),
        ([LARGE, Decimal(0)], [LARGE, None], pa.decimal128(20, 0)),
        ([1, 2, 3], [1, 2, 4], pa.int64()),
        (["a", "b"], ["a", "c"], pa.string()),
        ([LARGE, None], [LARGE + 1, None], pa.decimal128(20, 0)),
    ],
)
def test_a_checksum_tells_another_value_and_not_another_order(values, other, kind):
    assert checksum(part(values, kind)) == checksum(part(values[::-1], kind))
    assert checksum(part(values, kind)) != checksum(part(other, kind))
