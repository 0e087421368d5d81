"""Reading the nodes of the model file back into the arrays of a tree.

Nodes are read a few hundred at a time, field by field, so that checking them costs
little more than parsing them. An error names the node and the field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
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
    answer_shape,
    evidence_shape,
)
from treewright.storing.shapes import Field, Record, fail, number_out
from treewright.storing.splits_in import (
    Splits,
    categories_in,
    coded,
    surrogates_in,
)
from treewright.table.schema import Schema
from treewright.tree.data import LEAF, STOP_CODES

__all__ = ["nodes_in"]

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
        codes = coded(columns["class"], self.classes, "class", where)
        self.parts.setdefault("label", []).append(codes)
        probabilities = columns.get("probabilities", [ABSENT] * len(given))
        if not self.own_answers:
            wanted = 'there only if answers is "own"'
            _refuse_any(probabilities, "probabilities", wanted, where)
            return
        for i, each in enumerate(probabilities):
            if each is ABSENT:
                raise TreeFormatError(
                    f"{where(i)}, answer lacks the field 'probabilities', which it "
                    'must have if answers is "own".'
                )
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
            splits = Splits(
                [given[i] for i in inner], lambda k: where(inner[k]), self.schema
            )
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
        arrays |= categories_in(branches)
        arrays |= surrogates_in(surrogates)
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


# -- absent fields ---------------------------------------------------------------------


def _filled(given: list[Any], others: Any) -> list[Any]:
    """Return the values of a field, those of another in place of absent ones."""
    pairs = zip(given, others, strict=True)
    return [number_out(float(y)) if x is ABSENT else x for x, y in pairs]


def _refuse_any(given: list[Any], name: str, wanted: str, where: Where) -> None:
    for i, each in enumerate(given):
        if each is not ABSENT:
            fail(f"{where(i)}, {name}", wanted, each)


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
            fail(f"Node {node}, split, branches", wanted, each[2])
