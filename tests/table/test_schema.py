import json
import pickle

import numpy as np
import pandas as pd
import pytest

from treewright.errors import TreeFormatError
from treewright.table.as_table import as_table
from treewright.table.schema import Feature, Schema, Summary, TargetInfo
from treewright.table.show import show_value


@pytest.fixture
def schema():
    frame = pd.DataFrame(
        {
            "age": [30, 41],
            "city": ["Rome", "Bonn"],
            "size": pd.Categorical(["S", "L"], ["S", "L"], ordered=True),
            "born": pd.to_datetime(["1990-01-01", "1980-01-01"]),
            "level": [1.5, float("inf")],
            "fine": [True, False],
        }
    )
    return as_table(
        frame, ["no", "yes"], kinds={"level": "categorical", "fine": "categorical"}
    ).schema


def test_a_schema_survives_json(schema):
    text = json.dumps(schema.to_dict(), allow_nan=False)
    assert Schema.from_dict(json.loads(text)) == schema


def test_a_schema_with_summaries_survives_json(schema):
    filled = schema.with_summaries(
        [Summary(1, -np.inf, 1.0, 2.0, 3.0, 4.0), None, None, Summary(2), None, None]
    )
    text = json.dumps(filled.to_dict(), allow_nan=False)
    back = Schema.from_dict(json.loads(text))
    assert back == filled
    assert back.features[0].summary.minimum == -np.inf
    assert filled != schema


def test_labels_come_back_in_their_own_type(schema):
    back = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert back.features[4].labels == (1.5, float("inf"))
    assert back.features[5].labels == (False, True)
    assert [type(each) for each in back.features[5].labels] == [bool, bool]


def test_a_category_called_inf_is_not_taken_for_infinity():
    schema = as_table({"a": ["inf", "x"]}).schema
    assert Schema.from_dict(schema.to_dict()).features[0].labels == ("inf", "x")


def test_a_schema_survives_pickling_without_its_lookups(schema):
    assert schema.index_of["city"] == 1
    assert schema.features[1].code_of == {"Bonn": 0, "Rome": 1}
    back = pickle.loads(pickle.dumps(schema))
    assert back == schema
    assert "index_of" not in back.__dict__
    assert back.features[1].code_of == {"Bonn": 0, "Rome": 1}


def test_a_schema_cannot_be_changed(schema):
    with pytest.raises(AttributeError):
        schema.named = False


def test_all_plain_means_numbers_only(schema):
    assert not schema.all_plain
    assert as_table(np.eye(2)).schema.all_plain
    assert as_table([[1, True]]).schema.all_plain


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"features": 3, "target": None, "named": True},
        {"features": [{"name": "a"}], "target": None, "named": True},
        {
            "features": [{"name": "a", "kind": "odd", "labels": []}],
            "target": None,
            "named": True,
        },
        {
            "features": [{"name": "a", "kind": "numeric", "labels": [None]}],
            "target": None,
            "named": True,
        },
    ],
)
def test_something_else_is_not_a_schema(data):
    with pytest.raises(TreeFormatError, match=r"not a schema.*to_dict"):
        Schema.from_dict(data)


def test_schemas_are_equal_when_all_they_say_is():
    one = Schema((Feature("a"),), TargetInfo("y", "number"))
    assert one == Schema((Feature("a"),), TargetInfo("y", "number"))
    assert one != Schema((Feature("b"),), TargetInfo("y", "number"))


@pytest.mark.parametrize(
    ("feature", "value", "text"),
    [
        (Feature("a"), 0.1, "0.1"),
        (Feature("a"), 3.0, "3"),
        (Feature("a"), float("inf"), "inf"),
        (Feature("a"), float("nan"), "missing"),
        (Feature("a", stored_as="int"), 30.0, "30"),
        (Feature("a", stored_as="int"), 30.5, "30.5"),
        (Feature("a", stored_as="int"), 2.0**53, "9007199254740992"),
        (Feature("a", stored_as="bool"), 1.0, "True"),
        (Feature("a", stored_as="bool"), 0.5, "0.5"),
        (Feature("a", stored_as="date"), 86400e6, "1970-01-02"),
        (Feature("a", stored_as="date"), -43200e6, "1969-12-31T12:00:00"),
        (Feature("a", stored_as="datetime"), 1.5, "1970-01-01T00:00:00.000001"),
        (Feature("a", stored_as="duration"), 3600e6, "1:00:00"),
        (
            Feature("a", stored_as="datetime", timezone="Europe/Vienna"),
            0.0,
            "1970-01-01T01:00:00+01:00",
        ),
        (Feature("a", "categorical", "category", ("x", 3)), 1, "3"),
        (Feature("a", "ordinal", "category", ("x", "y")), -1, "missing"),
    ],
)
def test_values_are_shown_as_the_caller_wrote_them(feature, value, text):
    assert show_value(feature, value) == text


def test_dates_beyond_the_calendar_are_still_shown():
    far = show_value(Feature("a", stored_as="datetime"), 4e17)
    assert far.startswith("14645-")
    assert "microseconds" in show_value(Feature("a", stored_as="duration"), 1e30)
    for moment in ("datetime", "date"):
        beyond = show_value(Feature("a", stored_as=moment), -1e19)
        assert beyond == "-1e+19 microseconds after 1970"
    for value in (-1.0, 86_400e6, 1e19):
        shown = show_value(Feature("a", stored_as="time"), value)
        assert shown.endswith(" microseconds after midnight")


@pytest.mark.parametrize(
    ("moments", "grain"),
    [
        (["2020-03-01", "2020-07-01"], "month"),
        (["2020-03-01", "2020-07-02"], "day"),
        (["2020-03-01", "2020-07-01 00:00:01"], ""),
        (["2020-03-01", "2020-07-01 00:00:00.5"], ""),
    ],
)
def test_days_of_a_zone_begin_at_its_midnight(moments, grain):
    local = [pd.Timestamp(each, tz="Europe/Berlin") for each in moments]
    assert as_table({"a": local}).schema.features[0].grain == grain


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"grain": "week"}, "grain 'week' is not one of"),
        ({"spelling": {"what": "colour"}}, r"'colour'\} is not a spelling"),
        ({"spelling": {"what": "date", "order": "ydm"}}, "'ydm'.* is not a spelling"),
    ],
)
def test_a_column_of_a_wrong_form_is_refused(schema, change, words):
    given = schema.to_dict()
    given["features"][3] |= change
    with pytest.raises(TreeFormatError, match=words):
        Schema.from_dict(given)


def test_a_table_and_its_schema_show_one_line_per_column():
    table = as_table({"age": [30, 41], "the city": ["Rome", "Bonn"]}, ["no", "yes"])
    lines = [
        "  age       numeric      The values are whole numbers.",
        "  the city  categorical  The values are text.",
    ]
    assert str(table).splitlines() == [
        "Table: 2 rows, 2 columns, target y (classes no, yes)",
        *lines,
    ]
    assert repr(as_table({"age": [30]}).schema).splitlines() == [
        "Schema: 1 column",
        lines[0].replace("age     ", "age"),
    ]


def test_a_wide_table_with_wild_names_is_still_shown_in_short():
    table = as_table(
        {"a\nb" + "c" * 99 + str(i): [1.5, 2] for i in range(60)}, [1.5, 2]
    )
    lines = repr(table).splitlines()
    assert len(lines) == 52
    assert lines[0] == "Table: 2 rows, 60 columns, target y (numbers)"
    assert lines[-1] == "  ... and 10 more columns"
    assert max(map(len, lines)) < 100


def test_a_column_set_aside_says_so():
    aside = Feature("id", "categorical", set_aside="all differ")
    assert repr(Schema((Feature("x"), aside))).splitlines() == [
        "Schema: 2 columns (1 set aside)",
        "  x   numeric",
        "  id  categorical  set aside: all differ",
    ]
