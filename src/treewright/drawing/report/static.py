"""The parts of the report that need no script: headline, picture and rules as HTML."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from treewright.drawing.escape import xml
from treewright.drawing.svg import to_svg
from treewright.reading.answers.answer import number_words
from treewright.reading.conditions.condition import joined
from treewright.reading.conditions.rules import Rule, Rules
from treewright.tree import wording
from treewright.tree.data import TreeData

__all__ = ["static_parts"]

_MOST_LEAVES = 16
_MOST_RULES = 1000
_LONGEST = 60
_MOST_CATEGORIES = 12


def static_parts(
    tree: TreeData,
    story: dict[str, Any],
    findings: Iterable[Any] = (),
    conversions: Iterable[Any] = (),
) -> dict[str, str]:
    """Return pieces of HTML by their place in page.html.

    Parameters
    ----------
    tree : TreeData
        The tree, with its labels.
    story : dict
        The headline; see `story`.
    findings : iterable
        What was suspicious about the training table: objects with `place`, `words`
        and `advice`.
    conversions : iterable
        What the reader of its file did to the cells: the same.

    Returns
    -------
    dict of str to str
        All text is escaped.
    """
    rules = Rules(tree)
    return {
        "brand": xml(story["title"]),
        "heading": xml(story["title"]),
        "lead": "".join(map(_piece, story["lead"])),
        "figures": "".join(map(_figure, story["figures"])),
        "svg": to_svg(tree, max_leaves=_MOST_LEAVES),
        "rules_head": _head(tree),
        "rules_body": "".join(_line(tree, rule) for rule in rules[:_MOST_RULES]),
        "rules_note": _note(len(rules)),
        "intake": _intake(list(findings), list(conversions)),
    }


def _piece(piece: dict[str, Any]) -> str:
    text = xml(piece["text"])
    return f"<b>{text}</b>" if piece["strong"] else text


def _figure(figure: dict[str, str]) -> str:
    name, value, detail = (xml(figure[key]) for key in ("name", "value", "detail"))
    return (
        f'<div class="figure"><dt>{name}</dt>'
        f"<dd><b>{value}</b><span>{detail}</span></dd></div>"
    )


# -- rules ----------------------------------------------------------------------------


def _head(tree: TreeData) -> str:
    names = ("Probability", "Confidence") if tree.is_classifier else ()
    sure = [f'<th scope="col" class="number">{name}</th>' for name in names]
    cells = [
        '<th scope="col">Rule</th><th scope="col">Answer</th>',
        *sure,
        '<th scope="col" class="number">95% interval</th>',
        '<th scope="col" class="number">Rows</th>',
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _line(tree: TreeData, rule: Rule) -> str:
    conditions = [
        each.words(most=_MOST_CATEGORIES, longest=_LONGEST) for each in rule.conditions
    ]
    text = joined(conditions, "and")
    words = _class_words if tree.is_classifier else _number_words
    answer, sure, interval = words(tree, rule)
    cells = [
        f'<td class="rule">{xml(text)}</td>',
        f'<td class="said" data-name="Answer">{xml(answer)}</td>',
        *(_number(name, figure) for name, figure in sure.items()),
        _number("95% interval", interval),
        _number("Rows", f"{rule.rows:,}"),
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _class_words(tree: TreeData, rule: Rule) -> tuple[str, dict[str, str], str]:
    low, high = map(wording.percent, rule.interval)
    answer = wording.value(rule.prediction, _LONGEST)
    sure = {"Probability": rule.probability, "Confidence": rule.confidence}
    words = {name: wording.percent(figure or 0.0) for name, figure in sure.items()}
    return answer, words, f"{low} to {high}"


def _number_words(tree: TreeData, rule: Rule) -> tuple[str, dict[str, str], str]:
    low, high = rule.interval
    known = low == low and high == high
    interval = f"{number_words(tree, low)} to {number_words(tree, high)}"
    return number_words(tree, rule.prediction), {}, interval if known else "none"


def _number(name: str, text: str) -> str:
    return f'<td class="number" data-name="{name}">{xml(text)}</td>'


def _note(n_rules: int) -> str:
    more = n_rules - _MOST_RULES
    if more <= 0:
        return ""
    return (
        f'<p class="note" data-static>{more:,} more rules are in this file; open it in '
        "a browser that runs scripts to read them.</p>"
    )


# -- findings about the training table ------------------------------------------------


def _intake(findings: list[Any], conversions: list[Any]) -> str:
    if not findings and not conversions:
        return ""
    careful, title = " careful", "What was noticed about the training table"
    if not findings:
        careful, title = "", "How the training table was read"
    converted = "<h3>While reading</h3>" if findings and conversions else ""
    return (
        f'<section id="intake" class="panel{careful}" aria-labelledby="intake-title">'
        f'<h2 id="intake-title">{title}</h2>'
        f"{_items(findings)}{converted}{_items(conversions)}</section>"
    )


def _items(noted: list[Any]) -> str:
    if not noted:
        return ""
    items = "".join(
        f"<li><b>{xml(str(each.place))}</b> {xml(str(each.words))}. "
        f'<span class="muted">{xml(str(each.advice))}</span></li>'
        for each in noted
    )
    return f"<ul>{items}</ul>"
