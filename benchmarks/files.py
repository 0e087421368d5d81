"""Reading a large CSV file, against pyarrow's typed reader; predicting a larger one.

Both readers take turns in processes of their own, on the same file, which the system
has in its cache. pyarrow decides types from the text, column by column, like `tw.read`,
but checks nothing else. The table made here has whole numbers, decimals,
missing values, few and many categories, and ISO dates.

Run:  python benchmarks/files.py                # 1 GB, about five minutes
      python benchmarks/files.py --megabytes 100
      python benchmarks/files.py --predict 10000000
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

import treewright as tw

CHUNK = 100_000


def rows(seed, n=CHUNK):
    """Return some rows of the table as a dict of columns."""
    rng = np.random.default_rng(seed)
    day = np.datetime64("2015-01-01") + rng.integers(0, 3000, n)
    gaps = np.where(rng.random(n) < 0.02, "", rng.integers(18, 90, n).astype(str))
    columns = {f"n{i}": rng.normal(size=n).round(4) for i in range(8)}
    columns |= {f"k{i}": rng.integers(0, 10 ** (i + 2), n) for i in range(4)}
    columns |= {
        "age": gaps,
        "plan": rng.choice(["basic", "plus", "family, large"], n),
        "city": np.char.add("city ", rng.integers(0, 3000, n).astype(str)),
        "joined": day.astype(str),
        "left": rng.choice(["no", "yes"], n),
    }
    return columns


def write(path, n_bytes=None, n_rows=None):
    """Write a file of about this many bytes, or of so many rows."""
    with open(path, "wb") as file:
        done, seed = 0, 0
        while file.tell() < n_bytes if n_bytes else done < n_rows:
            n = CHUNK if n_bytes else min(CHUNK, n_rows - done)
            options = pa.csv.WriteOptions(include_header=not seed)
            pa.csv.write_csv(pa.table(rows(seed, n)), file, options)
            done, seed = done + n, seed + 1


def peak():
    """Return the largest memory this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measured(what, path):
    """Run one job in a new process; return its seconds and its peak."""
    words = [sys.executable, __file__, "--job", what, "--path", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def run(what, path):
    """Do one job here, and print its figures."""
    if what == "treewright":
        tw.read(pa_warm(path), target="left")
    else:
        pa.csv.read_csv(pa_warm(path))
    before, start, busy = peak(), time.perf_counter(), time.process_time()
    if what == "treewright":
        table = tw.read(path, target="left")
    elif what == "pyarrow":
        table = pa.csv.read_csv(path)
    else:
        predict(path)
        table = None
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    del table
    found = {"seconds": seconds, "busy": busy, "peak": peak(), "before": before}
    print(json.dumps(found))


def pa_warm(path):
    """Write a small file, so that the timed call imports and compiles nothing."""
    small = Path(path).with_name("warm.csv")
    write(small, n_rows=1000)
    return small


def predict(path):
    """Answer every row of a file, into another file."""
    from treewright.files.batches import read_batches
    from treewright.files.write import row_writer

    tree = tw.TreeClassifier(max_depth=8, prune=None).fit(
        Path(path).with_name("warm.csv"), target="left"
    )
    with row_writer(Path(path).with_name("out.csv")) as out:
        for batch in read_batches(path, tree.tree_.schema):
            out.write(batch.rows, {"answer": tree.predict(batch.X)})


def main():
    """Compare the readers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--predict", type=int)
    parser.add_argument("--job")
    parser.add_argument("--path")
    given = parser.parse_args()
    if given.job:
        run(given.job, given.path)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        if given.predict:
            write(path, n_rows=given.predict)
            found = measured("predict", path)
            size = path.stat().st_size / 2**30
            print(
                f"predict {given.predict:,} rows, {size:.2f} GB: "
                f"{found['seconds']:.1f} s, peak {found['peak'] / 2**20:,.0f} MB"
            )
            return
        write(path, n_bytes=given.megabytes << 20)
        compare(path, given.repeats)


def compare(path, repeats):
    """Print the figures of both readers, which take turns."""
    size = path.stat().st_size
    figures = {"pyarrow": [], "treewright": []}
    for _ in range(repeats):
        for what, found in figures.items():
            found.append(measured(what, path))
    seconds = {}
    for what, found in figures.items():
        seconds[what] = statistics.median(each["seconds"] for each in found)
        most = max(each["peak"] - each["before"] for each in found)
        print(
            f"{what:<10}  {seconds[what]:6.2f} s  {size / 2**20 / seconds[what]:6.0f} "
            f"MB/s  memory {most / size:.2f} x the file"
        )
    busy = {what: min(x["busy"] for x in found) for what, found in figures.items()}
    print(
        f"speed of pyarrow's reader: {seconds['pyarrow'] / seconds['treewright']:.2f}; "
        f"by processor time {busy['pyarrow'] / busy['treewright']:.2f} "
        f"({busy['pyarrow']:.1f} s and {busy['treewright']:.1f} s)"
    )


if __name__ == "__main__":
    main()
