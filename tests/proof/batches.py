"""Run many seeded cases in batches, each in a process of its own.

A crash, an endless loop or memory without end then ends one batch, and is counted.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

BATCH = 5_000
SECONDS = 300  # after which a batch counts as endless
MEMORY = 4 << 30  # bytes that a batch may ask for
FAILED = "CRASHED OR FAILED"


def main(file: str, run_batch: Callable[[int, int], Counter[str]], what: str) -> int:
    """Run one batch (``--batch first count``), or all of them.

    `file` is the program that calls this, `run_batch` counts the outcomes of seeds.
    """
    if sys.argv[1] == "--batch":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        print(json.dumps(run_batch(int(sys.argv[2]), int(sys.argv[3]))))
        return 0
    total = int(sys.argv[1])
    size = min(BATCH, -(-total // 2))
    started = time.perf_counter()
    counts: Counter[str] = Counter()
    with ThreadPoolExecutor(2) as pool:
        firsts = range(0, total, size)
        for found in pool.map(lambda first: _in_a_process(file, first, size), firsts):
            counts += found
    print(f"{total:,} {what} in {time.perf_counter() - started:.0f} seconds")
    for name, count in counts.most_common():
        print(f"{count:>10,}  {name}")
    return int(FAILED in counts)


def _in_a_process(file: str, first: int, count: int) -> Counter[str]:
    command = [sys.executable, "-X", "faulthandler", file, "--batch"]
    command += [str(first), str(count)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        print(f"seeds from {first}: no end after {SECONDS} seconds")
        return Counter({FAILED: 1})
    if done.returncode:
        print(f"seeds from {first}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        return Counter({FAILED: 1})
    return Counter(json.loads(done.stdout))
