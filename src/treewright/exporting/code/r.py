"""A tree as R functions of a data frame, without packages."""

from __future__ import annotations

import math
from typing import Any

from treewright.exporting.code.language import Language, wrapped
from treewright.exporting.decimals import far_from_ties
from treewright.exporting.program import Variable

__all__ = ["R"]

_BRANCH = """
.tree_branch <- function(x, node) {
  first <- .tree$first_question[node + 1] + 1
  last <- .tree$first_question[node + 2]
  for (q in seq_len(last - first + 1) + first - 1) {
    value <- x[.tree$variable[q] + 1]
    if (.tree$kind[q] == 2) return(if (is.nan(value)) 0 else 1)
    if (is.nan(value)) next
    at <- .tree$first_value[q] + 1
    end <- .tree$first_value[q + 1]
    while (at <= end && .tree$value[at] < value) at <- at + 1
    placed <- at <= end && (.tree$kind[q] == 0 || .tree$value[at] == value)
    if (placed && .tree$branch[at] >= 0) return(.tree$branch[at])
  }
  .tree$otherwise[node + 1]
}
"""
_ONE_END = """
# The place of the leaf of a row, from 0.
.tree_end <- function(x) {
  node <- 0
  repeat {
    first <- .tree$first_child[node + 1]
    if (first == .tree$first_child[node + 2]) break
    branch <- .tree_branch(x, node)
    if (branch < 0) break
    node <- .tree$child[first + branch + 1]
  }
  .tree$end_of[node + 1]
}
"""
_ENDS = """
.tree_ends <- function(data) {
  x <- .tree_encode(data)
  vapply(seq_len(nrow(data)), function(i) .tree_end(x[i, ]), 0) + 1
}

# The number of the leaf of each row.
tree_leaf <- function(data) .tree$leaf[.tree_ends(data)]
"""
_CLASS = """
# The probability of each class (column) for each row.
tree_probabilities <- function(data) {
  found <- .tree$probability[.tree_ends(data), , drop = FALSE]
  dimnames(found) <- list(NULL, .tree$classes)
  found
}

# The class that the tree answers for each row.
tree_predict <- function(data) .tree$classes[.tree$class[.tree_ends(data)] + 1]
"""
_NUMBER = """
# The number that the tree answers for each row.
tree_predict <- function(data) .tree$value_of_end[.tree_ends(data)]
"""
_MANY_ENDS = """
# The share of a row that ends in each leaf.
.tree_shares <- function(x) {
  shares <- numeric(length(.tree$leaf))
  nodes <- 0
  parts <- 1
  while (length(nodes) > 0) {
    node <- nodes[1]
    part <- parts[1]
    nodes <- nodes[-1]
    parts <- parts[-1]
    first <- .tree$first_child[node + 1]
    last <- .tree$first_child[node + 2]
    branch <- if (first == last) -1 else .tree_branch(x, node)
    if (branch == -1) {
      end <- .tree$end_of[node + 1] + 1
      shares[end] <- shares[end] + part
    } else if (branch == -2) {
      for (at in seq(first + 1, last)) {
        if (.tree$share[at] > 0) {
          nodes <- c(nodes, .tree$child[at])
          parts <- c(parts, part * .tree$share[at])
        }
      }
    } else {
      nodes <- c(.tree$child[first + branch + 1], nodes)
      parts <- c(part, parts)
    }
  }
  shares
}

.tree_rows <- function(data) {
  x <- .tree_encode(data)
  lapply(seq_len(nrow(data)), function(i) .tree_shares(x[i, ]))
}

# The number of the leaf of the largest part of each row.
tree_leaf <- function(data) {
  vapply(.tree_rows(data), function(s) .tree$leaf[which.max(s)], 0)
}
"""
_DIVIDED_CLASS = """
# The probability of each class (column) for each row.
tree_probabilities <- function(data) {
  k <- length(.tree$classes)
  rows <- lapply(.tree_rows(data), function(s) colSums(s * .tree$probability))
  matrix(unlist(rows), ncol = k, byrow = TRUE, dimnames = list(NULL, .tree$classes))
}

# The class of least expected cost for each row; of equal ones, the first.
tree_predict <- function(data) {
  costs <- tree_probabilities(data) %*% .tree$cost
  least <- apply(costs, 1, function(c) which(c <= min(c) + 1e-12 * max(c))[1])
  .tree$classes[least]
}
"""
_DIVIDED_NUMBER = """
# The number that the tree answers for each row.
tree_predict <- function(data) {
  vapply(.tree_rows(data), function(s) sum(s * .tree$value_of_end), 0)
}
"""


class R(Language):
    """Writes `tree_predict`, `tree_probabilities` and `tree_leaf` of a data frame."""

    comment = "#"
    infinity = "Inf"
    holds_nul = False
    most_nested_depth = 25  # R's parser has a limit of 50 nested contexts

    def is_missing(self, x: str) -> str:
        """Return the test that an encoded value is missing."""
        return f"is.nan({x})"

    def is_true(self, condition: str) -> str:
        """Return a condition that is false, not missing, for a missing value."""
        return f"isTRUE({condition})"

    def never(self) -> str:
        """Return a condition that is always false."""
        return "FALSE"

    def returned(self, end: int) -> str:
        """Return the expression that gives the place of a leaf."""
        return f"{end}"

    def variable(self, variable: Variable) -> str:
        """Return the name of an encoded variable."""
        return f"x[[{variable.place + 1}]]"

    def number(self, number: float) -> str:
        """Return a number literal that R, which rounds twice, reads exactly."""
        if math.isinf(number):
            return "Inf" if number > 0 else "-Inf"
        return far_from_ties(number)

    @staticmethod
    def quoted(text: str) -> str:
        """Return a text literal."""
        out = "".join(
            c if " " <= c <= "~" and c not in '"\\' else f"\\U{{{ord(c):x}}}"
            for c in text
        )
        return f'"{out}"'

    def text(self, text: str) -> str:
        """Return a text literal."""
        return self.quoted(text)

    def file(self) -> str:
        """Return the source file."""
        how = [
            "",
            "`data` is a data frame. NA and NaN are missing, and so is a column that",
            "is not there; an unknown category counts as missing.",
        ]
        parts = [
            *self.title(),
            *self.commented(how),
            "",
            *self._lists(),
            *self._encoder(),
            *(part.rstrip("\n") for part in self._functions()),
            *self.check_rows(),
        ]
        return "\n".join(parts) + "\n"

    def _array(self, name: str, values: list[Any]) -> str:
        return f"  {name} = c(\n{wrapped([self.number(float(v)) for v in values])}\n  )"

    def _lists(self) -> list[str]:
        items = [self._array("leaf", self.ends())]
        if self.program.is_classifier:
            names = [self._class(label) for label in self.program.classes]
            items.append(f"  classes = c(\n{wrapped(names)}\n  )")
            items.append(self._array("class", self.labels_of_ends()))
            items.append(self._matrix("probability", self.probabilities_of_ends()))
            if self.program.divides_rows:
                items.append(self._matrix("cost", self.costs()))
        else:
            items.append(self._array("value_of_end", self.values_of_ends()))
        if not self.nested:
            tables = self.tables
            items += [
                self._array(name, values) for name, values in vars(tables).items()
            ]
        return [".tree <- list(", ",\n".join(items), ")"]

    def _class(self, label: Any) -> str:
        if isinstance(label, str):
            return self.text(label)
        return (
            str(label).upper() if isinstance(label, bool) else self.number(float(label))
        )

    def _matrix(self, name: str, rows: list[list[float]]) -> str:
        flat = wrapped([self.number(value) for row in rows for value in row])
        return f"  {name} = matrix(c(\n{flat}\n  ), nrow = {len(rows)}, byrow = TRUE)"

    def _encoder(self) -> list[str]:
        lines = ["", ".tree_encode <- function(data) {", "  n <- nrow(data)"]
        lines.append(f"  x <- matrix(NaN, n, {len(self.program.variables)})")
        for v in self.program.variables:
            name = self.text(v.name)
            lines.append(f"  value <- data[[{name}]]")
            lines.append("  if (!is.null(value)) {")
            lines += [f"    {line}" for line in self._encoded(v)]
            lines.append("  }")
        return [*lines, "  x[is.na(x)] <- NaN", "  x", "}"]

    def _encoded(self, variable: Variable) -> list[str]:
        column = f"x[, {variable.place + 1}]"
        if not variable.labels:
            return [f"{column} <- as.numeric(value)"]
        if variable.type == "text":
            labels = wrapped([self.text(label) for label in variable.labels])
            found = f"match(enc2utf8(as.character(value)), c({labels}))"
            return [f"{column} <- {found} - 1"]
        labels = wrapped([self.number(float(label)) for label in variable.labels])
        return [f"{column} <- match(as.numeric(value), c({labels})) - 1"]

    def _functions(self) -> list[str]:
        if self.program.divides_rows:
            answer = _DIVIDED_CLASS if self.program.is_classifier else _DIVIDED_NUMBER
            return [_BRANCH, _MANY_ENDS, answer]
        answer = _CLASS if self.program.is_classifier else _NUMBER
        if not self.nested:
            return [_BRANCH, _ONE_END, _ENDS, answer]
        body = "\n".join(self.conditions(1))
        return [f"\n.tree_end <- function(x) {{\n{body}\n}}", _ENDS, answer]
