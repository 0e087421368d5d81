"""Rows beyond memory: the same tree in memory, from codes in memory, and from disk.

Writes Parquet files of standard normal columns with a target of two classes, fits the
same tree in several ways, each in a process of its own, and prints time, peak memory,
requests and bytes moved. The fingerprints must be equal.

    python benchmarks/scale.py --rows 1000000 --columns 20
    python benchmarks/scale.py --rows 10000000 --columns 20 --peers
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ROWS_OF_FILE = 1_000_000


def write_rows(folder: Path, n_rows: int, n_columns: int) -> None:
    """Write the rows, in files of a million."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for number, start in enumerate(range(0, n_rows, ROWS_OF_FILE)):
        rng = np.random.default_rng(number)
        n = min(ROWS_OF_FILE, n_rows - start)
        columns = {f"x{i}": rng.normal(size=n) for i in range(n_columns)}
        signal = 0.8 * columns["x0"] + columns["x1"] * columns["x2"]
        signal += 0.5 * (columns["x3"] > 0.3) + rng.normal(size=n)
        columns["y"] = np.where(signal > 0.2, "yes", "no")
        table = pa.table(columns)
        pq.write_table(table, folder / f"rows-{number:04}.parquet", row_group_size=n)


def fit(folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Fit one tree and return what it took."""
    import treewright as tw

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    model = tw.TreeClassifier(prune=None, findings="ignore", **settings)
    model.fit(f"{folder}/*.parquet", target="y")
    seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_SELF)
    found = {
        "seconds": seconds,
        "cpu": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss * 1024,
        "start": before * 1024,
        "leaves": model.tree_.n_leaves,
        "fingerprint": model.tree_.fingerprint[:16],
        "plan": str(model.plan_),
        "requests": model.plan_.n_requests,
        "bytes_moved": model.plan_.bytes_moved,
    }
    return found


def lightgbm(folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Fit one tree of LightGBM, whose file is read in two rounds."""
    import lightgbm as lgb
    import pyarrow.dataset as ds

    start = time.perf_counter()
    rows = ds.dataset(folder).to_table()
    y = np.asarray(rows.column("y").to_pylist()) == "yes"
    X = rows.drop_columns(["y"])
    data = lgb.Dataset(X, label=y, params={"verbose": -1})
    leaves = 2 ** settings["max_depth"]
    how = {"objective": "binary", "num_leaves": leaves, "verbose": -1}
    how |= {"max_depth": settings["max_depth"], "num_threads": 2}
    lgb.train(how, data, num_boost_round=1)
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seconds": time.perf_counter() - start,
        "cpu": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss * 1024,
        "plan": "255 bins, all rows in memory",
    }


def xgboost(folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Fit one tree of XGBoost from external memory, which has the hist method only."""
    import pyarrow.parquet as pq
    import xgboost as xgb

    files = sorted(Path(folder).glob("*.parquet"))

    class Rows(xgb.DataIter):  # type: ignore[misc]
        def __init__(self) -> None:
            self.at = 0
            super().__init__(cache_prefix=f"{folder}/cache")

        def next(self, input_data: Any) -> bool:
            if self.at == len(files):
                return False
            rows = pq.read_table(files[self.at]).to_pandas()
            y = (rows.pop("y") == "yes").to_numpy()
            input_data(data=rows, label=y)
            self.at += 1
            return True

        def reset(self) -> None:
            self.at = 0

    start = time.perf_counter()
    data = xgb.ExtMemQuantileDMatrix(Rows(), max_bin=256)
    how = {"max_depth": settings["max_depth"], "tree_method": "hist", "nthread": 2}
    xgb.train(how | {"objective": "binary:logistic"}, data, num_boost_round=1)
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seconds": time.perf_counter() - start,
        "cpu": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss * 1024,
        "plan": "256 bins, external memory",
    }


RUNS = {"treewright": fit, "lightgbm": lightgbm, "xgboost": xgboost}


def in_process(name: str, folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Run one way in a process of its own, so that its peak memory is its own."""
    arguments = json.dumps([name, folder, settings])
    done = subprocess.run(
        [sys.executable, __file__, "--one", arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        return {"failed": lines[-1]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def shown(name: str, found: dict[str, Any]) -> str:
    """Return one row of the table."""
    if "failed" in found:
        return f"| {name} | failed: {found['failed'][:80]} | | | | | |"
    moved = found.get("bytes_moved")
    return (
        f"| {name} | {found['seconds']:.1f} s | {found['cpu']:.1f} s | "
        f"{found['peak'] / 2**20:,.0f} MB | {found.get('requests', '')} | "
        f"{'' if moved is None else f'{moved / 2**20:,.0f} MB'} | "
        f"{found.get('fingerprint', '')} |"
    )


def main() -> None:
    """Write the rows, fit in every way and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--limit", help="memory_limit; by default a quarter")
    parser.add_argument("--only-limit", action="store_true")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--folder", help="where to write the rows; removed by default")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        name, folder, settings = json.loads(given.one)
        print(json.dumps(RUNS[name](folder, settings)))
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        write_rows(Path(folder), given.rows, given.columns)
        settings = {"max_depth": given.depth}
        print("| way | time | CPU | peak memory | requests | moved | fingerprint |")
        print("|---|---|---|---|---|---|---|")
        limit = given.limit
        if not given.only_limit:
            found = in_process("treewright", folder, settings)
            print(shown("in memory", found), flush=True)
            if limit is None:
                limit = found["peak"] // 4
        settings["memory_limit"] = limit
        found = in_process("treewright", folder, settings)
        print(shown(f"memory_limit={limit}", found), flush=True)
        print(found.get("plan"), flush=True)
        for peer in ("xgboost", "lightgbm") if given.peers else ():
            print(shown(peer, in_process(peer, folder, settings)), flush=True)


if __name__ == "__main__":
    main()
