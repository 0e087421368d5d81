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
    tree: TreeData, story: dict[str, Any], findings: Iterable[Any] = ()
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
        "intake": _intake(list(findings)),
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
    sure = ['<th scope="col" class="number">Confidence</th>'] * tree.is_classifier
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
        *([_number("Confidence", sure)] if sure else []),
        _number("95% interval", interval),
        _number("Rows", f"{rule.rows:,}"),
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _class_words(tree: TreeData, rule: Rule) -> tuple[str, str, str]:
    low, high = map(wording.percent, rule.interval)
    answer = wording.value(rule.prediction, _LONGEST)
    return answer, wording.percent(rule.confidence or 0.0), f"{low} to {high}"


def _number_words(tree: TreeData, rule: Rule) -> tuple[str, str, str]:
    low, high = rule.interval
    known = low == low and high == high
    interval = f"{number_words(tree, low)} to {number_words(tree, high)}"
    return number_words(tree, rule.prediction), "", interval if known else "none"


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


def _intake(findings: list[Any]) -> str:
    if not findings:
        return ""
    items = "".join(
        f"<li><b>{xml(str(each.place))}</b> {xml(str(each.words))}. "
        f'<span class="muted">{xml(str(each.advice))}</span></li>'
        for each in findings
    )
    return (
        '<section id="intake" class="panel careful" aria-labelledby="intake-title">'
        '<h2 id="intake-title">What was noticed about the training table</h2>'
        f"<ul>{items}</ul></section>"
    )
