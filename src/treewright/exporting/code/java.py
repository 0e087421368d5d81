"""A tree as a Java class with static methods."""

from __future__ import annotations

from typing import Any

from treewright.exporting.code.language import Language, wrapped
from treewright.exporting.heading import describe
from treewright.exporting.program import Variable

__all__ = ["Java"]

_BRANCH = """
  private static int branch(double[] x, int node) {
    for (int q = FIRST_QUESTION[node]; q < FIRST_QUESTION[node + 1]; q++) {
      double value = x[VARIABLE[q]];
      if (KIND[q] == 2) return Double.isNaN(value) ? 0 : 1;
      if (Double.isNaN(value)) continue;
      int at = FIRST_VALUE[q], last = FIRST_VALUE[q + 1];
      while (at < last) {
        int middle = (at + last) >>> 1;
        if (VALUE[middle] < value) at = middle + 1;
        else last = middle;
      }
      boolean placed = at < FIRST_VALUE[q + 1] && (KIND[q] == 0 || VALUE[at] == value);
      if (placed && BRANCH[at] >= 0) return BRANCH[at];
    }
    return OTHERWISE[node];
  }
"""
_ONE_END = """
  private static int end(double[] x) {
    int node = 0;
    while (FIRST_CHILD[node] < FIRST_CHILD[node + 1]) {
      int branch = branch(x, node);
      if (branch < 0) break;
      node = CHILD[FIRST_CHILD[node] + branch];
    }
    return END_OF[node];
  }
"""
_SHARES = """
  /** The share of a row that ends in each leaf. */
  private static double[] shares(double[] x) {
    double[] shares = new double[LEAF.length];
    java.util.ArrayDeque<double[]> waiting = new java.util.ArrayDeque<>();
    waiting.push(new double[] {0, 1});
    while (!waiting.isEmpty()) {
      double[] next = waiting.pop();
      int node = (int) next[0], first = FIRST_CHILD[node], last = FIRST_CHILD[node + 1];
      int branch = first == last ? -1 : branch(x, node);
      if (branch == -1) {
        shares[END_OF[node]] += next[1];
      } else if (branch == -2) {
        for (int at = last - 1; at >= first; at--) {
          double part = next[1] * SHARE[at];
          if (part > 0) waiting.push(new double[] {CHILD[at], part});
        }
      } else {
        waiting.push(new double[] {CHILD[first + branch], next[1]});
      }
    }
    return shares;
  }

  private static int end(double[] x) {
    double[] shares = shares(x);
    int best = 0;
    for (int i = 1; i < shares.length; i++) if (shares[i] > shares[best]) best = i;
    return best;
  }
"""
_READ = """
  private static double[] numbers(String... parts) {
    String text = String.join("", parts);
    if (text.isEmpty()) return new double[0];
    String[] words = text.split(",");
    double[] out = new double[words.length];
    for (int i = 0; i < out.length; i++) out[i] = Double.parseDouble(words[i]);
    return out;
  }

  private static int[] integers(String... parts) {
    double[] read = numbers(parts);
    int[] out = new int[read.length];
    for (int i = 0; i < out.length; i++) out[i] = (int) read[i];
    return out;
  }
"""
_LEAF = """
  /** The number of the leaf of a row (of its largest part, if divided). */
  public static int leaf(Row row) {
    return LEAF[end(encode(row))];
  }
"""
_CLASS = """
  /** The class that the tree answers for a row. */
  public static String predict(Row row) {
    return CLASSES[CLASS[end(encode(row))]];
  }

  /** The probability of each class, in the order of CLASSES. */
  public static double[] probabilities(Row row) {
    int end = end(encode(row)), k = CLASSES.length;
    return java.util.Arrays.copyOfRange(PROBABILITY, end * k, (end + 1) * k);
  }
"""
_DIVIDED_CLASS = """
  /** The probability of each class, in the order of CLASSES. */
  public static double[] probabilities(Row row) {
    int n = CLASSES.length;
    double[] shares = shares(encode(row)), out = new double[n];
    for (int i = 0; i < shares.length; i++) {
      for (int k = 0; k < n; k++) out[k] += shares[i] * PROBABILITY[i * n + k];
    }
    return out;
  }

  /** The class of least expected cost for a row; of equal ones, the first. */
  public static String predict(Row row) {
    int n = CLASSES.length;
    double[] p = probabilities(row), costs = new double[n];
    double least = Double.POSITIVE_INFINITY, most = 0;
    for (int k = 0; k < n; k++) {
      for (int i = 0; i < n; i++) costs[k] += p[i] * COST[i * n + k];
      least = Math.min(least, costs[k]);
      most = Math.max(most, costs[k]);
    }
    int k = 0;
    while (costs[k] > least + 1e-12 * most) k++;
    return CLASSES[k];
  }
"""
_NUMBER = """
  /** The number that the tree answers for a row. */
  public static double predict(Row row) {
    return VALUE_OF_END[end(encode(row))];
  }
"""
_DIVIDED_NUMBER = """
  /** The number that the tree answers for a row. */
  public static double predict(Row row) {
    double[] shares = shares(encode(row));
    double total = 0;
    for (int i = 0; i < shares.length; i++) total += shares[i] * VALUE_OF_END[i];
    return total;
  }
"""
_LONGEST_STRING = 10_000  # characters; a constant of a class has at most 65,535 bytes


class Java(Language):
    """Writes a class `Tree` with `predict`, `probabilities` and `leaf` of a `Row`."""

    infinity = "Double.POSITIVE_INFINITY"
    most_nested_nodes = 300  # a method has at most 64 KB of bytecode

    def is_missing(self, x: str) -> str:
        """Return the test that an encoded value is missing."""
        return f"Double.isNaN({x})"

    def never(self) -> str:
        """Return a condition that is always false, which javac cannot know."""
        return "x.length < 0"

    def text(self, text: str) -> str:
        """Return a text literal; characters beyond ASCII as UTF-16 escapes."""
        units = text.encode("utf-16-be", "surrogatepass")
        codes = [units[i] << 8 | units[i + 1] for i in range(0, len(units), 2)]
        return '"' + "".join(map(_character, codes)) + '"'

    def file(self) -> str:
        """Return the source file."""
        how = [
            "",
            "Save it as Tree.java. Numbers are doubles; NaN is missing. Texts are",
            "strings; null is missing. An unknown category counts as missing.",
        ]
        divided = self.program.divides_rows
        if self.program.is_classifier:
            functions = _DIVIDED_CLASS if divided else _CLASS
        else:
            functions = _DIVIDED_NUMBER if divided else _NUMBER
        parts = [
            *self.title(),
            *self.commented(how),
            "public final class Tree {",
            "  private Tree() {}",
            *self._row(),
            _READ.rstrip("\n"),
            "",
            *self._answers(),
            *self._encoder(),
            *self._walk(),
            _LEAF.rstrip("\n"),
            functions.rstrip("\n"),
            *self.check_rows(),
            "}",
        ]
        return "\n".join(parts) + "\n"

    def _row(self) -> list[str]:
        lines = [
            "",
            "  /** The columns that the tree reads. */",
            "  public static final class Row {",
        ]
        for v in self.program.variables:
            kind, start = (
                ("String", "null") if v.type == "text" else ("double", "Double.NaN")
            )
            words = self.commented([describe(v)])[0]
            lines.append(f"    public {kind} x{v.place} = {start};  {words}")
        return [*lines, "  }"]

    def _numbers(self, name: str, values: list[Any], kind: str) -> str:
        """Return a table that is read from text: long array literals do not compile."""
        words = [
            repr(float(v)).replace("inf", "Infinity") if kind == "double" else str(v)
            for v in values
        ]
        pieces, piece = [], ""
        for i, word in enumerate(words):
            piece += word + ("," if i < len(words) - 1 else "")
            if len(piece) > _LONGEST_STRING:
                pieces.append(piece)
                piece = ""
        body = ",\n    ".join(f'"{each}"' for each in [*pieces, piece])
        read = "numbers" if kind == "double" else "integers"
        return f"  private static final {kind}[] {name} = {read}(\n    {body});"

    def _answers(self) -> list[str]:
        lines = [self._numbers("LEAF", self.ends(), "int")]
        if not self.program.is_classifier:
            return [
                *lines,
                self._numbers("VALUE_OF_END", self.values_of_ends(), "double"),
            ]
        names = wrapped([self.text(str(label)) for label in self.program.classes])
        flat = [value for row in self.probabilities_of_ends() for value in row]
        lines += [
            f"  public static final String[] CLASSES = {{\n{names}\n  }};",
            self._numbers("CLASS", self.labels_of_ends(), "int"),
            self._numbers("PROBABILITY", flat, "double"),
        ]
        if self.program.divides_rows:
            costs = [value for row in self.costs() for value in row]
            lines.append(self._numbers("COST", costs, "double"))
        return lines

    def _encoder(self) -> list[str]:
        lines = ["", "  private static double[] encode(Row row) {"]
        lines.append(f"    double[] x = new double[{len(self.program.variables)}];")
        tables = []
        for v in self.program.variables:
            if v.labels:
                tables += self._labels(v)
            value = f"CODES_{v.place}.getOrDefault(row.x{v.place}, Double.NaN)"
            lines.append(
                f"    x[{v.place}] = {value if v.labels else f'row.x{v.place}'};"
            )
        return [*tables, *lines, "    return x;", "  }"]

    def _labels(self, variable: Variable) -> list[str]:
        key = "String" if variable.type == "text" else "Double"
        kind = f"java.util.HashMap<{key}, Double>"
        name = f"CODES_{variable.place}"
        lines = [f"  private static final {kind} {name} = new {kind}();", "  static {"]
        literals = [
            self.text(label) if key == "String" else self.number(float(label))
            for label in variable.labels
        ]
        lines.append(f"    {key}[] labels = {{\n{wrapped(literals)}\n    }};")
        put = f"{name}.put(labels[i], (double) i);"
        lines.append(f"    for (int i = 0; i < labels.length; i++) {put}")
        return [*lines, "  }"]

    def _walk(self) -> list[str]:
        if self.nested:
            body = "\n".join(self.conditions(2))
            return [f"\n  private static int end(double[] x) {{\n{body}\n  }}"]
        tables = self.tables
        lines = [""]
        for name in ("first_question", "first_child", "otherwise", "child", "kind"):
            lines.append(self._numbers(name.upper(), getattr(tables, name), "int"))
        for name in ("variable", "first_value", "branch", "end_of"):
            lines.append(self._numbers(name.upper(), getattr(tables, name), "int"))
        lines.append(self._numbers("VALUE", tables.value, "double"))
        if self.program.divides_rows:
            lines.append(self._numbers("SHARE", tables.share, "double"))
        walk = _SHARES if self.program.divides_rows else _ONE_END
        return [*lines, _BRANCH.rstrip("\n"), walk.rstrip("\n")]


def _character(code: int) -> str:
    """Return a UTF-16 unit as it may stand in a Java text literal.

    Unicode escapes are read before anything else, so one for a quote or a line end
    would end the literal: those are written in octal.
    """
    if 32 <= code < 127 and chr(code) not in '"\\':
        return chr(code)
    return f"\\{code:03o}" if code < 128 else f"\\u{code:04x}"
