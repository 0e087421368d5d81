"""How long the default fit takes, against the default that treewright had before.

Question: what do entropy, the choice of a strength and the score by probabilities cost?
Data:     synthetic, fixed seed: 100k x 20 with two classes, 200k x 20 numbers; iris.
Equal:    one thread; both fits take turns.
Timing:   processor time, the least of several turns.
Run:      python benchmarks/default_fit.py
"""

import time

import numpy as np
from sklearn.datasets import load_iris

import sized_trees
import treewright as tw

CLASSES = sized_trees.TODAY | {"criterion": "gini", "size_by": "error"}


def compare(name, estimator, before, X, y, turns):
    """Print the least times of the fit before and of the default."""
    least = [float("inf")] * 2
    for _ in range(turns):
        for which, settings in enumerate((before, {})):
            start = time.process_time()
            estimator(n_jobs=1, findings="ignore", **settings).fit(X, y)
            least[which] = min(least[which], time.process_time() - start)
    old, new = least
    print(f"{name:<24} before {old:.4f} s  default {new:.4f} s  {new / old:.2f}x")


def main():
    """Run the three comparisons."""
    rng = np.random.default_rng(0)
    X, y = load_iris(return_X_y=True)
    compare("iris", tw.TreeClassifier, CLASSES, X, y, 40)
    X = rng.normal(size=(200_000, 20)).astype(np.float32)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X))
    some = slice(100_000)
    y = (signal[some] > 0).astype(int)
    compare("100k x 20, two classes", tw.TreeClassifier, CLASSES, X[some], y, 3)
    compare("200k x 20, numbers", tw.TreeRegressor, sized_trees.TODAY, X, signal, 2)


if __name__ == "__main__":
    main()
