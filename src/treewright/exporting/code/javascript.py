"""A tree as an ES module for browsers and node."""

from __future__ import annotations

import json
import math
from typing import Any

from treewright.exporting.code.language import Language, wrapped
from treewright.exporting.program import Variable

__all__ = ["JavaScript"]

_TABLES = """
function branchOf(x, node) {
  for (let q = FIRST_QUESTION[node]; q < FIRST_QUESTION[node + 1]; q++) {
    const value = x[VARIABLE[q]];
    if (KIND[q] === 2) return isnan(value) ? 0 : 1;
    if (isnan(value)) continue;
    let at = FIRST_VALUE[q], last = FIRST_VALUE[q + 1];
    while (at < last) {
      const middle = (at + last) >> 1;
      if (VALUE[middle] < value) at = middle + 1;
      else last = middle;
    }
    const placed = at < FIRST_VALUE[q + 1] && (KIND[q] === 0 || VALUE[at] === value);
    if (placed && BRANCH[at] >= 0) return BRANCH[at];
  }
  return OTHERWISE[node];
}
"""
_ONE_END = """
function endOf(x) {
  let node = 0;
  while (FIRST_CHILD[node] < FIRST_CHILD[node + 1]) {
    const branch = branchOf(x, node);
    if (branch < 0) break;
    node = CHILD[FIRST_CHILD[node] + branch];
  }
  return END_OF[node];
}
"""
_MANY_ENDS = """
function endsOf(x) {
  const ends = [], waiting = [[0, 1]];
  while (waiting.length) {
    const [node, share] = waiting.pop();
    const first = FIRST_CHILD[node], last = FIRST_CHILD[node + 1];
    const branch = first === last ? -1 : branchOf(x, node);
    if (branch === -1) ends.push([END_OF[node], share]);
    else if (branch === -2) {
      for (let at = last - 1; at >= first; at--) {
        if (SHARE[at] > 0) waiting.push([CHILD[at], share * SHARE[at]]);
      }
    } else waiting.push([CHILD[first + branch], share]);
  }
  return ends;
}
"""
_SINGLE = """
function endsOf(x) {
  return [[endOf(x), 1]];
}
"""
_LEAF = """
/** Return the number of the leaf of a row (of its largest part, if divided). */
export function leaf(row) {
  let best = [0, -1];
  for (const end of endsOf(encode(row))) if (end[1] > best[1]) best = end;
  return LEAF[best[0]];
}
"""
_CLASSES = """
/** Return the probability of each class, in the order of CLASSES. */
export function probabilities(row) {
  const total = new Array(CLASSES.length).fill(0);
  for (const [end, share] of endsOf(encode(row))) {
    for (let k = 0; k < total.length; k++) total[k] += share * PROBABILITIES[end][k];
  }
  return total;
}
"""
_ONE_CLASS = """
/** Return the class that the tree answers for a row. */
export function predict(row) {
  return CLASSES[CLASS[endOf(encode(row))]];
}
"""
_LEAST_COST = """
/** Return the class of least expected cost for a row; of equal ones, the first. */
export function predict(row) {
  const shares = probabilities(row);
  const cost = (k) => shares.reduce((sum, p, i) => sum + p * COSTS[i][k], 0);
  const costs = CLASSES.map((_, k) => cost(k));
  const limit = Math.min(...costs) + 1e-12 * Math.max(...costs);
  return CLASSES[costs.findIndex((each) => each <= limit)];
}
"""
_NUMBER = """
/** Return the number that the tree answers for a row. */
export function predict(row) {
  let total = 0;
  for (const [end, share] of endsOf(encode(row))) total += share * VALUE_OF_END[end];
  return total;
}
"""


class JavaScript(Language):
    """Writes a module with `predict`, `probabilities` and `leaf` of one row."""

    def text(self, text: str) -> str:
        """Return a text literal."""
        return json.dumps(text)

    def never(self) -> str:
        """Return a condition that is always false."""
        return "false"

    def file(self) -> str:
        """Return the module."""
        how = [
            "",
            "A row is an object of column name to value. null, undefined, NaN and a",
            "column that is not there are missing; so is an unknown category.",
        ]
        parts = [
            *self.title(),
            *self.commented(how),
            "",
            "const isnan = Number.isNaN;",
            *self._answers(),
            self._encoder(),
            *self._walk(),
            _LEAF.strip("\n"),
            *self._functions(),
            *self.check_rows(),
        ]
        return "\n".join(parts) + "\n"

    def literal(self, value: Any) -> str:
        """Return a value as a literal."""
        if isinstance(value, list):
            return f"[{', '.join(self.literal(each) for each in value)}]"
        if isinstance(value, float) and not isinstance(value, bool):
            return self.number(value) if not math.isnan(value) else "NaN"
        return json.dumps(value)

    def _array(self, name: str, values: list[Any]) -> str:
        return f"const {name} = [\n{wrapped([self.literal(v) for v in values])}\n];"

    def _answers(self) -> list[str]:
        lines = [self._array("LEAF", self.ends())]
        if not self.program.is_classifier:
            return [*lines, self._array("VALUE_OF_END", self.values_of_ends())]
        return [
            *lines,
            "export " + self._array("CLASSES", list(self.program.classes)),
            self._array("CLASS", self.labels_of_ends()),
            self._array("PROBABILITIES", self.probabilities_of_ends()),
        ]

    def _encoder(self) -> str:
        lines = ["", "function encode(row) {", "  const x = [];", "  let value;"]
        maps = []
        for variable in self.program.variables:
            lines.append(f"  value = row[{self.text(variable.name)}];")
            lines.append(f"  x.push({self._encoded(variable)});")
            if variable.labels:
                pairs = [
                    f"[{self.literal(_key(label))}, {code}]"
                    for code, label in enumerate(variable.labels)
                ]
                maps.append(
                    f"const CODES_{variable.place} = new Map([\n{wrapped(pairs)}\n]);"
                )
        return "\n".join([*maps, *lines, "  return x;", "}"])

    def _encoded(self, variable: Variable) -> str:
        if variable.labels:
            codes = f"CODES_{variable.place}"
            if isinstance(variable.labels[0], bool):
                number = 'typeof value === "boolean" ? Number(value) : value'
                return f"{codes}.get({number}) ?? NaN"
            return f"{codes}.get(value) ?? NaN"
        return "value == null ? NaN : Number(value)"

    def _walk(self) -> list[str]:
        if self.nested:
            body = "\n".join(self.conditions(1))
            return [f"\nfunction endOf(x) {{\n{body}\n}}", _SINGLE.rstrip("\n"), ""]
        arrays = [
            self._array(name.upper(), values)
            for name, values in vars(self.tables).items()
        ]
        walk = [_MANY_ENDS] if self.program.divides_rows else [_ONE_END, _SINGLE]
        return ["", *arrays, _TABLES.rstrip("\n"), *(w.rstrip("\n") for w in walk), ""]

    def _functions(self) -> list[str]:
        if not self.program.is_classifier:
            return [_NUMBER.rstrip("\n")]
        if not self.program.divides_rows:
            return [_ONE_CLASS.rstrip("\n"), _CLASSES.rstrip("\n")]
        costs = self._array("COSTS", self.costs())
        return ["", costs, _LEAST_COST.rstrip("\n"), _CLASSES.rstrip("\n")]


def _key(label: Any) -> Any:
    """Return the key of a category: true and false are looked up as 1 and 0."""
    return int(label) if isinstance(label, bool) else label
