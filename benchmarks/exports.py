"""How fast do exports score rows, and how fast are they written?

Question: 10M rows by exported SQL in DuckDB, by generated C and by ONNX Runtime, beside
          `predict` and the C of treelite (tl2cgen) and m2cgen for the same tree. Goal:
          our C needs no more time than treelite's; a tree of 5,000 leaves is written
          in any format within 2 s.
Data:     synthetic, seed 0, 8 numeric columns of float32 values, 2 classes.
Equal:    all score the same rows and give the same classes, which is checked. Each C
          function is called from the same loop over a matrix of float64, compiled by
          gcc -O2. lleaves is left out: it compiles models of LightGBM only.
Timing:   processor time of all threads, so that one thread and two count the same; the
          engines take turns, and the smallest of 3 turns counts (one turn if it takes
          more than 10 s). Preparing the input of an engine is not timed.
Run:      make bench-exports
          make bench-exports ARGS="--rows 1_000_000"
"""

import argparse
import ctypes
import subprocess
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import onnxruntime

import report
import treewright as tw
from treewright.exporting.export import FORMATS

N_COLUMNS = 8
TURNS = 3
LONG = 10.0  # seconds; what takes longer has one turn
SIZES = {"50 leaves": 50, "5,000 leaves": 5000}
MOST_SECONDS = 2.0  # to write a tree of 5,000 leaves

LOOP = """
%s
void run(const double *rows, long n, unsigned char *out) {
  for (long i = 0; i < n; ++i, rows += 8) {
    %s
  }
}
"""
OURS = """struct tree_row row = {%s};
    out[i] = (unsigned char)tree_predict(&row);"""
TREELITE = """union Entry entry[8];
    double result[2] = {0.0, 0.0};
    for (int k = 0; k < 8; ++k) entry[k].fvalue = rows[k];
    predict(entry, 0, result);
    out[i] = result[1] > result[0];"""
M2CGEN = """double result[2];
    score((double *)rows, result);
    out[i] = result[1] > result[0];"""


def table(n, seed):
    """Return rows of float32 values as float64, and a class with much noise."""
    rng = np.random.default_rng(seed)
    X = np.empty((n, N_COLUMNS))
    for column in range(N_COLUMNS):
        X[:, column] = rng.standard_normal(n, np.float32)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + (X[:, 3] > 0.5)
    return X, (signal + rng.standard_normal(n) > 0).astype(int)


def grown(n_leaves):
    """Return a tree that scikit-learn can express."""
    X, y = table(200_000, 1)
    options = {"prune": None, "shrinkage": None, "max_leaf_nodes": n_leaves}
    return tw.TreeClassifier(findings="ignore", **options).fit(X, y).tree_


def used(tree):
    """Return the numbers of the columns that the tree reads."""
    return [tree.schema.names.index(name) for name in tree.columns_used]


# -- engines: each takes the tree and returns a function of the rows -------------------


def compiled(folder, name, source, body, *files):
    """Return a function that calls C for every row of a matrix."""
    (folder / f"{name}.c").write_text(LOOP % (source, body))
    library = folder / f"{name}.so"
    command = ["gcc", "-O2", "-std=gnu99", "-shared", "-fPIC", "-w", "-I", str(folder)]
    command += ["-o", str(library), str(folder / f"{name}.c"), *map(str, files)]
    subprocess.run([*command, "-lm"], check=True)
    run = ctypes.CDLL(str(library)).run

    def scored(X):
        out = np.empty(len(X), np.uint8)
        run(X.ctypes.data_as(ctypes.c_void_p), ctypes.c_long(len(X)),
            out.ctypes.data_as(ctypes.c_void_p))  # fmt: skip
        return out

    return scored


def generated_c(tree, folder):
    """Our C."""
    fields = ", ".join(f"rows[{i}]" for i in used(tree))
    return compiled(folder, "ours", tree.export("c"), OURS % fields)


def treelite_c(tree, folder):
    """The C of tl2cgen, which treelite's compiler has become."""
    import tl2cgen
    import treelite
    from sklearn.ensemble import RandomForestClassifier

    one, forest = tree.to_sklearn(), RandomForestClassifier(1)
    forest.estimators_, forest.n_outputs_ = [one], 1
    forest.n_features_in_, forest.classes_ = one.n_features_in_, one.classes_
    forest.n_classes_ = one.n_classes_
    model = treelite.sklearn.import_model(forest)
    made = folder / "treelite"
    tl2cgen.generate_c_code(model, made, {})
    source = '#include "treelite/header.h"'
    return compiled(folder, "tl", source, TREELITE, *sorted(made.glob("*.c")))


def m2cgen_c(tree, folder):
    """The C of m2cgen."""
    import m2cgen

    source = m2cgen.export_to_c(tree.to_sklearn())
    return compiled(folder, "m2", source, M2CGEN)


def onnx(tree, folder):
    """Our ONNX on one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(tree.export("onnx"), options)
    names = [each.name for each in session.get_inputs()]

    def scored(X):
        columns = [np.ascontiguousarray(X[:, [i]]) for i in used(tree)]
        feed = dict(zip(names, columns, strict=True))
        return session.run(["prediction"], feed)[0].ravel()

    return scored


def sql_in_duckdb(tree, folder):
    """Our SQL; the rows are in a table of DuckDB."""
    database = duckdb.connect()

    def scored(X):
        sql = tree.export("sql", dialect="duckdb", table="filled")
        inner = sql.rstrip(";\n")
        query = f"SELECT prediction::UTINYINT AS p FROM ({inner})"
        return database.execute(query).fetchnumpy()["p"]

    def fill(X):
        for column in range(N_COLUMNS):
            database.register(f"c{column}", {f"x{column}": X[:, column]})
        names = ", ".join(f"c{i}.x{i}" for i in range(N_COLUMNS))
        views = " POSITIONAL JOIN ".join(f"c{i}" for i in range(N_COLUMNS))
        database.execute(f"CREATE TABLE filled AS SELECT {names} FROM {views}")

    scored.fill = fill
    return scored


def predict(tree, folder):
    """The library itself."""
    return tree.predict


ENGINES = {
    "generated C": generated_c,
    "C of treelite (tl2cgen)": treelite_c,
    "C of m2cgen": m2cgen_c,
    "treewright predict": predict,
    "SQL in DuckDB": sql_in_duckdb,
    "ONNX Runtime": onnx,
}


def scoring(tree, X):
    """Return the smallest processor time of each engine; all must agree."""
    expected = tree.predict(X)
    best = {}
    with tempfile.TemporaryDirectory() as name:
        ready = {}
        for engine, prepare in ENGINES.items():
            try:
                ready[engine] = prepare(tree, Path(name))
            except ImportError as missing:
                print(f"NOT RUN: {engine}: {missing}")
                continue
            getattr(ready[engine], "fill", lambda X: None)(X)
        for turn in range(TURNS):
            for engine, run in ready.items():
                if best.get(engine, 0.0) > LONG:
                    continue
                started = time.process_time()
                found = run(X)
                taken = time.process_time() - started
                best[engine] = min(taken, best.get(engine, taken))
                if turn == 0:
                    assert (found == expected).all(), engine
    return best


def writing(tree):
    """Return the smallest time to write a tree in each format, from scratch."""
    import pickle

    stored, best = pickle.dumps(tree), {}
    options = {"sql": {"dialect": "duckdb", "table": "t", "probabilities": True}}
    options["scorecard"] = {"good": "1"}
    for _ in range(TURNS):
        for format in FORMATS:
            fresh = pickle.loads(stored)  # without what it has worked out and kept
            started = time.process_time()
            fresh.export(format, **options.get(format, {}))
            taken = time.process_time() - started
            best[format] = min(taken, best.get(format, taken))
    return best


def main():
    """Print both tables; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    rows = parser.parse_args().rows
    X, _ = table(rows, 2)
    missed = []
    for size, n_leaves in SIZES.items():
        best = scoring(grown(n_leaves), X)
        print(f"\n{rows:,} rows, {size}: processor time, and times generated C")
        for engine, seconds in best.items():
            ratio = seconds / best["generated C"]
            print(f"  {engine:<26}{report.amount(seconds, 's'):>10}{ratio:>8.2f}x")
        theirs = best.get("C of treelite (tl2cgen)", np.inf)
        missed += [f"C, {size}"] * (best["generated C"] > theirs)
    noise = tw.TreeClassifier(
        findings="ignore", prune=None, shrinkage=5, max_leaf_nodes=5000
    )
    print("\nwriting a tree of 5,000 leaves: processor time")
    for format, seconds in writing(noise.fit(*table(200_000, 1)).tree_).items():
        print(f"  {format:<26}{report.amount(seconds, 's'):>10}")
        missed += [f"writing {format}"] * (seconds > MOST_SECONDS)
    print("\nevery target reached" if not missed else f"\nSHORT: {', '.join(missed)}")
    return int(bool(missed))


if __name__ == "__main__":
    raise SystemExit(main())
