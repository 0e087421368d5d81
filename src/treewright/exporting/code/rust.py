"""A tree as a Rust module without crates."""

from __future__ import annotations

from typing import Any

from treewright.exporting.code.language import Language, wrapped
from treewright.exporting.heading import describe, plain
from treewright.exporting.program import Variable

__all__ = ["Rust"]

_BRANCH = """
fn branch(x: &[f64], node: usize) -> i32 {
    for q in FIRST_QUESTION[node]..FIRST_QUESTION[node + 1] {
        let value = x[VARIABLE[q]];
        if KIND[q] == 2 {
            return if value.is_nan() { 0 } else { 1 };
        }
        if value.is_nan() {
            continue;
        }
        let (first, last) = (FIRST_VALUE[q], FIRST_VALUE[q + 1]);
        let at = first + VALUE[first..last].partition_point(|v| *v < value);
        if at < last && (KIND[q] == 0 || VALUE[at] == value) && BRANCH[at] >= 0 {
            return BRANCH[at];
        }
    }
    OTHERWISE[node]
}
"""
_ONE_END = """
fn end(x: &[f64]) -> usize {
    let mut node = 0;
    while FIRST_CHILD[node] < FIRST_CHILD[node + 1] {
        let taken = branch(x, node);
        if taken < 0 {
            break;
        }
        node = CHILD[FIRST_CHILD[node] + taken as usize];
    }
    END_OF[node] as usize
}
"""
_SHARES = """
/// The share of a row that ends in each leaf.
fn shares(x: &[f64]) -> Vec<f64> {
    let mut shares = vec![0.0; LEAF.len()];
    let mut waiting = vec![(0usize, 1.0f64)];
    while let Some((node, share)) = waiting.pop() {
        let (first, last) = (FIRST_CHILD[node], FIRST_CHILD[node + 1]);
        let taken = if first == last { -1 } else { branch(x, node) };
        if taken == -1 {
            shares[END_OF[node] as usize] += share;
        } else if taken == -2 {
            for at in (first..last).rev() {
                if SHARE[at] > 0.0 {
                    waiting.push((CHILD[at], share * SHARE[at]));
                }
            }
        } else {
            waiting.push((CHILD[first + taken as usize], share));
        }
    }
    shares
}

fn end(x: &[f64]) -> usize {
    let shares = shares(x);
    (0..shares.len()).fold(0, |best, i| if shares[i] > shares[best] { i } else { best })
}
"""
_LEAF = """
/// The number of the leaf of a row (of its largest part, if divided).
pub fn leaf(row: &Row) -> usize {
    LEAF[end(&encode(row))]
}
"""
_CLASS = """
/// The class that the tree answers for a row.
pub fn predict(row: &Row) -> &'static str {
    CLASSES[CLASS[end(&encode(row))]]
}

/// The probability of each class, in the order of CLASSES.
pub fn probabilities(row: &Row) -> Vec<f64> {
    let (at, k) = (end(&encode(row)), CLASSES.len());
    PROBABILITY[at * k..(at + 1) * k].to_vec()
}
"""
_DIVIDED_CLASS = """
/// The probability of each class, in the order of CLASSES.
pub fn probabilities(row: &Row) -> Vec<f64> {
    let k = CLASSES.len();
    let mut out = vec![0.0; k];
    for (i, share) in shares(&encode(row)).iter().enumerate() {
        for (j, total) in out.iter_mut().enumerate() {
            *total += share * PROBABILITY[i * k + j];
        }
    }
    out
}

/// The class of least expected cost for a row; of equal ones, the first.
pub fn predict(row: &Row) -> &'static str {
    let (p, k) = (probabilities(row), CLASSES.len());
    let costs: Vec<f64> = (0..k)
        .map(|j| (0..k).map(|i| p[i] * COST[i * k + j]).sum())
        .collect();
    let least = costs.iter().cloned().fold(f64::INFINITY, f64::min);
    let most = costs.iter().cloned().fold(0.0, f64::max);
    let found = costs.iter().position(|c| *c <= least + 1e-12 * most);
    CLASSES[found.unwrap_or(0)]
}
"""
_NUMBER = """
/// The number that the tree answers for a row.
pub fn predict(row: &Row) -> f64 {
    VALUE_OF_END[end(&encode(row))]
}
"""
_DIVIDED_NUMBER = """
/// The number that the tree answers for a row.
pub fn predict(row: &Row) -> f64 {
    shares(&encode(row)).iter().zip(VALUE_OF_END.iter()).map(|(s, v)| s * v).sum()
}
"""


class Rust(Language):
    """Writes a module with `predict`, `probabilities` and `leaf` of a `Row`."""

    indent = "    "
    infinity = "f64::INFINITY"

    def is_missing(self, x: str) -> str:
        """Return the test that an encoded value is missing."""
        return f"{x}.is_nan()"

    def never(self) -> str:
        """Return a condition that is always false."""
        return "false"

    def if_(self, condition: str) -> str:
        """Return the beginning of a conditional block."""
        return f"if {condition} {{"

    def text(self, text: str) -> str:
        """Return a text literal."""
        out = "".join(
            c if " " <= c <= "~" and c not in '"\\' else f"\\u{{{ord(c):x}}}"
            for c in text
        )
        return f'"{out}"'

    def file(self) -> str:
        """Return the source file."""
        self.program.refuse_invalid_text("Rust")
        how = [
            "",
            "Numbers are f64; NaN is missing. Texts are Option<&str>; None is missing.",
            "An unknown category counts as missing.",
        ]
        divided = self.program.divides_rows
        if self.program.is_classifier:
            functions = _DIVIDED_CLASS if divided else _CLASS
        else:
            functions = _DIVIDED_NUMBER if divided else _NUMBER
        parts = [
            *self.title(),
            *self.commented(how),
            "#![allow(dead_code, unused_parens, clippy::all)]",
            *self._row(),
            *self._answers(),
            *self._encoder(),
            *self._walk(),
            _LEAF.rstrip("\n"),
            functions.rstrip("\n"),
            *self.check_rows(),
        ]
        return "\n".join(parts) + "\n"

    def _row(self) -> list[str]:
        variables = self.program.variables
        lifetime = "<'a>" if any(v.type == "text" for v in variables) else ""
        lines = [
            "",
            "/// The columns that the tree reads.",
            "#[derive(Clone)]",
            f"pub struct Row{lifetime} {{",
        ]
        for v in variables:
            kind = "Option<&'a str>" if v.type == "text" else "f64"
            lines += [
                f"    /// {plain(describe(v))}",
                f"    pub x{v.place}: {kind},",
            ]
        missing = [
            f"            x{v.place}: {'None' if v.type == 'text' else 'f64::NAN'},"
            for v in variables
        ]
        return [
            *lines,
            "}",
            "",
            "/// A row without any value.",
            f"impl{lifetime} Default for Row{lifetime} {{",
            "    fn default() -> Self {",
            "        Row {",
            *missing,
            "        }",
            "    }",
            "}",
            "",
        ]

    def _array(self, name: str, values: list[Any], kind: str) -> str:
        items = [self.number(v) if kind == "f64" else str(v) for v in values]
        return f"static {name}: [{kind}; {len(items)}] = [\n{wrapped(items)}\n];"

    def _answers(self) -> list[str]:
        lines = [self._array("LEAF", self.ends(), "usize")]
        if not self.program.is_classifier:
            return [*lines, self._array("VALUE_OF_END", self.values_of_ends(), "f64")]
        names = [self.text(str(label)) for label in self.program.classes]
        flat = [value for row in self.probabilities_of_ends() for value in row]
        lines += [
            f"pub static CLASSES: [&str; {len(names)}] = [\n{wrapped(names)}\n];",
            self._array("CLASS", self.labels_of_ends(), "usize"),
            self._array("PROBABILITY", flat, "f64"),
        ]
        if self.program.divides_rows:
            costs = [value for row in self.costs() for value in row]
            lines.append(self._array("COST", costs, "f64"))
        return lines

    def _encoder(self) -> list[str]:
        variables = self.program.variables
        items = [f"    x[{v.place}] = {self._encoded(v)};" for v in variables]
        labels = [self._labels(v) for v in variables if v.labels]
        mutable = "mut " if items else ""
        row = "row" if items else "_row"
        return [
            *labels,
            "",
            f"fn encode({row}: &Row) -> Vec<f64> {{",
            f"    let {mutable}x = vec![f64::NAN; {len(variables)}];",
            *items,
            "    x",
            "}",
        ]

    def _labels(self, variable: Variable) -> str:
        name = f"LABELS_{variable.place}"
        if variable.type == "text":
            ordered = sorted(variable.labels, key=lambda x: x.encode())
            code_of = {label: i for i, label in enumerate(variable.labels)}
            items = [f"({self.text(x)}, {code_of[x]}.0)" for x in ordered]
            return (
                f"static {name}: [(&str, f64); {len(items)}] = [\n{wrapped(items)}\n];"
            )
        values = [float(label) for label in variable.labels]
        return self._array(name, values, "f64")

    def _encoded(self, variable: Variable) -> str:
        field, name = f"row.x{variable.place}", f"LABELS_{variable.place}"
        if not variable.labels:
            return field
        if variable.type == "text":
            find = f"{name}.binary_search_by(|l| l.0.cmp(t)).ok()"
            return f"{field}.and_then(|t| {find}).map_or(f64::NAN, |i| {name}[i].1)"
        return (
            f"{name}.iter().position(|l| *l == {field}).map_or(f64::NAN, |i| i as f64)"
        )

    def _walk(self) -> list[str]:
        if self.nested:
            body = "\n".join(self.conditions(1))
            argument = "x" if self.program.variables else "_x"
            return [f"\nfn end({argument}: &[f64]) -> usize {{\n{body}\n}}"]
        tables = self.tables
        lines = [""]
        for name in (
            "first_question",
            "first_child",
            "child",
            "variable",
            "first_value",
        ):
            lines.append(self._array(name.upper(), getattr(tables, name), "usize"))
        for name in ("otherwise", "kind", "branch", "end_of"):
            lines.append(self._array(name.upper(), getattr(tables, name), "i32"))
        lines.append(self._array("VALUE", tables.value, "f64"))
        if self.program.divides_rows:
            lines.append(self._array("SHARE", tables.share, "f64"))
        walk = _SHARES if self.program.divides_rows else _ONE_END
        return [*lines, _BRANCH.rstrip("\n"), walk.rstrip("\n")]
