"""How each database writes names, texts, numbers, times and tests for NaN."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from treewright.errors import OptionError, nearest_name
from treewright.exporting.decimals import far_from_ties, shortest
from treewright.exporting.program import Variable
from treewright.tree.data import TreeData

__all__ = ["DIALECTS", "Dialect", "dialect_called"]

_EPOCH = datetime(1970, 1, 1)
_QUOTE = "'"
_SMALLEST_FOR_SQLITE = 1e-290
_CAST = "CAST({} AS DOUBLE PRECISION)"
_ESCAPES = str.maketrans(
    {"\\": r"\\", "'": r"\'", "\n": r"\n", "\r": r"\r", "\0": r"\0"}
)
# Spark reads a backslash and three digits as one character.
_ESCAPES_OF_SPARK = _ESCAPES | {0: r"\u0000"}
_ESCAPES_OF_BIGQUERY = _ESCAPES | str.maketrans({"`": r"\`", "\0": r"\u0000"})


@dataclass(frozen=True)
class Dialect:
    """The spelling of one database.

    Attributes
    ----------
    name : str
        Name of the database.
    identifier_quotes : tuple of str
        Opening and closing quote of names.
    escapes : dict or None
        How a text literal writes characters, by their numbers, with a backslash; None:
        a backslash is a character like others.
    escapes_names : bool
        Whether names are escaped in the same way.
    nan : str
        A NaN of that type, equal to itself and larger than every number; '' if the
        database cannot store NaN or has `is_nan`.
    is_nan : str
        A function that tests for NaN; '' if `nan` serves.
    false, true : str
        Boolean literals.
    character : str
        A function that makes a text of one character from its number; '' if literals
        have backslash escapes.
    joins : str
        The operator that joins texts.
    stores_nul : bool
        Whether a text can contain NUL.
    infinity : str
        A number above all others; a minus sign before it makes it the lowest.
    exact_text : str
        A pattern around a text column that makes comparison byte by byte.
    end_mark : str
        What `exact_text` adds to the end of a text, so that blanks there count.
    text_prefix : str
        Prefix of text literals.
    deepest : int
        How deeply CASE expressions are nested; a database refuses more, or may.
    most_leaves : int
        The most leaves of a tree that becomes nested CASE expressions in a SELECT;
        None: any number.
    date, datetime, zoned, time : str
        Patterns around the ISO text of a day, a point in wall-clock time, a point in
        time in UTC, and a time of day.
    short_names : bool
        Whether names contain only characters of the Basic Multilingual Plane.
    computed_once : str
        Ends a subquery so that the database computes its columns once, instead of
        copying their expressions to every place that names them.
    as_double : str
        A pattern around an expression of number literals that makes it a float64.
    number_as : callable
        Writes a finite number.
    table_form : str
        A common table expression of literal rows: ``{name}``, its ``{columns}``, and
        its ``{rows}``.
    row_form, row_end : str
        A pattern around the literals of a row, and what stands between two rows.
    first_row_names : bool
        Whether the first row names the columns.
    """

    name: str
    identifier_quotes: tuple[str, str] = ('"', '"')
    escapes: dict[int, str] | None = None
    escapes_names: bool = False
    nan: str = ""
    is_nan: str = ""
    false: str = "FALSE"
    true: str = "TRUE"
    character: str = "CHR"
    joins: str = "||"
    stores_nul: bool = False
    infinity: str = "1.7976931348623157e308"
    exact_text: str = "{}"
    end_mark: str = ""
    text_prefix: str = ""
    deepest: int = 200
    most_leaves: int | None = None
    date: str = "DATE '{}'"
    datetime: str = "TIMESTAMP '{}'"
    zoned: str = "TIMESTAMP WITH TIME ZONE '{}+00:00'"
    time: str = "TIME '{}'"
    short_names: bool = False
    computed_once: str = ""
    as_double: str = "{}"
    number_as: Callable[[float], str] = lambda x: shortest(x)
    table_form: str = "{name} ({columns}) AS (\n  VALUES\n    {rows}\n)"
    row_form: str = "({})"
    row_end: str = ","
    first_row_names: bool = False

    def fits(self, tree: TreeData) -> bool:
        """Whether a tree can become nested CASE expressions."""
        small = self.most_leaves is None or tree.n_leaves <= self.most_leaves
        return small and int(tree.depth.max()) <= self.deepest

    def table_of(self, name: str, columns: list[str], rows: list[list[str]]) -> str:
        """Return a common table expression that holds rows of literals."""
        if self.first_row_names:
            pairs = zip(rows[0], columns, strict=True)
            rows = [[f"{value} AS {column}" for value, column in pairs], *rows[1:]]
        lines = [self.row_form.format(", ".join(row)) for row in rows]
        return self.table_form.format(
            name=name,
            columns=", ".join(columns),
            rows=f"{self.row_end}\n    ".join(lines),
        )

    def name_of(self, name: str) -> str:
        """Return a name in quotes."""
        _check_text(name, "column name")
        if "\0" in name:
            raise OptionError(
                f"The column name {name!r} contains NUL, which SQL names cannot. "
                "Rename the column before growing."
            )
        opening, closing = self.identifier_quotes
        if self.escapes_names:
            return f"{opening}{name.translate(self.escapes or {})}{closing}"
        return f"{opening}{name.replace(closing, closing * 2)}{closing}"

    def storable_name(self, name: str) -> str:
        """Return a name of our own with what names cannot contain replaced by '?'."""
        highest = "\uffff" if self.short_names else chr(0x10FFFF)
        return "".join(c if "\0" < c <= highest else "?" for c in name)

    def text(self, text: str) -> str | None:
        """Return a text literal on one line; None if the database cannot store it."""
        _check_text(text, "text")
        if "\0" in text and not self.stores_nul:
            return None
        if self.escapes is not None:
            return f"'{text.translate(self.escapes)}'"
        parts = [part for part in re.split(r"([\0\r\n])", text) if part] or [""]
        written = [
            f"{self.character}({ord(part)})"
            if part in "\0\r\n" and part
            else f"{self.text_prefix}'{part.replace(_QUOTE, _QUOTE * 2)}'"
            for part in parts
        ]
        if len(written) == 1 and written[0].startswith(self.text_prefix + _QUOTE):
            return written[0]
        if len(written) == 1:  # a lone character must be a text in any case
            written.append(f"{self.text_prefix}''")
        return "(" + f" {self.joins} ".join(written) + ")"

    def number(self, number: float) -> str:
        """Return a number literal that is read back as exactly this number."""
        if math.isinf(number):
            return self.infinity if number > 0 else f"-{self.infinity}"
        return self.number_as(number)

    def answer(self, number: float) -> str:
        """Return a number literal of the type float64, as far as literals have it."""
        text = self.number(number)
        plain = text.lstrip("-").replace(".", "").isdigit()
        typed = plain and self.number_as is _typed
        return f"{text}e0" if typed else text

    def compared(self, value: Any) -> str | None:
        """Return a category as a literal that `exact_text` of its column equals."""
        return self.literal(value + self.end_mark if isinstance(value, str) else value)

    def literal(self, value: Any) -> str | None:
        """Return a class or category as a literal; None if it cannot be stored."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bool):
            return self.true if value else self.false
        if isinstance(value, int):
            return str(value)
        return self.answer(value)

    def moment(self, variable: Variable, microseconds: float) -> str:
        """Return a date, a point in time or a time of day as a literal."""
        if variable.type == "duration":
            raise OptionError(
                f"Column {variable.name!r} holds durations, which SQL databases store "
                "in different ways. Grow the tree on a number, such as hours."
            )
        try:
            moment = _EPOCH + timedelta(microseconds=int(microseconds))
        except OverflowError:
            moment = datetime.max if microseconds > 0 else datetime.min
        if variable.type == "date":
            return self.date.format(moment.date().isoformat())
        if variable.type == "time":
            return self.time.format(moment.time().isoformat())
        pattern = self.zoned if variable.timezone else self.datetime
        return pattern.format(moment.isoformat(sep=" "))


def _check_text(text: str, what: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise OptionError(
            f"The {what} {text!r} is not valid Unicode, so SQL cannot contain it. "
            "Correct it before growing."
        ) from None


def _typed(number: float) -> str:
    """Return a decimal whose exponent makes it a float64, not a fixed-point number."""
    text = shortest(number)
    return text if "e" in text or _is_short(text) else f"{text}e0"


def _for_sqlite(number: float) -> str:
    """Return a number that every version of SQLite reads exactly.

    Before 3.43 it misreads decimals below about 1e-290. These become products of a
    whole number and powers of two, which are exact.
    """
    if number == 0 or abs(number) >= _SMALLEST_FOR_SQLITE:
        return far_from_ties(number)
    whole, below = number.as_integer_ratio()
    n = below.bit_length() - 1  # the number is whole / 2 ** n
    powers = [far_from_ties(2.0**-k) for k in (*[512] * (n // 512), n % 512)]
    return f"({' * '.join([str(whole), *powers])})"


def _is_short(text: str) -> bool:
    return len(text.lstrip("-").replace(".", "")) <= 15


DIALECTS = {
    each.name: each
    for each in (
        Dialect("ansi", as_double=_CAST),
        Dialect(
            "postgresql",
            as_double=_CAST,
            nan="CAST('NaN' AS DOUBLE PRECISION)",
            infinity="CAST('Infinity' AS DOUBLE PRECISION)",
            computed_once="\n  OFFSET 0",
        ),
        Dialect(
            "duckdb",
            nan="CAST('NaN' AS DOUBLE)",
            infinity="CAST('Infinity' AS DOUBLE)",
            stores_nul=True,
            number_as=_typed,
        ),
        Dialect(
            "sqlite",
            false="0",
            true="1",
            character="char",
            stores_nul=True,
            infinity="9e999",
            deepest=12,  # its parser had a stack of 100 entries until 2024
            date="'{}'",
            datetime="'{}'",
            zoned="'{}'",
            time="'{}'",
            computed_once="\n  LIMIT -1",
            number_as=_for_sqlite,
        ),
        Dialect(
            "mysql",
            identifier_quotes=("`", "`"),
            escapes=_ESCAPES,
            false="0",
            true="1",
            stores_nul=True,
            short_names=True,
            exact_text="CAST({} AS BINARY)",
            zoned="TIMESTAMP '{}'",
            number_as=_typed,
            table_form="{name} ({columns}) AS (\n    {rows}\n)",
            row_form="SELECT {}",
            row_end=" UNION ALL",
        ),
        Dialect(
            "bigquery",
            identifier_quotes=("`", "`"),
            escapes=_ESCAPES_OF_BIGQUERY,
            escapes_names=True,
            is_nan="IS_NAN",
            infinity="CAST('inf' AS FLOAT64)",
            stores_nul=True,
            deepest=100,
            most_leaves=500,  # a statement has at most a million characters
            datetime="DATETIME '{}'",
            zoned="TIMESTAMP '{}+00:00'",
            number_as=_typed,
            table_form="{name} AS (\n  SELECT * FROM UNNEST([\n    {rows}\n  ])\n)",
            row_form="STRUCT({})",
            first_row_names=True,
        ),
        Dialect(
            "snowflake",
            nan="'NaN'::DOUBLE",
            infinity="'inf'::DOUBLE",
            escapes=_ESCAPES,
            most_leaves=500,  # a statement has at most a million characters
            datetime="CAST('{}' AS TIMESTAMP_NTZ)",
            zoned="CAST('{} +00:00' AS TIMESTAMP_TZ)",
            number_as=_typed,
            table_form="{name} ({columns}) AS (\n  SELECT * FROM VALUES\n    {rows}\n)",
        ),
        Dialect(
            "spark",
            identifier_quotes=("`", "`"),
            escapes=_ESCAPES_OF_SPARK,
            nan="double('NaN')",
            infinity="double('Infinity')",
            stores_nul=True,
            deepest=50,  # at 195 its parser overflows the stack
            most_leaves=200,  # 1,000 nested leaves took 26 s of processor time
            datetime="TIMESTAMP_NTZ '{}'",
            zoned="TIMESTAMP '{}+00:00'",
            number_as=lambda x: f"{shortest(x)}D",
        ),
        Dialect(
            "tsql",
            identifier_quotes=("[", "]"),
            false="0",
            true="1",
            # Without a mark at the end, 'a ' equals 'a' in any collation.
            exact_text="({} + N'.') COLLATE Latin1_General_100_BIN2",
            end_mark=".",
            text_prefix="N",
            character="NCHAR",
            joins="+",
            deepest=9,  # it refuses more than ten levels
            date="CAST('{}' AS DATE)",
            datetime="CAST('{}' AS DATETIME2)",
            zoned="CAST('{}+00:00' AS DATETIMEOFFSET)",
            time="CAST('{}' AS TIME)",
            number_as=_typed,
            table_form="{name} AS (\n  SELECT * FROM (VALUES\n    {rows}\n"
            "  ) AS v ({columns})\n)",
        ),
    )
}
"""The databases whose SQL can be written."""


def dialect_called(name: str) -> Dialect:
    """Return a dialect by its name, or refuse an unknown one."""
    if name in DIALECTS:
        return DIALECTS[name]
    near = nearest_name(str(name), list(DIALECTS))
    hint = f" Did you mean {near!r}?" if near else ""
    raise OptionError(
        f"dialect must be one of {', '.join(map(repr, DIALECTS))}; got {name!r}.{hint}"
    )
