"""What does the right size of a tree cost?

Question: how much longer than one unpruned fit is a cross-validated one; how does it
          compare with rpart's xval=10 and a grid search over ccp_alpha in scikit-learn;
          how long does the weakest-link path of a large tree take?
Data:     synthetic, fixed seed (data.two_classes); iris for the small end.
Equal:    ten folds everywhere, trees grown to the end; rpart with cp=0, minsplit=2 and
          no surrogates or competitors. scikit-learn's grid of 50 alphas is extrapolated
          from 3 alphas on one fold: 500 fits of their mean time.
Timing:   wall clock, median of 3 (peers: once). rpart runs if Rscript is there.
Run:      python benchmarks/pruning_speed.py           on an idle machine
          python benchmarks/pruning_speed.py --quick   a look, at 1/10 of the rows
"""

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import data
import memory
import report
import treewright as tw
from timing import median_time
from treewright.pruning.path import find_path

RESULT = "benchmarks/results/pruning_speed.json"
FOLDS, GRID, TRIED = 10, 50, 3
LEAVES = 100_000

R_CODE = """
library(rpart)
d <- read.csv("{table}"); d$y <- factor(d$y)
control <- rpart.control(cp=0, minsplit=2, minbucket=1, xval=10, maxsurrogate=0,
                         maxcompete=0, usesurrogate=0)
cat(system.time(rpart(y ~ ., d, method="class", control=control))[["elapsed"]])
"""


def cross_validated(X, y):
    """Compare one fit, ours with ten folds, and the others."""
    once, _ = median_time(lambda: tw.TreeClassifier(prune=None).fit(X, y))
    ours, fitted = median_time(lambda: tw.TreeClassifier(cv=FOLDS).fit(X, y))
    print(repr(fitted.pruning_), fitted.pruning_.words)
    found = {
        "one unpruned fit": once,
        "cross-validated fit": ours,
        "times one fit (target <= 8)": ours / once,
        "leaves": fitted.tree_.n_leaves,
        "cross-validated error": fitted.pruning_.chosen_error,
    }
    grid = GRID * FOLDS * sklearn_fit(X, y)
    found["scikit-learn grid, extrapolated"] = grid
    found["faster than the grid (target >= 1000)"] = grid / ours
    rpart = rpart_time(X, y)
    if rpart is not None:
        found["rpart, xval=10"] = rpart
        found["faster than rpart (target >= 15)"] = rpart / ours
    return found


def sklearn_fit(X, y):
    """Return the mean time of a fit at three alphas on nine tenths of the rows."""
    rows = np.arange(len(y)) % FOLDS > 0
    times = []
    for alpha in np.geomspace(1e-5, 1e-3, TRIED):
        seconds, _ = median_time(
            lambda a=alpha: DecisionTreeClassifier(ccp_alpha=a, random_state=0).fit(
                X[rows], y[rows]
            ),
            repeats=1,
        )
        times.append(seconds)
    return statistics.mean(times)


def rpart_time(X, y):
    """Return the seconds that rpart needs, None without R."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        names = ",".join([f"x{j}" for j in range(X.shape[1])] + ["y"])
        np.savetxt(
            table, np.column_stack([X, y]), "%.9g", ",", header=names, comments=""
        )
        code = R_CODE.format(table=table)
        done = subprocess.run(
            ["Rscript", "-e", code], capture_output=True, text=True, check=False
        )
    return float(done.stdout) if done.returncode == 0 else None


def path_of_large_tree(n_rows):
    """Compare growing a tree of pure noise with finding its path."""
    random = np.random.default_rng(0)
    X, y = random.random((n_rows, 10)), random.integers(0, 2, n_rows)
    table = tw.as_table(X, y)
    growing, tree = median_time(lambda: tw.grow(table))
    # The arrays only, so that nothing kept from an earlier run helps.
    path, _ = median_time(lambda: find_path(tree.data))
    return {
        "leaves": tree.n_leaves,
        "growing": growing,
        "path": path,
        "share (target <= 0.2)": path / growing,
    }


def peak_memory(n_rows):
    """Return the peak of the cross-validated fit, as a share of what it may take.

    Above the input and the trees: the whole one, and those of the two folds that are
    grown side by side.
    """
    found = memory.measure(n_rows, library="cross_validated")
    whole_tree = memory.measure(n_rows)["tree"]
    allowed = 16 * n_rows * found["columns"] + 128 * n_rows
    above = found["above_input"] - 3 * whole_tree
    return {
        "MB": above / 1e6,
        "MB of a whole tree": whole_tree / 1e6,
        "share of 16 B x cells + 128 B x rows": above / allowed,
    }


def main():
    """Run everything, print it, write it down."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="1/10 of the rows")
    scale = 0.1 if parser.parse_args().quick else 1.0
    X, y = data.two_classes(int(100_000 * scale))
    iris = load_iris()
    default, _ = median_time(lambda: tw.TreeClassifier().fit(iris.data, iris.target), 9)
    results = {
        "cross-validation, 100k x 20": cross_validated(X, y),
        "path": path_of_large_tree(int(4.6 * LEAVES * scale)),
        "iris": {"default fit (target <= 0.010)": default},
        "peak memory, cross-validated": peak_memory(int(100_000 * scale)),
    }
    for title, figures in results.items():
        print(f"\n{title}")
        for name, value in figures.items():
            print(f"  {name:<40} {value:.4g}")
    if scale == 1.0:
        Path(RESULT).write_text(
            json.dumps({"machine": report.machine(), "results": results}, indent=2)
        )


if __name__ == "__main__":
    main()
