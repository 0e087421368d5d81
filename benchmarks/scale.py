"""Rows beyond memory: the same tree in memory, from disk and on Dask.

Writes Parquet files of standard normal columns with a target of two classes, fits the
same tree in several ways, each in a process of its own, and prints time, peak memory,
requests and bytes moved. The fingerprints of treewright must be equal.

    python benchmarks/scale.py --rows 1000000 10000000 --peers
    python benchmarks/scale.py --rows 2000000 --parts 1 4 16 64 --only-limit
    python benchmarks/scale.py --rows 2000000 --dask
    python benchmarks/scale.py --rows 50000000 --limit 6GB --only-limit

The limit is a quarter of the peak in memory, or what --limit says. Peaks are resident
memory: of the process, and with Dask of the driver alone.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROWS_OF_FILE = 1_000_000
ROWS_OF_SAMPLE = 1_000_000


def write_rows(
    folder: Path, n_rows: int, n_columns: int, rows_of_file: int = ROWS_OF_FILE
) -> None:
    """Write the rows, in files of a million or fewer."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for number, start in enumerate(range(0, n_rows, rows_of_file)):
        rng = np.random.default_rng(number)
        n = min(rows_of_file, n_rows - start)
        columns = {f"x{i}": rng.normal(size=n) for i in range(n_columns)}
        signal = 0.8 * columns["x0"] + columns["x1"] * columns["x2"]
        signal += 0.5 * (columns["x3"] > 0.3) + rng.normal(size=n)
        columns["y"] = np.where(signal > 0.2, "yes", "no")
        table = pa.table(columns)
        pq.write_table(table, folder / f"rows-{number:04}.parquet", row_group_size=n)


# -- ways to fit -----------------------------------------------------------------------


def fit(folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Fit one tree of treewright."""
    return _facts(_model(settings).fit(f"{folder}/*.parquet", target="y"))


def on_dask(folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Fit the same tree on three one-thread workers."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None) as made,
        Client(made),
    ):
        start = time.perf_counter()
        frame = dd.read_parquet(f"{folder}/*.parquet")
        model = _model(settings).fit(frame, target="y")
        return _facts(model) | {"seconds": time.perf_counter() - start}


def sample(folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Fit a tree from the rows that DuckDB draws: another tree, from fewer rows."""
    import duckdb

    drawn = duckdb.sql(
        f"select * from '{folder}/*.parquet' "
        f"using sample reservoir({ROWS_OF_SAMPLE} rows) repeatable (1)"
    ).to_arrow_table()
    limit = {"memory_limit": None}
    model = _model(settings | limit).fit(drawn.drop_columns(["y"]), drawn.column("y"))
    return {"fingerprint": model.tree_.fingerprint[:16]}


def lightgbm(folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Fit one tree of LightGBM, from all rows in memory."""
    import lightgbm as lgb
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    rows = ds.dataset(folder).to_table()
    y = pc.equal(rows.column("y"), "yes").to_numpy()
    data = lgb.Dataset(rows.drop_columns(["y"]), label=y, params={"verbose": -1})
    depth = settings["max_depth"]
    how = {"objective": "binary", "num_leaves": 2**depth, "max_depth": depth}
    lgb.train(how | {"verbose": -1, "num_threads": 2}, data, num_boost_round=1)
    return {}


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

    data = xgb.ExtMemQuantileDMatrix(Rows(), max_bin=256)
    how = {"max_depth": settings["max_depth"], "tree_method": "hist", "nthread": 2}
    xgb.train(how | {"objective": "binary:logistic"}, data, num_boost_round=1)
    return {}


RUNS: dict[str, Callable[[str, dict[str, Any]], dict[str, Any]]] = {
    "treewright": fit,
    "treewright, 3 Dask workers": on_dask,
    "DuckDB, sample of 1M rows": sample,
    "LightGBM, 255 bins, in memory": lightgbm,
    "XGBoost, 256 bins, external memory": xgboost,
}


def _model(settings: dict[str, Any]) -> Any:
    import treewright as tw

    return tw.TreeClassifier(prune=None, findings="ignore", **settings)


def _facts(model: Any) -> dict[str, Any]:
    return {
        "fingerprint": model.tree_.fingerprint[:16],
        "plan": model.plan_.words,
        "requests": model.plan_.n_requests,
        "bytes_moved": model.plan_.bytes_moved,
    }


# -- measuring -------------------------------------------------------------------------


def measured(name: str, folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Run one way in this process and return what it took."""
    start = time.perf_counter()
    found = RUNS[name](folder, settings)
    seconds = time.perf_counter() - start
    used = [
        resource.getrusage(who)
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    status = Path("/proc/self/status").read_text()
    peak = re.search(r"VmHWM:\s*(\d+) kB", status)
    assert peak is not None, "runs on Linux"
    return {
        "seconds": seconds,
        "cpu": sum(each.ru_utime + each.ru_stime for each in used),
        "peak": int(peak[1]) * 1024,  # ru_maxrss may be that of the parent
    } | found


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
        f"| {name} | {found['cpu']:.1f} s | {found['seconds']:.1f} s | "
        f"{found['peak'] / 2**20:,.0f} MB | {found.get('requests', '')} | "
        f"{'' if moved is None else f'{moved / 2**20:,.0f} MB'} | "
        f"{found.get('fingerprint', '')} |"
    )


def compare(given: argparse.Namespace, n_rows: int, n_parts: int | None) -> None:
    """Write the rows, and print a table of all ways to fit."""
    rows_of_file = -(-n_rows // n_parts) if n_parts else ROWS_OF_FILE
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        write_rows(Path(folder), n_rows, given.columns, rows_of_file)
        n_files = len(list(Path(folder).iterdir()))
        load = os.getloadavg()[0]
        print(
            f"\n{n_rows:,} rows x {given.columns} columns in {n_files} files, depth "
            f"{given.depth}, load {load:.0f} at the start\n"
        )
        print("| way | CPU | time | peak memory | requests | moved | fingerprint |")
        print("|---|---|---|---|---|---|---|", flush=True)
        settings = {"max_depth": given.depth, "memory_limit": given.limit}
        if not given.only_limit:
            free = in_process("treewright", folder, settings | {"memory_limit": None})
            print(shown("in memory", free), flush=True)
            if given.limit is None and "failed" not in free:
                settings["memory_limit"] = free["peak"] // 4
        found = in_process("treewright", folder, settings)
        limit = settings["memory_limit"]
        said = f"{limit / 2**20:,.0f} MB" if isinstance(limit, int) else limit
        print(shown(f"memory_limit {said}", found), flush=True)
        ways = list(RUNS)[2:] if given.peers else []
        for way in [*["treewright, 3 Dask workers"] * given.dask, *ways]:
            print(shown(way, in_process(way, folder, settings)), flush=True)
        print(f"\n{found.get('plan')}", flush=True)


def main() -> None:
    """Print a table for every number of rows and of parts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--parts", type=int, nargs="+", help="files to write")
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--limit", help="memory_limit; by default a quarter")
    parser.add_argument("--only-limit", action="store_true", help="not in memory")
    parser.add_argument("--peers", action="store_true", help="other libraries too")
    parser.add_argument("--dask", action="store_true", help="three Dask workers too")
    parser.add_argument("--folder", help="where to write the rows; removed by default")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(*json.loads(given.one))))
        return
    for n_rows in given.rows:
        for n_parts in given.parts or [None]:
            compare(given, n_rows, n_parts)


if __name__ == "__main__":
    main()
