"""Rows, and a plain router: the share of a row in every node where it ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from support.build import random_tree
from treewright.tree.data import (
    ALL_BRANCHES,
    IS_MISSING,
    LEAF,
    STOP_HERE,
    SUBSET,
    THRESHOLD,
    TreeData,
)
from treewright.tree.walk import children


def random_columns(tree: TreeData, n: int, seed: int) -> list[np.ndarray]:
    """Rows with values at, beside and far from thresholds; missing and unseen ones."""
    rng = np.random.default_rng(seed)
    columns = []
    for j, feature in enumerate(tree.schema.features):
        if feature.kind == "numeric":
            cuts = tree.threshold[tree.feature == j]
            cuts = cuts[np.isfinite(cuts)]
            near = [cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf)]
            pool = np.concatenate([*near, [np.nan] * 3, [-np.inf, np.inf, 0.0, 9.5]])
            columns.append(rng.choice(pool, n))
        else:
            codes = rng.integers(-2, len(feature.labels), n)
            columns.append(codes.astype(np.int32))
    return columns


def as_frame(tree: TreeData, columns: list[np.ndarray]) -> dict[str, Any]:
    """The same rows as a caller has them: numbers, labels, None, words never seen."""
    frame: dict[str, Any] = {}
    for feature, values in zip(tree.schema.features, columns, strict=True):
        if feature.kind == "numeric":
            frame[feature.name] = values
        else:
            labels = [*feature.labels, "never seen", None]
            frame[feature.name] = [labels[code] for code in values]
    return frame


def slow_shares(
    tree: TreeData, columns: list[np.ndarray], row: int
) -> dict[int, float]:
    """Where one row ends, and with which share."""
    ended: dict[int, float] = {}
    waiting = [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        if tree.split_kind[node] == LEAF:
            ended[node] = share
            continue
        branch = _branch(tree, node, columns, row)
        below = children(tree, node)
        if branch == STOP_HERE:
            ended[node] = share
        elif branch == ALL_BRANCHES:
            total = tree.weight[list(below)].sum()
            waiting += [(c, share * tree.weight[c] / total) for c in below]
        else:
            waiting.append((below[branch], share))
    return ended


def _branch(tree: TreeData, node: int, columns: list[np.ndarray], row: int) -> int:
    value = columns[tree.feature[node]][row]
    missing = bool(np.isnan(value)) or (value < 0 and isinstance(value, np.integer))
    if tree.split_kind[node] == IS_MISSING:
        return 0 if missing else 1
    if not missing and tree.split_kind[node] == THRESHOLD:
        return 0 if value <= tree.threshold[node] else 1
    start, end = tree.category_start[node : node + 2]
    if not missing and value in tree.categories[start:end]:
        at = tree.categories[start:end].tolist().index(value)
        return int(tree.category_branch[start:end][at])
    return _by_surrogates(tree, node, columns, row)


def _by_surrogates(
    tree: TreeData, node: int, columns: list[np.ndarray], row: int
) -> int:
    first, end = tree.surrogate_start[node : node + 2].tolist()
    low, high = tree.surrogate_category_start[node : node + 2].tolist()
    for s in range(first, end):
        value = columns[tree.surrogate_feature[s]][row]
        if np.isnan(value) or (value < 0 and isinstance(value, np.integer)):
            continue
        if not np.isnan(tree.surrogate_threshold[s]):
            left = value <= tree.surrogate_threshold[s]
            return int(left == tree.surrogate_flip[s])
        for i in range(low, high):
            mine = tree.surrogate_category_of[i] == s - first
            if mine and tree.surrogate_categories[i] == value:
                return int(tree.surrogate_category_branch[i])
    return int(tree.missing_route[node])


def odd_tree(seed: int, style: str, **more: Any) -> TreeData:
    """A random tree whose rows stop, are divided, or are sent on by surrogates."""
    tree = random_tree(seed, **more)
    rng = np.random.default_rng(seed)
    inner = np.flatnonzero((tree.split_kind != LEAF) & (tree.split_kind != IS_MISSING))
    route = tree.missing_route.copy()
    if style == "stops":
        route[inner[rng.random(len(inner)) < 0.6]] = STOP_HERE
    elif style == "divides":
        route[inner[rng.random(len(inner)) < 0.6]] = ALL_BRANCHES
    elif style == "surrogates":
        return with_surrogates(tree, rng)
    return replace(tree, missing_route=route)


def with_surrogates(tree: TreeData, rng: np.random.Generator) -> TreeData:
    """The tree with up to three surrogates at its splits in two."""
    start, by_category, n = [0], [0], tree.n_nodes
    entries: list[tuple[int, float, bool]] = []
    listed: list[tuple[int, int, int]] = []
    for node in range(n):
        if tree.split_kind[node] in (THRESHOLD, SUBSET):
            for k in range(int(rng.integers(0, 4))):
                others = [c for c in (0, 1, 3) if c != tree.feature[node]]
                column = int(rng.choice(others))
                if column == 1:
                    entries.append((1, np.nan, False))
                    codes = sorted(rng.permutation(6)[:3].tolist())
                    listed += [(k, code, int(rng.integers(2))) for code in codes]
                else:
                    at = round(float(rng.normal()), 2)
                    entries.append((column, at, bool(rng.integers(2))))
        start.append(len(entries))
        by_category.append(len(listed))
    of, codes, branches = zip(*listed, strict=True) if listed else ((), (), ())
    columns, cuts, flips = zip(*entries, strict=True) if entries else ((), (), ())
    m = len(entries)
    return replace(
        tree,
        surrogate_start=np.array(start),
        surrogate_feature=np.array(columns, np.int32),
        surrogate_threshold=np.array(cuts, np.float64),
        surrogate_flip=np.array(flips, bool),
        surrogate_agree=np.ones(m),
        surrogate_adjust=np.ones(m),
        surrogate_rows=np.zeros(m, np.int64),
        surrogate_category_start=np.array(by_category),
        surrogate_category_of=np.array(of, np.int32),
        surrogate_categories=np.array(codes, np.int32),
        surrogate_category_branch=np.array(branches, np.int32),
    )
