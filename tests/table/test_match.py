import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw
from treewright.errors import ColumnError, TableError, UnseenCategoryWarning
from treewright.files.batches import read_batches
from treewright.table.as_table import as_table
from treewright.table.check import check_matched, check_no_missing
from treewright.table.match import match, plain_matrix
from treewright.table.match_target import match_target

TRAIN = {
    "length": [1.5, 2.5, None],
    "colour": ["red", "blue", "red"],
    "size": [1, 2, 3],
}


@pytest.fixture
def schema():
    return as_table(TRAIN).schema


def both(columns):
    return [None if each is None else each.tolist() for each in columns]


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_named_tables_match_by_name_in_any_order_with_extra_columns(schema, make):
    new = make(
        {"extra": ["?"], "size": [7], "colour": ["red"], "length": [0.5], "z": [1]}
    )
    matched = match(schema, new, [0, 1, 2])
    assert both(matched) == [[0.5], [1], [7.0]]
    assert matched[1].dtype == np.int32
    assert matched.n_rows == 1


def test_only_the_needed_columns_must_be_there(schema):
    matched = match(schema, {"size": [7, 8]}, [2])
    assert both(matched) == [None, None, [7.0, 8.0]]
    assert both(match(schema, {"size": ["nonsense"], "length": [1.0]}, [0])) == [
        [1.0],
        None,
        None,
    ]


def test_the_row_count_is_known_even_if_nothing_is_needed(schema):
    matched = match(schema, {"anything": [1, 2, 3]}, [])
    assert matched == [None, None, None]
    assert matched.n_rows == 3


def test_rows_may_be_dicts_and_lists(schema):
    assert both(match(schema, [{"size": 7, "colour": "blue"}], [1, 2])) == [
        None,
        [0],
        [7.0],
    ]
    assert both(match(schema, [[0.5, "blue", 7]], [1])) == [None, [0], None]


def test_a_needed_column_that_is_absent_names_the_nearest(schema):
    words = "no column 'length', which the tree needs. The nearest is 'lenght'"
    with pytest.raises(TableError, match=words):
        match(schema, {"lenght": [1.0]}, [0])
    with pytest.raises(TableError, match="no columns 'length', 'colour', which"):
        match(schema, {"lenght": [1.0]}, [0, 1])
    with pytest.raises(TableError, match=r"The columns are 'q'\."):
        match(schema, {"q": [1.0]}, [0])


def test_missing_is_minus_one_and_unseen_minus_two(schema):
    new = {"colour": ["red", None, "green", "blue"]}
    assert both(match(schema, new, [1]))[1] == [1, -1, -2, 0]


def test_an_unseen_category_never_becomes_its_neighbour(schema):
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("bluerd"), 4)) for _ in range(200)]
    with pytest.warns(UnseenCategoryWarning, match=", 200 of 202 values"):
        codes = match(schema, {"colour": [*words, "blue", "red"]}, [1])[1]
    expected = [{"blue": 0, "red": 1}.get(word, -2) for word in [*words, "blue", "red"]]
    assert codes.tolist() == expected


def test_unseen_error_names_column_row_and_category(schema):
    words = r"'colour' holds 'reed' \(row 1\).*unseen='error'.*nearest.*'red'"
    with pytest.raises(ColumnError, match=words):
        match(schema, {"colour": ["red", "reed"]}, [1], unseen="error")


@pytest.mark.parametrize(
    "values",
    [
        pd.Categorical(["red", "blue", None], ["red", "blue", "green"]),
        pd.Categorical(["red", "blue", None], ["blue", "red"], ordered=True),
        pd.Series(["red", "blue", None], dtype="string"),
        np.array(["red", "blue", None], object),
    ],
)
def test_categories_are_found_by_label_never_by_the_frames_own_code(schema, values):
    new = pd.DataFrame({"colour": values})
    assert both(match(schema, new, [1]))[1] == [1, 0, -1]


def test_polars_categories_and_arrow_dictionaries_match_by_label(schema):
    series = pl.Series("colour", ["red", "blue"], dtype=pl.Categorical)
    assert both(match(schema, series.to_frame(), [1]))[1] == [1, 0]
    encoded = pa.array(["red", "blue"]).dictionary_encode()
    assert both(match(schema, pa.table({"colour": encoded}), [1]))[1] == [1, 0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_plain_arrays_match_by_position_without_a_copy(dtype):
    schema = as_table(np.eye(3)).schema
    X = np.ones((2, 3), dtype)
    matched = match(schema, X, [0, 2])
    assert matched[1] is None
    assert matched[0].dtype == dtype
    assert np.shares_memory(matched[2], X)
    assert plain_matrix(schema, X) is X


@pytest.mark.parametrize(
    "X", [np.ones((2, 3), int), [[1, 1, 1]], np.ones((2, 3), bool)]
)
def test_other_arrays_are_converted_where_needed(X):
    schema = as_table(np.eye(3)).schema
    assert plain_matrix(schema, X) is None
    matched = match(schema, X, [1])
    assert matched[0] is None
    assert set(matched[1].tolist()) == {1.0}


@pytest.mark.parametrize("width", [1, 4])
def test_plain_arrays_need_full_width_in_scikit_learns_words(width):
    schema = as_table(np.eye(3)).schema
    words = rf"X has {width} features, but Tree is expecting 3 features as in"
    for X in (np.ones((2, width)), np.ones((2, width), int), [[1] * width]):
        with pytest.raises(TableError, match=words):
            match(schema, X, [0])


@pytest.mark.parametrize("X", [np.zeros(3), [1, 2, 3], pd.Series([1.0, 2.0, 3.0])])
def test_one_dimension_is_refused_in_scikit_learns_words(X):
    with pytest.raises(TableError, match="Reshape your data"):
        match(as_table(np.eye(3)).schema, X, [0])


def test_three_dimensions_and_sparse_are_refused():
    schema = as_table(np.eye(3)).schema
    with pytest.raises(TableError, match="Found array with dim 3"):
        match(schema, np.zeros((1, 1, 1)), [0])
    import scipy.sparse as sparse

    with pytest.raises(TableError, match="sparse"):
        match(schema, sparse.csr_array(np.eye(3)), [0])


def test_a_tree_grown_from_an_array_takes_frames_by_made_up_name_or_position():
    schema = as_table(np.eye(2)).schema
    by_name = pd.DataFrame({"x1": [5.0], "x0": [4.0], "extra": [0.0]})
    assert both(match(schema, by_name, [0, 1])) == [[4.0], [5.0]]
    by_position = pd.DataFrame({"b": [5.0], "a": [4.0]})
    assert both(match(schema, by_position, [0, 1])) == [[5.0], [4.0]]
    with pytest.raises(TableError, match="X has 3 features"):
        match(schema, pd.DataFrame([[1.0, 2.0, 3.0]]), [0])


def test_a_tree_grown_from_names_takes_a_full_array_by_position(schema):
    assert both(match(schema, np.array([[0.5, "blue", 7]], object), [0, 1, 2])) == [
        [0.5],
        [0],
        [7.0],
    ]


def test_whole_number_names_match_by_their_text():
    schema = as_table(pd.DataFrame([[1.0, 2.0]])).schema
    assert both(match(schema, pd.DataFrame([[3.0, 4.0]])[[1, 0]], [0, 1])) == [
        [3.0],
        [4.0],
    ]


@pytest.mark.parametrize(
    ("column", "values", "words"),
    [
        ("length", ["long"], r"'length' held numbers.*now holds 'long' \(row 0\)"),
        ("length", ["1.5"], "'length' held numbers.*now holds '1.5'"),
        ("length", [dt.date(2020, 1, 1)], "'length' held numbers.*now holds"),
        (
            "colour",
            [3],
            r"'colour' held categories such as 'blue'.*now holds 3 \(row 0\)",
        ),
        ("colour", [None, 2.5], r"now holds 2.5 \(row 1\)"),
    ],
)
def test_a_column_of_another_kind_is_refused(schema, column, values, words):
    with pytest.raises(ColumnError, match=words):
        match(schema, {column: values}, [schema.index_of[column]])


def test_a_column_without_any_value_fits_every_kind(schema):
    empty = {name: [None, None] for name in TRAIN}
    length, colour, size = match(schema, empty, [0, 1, 2])
    assert np.isnan(length).all()
    assert np.isnan(size).all()
    assert colour.tolist() == [-1, -1]
    floats = {"colour": np.array([np.nan, np.nan])}
    assert match(schema, floats, [1])[1].tolist() == [-1, -1]
    text = {"length": pd.Series([None, None], dtype="string")}
    assert np.isnan(match(schema, text, [0])[0]).all()


def test_no_rows_give_no_rows(schema):
    matched = match(schema, pd.DataFrame({n: [] for n in TRAIN}), [0, 1, 2])
    assert matched.n_rows == 0
    assert [len(each) for each in matched] == [0, 0, 0]
    assert match(as_table(np.eye(2)).schema, np.empty((0, 2)), [0]).n_rows == 0


def test_bools_whole_numbers_and_floats_stand_for_one_another():
    schema = as_table({"a": [True, False], "b": [1, 2]}).schema
    assert both(match(schema, {"a": [0.5], "b": [2**60]}, [0, 1])) == [[0.5], [2.0**60]]
    assert both(match(schema, {"a": [1], "b": [10**400]}, [0, 1]))[1] == [np.inf]


def test_numbers_as_categories_match_by_value():
    schema = as_table({"zip": [10, 20]}, kinds={"zip": "categorical"}).schema
    assert match(schema, {"zip": [20.0, 10, 30]}, [0])[0].tolist() == [1, 0, -2]
    with pytest.raises(ColumnError, match="text and numbers are different"):
        match(schema, {"zip": ["10"]}, [0])


def test_mixed_categories_match_text_and_numbers():
    schema = as_table({"a": ["x", 1]}, kinds={"a": "categorical"}).schema
    assert match(schema, {"a": ["x", 1, "1"]}, [0])[0].tolist() == [1, 0, -2]
    assert match(schema, {"a": [1, 2]}, [0])[0].tolist() == [0, -2]


def test_ordinal_columns_match_by_label():
    schema = as_table({"a": ["lo", "hi"]}, kinds={"a": ["lo", "mid", "hi"]}).schema
    new = {"a": ["hi", "lo", "mid", "top", None]}
    assert match(schema, new, [0])[0].tolist() == [2, 0, 1, -2, -1]


def test_text_read_as_numbers_stays_so():
    schema = as_table({"a": ["1", "2"]}, kinds={"a": "numeric"}).schema
    assert match(schema, {"a": ["1.5"]}, [0])[0].tolist() == [1.5]
    assert match(schema, {"a": [1.5]}, [0])[0].tolist() == [1.5]
    for new in (["1", 2, None], pd.Categorical(["1", "2", None], ["?", "1", "2"])):
        found = match(schema, {"a": new}, [0])[0]
        np.testing.assert_array_equal(found, [1, 2, np.nan])
    words = r"'a' held text that spells numbers .* now holds 'x' \(row 1\).*to_numeric"
    for new in (["1", "x"], [1, "x"], pd.Categorical(["1", "x"])):
        with pytest.raises(ColumnError, match=words):
            match(schema, {"a": new}, [0])


def test_numbers_beside_text_that_spells_amounts_are_amounts():
    schema = as_table({"a": ["$1", "$2"]}, kinds={"a": "numeric"}).schema
    for new in (["$2", 5, None], pd.Categorical(["$2", 5, None], ["$2", 5, "none"])):
        found = match(schema, {"a": new}, [0])[0]
        np.testing.assert_array_equal(found, [2, 5, np.nan])
    words = r"amounts of money .* but 1 value spells none \(first: 'x', row 2\)"
    for new in (["$2", 5, "x"], pd.Categorical(["$2", 5, "x"])):
        with pytest.raises(ColumnError, match=words):
            match(schema, {"a": new}, [0])


def test_numbers_beside_text_that_spells_dates_are_no_dates():
    days = ["2020-01-01", "2020-02-01"]
    schema = as_table({"a": days}, kinds={"a": "date"}).schema
    words = r"held dates .* but 1 value spells none \(first: 5, row 1\)"
    for new in ([days[0], 5], pd.Categorical([days[0], 5])):
        with pytest.raises(ColumnError, match=words):
            match(schema, {"a": new}, [0])
    with pytest.raises(ColumnError, match=r"1 value spells no dates .first: 5, row 2"):
        as_table({"a": pd.Categorical([*days, 5])}, kinds={"a": "date"})


def test_whole_numbers_of_any_size_are_rounded_and_may_be_missing():
    schema = as_table({"a": [1, 2]}).schema
    found = match(schema, {"a": [2**70, None, 10**400, -(10**400)]}, [0])[0]
    np.testing.assert_array_equal(found, [2.0**70, np.nan, np.inf, -np.inf])


def test_a_target_of_new_rows_must_be_there_and_known_to_the_schema(schema):
    with pytest.raises(TableError, match=r"y_test is None, .* Pass the target"):
        match_target(as_table(TRAIN, [0, 1, 0]).schema, None, 3, "y_test")
    with pytest.raises(TableError, match=r"y cannot be read, .* schema has no target"):
        match_target(schema, [0, 1, 0], 3)


def test_dates_match_dates_but_zones_must_agree():
    day = {"a": [dt.date(1970, 1, 2)]}
    schema = as_table(day).schema
    stamp = {"a": [dt.datetime(1970, 1, 2)]}
    assert match(schema, stamp, [0])[0].tolist() == [86400e6]
    with pytest.raises(ColumnError, match="held dates"):
        match(schema, {"a": [5.0]}, [0])
    zoned = {"a": [dt.datetime(1970, 1, 2, tzinfo=dt.UTC)]}
    with pytest.raises(ColumnError, match="named no time zone"):
        match(schema, zoned, [0])
    with pytest.raises(ColumnError, match="named a time zone"):
        match(as_table(zoned).schema, stamp, [0])
    assert plain_matrix(schema, np.ones((1, 1))) is None


def test_dates_as_categories_match_dates():
    schema = as_table({"a": [dt.date(2020, 1, 1)]}, kinds={"a": "categorical"}).schema
    new = {"a": [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 1)]}
    assert match(schema, new, [0])[0].tolist() == [0, -2]


def test_a_table_is_new_data_too():
    table = as_table({**TRAIN, "when": [dt.date(1970, 1, 2), None, None]})
    matched = match(table.schema, table, [0, 1, 2, 3])
    for array, column in zip(matched, table.columns, strict=True):
        np.testing.assert_array_equal(array, column.data)


def test_new_data_are_never_modified(schema):
    frame = pd.DataFrame(TRAIN)
    before = frame.copy(deep=True)
    match(schema, frame, [0, 1, 2])
    pd.testing.assert_frame_equal(frame, before)


def test_refusing_missing_values_names_column_and_row():
    words = r"Input X contains NaN\. Column 'length' has no value in row 2 \(1 missing"
    with pytest.raises(ColumnError, match=words):
        check_no_missing(as_table(TRAIN))
    with pytest.raises(ColumnError, match=r"Column 'a' has no value in row 1"):
        check_no_missing(as_table({"a": ["x", None]}))
    check_no_missing(as_table({"a": ["x", "y"], "b": [1.0, 2.0]}))


def test_refusing_infinities_names_column_row_and_value():
    words = r"contains infinity.*Column 'x1' holds -inf in row 1.*missing='learned'"
    with pytest.raises(ColumnError, match=words):
        check_no_missing(as_table(np.array([[0.0, 1.0], [2.0, -np.inf]])))


def test_refusing_looks_only_at_usable_and_needed_columns(schema):
    matched = match(schema, TRAIN, [1, 2])
    check_matched(schema, matched)
    with pytest.raises(ColumnError, match="Column 'length' has no value in row 2"):
        check_matched(schema, match(schema, TRAIN, [0]))


def test_at_most_five_absent_columns_are_named():
    wide = as_table({f"column {i}": [1.0] for i in range(7)}).schema
    words = r"'column 3', 'column 4' \(and 2 more\), which the tree needs"
    with pytest.raises(TableError, match=words):
        match(wide, {"q": [1.0]}, range(7))


def test_a_name_that_is_hardly_alike_is_not_called_the_nearest(schema):
    with pytest.raises(TableError, match="The columns are 'signs'"):
        match(schema, {"signs": [1]}, [2])
    with pytest.raises(TableError, match="The nearest is 'Size'"):
        match(schema, {"Size": [1]}, [2])


@pytest.mark.parametrize(
    ("name", "cells", "words"),
    [
        (
            "age",
            [1, "2", None, "x"],
            r"numbers .* 'x' \(row 3\).*to_numeric\(X\['age'\]",
        ),
        ("age", ["1", "2", "?"], r"'\?' \(row 2\).*errors='coerce'"),
        ("age", [None, "1", "2"], r"'1' \(row 1\).*errors='coerce'"),
        ("smokes", ["yes", "no"], r"held true/false .* 'yes' \(row 0\)"),
        ("born", ["2020-01-01", "x"], r"held dates .*pandas\.to_datetime\(X\['born'\]"),
    ],
)
def test_a_column_of_another_kind_blames_a_cell_and_says_what_to_do(name, cells, words):
    born = pd.to_datetime(["2020-01-01", "2020-01-02"])
    known = {"age": [1.5, 2.5], "smokes": [True, False], "born": born}
    schema = as_table(pd.DataFrame(known)).schema
    new = pd.DataFrame({name: pd.Series(cells, dtype=object)})
    with pytest.raises(ColumnError, match=words):
        match(schema, new, [schema.index_of[name]])


def test_a_column_of_unseen_categories_alone_is_warned_of(schema):
    words = "Column 'colour' holds no category .* 'BLUE', 'RED', .* such as 'blue'"
    with pytest.warns(UnseenCategoryWarning, match=words):
        match(schema, {"colour": ["RED", "BLUE", None, *["RED"] * 3]}, [1])
    match(schema, {"colour": ["RED"] * 4}, [1])  # too few to tell
    words = "In column 'colour', 9 of 10 values .90.0%. .*'RED'"
    with pytest.warns(UnseenCategoryWarning, match=words):
        match(schema, {"colour": [*["RED"] * 9, "red"]}, [1])


# -- time zones ------------------------------------------------------------------------

HOURS = pd.Series(pd.date_range("2019-01-01", periods=60, freq="h"))
FORMS = {
    "typed": (HOURS, HOURS.dt.tz_localize("Europe/Berlin")),
    "text": (
        HOURS.dt.strftime("%Y-%m-%d %H:%M"),
        HOURS.dt.strftime("%Y-%m-%dT%H:%M+01:00"),
    ),
}


@pytest.mark.parametrize("into", ["frame", "csv", "parquet"])
@pytest.mark.parametrize("new", FORMS)
@pytest.mark.parametrize("old", FORMS)
@pytest.mark.parametrize("zoned", [False, True])
def test_a_zone_that_comes_or_goes_is_refused(old, new, zoned, into, tmp_path):
    kinds = {"when": "date"} if old == "text" else None
    frame = pd.DataFrame({"when": FORMS[old][zoned]})
    model = tw.TreeClassifier(kinds=kinds, findings="ignore")
    tree = model.fit(frame, ["a"] * 30 + ["b"] * 30).tree_
    other = pd.DataFrame({"when": FORMS[new][not zoned]})
    if into != "frame":
        path = tmp_path / f"new.{into}"
        getattr(other, f"to_{into}")(path, index=False)
        with pytest.raises(tw.ColumnError, match=r"named (a|no) time zone when"):
            [tree.predict(batch.X) for batch in read_batches(path, tree.schema)]
    elif (old, new) != ("typed", "text"):  # text in a frame is no date
        with pytest.raises(tw.ColumnError, match=r"named (a|no) time zone when"):
            tree.predict(other)


def test_times_of_day_of_a_frame_are_read_from_a_file(tmp_path):
    times = [dt.time(hour) for hour in range(24)] * 3
    y = ["am" if each.hour < 12 else "pm" for each in times]
    tree = tw.TreeClassifier(findings="ignore").fit({"at": times}, y).tree_
    path = tmp_path / "new.csv"
    path.write_text("at\n10:30\n5 PM\nNA\n")
    (batch,) = read_batches(path, tree.schema)
    assert tree.predict(batch.X)[:2].tolist() == ["am", "pm"]
    path.write_text("at\nsoon\n")
    with pytest.raises(tw.ColumnError, match=r"held times of day .* holds 'soon'"):
        list(read_batches(path, tree.schema))


@pytest.mark.parametrize("known", [("False", "True"), ("FALSE", "TRUE"), ("true",)])
def test_truth_values_are_those_that_a_file_wrote_as_text(known):
    texts = list(known) * 8
    y = [text.casefold() == "true" and i % 3 > 0 for i, text in enumerate(texts)]
    tree = tw.grow(tw.as_table({"x": texts, "n": range(len(texts))}, y, task="class"))
    flags = [text.casefold() == "true" for text in texts]
    for given in (flags, np.array(flags), pd.Series(flags)):
        X = {"x": given, "n": range(len(texts))}
        assert tree.predict(X).tolist() == tree.predict({**X, "x": texts}).tolist()


def test_truth_values_are_not_other_texts():
    tree = tw.grow(tw.as_table({"x": ["yes", "no"] * 4}, [1, 0] * 4, task="class"))
    with pytest.raises(ColumnError, match="held categories such as 'no'"):
        tree.predict({"x": [True]})


@pytest.mark.parametrize("texts", [["$1,200", "$300"], ["1200", "300"]])
def test_true_and_odd_cells_among_spelled_numbers_are_refused_or_read(texts):
    table = tw.as_table({"m": texts * 20}, ["a", "b"] * 20, kinds={"m": "numeric"})
    tree = tw.grow(table)
    assert tree.predict({"m": [texts[1], 5000]}).tolist() == ["b", "a"]
    assert tree.predict({"m": [texts[1], 10**400]}).tolist() == ["b", "a"]
    with pytest.raises(ColumnError, match=r"True.*row 1"):
        tree.predict({"m": [texts[1], True]})


@pytest.mark.parametrize("mark", ["", "$"])
def test_text_that_spells_float32_numbers_is_rounded_as_in_training(mark):
    values = np.arange(20_000_000, 20_000_040)
    y = values.astype(np.float32) // 4 % 2
    X = {"m": [f"{mark}{value}" for value in values]}
    fitted = tw.TreeClassifier.like("sklearn", kinds={"m": "numeric"})
    tree = fitted.set_params(findings="ignore").fit(X, y.astype(int)).tree_
    assert tree.schema.features[0].float32
    assert tree.predict(X).tolist() == y.tolist()


def test_a_decimal_among_amounts_of_money_is_refused_with_its_row():
    table = tw.as_table(
        {"m": ["$1,200", "$300"] * 20}, ["a", "b"] * 20, kinds={"m": "numeric"}
    )
    with pytest.raises(ColumnError, match=r"first: '3000\.1', row 1"):
        tw.grow(table).predict({"m": ["$300", Decimal("3000.1")]})
