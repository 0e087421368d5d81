"""A tree as a C99 header: no allocation, no library but math.h and string.h."""

from __future__ import annotations

from typing import Any

from treewright.exporting.code.language import Language, wrapped
from treewright.exporting.code.steps import steps_of
from treewright.exporting.embedded_rows import embedded_lines
from treewright.exporting.heading import describe, plain
from treewright.exporting.program import Variable

__all__ = ["C"]

_BRANCH = """
static int {p}_branch(const double *x, int node) {{
  int q;
  for (q = {p}_first_question[node]; q < {p}_first_question[node + 1]; ++q) {{
    const double value = x[{p}_variable[q]];
    int at = {p}_first_value[q], last = {p}_first_value[q + 1];
    const int end = last;
    if ({p}_kind[q] == 2) return isnan(value) ? 0 : 1;
    if (isnan(value)) continue;
    while (at < last) {{
      const int middle = at + (last - at) / 2;
      if ({p}_value[middle] < value) at = middle + 1;
      else last = middle;
    }}
    if (at == end || ({p}_kind[q] == 1 && {p}_value[at] != value)) continue;
    if ({p}_branch_of[at] >= 0) return {p}_branch_of[at];
  }}
  return {p}_otherwise[node];
}}
"""
_STEPS = """
static const struct {{
  double value;
  int variable, at_most, above, missing;  /* the next step; ~end at a leaf */
}} {p}_steps[] = {{
{steps}
}};

static int {p}_end(const double *x) {{
  int at = {first};
  while (at >= 0) {{
    const double value = x[{p}_steps[at].variable];
    if (value <= {p}_steps[at].value) at = {p}_steps[at].at_most;
    else if (value > {p}_steps[at].value) at = {p}_steps[at].above;
    else at = {p}_steps[at].missing;
  }}
  return ~at;
}}
"""
_MANY_ENDS = """
/* Adds up, over the parts of a divided row, share times of_end[end * width + k]. The
 * parts that wait are kept on a stack that cannot overflow: each level of the tree adds
 * at most its branches. Returns the place of the largest part. */
static int {p}_total(const double *x, const double *of_end, int width, double *out) {{
  int waiting[{p}_STACK], n = 1, best = 0, k;
  double shares[{p}_STACK], largest = -1.0;
  waiting[0] = 0;
  shares[0] = 1.0;
  for (k = 0; k < width; ++k) out[k] = 0.0;
  while (n > 0) {{
    const int node = waiting[--n];
    const double share = shares[n];
    const int first = {p}_first_child[node], last = {p}_first_child[node + 1];
    const int branch = first == last ? -1 : {p}_branch(x, node);
    if (branch == -1) {{
      const int end = {p}_end_of[node];
      for (k = 0; k < width; ++k) out[k] += share * of_end[end * width + k];
      if (share > largest) {{
        largest = share;
        best = end;
      }}
    }} else if (branch == -2) {{
      int at;
      for (at = last - 1; at >= first; --at) {{
        if ({p}_share[at] > 0.0) {{
          waiting[n] = {p}_child[at];
          shares[n++] = share * {p}_share[at];
        }}
      }}
    }} else {{
      waiting[n] = {p}_child[first + branch];
      shares[n++] = share;
    }}
  }}
  return best;
}}
"""
_TEXT_CODE = """
static double {p}_code(const char *text, const char *const *labels, const int *codes,
                       int n) {{
  int low = 0, high = n;
  if (text == NULL) return (double)NAN;
  while (low < high) {{
    const int middle = low + (high - low) / 2;
    const int order = strcmp(labels[middle], text);
    if (order == 0) return (double)codes[middle];
    if (order < 0) low = middle + 1;
    else high = middle;
  }}
  return (double)NAN;
}}
"""
_NUMBER_CODE = """
static double {p}_place(double number, const double *labels, int n) {{
  int i;
  for (i = 0; i < n; ++i) if (labels[i] == number) return (double)i;
  return (double)NAN;
}}
"""
_ENCODED = """  double x[{up}_N_COLUMNS];
  {p}_encode(row, x);
"""
_LEAF_OF_ROW = (
    """
/* The number of the leaf of a row. */
static inline int {p}_leaf(const struct {p}_row *row) {{
"""
    + _ENCODED
    + """  return {p}_leaf_number[{p}_end(x)];
}}
"""
)
_DIVIDED_LEAF = (
    """
/* The number of the leaf of the largest part of a row. */
static inline int {p}_leaf(const struct {p}_row *row) {{
  double out[{width}];
"""
    + _ENCODED
    + """  return {p}_leaf_number[{p}_total(x, {of_end}, {width}, out)];
}}
"""
)
_CLASS = (
    """
/* The class that the tree answers for a row: a place in {p}_classes. */
static inline int {p}_predict(const struct {p}_row *row) {{
"""
    + _ENCODED
    + """  return {p}_class_of_end[{p}_end(x)];
}}

/* The probability of each class, in the order of {p}_classes. */
static inline void {p}_probabilities(const struct {p}_row *row, double *out) {{
"""
    + _ENCODED
    + """  memcpy(out, {of_end} + {p}_end(x) * {width}, {width} * sizeof *out);
}}
"""
)
_DIVIDED_CLASS = (
    """
/* The probability of each class, in the order of {p}_classes. */
static inline void {p}_probabilities(const struct {p}_row *row, double *out) {{
"""
    + _ENCODED
    + """  {p}_total(x, {of_end}, {width}, out);
}}
"""
)
_LEAST_COST = """
/* The class of least expected cost: a place in {p}_classes; the first of equals. */
static inline int {p}_predict(const struct {p}_row *row) {{
  double p[{width}], costs[{width}], least = (double)INFINITY, most = 0.0;
  int i, k;
  {p}_probabilities(row, p);
  for (k = 0; k < {width}; ++k) {{
    costs[k] = 0.0;
    for (i = 0; i < {width}; ++i) costs[k] += p[i] * {p}_costs[i * {width} + k];
    if (costs[k] < least) least = costs[k];
    if (costs[k] > most) most = costs[k];
  }}
  for (k = 0; k < {width}; ++k) if (costs[k] <= least + 1e-12 * most) return k;
  return 0;
}}
"""
_NUMBER = (
    """
/* The number that the tree answers for a row. */
static inline double {p}_predict(const struct {p}_row *row) {{
"""
    + _ENCODED
    + """  return {of_end}[{p}_end(x)];
}}
"""
)
_DIVIDED_NUMBER = (
    """
/* The number that the tree answers for a row. */
static inline double {p}_predict(const struct {p}_row *row) {{
  double out[1];
"""
    + _ENCODED
    + """  {p}_total(x, {of_end}, 1, out);
  return out[0];
}}
"""
)


class C(Language):
    """Writes a header with `tree_predict`, `tree_probabilities` and `tree_leaf`."""

    infinity = "(double)INFINITY"
    prefix = "tree"
    holds_nul = False
    most_nested_nodes = 20_000  # 1.5 times as fast as steps

    def commented(self, lines: Any) -> list[str]:
        """Return lines as one block comment."""
        body = [f" * {plain(line)}".rstrip() for line in lines]
        return ["/*", *body, " */"]

    def check_rows(self) -> list[str]:
        """Return rows with expected answers as one block comment."""
        lines = embedded_lines(self.program, self._check_rows)
        return ["", "/*", *(f" * {line}" for line in lines), " */"] if lines else []

    def text(self, text: str) -> str:
        """Return a text literal in UTF-8; bytes beyond ASCII in octal."""
        out = "".join(
            chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}"
            for b in text.encode("utf-8", "surrogatepass")
        )
        return f'"{out}"'

    def _remark(self, words: str) -> str:
        """Return a comment that stands behind a statement."""
        return f"{super()._remark(words).replace(self.comment, '/*', 1)} */"

    def file(self) -> str:
        """Return the header."""
        p = self.prefix
        how = [
            "",
            "Numbers are doubles; NAN is missing. Texts are UTF-8; NULL is missing. An",
            "unknown category counts as missing. Compile without -ffast-math, which",
            "would remove the tests for NAN.",
        ]
        parts = [
            *self._title_block(how),
            f"#ifndef TREEWRIGHT_{p.upper()}_H",
            f"#define TREEWRIGHT_{p.upper()}_H",
            "#include <math.h>",
            "#include <stddef.h>",
            "#include <string.h>",
            "",
            *self._row(),
            *self._answers(),
            *self._encoder(),
            *self._walk(),
            *self._functions(),
            *self.check_rows(),
            "#endif",
        ]
        return "\n".join(parts) + "\n"

    def _title_block(self, how: list[str]) -> list[str]:
        lines = [line.removeprefix(" * ").removeprefix(" *") for line in self.title()]
        return self.commented([*lines[1:-1], *how])

    def _row(self) -> list[str]:
        fields = [
            f"  {'const char *' if v.type == 'text' else 'double '}x{v.place};"
            f"  /* {plain(describe(v))} */"
            for v in self.program.variables
        ] or ["  char unused;  /* the tree reads no column */"]
        return [f"struct {self.prefix}_row {{", *fields, "};", ""]

    def _array(self, name: str, values: list[Any], kind: str) -> str:
        items = [self.number(v) if kind == "double" else str(v) for v in values]
        items = items or ["0"]
        body = wrapped(items)
        return f"static const {kind} {self.prefix}_{name}[] = {{\n{body}\n}};"

    def _answers(self) -> list[str]:
        lines = [self._array("leaf_number", self.ends(), "int")]
        if not self.program.is_classifier:
            values = self.values_of_ends()
            return [*lines, self._array("value_of_end", values, "double")]
        p, classes = self.prefix, self.program.classes
        names = wrapped([self.text(str(label)) for label in classes])
        flat = [value for row in self.probabilities_of_ends() for value in row]
        return [
            *lines,
            f"#define {p.upper()}_N_CLASSES {len(classes)}",
            f"static const char *const {p}_classes[] = {{\n{names}\n}};",
            self._array("class_of_end", self.labels_of_ends(), "int"),
            self._array("probability_of_end", flat, "double"),
        ]

    def _encoder(self) -> list[str]:
        p, lines, arrays = self.prefix, [], []
        kinds = {v.type for v in self.program.variables if v.labels}
        if "text" in kinds:
            arrays.append(_TEXT_CODE.format(p=p).rstrip("\n"))
        if kinds - {"text"}:
            arrays.append(_NUMBER_CODE.format(p=p).rstrip("\n"))
        for v in self.program.variables:
            if v.labels:
                arrays.append(self._labels(v))
            lines.append(f"  x[{v.place}] = {self._encoded(v)};")
        n = max(len(self.program.variables), 1)
        head = f"static void {p}_encode(const struct {p}_row *row, double *x) {{"
        unused = [] if lines else ["  (void)row;", "  x[0] = 0.0;"]
        return [
            f"#define {p.upper()}_N_COLUMNS {n}",
            *arrays,
            "",
            head,
            *lines,
            *unused,
            "}",
        ]

    def _labels(self, variable: Variable) -> str:
        name = f"{self.prefix}_labels_{variable.place}"
        if variable.type != "text":
            items = [self.number(float(label)) for label in variable.labels]
            return f"static const double {name}[] = {{\n{wrapped(items)}\n}};"
        ordered = self._sorted(variable)
        items = [self.text(label) for label, _ in ordered]
        codes = wrapped([str(code) for _, code in ordered])
        return (
            f"static const char *const {name}[] = {{\n{wrapped(items)}\n}};\n"
            f"static const int {name.replace('labels', 'codes')}[] = {{\n{codes}\n}};"
        )

    @staticmethod
    def _sorted(variable: Variable) -> list[tuple[str, int]]:
        """Return the labels, ordered as by strcmp, with their codes."""
        pairs = [(label, code) for code, label in enumerate(variable.labels)]
        return sorted(pairs, key=lambda p: p[0].encode("utf-8", "surrogatepass"))

    def _encoded(self, variable: Variable) -> str:
        p, place = self.prefix, variable.place
        if not variable.labels:
            return f"row->x{place}"
        n = len(variable.labels)
        if variable.type == "text":
            lists = f"{p}_labels_{place}, {p}_codes_{place}"
            return f"{p}_code(row->x{place}, {lists}, {n})"
        return f"{p}_place(row->x{place}, {p}_labels_{place}, {n})"

    def _walk(self) -> list[str]:
        p = self.prefix
        if self.nested:
            body = "\n".join(self.conditions(1))
            unused = "  (void)x;\n" if not self.program.variables else ""
            return [f"\nstatic int {p}_end(const double *x) {{\n{unused}{body}\n}}"]
        if not self.program.divides_rows:
            return [self._steps().rstrip("\n")]
        tables = self.tables
        arrays = [
            self._array(name, getattr(tables, field), kind)
            for name, field, kind in (
                ("first_question", "first_question", "int"),
                ("first_child", "first_child", "int"),
                ("otherwise", "otherwise", "int"),
                ("child", "child", "int"),
                ("share", "share", "double"),
                ("kind", "kind", "unsigned char"),
                ("variable", "variable", "int"),
                ("first_value", "first_value", "int"),
                ("value", "value", "double"),
                ("branch_of", "branch", "int"),
                ("end_of", "end_of", "int"),
            )
        ]
        depth = int(self.program.tree.depth.max())
        most = max(len(node.children) for node in self.program.nodes)
        return [
            "",
            *arrays,
            f"#define {p}_STACK {depth * most + 1}",
            _BRANCH.format(p=p).rstrip("\n"),
            _MANY_ENDS.format(p=p).rstrip("\n"),
        ]

    def _steps(self) -> str:
        steps = steps_of(self.program)
        rows = zip(
            steps.value, steps.variable, steps.at_most, steps.above, steps.missing,
            strict=True,
        )  # fmt: skip
        written = [
            f"{{{self.number(value)}, {', '.join(map(str, rest))}}}"
            for value, *rest in rows
        ]
        body = wrapped(written or ["{0.0, 0, 0, 0, 0}"])
        return _STEPS.format(p=self.prefix, steps=body, first=steps.first)

    def _functions(self) -> list[str]:
        classes, divided = self.program.is_classifier, self.program.divides_rows
        width = f"{self.prefix.upper()}_N_CLASSES" if classes else "1"
        of_end = "probability_of_end" if classes else "value_of_end"
        parts = [_DIVIDED_LEAF if divided else _LEAF_OF_ROW]
        if classes:
            parts += [_DIVIDED_CLASS, _LEAST_COST] if divided else [_CLASS]
        else:
            parts.append(_DIVIDED_NUMBER if divided else _NUMBER)
        names = {"p": self.prefix, "up": self.prefix.upper()}
        names |= {"width": width, "of_end": f"{self.prefix}_{of_end}"}
        if classes and divided:
            flat = [value for row in self.costs() for value in row]
            parts.insert(
                0,
                self._array("costs", flat, "double")
                .replace("{", "{{")
                .replace("}", "}}"),
            )
        return [part.format(**names).rstrip("\n") for part in parts]
