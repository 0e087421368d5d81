"""Reading the nodes of the model file back into the arrays of a tree.

Nodes are read a few hundred at a time, field by field, so that checking them costs
little more than parsing them. An error names the node and the field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TreeFormatError
from treewright.storing.columns import ABSENT, Where, columns_of, read_all
from treewright.storing.extras import Extra
from treewright.storing.nodes import (
    CHUNK,
    EQUAL_IF_ABSENT,
    NODE,
    SPLIT,
    SURROGATE,
    answer_shape,
    evidence_shape,
)
from treewright.storing.shapes import Field, Label, Record, fail, number_out
from treewright.table.schema import Feature, Schema
from treewright.tree.data import LEAF, SPLIT_KINDS, STOP_CODES

__all__ = ["nodes_in"]

_LABEL = Label()
_KIND_CODES = {name: code for code, name in enumerate(SPLIT_KINDS)}

Arrays = dict[str, NDArray[Any]]


def nodes_in(
    items: Iterator[Any],
    schema: Schema,
    extras: Mapping[str, Extra],
    *,
    own_answers: bool,
) -> tuple[Arrays, Arrays]:
    """Read nodes.

    Parameters
    ----------
    items : iterator
        The nodes as parsed JSON.
    schema : Schema
        The columns and the target.
    extras : mapping of str to Extra
        The extra arrays that every node has.
    own_answers : bool
        Whether the answers differ from what the evidence says.

    Returns
    -------
    arrays, extras : dict of arrays
        What `TreeData.from_arrays` takes.
    """
    reader = _Reader(schema, extras, own_answers)
    while chunk := list(islice(items, CHUNK)):
        reader.add(chunk)
    return reader.arrays()


_EVIDENCE = {
    "rows": "n_rows",
    "weight": "weight",
    "weight_squared": "weight_squared",
    "class_weights": "value",
    "average": "value",
    "quartiles": "quartiles",
    "impurity": "impurity",
    "variance": "variance",
    "risk": "risk",
}
"""The array of each field of evidence."""


class _Reader:
    """Collects the arrays of a tree, chunk by chunk."""

    def __init__(
        self, schema: Schema, extras: Mapping[str, Extra], own_answers: bool
    ) -> None:
        target = schema.target
        self.schema, self.extras, self.own_answers = schema, extras, own_answers
        self.classes = () if target is None else target.classes
        self.evidence = evidence_shape(len(self.classes))
        self.answer = answer_shape(len(self.classes))
        self.parts: dict[str, list[Any]] = {}
        self.extra_parts: dict[str, list[Any]] = {name: [] for name in extras}
        self.n = 0

    def add(self, nodes: list[Any]) -> None:
        """Check some nodes and add their values."""
        first = self.n

        def where(i: int) -> str:
            return f"Node {first + i}"

        columns = columns_of(nodes, NODE, where)
        self._put("depth", columns["depth"], NODE, "depth", where)
        self._add_splits(columns["split"], where)
        self._add_stops(columns, where)
        self._add_evidence(columns["evidence"], where)
        self._add_answers(columns["answer"], where)
        self._add_extras(columns.get("extras", [ABSENT] * len(nodes)), where)
        self.n += len(nodes)

    def _put(
        self, array: str, values: list[Any], record: Record, name: str, where: Where
    ) -> Any:
        found = read_all(values, record.fields[name].shape, name, where)
        self.parts.setdefault(array, []).append(found)
        return found

    def _add_stops(self, columns: dict[str, list[Any]], where: Where) -> None:
        stops = columns.get("stop", [ABSENT] * len(columns["split"]))
        codes = np.zeros(len(stops), np.int8)
        for i, (stop, split) in enumerate(zip(stops, columns["split"], strict=True)):
            if stop is ABSENT:
                continue
            if split is not None:
                raise TreeFormatError(f"{where(i)} has both a split and a stop.")
            codes[i] = STOP_CODES[NODE.fields["stop"].shape.read(stop, where(i))]
        self.parts.setdefault("stop_reason", []).append(codes)

    def _add_evidence(self, given: list[Any], where: Where) -> None:

        def at(i: int) -> str:
            return f"{where(i)}, evidence"

        columns = columns_of(given, self.evidence, at)

        shapes = self.evidence.fields
        read: dict[str, Any] = {}
        for name in _EVIDENCE:
            if name not in shapes:
                continue
            if name not in columns:
                read[name] = read[EQUAL_IF_ABSENT[name]]
                continue
            values = columns[name]
            if name in EQUAL_IF_ABSENT:
                values = _filled(values, read[EQUAL_IF_ABSENT[name]])
            read[name] = read_all(values, shapes[name].shape, name, at)
        for name, values in read.items():
            self.parts.setdefault(_EVIDENCE[name], []).append(values)

    def _add_answers(self, given: list[Any], where: Where) -> None:
        columns = columns_of(given, self.answer, lambda i: f"{where(i)}, answer")
        if not self.classes:
            self._put("answer", columns["number"], self.answer, "number", where)
            self.parts.setdefault("label", []).append(np.full(len(given), -1))
            return
        codes = _coded(columns["class"], self.classes, "class", where)
        self.parts.setdefault("label", []).append(codes)
        probabilities = columns.get("probabilities", [ABSENT] * len(given))
        if not self.own_answers:
            wanted = 'there only if answers is "own"'
            _refuse_any(probabilities, "probabilities", wanted, where)
            return
        for i, each in enumerate(probabilities):
            if each is ABSENT:
                raise TreeFormatError(f"{where(i)}, answer lacks 'probabilities'.")
        self._put("answer", probabilities, self.answer, "probabilities", where)

    def _add_extras(self, given: list[Any], where: Where) -> None:
        if not self.extras:
            _refuse_any(given, "extras", "declared by the field extras", where)
            return
        objects = [None if each is ABSENT else each for each in given]
        record = Record({n: Field(e.value, "") for n, e in self.extras.items()})

        def at(i: int) -> str:
            return f"{where(i)}, extras"

        for name, values in columns_of(objects, record, at).items():
            found = read_all(values, record.fields[name].shape, name, at)
            self.extra_parts[name].append(self.extras[name].array(name, found))

    # -- splits ------------------------------------------------------------------

    def _add_splits(self, given: list[Any], where: Where) -> None:
        n = len(given)
        inner = [i for i, split in enumerate(given) if split is not None]
        arrays = {
            "split_kind": np.full(n, LEAF),
            "feature": np.full(n, -1),
            "threshold": np.full(n, np.nan),
            "missing_route": np.full(n, -1),
            "gain": np.zeros(n),
            "proven": np.ones(n, bool),
            "n_missing": np.zeros(n, np.int64),
        }
        listed: list[Any] = [None] * n
        surrogates: list[Any] = [()] * n
        if inner:
            splits = _Splits([given[i] for i in inner], lambda k: where(inner[k]), self)
            for name, values in splits.arrays().items():
                arrays[name][inner] = values
            for i, branches, stand_ins in zip(
                inner, splits.branches(), splits.surrogates(), strict=True
            ):
                listed[i], surrogates[i] = branches, stand_ins
        for name, array in arrays.items():
            self.parts.setdefault(name, []).append(array)
        self.parts.setdefault("branches", []).extend(listed)
        self.parts.setdefault("surrogates", []).extend(surrogates)

    # -- the whole tree ----------------------------------------------------------

    def arrays(self) -> tuple[Arrays, Arrays]:
        """Return all arrays and extras."""
        if not self.n:
            raise TreeFormatError("nodes must hold at least one node; got none.")
        parts = self.parts
        branches, surrogates = parts.pop("branches"), parts.pop("surrogates")
        arrays = {name: np.concatenate(each) for name, each in parts.items()}
        size = _sizes(arrays.pop("depth"))
        arrays["subtree_size"] = size
        arrays |= _categories(branches)
        arrays |= _surrogates(surrogates)
        if not self.classes:
            arrays["value"] = arrays["value"][:, None]
            arrays["answer"] = self._own_numbers(arrays)
        _check_branches(size, branches)
        extras = {
            name: self.extras[name].joined(name, parts)
            for name, parts in self.extra_parts.items()
        }
        return arrays, extras

    def _own_numbers(self, arrays: Arrays) -> NDArray[np.float64]:
        answer = arrays["answer"]
        if self.own_answers:
            return answer[:, None]
        same = answer == arrays["value"][:, 0]
        if not same.all():
            node = int(np.argmin(same))
            wanted = f"the average, {arrays['value'][node, 0]}, because answers is "
            fail(f"Node {node}, number", f'{wanted}"evidence"', answer[node].item())
        return np.empty((0, 0))


class _Splits:
    """The splits of some nodes."""

    def __init__(self, given: list[Any], where: Where, reader: _Reader) -> None:
        self.where: Where = lambda k: f"{where(k)}, split"
        self.columns = columns_of(given, SPLIT, self.where)
        self.schema = reader.schema
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
        wanted = "branches for categories, and a threshold for all others"
        fail(at, f"given by {wanted}", "another form")
    found["codes"] = ((), ())
    if by_category:
        found["codes"] = _codes(groups, feature, f"{at}, branches")
        if len(groups) != 2:
            fail(f"{at}, branches", "a list of 2", groups)
    return found


# -- absent fields ---------------------------------------------------------------------


def _filled(given: list[Any], others: Any) -> list[Any]:
    """Return the values of a field, those of another in place of absent ones."""
    pairs = zip(given, others, strict=True)
    return [number_out(float(y)) if x is ABSENT else x for x, y in pairs]


def _refuse_any(given: list[Any], name: str, wanted: str, where: Where) -> None:
    for i, each in enumerate(given):
        if each is not ABSENT:
            fail(f"{where(i)}, {name}", wanted, each)


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


def _coded(
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


# -- the shape -------------------------------------------------------------------------


def _sizes(depth: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of nodes of each subtree."""
    low, high = np.ones_like(depth), np.append(0, depth[:-1] + 1)
    low[0] = 0
    ok = (low <= depth) & (depth <= high)
    if not ok.all():
        node = int(np.argmin(ok))
        wanted = f"from {low[node]} to {high[node]}, at most one below the node before"
        fail(f"Node {node}, depth", wanted, depth[node].item())
    n = len(depth)
    sizes = np.empty(n, np.int64)
    above: list[int] = []  # the nodes on the path to this one
    for node, level in enumerate(depth.tolist()):
        while len(above) > level:
            top = above.pop()
            sizes[top] = node - top
        above.append(node)
    for top in above:
        sizes[top] = n - top
    return sizes


def _check_branches(size: NDArray[np.int64], branches: list[Any]) -> None:
    """Check that splits by categories list one group per child."""
    for node, each in enumerate(branches):
        if each is None:
            continue
        child, n, end = node + 1, 0, node + int(size[node])
        while child < end and n <= each[2]:
            child, n = child + int(size[child]), n + 1
        if n != each[2]:
            wanted = f"one group for each of the node's {n} children"
            fail(f"Node {node}, split, branches", wanted, f"{each[2]} groups")


def _categories(branches: list[Any]) -> Arrays:
    lengths = [0 if each is None else len(each[0]) for each in branches]
    listed = [each for each in branches if each is not None]
    return {
        "category_start": np.concatenate([[0], np.cumsum(lengths)]),
        "categories": _joined([each[0] for each in listed]),
        "category_branch": _joined([each[1] for each in listed]),
    }


def _joined(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([np.empty(0, np.int64), *parts])


def _surrogates(given: list[Sequence[dict[str, Any]]]) -> Arrays:
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
