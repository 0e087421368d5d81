"""Trees by hand: nested specs in, a TreeData with consistent evidence out.

Leaves are given by the targets of their rows; everything a node keeps about its
rows follows. Gini for classes, variance for numbers, all weights 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.table.schema import Feature, Schema, TargetInfo
from treewright.tree.data import (
    IS_MISSING,
    LEAF,
    MULTIWAY,
    STOP_CODES,
    STOP_HERE,
    SUBSET,
    THRESHOLD,
    TreeData,
)


@dataclass
class Spec:
    """One node; `y` are the targets of rows that end here."""

    y: list[float] = field(default_factory=list)
    kind: int = LEAF
    column: int = -1
    threshold: float = np.nan
    groups: list[list[int]] = field(default_factory=list)
    missing: int = STOP_HERE
    branches: list[Spec] = field(default_factory=list)


def leaf(*y: float) -> Spec:
    return Spec(y=list(y))


def threshold(
    column: int, at: float, left: Spec, right: Spec, missing: int = 0
) -> Spec:
    return Spec([], THRESHOLD, column, at, [], missing, [left, right])


def subset(
    column: int, groups: list[list[int]], left: Spec, right: Spec, missing: int = 0
) -> Spec:
    return Spec([], SUBSET, column, np.nan, groups, missing, [left, right])


def is_missing(column: int, missing: Spec, known: Spec) -> Spec:
    return Spec([], IS_MISSING, column, np.nan, [], 0, [missing, known])


def multiway(
    column: int,
    groups: list[list[int]],
    *branches: Spec,
    missing: int = STOP_HERE,
    stopped: list[float] | None = None,
) -> Spec:
    return Spec(
        stopped or [], MULTIWAY, column, np.nan, groups, missing, list(branches)
    )


def preorder(root: Spec) -> list[Spec]:
    found, waiting = [], [root]
    while waiting:
        spec = waiting.pop()
        found.append(spec)
        waiting += reversed(spec.branches)
    return found


def schema_of(
    *features: Feature | str, classes: tuple[Any, ...] = ("no", "yes")
) -> Schema:
    """Columns (a bare name is numeric) and a target; no classes means numbers."""
    made = tuple(Feature(name=f) if isinstance(f, str) else f for f in features)
    kind = "class" if classes else "number"
    return Schema(made, TargetInfo(name="y", kind=kind, classes=tuple(classes)))


def categorical(name: str, *labels: Any, **more: Any) -> Feature:
    return Feature(name, "categorical", "category", tuple(labels), **more)


def ordinal(name: str, *labels: Any) -> Feature:
    return Feature(name, "ordinal", "category", tuple(labels))


def build(root: Spec, schema: Schema, **more: Any) -> TreeData:
    """Flatten a spec; children come after their parent, so evidence runs backwards."""
    specs = preorder(root)
    sizes: dict[int, int] = {}
    targets: dict[int, list[float]] = {}
    for spec in reversed(specs):
        sizes[id(spec)] = 1 + sum(sizes[id(b)] for b in spec.branches)
        targets[id(spec)] = spec.y + [y for b in spec.branches for y in targets[id(b)]]
    listed = [_listed(spec) for spec in specs]
    arrays = {
        "subtree_size": [sizes[id(s)] for s in specs],
        "split_kind": [s.kind for s in specs],
        "feature": [s.column for s in specs],
        "threshold": [s.threshold for s in specs],
        "category_start": np.cumsum([0] + [len(pairs) for pairs in listed]),
        "categories": np.array([c for p in listed for c, _ in p], dtype=np.int32),
        "category_branch": np.array([b for p in listed for _, b in p], dtype=np.int32),
        "missing_route": [s.missing for s in specs],
        "stop_reason": [STOP_CODES["pure"] if s.kind == LEAF else 0 for s in specs],
        "proven": [True] * len(specs),
        **_evidence(specs, targets, len(schema.target.classes)),
    }
    return TreeData.from_arrays(arrays, schema, {"by": "hand"}, **more)


def _listed(spec: Spec) -> list[tuple[int, int]]:
    return sorted((code, b) for b, codes in enumerate(spec.groups) for code in codes)


def _evidence(
    specs: list[Spec], targets: dict[int, list[float]], n_classes: int
) -> dict[str, Any]:
    ys = [np.array(targets[id(s)]) for s in specs]
    n = np.array([len(y) for y in ys])
    if n_classes:
        value = np.array([np.bincount(y.astype(int), minlength=n_classes) for y in ys])
        impurity = 1 - ((value / n[:, None]) ** 2).sum(axis=1)
        more = {"label": value.argmax(axis=1), "risk": 1 - value.max(axis=1) / n}
    else:
        value = np.array([[y.mean()] for y in ys])
        impurity = np.array([y.var() for y in ys])
        quartiles = [np.quantile(y, [0.25, 0.5, 0.75]) for y in ys]
        more = {"label": [-1] * len(ys), "risk": impurity.copy()}
        more |= {"variance": impurity.copy(), "quartiles": quartiles}
    of = {id(s): i for i, s in enumerate(specs)}
    gain = []
    for i, spec in enumerate(specs):
        below = [of[id(b)] for b in spec.branches]
        after = sum(n[j] * impurity[j] for j in below) / n[i]
        gain.append(max(impurity[i] - after, 0.0) if below else 0.0)
    common = {"n_rows": n, "weight": n.astype(float), "weight_squared": n.astype(float)}
    return {**common, "value": value, "impurity": impurity, "gain": gain, **more}


def chain(depth: int) -> TreeData:
    """A chain: every inner node has a leaf on its left."""
    n = 2 * depth + 1
    inner = np.arange(n) % 2 == 0
    inner[-1] = False
    rows = np.ones(n, dtype=np.int64)
    rows[::2] = depth + 1 - np.arange(depth + 1)
    # Rows alternate between the classes, so that nearly every node is mixed.
    ones = np.where(inner, rows // 2, (np.arange(n) // 2) % 2)
    value = np.stack([rows - ones, ones], axis=1).astype(float)
    shares = value / rows[:, None]
    impurity = 1 - (shares**2).sum(axis=1)
    sizes = np.where(inner, n - np.arange(n), 1)
    arrays = {
        "subtree_size": sizes,
        "split_kind": np.where(inner, THRESHOLD, LEAF),
        "feature": np.where(inner, 0, -1),
        "threshold": np.where(inner, np.arange(n) / 2, np.nan),
        "category_start": np.zeros(n + 1, dtype=np.int64),
        "categories": np.zeros(0, dtype=np.int32),
        "category_branch": np.zeros(0, dtype=np.int32),
        "missing_route": np.where(inner, 1, -1),
        "n_rows": rows,
        "weight": rows.astype(float),
        "weight_squared": rows.astype(float),
        "value": value,
        "impurity": impurity,
        "gain": np.zeros(n),
        "label": value.argmax(axis=1),
        "risk": 1 - shares.max(axis=1),
        "stop_reason": np.where(inner, 0, STOP_CODES["pure"]),
        "proven": np.ones(n, dtype=bool),
    }
    return TreeData.from_arrays(arrays, schema_of("x"), {"by": "chain"})


def random_tree(
    seed: int,
    n_inner: int = 12,
    *,
    numbers: bool = False,
    stops: bool = True,
) -> TreeData:
    """A tree of random shape over numeric, ordinal and categorical columns.

    With `stops`, multiway nodes may let missing values stop.
    """
    rng = np.random.default_rng(seed)
    schema = schema_of(
        "a",
        categorical("b", *"uvwxyz"),
        ordinal("c", "low", "mid", "high"),
        "d",
        classes=() if numbers else ("p", "q", "r"),
    )
    root = Spec()
    leaves = [root]
    for _ in range(n_inner):
        spec = leaves.pop(int(rng.integers(len(leaves))))
        _split_at_random(spec, rng, stops)
        leaves += spec.branches
    for spec in leaves:
        n = int(rng.integers(1, 6))
        spec.y = (
            rng.normal(size=n).tolist() if numbers else rng.integers(3, size=n).tolist()
        )
    for spec in preorder(root):
        if spec.kind == MULTIWAY and spec.missing == STOP_HERE and rng.random() < 0.5:
            spec.y = [1.0]
    return build(root, schema)


def _split_at_random(spec: Spec, rng: np.random.Generator, stops: bool) -> None:
    kind = int(rng.integers(1, 5))
    spec.kind = kind
    n_branches = 2
    if kind == THRESHOLD:
        spec.column = int(rng.choice([0, 2, 3]))
        spec.threshold = 0.5 if spec.column == 2 else round(float(rng.normal()), 2)
    elif kind == IS_MISSING:
        spec.column = int(rng.choice([0, 1, 3]))
    else:
        spec.column = 1
        n_branches = 2 if kind == SUBSET else int(rng.integers(2, 5))
        codes = rng.permutation(6)[: int(rng.integers(n_branches, 7))].tolist()
        spec.groups = [codes[b::n_branches] for b in range(n_branches)]
    spec.missing = 0 if kind == IS_MISSING else int(rng.integers(n_branches))
    if kind == MULTIWAY and stops and rng.random() < 0.5:
        spec.missing = STOP_HERE
    spec.branches = [Spec() for _ in range(n_branches)]
