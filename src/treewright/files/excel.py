"""Sheets of Excel files (.xlsx, .xlsm, .xlsb, .xls) and OpenDocument (.ods)."""

from __future__ import annotations

import html
import re
import zipfile
from collections.abc import Sequence
from itertools import zip_longest
from typing import IO, TYPE_CHECKING, Any

from treewright.errors import ResourceLimitError, TableError
from treewright.files.content import Content
from treewright.files.names import numbered_names
from treewright.files.objects import content_of_objects
from treewright.files.opened import OpenedFile
from treewright.files.optional import package
from treewright.files.select import Selection
from treewright.files.sqlite import choose_part
from treewright.table.intake import Finding
from treewright.table.raw import EXACT_INTEGERS

if TYPE_CHECKING:
    import python_calamine

__all__ = ["read_excel"]

_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_SEARCHED = 1 << 20
_P = r"(?:\w+:)?"  # tags may have a prefix, such as <x:sheet>
_ERROR = re.compile(rf'<{_P}c [^>]*\bt="e"'.encode())
_NO_RESULT = re.compile(
    rf"</{_P}f>\s*(?:<{_P}v\s*/>|<{_P}v></{_P}v>)?\s*</{_P}c>".encode()
)
_WORKBOOK = ("xl/", "content.xml")
_MOST_UNPACKED = 2 << 30
_LARGEST_RATIO = 200  # of real sheets it is below 50
_OPENED, _PARSED, _CONVERTED = 0.1, 0.6, 0.9
"""About the share of the time that is over when a workbook is open, when its sheet is
parsed and when its cells are Python objects. The reader does each in one call."""


def read_excel(file: OpenedFile, selection: Selection, sheet: str | None) -> Content:
    """Read a sheet of a workbook.

    The first row names the columns; rows above it with a first cell only are titles.
    Formulas give the results that the file stores. Cells with an error,
    and all but the first of merged cells, are missing; findings say so. Hidden rows
    and columns are read, hidden sheets only by name.

    Parameters
    ----------
    file : OpenedFile
        The workbook.
    selection : Selection
        The columns to read.
    sheet : str or None
        The sheet; None: the only visible one.

    Returns
    -------
    Content

    Raises
    ------
    TableError
        When the file is damaged, protected by a password, or has several sheets.
    """
    with file.seekable() as stream:
        _refuse_others(stream, file.name)
        book = _opened(stream, file.name)
        name = choose_part(
            sheet, _sheets(book, hidden=sheet is not None), "sheet", file.name
        )
        file.report(_OPENED)
        page = _guarded(file.name, lambda: book.get_sheet_by_name(name))
        file.report(_PARSED)
        rows = _guarded(file.name, page.to_python)
        file.report(_CONVERTED)
        findings = [*_merged(page), *_errors(stream, name, file.name)]
    header, title = _header(rows, file.name, name)
    names, renamed = numbered_names([str(cell) for cell in rows[header]])
    wanted = selection.names(names)
    places = {each: names.index(each) for each in wanted}
    body = [row for row in rows[header + 1 :] if any(cell != "" for cell in row)]
    columns = {each: _cells(body, place) for each, place in places.items()}
    return content_of_objects(columns, file.name, (), [*title, *renamed, *findings])


def _refuse_others(stream: IO[bytes], name: str) -> None:
    """Refuse what is encrypted, no workbook, or would unpack to far more."""
    stream.seek(0)
    if _ENCRYPTED in stream.read(_SEARCHED):
        raise TableError(f"{name} is protected by a password. Save it without one.")
    if not zipfile.is_zipfile(stream):
        return
    with zipfile.ZipFile(stream) as archive:
        parts = archive.infolist()
    if not any(part.filename.startswith(_WORKBOOK) for part in parts):
        raise TableError(
            f"{name} is a zip archive, but no workbook. Unpack it, and name a file in "
            "it."
        )
    size = sum(part.file_size for part in parts)
    packed = sum(part.compress_size for part in parts) or 1
    if size > _MOST_UNPACKED or (size > 64 << 20 and size > _LARGEST_RATIO * packed):
        raise ResourceLimitError(
            f"{name} would unpack to {size / 2**20:,.0f} MB from {packed / 2**20:,.1f} "
            "MB, as a file made to exhaust memory does. If it is sound, export it as "
            "CSV."
        )


def _opened(stream: IO[bytes], name: str) -> python_calamine.CalamineWorkbook:
    calamine = package("python_calamine", "Reading Excel files")
    stream.seek(0)
    book: python_calamine.CalamineWorkbook = _guarded(
        name, lambda: calamine.CalamineWorkbook.from_filelike(stream)
    )
    return book


def _guarded(name: str, call: Any) -> Any:
    """Call the reader of Excel files; word its errors, and those of its language."""
    try:
        return call()
    except BaseException as problem:
        # A failed assertion inside the reader arrives as 'PanicException'.
        if isinstance(problem, Exception) or type(problem).__name__ == "PanicException":
            raise TableError(
                f"{name} is not a whole Excel file: {problem}. Save it again, or "
                "export it as CSV."
            ) from problem
        raise


def _sheets(book: python_calamine.CalamineWorkbook, *, hidden: bool) -> list[str]:
    return [
        each.name
        for each in book.sheets_metadata
        if hidden or str(each.visible).endswith(".Visible")
    ]


def _header(
    rows: Sequence[Sequence[Any]], file: str, sheet: str
) -> tuple[int, list[Finding]]:
    """Return which row names the columns, and what stands above it."""
    filled = [place for place, row in enumerate(rows) if any(x != "" for x in row)]
    above: list[Any] = []
    for place, after in zip_longest(filled, filled[1:]):
        if after is None or not _is_title(rows[place], rows[after]):
            return place, _title(above)
        above.append(rows[place][0])
    raise TableError(
        f"Sheet {sheet!r} of {file} is empty: no row names its columns. Name another "
        "sheet in table=."
    )


def _is_title(row: Sequence[Any], after: Sequence[Any]) -> bool:
    """Return whether a row has its first cell only, and names follow it."""
    names = [cell for cell in after if cell != ""]
    alone = row[0] != "" and all(cell == "" for cell in row[1:])
    return alone and len(names) > 1 and all(isinstance(x, str) for x in names)


def _title(above: list[Any]) -> list[Finding]:
    if not above:
        return []
    n = len(above)
    words = f"{n} row{'s' * (n > 1)} above the header ({above[0]!r:.40}) left out"
    return [Finding("left_out", None, words, "Titles hold no rows.")]


def _cells(rows: Sequence[Sequence[Any]], place: int) -> list[Any]:
    """Return a column; whole numbers, which Excel stores as floats, become int."""
    cells = [None if row[place] == "" else row[place] for row in rows]
    if all(_is_whole(cell) for cell in cells if type(cell) is float):
        return [int(cell) if type(cell) is float else cell for cell in cells]
    return cells


def _is_whole(number: float) -> bool:
    return number.is_integer() and abs(number) <= EXACT_INTEGERS


def _merged(page: Any) -> list[Finding]:
    ranges = page.merged_cell_ranges or []
    if not ranges:
        return []
    n = len(ranges)
    return [
        Finding(
            "merged_cells",
            None,
            f"{n} block{'s' * (n > 1)} of merged cells: only the first has a value",
            "Unmerge the cells and fill them in if their value counts for every row.",
        )
    ]


def _errors(stream: IO[bytes], sheet: str, file: str) -> list[Finding]:
    """Count cells with an error, and formulas without a stored result."""
    if not zipfile.is_zipfile(stream):
        return []
    with zipfile.ZipFile(stream) as archive:
        xml = _sheet_xml(archive, sheet)
    if b"<!ENTITY" in xml[:_SEARCHED]:
        raise TableError(
            f"Sheet {sheet!r} of {file} defines entities of its own, which no program "
            "for tables does. Export it again as CSV."
        )
    errors, empty = len(_ERROR.findall(xml)), len(_NO_RESULT.findall(xml))
    found = []
    if errors:
        words = f"{errors:,} cell{'s' * (errors > 1)} with an error such as #N/A"
        found.append((words, "Read as missing. Correct the formulas if they matter."))
    if empty:
        words = f"{empty:,} formula{'s' * (empty > 1)} without a stored result"
        found.append((words, "Read as missing. Open and save the file in Excel."))
    return [Finding("cell_errors", None, *each) for each in found]


def _sheet_xml(archive: zipfile.ZipFile, sheet: str) -> bytes:
    """Return the part of an .xlsx file that holds a sheet; b'' if there is none."""
    try:
        book = archive.read("xl/workbook.xml").decode(errors="replace")
        links = archive.read("xl/_rels/workbook.xml.rels").decode(errors="replace")
        place = _link_of(book, sheet)
        for tag in re.findall(rf"<{_P}Relationship [^>]*>", links):
            if f'Id="{place}"' in tag:
                target = re.search(r'Target="([^"]*)"', tag)
                path = (target[1] if target else "").lstrip("/")
                return archive.read(path if path.startswith("xl/") else f"xl/{path}")
    except (KeyError, zipfile.BadZipFile):
        pass
    return b""


def _link_of(book: str, sheet: str) -> str:
    for tag in re.findall(rf"<{_P}sheet [^>]*>", book):
        name = re.search(r'\bname="([^"]*)"', tag)
        link = re.search(r'\br:id="([^"]*)"', tag)
        if name and link and html.unescape(name[1]) == sheet:
            return link[1]
    return ""
