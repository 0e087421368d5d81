"""A tree as a Python module that imports only the standard library."""

from __future__ import annotations

from typing import Any

from treewright.exporting.code.language import Language, wrapped
from treewright.exporting.program import Variable

__all__ = ["Python"]

_TABLES = """
def _branch(x, node):
    for q in range(_FIRST_QUESTION[node], _FIRST_QUESTION[node + 1]):
        value = x[_VARIABLE[q]]
        if _KIND[q] == 2:
            return 0 if isnan(value) else 1
        if isnan(value):
            continue
        at = bisect_left(_VALUE, value, _FIRST_VALUE[q], _FIRST_VALUE[q + 1])
        placed = at < _FIRST_VALUE[q + 1] and (_KIND[q] == 0 or _VALUE[at] == value)
        if placed and _BRANCH[at] >= 0:
            return _BRANCH[at]
    return _OTHERWISE[node]
"""
_ONE_END = """

def _end(x):
    node = 0
    while _FIRST_CHILD[node] < _FIRST_CHILD[node + 1]:
        branch = _branch(x, node)
        if branch < 0:
            break
        node = _CHILD[_FIRST_CHILD[node] + branch]
    return _END_OF[node]


def _ends(x):
    return [(_end(x), 1.0)]
"""
_MANY_ENDS = """

def _ends(x):
    ends, waiting = [], [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        first, last = _FIRST_CHILD[node], _FIRST_CHILD[node + 1]
        branch = -1 if first == last else _branch(x, node)
        if branch == -1:
            ends.append((_END_OF[node], share))
        elif branch == -2:
            for at in range(last - 1, first - 1, -1):
                if _SHARE[at] > 0:
                    waiting.append((_CHILD[at], share * _SHARE[at]))
        else:
            waiting.append((_CHILD[first + branch], share))
    return ends
"""


class Python(Language):
    """Writes a module with `predict`, `probabilities` and `leaf` of one row."""

    comment = "#"
    indent = "    "
    infinity = "inf"
    opening, closing = ":", ""
    and_, or_, not_ = " and ", " or ", "not "

    def if_(self, condition: str) -> str:
        """Return the beginning of a conditional block."""
        return f"if {condition}:"

    def else_if(self, condition: str) -> str:
        """Return the beginning of an alternative with a condition."""
        return f"elif {condition}:"

    def else_(self) -> str:
        """Return the beginning of the last alternative."""
        return "else:"

    def returned(self, end: int) -> str:
        """Return the statement that gives the place of a leaf."""
        return f"return {end}"

    def number(self, number: float) -> str:
        """Return a float64 literal."""
        return repr(float(number) + 0.0)

    def file(self) -> str:
        """Return the module."""
        how = [
            "",
            "A row is a dict of column name to value. None, NaN and a column that is",
            "not there are missing; an unknown category counts as missing.",
        ]
        parts = [
            *self.title(),
            *self.commented(how),
            "",
            "from bisect import bisect_left" if not self.nested else "",
            "from math import inf, isnan, nan  # noqa: F401",
            "",
            *self._answers(),
            self._encoder(),
            self._walk(),
            self._functions(),
            *self.check_rows(),
        ]
        return "\n".join(parts).replace("\n\n\n\n", "\n\n\n") + "\n"

    def _array(self, name: str, values: list[Any]) -> str:
        body = wrapped([repr(value) for value in values])
        return f"{name} = [\n{body}\n]"

    def _answers(self) -> list[str]:
        lines = [self._array("_LEAF", self.ends())]
        if self.program.is_classifier:
            lines.append(self._array("CLASSES", list(self.program.classes)))
            lines.append(self._array("_CLASS", self.labels_of_ends()))
            lines.append(self._array("_PROBABILITIES", self.probabilities_of_ends()))
        else:
            lines.append(self._array("_VALUE_OF_END", self.values_of_ends()))
        return lines

    def _encoder(self) -> str:
        lines = ["", "", "def _encode(row):", "    x = []"]
        for variable in self.program.variables:
            lines += [
                f"    value = row.get({variable.name!r})",
                self._encoded(variable),
            ]
        codes = [
            f"_CODES_{v.place} = {{\n"
            + wrapped([f"{label!r}: {code}" for code, label in enumerate(v.labels)])
            + "\n}"
            for v in self.program.variables
            if v.labels
        ]
        return "\n".join([*codes, *lines, "    return x"])

    def _encoded(self, variable: Variable) -> str:
        if variable.labels:
            return f"    x.append(float(_CODES_{variable.place}.get(value, nan)))"
        return "    x.append(nan if value is None else float(value))"

    def _walk(self) -> str:
        if self.nested:
            body = "\n".join(self.conditions(1))
            ends = "\n\n\ndef _ends(x):\n    return [(_end(x), 1.0)]"
            return f"\n\ndef _end(x):\n{body}{ends}"
        arrays = [
            self._array(f"_{name.upper()}", values)
            for name, values in vars(self.tables).items()
        ]
        walk = _MANY_ENDS if self.program.divides_rows else _ONE_END
        return "\n".join(["", *arrays, _TABLES.rstrip(), walk.rstrip()])

    def _functions(self) -> str:
        leaf = '''

def leaf(row):
    """Return the number of the leaf of a row (of its largest part, if divided)."""
    return _LEAF[max(_ends(_encode(row)), key=lambda end: end[1])[0]]
'''
        if not self.program.is_classifier:
            return (
                leaf
                + '''

def predict(row):
    """Return the number that the tree answers for a row."""
    return sum(_VALUE_OF_END[end] * share for end, share in _ends(_encode(row)))
'''.rstrip()
            )
        if not self.program.divides_rows:
            return (
                leaf
                + '''

def predict(row):
    """Return the class that the tree answers for a row."""
    return CLASSES[_CLASS[_end(_encode(row))]]


def probabilities(row):
    """Return the probability of each class, in the order of CLASSES."""
    return list(_PROBABILITIES[_end(_encode(row))])
'''.rstrip()
            )
        costs = self._array("_COSTS", self.costs())
        return (
            leaf
            + f"\n\n{costs}"
            + '''


def predict(row):
    """Return the class of least expected cost for a row; of equal ones, the first."""
    shares = probabilities(row)
    costs = [sum(p * c[k] for p, c in zip(shares, _COSTS)) for k in range(len(CLASSES))]
    limit = min(costs) + 1e-12 * max(costs)
    return CLASSES[next(k for k, cost in enumerate(costs) if cost <= limit)]


def probabilities(row):
    """Return the probability of each class, in the order of CLASSES."""
    total = [0.0] * len(CLASSES)
    for end, share in _ends(_encode(row)):
        for k, p in enumerate(_PROBABILITIES[end]):
            total[k] += share * p
    return total
'''.rstrip()
        )
