"""Every bad file has a documented result, or an error that says what to do.

`make_bad_files.py` builds the files. A file that is read gives the rows, kinds, cells,
findings and rejected lines written here; one that is refused gives one line that names
the file or the column, the cause and the remedy. No row is lost, and no value changes
without a finding or a conversion on record.
"""

import math

import numpy as np
import pytest

import treewright as tw
from files import make_bad_files
from treewright.table.intake import KINDS_OF_CONVERSIONS


def ok(kinds, *, rows=None, found=(), rejected=(), no_target=0, options=None, **cells):
    """Return what a file that is read must give; cells are listed by column."""
    shown = next(iter(cells.values()), [])
    return {
        "kinds": kinds,
        "rows": len(shown) if rows is None else rows,
        "found": sorted(found),
        "rejected": list(rejected),
        "no_target": no_target,
        "options": options or {},
        "cells": cells,
    }


def error(*words, kind=tw.TableError, **options):
    """Return what the message of a file that is refused must say."""
    return {"error": kind, "words": words, "options": options}


NAN = math.nan
XY = ["x", "y"]
PLAIN = ok("nc", a=[1, 2], b=XY)
Y = {"target": "y"}
W = {"target": "y", "weight": "w"}
SMALL_LIMIT = {"memory_limit": "200MB"}
DAY = 1565740800 * 1e6  # 2019-08-14, in microseconds
CITIES = ok("cnc", city=["Köln", "Paris"], n=[1, 2], y=["no", "yes"])

EXPECTED = {
    # encodings
    "bom.csv": CITIES,
    "utf16_le.csv": CITIES,
    "utf16_be.csv": CITIES,
    "utf32.csv": CITIES,
    "utf16_odd.csv": error("mark of UTF-16", "Save it as UTF-8"),
    "utf16_without_mark.csv": error("Line 1", "NUL byte", "UTF-16 needs a mark"),
    "latin1.csv": {**CITIES, "found": ["encoding"]},
    "euro.csv": ok("nn", price=[5, 7], found=["converted", "encoding"]),
    "undefined_bytes.csv": ok("cn", city=["Köln\x81", "Rome"], found=["encoding"]),
    "two_encodings.csv": error("Line 3", "not UTF-8", "Correct that line"),
    "nul.csv": error("Line 3", "NUL byte"),
    "nul_late.csv": error("Line 50002", "NUL byte"),
    "nul_in_second_block.csv": error("Line 1100002", "NUL byte"),
    "late_latin1.csv": ok("cn", rows=500_001, found=["encoding"]),
    # line ends
    "crlf.csv": PLAIN,
    "lone_cr.csv": PLAIN,
    "mixed_ends.csv": ok("nc", a=[1, 2, 3], b=["x", "y", "z"]),
    "no_final_newline.csv": PLAIN,
    "blank_lines.csv": PLAIN,
    "odd_spaces_in_cells.csv": ok("nc", b=["x\u2028y", "\x0cz", "\x85w"]),
    # quotes
    "unclosed_quote.csv": error("opens in line 3", "never closed", "double it"),
    "two_unclosed_quotes.csv": ok(
        "nc", a=[3, 4, 5], rejected=[2], found=["rejected_rows"]
    ),
    "quote_in_middle.csv": ok("nc", b=['5" pipe', '6" pipe', "x"]),
    "doubled_quotes.csv": ok("nc", b=['say "hi"', '"']),
    "text_after_quote.csv": ok("nc", a=[2, 3], rejected=[2], found=["rejected_rows"]),
    "multi_line_cell.csv": ok("nc", b=["two\nlines", "three\r\nmore\nlines"]),
    "quoted_delimiter.csv": ok("nc", b=["x,y", "u,v"]),
    "everything_quoted.csv": PLAIN,
    "quoted_header_with_newline.csv": ok("nc", **{"a\nb": [1, 2], "c,d": XY}),
    "ten_megabyte_cell.csv": ok("nc", b=["x" * (10 << 20), "y"]),
    # delimiters
    "semicolon.csv": PLAIN,
    "tab.csv": ok("nc", a=[1, 2], b=["x, y", "z"]),
    "tab.tsv": PLAIN,
    "bar.csv": PLAIN,
    "decimal_comma.csv": ok("nc", a=[1.5, 2.25, -0.5], found=["converted"]),
    "one_column_decimal_comma.csv": ok("n", a=[1.5, 2.5, 3.5], found=["converted"]),
    "blanks_after_delimiter.csv": ok("nnc", b=[2.5, 4.5], c=[" x", " y"]),
    "comma_in_one_name.csv": ok("nc", **{"a, b": [1, 2], "c": XY}),
    # numbers
    "thousands.csv": ok("nc", a=[1234, 12345678, 999], found=["converted"]),
    "points_for_thousands.csv": ok("nc", a=[1234.56, 12345], found=["converted"]),
    "money.csv": ok("nc", price=[1234, 950, -20], found=["converted"]),
    "percent.csv": ok("nc", a=[61.5, 7], found=["converted"]),
    "years.csv": ok("nc", a=[9, 1, 12], found=["converted"]),
    "beyond_2_63.csv": ok("cc", a=["9223372036854775808", "9223372036854775809"]),
    "beyond_2_53.csv": ok("cc", a=["9007199254740993", "9007199254740992", "5"]),
    "negative_beyond_2_53.csv": ok("cc", a=["-9007199254740993", "-9007199254740992"]),
    "float_overflow.csv": ok("nc", a=[math.inf, 2], found=["rounded"]),
    "denormal.csv": ok("nc", a=[5e-324, 0, 2], found=["rounded"]),
    "hex.csv": ok("cc", a=["0x10", "0x11"]),
    "hex_floats.csv": ok("cc", a=["0x1.8p3", "0x1.0p0"]),
    "infinities.csv": ok("nc", a=[math.inf, -math.inf, 1.5, math.inf]),
    "nan_spellings.csv": ok("nc", a=[NAN, NAN, 1.5, NAN], found=["converted"]),
    "plus_signs.csv": ok("nc", a=[1.5, 2.5]),
    "leading_zeros.csv": ok("cc", code=["01234", "98765", "00001"]),
    "leading_zero_late.csv": ok("cc", rows=1001),
    "underscores.csv": ok("cc", a=["1_000", "2_000"]),
    "other_digits.csv": ok("nc", a=[12, 3], found=["converted"]),
    "many_digits.csv": ok("nc", a=[0.12345678901234568, 0.5], found=["rounded"]),
    "zip.csv": ok("cc", zip=["60601", "60602"]),
    "phone.csv": ok("cc", contact=["4930123456", "4930123457"]),
    "ints_then_float.csv": ok("nc", rows=300_001),
    "ints_then_text.csv": ok("cc", rows=300_001, found=["nearly_numbers"]),
    "exponents.csv": ok("nc", a=[1e5, 2.5e-3, 100]),
    "bare_points.csv": ok("nc", a=[0.5, 1, -0.25]),
    # missing values
    "na_tokens.csv": ok("nc", a=[1, *[NAN] * 6, 2], found=["converted"]),
    "na_among_words.csv": ok("cn", a=["red", None, "blue", None], found=["converted"]),
    "unknown_among_words.csv": ok("cn", a=["red", "unknown", "blue"]),
    "unknown_among_numbers.csv": ok("nc", a=[5, NAN, 7], found=["converted"]),
    "empty_and_quoted_empty.csv": ok("cn", a=["red", None, None, "blue"]),
    "all_missing.csv": ok("ncn", a=[NAN, NAN], c=[NAN, NAN], found=["converted"]),
    "missing_and_blank.csv": ok("nc", a=[1, NAN, 3], found=["converted"]),
    # true and false
    "yes_no.csv": ok("cn", a=["yes", "no", "yes"]),
    "t_f.csv": ok("cn", a=["T", "F"]),
    "zero_one.csv": ok("nc", a=[0, 1]),
    "yes_among_true_false.csv": ok("cn", a=["true", "false", "yes"]),
    # dates
    "iso_dates.csv": ok("nc", a=[DAY, 1582934400e6, NAN], found=["converted"]),
    "day_first.csv": ok("nc", a=[DAY, 1567382400e6], found=["converted"]),
    "month_first.csv": ok("nc", a=[DAY, 1567382400e6], found=["converted"]),
    "ambiguous_dates.csv": ok(
        "cc", a=["01/02/2019", "03/04/2019"], found=["ambiguous"]
    ),
    "two_ways_of_dates.csv": ok(
        "cc", a=["2019-08-14", "14/08/2019"], found=["mixed_dates"]
    ),
    "month_names.csv": ok("nc", a=[DAY, 1567382400e6], found=["converted"]),
    "german_dates.csv": ok("nc", a=[DAY, 1567382400e6], found=["converted"]),
    "points_in_time.csv": ok(
        "nc", a=[DAY + 37800e6, DAY + 39600.5e6], found=["converted"]
    ),
    "time_zones.csv": ok("nc", a=[DAY + 28800e6, DAY + 36000e6], found=["converted"]),
    "some_time_zones.csv": ok("cc", a=["2019-08-14T10:00:00Z", "2019-08-14T10:00:00"]),
    "times.csv": ok("nc", a=[37800e6, 86399e6], found=["converted"]),
    "impossible_date.csv": ok("cc", a=["2019-02-28", "2019-02-30"]),
    "text_dates_late.csv": ok("cc", rows=2001),
    # rows
    "short_row.csv": ok("nnc", a=[1, 5], rejected=[3], found=["rejected_rows"]),
    "long_row.csv": ok("nnc", a=[1, 5], rejected=[3], found=["rejected_rows"]),
    "long_first_row.csv": ok("nnc", a=[1, 5], rejected=[2], found=["rejected_rows"]),
    "many_short_rows.csv": error("40 of 140 rows", "line 102: 1 field", "Correct"),
    "delimiter_at_row_ends.csv": error("Line 1", "names 2 columns", "3 fields"),
    "delimiter_at_all_ends.csv": ok("ncn", a=[1, 2], found=["renamed"]),
    "row_names.csv": error("Line 1", "names 2 columns", "line 2"),
    "header_twice.csv": ok("nc", a=[1, 2, 3], rejected=[4], found=["rejected_rows"]),
    "header_of_files_joined.csv": ok(
        "nc", rows=1000, rejected=[502], found=["rejected_rows"]
    ),
    "row_of_units.csv": ok("cc", rows=6, found=["nearly_numbers", "nearly_numbers"]),
    "comments.csv": {**PLAIN, "found": ["left_out"]},
    "comment_later.csv": {**PLAIN, "found": ["rejected_rows"], "rejected": [3]},
    "header_with_hash.csv": ok("cn", **{"#chrom": ["X", "Y"], "pos": [5, 7]}),
    "title.csv": ok("cn", region=["north", "south", "east"], found=["left_out"]),
    "short_footer.csv": {**PLAIN, "found": ["rejected_rows"], "rejected": [4]},
    "footer_total.csv": ok(
        "cn", a=["1", "3", "Total"], found=["nearly_numbers", "totals_row"]
    ),
    "empty.csv": error("is empty", "no line of column names"),
    "only_blank_lines.csv": error("is empty"),
    "only_comments.csv": error("is empty"),
    "header_only.csv": error("no rows", "Check that the export is complete"),
    "one_row.csv": ok("nc", a=[1], b=["x"]),
    "one_column.csv": ok("n", a=[1, NAN, 3]),
    "no_header.csv": error("Line 1", "should name the columns", "Add a line of names"),
    "numbered_header.csv": ok("nc", **{"0": [3.5, 4.5], "1": XY}),
    "hundred_thousand_columns.csv": ok("n" * 100_000, c77777=[77777, 77777]),
    "rows_of_nothing.csv": ok(
        "nc", a=[1, 2], b=XY, no_target=2, found=["no_target"], options=Y
    ),
    # names
    "duplicate_names.csv": ok("nnc", a=[1, 3], a_2=[2, 4], found=["renamed"]),
    "duplicate_names_clash.csv": ok(
        "nnn", a=[1, 4], a_2=[2, 5], a_3=[3, 6], found=["renamed"]
    ),
    "empty_name.csv": ok("nnc", column_1=[0, 1], a=[1, 2], found=["renamed"]),
    "blank_names.csv": PLAIN,
    "emoji_name.csv": ok("nc", **{"🌳": [1, 2], "größe": XY}),
    "reserved_names.csv": ok("nnc", **{"class": [1, 3], "None": [2, 4], "select": XY}),
    "long_name.csv": ok("nc", **{"x" * (1 << 20): [1, 2], "b": XY}),
    "markup_name.csv": ok("nc", **{"<script>": [1, 2], "b": XY}),
    # categories
    "constant.csv": ok("nc", b=["x", "x", "x"]),
    "running_id.csv": ok("cn", rows=100),
    "million_categories.csv": ok("cn", rows=1_000_000),
    "cases_differ.csv": ok("cn", a=["Red", "red", "RED"]),
    "blanks_differ.csv": ok("cn", a=["red", "red ", " red"]),
    "unicode_forms_differ.csv": ok("cn", a=["caf\u00e9", "cafe\u0301"]),
    # targets and weights
    "target_missing.csv": ok(
        "n", a=[1, 4], no_target=2, found=["no_target"], options=Y
    ),
    "target_never_known.csv": error("missing in all 2 rows", "another target", **Y),
    "target_constant.csv": ok("n", a=[1, 2], options=Y),
    "target_differs.csv": ok("n", a=[1, 2, 3], options=Y),
    "target_decimals.csv": ok("n", a=[1, 2, 3], options=Y),
    "target_money.csv": ok("n", a=[1, 2, 3], found=["converted"], options=Y),
    "target_copied.csv": ok("n", rows=90, options=Y),
    "target_infinite.csv": error("infinity", "Drop the row", **Y),
    "weights_zero.csv": ok("n", a=[1, 2, 3], options=W),
    "weights_all_zero.csv": error("all zero", **W),
    "weights_negative.csv": error("negative in row 0", **W),
    "weights_missing.csv": error("missing (NaN) in row 0", **W),
    "weights_text.csv": error("'heavy'", kind=tw.ColumnError, **W),
    # packed
    "packed.csv.gz": PLAIN,
    "truncated.csv.gz": error("is damaged", "gzip", "again"),
    "wrong_sum.csv.gz": error("is damaged", "CRC"),
    "not_packed.csv.gz": PLAIN,
    "bomb.csv.gz": error("limit is 200 MB", kind=tw.ResourceLimitError, **SMALL_LIMIT),
    "packed.csv.zst": PLAIN,
    "truncated.csv.zst": error("is damaged", "zstd"),
    "bomb.csv.zst": error(
        "more than 200 MB", kind=tw.ResourceLimitError, **SMALL_LIMIT
    ),
    # Parquet and Arrow
    "nested.parquet": error("'a'", "nested", "drop=['a']"),
    "struct.parquet": error("'a'", "nested", "drop=['a']"),
    "decimals.parquet": ok("nc", a=[1.25, 1.25, 1.25]),
    "dictionary.parquet": ok("c", a=["u", "v", "u"]),
    "nanoseconds.parquet": ok("n", a=[0, 1, NAN], found=["rounded"]),
    "whole_microseconds.parquet": ok("n", a=[1, 2, NAN]),
    "seconds.parquet": ok("nc", a=[DAY] * 3),
    "zoned.parquet": ok("nc", a=[DAY] * 3),
    "durations.parquet": ok("nc", a=[1e6, 2e6, 3e6]),
    "times.parquet": ok("nc", a=[3720e6] * 3),
    "huge_ints.parquet": error("'a'", "beyond 2^53", kind=tw.ColumnError),
    "unsigned.parquet": error("'a'", "beyond 2^53", kind=tw.ColumnError),
    "half_floats.parquet": ok("nc", a=[1, 2, 3]),
    "binary.parquet": error("'a'", "not UTF-8", kind=tw.ColumnError),
    "money.parquet": ok("nc", a=[1200, 5, NAN], found=["converted", "converted"]),
    "large_strings.parquet": ok("c", a=["01", "02", None]),
    "nulls.parquet": ok("nc", a=[NAN] * 3),
    "no_rows.parquet": error("no rows"),
    "no_columns.parquet": error("the file has no columns"),
    "wrong_magic.parquet": error("ends in .parquet", "PARX"),
    "text_called.parquet": error("ends in .parquet", "rename it"),
    "only_magic.parquet": error("not a whole Parquet file", "again"),
    "empty.parquet": error("ends in .parquet"),
    "truncated.parquet": error("not a whole Parquet file"),
    "flipped.parquet": error("not a whole Parquet file", "CRC"),
    "same_names.parquet": error("Two columns", "'a'", "Rename"),
    "plain.arrow": PLAIN,
    "stream.arrows": PLAIN,
    "runs.arrow": ok("ncn", a=[5, 5, 7], t=["01", "01", "02"], h=[0.5, 0.5, 1.5]),
    "runs_of_categories.arrow": ok(
        "cnn", a=["u", "u", "v"], t=[60e6, 60e6, 120e6], h=[0.5, 0.5, NAN]
    ),
    "runs_of_lists.arrow": error("'a'", "nested", "drop=['a']"),
    "compressed.arrow": ok("nnc", a=[5, 7, 5], t=[60e6, 120e6, 60e6]),
    "compressed_lists.arrow": error("'a'", "nested", "drop=['a']"),
    "bad_offsets.arrow": error("is damaged", "Column 1"),
    "bad_utf8.arrow": error("is damaged", "UTF8"),
    "truncated.arrow": error("not a whole Arrow file"),
    "plain.feather": PLAIN,
    "old.feather": error("Feather file of version 1", "Write it again"),
    # JSON lines
    "plain.jsonl": ok("nc", a=[1, 2.5], b=XY),
    "keys_lacking.jsonl": ok("nc", a=[1, NAN, 3], b=[None, "x", None]),
    "bad_line.jsonl": ok("nc", a=[1, 3], rejected=[2], found=["rejected_rows"]),
    "array.json": error("one JSON array", "jq -c"),
    "nested.jsonl": error("'a'", "nested value", "row 1"),
    "keys_twice.jsonl": ok("n", a=[3], rejected=[1], found=["rejected_rows"]),
    "big_ints.jsonl": ok("cn", a=["9007199254740993", "1"]),
    "mixed.jsonl": ok("cn", a=["1", "red"]),
    "numbers_and_marks.jsonl": ok("nn", a=[1, NAN], found=["converted"]),
    "bools.jsonl": ok("nn", a=[1, 0]),
    "scalars.jsonl": error("3 of 3 rows", "no JSON objects", "line 1"),
    "deep.jsonl": ok("n", a=[1], rejected=[2], found=["rejected_rows"]),
    "empty.jsonl": error("is empty"),
    "nan.jsonl": ok("nn", a=[NAN, 2]),
    "json_spelled.jsonl": ok("nn", a=[5, 7], found=["converted"]),
    "long_integer.jsonl": ok("nn", a=[2], rejected=[1], found=["rejected_rows"]),
    # Excel
    "plain.xlsx": ok("nc", a=[1, 2, 3], b=["x", "y", "x"]),
    "formula.xlsx": ok("nc", a=[NAN, 2, 3], found=["cell_errors"]),
    "formula_result.xlsx": ok("nc", a=[2, 2, 3]),
    "errors.xlsx": ok("nc", a=[NAN, NAN, 3], found=["cell_errors"]),
    "merged.xlsx": ok("nc", a=[1, NAN, NAN], found=["merged_cells"]),
    "hidden.xlsx": ok("nc", a=[1, 2, 3], b=["x", "y", "x"]),
    "dates.xlsx": ok("nc", a=[DAY, DAY, DAY + 86400e6]),
    "mixed.xlsx": ok("nc", a=[1, NAN, 3], found=["converted"]),
    "mixed_words.xlsx": ok("cc", a=["1", "two", "3"], found=["nearly_numbers"]),
    "codes.xlsx": ok("cc", a=["01234", "98765", "00001"]),
    "titled.xlsx": ok("nc", a=[1, 2, 3], found=["left_out"]),
    "two_sheets.xlsx": error("2 sheets", "table='Sheet'"),
    "dates_and_moments.xlsx": ok("nc", a=[DAY, DAY + 43200e6, NAN]),
    "durations.xlsx": ok("nc", a=[3600e6, 108000e6, NAN]),
    "dates_and_words.xlsx": ok("cc", a=["2019-08-14", "soon", "10:30:00"]),
    "prefixed.xlsx": ok("nc", a=[NAN, NAN, 3], found=["cell_errors"]),
    "plain.ods": PLAIN,
    "plain.xls": PLAIN,
    "times.xlsx": ok("nc", a=[3720e6, 11040e6, 18360e6]),
    "gaps.xlsx": ok("nc", a=[1, NAN, 3], b=["x", "y", None]),
    "no_names.xlsx": ok("nc", column_1=[1, 2, 3], found=["renamed"]),
    "text_called.xlsx": error("ends in .xlsx"),
    "empty.xlsx": error("'Sheet'", "is empty"),
    "xml_bomb.xlsx": error("'Sheet'", "entities"),
    "zip_bomb.xlsx": error("300 MB", kind=tw.ResourceLimitError),
    "truncated.xlsx": error("not a whole Excel file"),
    "not_excel.zip": error("no workbook", "Unpack"),
    "password.xlsx": error("password"),
    # SQLite
    "plain.db": ok("nc", a=[1, 2.5, NAN], b=["x", "y", "x"]),
    "two_tables.db": error("2 tables", "table='t'"),
    "view.db": error("2 tables", "'v'"),
    "no_tables.db": error("no table"),
    "no_rows.db": error("no rows"),
    "only_null.db": ok("nn", a=[NAN, NAN]),
    "blob.db": error("'a'", "raw bytes", "drop=['a']"),
    "mixed.db": ok("cc", a=["1", "two", "3"], found=["nearly_numbers"]),
    "odd_name.db": ok("nc", **{"x y": [1], "b": ["x"]}),
    "text_called.db": error("ends in .db"),
    "damaged.db": error("malformed"),
}
SLOW = {"hundred_thousand_columns.csv", "million_categories.csv"}


def test_every_bad_file_has_a_documented_result():
    assert set(EXPECTED) == set(make_bad_files.FILES)
    assert len(EXPECTED) >= 120


@pytest.mark.parametrize(
    "name",
    [pytest.param(x, marks=pytest.mark.slow) if x in SLOW else x for x in EXPECTED],
)
def test_bad_file_gives_its_documented_result(name, tmp_path):
    path = make_bad_files.write_all(tmp_path, [name])[name]
    before, expected = path.read_bytes(), EXPECTED[name]
    if "error" in expected:
        check_error(path, expected)
    else:
        check_table(tw.read(path, **expected["options"]), expected)
    assert path.read_bytes() == before


def check_error(path, expected):
    with pytest.raises(tw.TreewrightError) as caught:
        tw.read(path, **expected["options"])
    message = str(caught.value)
    assert isinstance(caught.value, expected["error"])
    assert [words for words in expected["words"] if words not in message] == []
    assert path.name in message or "the file" in message
    assert "\n" not in message
    assert len(message) < 600
    assert message.count(". ") >= 1 or "is empty" in message, "it names no remedy"


def check_table(table, expected):
    intake = table.intake
    assert "".join(each.kind[0] for each in table.schema.features) == expected["kinds"]
    assert table.n_rows == expected["rows"]
    assert [line for line, _ in intake.rejected] == expected["rejected"]
    assert intake.no_target == expected["no_target"]
    assert intake.n_read == intake.n_rows + len(intake.rejected) + intake.no_target
    noted = [*intake.findings, *intake.conversions]
    assert sorted(each.kind for each in noted) == expected["found"]
    assert {x.kind for x in intake.findings}.isdisjoint(KINDS_OF_CONVERSIONS)
    for name, cells in expected["cells"].items():
        if name == "y" and expected["options"]:
            continue
        column = table.columns[table.schema.index_of[name]]
        assert same(values_of(column), cells)


def values_of(column):
    if column.kind == "numeric":
        return column.values.tolist()
    return [column.labels[code] if code >= 0 else None for code in column.codes]


def same(ours, theirs):
    return len(ours) == len(theirs) and all(
        a == b or (a != a and b != b) for a, b in zip(ours, theirs, strict=True)
    )


def test_the_last_value_of_a_long_column_counts(tmp_path):
    for name, kind, last in (
        ("ints_then_float.csv", "numeric", 1.5),
        ("ints_then_text.csv", "categorical", "seven"),
        ("leading_zero_late.csv", "categorical", "02345"),
    ):
        path = make_bad_files.write_all(tmp_path, [name])[name]
        column = tw.read(path).columns[0]
        assert column.kind == kind
        assert values_of(column)[-1] == last


def test_targets_are_read_by_all_their_values(tmp_path):
    names = ["target_decimals.csv", "target_money.csv", "target_differs.csv"]
    paths = make_bad_files.write_all(tmp_path, names)
    numbers = tw.read(paths["target_decimals.csv"], target="y").target
    assert numbers.values.tolist() == [0.5, 0.25, 0.5]
    money = tw.read(paths["target_money.csv"], target="y").target
    assert money.values.tolist() == [1200, 950, 20]
    words = tw.read(paths["target_differs.csv"], target="y").target
    assert words.classes.tolist() == ["p", "q", "r"]


def test_the_kind_of_a_target_is_obeyed(tmp_path):
    path = make_bad_files.write_all(tmp_path, ["target_money.csv"])["target_money.csv"]
    words = tw.read(path, target="y", kinds={"y": "categorical"}).target
    assert words.classes.tolist() == ["$1,200", "$20", "$950"]
    numbers = tw.read(path, target="y", kinds={"y": "numeric"}).target
    assert numbers.values.tolist() == [1200, 950, 20]
    with pytest.raises(tw.ColumnError, match=r"target_money\.csv"):
        tw.read(path, target="y", kinds={"y": "date"})


def test_a_target_among_the_columns_is_found(tmp_path):
    path = make_bad_files.write_all(tmp_path, ["target_copied.csv"])
    table = tw.read(path["target_copied.csv"], target="y")
    assert [(each.kind, each.column) for each in table.findings] == [("leak", "a")]


def test_columns_of_weights_are_read_as_numbers(tmp_path):
    path = make_bad_files.write_all(tmp_path, ["weights_zero.csv"])
    table = tw.read(path["weights_zero.csv"], target="y", weight="w")
    np.testing.assert_array_equal(table.weights, [0, 1, 2])


QUERIES = {
    "good": ("SELECT a, b FROM '{}/plain.parquet'", None),
    "empty": ("SELECT a, b FROM '{}/plain.parquet' WHERE a > 9", "no rows"),
    "only null": ("SELECT NULL AS a, NULL AS b", None),
    "no table": ("SELECT * FROM nowhere", "failed: Catalog Error"),
    "no file": ("SELECT * FROM '{}/absent.parquet'", "failed: IO Error"),
    "wrong word": ("SELECT FROM WHERE", "failed: Parser Error"),
    "writes": ("WITH x AS (SELECT 1) SELECT 1; DROP TABLE t", "one SELECT statement"),
    "guesses": ("SELECT * FROM '{}/plain.csv'", "guess the types"),
    "explicit": ("SELECT * FROM read_csv('{}/plain.csv', all_varchar=true)", None),
    "nested": ("SELECT [1, 2] AS a, 1 AS b", "nested"),
    "sums": ("SELECT sum(a) AS a, 1 AS b FROM '{}/plain.parquet'", None),
}


@pytest.mark.parametrize("case", QUERIES)
def test_queries_run_or_say_what_is_wrong(case, tmp_path):
    query, words = QUERIES[case]
    (tmp_path / "plain.csv").write_bytes(make_bad_files.SMALL)
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(
        make_bad_files.arrow_table(a=[1, 2], b=XY), tmp_path / "plain.parquet"
    )
    if words is None:
        table = tw.read(query.format(tmp_path))
        assert table.schema.names == ("a", "b")
    else:
        with pytest.raises(tw.TableError) as caught:
            tw.read(query.format(tmp_path))
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)
