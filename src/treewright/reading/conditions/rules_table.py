"""Rules as an aligned table: figures at the left, conditions at the right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from treewright.reading.answers.answer import middle_of, number_words
from treewright.reading.conditions.condition import bracketed, packed
from treewright.table.html import table_html
from treewright.tree import wording

if TYPE_CHECKING:
    from treewright.reading.conditions.rules import Rule, Rules

__all__ = ["beside_conditions", "rules_html", "rules_table"]

_NARROWEST = 36
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
    lines = beside_conditions(heads, cells, rules[:most], left=_ANSWER)
    lines = [f"{n:,} rule{'s' * (n != 1)}", "", *lines]
    if n > most:
        lines.append(f"... and {n - most:,} more rule{'s' * (n - most != 1)}.")
    return "\n".join(lines)


def beside_conditions(
    heads: Sequence[str],
    cells: Sequence[Sequence[str]],
    rules: Iterable[Rule],
    *,
    left: int | None = None,
    notes: Sequence[Sequence[str]] | None = None,
) -> list[str]:
    """Return aligned figures of rules with their conditions at the right.

    Parameters
    ----------
    heads : sequence of str
        Headings of the figures.
    cells : sequence of sequence of str
        The figures of each rule.
    rules : iterable of Rule
        The rules.
    left : int, optional
        The place of a figure that is aligned at the left.
    notes : sequence of sequence of str, optional
        Remarks on each rule, under its conditions.

    Returns
    -------
    list of str
        Lines of about 88 characters.
    """
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    margin = sum(widths) + 2 * len(widths)
    room = max(wording.WIDTH - margin, _NARROWEST)
    lines = [f"{_aligned(heads, widths, left)}  if"]
    for place, (rule, row) in enumerate(zip(rules, cells, strict=True)):
        first, *others = packed(_conditions(rule), room)
        lines.append(f"{_aligned(row, widths, left)}  {first}")
        if notes is not None:
            others += [line for line in packed(notes[place], room) if line]
        lines += [" " * margin + part for part in others]
    return lines


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
    drawn = len(tree.answer) > 0
    answer = "then" if by_class or drawn else middle_of(tree)
    likely = ["prob." if drawn else "probability"] if by_class else []
    # The interval is that of the rows: of their share or mean, not of the answer.
    interval = "95% interval"
    if drawn:
        interval = "confidence (95%)" if by_class else "mean (95%)"
    heads = ["rows", "share", answer, *likely, interval]
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


def _aligned(row: Sequence[str], widths: Sequence[int], left: int | None) -> str:
    """Pad cells: numbers stand at the right, the cell at the place `left` does not."""
    cells = [
        cell.ljust(width) if place == left else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells)
