"""The memory of a fit from rows in parts stays below its limit."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the peak of a process is read from /proc"
)

ALLOWANCE = 32 << 20
"""Bytes above the limit that do not fail: other releases of the libraries differ."""

PROGRAM = """
import json, re, sys
import treewright as tw
folder, estimator, settings = json.loads(sys.argv[1])
model = getattr(tw, estimator)(findings="ignore", **settings).fit(folder, target="y")
status = open("/proc/self/status").read()
print(json.dumps({
    # The resident pages of this program alone: ru_maxrss may be that of its parent.
    "peak": 1024 * int(re.search(r"VmHWM:\\s*(\\d+) kB", status)[1]),
    "where": model.plan_.where,
    "requests": model.plan_.n_requests,
    "fingerprint": model.tree_.fingerprint,
}))
"""


def write_rows(folder: Path, n_rows: int, n_columns: int, n_classes: int) -> None:
    """Write columns of different numbers: one file of two classes, else three files."""
    rng = np.random.default_rng(n_rows)
    ends = [n_rows] if n_classes == 2 else [n_rows // 2, n_rows // 2 + 10, n_rows]
    for begin, end in pairwise([0, *ends]):
        n = end - begin
        X = {f"x{i}": rng.normal(size=n) for i in range(n_columns)}
        y: Any = X["x0"] + X["x1"] * X["x2"] + rng.normal(size=n)
        if n_classes:
            y = np.digitize(y, np.linspace(-2, 2, n_classes - 1)).astype(str)
        table = pa.table(X | {"y": y})
        pq.write_table(table, folder / f"{end}.parquet", row_group_size=n)


def fit_alone(folder: Path, estimator: str, settings: Any) -> Any:
    argument = json.dumps([str(folder), estimator, settings])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, argument],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "n_classes", "limit"),
    [
        (800_000, 8, 2, 320),  # hardly more than the process itself, and one large part
        pytest.param(900_000, 12, 30, 400, marks=pytest.mark.slow),  # long entries
        pytest.param(900_000, 12, 0, 400, marks=pytest.mark.slow),
    ],
)
def test_the_peak_stays_below_the_limit(
    n_rows: int, n_columns: int, n_classes: int, limit: int, tmp_path: Path
) -> None:
    write_rows(tmp_path, n_rows, n_columns, n_classes)
    estimator = "TreeClassifier" if n_classes else "TreeRegressor"
    settings = {"max_depth": 6}
    limited = settings | {"memory_limit": f"{limit}MB"}
    found = fit_alone(tmp_path, estimator, limited)
    assert found["where"] == "codes on disk"
    assert found["requests"] > 0
    assert found["peak"] <= (limit << 20) + ALLOWANCE
    free = fit_alone(tmp_path, estimator, settings)
    assert free["where"] == "memory"
    assert free["peak"] > found["peak"]
    assert free["fingerprint"] == found["fingerprint"]


def test_a_limit_below_what_the_process_needs_is_named(tmp_path: Path) -> None:
    rows = pa.table({"x": np.arange(9_000.0), "y": ["a", "b", "b"] * 3_000})
    pq.write_table(rows, tmp_path / "0.parquet")
    model = tw.TreeClassifier(memory_limit="60kB", prune=None, max_depth=2)
    model.fit(tmp_path, target="y")
    assert "(limit 60 KB, less than the process itself needs)" in model.plan_.words
