"""Peak memory of one fit, above the input and the finished tree.

Runs in a process of its own, because a peak can only be read for a whole process:
the table is made, a small fit warms everything up, the kernel's high-water mark is
set back, and the mark after the fit is compared with the memory before it.

Run:  python benchmarks/memory.py --rows 1000000 --dtype float32 --task class
"""

import argparse
import ctypes
import gc
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np

import data
import libraries

STATUS = Path("/proc/self/status")


def measure(n_rows, dtype="float32", task="class", library="treewright"):
    """Measure one fit in a new process; return its numbers, in bytes."""
    words = [sys.executable, __file__, "--rows", str(n_rows)]
    words += ["--dtype", dtype, "--task", task, "--library", library]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"The memory measurement failed:\n{done.stderr}")
    return json.loads(done.stdout)


def budget(n_rows, n_columns):
    """Bytes the fit may use at its peak, above the input and the finished tree."""
    return 8 * n_rows * n_columns + 64 * n_rows


def _measure_here(n_rows, dtype, task, library):
    fit = getattr(libraries, library)
    X, y = data.two_classes(n_rows, dtype=np.dtype(dtype))
    if task == "number":
        y = y + np.random.default_rng(1).standard_normal(n_rows)
    fit(X[:1000], y[:1000])
    _settle()
    before = _kilobytes("VmRSS")
    model = fit(X, y)
    peak = _kilobytes("VmHWM")
    tree = len(pickle.dumps(model.tree_))
    above = (peak - before) * 1024
    return {
        "rows": n_rows,
        "columns": X.shape[1],
        "above_input": above,
        "tree": tree,
        "above_input_and_tree": above - tree,
        "budget": budget(*X.shape),
    }


def _settle():
    """Give freed memory back and set the high-water mark to the present use."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")


def _kilobytes(field):
    for line in STATUS.read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    raise RuntimeError(f"{STATUS} has no field {field!r}; this script needs Linux.")


def main():
    """Measure in this process and print the numbers as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32")
    parser.add_argument("--task", choices=["class", "number"], default="class")
    parser.add_argument(
        "--library",
        choices=["treewright", "cross_validated", "sklearn"],
        default="treewright",
    )
    asked = parser.parse_args()
    answer = _measure_here(asked.rows, asked.dtype, asked.task, asked.library)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
