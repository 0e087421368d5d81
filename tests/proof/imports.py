"""Import random trees of scikit-learn and rpart: each row has the same answer.

`python tests/proof/imports.py 5_000` (`make proof-imports`) fits so many trees of
scikit-learn and a tenth as many of rpart, in R, and compares the leaf and the answer of
every row with theirs: rows at each threshold and beside it, also in float32, missing
values, and categories that a node has not seen.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support import rpart_cases, sklearn_cases

AT_ONCE = 100  # trees in one process of R


def main(n):
    nodes = [sklearn_cases.compare(seed) for seed in range(n)]
    print(f"scikit-learn: {n:,} trees, {sum(nodes):,} nodes, 0 differences", flush=True)
    nodes = []
    for start in range(0, n // 10, AT_ONCE):
        seeds = range(start, min(start + AT_ONCE, n // 10))
        with tempfile.TemporaryDirectory() as folder:
            cases = rpart_cases.cases(seeds, Path(folder))
            nodes += [rpart_cases.compare(case) for case in cases]
    print(f"rpart: {len(nodes):,} trees, {sum(nodes):,} nodes, 0 differences")


if __name__ == "__main__":
    main(int(sys.argv[1]))
