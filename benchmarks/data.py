"""The tables of the benchmarks: made from a fixed seed, nothing downloaded.

Every function returns (X, y). The first rows are for fitting; ask for more rows than
that and the rest, drawn from the same source, can test the fitted trees.
"""

import numpy as np

SEED = 0


def two_classes(n_rows, n_columns=20, dtype=np.float32):
    """Standard-normal columns; a curved boundary, 10 % of the labels flipped.

    The numbers are drawn as float64, so the float32 table is the same one, rounded.
    """
    random = np.random.default_rng(SEED)
    X = random.standard_normal((n_rows, n_columns)).astype(dtype, copy=False)
    y = (_score(X) > 0).astype(np.int64)
    flipped = random.random(n_rows) < 0.1
    y[flipped] = 1 - y[flipped]
    return X, y


def ten_classes(n_rows, n_columns=50):
    """Standard-normal columns; the score cut into tenths, 10 % of the labels random."""
    random = np.random.default_rng(SEED)
    X = random.standard_normal((n_rows, n_columns)).astype(np.float32)
    score = _score(X)
    y = np.searchsorted(np.quantile(score, np.arange(1, 10) / 10), score)
    y = y.astype(np.int64)
    random_label = random.random(n_rows) < 0.1
    y[random_label] = random.integers(0, 10, random_label.sum())
    return X, y


def regression(n_rows, n_columns=50):
    """Standard-normal columns; the score plus as much noise again."""
    random = np.random.default_rng(SEED)
    X = random.standard_normal((n_rows, n_columns)).astype(np.float32)
    return X, _score(X) + random.standard_normal(n_rows)


def integers(n_rows, n_columns=50, n_values=100):
    """Integer columns of `n_values` values each; two classes, 10 % flipped."""
    random = np.random.default_rng(SEED)
    X = random.integers(0, n_values, (n_rows, n_columns))
    y = (_score((X - n_values / 2) / (n_values / 4)) > 0).astype(np.int64)
    flipped = random.random(n_rows) < 0.1
    y[flipped] = 1 - y[flipped]
    return X, y


def _score(X):
    """Three effects a tree has to work for: a line, a product and a wave."""
    first, second, third, fourth = (X[:, j].astype(np.float64) for j in range(4))
    return first + second * third + np.sin(2 * fourth)
