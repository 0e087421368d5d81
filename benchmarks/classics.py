"""What do ID3, C4.5 and surrogates cost, and what do others take for them?

Question: how long do ID3 and C4.5 take beside CART on the same table of categories;
          how far do chefboost and imodels get in a minute; what do five surrogates per
          split cost, and how does rpart compare with the same settings?
Data:     synthetic, fixed seed: 200k x 20 columns of 10 categories; 100k x 20 numbers
          in pairs that resemble each other, 10 % missing.
Equal:    trees grown to the end of their rules, not pruned. The Python peers get tables
          that double until a fit takes more than a minute; ours is timed on the largest
          that they finished. rpart: minsplit=20, cp=0, five surrogates, no
          cross-validation, no competitors; ours has the same rules, and two threads.
Timing:   wall clock, median of 3 (peers: once). rpart runs if Rscript is there, the
          Python peers if they are installed.
Run:      python benchmarks/classics.py           on an idle machine
          python benchmarks/classics.py --quick   a look, at 1/10 of the rows
"""

import argparse
import contextlib
import importlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import report
import treewright as tw
from report import Row
from timing import median_time

RESULT = "benchmarks/results/classics.json"
A_MINUTE = 60.0
FIRST_ROWS = 250
RULES = {"min_samples_split": 20, "min_samples_leaf": 7, "max_depth": 30}

R_CODE = """
library(rpart)
d <- read.csv("{table}", na.strings="nan"); d$y <- factor(d$y)
control <- rpart.control(cp=0, minsplit=20, minbucket=7, maxdepth=30, maxsurrogate=5,
                         xval=0, maxcompete=0)
cat(system.time(rpart(y ~ ., d, method="class", control=control))[["elapsed"]])
"""


def categories(n_rows, seed=0):
    """Return 20 columns of 10 categories, eight of which matter, and two classes."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 10, (n_rows, 20))
    effects = rng.normal(size=(8, 10))
    signal = sum(effects[j][codes[:, j]] for j in range(8))
    y = np.where(signal + 1.5 * rng.normal(size=n_rows) > 0, "yes", "no")
    letters = np.array(list("abcdefghij"))
    columns = {f"c{j}": pd.Categorical(letters[codes[:, j]]) for j in range(20)}
    return pd.DataFrame(columns), y


def numbers(n_rows, seed=0):
    """Return 20 numbers, two of a kind each, a tenth of them missing, two classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 20))
    X[:, 1::2] = 0.8 * X[:, 0::2] + 0.6 * X[:, 1::2]
    signal = X[:, 0] + X[:, 2] * X[:, 4] + np.sin(3 * X[:, 6])
    y = (signal + rng.normal(size=n_rows) > 0).astype(int)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def fit(X, y, **options):
    """Fit our tree, not pruned."""
    return tw.TreeClassifier(prune=None, n_jobs=2, **options).fit(X, y)


# -- ID3 and C4.5 ------------------------------------------------------------------


def beside_cart(scale, notes):
    """ID3 and C4.5 on the table that CART gets."""
    X, y = categories(int(200_000 * scale))
    task = f"{len(y)} x 20 columns of 10 categories"
    ways = {
        "CART": {},
        "ID3": {"method": "id3"},
        "C4.5": {"method": "c45"},
    }
    times = {}
    for name, options in ways.items():
        times[name], model = median_time(lambda options=options: fit(X, y, **options))
        notes[f"{task}, {name}"] = {"leaves": int(model.tree_.n_leaves)}
    return [
        Row(f"{name}, {task}", "our CART", times["CART"], times[name], 2, False)
        for name in ("ID3", "C4.5")
    ]


def chefboost(X, y, algorithm):
    """Fit chefboost; it writes its trees into the working directory."""
    peer = importlib.import_module("chefboost.Chefboost")
    # It takes columns of objects for categories, and all others for numbers.
    table = X.astype(object).assign(Decision=y.astype(object))
    table = table.astype(object)
    config = {"algorithm": algorithm, "enableParallelism": False}
    with contextlib.redirect_stdout(io.StringIO()):
        peer.fit(table, config, silent=True)


def imodels(X, y, _algorithm):
    """Fit the C4.5 of imodels, which takes codes."""
    peer = importlib.import_module("imodels").C45TreeClassifier
    codes = X.apply(lambda column: column.cat.codes)
    peer(max_rules=10**9).fit(codes.to_numpy(), (y == "yes").astype(int))


PEERS = {
    "chefboost ID3": (chefboost, "ID3", {"method": "id3"}),
    "chefboost C4.5": (chefboost, "C4.5", {"method": "c45"}),
    "imodels C4.5": (imodels, "C4.5", {"method": "c45"}),
}


def beside_python(most_seconds, notes):
    """How far the Python peers get, and our time on the same table."""
    rows = []
    for name, (peer, algorithm, options) in PEERS.items():
        try:
            n_rows, theirs = largest(peer, algorithm, most_seconds)
        except ImportError as problem:
            notes[name] = f"not installed: {problem}"
            continue
        X, y = categories(n_rows)
        ours, _ = median_time(lambda X=X, y=y, o=options: fit(X, y, **o), 5)
        rows.append(Row(f"{n_rows} x 20 categories", name, theirs, ours, 1000))
    return rows


def largest(peer, algorithm, most_seconds):
    """Double the table while a fit stays within the time; return rows and seconds."""
    n_rows, done = FIRST_ROWS, None
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        sys.path.insert(0, folder)  # chefboost imports the rules it has written
        while True:
            X, y = categories(n_rows)
            seconds, _ = median_time(lambda X=X, y=y: peer(X, y, algorithm), 1)
            if done is not None and seconds > most_seconds:
                return done
            done = n_rows, seconds
            if seconds > most_seconds / 2:  # twice the rows would take too long
                return done
            n_rows *= 2


# -- surrogates --------------------------------------------------------------------


def surrogates(scale, notes):
    """Five surrogates per split beside none, and beside rpart's."""
    X, y = numbers(int(100_000 * scale))
    task = f"{len(y)} x 20 numbers, 10 % missing"
    plain, _ = median_time(lambda: fit(X, y, **RULES))
    ours, model = median_time(lambda: fit(X, y, missing="surrogate", **RULES))
    notes[task] = {"leaves": int(model.tree_.n_leaves)}
    rows = [Row(f"5 surrogates, {task}", "our plain fit", plain, ours, 4, False)]
    divided, _ = median_time(lambda: fit(X, y, missing="fractional", **RULES), 1)
    notes[task]["seconds with divided rows"] = round(divided, 3)
    theirs = rpart_time(X, y)
    if theirs is not None:
        rows.append(Row(f"5 surrogates, {task}", "rpart", theirs, ours, 5))
    return rows


def rpart_time(X, y):
    """Return the seconds rpart needs for its fit; None without R."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        names = ",".join([*(f"x{j}" for j in range(X.shape[1])), "y"])
        np.savetxt(table, np.c_[X, y], "%.9g", ",", header=names, comments="")
        done = subprocess.run(
            ["Rscript", "-e", R_CODE.format(table=table)],
            capture_output=True,
            text=True,
            check=False,
        )
    return float(done.stdout) if done.returncode == 0 else None


def main():
    """Run everything, print the table, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--no-peers", action="store_true", help="our own times only")
    wanted = parser.parse_args()
    scale, seconds = (0.1, 6.0) if wanted.quick else (1.0, A_MINUTE)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    notes = {}
    rows = [*beside_cart(scale, notes), *surrogates(scale, notes)]
    if not wanted.no_peers:
        rows += beside_python(seconds, notes)
    print(report.as_text(rows))
    print(*(f"{name}: {note}" for name, note in notes.items()), sep="\n")
    if not wanted.quick and not wanted.no_peers:
        report.write_json(RESULT, rows, notes)


if __name__ == "__main__":
    main()
