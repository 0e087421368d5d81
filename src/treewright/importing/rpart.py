r"""A tree of R's rpart as a tree of treewright.

These lines of R, which need no package, write a fitted tree to a CSV file with one
line per number or text::

    write_rpart <- function(fit, file) {
      text <- function(x) if (is.numeric(x)) sprintf("%.17g", x) else as.character(x)
      column <- function(table, name, x)
        data.frame(table = table, column = name, value = text(x))
      cells <- function(table, x) do.call(rbind, lapply(which(lengths(x) > 0),
        function(i) column(table, names(x)[i], x[[i]])))
      classes <- attr(fit$terms, "dataClasses")
      levels <- attr(fit, "ylevels")
      frame <- fit$frame
      nodes <- data.frame(node = rownames(frame), frame[c("var", "n", "wt", "dev",
        "yval", "ncompete", "nsurrogate")])
      about <- list(method = fit$method, target = deparse(fit$terms[[2]])[1],
        columns = attr(fit$terms, "term.labels"), ylevels = levels,
        ordered = names(classes)[classes == "ordered"],
        usesurrogate = fit$control$usesurrogate)
      out <- rbind(cells("about", about), cells("frame", nodes),
                   cells("xlevels", attr(fit, "xlevels")))
      if (!is.null(fit$splits)) out <- rbind(out, cells("splits",
        data.frame(variable = rownames(fit$splits), fit$splits, row.names = NULL)))
      if (!is.null(fit$csplit)) out <- rbind(out,
        cells("csplit", as.data.frame(fit$csplit)))
      if (fit$method == "class") out <- rbind(out,
        cells("counts", as.data.frame(
          frame$yval2[, 1 + seq_along(levels), drop = FALSE])),
        cells("loss", as.data.frame(fit$parms$loss)),
        cells("parms", list(prior = as.vector(fit$parms$prior),
                            split = fit$parms$split)))
      write.csv(out, file, row.names = FALSE, fileEncoding = "UTF-8")
    }

A JSON file has the same tables: an object of objects, each with a list per column.

rpart sends ``x < cut`` to one side. A tree of treewright asks ``x <= threshold``, so
the threshold is the largest number below the cut.

When rpart grows a tree, it may leave a row with a missing value in an inner node, and
send such a row on when it predicts (with ``maxsurrogate = 0``, or where both branches
weigh the same). The imported tree predicts as rpart does; in such a node the rows of
the children are fewer than its own.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import ClassCriterion, Criterion, find
from treewright.errors import OptionError, TreeFormatError
from treewright.importing.assemble import assemble, preorder
from treewright.table.schema import Feature, Schema, TargetInfo
from treewright.tree.costs import answer_by_cost
from treewright.tree.data import LEAF, STOP_HERE, SUBSET, THRESHOLD, TreeData

__all__ = ["from_rpart"]

_NEEDED = {
    "about": ("method", "target", "columns", "usesurrogate"),
    "frame": ("node", "var", "n", "wt", "dev", "yval", "ncompete", "nsurrogate"),
}
_HOW = (
    "Write the file with the R function in the documentation of "
    "treewright.importing.rpart."
)
_LEFT, _RIGHT = 1, 3
"""Where rpart's `csplit` sends a category; 2: it was not in the node."""


def from_rpart(source: str | PathLike[str] | Mapping[str, Any]) -> TreeData:
    """Return a tree of rpart.

    Parameters
    ----------
    source : path or mapping
        The CSV or JSON file that the lines above write, or its tables.

    Returns
    -------
    TreeData

    Raises
    ------
    TreeFormatError
        When the file does not hold these tables.
    OptionError
        When the tree was grown with another method than 'class' or 'anova'.
    """
    tables = source if isinstance(source, Mapping) else _read(Path(source))
    _check(tables)
    try:
        return _tree(tables)
    except (KeyError, IndexError, ValueError, TypeError, OverflowError) as problem:
        if isinstance(problem, (TreeFormatError, OptionError)):
            raise
        raise TreeFormatError(
            f"These are not the tables of a tree of rpart ({type(problem).__name__}: "
            f"{problem}). {_HOW}"
        ) from problem


# -- reading ---------------------------------------------------------------------------


def _read(path: Path) -> Mapping[str, Any]:
    if path.is_dir():
        raise TreeFormatError(f"{path} is a folder; name the file of a tree. {_HOW}")
    try:
        content = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise TreeFormatError(
            f"{path.name} is not text, so it holds no tables of a tree. (An .rds file "
            f"can be read by R only.) {_HOW}"
        ) from None
    if content.lstrip().startswith("{"):
        try:
            found: Mapping[str, Any] = json.loads(content)
        except json.JSONDecodeError as problem:
            raise TreeFormatError(f"{path.name} is not JSON: {problem}.") from problem
        return found
    tables: dict[str, dict[str, list[str]]] = {}
    for line in csv.DictReader(content.splitlines(keepends=True)):
        if None in (line.get("table"), line.get("column"), line.get("value")):
            raise TreeFormatError(
                f"{path.name} must have the columns table, column and value. {_HOW}"
            )
        columns = tables.setdefault(line["table"], {})
        columns.setdefault(line["column"], []).append(line["value"])
    return tables


def _check(tables: Mapping[str, Any]) -> None:
    for table, columns in _NEEDED.items():
        for column in columns:
            if column not in (tables.get(table) or {}):
                raise TreeFormatError(
                    f"The tree of rpart lacks {column!r} of the table {table!r}. {_HOW}"
                )
    method = _one(tables["about"]["method"])
    if method not in ("class", "anova"):
        raise OptionError(
            "from_rpart reads trees of the methods 'class' and 'anova'; this one was "
            f"grown with method={method!r}."
        )


def _one(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _numbers(values: Any) -> NDArray[np.float64]:
    return np.array(_listed(values), np.float64)


def _whole(values: Any, place: str) -> list[int]:
    numbers = _numbers(values)
    wrong = numbers[~np.isfinite(numbers) | (numbers != np.rint(numbers))]
    if len(wrong):
        raise TreeFormatError(
            f"The tree of rpart needs whole numbers in {place}; got "
            f"{float(wrong[0])!r}. {_HOW}"
        )
    return [int(number) for number in numbers.tolist()]


# -- columns and target ----------------------------------------------------------------


def _schema(tables: Mapping[str, Any]) -> Schema:
    about, levels = tables["about"], tables.get("xlevels") or {}
    ordered = _listed(about.get("ordered") or [])
    features = []
    for name in map(_unquoted, _listed(about["columns"])):
        if name not in levels:
            features.append(Feature(name))
            continue
        kind = "ordinal" if name in ordered else "categorical"
        labels = tuple(map(str, _listed(levels[name])))
        features.append(Feature(name, kind, "category", labels))
    return Schema(tuple(features), _target(tables))


def _unquoted(term: str) -> str:
    """Return the column of a term; R writes one with a blank as `` `a b` ``."""
    quoted = len(term) > 2 and term[0] == term[-1] == "`"
    return term[1:-1] if quoted else term


def _target(tables: Mapping[str, Any]) -> TargetInfo:
    name = _unquoted(str(_one(tables["about"]["target"])))
    if _one(tables["about"]["method"]) == "anova":
        return TargetInfo(name, "number")
    classes = tuple(map(str, _listed(tables["about"]["ylevels"])))
    loss = np.array([_numbers(column) for column in tables["loss"].values()]).T
    plain = np.array_equal(loss, 1 - np.eye(len(classes)))
    costs = None if plain else tuple(map(tuple, loss.tolist()))
    prior = _numbers(tables["parms"]["prior"])
    counts = _counts(tables)[0]
    usual = np.allclose(prior, counts / counts.sum(), rtol=1e-9, atol=0)
    return TargetInfo(
        name, "class", classes, costs, None if usual else tuple(prior.tolist())
    )


def _counts(tables: Mapping[str, Any]) -> NDArray[np.float64]:
    return np.array([_numbers(column) for column in tables["counts"].values()]).T


# -- nodes -----------------------------------------------------------------------------


class _Test(NamedTuple):
    """A split or surrogate: the column, and where its values go in rpart.

    `cut` is None for categories. `left` and `right` hold the codes of categories.
    """

    feature: int
    cut: float | None
    below_right: bool
    left: tuple[int, ...]
    right: tuple[int, ...]
    agree: float
    adjust: float
    rows: int


class _Tests:
    """The rows of rpart's `splits`, as far as prediction uses them."""

    def __init__(self, tables: Mapping[str, Any], schema: Schema) -> None:
        self.schema, self.splits = schema, tables.get("splits") or {}
        ways = [
            _whole(values, f"{name!r} of the table 'csplit'")
            for name, values in (tables.get("csplit") or {}).items()
        ]
        self.ways = list(zip(*ways, strict=True))

    def __getitem__(self, row: int) -> _Test:
        feature = self.schema.index_of[self.splits["variable"][row]]
        about = [
            float(self.splits[name][row]) if name in self.splits else np.nan
            for name in ("improve", "adj", "count")
        ]
        side = self._side(feature, row)
        return _Test(feature, *side, about[0], about[1], int(about[2]))

    def _side(
        self, feature: int, row: int
    ) -> tuple[float | None, bool, tuple[int, ...], tuple[int, ...]]:
        """Return the cut, whether lower values go right, and the categories."""
        n_ways = int(float(self.splits["ncat"][row]))
        at = float(self.splits["index"][row])
        if abs(n_ways) < 2:
            return float(np.nextafter(at, -np.inf)), n_ways == 1, (), ()
        ways = self.ways[int(at) - 1][: abs(n_ways)]
        left = tuple(i for i, way in enumerate(ways) if way == _LEFT)
        right = tuple(i for i, way in enumerate(ways) if way == _RIGHT)
        if self.schema.features[feature].kind != "ordinal":
            return None, False, left, right
        below_right = max(right) < max(left)
        return max(right if below_right else left) + 0.5, below_right, (), ()


def _tree(tables: Mapping[str, Any]) -> TreeData:
    schema, frame = _schema(tables), tables["frame"]
    numbers = _whole(frame["node"], "'node' of the table 'frame'")
    place = {number: i for i, number in enumerate(numbers)}
    use = int(float(_one(tables["about"]["usesurrogate"])))
    tests = _Tests(tables, schema)
    n_rows = _whole(frame["n"], "'n' of the table 'frame'")
    left, right = [-1] * len(numbers), [-1] * len(numbers)
    arrays = _Splits(len(numbers))
    for i, first in _inner(frame):
        split = tests[first]
        swap = split.cut is not None and split.below_right
        pair = [place[2 * numbers[i]], place[2 * numbers[i] + 1]]
        left[i], right[i] = pair[::-1] if swap else pair
        counts = n_rows[left[i]], n_rows[right[i]]
        arrays.route[i] = STOP_HERE
        if use == 2 and counts[0] != counts[1]:
            arrays.route[i] = int(counts[0] < counts[1])
        arrays.add(i, split)
        start = first + 1 + int(float(frame["ncompete"][i]))
        n_surrogates = int(float(frame["nsurrogate"][i])) if use else 0
        rows = range(start, start + n_surrogates)
        arrays.surrogates[i] = [(tests[row], swap) for row in rows]
    order = preorder(left, right, place[1])
    criterion, evidence = _evidence(tables, schema)
    nodes = order.nodes.tolist()
    known = {name: array[order.nodes] for name, array in evidence.items()}
    known |= arrays.in_order(nodes) | {"subtree_size": order.subtree_size}
    extras = {"rpart_node": np.array(numbers)[order.nodes]}
    return assemble(schema, criterion, known, "Imported from R's rpart.", extras)


def _inner(frame: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """Yield the place of each inner node, and the row of its split in `splits`."""
    row = 0
    for i, variable in enumerate(frame["var"]):
        if variable != "<leaf>":
            yield i, row
            more = float(frame["ncompete"][i]) + float(frame["nsurrogate"][i])
            row += 1 + int(more)


class _Splits:
    """The splits of all nodes, by the place of the node in rpart's frame."""

    def __init__(self, n: int) -> None:
        self.kind, self.feature, self.route = [LEAF] * n, [-1] * n, [STOP_HERE] * n
        self.threshold = [np.nan] * n
        self.codes: list[dict[int, int]] = [{} for _ in range(n)]
        self.surrogates: list[list[tuple[_Test, bool]]] = [[] for _ in range(n)]

    def add(self, i: int, split: _Test) -> None:
        self.feature[i] = split.feature
        if split.cut is not None:
            self.kind[i], self.threshold[i] = THRESHOLD, split.cut
            return
        self.kind[i], self.codes[i] = SUBSET, _branches(split, swap=False)

    def in_order(self, nodes: Sequence[int]) -> dict[str, NDArray[Any]]:
        """Return the arrays of the tree."""
        codes = [sorted(self.codes[i].items()) for i in nodes]
        flat = [pair for each in codes for pair in each]
        return {
            "split_kind": np.array([self.kind[i] for i in nodes], np.int8),
            "feature": np.array([self.feature[i] for i in nodes], np.int32),
            "threshold": np.array([self.threshold[i] for i in nodes]),
            "missing_route": np.array([self.route[i] for i in nodes], np.int32),
            "category_start": _starts(codes),
            "categories": np.array([code for code, _ in flat], np.int32),
            "category_branch": np.array([branch for _, branch in flat], np.int32),
            **self._surrogate_arrays(nodes),
        }

    def _surrogate_arrays(self, nodes: Sequence[int]) -> dict[str, NDArray[Any]]:
        lists = [self.surrogates[i] for i in nodes]
        flat = [pair for each in lists for pair in each]
        codes = [
            [
                (place, code, branch)
                for place, (test, swap) in enumerate(each)
                for code, branch in sorted(_branches(test, swap=swap).items())
            ]
            for each in lists
        ]
        listed = np.array([x for each in codes for x in each], np.int32).reshape(-1, 3)
        cuts = [np.nan if test.cut is None else test.cut for test, _ in flat]
        flips = [t.cut is not None and t.below_right != swap for t, swap in flat]
        return {
            "surrogate_start": _starts(lists),
            "surrogate_feature": np.array([t.feature for t, _ in flat], np.int32),
            "surrogate_threshold": np.array(cuts, np.float64),
            "surrogate_flip": np.array(flips, np.bool_),
            "surrogate_agree": np.array([t.agree for t, _ in flat], np.float64),
            "surrogate_adjust": np.array([t.adjust for t, _ in flat], np.float64),
            "surrogate_rows": np.array([t.rows for t, _ in flat], np.int64),
            "surrogate_category_start": _starts(codes),
            "surrogate_category_of": listed[:, 0],
            "surrogate_categories": listed[:, 1],
            "surrogate_category_branch": listed[:, 2],
            # The rows that surrogates placed; rpart does not count the others.
            "n_missing": np.array([sum(t.rows for t, _ in x) for x in lists], np.int64),
        }


def _branches(test: _Test, *, swap: bool) -> dict[int, int]:
    """Return the branch of each category."""
    if test.cut is not None:
        return {}
    first, second = (1, 0) if swap else (0, 1)
    return dict.fromkeys(test.left, first) | dict.fromkeys(test.right, second)


def _starts(lists: Sequence[Sequence[Any]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


def _evidence(
    tables: Mapping[str, Any], schema: Schema
) -> tuple[Criterion, dict[str, NDArray[Any]]]:
    frame, target = tables["frame"], schema.target
    n_rows = np.array(_whole(frame["n"], "'n' of the table 'frame'"))
    assert target is not None
    if target.kind == "number":
        weight = _numbers(frame["wt"])
        variance = _numbers(frame["dev"]) / weight
        return find("squared_error"), {
            "n_rows": n_rows,
            "weight": weight,
            "value": _numbers(frame["yval"])[:, None],
            "impurity": variance,
            "risk": variance,
            "label": np.full(len(n_rows), -1, np.int32),
        }
    value = _counts(tables)
    if target.priors is not None:
        value = value * (np.array(target.priors) * value[0].sum() / value[0])
    weight = value.sum(axis=1)
    split = int(float(_one(tables["parms"]["split"])))
    criterion = find("entropy" if split == 2 else "gini")
    assert isinstance(criterion, ClassCriterion)
    return criterion, {
        "n_rows": n_rows,
        "weight": weight,
        "value": value,
        "impurity": criterion.of_shares(value / weight[:, None]),
        "risk": answer_by_cost(value, target.costs)[1],
        "label": (_numbers(frame["yval"]) - 1).astype(np.int32),
    }
