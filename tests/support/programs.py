"""A slow interpreter of programs, random rows, and random trees to export."""

import math

import numpy as np

from support import strategies
from treewright.exporting.program import (
    ALL_BRANCHES,
    STOP_HERE,
    AtMost,
    Intervals,
    IsMissing,
    OneOf,
)

DAY = 86_400_000_000.0  # in microseconds


def interpreted(program, row):
    """Return {node: share} of where one row of variables ends."""
    ends, waiting = {}, [(0, 1.0)]
    while waiting:
        number, share = waiting.pop()
        node = program.nodes[number]
        branch = STOP_HERE if node.is_leaf else branch_of(node, row)
        if branch == STOP_HERE:
            ends[number] = ends.get(number, 0.0) + share
        elif branch == ALL_BRANCHES:
            parts = zip(node.children, node.shares, strict=True)
            waiting += [(child, share * part) for child, part in parts if part > 0]
        else:
            waiting.append((node.children[branch], share))
    return ends


def branch_of(node, row):
    for question in node.questions:
        value = row[question.variable.place]
        branch = placed(question, value)
        if branch is not None:
            return branch
    return node.otherwise


def placed(question, value):
    """Return the branch that a question gives a value; None if it places it nowhere."""
    if isinstance(question, IsMissing):
        labels = question.variable.labels
        known = value is not None and (not labels or value in labels)
        return int(known)
    if value is None:
        return None
    if isinstance(question, AtMost):
        return question.below if value <= question.bound else question.above
    if isinstance(question, OneOf):
        found = [b for b, group in enumerate(question.groups) if value in group]
        return found[0] if found else None
    assert isinstance(question, Intervals)
    interval = sum(value > bound for bound in question.bounds)
    branch = question.branches[interval]
    return None if branch < 0 else branch


def random_rows(program, n, seed=0):
    """Return rows of random values, many of them at bounds, missing or unseen."""
    rng = np.random.default_rng(seed)
    columns = [
        random_values(program, variable, n, rng) for variable in program.variables
    ]
    return list(zip(*columns, strict=True)) if columns else [()] * n


def random_values(program, variable, n, rng):
    if variable.labels:
        extra = {"text": ["nobody has seen this"], "code": [-987654321], "bool": []}
        pool = [*variable.labels, None, *extra[variable.type]]
        return [pool[i] for i in rng.integers(0, len(pool), n)]
    bounds = bounds_of(program, variable) or [0.0]
    if variable.type == "bool":
        pool = [0.0, 1.0, None]
    elif variable.type == "number":
        near = [math.nextafter(b, s) for b in bounds for s in (-math.inf, math.inf)]
        free = (rng.normal(size=100) * 10.0 ** rng.integers(-2, 4, 100)).tolist()
        pool = [*bounds, *near, *free, None, None]
    else:
        step = 1.0 if variable.type in ("datetime", "time") else DAY
        pool = [b // step * step + d for b in bounds for d in (-step, 0.0, step)]
        if variable.type == "time":
            pool = [x for x in pool if 0 <= x < DAY]
        pool.append(None)
    return [pool[i] for i in rng.integers(0, len(pool), n)]


def bounds_of(program, variable):
    found = set()
    for node in program.nodes:
        for question in node.questions:
            if question.variable is variable and isinstance(question, AtMost):
                found.add(question.bound)
            elif question.variable is variable and isinstance(question, Intervals):
                found |= set(question.bounds)
    return sorted(b for b in found if math.isfinite(b))


def random_tree(seed):
    """Return a random tree of any method; every third is a classic one."""
    maker = strategies.classic_case if seed % 3 == 0 else strategies.case
    table, options = maker(seed)
    return strategies.grower("fast")(table, options)
