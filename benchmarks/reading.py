"""How long it takes to read a tree: text, rules, explanations.

Question: can a tree of 100,000 leaves still be printed, listed and looked into?
Data:     synthetic, fixed seed; classes are noise, so that the tree is large.
Timing:   wall clock, median of 3 (explanations: mean of 200 rows).
Run:      python benchmarks/reading.py            on an idle machine
          python benchmarks/reading.py --quick    at 1/20 of the rows
"""

import argparse
import statistics
import sys
import time

import numpy as np

import report
import treewright as tw


def noise_tree(rows, columns=10, classes=3, **options):
    """Grow a tree on noise; nearly every third row has a leaf of its own."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    y = rng.integers(0, classes, rows)
    return tw.TreeClassifier(prune=None, **options).fit(X, y).tree_, X


def fresh(tree):
    """Return the tree without what it has worked out and kept."""
    import pickle

    return pickle.loads(pickle.dumps(tree))


def median(function, tree, times=3):
    """Return the median time of function(tree), each time with a fresh tree."""
    taken = []
    for _ in range(times):
        one = fresh(tree)
        started = time.perf_counter()
        function(one)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def per_row(function, rows):
    """Return the mean time of function(row)."""
    function(rows[0])
    started = time.perf_counter()
    for row in rows:
        function(row)
    return (time.perf_counter() - started) / len(rows)


def measured(scale):
    """Yield task, seconds and the most it may take."""
    large, _ = noise_tree(int(317_000 * scale))
    size = f"{large.n_leaves:,} leaves"
    yield f"text, {size}", median(lambda t: t.text(), large), 2.0
    yield (
        f"first 100 rules, {size}",
        median(lambda t: list(t.rules()[:100]), large),
        0.05,
    )
    yield (
        f"rules to pandas, {size}",
        median(lambda t: t.rules().to_pandas(), large),
        5.0,
    )
    tree, X = noise_tree(6000, max_leaf_nodes=1000)
    rows, size = X[:200], f"{tree.n_leaves:,} leaves"
    plain = per_row(lambda row: tw.explain(tree, row, change=False), rows)
    yield f"explain one row, {size}", plain, 0.001
    change = per_row(lambda row: tw.explain(tree, row), rows)
    yield f"explain with the smallest change, {size}", change, 0.020


def main():
    """Measure, print, and fail if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="at 1/20 of the rows")
    scale = 1 / 20 if parser.parse_args().quick else 1
    missed = 0
    for task, seconds, most in measured(scale):
        verdict = "ok" if seconds <= most else "SHORT"
        missed += seconds > most
        taken, allowed = report.amount(seconds, "s"), report.amount(most, "s")
        print(f"{task:<50} {taken:>10}  at most {allowed:>8}  {verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
