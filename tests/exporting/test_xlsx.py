"""The spreadsheet in LibreOffice: the answers of the tree for values of 15 digits."""

import io
import sys

import numpy as np
import openpyxl
import pytest

import treewright as tw
from support import programs
from support.export_trees import HARD, times
from support.repeats import first_of
from treewright.errors import OptionError
from treewright.exporting.check_rows import answered, check_rows
from treewright.exporting.program import program_of
from treewright.exporting.verifying.engine import EngineMissingError
from treewright.exporting.verifying.verify import verify
from treewright.exporting.verifying.xlsx_engine import run_xlsx, short_rows
from treewright.exporting.xlsx import to_xlsx


def calculated(program, rows):
    try:
        return run_xlsx(program, to_xlsx(program.tree), rows)
    except EngineMissingError as missing:
        return pytest.skip(f"NO ENGINE: {missing}")


def compare(program, rows):
    rows = short_rows(program, rows)
    expected, found = answered(program, rows), calculated(program, rows)
    assert found.leaves == expected.nodes
    if program.is_classifier:
        assert found.answers == expected.answers
        np.testing.assert_allclose(
            found.probabilities, expected.probabilities, rtol=1e-14
        )
    else:
        np.testing.assert_allclose(found.answers, expected.answers, rtol=1e-14)


@pytest.mark.parametrize("seed", first_of(range(24), 6))
def test_libreoffice_answers_as_the_tree_does(seed, tmp_path):
    tree = programs.random_tree(seed)
    program = program_of(tree)
    if program.divides_rows:
        with pytest.raises(OptionError, match="divides rows"):
            to_xlsx(tree)
        return
    try:
        (tmp_path / "tree.xlsx").write_bytes(to_xlsx(tree, check_rows=True))
        found = verify(tree, tmp_path / "tree.xlsx")
    except EngineMissingError as missing:
        pytest.skip(f"NO ENGINE: {missing}")
    assert found.ok, str(found)
    assert found.same_tree


def test_numbers_that_differ_in_the_fifteenth_digit_are_told_apart():
    x = [9.99999999999998, 9.99999999999999] * 40
    program = program_of(tw.grow(tw.as_table({"x": x}, ["low", "high"] * 40)).data)
    found = calculated(program, [(9.99999999999998,), (9.99999999999999,)])
    assert found.answers == ["low", "high"]


HOSTILE = ["=cmd|'/c calc'!A1", "a*", "a?", "A*", "~", '"', "@SUM(A1)", "-1+1", "é 🎄"]


def test_hostile_names_and_categories_are_only_text():
    n = len(HOSTILE) * 30
    numbers, odd = (
        [(2.5, -1.0)[i // 9 % 2] for i in range(n)],
        [i % 4 > 1 for i in range(n)],
    )
    X = {"=1+1": HOSTILE * 30, 'n"': range(n), "k": numbers, "b": odd}
    y = [HOSTILE[(i * 7 + i // 9 % 2 + odd[i]) % len(HOSTILE)] for i in range(n)]
    tree = tw.grow(tw.as_table(X, y, kinds={"k": "categorical"})).data
    program = program_of(tree)
    assert {v.type for v in program.variables} >= {"text", "code", "bool"}
    compare(program, programs.random_rows(program, 200))
    book = openpyxl.load_workbook(io.BytesIO(to_xlsx(tree)))
    assert book["Score"]["A3"].data_type == "s"


def test_dates_are_days_of_the_spreadsheet():
    days = np.arange("2020-01-01", "2021-01-01", dtype="datetime64[D]")
    y = np.where(days < np.datetime64("2020-07-01"), "early", "late")
    program = program_of(tw.grow(tw.as_table({"day": days.astype(object)}, y)).data)
    compare(program, programs.random_rows(program, 100))


@pytest.mark.slow
def test_times_are_told_apart_by_the_millisecond():
    program = program_of(times())
    rows = check_rows(program, 300).rows + programs.random_rows(program, 100)
    compare(program, rows)


@pytest.mark.slow
def test_a_tree_deeper_than_excel_nests_still_works():
    x = np.arange(300.0)
    y = np.cumsum(2.0 ** np.minimum(x, 290))
    program = program_of(tw.grow(tw.as_table({"x": x}, y)).data)
    assert program.tree.depth.max() > 64
    compare(program, [(value,) for value in x[::7].tolist()])


def test_every_formula_is_short():
    book = openpyxl.load_workbook(io.BytesIO(to_xlsx(programs.random_tree(4), rows=1)))
    lengths = [
        len(cell.value)
        for sheet in book
        for row in sheet
        for cell in row
        if cell.data_type == "f"
    ]
    assert lengths
    assert max(lengths) < 1000


def test_an_empty_category_is_refused():
    tree = tw.grow(tw.as_table({"x": ["", "a"] * 30}, ["no", "yes"] * 30)).data
    with pytest.raises(OptionError, match="from an empty cell"):
        to_xlsx(tree)


def test_the_sheet_lists_columns_that_were_converted_from_text(tmp_path):
    rows = [f'"${1000 + i},000",{"ab"[i > 30]}' for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["price,y", *rows]))
    table = tw.read(tmp_path / "t.csv", target="y")
    tree = tw.TreeClassifier(findings="ignore").fit(table).tree_
    book = openpyxl.load_workbook(io.BytesIO(tree.export("xlsx")))
    assert "Converted from text" in book["Score"]["A1"].value
    assert "price: amounts of money" in tree.export("sql")


# -- the table of steps, walked without a spreadsheet ----------------------------------


@pytest.mark.parametrize("name", HARD)
def test_the_sheet_of_steps_leads_every_row_to_its_leaf(name):
    program = program_of(HARD[name]())
    reason = "divides rows" if program.divides_rows else "had no training row"
    if name not in WALKED:
        with pytest.raises(OptionError, match=reason):
            to_xlsx(program.tree)
        return
    book = openpyxl.load_workbook(io.BytesIO(to_xlsx(program.tree, rows=1)))
    steps = [row[:7] for row in book["Tree"].iter_rows(min_row=2, values_only=True)]
    rows = short_rows(program, check_rows(program).rows)
    for row, node in zip(rows, answered(program, rows).nodes, strict=True):
        assert walked(steps, program, row) == node, row


WALKED = (
    "intervals",
    "codes",
    "above all ranks",
    "below all ranks",
    "dates above all ranks",
    "truths",
    "infinite bounds",
    "rows that stop",
    "numbers that stop",
)


def walked(steps, program, row):
    """Return the leaf of a row by the rules of the sheet `Work`."""
    at = 1
    while True:
        kind, column, bound, yes, no, unplaced, node = steps[at - 1]
        if kind == "leaf":
            return node
        variable = program.variables[column - 1]
        x = row[column - 1]
        if variable.labels:
            x = variable.labels.index(x) + 1 if x in variable.labels else None
        elif x is not None and variable.type not in ("number", "bool"):
            x = round(x / 1000)  # the sheet keeps milliseconds
        if kind == "<=" and x is None:
            at = unplaced
        elif kind == "<=":
            at = yes if x <= bound else no
        elif kind == "in":
            at = yes if f",{x}," in bound else no
        else:
            at = yes if x is None else no


@pytest.mark.parametrize("kind", ["ordinal", "categorical"])
def test_every_interval_has_its_own_branch_in_the_sheet(kind):
    x = [*range(40), None]
    y = [(i or 0) // 10 % 2 for i in x]
    fit = tw.TreeClassifier(
        discretize={"x": ("width", 4)},
        kinds={"x": kind},
        prune=None,
        findings="ignore",
    ).fit
    tree = fit({"x": x}, y).tree_
    program = program_of(tree.data)
    book = openpyxl.load_workbook(io.BytesIO(tree.export("xlsx", rows=1)))
    steps = [row[:7] for row in book["Tree"].iter_rows(min_row=2, values_only=True)]
    found = [walked(steps, program, (value,)) for value in x]
    assert found == tree.apply({"x": x}).tolist()


@pytest.mark.parametrize("rows", [0, 1.5, True])
def test_the_number_of_rows_is_a_whole_number(rows):
    with pytest.raises(OptionError, match=f"rows must be .* >= 1; got {rows}"):
        to_xlsx(programs.random_tree(4), rows=rows)


def test_without_the_package_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(
        OptionError, match=r"openpyxl: pip install 'treewright\[xlsx\]'"
    ):
        to_xlsx(programs.random_tree(4))


@pytest.mark.parametrize("text", ["a\x07b", "_x0041_", "a" * 32_001])
def test_a_text_that_a_cell_cannot_hold_is_refused(text):
    tree = tw.grow(tw.as_table({"x": [text, "b"] * 30}, ["no", "yes"] * 30)).data
    with pytest.raises(OptionError, match=r"cannot hold the text '.*Rename it before"):
        to_xlsx(tree)


def test_a_tree_of_more_steps_than_a_sheet_has_columns_is_refused(monkeypatch):
    monkeypatch.setattr("treewright.exporting.xlsx._MOST_STEPS", 2)
    x = list(range(16))
    tree = tw.grow(tw.as_table({"x": x}, [2.0**i for i in x])).data
    with pytest.raises(OptionError, match=r"room for 2 steps.*needs \d+\. Prune it"):
        to_xlsx(tree)


def test_a_bound_just_below_zero_keeps_zero_above_it():
    x = [-1e-310, 0.0] * 40
    tree = tw.grow(tw.as_table({"x": x}, ["below", "above"] * 40)).data
    assert -1e-310 <= tree.threshold[0] < 0
    sheet = openpyxl.load_workbook(io.BytesIO(to_xlsx(tree, rows=1)))["Tree"]
    assert sheet["C2"].value == -2.22507385850721e-308
