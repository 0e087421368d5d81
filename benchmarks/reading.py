"""How long it takes to read a tree: text, rules, explanations, the report.

Question: can a tree of 100,000 leaves still be printed, listed and looked into?
Data:     synthetic, fixed seed; classes are noise, so that the tree is large.
Timing:   wall clock, median of 3 (explanations: mean of 200 rows). The report opens in
          Chromium, from the call until the page says that it stands; needs the
          packages of the tests, and is left out where there is no browser.
Run:      python benchmarks/reading.py            on an idle machine
          python benchmarks/reading.py --quick    at 1/20 of the rows
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from itertools import chain
from pathlib import Path

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


def reported(scale):
    """Yield the same for the report: writing, size, opening, one frame."""
    tree, _ = noise_tree(int(63_400 * scale))
    size = f"{tree.n_leaves:,} leaves"
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20_000, 10)), rng.integers(0, 3, 20_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        yield f"report, {size}", median(lambda t: tw.report(t, path), tree), 5.0
        tested = median(lambda t: tw.report(t, path, X, y), tree)
        yield f"report with 20,000 test rows, {size}", tested, 5.0
        yield f"its size, {size}", path.stat().st_size, 15e6, "B"
        yield from opened(path, size)


def opened(path, size):
    """Yield how long a browser takes for a report."""
    browser = os.environ.get("CHROMIUM") or shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        browser = None
    if browser is None:
        print("NOT MEASURED: opening the report (no chromium, or no playwright)")
        return
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(
            executable_path=browser, args=["--no-sandbox"]
        )
        taken = []
        for _ in range(3):
            page = program.new_page(viewport={"width": 1400, "height": 1000})
            started = time.perf_counter()
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready]", state="attached")
            taken.append(time.perf_counter() - started)
        yield f"opening it, {size}", statistics.median(taken), 2.0
        frames = page.evaluate(
            """() => {
                treewright.foldAll(false);
                const taken = [];
                for (let i = 0; i < 40; i++) {
                    treewright.zoom(i % 2 ? 1.3 : 1 / 1.2);
                    const started = performance.now();
                    treewright.draw();
                    taken.push((performance.now() - started) / 1000);
                }
                return taken;
            }"""
        )
        median_frame = statistics.median(frames)
        yield f"one frame while zooming, all unfolded, {size}", median_frame, 0.033
        program.close()


def main():
    """Measure, print, and fail if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="at 1/20 of the rows")
    scale = 1 / 20 if parser.parse_args().quick else 1
    missed = 0
    for task, found, most, *unit in chain(measured(scale), reported(scale)):
        verdict = "ok" if found <= most else "SHORT"
        missed += found > most
        unit = unit[0] if unit else "s"
        taken, allowed = report.amount(found, unit), report.amount(most, unit)
        print(f"{task:<50} {taken:>10}  at most {allowed:>8}  {verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
