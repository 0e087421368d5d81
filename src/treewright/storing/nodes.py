"""The nodes of a tree in the model file: what a node looks like, and how it is written.

A node is an object of separate parts: `depth`, which gives the tree its shape, `split`
(null at a leaf), `stop` (why a leaf was not split), `evidence` (what the training rows
show) and `answer` (what the tree says). Columns, categories and classes stand by name.
Nodes stand in preorder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.storing.shapes import (
    Either,
    Field,
    Flag,
    Label,
    ListOf,
    Maybe,
    Number,
    OneOf,
    Record,
    Shape,
    Text,
    Whole,
    fail,
    label_out,
    number_out,
)
from treewright.storing.values import AnyValue
from treewright.tree.data import LEAF, SPLIT_KINDS, STOP_REASONS, TreeData

__all__ = [
    "CHUNK",
    "EQUAL_IF_ABSENT",
    "NODE",
    "ROUTES",
    "SPLIT",
    "SURROGATE",
    "answer_shape",
    "evidence_shape",
    "nodes_out",
]

_LARGE = ("inf",)
_ANY = ("inf", "-inf", "nan")
CHUNK = 128
"""Nodes that are converted at a time: few, so that collecting garbage stays cheap."""
EQUAL_IF_ABSENT = {
    "weight": "rows",
    "weight_squared": "weight",
    "variance": "impurity",
    "risk": "impurity",
}
"""Fields of evidence that may be absent, and the field that they then equal."""
ROUTES = {"stop": -1, "all": -2}
"""Missing routes that are not a branch, and their numbers in `TreeData`."""


class Route(Shape):
    """Where missing values go: a branch, or one of `ROUTES`."""

    words = 'a whole number >= 0, "stop" or "all"'

    def _read(self, value: Any, where: str) -> int:
        if type(value) is str and value in ROUTES:
            return ROUTES[value]
        if type(value) is not int or not 0 <= value < 2**31:
            fail(where, self.words, value)
        return value

    def _schema(self) -> dict[str, Any]:
        return {"anyOf": [{"type": "integer", "minimum": 0}, {"enum": list(ROUTES)}]}


_BRANCHES = Field(
    ListOf(ListOf(Label())),
    "The categories of each branch, in the order of the column's `labels`. Categories "
    "that are not listed go where missing values go.",
    optional=True,
)
SURROGATE = Record(
    {
        "feature": Field(Text(), "The column that stands in."),
        "threshold": Field(
            Number(special=("inf", "-inf")),
            "x <= threshold takes branch 0; not for categories.",
            optional=True,
        ),
        "branches": _BRANCHES,
        "flip": Field(
            Flag(), "Whether x <= threshold takes branch 1; false if absent.", True
        ),
        "agree": Field(
            Number(special=_ANY),
            "Share of the rows that it sends where the split sends them.",
        ),
        "adjusted": Field(
            Number(special=_ANY),
            "Agreement beyond that of sending every row to the larger branch.",
        ),
        "rows": Field(Whole(), "Training rows that it placed."),
    }
)
SPLIT = Record(
    {
        "kind": Field(OneOf(SPLIT_KINDS[1:]), "The kind of split."),
        "feature": Field(Text(), "The column, by name."),
        "threshold": Field(
            Number(special=("inf", "-inf")),
            "x <= threshold takes branch 0, anything else branch 1. For an ordinal "
            "column x is the rank of the category, counted from 0; for dates, the "
            "microseconds since 1970.",
            optional=True,
        ),
        "branches": _BRANCHES,
        "missing": Field(
            Route(),
            'The branch of missing values, counted from 0; or "stop": the row gets '
            'the answer of this node; or "all": it goes down every branch, divided '
            "by their weights.",
        ),
        "gain": Field(Number(0, _LARGE), "Decrease of the impurity."),
        "proven": Field(
            Flag(),
            "Whether the split is proven to be the best of its kind; true if absent.",
            optional=True,
        ),
        "rows_missing": Field(
            Whole(),
            "Training rows without a value in this column; 0 if absent.",
            optional=True,
        ),
        "surrogates": Field(
            ListOf(SURROGATE),
            "Splits that stand in for missing values, in the order they are tried.",
            optional=True,
        ),
    }
)


def evidence_shape(n_classes: int) -> Record:
    """Return the shape of evidence; `n_classes` is 0 for numbers, -1 if unknown."""
    about = {
        "rows": Field(Whole(), "Training rows that reached the node."),
        "weight": Field(Number(0), "Their weight; equal to `rows` if absent.", True),
        "weight_squared": Field(
            Number(0), "The sum of squared weights; equal to `weight` if absent.", True
        ),
    }
    if n_classes:
        about["class_weights"] = Field(
            ListOf(Number(0), _length(n_classes)), "Weight of each class of the target."
        )
    else:
        about["average"] = Field(
            Number(),
            "Mean of the target; for the criterion `absolute_error`, the median.",
        )
        about["quartiles"] = Field(
            ListOf(Number(special=_ANY), 3), "Weighted quartiles of the target."
        )
    about["impurity"] = Field(Number(0, _LARGE), "Impurity by the tree's criterion.")
    if not n_classes:
        about["variance"] = Field(
            Number(special=_ANY),
            "Weighted variance of the target; equal to `impurity` if absent.",
            optional=True,
        )
    about["risk"] = Field(
        Number(0, _LARGE),
        "Least cost of one answer for these rows, per unit of weight; equal to "
        "`impurity` if absent.",
        optional=True,
    )
    return Record(about)


def answer_shape(n_classes: int) -> Record:
    """Return the shape of an answer; `n_classes` is 0 for numbers, -1 if unknown."""
    if not n_classes:
        return Record({"number": Field(Number(), "The number that the node answers.")})
    return Record(
        {
            "class": Field(Label(), "The class that the node answers."),
            "probabilities": Field(
                ListOf(Number(0), _length(n_classes)),
                "Probability of each class, if the tree has answers of its own; "
                "otherwise the shares of `class_weights`.",
                optional=True,
            ),
        }
    )


def _length(n_classes: int) -> int | None:
    return n_classes if n_classes > 0 else None


NODE = Record(
    {
        "depth": Field(
            Whole(0, 2**31 - 1),
            "Number of splits above the node. The children of a node are the next "
            "nodes that are one deeper, up to a node that is not deeper than it.",
        ),
        "split": Field(Maybe(SPLIT), "The question that the node asks; null: a leaf."),
        "stop": Field(
            OneOf(tuple(dict.fromkeys(r.name for r in STOP_REASONS if r.name))),
            "Why a leaf was not split; absent if that is not recorded.",
            optional=True,
        ),
        "evidence": Field(
            Either(evidence_shape(-1), evidence_shape(0)),
            "What the training rows show, for classes or for numbers.",
        ),
        "answer": Field(
            Either(answer_shape(-1), answer_shape(0)),
            "What the tree says, for classes or for numbers.",
        ),
        "extras": Field(
            AnyValue(), "Further values by name; `extras` declares them.", optional=True
        ),
    }
)


# -- writing ---------------------------------------------------------------------------


def nodes_out(tree: TreeData, *, extras: bool = True) -> Iterator[dict[str, Any]]:
    """Yield every node as an object of JSON, in preorder, with or without extras."""
    writer = _Writer(tree, tree.extras if extras else {})
    for start in range(0, tree.n_nodes, CHUNK):
        yield from writer.nodes(start, min(start + CHUNK, tree.n_nodes))


class _Writer:
    """Turns slices of the arrays into nodes."""

    def __init__(self, tree: TreeData, extras: Mapping[str, NDArray[Any]]) -> None:
        self.tree, self.extras = tree, extras
        self.names = tree.schema.names
        self.labels = [
            [label_out(label) for label in feature.labels]
            for feature in tree.schema.features
        ]
        target = tree.schema.target
        self.classes = [label_out(each) for each in target.classes] if target else []
        self.evidence = _evidence(tree)

    def nodes(self, start: int, end: int) -> Iterator[dict[str, Any]]:
        """Yield the nodes from `start` up to `end`."""
        tree = self.tree
        part = slice(start, end)
        evidence = _rows({n: _listed(a[part]) for n, a in self.evidence.items()})
        answers = _rows(self._answers(part))
        extras = _rows({name: _listed(a[part]) for name, a in self.extras.items()})
        depth, kind = tree.depth[part].tolist(), tree.split_kind[part].tolist()
        stop = tree.stop_reason[part].tolist()
        splits = self._splits(start, end)
        for i in range(end - start):
            node: dict[str, Any] = {"depth": depth[i]}
            if kind[i] == LEAF:
                node["split"] = None
                if STOP_REASONS[stop[i]].name:
                    node["stop"] = STOP_REASONS[stop[i]].name
            else:
                node["split"] = next(splits)
            node["evidence"], node["answer"] = next(evidence), next(answers)
            if self.extras:
                node["extras"] = next(extras)
            yield node

    def _answers(self, part: slice) -> dict[str, list[Any]]:
        tree = self.tree
        if not tree.is_classifier:
            own = tree.answer if len(tree.answer) else tree.value
            return {"number": _listed(own[part, 0])}
        columns = {"class": [self.classes[k] for k in tree.label[part].tolist()]}
        if len(tree.answer):
            columns["probabilities"] = _listed(tree.answer[part])
        return columns

    def _splits(self, start: int, end: int) -> Iterator[dict[str, Any]]:
        """Yield the split of every inner node."""
        tree = self.tree
        nodes = start + np.flatnonzero(tree.split_kind[start:end] != LEAF)
        columns = zip(
            nodes.tolist(),
            tree.split_kind[nodes].tolist(),
            tree.feature[nodes].tolist(),
            _listed(tree.threshold[nodes]),
            tree.missing_route[nodes].tolist(),
            _listed(tree.gain[nodes]),
            tree.proven[nodes].tolist(),
            tree.n_missing[nodes].tolist(),
            np.diff(tree.surrogate_start)[nodes].tolist(),
            strict=True,
        )
        routes = {number: word for word, number in ROUTES.items()}
        for node, kind, feature, at, missing, gain, proven, n_missing, n in columns:
            name = SPLIT_KINDS[kind]
            split: dict[str, Any] = {"kind": name, "feature": self.names[feature]}
            if name == "threshold":
                split["threshold"] = at
            elif name != "is_missing":
                split["branches"] = self._branches(node, feature)
            split["missing"] = routes.get(missing, missing)
            split["gain"] = gain
            if not proven:
                split["proven"] = False
            if n_missing:
                split["rows_missing"] = n_missing
            if n:
                split["surrogates"] = list(self._surrogates(node))
            yield split

    def _branches(self, node: int, feature: int) -> list[list[Any]]:
        tree = self.tree
        part = slice(tree.category_start[node], tree.category_start[node + 1])
        codes, branches = tree.categories[part], tree.category_branch[part]
        return self._grouped(feature, codes, branches, int(tree.n_children[node]))

    def _grouped(
        self,
        feature: int,
        codes: NDArray[np.int32],
        branches: NDArray[np.int32],
        n_branches: int,
    ) -> list[list[Any]]:
        labels = self.labels[feature]
        groups: list[list[Any]] = [[] for _ in range(n_branches)]
        for code, branch in zip(codes.tolist(), branches.tolist(), strict=True):
            groups[branch].append(labels[code])
        return groups

    def _surrogates(self, node: int) -> Iterator[dict[str, Any]]:
        tree = self.tree
        first, end = tree.surrogate_start[node : node + 2].tolist()
        part = slice(*tree.surrogate_category_start[node : node + 2].tolist())
        of = tree.surrogate_category_of[part]
        codes = tree.surrogate_categories[part]
        branches = tree.surrogate_category_branch[part]
        for s in range(first, end):
            feature = int(tree.surrogate_feature[s])
            out: dict[str, Any] = {"feature": self.names[feature]}
            threshold = float(tree.surrogate_threshold[s])
            if np.isnan(threshold):
                own = of == s - first
                out["branches"] = self._grouped(feature, codes[own], branches[own], 2)
            else:
                out["threshold"] = number_out(threshold)
            if tree.surrogate_flip[s]:
                out["flip"] = True
            out["agree"] = number_out(float(tree.surrogate_agree[s]))
            out["adjusted"] = number_out(float(tree.surrogate_adjust[s]))
            out["rows"] = int(tree.surrogate_rows[s])
            yield out


def _evidence(tree: TreeData) -> dict[str, NDArray[Any]]:
    """Return the columns of evidence, without those that equal another."""
    columns: dict[str, NDArray[Any]] = {"rows": tree.n_rows, "weight": tree.weight}
    columns["weight_squared"] = tree.weight_squared
    if tree.is_classifier:
        columns["class_weights"] = tree.value
    else:
        columns |= {"average": tree.value[:, 0], "quartiles": tree.quartiles}
    columns["impurity"] = tree.impurity
    if not tree.is_classifier:
        columns["variance"] = tree.variance
    columns["risk"] = tree.risk
    same = {
        name
        for name, other in EQUAL_IF_ABSENT.items()
        if name in columns and np.array_equal(columns[name], columns[other])
    }
    return {name: array for name, array in columns.items() if name not in same}


def _rows(columns: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """Yield one dict per entry of the columns."""
    names = tuple(columns)
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(names, values, strict=True))


def _listed(array: NDArray[Any]) -> list[Any]:
    """Return an array as nested lists of values that JSON can hold."""
    listed: list[Any] = array.tolist()
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return listed
    if array.ndim == 1:
        return [number_out(x) for x in listed]
    return [_listed(row) for row in array]
