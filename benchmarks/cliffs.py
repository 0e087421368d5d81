"""Where does treewright become slow all at once?

Question: how many times as long as its plain neighbour does a hard case take?
          The aim is below 10 for each.
Data:     synthetic, fixed seeds.
Equal:    each case is a pair that does the same amount of work, one value at a time:
          the plain case, and the hard one. Where the hard case is larger by design,
          `work` says how many times as large, and the ratio is divided by it.
Timing:   wall clock, median of 3.
Run:      python benchmarks/cliffs.py            all cases
          python benchmarks/cliffs.py explain    those whose name holds the word

To add a case, write a function that returns a Case, and put it into CASES.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import treewright as tw
from timing import median_time

LIMIT = 10


@dataclass(frozen=True)
class Case:
    """Two calls to compare."""

    name: str
    plain: Callable[[], Any]
    hard: Callable[[], Any]
    work: float = 1.0  # of the hard call, in multiples of the plain one's


def wide_frame(library: str) -> Case:
    """100,000 columns: a data frame against an array."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 100_000))
    y = np.arange(20) % 2
    columns = {f"c{j}": X[:, j] for j in range(X.shape[1])}
    if library == "pandas":
        import pandas as pd

        frame = pd.DataFrame(X, columns=list(columns))
    else:
        import polars as pl

        frame = pl.DataFrame(columns)
    return Case(
        f"{library} frame of 100,000 columns / array",
        lambda: tw.as_table(X, y),
        lambda: tw.as_table(frame, y),
    )


def tree_of_categories(n_categories: int) -> tuple[tw.Tree, dict[str, Any]]:
    """A tree that splits a column of so many categories, and a row for it."""
    rng = np.random.default_rng(1)
    codes = np.arange(2 * n_categories) % n_categories
    X = {"word": codes.astype(str).astype(object), "x": rng.normal(size=len(codes))}
    y = np.where(rng.random(len(codes)) < 0.5, "yes", "no")
    model = tw.TreeClassifier(
        prune=None, max_depth=4, many_levels="exact", kinds={"word": "categorical"}
    )
    return model.fit(X, y).tree_, {"word": "7", "x": 0.0}


def many_categories(verb: str) -> Case:
    """A million categories against 10,000, per category."""
    few, row = tree_of_categories(10_000)
    many, _ = tree_of_categories(1_000_000)
    calls = {
        "explain": lambda tree: str(tw.explain(tree, row)),
        "formula": lambda tree: str(tree.formula("yes")),
        "rules": lambda tree: str(tree.rules()),
    }
    call = calls[verb]
    call(few)  # imports
    name = f"{verb} of 1,000,000 categories / of 10,000, per category"
    return Case(name, lambda: call(few), lambda: call(many), work=100)


CASES: dict[str, Callable[[], Case]] = {
    "frame pandas": lambda: wide_frame("pandas"),
    "frame polars": lambda: wide_frame("polars"),
    "explain": lambda: many_categories("explain"),
    "formula": lambda: many_categories("formula"),
    "rules": lambda: many_categories("rules"),
}


def main() -> None:
    """Print plain and hard seconds, and their ratio, of each case asked for."""
    words = sys.argv[1:] or [""]
    print(f"{'plain':>10} {'hard':>10} {'ratio':>8}  case")
    for key, make in CASES.items():
        if any(word in key for word in words):
            case = make()
            plain, _ = median_time(case.plain)
            hard, _ = median_time(case.hard)
            ratio = hard / plain / case.work
            mark = "" if ratio < LIMIT else f"  above {LIMIT}"
            print(f"{plain:10.4f} {hard:10.4f} {ratio:8.1f}  {case.name}{mark}")


if __name__ == "__main__":
    main()
