"""Reading the splits of nodes: columns, categories and surrogates by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TreeFormatError
from treewright.storing.columns import ABSENT, Where, columns_of, read_all
from treewright.storing.nodes import SPLIT, SURROGATE
from treewright.storing.shapes import Label, fail
from treewright.table.schema import Feature, Schema
from treewright.tree.data import SPLIT_KINDS

__all__ = ["Splits", "categories_in", "coded", "surrogates_in"]

_LABEL = Label()
_KIND_CODES = {name: code for code, name in enumerate(SPLIT_KINDS)}


class Splits:
    """The splits of some nodes."""

    def __init__(self, given: list[Any], where: Where, schema: Schema) -> None:
        self.where: Where = lambda k: f"{where(k)}, split"
        self.columns = columns_of(given, SPLIT, self.where)
        self.schema = schema
        self.n = len(given)
        self.kind = self._read("kind")
        self.feature = _named(self._read("feature"), self.schema, self.where)

    def _read(self, name: str, default: Any = ABSENT) -> Any:
        values = self.columns.get(name, [default] * self.n)
        if default is not ABSENT:
            values = [default if x is ABSENT else x for x in values]
        return read_all(values, SPLIT.fields[name].shape, name, self.where)

    def arrays(self) -> dict[str, Any]:
        """Return the arrays that have one value per split."""
        return {
            "split_kind": [_KIND_CODES[name] for name in self.kind],
            "feature": self.feature,
            "threshold": self._thresholds(),
            "missing_route": self._read("missing"),
            "gain": self._read("gain"),
            "proven": self._read("proven", True),
            "n_missing": self._read("rows_missing", 0),
        }

    def _thresholds(self) -> NDArray[np.float64]:
        given = self.columns.get("threshold", [ABSENT] * self.n)
        has = [k for k, kind in enumerate(self.kind) if kind == "threshold"]
        _need_exactly(given, set(has), "threshold", self.where)
        found = np.full(self.n, np.nan)
        if has:
            shape = SPLIT.fields["threshold"].shape
            values = [given[k] for k in has]
            found[has] = read_all(
                values, shape, "threshold", lambda j: self.where(has[j])
            )
        return found

    def branches(self) -> Iterator[Any]:
        """Yield (codes, branches, number of branches) of splits by categories."""
        given = self.columns.get("branches", [ABSENT] * self.n)
        by_category = {
            k for k, kind in enumerate(self.kind) if kind in ("subset", "multiway")
        }
        _need_exactly(given, by_category, "branches", self.where)
        for k, groups in enumerate(given):
            if k not in by_category:
                yield None
                continue
            feature = self.schema.features[self.feature[k]]
            at = f"{self.where(k)}, branches"
            yield (*_codes(groups, feature, at), len(groups))

    def surrogates(self) -> Iterator[Sequence[Any]]:
        """Yield the surrogates of each split."""
        given = self.columns.get("surrogates", [ABSENT] * self.n)
        for k, each in enumerate(given):
            if each is ABSENT:
                yield ()
                continue
            at = f"{self.where(k)}, surrogates"
            if type(each) is not list:
                fail(at, "a list", each)
            yield [
                _surrogate(raw, self.schema, f"{at}[{s}]") for s, raw in enumerate(each)
            ]


def _surrogate(raw: Any, schema: Schema, at: str) -> dict[str, Any]:
    """Read one surrogate; its categories become codes."""
    if type(raw) is tuple:
        SURROGATE.check_names([name for name, _ in raw], at)
        groups = dict(raw).get("branches", ABSENT)
        raw = tuple(pair for pair in raw if pair[0] != "branches")
    found: dict[str, Any] = SURROGATE.read(raw, at)
    column = _named([found["feature"]], schema, lambda _: at)[0]
    found["column"] = column
    feature = schema.features[column]
    by_category = feature.kind == "categorical"
    if by_category != (groups is not ABSENT) or by_category == ("threshold" in found):
        needs = "a threshold and no branches, because its column is not categorical"
        if by_category:
            needs = "branches and no threshold, because its column is categorical"
        raise TreeFormatError(
            f"{at}, the surrogate on column {feature.name!r}, needs {needs}."
        )
    found["codes"] = ((), ())
    if by_category:
        found["codes"] = _codes(groups, feature, f"{at}, branches")
        if len(groups) != 2:
            fail(f"{at}, branches", "a list of 2", groups)
    return found


def _need_exactly(given: list[Any], wanted: set[int], name: str, where: Where) -> None:
    """Refuse a field that is absent where it is needed, or present elsewhere."""
    for k, each in enumerate(given):
        if (k in wanted) != (each is not ABSENT):
            if k in wanted:
                raise TreeFormatError(f"{where(k)} lacks the field {name!r}.")
            raise TreeFormatError(f"{where(k)}: this kind of split has no {name}.")


# -- names to numbers ------------------------------------------------------------------


def _named(names: Sequence[str], schema: Schema, where: Where) -> list[int]:
    index_of = schema.index_of
    found = [index_of.get(name, -1) for name in names]
    if min(found) < 0:
        bad = found.index(-1)
        fail(f"{where(bad)}, feature", "the name of a column", names[bad])
    # A column of categories that has none cannot be split, nor a split on it shown.
    empty = (schema.kind_codes[found] > 0) & (schema.label_counts[found] == 0)
    if empty.any():
        bad = int(np.argmax(empty))
        fail(f"{where(bad)}, feature", "a column with values", names[bad])
    return found


def coded(
    given: list[Any], classes: Sequence[Any], name: str, where: Where
) -> NDArray[np.int64]:
    """Return the numbers of classes."""
    code_of = {label: code for code, label in enumerate(classes)}
    return _codes_of(given, classes, code_of, lambda i: f"{where(i)}, {name}")


def _codes_of(
    given: list[Any], labels: Sequence[Any], code_of: Mapping[Any, int], where: Where
) -> NDArray[np.int64]:
    """Return the code of every label; refuse those that are not in the schema."""
    codes = np.empty(len(given), np.int64)
    for i, raw in enumerate(given):
        is_plain = type(raw) in (str, int, float, bool)
        label = raw if is_plain else _LABEL.read(raw, where(i))
        code = code_of.get(label, -1)
        # 1, 1.0 and true are equal in Python, and different labels.
        if code < 0 or type(labels[code]) is not type(label):
            fail(where(i), "one of the labels in the schema", label)
        codes[i] = code
    return codes


def _codes(
    groups: Any, feature: Feature, at: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the codes of all listed categories, ascending, and their branches."""
    if type(groups) is not list or not all(type(each) is list for each in groups):
        fail(at, "a list of lists of categories", groups)
    listed = list(chain.from_iterable(groups))
    codes = _codes_of(listed, feature.labels, feature.code_of, lambda i: f"{at}, {i}")
    branches = np.repeat(np.arange(len(groups)), [len(each) for each in groups])
    order = np.argsort(codes, kind="stable")
    codes, branches = codes[order], branches[order]
    if (np.diff(codes) == 0).any():
        raise TreeFormatError(f"{at} lists a category twice.")
    return codes, branches


# -- arrays ----------------------------------------------------------------------------


def categories_in(branches: list[Any]) -> dict[str, NDArray[Any]]:
    """Return the arrays of the categories, from what `Splits.branches` yields."""
    lengths = [0 if each is None else len(each[0]) for each in branches]
    listed = [each for each in branches if each is not None]
    return {
        "category_start": np.concatenate([[0], np.cumsum(lengths)]),
        "categories": _joined([each[0] for each in listed]),
        "category_branch": _joined([each[1] for each in listed]),
    }


def _joined(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([np.empty(0, np.int64), *parts])


def surrogates_in(given: list[Sequence[dict[str, Any]]]) -> dict[str, NDArray[Any]]:
    """Return the arrays of the surrogates, from what `Splits.surrogates` yields."""
    every = [each for of_node in given for each in of_node]
    if not every:
        return {}
    of = [s for each in given for s, x in enumerate(each) for _ in x["codes"][0]]
    counts = [sum(len(x["codes"][0]) for x in each) for each in given]
    threshold = [each.get("threshold", np.nan) for each in every]
    return {
        "surrogate_start": np.concatenate([[0], np.cumsum([len(x) for x in given])]),
        "surrogate_feature": np.array([each["column"] for each in every]),
        "surrogate_threshold": np.array(threshold, np.float64),
        "surrogate_flip": np.array([each.get("flip", False) for each in every]),
        "surrogate_agree": np.array([each["agree"] for each in every], np.float64),
        "surrogate_adjust": np.array([each["adjusted"] for each in every], np.float64),
        "surrogate_rows": np.array([each["rows"] for each in every]),
        "surrogate_category_start": np.concatenate([[0], np.cumsum(counts)]),
        "surrogate_category_of": np.array(of, np.int64),
        "surrogate_categories": _joined(
            [np.asarray(x["codes"][0], np.int64) for x in every]
        ),
        "surrogate_category_branch": _joined(
            [np.asarray(x["codes"][1], np.int64) for x in every]
        ),
    }
