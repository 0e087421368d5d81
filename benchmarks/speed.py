"""Speed and memory of treewright beside the libraries people use.

Question: how long do one exact tree and its predictions take; what memory does a fit
          need at its peak?
Data:     synthetic, fixed seed, nothing downloaded (data.py).
Equal:    one process and run, same table, depth and leaf size; brakes off everywhere
          (libraries.py). scikit-learn has one thread, all others two. Leaves and
          held-out accuracy are printed beside the times.
Timing:   wall clock, libraries take turns, memory made ready (timing.py). Ours is the
          median of 3 or more; a peer that needs long runs once, its median is taken
          otherwise.
Run:      python benchmarks/speed.py             everything, on an idle machine
          python benchmarks/speed.py --quick     a look, at 1/20 of the rows
          python benchmarks/speed.py --only iris --only predict
"""

import argparse
import statistics
import sys
import time

import numpy as np

import data
import libraries
import memory
import report
from report import Row
from timing import stopwatch

RESULT = "benchmarks/results/speed.json"
TESTING = 100_000
OURS, SKLEARN = "treewright", "scikit-learn"


class Bench:
    """Collects rows while the tasks run; knows how large and how often to run."""

    def __init__(self, scale, peers):
        self.scale, self.peers = scale, peers
        self.rows, self.notes = [], {}

    def rows_of(self, full):
        """Return the number of rows to use where the full benchmark uses `full`."""
        return max(1000, int(full * self.scale))

    def race(self, task, contestants):
        """Run (name -> (repeats, function)) in turns; return medians and answers."""
        if not self.peers:
            contestants = {n: c for n, c in contestants.items() if n.startswith(OURS)}
        times = {name: [] for name in contestants}
        answers = {}
        for turn in range(max(repeats for repeats, _ in contestants.values())):
            for name, (repeats, function) in contestants.items():
                if turn < repeats:
                    answers.pop(name, None)
                    seconds, answers[name] = stopwatch(function)
                    times[name].append(seconds)
        medians = {name: statistics.median(taken) for name, taken in times.items()}
        print(
            task,
            *(f"{n} {report.amount(t, 's')}" for n, t in medians.items()),
            sep="  ",
        )
        return medians, answers

    def compare(self, task, times, targets, **kind):
        """Add one row for each peer in `targets` that took part."""
        for peer, target in targets.items():
            if peer in times:
                self.rows.append(
                    Row(task, peer, times[peer], times[OURS], target, **kind)
                )

    def note_models(self, task, models, X, y):
        """Keep leaves and held-out accuracy (or R²) of every model."""
        self.notes[task] = {}
        for name, model in models.items():
            found = {"held_out": round(float(quality(model, X, y)), 5)}
            if hasattr(model, "get_n_leaves"):
                found["leaves"] = int(model.get_n_leaves())
            self.notes[task][name] = found
        if SKLEARN in models:
            self.notes[task]["alike"] = alike(models[OURS], models[SKLEARN], X)
        for name, found in self.notes[task].items():
            print(f"    {name}: {found}")


def per_call(function, calls):
    """Return the median seconds of many short calls."""
    function()
    taken = []
    for _ in range(calls):
        start = time.perf_counter()
        function()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def quality(model, X, y):
    """Accuracy, or R² for a numeric target."""
    guess = libraries.predict(model, X)
    if y.dtype.kind == "f":
        return 1 - np.mean((y - guess) ** 2) / np.var(y)
    return np.mean(guess == y)


def alike(ours, theirs, X):
    """Return the share of rows that two models predict alike, to rounding."""
    return float(np.mean(np.isclose(ours.predict(X), theirs.predict(X))))


# --- the tasks, one per row of the table of targets ------------------------------


def depth_10(bench):
    """1M x 20, two classes, depth 10, float32 columns."""
    n = bench.rows_of(1_000_000)
    X, y = data.two_classes(n + TESTING)
    fit = (X[:n], y[:n], 10)
    task = "1M x 20, two classes, depth 10, float32"
    times, models = bench.race(
        task,
        {
            OURS: (5, lambda: libraries.treewright(*fit)),
            "LightGBM, 255 bins": (5, lambda: libraries.lightgbm(*fit)),
            "XGBoost hist": (5, lambda: libraries.xgboost_hist(*fit)),
            "XGBoost exact": (3, lambda: libraries.xgboost_exact(*fit)),
            SKLEARN: (1, lambda: libraries.sklearn(*fit)),
        },
    )
    targets = {SKLEARN: 55, "LightGBM, 255 bins": 2, "XGBoost hist": 2}
    bench.compare(task, times, targets | {"XGBoost exact": 6})
    bench.note_models(task, models, X[n:], y[n:])


def depth_10_float64(bench):
    """1M x 20, two classes, depth 10, float64 columns."""
    n = bench.rows_of(1_000_000)
    X, y = data.two_classes(n + TESTING, dtype=np.float64)
    fit = (X[:n], y[:n], 10)
    fit_against_sklearn(bench, "1M x 20, two classes, depth 10, float64", fit, 50, X, y)


def full_depth(bench):
    """1M x 20, two classes, full depth; also against our own sort."""
    n = bench.rows_of(1_000_000)
    X, y = data.two_classes(n + TESTING)
    fit = (X[:n], y[:n])
    task = "1M x 20, two classes, full depth"
    sort = f"{OURS}: sorting the columns"
    times, models = bench.race(
        task,
        {
            OURS: (5, lambda: libraries.treewright(*fit)),
            sort: (5, lambda: libraries.treewright_sort(fit[0])),
            "YDF CART": (1, lambda: libraries.ydf_cart(*fit)),
            SKLEARN: (1, lambda: libraries.sklearn(*fit)),
        },
    )
    bench.compare(task, times, {SKLEARN: 50, "YDF CART": 15})
    bench.compare(task, times, {sort: 10}, at_least=False)
    models.pop(sort)
    bench.note_models(task, models, X[n:], y[n:])


def ten_classes(bench):
    """200k x 50, ten classes, min leaf 5."""
    n = bench.rows_of(200_000)
    X, y = data.ten_classes(n + TESTING)
    fit = (X[:n], y[:n], None, 5)
    fit_against_sklearn(bench, "200k x 50, ten classes, min leaf 5", fit, 40, X, y)


def regression(bench):
    """200k x 50, regression, min leaf 5."""
    n = bench.rows_of(200_000)
    X, y = data.regression(n + TESTING)
    fit = (X[:n], y[:n], None, 5)
    fit_against_sklearn(bench, "200k x 50, regression, min leaf 5", fit, 50, X, y)


def integers(bench):
    """200k x 50, integer columns of 100 values, min leaf 5."""
    n = bench.rows_of(200_000)
    X, y = data.integers(n + TESTING)
    fit = (X[:n], y[:n], None, 5)
    fit_against_sklearn(bench, "200k x 50, integers of 100 values", fit, 25, X, y)


def fit_against_sklearn(bench, task, fit, target, X, y):
    """Race both exact growers; the rows after the fitted ones test the trees."""
    times, models = bench.race(
        task,
        {
            OURS: (7, lambda: libraries.treewright(*fit)),
            SKLEARN: (1, lambda: libraries.sklearn(*fit)),
        },
    )
    bench.compare(task, times, {SKLEARN: target})
    n = len(fit[1])
    bench.note_models(task, models, X[n:], y[n:])


def iris(bench):
    """Iris: what a fit costs when there is nothing to do."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    short_task(
        bench,
        "iris, fit",
        lambda: libraries.treewright(X, y),
        lambda: libraries.sklearn(X, y),
        target=1,
    )


def scaling(bench):
    """1M -> 4M rows, full depth: our time must grow little faster than the rows."""
    contestants = {}
    for full in (1_000_000, 4_000_000):
        X, y = data.two_classes(bench.rows_of(full))
        fit = lambda X=X, y=y: libraries.treewright(X, y)  # noqa: E731
        contestants[f"{OURS}, {full // 1_000_000}M"] = (11, fit)
    task = "1M -> 4M rows, full depth"
    (small, small_time), (_, large_time) = bench.race(task, contestants)[0].items()
    bench.rows.append(Row(task, small, small_time, large_time, 4.6, at_least=False))


def predict(bench):
    """Predict 1M x 20 through about 6,000 leaves."""
    n, n_fit = bench.rows_of(1_000_000), bench.rows_of(200_000)
    X, y = data.two_classes(n)
    # On 200,000 rows this leaf size gives about 6,000 leaves.
    fit = (X[:n_fit], y[:n_fit], None, 20)
    ours = libraries.treewright(*fit)
    n_leaves = int(ours.get_n_leaves())
    contestants = {OURS: (7, lambda: ours.predict(X))}
    if bench.peers:
        theirs = libraries.sklearn(*fit)
        boosted = libraries.xgboost_hist(*fit[:2], max_leaves=n_leaves)
        contestants[SKLEARN] = (7, lambda: theirs.predict(X))
        contestants["XGBoost inplace_predict"] = (
            7,
            lambda: boosted.inplace_predict(X),
        )
    task = "predict 1M x 20, about 6,000 leaves"
    times, answers = bench.race(task, contestants)
    bench.compare(task, times, {SKLEARN: 4, "XGBoost inplace_predict": 1})
    bench.notes[task] = {"leaves": n_leaves}
    if bench.peers:
        bench.notes[task] |= {
            "leaves of scikit-learn": int(theirs.get_n_leaves()),
            "alike": float(np.mean(answers[OURS] == answers[SKLEARN])),
        }
    print("   ", bench.notes[task])


def predict_one(bench):
    """Predict one row, float64."""
    X, y = data.two_classes(bench.rows_of(100_000), dtype=np.float64)
    ours, theirs = libraries.treewright(X, y, 12), libraries.sklearn(X, y, 12)
    row = X[:1]
    short_task(
        bench,
        "predict one row",
        lambda: ours.predict(row),
        lambda: theirs.predict(row),
        target=6,
    )


def short_task(bench, task, ours, theirs, target):
    """Compare calls that take microseconds: the median of three medians, in turns."""
    taken = [(per_call(ours, 300), per_call(theirs, 300)) for _ in range(3)]
    times = dict(
        zip(
            (OURS, SKLEARN),
            map(statistics.median, zip(*taken, strict=True)),
            strict=True,
        )
    )
    print(task, *(f"{n} {report.amount(t, 's')}" for n, t in times.items()), sep="  ")
    bench.compare(task, times, {SKLEARN: target})


def peak_memory(bench):
    """Peak memory above the input and the finished tree, full depth."""
    n = bench.rows_of(1_000_000)
    for dtype, kind in (
        ("float32", "class"),
        ("float64", "class"),
        ("float32", "number"),
    ):
        task = f"peak memory, 1M x 20, {dtype}, {kind} target"
        found = memory.measure(n, dtype, kind)
        bench.notes[task] = found
        used = found["above_input_and_tree"]
        allowed = "8 B x rows x columns + 64 B x rows"
        row = Row(task, allowed, found["budget"], used, 1, at_least=False, unit="B")
        bench.rows.append(row)
        print(*row.cells(), sep="  ")


TASKS = {
    "depth-10": depth_10,
    "depth-10-float64": depth_10_float64,
    "full-depth": full_depth,
    "ten-classes": ten_classes,
    "regression": regression,
    "integers": integers,
    "iris": iris,
    "scaling": scaling,
    "predict": predict,
    "predict-one": predict_one,
    "memory": peak_memory,
}


def main():
    """Run the tasks asked for, print the table and write it down."""
    asked = parse_arguments()
    bench = Bench(scale=asked.scale, peers=not asked.no_peers)
    warm_up()
    for name in asked.only or TASKS:
        TASKS[name](bench)
    if asked.scale != 1:
        print(
            f"\nAt {asked.scale:g} of the rows named; the targets are for all of them."
        )
    print("\n" + report.as_text(bench.rows))
    if asked.markdown:
        print("\n" + report.as_markdown(bench.rows))
    whole = not asked.only and asked.scale == 1 and not asked.no_peers
    out = asked.out or (RESULT if whole else None)
    if out:
        report.write_json(out, bench.rows, bench.notes | {"scale": asked.scale})
        print(f"\nWritten to {out}.")
    return 0 if all(row.ok for row in bench.rows) else 1


def warm_up():
    """Load what is loaded lazily, so that no task pays for it."""
    X, y = data.two_classes(2000)
    libraries.treewright(X, y, 3).predict(X)
    libraries.sklearn(X, y, 3).predict(X)


def parse_arguments():
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", choices=TASKS, metavar="TASK")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the rows")
    parser.add_argument("--quick", action="store_true", help="same as --scale 0.05")
    parser.add_argument("--no-peers", action="store_true", help="time treewright only")
    parser.add_argument(
        "--markdown", action="store_true", help="print for a README too"
    )
    parser.add_argument("--out", help=f"JSON file; a full run writes {RESULT}")
    asked = parser.parse_args()
    if asked.quick:
        asked.scale = 0.05
    return asked


if __name__ == "__main__":
    sys.exit(main())
