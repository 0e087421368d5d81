"""The choice of size, m and lambda, written to be read: the oracle of the core.

Trees are grown and cut by the library. Everything else is computed here row by row
from the definitions: answers in exact fractions, means and standard errors from lists
of losses, and the choice by looking at every step.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

import treewright as tw
from treewright.model import Tree

LAMBDAS = (0.25, 1.0, 4.0, 16.0, 64.0, 256.0)
MS = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
TIE = 1e-12


class Chosen(NamedTuple):
    """What the slow recipe chooses, and the columns of its table."""

    step: int
    strength: float
    error: list[float]
    score: list[float]
    log_loss: list[float]
    fell_back: bool = False


# -- answers --------------------------------------------------------------------------


def slow_numbers(tree: Tree, m: float) -> list[Fraction]:
    """Return a(t) of every node, exactly."""
    answers: list[Fraction] = []
    for node in range(tree.n_nodes):
        mean, rows = Fraction(tree.value[node, 0]), Fraction(tree.weight[node])
        above = tree.parent(node)
        if above is None:
            answers.append(mean)
        else:
            drawn = (rows * mean + Fraction(m) * answers[above]) / (rows + Fraction(m))
            answers.append(drawn)
    return answers


def slow_classes(tree: Tree, strength: float) -> list[list[Fraction]]:
    """Return p(t) of every node, exactly."""
    counts = [[Fraction(x) for x in row] for row in tree.value.tolist()]
    k, n = len(counts[0]), sum(counts[0])
    q: list[list[Fraction]] = []
    for node, own in enumerate(counts):
        total, above = sum(own), tree.parent(node)
        if above is None:
            q.append([x / total for x in own])
            continue
        around = sum(counts[above])
        damping = 1 + Fraction(strength) / around
        q.append(
            [
                q[above][c] + (own[c] / total - counts[above][c] / around) / damping
                for c in range(k)
            ]
        )
    return [[(n * x + Fraction(1, k)) / (n + 1) for x in row] for row in q]


def slow_label(p: list[Fraction], counts: list[float], costs: Any = None) -> int:
    """Return the class of least expected cost; of ties the frequent, then the first."""
    k = len(p)
    if costs is None:
        costs = [[int(i != j) for j in range(k)] for i in range(k)]
    expected = [
        float(sum(p[i] * Fraction(costs[i][j]) for i in range(k))) for j in range(k)
    ]
    limit = min(expected) + TIE * max(expected)
    tied = [j for j in range(k) if expected[j] <= limit]
    return max(tied, key=lambda j: (counts[j], -j))


# -- scores ---------------------------------------------------------------------------


def mean_and_std(values: list[float]) -> tuple[float, float]:
    """Return the mean and its standard error, as rpart computes it."""
    n = len(values)
    mean = sum(values) / n
    return mean, math.sqrt(max(sum(v * v for v in values) / n - mean**2, 0.0) / n)


def scored_alphas(alpha: np.ndarray) -> list[float]:
    """Return the price at which each step is scored."""
    return [*np.sqrt(alpha[:-1] * alpha[1:]).tolist(), 1e300]


def cut_trees(
    X: Any, y: Any, pairs: Any, alphas: list[float], risk: str, make: Any
) -> Any:
    """Yield the test rows of each fold with its tree, cut at every price."""
    for train, test in pairs:
        grown = make(X[train], y[train])
        path = tw.pruning_path(grown, risk)
        for step, alpha in enumerate(alphas):
            yield step, test, path.tree(alpha=alpha)


def choose_classes(
    X: Any, y: Any, pairs: Any, alpha: Any, leaves: Any, make: Any
) -> Chosen:
    """Choose the size of a tree of classes, at a price of 0.04."""
    steps = range(len(alpha))
    # By lambda and step: wrong, log-loss, log-loss of the root, of each row.
    rows: Any = {(L, s): [] for L in LAMBDAS for s in steps}
    for step, test, tree in cut_trees(X, y, pairs, scored_alphas(alpha), "mixed", make):
        ends = tree.apply(X[test])
        for L in LAMBDAS:
            p = slow_classes(tree, L)
            labels = [
                slow_label(p[i], tree.value[i].tolist()) for i in range(tree.n_nodes)
            ]
            for end, true in zip(ends.tolist(), y[test].tolist(), strict=True):
                wrong = float(labels[end] != true)
                own, root = (-math.log(p[i][true]) for i in (end, 0))
                rows[L, step].append((wrong, own, root))
    at = {}
    for s in steps:
        least = min(sum(r[1] for r in rows[L, s]) for L in LAMBDAS)
        tied = [
            L for L in LAMBDAS if sum(r[1] for r in rows[L, s]) <= least * (1 + TIE)
        ]
        at[s] = max(tied)
    found = {s: rows[at[s], s] for s in steps}
    error = [mean_and_std([r[0] for r in found[s]])[0] for s in steps]
    log_loss = [mean_and_std([r[1] for r in found[s]])[0] for s in steps]
    score = [mean_and_std([r[0] + 0.2 * r[1] for r in found[s]]) for s in steps]
    gain = [mean_and_std([r[2] - r[1] for r in found[s]]) for s in steps]
    best = last_least([each[0] for each in score], steps)
    within = [s for s in steps if score[s][0] <= sum(score[best]) * (1 + TIE)]
    step = cheapest([each[0] for each in score], leaves, within, 0.04)
    fell_back = False
    if leaves[step] == 1:
        g = last_least(log_loss, steps)
        limit = (log_loss[g] + 0.5 * gain[g][1]) * (1 + TIE)
        within = [s for s in steps if leaves[s] > 1 and log_loss[s] <= limit]
        if within:
            r = cheapest(log_loss, leaves, within, 0.04)
            fell_back = gain[r][0] > 0.5 * gain[r][1]
            step = r if fell_back else step
    scores = [each[0] for each in score]
    return Chosen(step, at[step], error, scores, log_loss, fell_back)


def choose_numbers(
    X: Any, y: Any, pairs: Any, alpha: Any, leaves: Any, make: Any
) -> Chosen:
    """Choose the size of a tree of numbers, and m, at a price of 0.08."""
    steps = range(len(alpha))
    losses: Any = {(m, s): [] for m in MS for s in steps}
    for step, test, tree in cut_trees(X, y, pairs, scored_alphas(alpha), "error", make):
        ends = tree.apply(X[test])
        for m in MS:
            answers = [float(a) for a in slow_numbers(tree, m)]
            losses[m, step] += [
                (true - answers[end]) ** 2
                for end, true in zip(ends.tolist(), y[test].tolist(), strict=True)
            ]
    known = {key: mean_and_std(values) for key, values in losses.items()}

    def priced(m: float, s: int) -> float:
        return math.log(known[m, s][0]) + 0.08 * math.log(leaves[s])

    least = {m: min(priced(m, s) for s in steps) for m in MS}
    m = min(m for m in MS if least[m] <= min(least.values()) + TIE)
    error = [known[m, s][0] for s in steps]
    best = last_least(error, steps)
    within = [s for s in steps if error[s] <= sum(known[m, best]) * (1 + TIE)]
    return Chosen(cheapest(error, leaves, within, 0.08), m, error, error, [])


def last_least(values: list[float], steps: Any) -> int:
    """Return the last, that is the smallest, of the best steps."""
    return max(s for s in steps if values[s] <= min(values) * (1 + TIE))


def cheapest(values: list[float], leaves: Any, within: list[int], price: float) -> int:
    """Return the step of least ln value + price x ln leaves; the smallest on a tie."""
    cost = {s: math.log(values[s]) + price * math.log(leaves[s]) for s in within}
    return max(s for s in within if cost[s] <= min(cost.values()) + TIE)
