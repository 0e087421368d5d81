"""How much slower a hard case is than the plain case beside it.

Question: does any choice of data or options take more than ten times as long?
Data:     synthetic, fixed seed, one table for both fits of a case; where the second
          is larger, the first counts as many times as it is.
Timing:   processor time, the two fits take turns, smallest of three.
Run:      python benchmarks/cliffs.py [words of a case ...]
"""

import sys
import time

import numpy as np

import treewright as tw

TARGET = 10.0


def table(n_rows, n_classes, n_columns=20, seed=0):
    """Standard-normal columns; classes are cuts of a noisy score."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n_rows, n_columns))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * random.standard_normal(n_rows)
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return X, np.searchsorted(cuts, score), score


def classifier(X, y, weight=None, **options):
    """One fit, not pruned unless asked for."""
    options = {"prune": None, "n_jobs": 1, **options}
    return lambda: tw.TreeClassifier(**options).fit(X, y, sample_weight=weight)


def regressor(X, y, **options):
    """One fit of a number."""
    return lambda: tw.TreeRegressor(prune=None, n_jobs=1, **options).fit(X, y)


def weights(n_classes):
    """Unequal weights beside equal ones."""
    X, y, _ = table(20_000, n_classes)
    weight = np.random.default_rng(1).uniform(0.5, 1.5, len(y))
    return classifier(X, y, max_depth=8), classifier(X, y, weight, max_depth=8)


def misclassification(n_classes, **options):
    """Misclassification beside Gini."""
    X, y, _ = table(20_000, n_classes)
    wrong = {"criterion": "misclassification", **options}
    return classifier(X, y, **options), classifier(X, y, **wrong)


def fractional():
    """Divided rows beside a table in which nothing is missing, cross-validated."""
    X, y, _ = table(4_000, 2)
    holes = X.copy()
    holes[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    folds = {"prune": "cv", "cv": 5}
    return classifier(X, y, **folds), classifier(
        holes, y, missing="fractional", **folds
    )


def absolute_error():
    """Absolute error beside squared error."""
    X, _, score = table(20_000, 2)
    plain = {"max_depth": 8}
    return regressor(X, score, **plain), regressor(
        X, score, criterion="absolute_error", **plain
    )


def many_levels():
    """A column of 3,000 levels beside one of 10, ten classes."""
    X, y, _ = table(20_000, 10)
    random = np.random.default_rng(1)

    def frame(n_levels):
        import pandas as pd

        columns = pd.DataFrame(X[:, :5], columns=list("abcde"))
        codes = random.integers(0, n_levels, len(y))
        columns["level"] = [f"v{code}" for code in codes]
        return columns

    return classifier(frame(10), y, max_depth=8), classifier(
        frame(3_000), y, max_depth=8
    )


def wide_frame(library):
    """100,000 columns: a data frame beside an array."""
    X = np.random.default_rng(0).normal(size=(20, 100_000))
    y = np.arange(20) % 2
    columns = {f"c{j}": X[:, j] for j in range(X.shape[1])}
    if library == "pandas":
        import pandas as pd

        frame = pd.DataFrame(X, columns=list(columns))
    else:
        import polars as pl

        frame = pl.DataFrame(columns)
    return lambda: tw.as_table(X, y), lambda: tw.as_table(frame, y)


def tree_of_categories(n_categories):
    """A tree that splits a column of so many categories, and a row for it."""
    random = np.random.default_rng(1)
    codes = np.arange(2 * n_categories) % n_categories
    X = {"word": codes.astype(str).astype(object), "x": random.normal(size=len(codes))}
    y = np.where(random.random(len(codes)) < 0.5, "yes", "no")
    model = tw.TreeClassifier(
        prune=None, max_depth=4, many_levels="exact", kinds={"word": "categorical"}
    )
    return model.fit(X, y).tree_, {"word": "7", "x": 0.0}


def many_categories(call):
    """A million categories beside 10,000."""
    few, row = tree_of_categories(10_000)
    many, _ = tree_of_categories(1_000_000)
    call(few, row)  # imports
    return lambda: call(few, row), lambda: call(many, row)


CASES = [
    ("weights, 100 classes", lambda: weights(100)),
    ("weights, 1,000 classes", lambda: weights(1_000)),
    ("misclassification, 100 classes", lambda: misclassification(100, max_depth=8)),
    (
        "misclassification, cross-validated",
        lambda: misclassification(2, prune="cv", cv=5),
    ),
    ("fractional rows, cross-validated", fractional),
    ("absolute error", absolute_error),
    ("3,000 levels, ten classes", many_levels),
    ("pandas frame of 100,000 columns", lambda: wide_frame("pandas")),
    ("polars frame of 100,000 columns", lambda: wide_frame("polars")),
    (
        "explain, a million categories",
        lambda: many_categories(lambda tree, row: str(tw.explain(tree, row))),
        100,
    ),
    (
        "formula, a million categories",
        lambda: many_categories(lambda tree, row: str(tree.formula("yes"))),
        100,
    ),
    (
        "rules, a million categories",
        lambda: many_categories(lambda tree, row: str(tree.rules())),
        100,
    ),
]
"""Name, the two calls, and how many times as much work the second has."""


def seconds(function):
    """Processor time of one call."""
    start = time.process_time()
    function()
    return time.process_time() - start


def main(words):
    """Print the ratio of every case whose name holds one of the words."""
    for name, make, *work in CASES:
        if words and not any(word in name for word in words):
            continue
        plain, steep = make()
        times = [(seconds(plain), seconds(steep)) for _ in range(3)]
        low, high = (min(column) for column in zip(*times, strict=True))
        low *= work[0] if work else 1
        verdict = "ok" if high <= TARGET * low else "STEEP"
        print(
            f"{name:36} {low:8.3f} s {high:8.3f} s {high / low:7.1f}x  {verdict}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
