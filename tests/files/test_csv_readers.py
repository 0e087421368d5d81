"""The fast and the careful reader of CSV files read sound files alike."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.errors import TableError
from treewright.files.csv_file import verified_layout
from treewright.files.csv_rows import careful_rows, fast_rows
from treewright.files.opened import OpenedFile
from treewright.files.text import TextFile

SPELLED = ["a", "7", "", " ", "é", '""', '"x"', '"x,y"', '"x\ny"', '"x""y"', '""""']
ODD = ['x"y', '"x"y', '"', '"x', 'x"', '"x" ', "#", "a,b", "\n"]
ROWS = st.lists(
    st.tuples(
        st.sampled_from(SPELLED * 8 + ODD),
        st.sampled_from(SPELLED * 8 + ODD),
        st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n", ",\n"]),
    ),
    min_size=1,
    max_size=12,
).map(lambda rows: "".join(f"{a},{b}{end}" for a, b, end in rows))
CELLS = st.text(st.sampled_from('ab7," \n\r\t;|é#'), max_size=6)


def both(path, content):
    """Return what the fast and the careful reader make of a file."""
    path.write_bytes(content)
    text = TextFile(OpenedFile(path))
    layout, quotes = verified_layout(text)
    names = list(layout.names)
    fast = None
    if quotes.tidy and layout.width > 1:
        fast = fast_rows(text, layout, names, quotes=quotes.any)
    return fast, careful_rows(text, layout, names), layout


@settings(max_examples=600, deadline=None)
@given(ROWS)
def test_what_the_fast_reader_accepts_the_careful_one_reads_alike(
    tmp_path_factory, rows
):
    path = tmp_path_factory.mktemp("rows") / "x.csv"
    try:
        fast, (careful, rejected), layout = both(path, f"a,b\n{rows}".encode())
    except TableError:
        return
    if fast is None or list(layout.names) != ["a", "b"]:
        return
    assert [why for _, why in rejected if "header" not in why] == []
    kept = [row for row in fast.to_pylist() if row != {"a": "a", "b": "b"}]
    assert kept == careful.to_pylist()


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=20),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_what_pythons_writer_writes_both_readers_read(
    tmp_path_factory, rows, delimiter, end
):
    written = io.StringIO(newline="")
    names = ("first name", "second name", "third name")
    # Every cell in quotes, so that a blank line is never a row.
    writer = csv.writer(
        written, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL
    )
    writer.writerows([names, *rows])
    path = tmp_path_factory.mktemp("written") / "x.csv"
    fast, (careful, rejected), layout = both(path, written.getvalue().encode())
    assert layout.delimiter == delimiter
    expected = [tuple(cell or None for cell in row) for row in rows]
    assert rejected == ()
    for table in (fast, careful):
        assert [tuple(row.values()) for row in table.to_pylist()] == expected


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 1000])
def test_quotes_are_checked_alike_in_blocks_of_any_size(size):
    from treewright.files.csv_rows import QuoteCheck

    for content in (
        b'a,"b"\n"c ""d""","e\nf"\n',
        b'a,b"c\n',
        b'"a"b,c\n',
        b'a,"b\n',
        b'""\n"",""',
        b'"a""',
        b'"',
        b'x,""""\n',
    ):
        whole, parts = QuoteCheck(","), QuoteCheck(",")
        whole.look_at(content)
        whole.finish()
        for at in range(0, len(content), size):
            parts.look_at(content[at : at + size])
        parts.finish()
        tidy = content in (b'a,"b"\n"c ""d""","e\nf"\n', b'""\n"",""', b'x,""""\n')
        assert (whole.tidy, parts.tidy) == (tidy, tidy)
