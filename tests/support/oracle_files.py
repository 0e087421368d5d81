"""The answers of established programs, read from ../shared/oracles.

Importing this skips the tests of the module, loudly, where the folder is missing.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

BESIDE = Path(__file__).resolve().parents[3]
ORACLES = BESIDE / "shared" / "oracles"
if not ORACLES.is_dir():
    pytest.skip(
        f"NOT COMPARED WITH OTHER PROGRAMS: there is no folder {ORACLES}",
        allow_module_level=True,
    )


@cache
def oracle(name):
    return json.loads((ORACLES / f"{name}.json").read_text())


@cache
def data_of(name):
    answer = oracle(name)
    frame = pd.read_csv(
        BESIDE / answer["file"],
        keep_default_na=False,
        na_values=answer.get("na_strings", ["", "NA"]),
    )
    first = 3000 if name.endswith("first3000") else answer.get("rows")
    return frame.iloc[:first]


def rows_by_node(fit, n_rows):
    """A function from node id to the rows of the node; children of k: 2k, 2k + 1."""
    if fit.get("leaf_of_row") is None:  # only the root's rows are known
        return lambda node: np.arange(n_rows) if node == 1 else None
    dropped = np.array(fit.get("dropped_rows_1based") or [], int) - 1
    kept = np.setdiff1d(np.arange(n_rows), dropped)
    leaf = np.array(fit["leaf_of_row"])

    def rows(node):
        above = leaf.copy()
        while (deeper := above > node).any():
            above[deeper] //= 2
        return kept[above == node]

    return rows
