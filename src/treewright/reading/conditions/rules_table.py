"""Rules as an aligned table: figures at the left, conditions at the right."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from treewright.reading.answers.answer import middle_of, number_words
from treewright.reading.conditions.condition import bracketed
from treewright.table.html import table_html
from treewright.tree import wording

if TYPE_CHECKING:
    from treewright.reading.conditions.rules import Rule, Rules

__all__ = ["rules_html", "rules_table"]

_WIDTH, _NARROWEST = 88, 36
_MOST, _LONGEST, _LONGEST_CLASS = 12, 60, 24
_MOST_HTML = 100
_ANSWER = 2
"""Place of the column of answers."""


def rules_table(rules: Rules, most: int) -> str:
    """Return the first rules as a table; conditions are wrapped at 88 columns.

    Parameters
    ----------
    rules : Rules
        The rules.
    most : int
        Maximum number of rules to write.

    Returns
    -------
    str
    """
    n = len(rules)
    if not n:
        return "No rules."
    heads, cells = _cells(rules, most)
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    left = sum(widths) + 2 * len(widths)
    room = max(_WIDTH - left, _NARROWEST)
    lines = [f"{n:,} rule{'s' * (n != 1)}", ""]
    lines.append(f"{_aligned(heads, widths)}  if")
    for rule, row in zip(rules[:most], cells, strict=True):
        first, *others = _packed(_conditions(rule), room)
        lines.append(f"{_aligned(row, widths)}  {first}")
        lines += [" " * left + part for part in others]
    if n > most:
        lines.append(f"... and {n - most:,} more rules.")
    return "\n".join(lines)


def rules_html(rules: Rules) -> str:
    """Return the rules as an HTML table for a notebook."""
    heads, cells = _cells(rules, _MOST_HTML)
    rows = [
        [*row, " ".join(_conditions(rule))]
        for row, rule in zip(cells, rules[:_MOST_HTML], strict=True)
    ]
    more = len(rules) - len(rows)
    note = f"... and {more:,} more rules." if more else ""
    n = len(rules)
    title = f"{n:,} rule{'s' * (n != 1)}"
    return table_html(title, [*heads, "if"], rows, {heads[_ANSWER], "if"}, note)


def _cells(rules: Rules, most: int) -> tuple[list[str], list[list[str]]]:
    """Return the headings and the cells of the figures."""
    tree = rules._tree
    by_class = tree.is_classifier
    answer = "then" if by_class or len(tree.answer) else middle_of(tree)
    heads = [
        "rows",
        "share",
        answer,
        *(["probability"] if by_class else []),
        "95% interval",
    ]
    return heads, [_row(rule) for rule in rules[:most]]


def _row(rule: Rule) -> list[str]:
    tree, (low, high) = rule._tree, rule.interval
    write = wording.percent if tree.is_classifier else wording.figures
    between = "" if math.isnan(low) else f"{write(low)} to {write(high)}"
    cells = [f"{rule.rows:,}", wording.percent(rule.share)]
    if not tree.is_classifier:
        return [*cells, number_words(tree, float(rule.prediction)), between]
    sure = "" if rule.probability is None else wording.percent(rule.probability)
    return [*cells, wording.value(rule.prediction, _LONGEST_CLASS), sure, between]


def _conditions(rule: Rule) -> list[str]:
    """Return the conditions, each but the last followed by "and"."""
    texts = [each.words(most=_MOST, longest=_LONGEST) for each in rule.conditions]
    if len(texts) < 2:
        return texts or ["always"]
    parts = [bracketed(text) for text in texts]
    return [*(f"{each} and" for each in parts[:-1]), parts[-1]]


def _packed(conditions: Sequence[str], room: int) -> list[str]:
    """Put conditions on lines; only one that is too long by itself is broken."""
    lines = [""]
    for each in conditions:
        longer = f"{lines[-1]} {each}" if lines[-1] else each
        if len(longer) <= room:
            lines[-1] = longer
            continue
        broken = textwrap.wrap(
            each, room, break_long_words=False, break_on_hyphens=False,
            subsequent_indent="  ",
        )  # fmt: skip
        lines = [line for line in lines if line] + broken
    return lines


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """Pad cells: numbers to the right, the answer and the interval to the left."""
    cells = [
        cell.ljust(width) if place == _ANSWER else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells)
