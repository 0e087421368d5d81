"""How long it takes to save and load a tree, and what the record of a fit costs.

Question: can a tree of 100,000 leaves be saved and loaded in less than 2 s each? Is the
          fingerprint of the training rows a small share of a fit?
Data:     synthetic, fixed seed; the target is noise, so that the tree is large.
Timing:   processor time, the least of 3; saving and loading take one thread.
Run:      python benchmarks/model_file.py            on an idle machine
          python benchmarks/model_file.py --quick    at 1/20 of the size
"""

import argparse
import os
import tempfile

import numpy as np

import treewright as tw
from timing import processor_time
from treewright.table.row_hashes import rows_fingerprint


def large_tree(leaves, kind):
    """Grow a tree of so many leaves for classes or numbers."""
    rng = np.random.default_rng(0)
    rows = 5 * leaves
    X = rng.normal(size=(rows, 10))
    y = rng.normal(size=rows) if kind == "numbers" else rng.integers(0, 3, rows)
    return tw.grow(tw.as_table(X, y), tw.GrowOptions(max_leaf_nodes=leaves))


def saving_and_loading(leaves):
    """Print one line per kind of tree."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large.tree.json")
        for kind in ("classes", "numbers"):
            tree = large_tree(leaves, kind)
            save, _ = processor_time(lambda tree=tree: tree.save(path))
            load, back = processor_time(lambda: tw.load(path))
            assert back == tree
            size = os.path.getsize(path) / 1e6
            print(
                f"{kind:<8} {tree.n_leaves:>8,} leaves  {size:>5.1f} MB  "
                f"save {save:>5.2f} s  load {load:>5.2f} s"
            )


def fingerprint(rows):
    """Print the time of the fingerprint beside that of a fit."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 20))
    y = X[:, 0] + rng.normal(size=rows) > 0
    table = tw.as_table(X, y)
    print_, _ = processor_time(lambda: rows_fingerprint(table))
    unpruned = tw.TreeClassifier(prune=None)
    fit, _ = processor_time(lambda: unpruned.fit(X, y), 1)
    default, _ = processor_time(lambda: tw.TreeClassifier().fit(X, y), 1)
    print(
        f"fingerprint of {rows:,} x 20: {print_:.3f} s, {print_ / fit:.1%} of a fit "
        f"without pruning ({fit:.1f} s), {print_ / default:.1%} of the default fit"
    )


def main():
    """Run all measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    scale = 20 if parser.parse_args().quick else 1
    saving_and_loading(100_000 // scale)
    fingerprint(1_000_000 // scale)


if __name__ == "__main__":
    main()
