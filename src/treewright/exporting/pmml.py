"""A tree as PMML 4.4, with rows that let a consumer check itself.

PMML's predicates can be true, false or unknown, and its strategies for unknown ones
cannot express every route of a missing value. So each predicate is made true or false
by asking first whether the value is there, the branch of the other rows comes last
with the predicate True, and no strategy is needed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from treewright._version import __version__
from treewright.errors import OptionError
from treewright.exporting.decimals import shortest
from treewright.exporting.embedded_rows import chosen_rows
from treewright.exporting.heading import heading, plain
from treewright.exporting.program import (
    STOP_HERE,
    AtMost,
    Intervals,
    IsMissing,
    OneOf,
    Program,
    ProgramNode,
    Question,
    Variable,
    program_of,
)
from treewright.tree.data import TreeData

__all__ = ["to_pmml"]

_NAMESPACE = "http://www.dmg.org/PMML-4_4"
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_DEEPEST = 1000


def to_pmml(tree: TreeData, *, check_rows: bool | int = 100) -> str:
    """Return a tree as PMML.

    Parameters
    ----------
    tree : TreeData
        A tree that does not divide rows.
    check_rows : bool or int, default=100
        Whether to add rows with expected answers (`ModelVerification`), or how many at
        most.

    Returns
    -------
    str
        An XML document.
    """
    program = program_of(tree)
    program.refuse_divided_rows("PMML")
    if int(tree.depth.max()) > _DEEPEST:
        raise OptionError(
            f"PMML nests nodes, and programs that read it fail on depths above "
            f"{_DEEPEST}; this tree has depth {int(tree.depth.max())}. Prune it first."
        )
    return "\n".join(_lines(program, check_rows)) + "\n"


def _lines(program: Program, check_rows: bool | int) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<PMML version="4.4" xmlns="{_NAMESPACE}">'
    yield f"<Header description={_attribute(program.mark(format='pmml'))}>"
    yield f'<Application name="treewright" version="{__version__}"/>'
    for line in heading(program, format="pmml")[3:]:
        yield f"<Annotation>{escape(plain(line.strip()))}</Annotation>"
    yield "</Header>"
    yield from _dictionary(program)
    function = "classification" if program.is_classifier else "regression"
    yield (
        f'<TreeModel functionName="{function}" splitCharacteristic="multiSplit" '
        'noTrueChildStrategy="returnLastPrediction">'
    )
    yield from _mining_schema(program)
    yield from _output(program)
    yield from _nodes(program)
    yield from _verification(program, check_rows)
    yield "</TreeModel>"
    yield "</PMML>"


# -- fields ----------------------------------------------------------------------------


def _attribute(text: str) -> str:
    """Return text as a quoted attribute."""
    if _FORBIDDEN.search(text):
        raise OptionError(
            f"PMML is XML, which cannot contain the control characters of {text!r}. "
            "Rename the column, category or class before growing."
        )
    entities = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
    return quoteattr(text, entities)


def _value(value: Any) -> str:
    """Return a category or class as an attribute."""
    if isinstance(value, bool):
        return '"true"' if value else '"false"'
    return _attribute(value if isinstance(value, str) else shortest(float(value)))


def _number(number: float) -> str:
    """Write infinity as 1e999, because PMML readers spell infinity differently."""
    if math.isinf(number):
        return "1e999" if number > 0 else "-1e999"
    return shortest(number)


def _dictionary(program: Program) -> Iterator[str]:
    yield f'<DataDictionary numberOfFields="{len(program.variables) + 1}">'
    for variable in program.variables:
        yield from _field(variable)
    name = _attribute(program.target)
    if program.is_classifier:
        yield f'<DataField name={name} optype="categorical" dataType="string">'
        yield from (f"<Value value={_class(label)}/>" for label in program.classes)
        yield "</DataField>"
    else:
        yield f'<DataField name={name} optype="continuous" dataType="double"/>'
    yield "</DataDictionary>"


def _field(variable: Variable) -> Iterator[str]:
    name = _attribute(variable.name)
    if variable.labels or variable.type == "bool":
        kind = {"text": "string", "code": "double", "bool": "boolean"}[variable.type]
        yield f'<DataField name={name} optype="categorical" dataType="{kind}">'
        labels = variable.labels or (False, True)
        yield from (f"<Value value={_value(label)}/>" for label in labels)
        yield "</DataField>"
    else:
        yield f'<DataField name={name} optype="continuous" dataType="double"/>'


def _class(label: Any) -> str:
    return _attribute(str(label))


def _mining_schema(program: Program) -> Iterator[str]:
    yield "<MiningSchema>"
    yield f'<MiningField name={_attribute(program.target)} usageType="target"/>'
    for variable in program.variables:
        name = _attribute(variable.name)
        yield f'<MiningField name={name} invalidValueTreatment="asMissing"/>'
    yield "</MiningSchema>"


def _output(program: Program) -> Iterator[str]:
    yield "<Output>"
    kind = "string" if program.is_classifier else "double"
    optype = "categorical" if program.is_classifier else "continuous"
    yield (
        f'<OutputField name="prediction" optype="{optype}" dataType="{kind}" '
        'feature="predictedValue"/>'
    )
    yield (
        '<OutputField name="leaf" optype="categorical" dataType="string" '
        'feature="entityId"/>'
    )
    for place, label in enumerate(program.classes):
        yield (
            f'<OutputField name="probability_{place}" optype="continuous" '
            f'dataType="double" feature="probability" value={_class(label)}/>'
        )
    yield "</Output>"


# -- nodes -----------------------------------------------------------------------------


def _nodes(program: Program) -> Iterator[str]:
    """Yield the nodes, depth first and without recursion."""
    waiting: list[tuple[int, str] | str] = [(0, "<True/>")]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
            continue
        number, predicate = item
        node = program.nodes[number]
        yield from _opened(program, number, predicate)
        waiting.append("</Node>")
        if node.is_leaf:
            continue
        last = node.otherwise
        if last == STOP_HERE:
            # A leaf of its own, so that a row that stops has a place to end.
            waiting.append("</Node>")
            waiting.append("\n".join(_opened(program, number, "<True/>")))
        else:
            waiting.append((node.children[last], "<True/>"))
        for branch in reversed(range(len(node.children))):
            if branch != last:
                waiting.append((node.children[branch], _goes_to(node, branch)))


def _opened(program: Program, number: int, predicate: str) -> Iterator[str]:
    answer = program.answers[number]
    score = _class(answer) if program.is_classifier else f'"{shortest(answer)}"'
    weight = shortest(float(program.tree.weight[number]))
    yield f'<Node id="{number}" score={score} recordCount="{weight}">'
    yield predicate
    if program.is_classifier:
        shares = program.probabilities[number].tolist()
        counts = program.tree.value[number].tolist()
        for label, share, count in zip(program.classes, shares, counts, strict=True):
            yield (
                f'<ScoreDistribution value={_class(label)} recordCount="'
                f'{shortest(count)}" confidence="{shortest(share)}" '
                f'probability="{shortest(share)}"/>'
            )


def _goes_to(node: ProgramNode, branch: int) -> str:
    """Return the predicate that one of the node's questions sends a row to a branch."""
    tests: list[str] = []
    unplaced: list[str] = []
    for question in node.questions:
        test = _places(question, branch)
        if test:
            tests.append(_all([*unplaced, test]))
        unplaced.append(_does_not_place(question))
    return _any(tests)


def _places(question: Question, branch: int) -> str:
    """Return the predicate that a question gives a branch; "": it never does."""
    variable = question.variable
    if isinstance(question, IsMissing):
        known = _is_known(variable)
        return known if branch else _simple(variable, "isMissing")
    if isinstance(question, OneOf):
        return _in_set(variable, question.groups[branch])
    if variable.type == "bool":
        return _in_set(variable, _booleans(question, branch))
    tests = []
    for low, high, taken in _intervals(question):
        if taken == branch:
            parts = [_is_known(variable)]
            if low is not None:
                parts.append(_compare(variable, "greaterThan", low))
            if high is not None:
                parts.append(_compare(variable, "lessOrEqual", high))
            tests.append(_all(parts))
    return _any(tests) if tests else ""


def _intervals(
    question: AtMost | Intervals,
) -> Iterator[tuple[float | None, float | None, int]]:
    """Yield lower bound, upper bound and branch of each interval."""
    bounds: Sequence[float]
    if isinstance(question, AtMost):
        bounds, branches = (question.bound,), (question.below, question.above)
    else:
        bounds, branches = question.bounds, question.branches  # type: ignore[assignment]
    edges = [None, *bounds, None]
    yield from zip(edges[:-1], edges[1:], branches, strict=True)


def _booleans(question: AtMost | Intervals, branch: int) -> list[bool]:
    return [
        value
        for value in (False, True)
        for low, high, taken in _intervals(question)
        if taken == branch
        and (low is None or value > low)
        and (high is None or value <= high)
    ]


def _does_not_place(question: Question) -> str:
    variable = question.variable
    if isinstance(question, AtMost):
        return _simple(variable, "isMissing")
    if isinstance(question, IsMissing):
        return "<False/>"
    if isinstance(question, OneOf):
        listed = [label for group in question.groups for label in group]
        others = [label for label in variable.labels if label not in listed]
        rest = _in_set(variable, others)
        return _any([_simple(variable, "isMissing"), *([rest] if rest else [])])
    nowhere = _places(question, -1)
    return _any([_simple(variable, "isMissing"), *([nowhere] if nowhere else [])])


def _is_known(variable: Variable) -> str:
    return _simple(variable, "isNotMissing")


def _simple(variable: Variable, operator: str) -> str:
    return f'<SimplePredicate field={_attribute(variable.name)} operator="{operator}"/>'


def _compare(variable: Variable, operator: str, bound: float) -> str:
    return (
        f'<SimplePredicate field={_attribute(variable.name)} operator="{operator}" '
        f'value="{_number(bound)}"/>'
    )


def _in_set(variable: Variable, labels: Sequence[Any]) -> str:
    """Return the predicate that a value is one of some categories."""
    if not labels:
        return ""
    # PMML4S treats unequal numbers as equal in a SimplePredicate.
    if variable.type == "code":
        numbers = " ".join(shortest(float(label)) for label in labels)
        return (
            f"<SimpleSetPredicate field={_attribute(variable.name)} "
            f'booleanOperator="isIn"><Array n="{len(labels)}" type="real">'
            f"{numbers}</Array></SimpleSetPredicate>"
        )
    tests = [
        f'<SimplePredicate field={_attribute(variable.name)} operator="equal" '
        f"value={_value(label)}/>"
        for label in labels
    ]
    return _all([_is_known(variable), _any(tests)])


def _all(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else _compound("and", parts)


def _any(parts: Sequence[str]) -> str:
    if not parts:
        return "<False/>"
    return parts[0] if len(parts) == 1 else _compound("or", parts)


def _compound(operator: str, parts: Sequence[str]) -> str:
    body = "".join(parts)
    return f'<CompoundPredicate booleanOperator="{operator}">{body}</CompoundPredicate>'


# -- rows to check a consumer with -----------------------------------------------------


def _verification(program: Program, check_rows: bool | int) -> Iterator[str]:
    rows = chosen_rows(program, check_rows)
    if not program.variables or rows is None:
        return
    fields = len(program.variables) + 1
    yield f'<ModelVerification recordCount="{len(rows)}" fieldCount="{fields}">'
    yield "<VerificationFields>"
    for v in program.variables:
        yield f'<VerificationField field={_attribute(v.name)} column="x{v.place}"/>'
    precision = "" if program.is_classifier else ' precision="0" zeroThreshold="0"'
    yield f'<VerificationField field="prediction" column="prediction"{precision}/>'
    yield "</VerificationFields>"
    yield "<InlineTable>"
    for row, answer in zip(rows.rows, rows.answers, strict=True):
        cells = "".join(
            f"<x{v.place}>{_cell(v, value)}</x{v.place}>"
            for v, value in zip(program.variables, row, strict=True)
            if value is not None
        )
        shown = _content(str(answer) if program.is_classifier else shortest(answer))
        yield f"<row>{cells}<prediction>{shown}</prediction></row>"
    yield "</InlineTable>"
    yield "</ModelVerification>"


def _cell(variable: Variable, value: Any) -> str:
    if variable.type == "bool":
        return "true" if value else "false"
    return _content(value if isinstance(value, str) else _number(float(value)))


def _content(text: str) -> str:
    _attribute(text)  # refuses control characters
    return escape(text, {"\r": "&#13;"})
