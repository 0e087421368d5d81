"""How long reading and looking at a table take, as ratios within one run.

Usage: python benchmarks/intake.py [--rows 1000000]

Three claims are measured, each side taking turns and the best of the turns counting:
findings of a table of 1,000,000 x 20 against the default fit of that table; coding a
text column against pyarrow's dictionary encoding; reading a text column from polars
against reading it from pandas.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import treewright as tw
from treewright.table.as_table import read_table
from treewright.table.findings import look_at


def table(n_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return 14 columns of numbers, 6 of categories, and two noisy classes."""
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=n_rows).round(3) for i in range(10)}
    columns |= {f"n{i}": rng.integers(0, 100, n_rows) for i in range(4)}
    for i in range(6):
        words = np.array([f"word {j}" for j in range(5 + 10 * i)], object)
        columns[f"c{i}"] = words[rng.integers(0, len(words), n_rows)]
    signal = (
        columns["x0"] + columns["x1"] * (columns["n0"] > 50) + rng.normal(size=n_rows)
    )
    return pd.DataFrame(columns), np.where(signal > 0, "yes", "no")


def best(turns: int, *sides: Callable[[], object]) -> list[float]:
    """Return the least time of each side, taking turns."""
    times = [[] for _ in sides]
    for _ in range(turns):
        for side, taken in zip(sides, times, strict=True):
            start = time.perf_counter()
            side()
            taken.append(time.perf_counter() - start)
    return [min(each) for each in times]


def findings_against_fit(n_rows: int) -> None:
    """Compare the findings of a table with its default fit."""
    X, y = table(n_rows)
    read = read_table(X, y)
    looking, reading = best(3, lambda: look_at(read), lambda: read_table(X, y))
    (fit,) = best(1, lambda: tw.TreeClassifier(findings="ignore").fit(X, y))
    print(f"findings of {n_rows:,} x {X.shape[1]}: {looking:.2f} s")
    print(f"  reading it: {reading:.2f} s; default fit, all included: {fit:.2f} s")
    print(f"  findings / fit: {looking / fit:.1%} (at most 30 %)")


def coding(n_rows: int) -> None:
    """Compare the coding of text columns with pyarrow's, and polars with pandas."""
    rng = np.random.default_rng(1)
    print(f"coding a text column of {n_rows:,} rows, in ms:")
    print("  categories   pyarrow  arrow in  polars in  pandas in  objects in")
    for n_levels in (10, 1000, 100_000):
        words = np.array([f"category {j}" for j in range(n_levels)], object)
        cells = words[rng.integers(0, n_levels, n_rows)]
        arrow = pa.table({"c": pa.array(cells, pa.string())})
        frame = pd.DataFrame({"c": pd.array(cells, "str")})
        objects = pd.DataFrame({"c": pd.Series(cells, dtype=object)})
        polars = pl.from_arrow(arrow)
        sides = [
            lambda a=arrow: a["c"].combine_chunks().dictionary_encode(),
            lambda a=arrow: read_table(a),
            lambda p=polars: read_table(p),
            lambda f=frame: read_table(f),
            lambda o=objects: read_table(o),
        ]
        taken = " ".join(f"{1000 * t:9.1f}" for t in best(5, *sides))
        print(f"  {n_levels:10,} {taken}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    coding(rows)
    findings_against_fit(rows)


if __name__ == "__main__":
    main()
