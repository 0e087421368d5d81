"""Build the corpus of bad files that `test_bad_files.py` reads.

Run:  python tests/files/make_bad_files.py FOLDER

Every entry of `FILES` is a file name and its content, or a function that writes the
file. The list follows what goes wrong in practice: encodings, line ends, quotes,
delimiters, spellings, ragged rows, headers, names, categories, targets, weights, and
damaged or hostile files of every format.
"""

import datetime as dt
import decimal
import gzip
import json
import re
import sqlite3
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np

FILES = {}


def file(name):
    """Register a function that writes one file."""

    def register(function):
        FILES[name] = function
        return function

    return register


def text(name, content, encoding="utf-8"):
    """Register a file of text."""
    FILES[name] = content.encode(encoding)


def write_all(folder, names=None):
    """Write the files into a folder; return their paths by name."""
    paths = {}
    for name in names or FILES:
        paths[name] = path = Path(folder) / name
        content = FILES[name]
        if callable(content):
            content(path)
        else:
            path.write_bytes(content)
    return paths


# --- encodings -----------------------------------------------------------------------

CITIES = "city,n,y\nKöln,1,no\nParis,2,yes\n"
text("bom.csv", CITIES, "utf-8-sig")
FILES["utf16_le.csv"] = b"\xff\xfe" + CITIES.encode("utf-16-le")
FILES["utf16_be.csv"] = b"\xfe\xff" + CITIES.encode("utf-16-be")
text("utf32.csv", CITIES, "utf-32")
FILES["utf16_odd.csv"] = b"\xff\xfe" + CITIES.encode("utf-16-le")[:-1]
FILES["utf16_without_mark.csv"] = CITIES.encode("utf-16-le")
text("latin1.csv", CITIES, "latin-1")
text("euro.csv", "price,n\n€5,1\n€7,2\n", "cp1252")
FILES["undefined_bytes.csv"] = b"city,n\nK\xf6ln\x81,1\nRome,2\n"
FILES["two_encodings.csv"] = "city,n\nKöln,1\n".encode() + b"M\xfcnchen,2\n"
FILES["nul.csv"] = b"a,b\n1,2\n3,\x004\n"
FILES["nul_late.csv"] = b"a,b\n" + b"1,2\n" * 50_000 + b"\0\0\0\n"
FILES["nul_in_second_block.csv"] = b"a,b\n" + b"1,2\n" * 1_100_000 + b"\0\n"
FILES["late_latin1.csv"] = b"a,b\n" + b"x,2\n" * 500_000 + b"\xe9,2\n"

# --- line ends -----------------------------------------------------------------------

text("crlf.csv", "a,b\r\n1,x\r\n2,y\r\n")
text("lone_cr.csv", "a,b\r1,x\r2,y\r")
text("mixed_ends.csv", "a,b\r\n1,x\n2,y\r3,z\n")
text("no_final_newline.csv", "a,b\n1,x\n2,y")
text("blank_lines.csv", "\n\na,b\n\n1,x\n   \n2,y\n\n\n")
text("odd_spaces_in_cells.csv", "a,b\n1,x\u2028y\n2,\x0cz\n3,\x85w\n")

# --- quotes --------------------------------------------------------------------------

text("unclosed_quote.csv", 'a,b\n1,x\n2,"y\n3,z\n4,w\n')
text("two_unclosed_quotes.csv", 'a,b\n1,"x\n2,"y\n3,z\n4,w\n5,v\n')
text("quote_in_middle.csv", 'a,b\n1,5" pipe\n2,6" pipe\n3,x\n')
text("doubled_quotes.csv", 'a,b\n1,"say ""hi"""\n2,""""\n')
text("text_after_quote.csv", 'a,b\n1,"x"y\n2,z\n3,w\n')
text("multi_line_cell.csv", 'a,b\n1,"two\nlines"\n2,"three\r\nmore\nlines"\n')
text("quoted_delimiter.csv", 'a,b\n1,"x,y"\n2,"u,v"\n')
text("everything_quoted.csv", '"a","b"\n"1","x"\n"2","y"\n')
text("quoted_header_with_newline.csv", '"a\nb","c,d"\n1,x\n2,y\n')
FILES["ten_megabyte_cell.csv"] = b'a,b\n1,"' + b"x" * (10 << 20) + b'"\n2,y\n'

# --- delimiters ----------------------------------------------------------------------

text("semicolon.csv", "a;b\n1;x\n2;y\n")
text("tab.csv", "a\tb\n1\tx, y\n2\tz\n")
text("tab.tsv", "a\tb\n1\tx\n2\ty\n")
text("bar.csv", "a|b\n1|x\n2|y\n")
text("decimal_comma.csv", "a;b\n1,5;x\n2,25;y\n-0,5;z\n")
text("one_column_decimal_comma.csv", "a\n1,5\n2,5\n3,5\n")
text("blanks_after_delimiter.csv", "a, b, c\n1, 2.5, x\n3, 4.5, y\n")
text("comma_in_one_name.csv", '"a, b";c\n1;x\n2;y\n')

# --- numbers -------------------------------------------------------------------------

text("thousands.csv", 'a,b\n"1,234",x\n"12,345,678",y\n"999",z\n')
text("points_for_thousands.csv", "a;b\n1.234,56;x\n12.345,00;y\n")
text("money.csv", 'price,b\n"$1,234",x\n$950,y\n($20),z\n')
text("percent.csv", "a,b\n61.5%,x\n7%,y\n")
text("years.csv", "a,b\n9 years,x\n1 year,y\n12 years,z\n")
text("beyond_2_63.csv", "a,b\n9223372036854775808,x\n9223372036854775809,y\n")
text("beyond_2_53.csv", "a,b\n9007199254740993,x\n9007199254740992,y\n5,z\n")
text("negative_beyond_2_53.csv", "a,b\n-9007199254740993,x\n-9007199254740992,y\n")
text("float_overflow.csv", "a,b\n1e400,x\n2,y\n")
text("denormal.csv", "a,b\n5e-324,x\n1e-400,y\n2,z\n")
text("hex.csv", "a,b\n0x10,x\n0x11,y\n")
text("hex_floats.csv", "a,b\n0x1.8p3,x\n0x1.0p0,y\n")
text("infinities.csv", "a,b\ninf,x\n-Infinity,y\n1.5,z\n+inf,w\n")
text("nan_spellings.csv", "a,b\nnan,x\nNaN,y\n1.5,z\n#N/A,w\n")
text("plus_signs.csv", "a,b\n+1.5,x\n+2.5,y\n")
text("leading_zeros.csv", "code,b\n01234,x\n98765,y\n00001,z\n")
text("leading_zero_late.csv", "a,b\n" + "12345,x\n" * 1000 + "02345,y\n")
text("underscores.csv", "a,b\n1_000,x\n2_000,y\n")
text("other_digits.csv", "a,b\n\u0661\u0662,x\n\u0663,y\n")
text("many_digits.csv", "a,b\n0.1234567890123456789012,x\n0.5,y\n")
text("zip.csv", "zip,b\n60601,x\n60602,y\n")
text("phone.csv", "contact,b\n4930123456,x\n4930123457,y\n")
FILES["ints_then_float.csv"] = b"a,b\n" + b"7,x\n" * 300_000 + b"1.5,y\n"
FILES["ints_then_text.csv"] = b"a,b\n" + b"7,x\n" * 300_000 + b"seven,y\n"
text("exponents.csv", "a,b\n1e5,x\n2.5E-3,y\n1.e2,z\n")
text("bare_points.csv", "a,b\n.5,x\n1.,y\n-.25,z\n")

# --- missing values ------------------------------------------------------------------

text("na_tokens.csv", "a,b\n1,x\nNA,y\nn/a,z\nnull,u\n?,v\n-,w\n,q\n2,r\n")
text("na_among_words.csv", "a,b\nred,1\nNA,2\nblue,3\n?,4\n")
text("unknown_among_words.csv", "a,b\nred,1\nunknown,2\nblue,3\n")
text("unknown_among_numbers.csv", "a,b\n5,x\nunknown,y\n7,z\n")
text("empty_and_quoted_empty.csv", 'a,b\nred,1\n,2\n"",3\nblue,4\n')
text("all_missing.csv", "a,b,c\n,x,NA\n,y,?\n")
text("missing_and_blank.csv", "a,b\n1,x\n ,y\n3,z\n")

# --- true and false ------------------------------------------------------------------

text("yes_no.csv", "a,b\nyes,1\nno,2\nyes,3\n")
text("t_f.csv", "a,b\nT,1\nF,2\n")
text("zero_one.csv", "a,b\n0,x\n1,y\n")
text("yes_among_true_false.csv", "a,b\ntrue,1\nfalse,2\nyes,3\n")

# --- dates ---------------------------------------------------------------------------

text("iso_dates.csv", "a,b\n2019-08-14,x\n2020-02-29,y\n,z\n")
text("day_first.csv", "a,b\n14/08/2019,x\n02/09/2019,y\n")
text("month_first.csv", "a,b\n08/14/2019,x\n09/02/2019,y\n")
text("ambiguous_dates.csv", "a,b\n01/02/2019,x\n03/04/2019,y\n")
text("two_ways_of_dates.csv", "a,b\n2019-08-14,x\n14/08/2019,y\n")
text("month_names.csv", "a,b\n14 Aug 2019,x\n2 Sep 2019,y\n")
text("german_dates.csv", "a,b\n14.08.2019,x\n02.09.2019,y\n")
text("points_in_time.csv", "a,b\n2019-08-14 10:30:00,x\n2019-08-14T11:00:00.5,y\n")
text("time_zones.csv", "a,b\n2019-08-14T10:00:00+02:00,x\n2019-08-14T10:00:00Z,y\n")
text("some_time_zones.csv", "a,b\n2019-08-14T10:00:00Z,x\n2019-08-14T10:00:00,y\n")
text("times.csv", "a,b\n10:30,x\n23:59:59,y\n")
text("impossible_date.csv", "a,b\n2019-02-28,x\n2019-02-30,y\n")
text("text_dates_late.csv", "a,b\n" + "2019-08-14,x\n" * 2000 + "soon,y\n")

# --- rows ----------------------------------------------------------------------------

text("short_row.csv", "a,b,c\n1,2,x\n3,4\n5,6,y\n")
text("long_row.csv", "a,b,c\n1,2,x\n3,4,y,extra\n5,6,z\n")
text("long_first_row.csv", "a,b,c\n3,4,y,extra\n1,2,x\n5,6,z\n")
text("many_short_rows.csv", "a,b\n" + "1,2\n" * 100 + "1\n" * 40)
text("delimiter_at_row_ends.csv", "a,b\n1,2,\n3,4,\n5,6,\n")
text("delimiter_at_all_ends.csv", "a,b,\n1,x,\n2,y,\n")
text("row_names.csv", "a,b\n1,5,x\n2,6,y\n3,7,z\n")
text("header_twice.csv", "a,b\n1,x\n2,y\na,b\n3,z\n")
text("header_of_files_joined.csv", "a,b\n" + "1,x\n" * 500 + "a,b\n" + "2,y\n" * 500)
text("row_of_units.csv", "a,b\nkg,m\n1,2\n3,4\n5,6\n7,8\n9,10\n")
text("comments.csv", "# from the lab\n# in March\na,b\n1,x\n2,y\n")
text("comment_later.csv", "a,b\n1,x\n# pause\n2,y\n")
text("header_with_hash.csv", "#chrom,pos\nX,5\nY,7\n")
text("title.csv", "Sales of 2019\n\nregion,n\nnorth,1\nsouth,2\neast,3\n")
text("short_footer.csv", "a,b\n1,x\n2,y\nTotal: 3\n")
text("footer_total.csv", "a,b\n1,2\n3,4\nTotal,6\n")
text("empty.csv", "")
text("only_blank_lines.csv", "\n\n  \n")
text("only_comments.csv", "# nothing\n# here\n")
text("header_only.csv", "a,b,y\n")
text("one_row.csv", "a,b\n1,x\n")
text("one_column.csv", "a\n1\n\n3\n\n")
text("no_header.csv", "1.5,2.5\n3.5,4.5\n")
text("numbered_header.csv", "0,1\n3.5,x\n4.5,y\n")
FILES["hundred_thousand_columns.csv"] = b"\n".join(
    b",".join(b"%s%d" % (start, i) for i in range(100_000))
    for start in (b"c", b"", b"")
)
text("rows_of_nothing.csv", "a,b,y\n1,x,no\n,,\n,,\n2,y,yes\n")

# --- names ---------------------------------------------------------------------------

text("duplicate_names.csv", "a,a,b\n1,2,x\n3,4,y\n")
text("duplicate_names_clash.csv", "a,a_2,a\n1,2,3\n4,5,6\n")
text("empty_name.csv", ",a,b\n0,1,x\n1,2,y\n")
text("blank_names.csv", " a ,  b\n1,x\n2,y\n")
text("emoji_name.csv", "🌳,größe\n1,x\n2,y\n")
text("reserved_names.csv", "class,None,select\n1,2,x\n3,4,y\n")
text("long_name.csv", "x" * (1 << 20) + ",b\n1,x\n2,y\n")
text("markup_name.csv", "<script>,b\n1,x\n2,y\n")

# --- categories ----------------------------------------------------------------------

text("constant.csv", "a,b\n1,x\n2,x\n3,x\n")
text("running_id.csv", "id,b\n" + "".join(f"{i},{i % 2}\n" for i in range(100)))
FILES["million_categories.csv"] = b"a,b\n" + b"".join(
    b"w%d,%d\n" % (i, i % 2) for i in range(1_000_000)
)
text("cases_differ.csv", "a,b\nRed,1\nred,2\nRED,3\n")
text("blanks_differ.csv", "a,b\nred,1\nred ,2\n red,3\n")
text("unicode_forms_differ.csv", "a,b\ncaf\u00e9,1\ncafe\u0301,2\n")

# --- targets and weights -------------------------------------------------------------

text("target_missing.csv", "a,y\n1,no\n2,\n3,NA\n4,yes\n")
text("target_never_known.csv", "a,y\n1,\n2,NA\n")
text("target_constant.csv", "a,y\n1,no\n2,no\n")
text("target_differs.csv", "a,y\n1,p\n2,q\n3,r\n")
text("target_decimals.csv", "a,y\n1,0.5\n2,0.25\n3,0.5\n")
text("target_money.csv", 'a,y\n1,"$1,200"\n2,$950\n3,$20\n')
text("target_copied.csv", "a,y\n" + "".join(f"{i % 3},{i % 3}\n" for i in range(90)))
text("target_infinite.csv", "a,y\n1,0.5\n2,inf\n")
text("weights_zero.csv", "a,w,y\n1,0,no\n2,1,yes\n3,2,no\n")
text("weights_all_zero.csv", "a,w,y\n1,0,no\n2,0,yes\n")
text("weights_negative.csv", "a,w,y\n1,-1,no\n2,1,yes\n")
text("weights_missing.csv", "a,w,y\n1,,no\n2,1,yes\n")
text("weights_text.csv", "a,w,y\n1,heavy,no\n2,light,yes\n")

# --- packed --------------------------------------------------------------------------

SMALL = b"a,b\n1,x\n2,y\n"
FILES["packed.csv.gz"] = gzip.compress(SMALL)
FILES["truncated.csv.gz"] = gzip.compress(SMALL * 10_000)[:-20]
FILES["wrong_sum.csv.gz"] = gzip.compress(SMALL)[:-8] + b"\0" * 8
FILES["not_packed.csv.gz"] = SMALL


@file("bomb.csv.gz")
def gzip_bomb(path):
    with gzip.open(path, "wb", compresslevel=9) as out:
        out.write(b"a,b\n")
        for _ in range(300):
            out.write(b"1,x\n" * 250_000)


@file("packed.csv.zst")
def zstd_file(path):
    import pyarrow as pa

    with pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), "zstd") as out:
        out.write(SMALL)


@file("truncated.csv.zst")
def zstd_truncated(path):
    import pyarrow as pa

    with pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), "zstd") as out:
        out.write(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(50_000)))
    path.write_bytes(path.read_bytes()[:-3000])


@file("bomb.csv.zst")
def zstd_bomb(path):
    import pyarrow as pa

    with pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), "zstd") as out:
        out.write(b"a,b\n")
        for _ in range(300):
            out.write(b"1,x\n" * 250_000)


# --- Parquet and Arrow ---------------------------------------------------------------


def arrow_table(**columns):
    import pyarrow as pa

    return pa.table(columns)


def parquet(name, **columns):
    """Register a Parquet file; columns are functions of pyarrow."""

    def write(path):
        import pyarrow as pa
        import pyarrow.parquet as pq

        made = {key: value(pa) for key, value in columns.items()}
        pq.write_table(pa.table(made), path)

    FILES[name] = write


B = {"b": lambda pa: ["x", "y", "x"]}
DAY = dt.datetime(2019, 8, 14)
parquet("nested.parquet", a=lambda pa: [[1], [2], []], **B)
parquet("struct.parquet", a=lambda pa: [{"p": 1}, {"p": 2}, None], **B)
parquet("decimals.parquet", a=lambda pa: [decimal.Decimal("1.25")] * 3, **B)
parquet(
    "dictionary.parquet", a=lambda pa: pa.array(["u", "v", "u"]).dictionary_encode()
)
parquet(
    "nanoseconds.parquet", a=lambda pa: pa.array([1, 1001, None], pa.timestamp("ns"))
)
parquet(
    "whole_microseconds.parquet",
    a=lambda pa: pa.array([1000, 2000, None], pa.timestamp("ns")),
)
parquet("seconds.parquet", a=lambda pa: pa.array([DAY] * 3, pa.timestamp("s")), **B)
parquet(
    "zoned.parquet", a=lambda pa: pa.array([DAY] * 3, pa.timestamp("us", "UTC")), **B
)
parquet("durations.parquet", a=lambda pa: pa.array([1, 2, 3], pa.duration("s")), **B)
parquet("times.parquet", a=lambda pa: pa.array([dt.time(1, 2)] * 3), **B)
parquet("huge_ints.parquet", a=lambda pa: [2**60, 2**60 + 1, 5], **B)
parquet("unsigned.parquet", a=lambda pa: pa.array([2**63, 1, 2], pa.uint64()), **B)
parquet(
    "half_floats.parquet", a=lambda pa: pa.array(np.array([1, 2, 3], np.float16)), **B
)
parquet("binary.parquet", a=lambda pa: pa.array([b"\xff\xfe", b"x", b"y"]), **B)
parquet("money.parquet", a=lambda pa: ["$1,200", "$5", "n/a"], **B)
parquet(
    "large_strings.parquet",
    a=lambda pa: pa.array(["01", "02", None], pa.large_string()),
)
parquet("nulls.parquet", a=lambda pa: pa.nulls(3), **B)
parquet("no_rows.parquet", a=lambda pa: pa.array([], pa.int64()))
parquet("no_columns.parquet")
FILES["wrong_magic.parquet"] = b"PARX" + b"\0" * 100
FILES["text_called.parquet"] = SMALL
FILES["only_magic.parquet"] = b"PAR1PAR1"
FILES["empty.parquet"] = b""


@file("truncated.parquet")
def truncated_parquet(path):
    import pyarrow.parquet as pq

    pq.write_table(arrow_table(a=list(range(1000))), path)
    path.write_bytes(path.read_bytes()[:-100])


@file("flipped.parquet")
def flipped_parquet(path):
    import pyarrow.parquet as pq

    table = arrow_table(a=list(range(1000)))
    pq.write_table(table, path, write_page_checksum=True)
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 0xFF
    path.write_bytes(content)


@file("same_names.parquet")
def same_names(path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), path)


@file("plain.arrow")
def plain_arrow(path):
    import pyarrow as pa

    table = arrow_table(a=[1, 2], b=["x", "y"])
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, table.schema) as sink:
        sink.write_table(table)


@file("stream.arrows")
def arrow_stream(path):
    import pyarrow as pa

    table = arrow_table(a=[1, 2], b=["x", "y"])
    with (
        pa.OSFile(str(path), "wb") as out,
        pa.ipc.new_stream(out, table.schema) as sink,
    ):
        sink.write_table(table)


def arrow(name, **columns):
    """Register an Arrow file; columns are functions of pyarrow."""

    def write(path):
        import pyarrow as pa

        table = pa.table({key: value(pa) for key, value in columns.items()})
        with (
            pa.OSFile(str(path), "wb") as out,
            pa.ipc.new_file(out, table.schema) as sink,
        ):
            sink.write_table(table)

    FILES[name] = write


def in_runs(values, kind):
    def write(pa):
        import pyarrow.compute as pc

        first, second = values
        cells = pa.array([first, first, second], getattr(pa, kind)())
        return pc.run_end_encode(cells)

    return write


def in_runs_of(values):
    """Two values, in a run of two and a run of one."""
    return lambda pa: pa.RunEndEncodedArray.from_arrays([2, 3], values(pa))


def compressed(values, *kind):
    return lambda pa: pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 0]), pa.array(values, *(each(pa) for each in kind))
    )


arrow(
    "runs.arrow",
    a=in_runs([5, 7], "int64"),
    t=in_runs(["01", "02"], "large_string"),
    h=in_runs([0.5, 1.5], "float64"),
)
arrow(
    "runs_of_categories.arrow",
    a=in_runs_of(lambda pa: pa.array(["u", "v"]).dictionary_encode()),
    t=in_runs_of(lambda pa: pa.array([60, 120], pa.time32("s")).dictionary_encode()),
    h=in_runs_of(lambda pa: pa.array([0.5, None]).dictionary_encode()),
)
arrow("runs_of_lists.arrow", a=in_runs_of(lambda pa: pa.array([[1], [2]])))
arrow(
    "compressed.arrow",
    a=compressed([5, 7]),
    t=compressed([60, 120], lambda pa: pa.time32("s")),
    b=lambda pa: ["x", "y", "x"],
)
arrow("compressed_lists.arrow", a=compressed([[1], [2]]), b=lambda pa: ["x", "y", "x"])


@file("bad_offsets.arrow")
def bad_offsets(path):
    import pyarrow as pa

    offsets = pa.py_buffer(b"\0\0\0\0\x7f\0\0\0\x03\0\0\0")  # beyond the data
    bad = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"xyz")])
    table = pa.table({"a": [1, 2], "b": bad})
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, table.schema) as sink:
        sink.write_table(table)


@file("bad_utf8.arrow")
def bad_utf8(path):
    import pyarrow as pa

    offsets = pa.py_buffer(b"\0\0\0\0\x01\0\0\0\x02\0\0\0")
    bad = pa.Array.from_buffers(
        pa.string(), 2, [None, offsets, pa.py_buffer(b"\xff\xfe")]
    )
    table = pa.table({"a": [1, 2], "b": bad})
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, table.schema) as sink:
        sink.write_table(table)


@file("truncated.arrow")
def truncated_arrow(path):
    plain_arrow(path)
    path.write_bytes(path.read_bytes()[:-40])


@file("plain.feather")
def feather(path):
    import pyarrow.feather as pf

    pf.write_feather(arrow_table(a=[1, 2], b=["x", "y"]), path, compression="lz4")


FILES["old.feather"] = b"FEA1" + b"\0" * 40

# --- JSON lines ----------------------------------------------------------------------

text("plain.jsonl", '{"a": 1, "b": "x"}\n\n{"b": "y", "a": 2.5}\n')
text("keys_lacking.jsonl", '{"a": 1}\n{"b": "x"}\n{"a": 3, "b": null}\n')
text("bad_line.jsonl", '{"a": 1, "b": "x"}\n{"a": 2\n{"a": 3, "b": "y"}\n')
text("array.json", '[{"a": 1}, {"a": 2}]')
text("nested.jsonl", '{"a": {"p": 1}, "b": 1}\n{"a": 2, "b": 1}\n')
text("keys_twice.jsonl", '{"a": 1, "a": 2}\n{"a": 3}\n')
text("big_ints.jsonl", '{"a": 9007199254740993, "b": 1}\n{"a": 1, "b": 2}\n')
text("mixed.jsonl", '{"a": 1, "b": 1}\n{"a": "red", "b": 2}\n')
text("numbers_and_marks.jsonl", '{"a": 1, "b": 1}\n{"a": "n/a", "b": 2}\n')
text("bools.jsonl", '{"a": true, "b": 1}\n{"a": false, "b": 2}\n')
text("scalars.jsonl", "1\n2\n3\n")
text("deep.jsonl", '{"a": 1}\n' + "[" * 100_000 + "\n")
text("empty.jsonl", "")
text("nan.jsonl", '{"a": NaN, "b": 1}\n{"a": 2, "b": 2}\n')
text("json_spelled.jsonl", '{"a": "$5", "b": 1}\n{"a": "$7", "b": 2}\n')
text("long_integer.jsonl", '{"a": ' + "9" * 5000 + ', "b": 1}\n{"a": 2, "b": 2}\n')

# --- Excel ---------------------------------------------------------------------------


def excel(name, change=None):
    """Register a workbook with a sheet of two columns."""

    def write(path):
        import openpyxl

        book = openpyxl.Workbook()
        sheet = book.active
        for row in [("a", "b"), (1, "x"), (2, "y"), (3, "x")]:
            sheet.append(row)
        if change is not None:
            change(book, sheet)
        book.save(path)

    FILES[name] = write


def set_cells(**cells):
    def change(book, sheet):
        for place, value in cells.items():
            sheet[place] = value

    return change


def merged(book, sheet):
    sheet.merge_cells("A2:A4")


def hidden(book, sheet):
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["B"].hidden = True
    book.create_sheet("secret").append(["q"])
    book["secret"].sheet_state = "hidden"


def titled(book, sheet):
    sheet.insert_rows(1, 2)
    sheet["A1"] = "Report of March"


excel("plain.xlsx")
excel("formula.xlsx", set_cells(A2="=1+1"))
excel("errors.xlsx", set_cells(A2="#N/A", A3="#DIV/0!"))
excel("merged.xlsx", merged)
excel("hidden.xlsx", hidden)
excel("dates.xlsx", set_cells(A2=DAY, A3=DAY, A4=DAY + dt.timedelta(1)))
excel("mixed.xlsx", set_cells(A3="n/a"))
excel("mixed_words.xlsx", set_cells(A3="two"))
excel("codes.xlsx", set_cells(A2="01234", A3="98765", A4="00001"))
excel("titled.xlsx", titled)
excel("two_sheets.xlsx", lambda book, sheet: book.create_sheet("more").append(["q"]))
excel("dates_and_moments.xlsx", set_cells(A2=DAY, A3=DAY + dt.timedelta(0.5), A4=None))
excel(
    "durations.xlsx",
    set_cells(A2=dt.timedelta(hours=1), A3=dt.timedelta(hours=30), A4=None),
)
excel("dates_and_words.xlsx", set_cells(A2=DAY, A3="soon", A4=dt.time(10, 30)))
excel("times.xlsx", set_cells(A2=dt.time(1, 2), A3=dt.time(3, 4), A4=dt.time(5, 6)))
excel("gaps.xlsx", set_cells(A3=None, B4=None))
excel("no_names.xlsx", set_cells(A1=None))
FILES["text_called.xlsx"] = SMALL


@file("empty.xlsx")
def empty_excel(path):
    import openpyxl

    openpyxl.Workbook().save(path)


@file("formula_result.xlsx")
def formula_result(path):
    FILES["formula.xlsx"](path)
    rewrite(
        path,
        lambda xml: xml.replace(b"<v></v>", b"<v>2</v>").replace(b"<v />", b"<v>2</v>"),
    )


@file("xml_bomb.xlsx")
def xml_bomb(path):
    FILES["plain.xlsx"](path)
    entities = b"".join(
        b'<!ENTITY e%d "%s">' % (i, b"&e%d;" % (i - 1) * 10 if i else b"lol")
        for i in range(10)
    )
    start = b'<?xml version="1.0"?><!DOCTYPE x [' + entities + b"]>"
    rewrite(path, lambda xml: start + xml.replace(b"<v>2</v>", b"<v>&e9;</v>"))


@file("zip_bomb.xlsx")
def zip_bomb(path):
    FILES["plain.xlsx"](path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet9.xml", b" " * (300 << 20))


@file("prefixed.xlsx")
def prefixed(path):
    """Write a workbook whose tags have a prefix, as some programs give them."""

    def with_prefix(xml):
        return re.sub(rb"<(/?)(?=\w)", rb"<\1x:", xml).replace(b" xmlns=", b" xmlns:x=")

    FILES["errors.xlsx"](path)
    rewrite(path, with_prefix)
    rewrite(path, with_prefix, "xl/workbook.xml")


@file("plain.ods")
def open_document(path):
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    )

    def cell(value):
        kind, shown = "string", f"<text:p>{value}</text:p>"
        if not isinstance(value, str):
            kind, shown = f"float' office:value='{value}", ""
        start = f"<table:table-cell office:value-type='{kind}'>"
        return f"{start}{shown}</table:table-cell>"

    rows = "".join(
        f"<table:table-row>{cell(a)}{cell(b)}</table:table-row>"
        for a, b in [("a", "b"), (1, "x"), (2, "y")]
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", kind)
        archive.writestr(
            "META-INF/manifest.xml",
            f'<m:manifest xmlns:m="{manifest}"><m:file-entry m:full-path="/" '
            f'm:media-type="{kind}"/></m:manifest>',
        )
        archive.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:body><office:spreadsheet>"
            f"<table:table table:name='one'>{rows}</table:table></office:spreadsheet>"
            "</office:body></office:document-content>",
        )


@file("plain.xls")
def old_excel(path):
    """Write a workbook of the format of 1997: records in a compound file."""

    def record(kind, form="", *fields, text=b""):
        body = struct.pack(f"<{form}", *fields) + text
        return struct.pack("<HH", kind, len(body)) + body

    def begin(kind):
        return record(0x809, "HHHHII", 0x600, kind, 0, 0, 0, 0)

    end = record(0x0A)
    sheet = begin(0x10)
    for row, (a, b) in enumerate([("a", "b"), (1.0, "x"), (2.0, "y")]):
        for column, cell in enumerate([a, b]):
            if isinstance(cell, float):
                sheet += record(0x203, "HHHd", row, column, 0, cell)
            else:
                body = (row, column, 0, len(cell), 0)
                sheet += record(0x204, "HHHHB", *body, text=cell.encode())
    start = begin(5) + record(0x42, "H", 1200)
    place = len(start) + len(record(0x85, "IHBB", 0, 0, 3, 0, text=b"one")) + len(end)
    start += record(0x85, "IHBB", place, 0, 3, 0, text=b"one") + end
    stream = (start + sheet + end).ljust(4096, b"\0")
    path.write_bytes(ole_file_of("Workbook", stream))


def ole_file_of(name, stream):
    """Return a compound file of 512-byte sectors with one stream of 4096 bytes."""
    free, end, fat = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack("<5H6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack("<10I", 0, 1, 1, 0, 4096, end, 0, end, 0, 0)
    sectors = struct.pack("<10I", fat, end, *range(3, 10), end)
    entries = b""
    for each, kind, child, first, size in (
        ("Root Entry", 5, 1, end, 0),
        (name, 2, free, 2, len(stream)),
    ):
        wide = each.encode("utf-16-le")
        entries += wide.ljust(64, b"\0") + struct.pack("<H", len(wide) + 2)
        entries += struct.pack("<BB3I36xIQ", kind, 1, free, free, child, first, size)
    head, sectors = head.ljust(512, b"\xff"), sectors.ljust(512, b"\xff")
    return head + sectors + entries.ljust(512, b"\0") + stream


@file("truncated.xlsx")
def truncated_excel(path):
    FILES["plain.xlsx"](path)
    path.write_bytes(path.read_bytes()[:-200])


@file("not_excel.zip")
def other_zip(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("table.csv", SMALL)


@file("password.xlsx")
def password(path):
    """An OLE file with the streams that an encrypted workbook has."""
    path.write_bytes(ole_file(["EncryptionInfo", "EncryptedPackage"]))


def ole_file(names):
    """Return a compound file of 512-byte sectors with small empty streams."""
    free, end, fat = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
    word = lambda n: n.to_bytes(4, "little")  # noqa: E731
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16
    header += b"\x3e\0\x03\0\xfe\xff\x09\0\x06\0" + b"\0" * 10
    header += word(1) + word(1) + word(0) + word(4096) + word(end) + word(0)
    header += word(end) + word(0) + word(0) + word(free) * 108
    table = word(fat) + word(end) + word(free) * 126
    entries = b""
    for place, (name, kind) in enumerate([("Root Entry", 5), *((n, 2) for n in names)]):
        wide = name.encode("utf-16-le")
        entry = wide.ljust(64, b"\0") + (len(wide) + 2).to_bytes(2, "little")
        child = 1 if place == 0 else free
        right = place + 1 if 0 < place < len(names) else free
        entry += bytes([kind, 1]) + word(free) + word(right) + word(child)
        entry += b"\0" * 36 + word(end) + b"\0" * 8
        entries += entry
    return header + table + entries.ljust(512, b"\0")


def rewrite(path, change, part="xl/worksheets/sheet1.xml"):
    """Change the XML of the first sheet of a workbook, or of another part."""
    with zipfile.ZipFile(path) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}
    parts[part] = change(parts[part])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, content in parts.items():
            archive.writestr(each, content)


# --- SQLite --------------------------------------------------------------------------


def database(name, *statements):
    """Register a SQLite database."""

    def write(path):
        path.unlink(missing_ok=True)
        with sqlite3.connect(path) as opened:
            for each in statements:
                opened.execute(each)
        opened.close()

    FILES[name] = write


MAKE = "CREATE TABLE t (a, b)"
database("plain.db", MAKE, "INSERT INTO t VALUES (1, 'x'), (2.5, 'y'), (NULL, 'x')")
database("two_tables.db", MAKE, "CREATE TABLE u (q)", "INSERT INTO t VALUES (1, 'x')")
database(
    "view.db", MAKE, "INSERT INTO t VALUES (1, 'x')", "CREATE VIEW v AS SELECT 1 n"
)
database("no_tables.db", MAKE, "DROP TABLE t")
database("no_rows.db", MAKE)
database("only_null.db", MAKE, "INSERT INTO t VALUES (NULL, NULL), (NULL, NULL)")
database("blob.db", MAKE, "INSERT INTO t VALUES (x'ff00', 1), (x'01', 2)")
database("mixed.db", MAKE, "INSERT INTO t VALUES (1, 'x'), ('two', 'y'), (3, 'z')")
database(
    "odd_name.db",
    'CREATE TABLE "a ""b"" c" ("x y", b)',
    """INSERT INTO "a ""b"" c"
 VALUES (1, 'x')""",
)
FILES["text_called.db"] = SMALL


@file("damaged.db")
def damaged_database(path):
    FILES["plain.db"](path)
    content = bytearray(path.read_bytes())
    content[100:200] = b"\xff" * 100
    path.write_bytes(content)


if __name__ == "__main__":
    made = write_all(sys.argv[1])
    print(
        json.dumps({name: path.stat().st_size for name, path in made.items()}, indent=1)
    )
