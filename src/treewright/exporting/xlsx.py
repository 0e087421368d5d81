"""A tree as a spreadsheet: a sheet to type rows into, the rules, and live formulas.

Excel nests 64 functions and 8,192 characters in a formula, so no formula holds the
tree. The sheet `Tree` is a table of steps, and each row of the sheet `Work` walks it:
one short formula a level looks up the step, asks about one value and gives the next
step. Numbers are compared by GESTEP, because `<=` of spreadsheets takes neighbours at
the fifteenth digit for equal; texts by EXACT, because `=` ignores case.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

from treewright.errors import OptionError
from treewright.exporting.embedded_rows import chosen_rows, embedded_rows
from treewright.exporting.heading import converted_columns, heading
from treewright.exporting.program import (
    STOP_HERE,
    AtMost,
    IsMissing,
    OneOf,
    Program,
    ProgramNode,
    Question,
    Variable,
    program_of,
)
from treewright.options.rules import is_whole
from treewright.reading.conditions.condition import joined
from treewright.reading.conditions.rules import Rules
from treewright.tree.data import TreeData

__all__ = ["CHECK", "FIRST_ROW", "LARGEST", "SCORE", "cell_value", "short", "to_xlsx"]

SCORE, CHECK = "Score", "Check"
"""The sheet to type rows into, and the sheet with rows and expected answers."""
FIRST_ROW = 4
"""The first row of `SCORE` to type into."""
_MOST_STEPS = 10_000  # levels are columns, and a sheet has 16,384
_MOST_CODES = 4_000  # in one cell, which holds 32,767 characters
LARGEST = 9.99999999999999e307
"""The largest number that can be typed into a cell."""
_SMALLEST = 2.22507385850721e-308
_DAY = 86_400_000  # milliseconds
_EPOCH = 25_569  # the day number of 1970-01-01
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_x[0-9A-Fa-f]{4}_")
_FORMATS = {
    "date": "yyyy-mm-dd",
    "datetime": "yyyy-mm-dd hh:mm:ss.000",
    "time": "hh:mm:ss.000",
    "duration": "[h]:mm:ss.000",
    "text": "@",
}


def to_xlsx(
    tree: TreeData, *, rows: int = 100, check_rows: bool | int = False
) -> bytes:
    """Return a tree as an .xlsx workbook.

    The sheet `Score` has one column for each column that the tree reads, and formulas
    for the prediction, the probability of each class, and the leaf. An empty cell is
    missing; an unknown category counts as missing. Numbers are compared to 15 digits,
    which is what a spreadsheet keeps, and times to the millisecond.

    Parameters
    ----------
    tree : TreeData
        A tree that does not divide rows.
    rows : int, default=100
        The number of rows with formulas.
    check_rows : bool or int, default=False
        Whether to add a sheet of rows with expected answers, or how many at most.

    Returns
    -------
    bytes
    """
    if not is_whole(rows) or rows < 1:
        raise OptionError(f"rows must be a whole number >= 1; got {rows!r}.")
    openpyxl = _openpyxl()
    program = program_of(tree)
    program.refuse_divided_rows("A spreadsheet")
    _refuse_texts(program)
    steps = _Steps(program)
    book = _Book(openpyxl, program, steps, rows)
    book.write()
    chosen = chosen_rows(program, check_rows)
    if chosen is not None:
        book.check(embedded_rows(program, chosen))
    return book.saved()


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise OptionError(
            "The format 'xlsx' needs the package openpyxl: pip install "
            "'treewright[xlsx]'."
        ) from None
    return openpyxl


def _refuse_texts(program: Program) -> None:
    """Refuse texts that a spreadsheet cannot hold, or not tell from an empty cell."""
    labels = [label for v in program.variables for label in v.labels]
    texts = [x for x in (*labels, *program.classes) if isinstance(x, str)]
    for text in [*texts, *(v.name for v in program.variables), program.target]:
        if _UNSAFE.search(text) or len(text) > 32_000:
            raise OptionError(
                f"A spreadsheet cannot hold the text {text[:60]!r} as it is (control "
                "characters, _xHHHH_, or too long). Rename it before growing."
            )
    program.refuse_empty_category("A spreadsheet", "an empty cell")


def cell_value(variable: Variable, value: Any) -> Any:
    """Return a value as a cell of the sheet holds it.

    Parameters
    ----------
    variable : Variable
        The column.
    value : object
        The value; None is missing and times are microseconds.

    Returns
    -------
    object
    """
    if value is None or variable.labels or variable.type == "number":
        return value
    if variable.type == "bool":
        return bool(value)
    days = float(value) / (_DAY * 1000)
    return days + (_EPOCH if variable.type in ("date", "datetime") else 0)


def short(number: float, rounding: str) -> float:
    """Return a number of at most 15 digits, the number itself if it is one.

    Parameters
    ----------
    number : float
        A finite number.
    rounding : str
        A way of rounding of the module decimal.

    Returns
    -------
    float
    """
    if float(f"{number:.14e}") == number:
        return number
    return float(Context(prec=15, rounding=rounding).plus(Decimal(number)))


# -- the tree as steps -----------------------------------------------------------------


@dataclass
class _Step:
    """One question: where a row goes next."""

    variable: int = 0
    kind: str = ""  # '<=', 'in', 'missing'; '' at a leaf
    bound: float | str = 0.0
    yes: int = 0
    no: int = 0
    unplaced: int = 0
    node: int = -1


@dataclass
class _Steps:
    """The steps of a program, the first one at place 0, and the longest way."""

    program: Program
    steps: list[_Step] = field(default_factory=list)
    longest: int = 0

    def __post_init__(self) -> None:
        waiting = [(0, self._new(), 0)]
        while waiting:
            number, place, level = waiting.pop()
            node = self.program.nodes[number]
            self.longest = max(self.longest, level)
            if node.is_leaf:
                self.steps[place].node = number
                continue
            waiting += self._fill(node, place, level)
        if self.longest > _MOST_STEPS:
            raise OptionError(
                f"A spreadsheet has room for {_MOST_STEPS:,} steps from the root to a "
                f"leaf; this tree needs {self.longest:,}. Prune it first."
            )

    def _new(self) -> int:
        self.steps.append(_Step())
        return len(self.steps) - 1

    def _fill(
        self, node: ProgramNode, place: int, level: int
    ) -> list[tuple[int, int, int]]:
        """Write the steps of a node; return its children with place and level."""
        places = [self._new() for _ in node.children]
        if node.otherwise == STOP_HERE:
            end = self._new()
            self.steps[end].node = node.number
        else:
            end = places[node.otherwise]
        tests = [test for q in node.questions for test in _tests(q)]
        for i, (question, kind, bound, branches) in enumerate(tests):
            step = self.steps[place]
            last = i == len(tests) - 1
            after = end if last else self._new()
            step.variable, step.kind, step.bound = question.variable.place, kind, bound
            yes, no = branches
            step.yes = after if yes is None else places[yes]
            step.no = after if no is None else places[no]
            step.unplaced = after
            place, level = after, level + 1
        self.longest = max(self.longest, level)
        return [
            (child, at, level) for child, at in zip(node.children, places, strict=True)
        ]


_Test = tuple[Question, str, "float | str", tuple[int | None, int | None]]


def _tests(question: Question) -> Iterator[_Test]:
    """Yield the tests of a question: kind, bound, branches; None: ask on."""
    if isinstance(question, IsMissing):
        yield question, "missing", "", (0, 1)
    elif isinstance(question, AtMost):
        branches = (question.below, question.above)
        yield question, "<=", _bound(question.variable, question.bound), branches
    elif isinstance(question, OneOf):
        code_of = {label: i + 1 for i, label in enumerate(question.variable.labels)}
        for branch, group in enumerate(question.groups):
            codes = [code_of[label] for label in group]
            for start in range(0, len(codes), _MOST_CODES):
                listed = ",".join(map(str, codes[start : start + _MOST_CODES]))
                yield question, "in", f",{listed},", (branch, None)
    else:
        bounds = (*question.bounds, math.inf)
        for i, (bound, taken) in enumerate(zip(bounds, question.branches, strict=True)):
            # A value of an interval without a branch must not meet the next bound.
            yes = taken if taken >= 0 else None
            if yes is None and i < len(bounds) - 1:
                raise OptionError(
                    "A spreadsheet cannot express the intervals of column "
                    f"{question.variable.name!r}, of which one had no training row. "
                    "Export the tree to 'python' or 'sql'."
                )
            yield question, "<=", _bound(question.variable, bound), (yes, None)


def _bound(variable: Variable, bound: float) -> float:
    """Return the largest value of at most 15 digits that is below or at a bound."""
    if math.isinf(bound) or abs(bound) > LARGEST:
        return math.copysign(LARGEST, bound)
    if variable.type not in ("number", "bool"):
        return float(math.floor(bound / 1000))
    if -_SMALLEST < bound < 0:
        return -_SMALLEST
    return short(bound, ROUND_FLOOR)


# -- the workbook ----------------------------------------------------------------------


class _Book:
    """Writes the sheets of one program."""

    def __init__(
        self, openpyxl: Any, program: Program, steps: _Steps, rows: int
    ) -> None:
        self._openpyxl = openpyxl
        self._letter = openpyxl.utils.get_column_letter
        self._program = program
        self._steps = steps
        self._rows = range(FIRST_ROW, FIRST_ROW + rows)
        self._book = openpyxl.Workbook()
        self._score = self._book.active
        self._score.title = SCORE

    def write(self) -> None:
        """Write all sheets but that of the rows to check."""
        self._write_score()
        self._write_rules()
        self._write_labels()
        self._write_tree()
        self._write_work()

    def saved(self) -> bytes:
        """Return the file."""
        properties = self._book.properties
        properties.creator, properties.title = "treewright", "A decision tree"
        properties.description = self._program.mark(format="xlsx")
        out = io.BytesIO()
        self._book.save(out)
        return out.getvalue()

    def check(self, lines: Sequence[str]) -> None:
        """Add the sheet of rows with expected answers."""
        sheet = self._book.create_sheet(CHECK)
        self._text(sheet, 1, 1, "Rows with expected answers, for treewright verify.")
        for i, line in enumerate(lines):
            self._text(sheet, i + 2, 1, f"check row: {line}")

    def _text(self, sheet: Any, row: int, column: int, text: str) -> None:
        """Write a text that no program takes for a formula."""
        cell = sheet.cell(row, column)
        cell.value, cell.data_type = text, "s"
        cell.style = "Normal"
        cell.quotePrefix = True

    def _value(self, sheet: Any, row: int, column: int, value: Any) -> None:
        if isinstance(value, str):
            self._text(sheet, row, column, value)
        else:
            sheet.cell(row, column, value)

    # -- what people read and type ---------------------------------------------------

    def _write_score(self) -> None:
        program, sheet = self._program, self._score
        bold = self._openpyxl.styles.Font(bold=True)
        head = heading(program, units=False, format="xlsx")
        how = "Type one row per line; an empty cell is missing."
        text = " ".join([head[0], how, *map(str.strip, converted_columns(program))])
        self._text(sheet, 1, 1, _UNSAFE.sub("?", text)[:32_000])
        self._text(sheet, 2, 1, head[1])
        names = [variable.name for variable in program.variables]
        n = len(names)
        for column, name in enumerate([*names, *_outputs(program)], 1):
            self._text(sheet, FIRST_ROW - 1, column, name)
            sheet.cell(FIRST_ROW - 1, column).font = bold
            sheet.column_dimensions[self._letter(column)].width = max(
                12, min(len(name) + 2, 40)
            )
        for variable in program.variables:
            form = _FORMATS.get(variable.type)
            for row in self._rows:
                if form:
                    sheet.cell(row, variable.place + 1).number_format = form
        for row in self._rows:
            for place, formula in enumerate(self._answers(row)):
                sheet.cell(row, n + 1 + place, formula)
        sheet.freeze_panes = sheet.cell(FIRST_ROW, 1)

    def _answers(self, row: int) -> Iterator[str]:
        """Yield the formulas of the answers of a row; empty if the row is empty."""
        n = len(self._program.variables)
        last = self._letter(max(n, 1))
        used = f"COUNTA($A{row}:${last}{row})=0" if n else "FALSE"
        step = f"INDEX(tree_node,Work!$A{row})"
        for place in range(len(_outputs(self._program))):
            column = self._letter(place + 2)
            rules = f"Rules!${column}$2:${column}${len(self._program.ends) + 1}"
            found = f"MATCH({step},tree_leaf,0)"
            yield f'=IF({used},"",INDEX({rules},{found}))'

    def _write_rules(self) -> None:
        program, sheet = self._program, self._book.create_sheet("Rules")
        rules = {rule.node: rule for rule in Rules(program.tree)}
        for column, name in enumerate(["node", *_outputs(program), "rule"], 1):
            self._text(sheet, 1, column, name)
        for row, node in enumerate(program.ends, 2):
            shares = program.probabilities[node].tolist() if program.classes else []
            cells = [node, program.answers[node], *shares, node]
            for column, value in enumerate(cells, 1):
                self._value(sheet, row, column, value)
            conditions = rules[node].conditions if node in rules else ()
            words = joined([c.words() for c in conditions], "and") or "every row"
            clean = _UNSAFE.sub("?", words)[:32_000]
            self._text(sheet, row, len(cells) + 1, clean)
        self._name("tree_leaf", "Rules", 1, 2, len(program.ends) + 1)

    # -- what the formulas read ------------------------------------------------------

    def _name(self, name: str, sheet: str, column: int, first: int, last: int) -> None:
        letter = self._letter(column)
        area = f"{sheet}!${letter}${first}:${letter}${last}"
        defined = self._openpyxl.workbook.defined_name.DefinedName(name, attr_text=area)
        self._book.defined_names[name] = defined

    def _write_labels(self) -> None:
        sheet = self._book.create_sheet("Categories")
        for variable in self._program.variables:
            column, n = 2 * variable.place + 1, len(variable.labels)
            self._text(sheet, 1, column, variable.name)
            for i, label in enumerate(variable.labels):
                self._value(sheet, i + 2, column, label)
                sheet.cell(i + 2, column + 1, i + 1)
            if n:
                name = f"labels_{variable.place}"
                self._name(name, "Categories", column, 2, n + 1)
                self._name(
                    f"codes_{variable.place}", "Categories", column + 1, 2, n + 1
                )

    def _write_tree(self) -> None:
        sheet = self._book.create_sheet("Tree")
        names = ("kind", "column", "bound", "yes", "no", "unplaced", "node")
        for column, name in enumerate(names, 1):
            self._text(sheet, 1, column, name)
            self._name(f"tree_{name}", "Tree", column, 2, len(self._steps.steps) + 1)
        for i, step in enumerate(self._steps.steps):
            row = i + 2
            if not step.kind:
                self._text(sheet, row, 1, "leaf")
                sheet.cell(row, 7, step.node)
                continue
            self._text(sheet, row, 1, step.kind)
            sheet.cell(row, 2, step.variable + 1)
            self._value(sheet, row, 3, step.bound)
            for column, to in enumerate((step.yes, step.no, step.unplaced), 4):
                sheet.cell(row, column, to + 1)

    def _write_work(self) -> None:
        """Column A: the last step; then the values; then one column for each level."""
        sheet, n = self._book.create_sheet("Work"), len(self._program.variables)
        last = self._letter(n + 2 + self._steps.longest)
        values = f"${self._letter(2)}{{row}}:${self._letter(n + 1)}{{row}}"
        for row in self._rows:
            sheet.cell(row, 1, f"={last}{row}")
            for variable in self._program.variables:
                sheet.cell(
                    row, variable.place + 2, _encoded(variable, row, self._letter)
                )
            sheet.cell(row, n + 2, 1)
            for level in range(self._steps.longest):
                before = f"{self._letter(n + 2 + level)}{row}"
                formula = _next(before, values.format(row=row))
                sheet.cell(row, n + 3 + level, formula)


def _outputs(program: Program) -> list[str]:
    """Return the headings of the answers."""
    shares = [f"probability of {label}" for label in program.classes]
    return ["prediction", *shares, "leaf"]


def _encoded(variable: Variable, row: int, letter: Any) -> str:
    """Return the formula of a value: a number or a code, or "" if it is missing."""
    cell = f"{SCORE}!${letter(variable.place + 1)}{row}"
    if variable.labels:
        same = f"EXACT(labels_{variable.place},{cell})"
        if variable.type == "code":
            same = f"(labels_{variable.place}={cell})"
        code = f"SUMPRODUCT({same}*codes_{variable.place})"
        return f'=IF(ISBLANK({cell}),"",IF({code}>0,{code},""))'
    if variable.type == "bool":
        return f'=IF(ISBLANK({cell}),"",IF({cell},1,0))'
    if variable.type == "number":
        return f'=IF(ISNUMBER({cell}),{cell},"")'
    start = _EPOCH if variable.type in ("date", "datetime") else 0
    return f'=IF(ISNUMBER({cell}),ROUND(({cell}-{start})*{_DAY},0),"")'


def _next(step: str, values: str) -> str:
    """Return the formula of the step after a step."""
    x = f"INDEX({values},1,INDEX(tree_column,{step}))"
    go = {name: f"INDEX(tree_{name},{step})" for name in ("yes", "no", "unplaced")}
    kind, bound = f"INDEX(tree_kind,{step})", f"INDEX(tree_bound,{step})"
    at_most = f"IF(GESTEP({bound},{x})=1,{go['yes']},{go['no']})"
    number = f"IF(ISNUMBER({x}),{at_most},{go['unplaced']})"
    listed = f'ISNUMBER(FIND(","&{x}&",",{bound}))'
    one_of = f"IF({listed},{go['yes']},{go['no']})"
    missing = f"IF(ISNUMBER({x}),{go['no']},{go['yes']})"
    rest = f'IF({kind}="in",{one_of},{missing})'
    return f'=IF({kind}="leaf",{step},IF({kind}="<=",{number},{rest}))'
