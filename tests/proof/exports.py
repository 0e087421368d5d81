"""Run every export in every engine that is here: each row in the leaf of the tree.

`python tests/proof/exports.py 100_000 [FOLDER]` (`make proof-exports`) gives each
engine so many rows for each tree: rows at every threshold and one floating-point
number to either side, missing, unseen, and random ones. LibreOffice gets 2,000.
FOLDER may hold adult.csv and ames_housing.csv, which the repository does not. `--tree`
and `--engine` (each may be given several times) run a part: `--tree adult --engine r`.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.databases import opened_once
from support.export_engines import engines, rows_for
from support.export_trees import OUTSIDE, OWN
from support.programs import random_rows
from treewright.errors import OptionError
from treewright.exporting.check_rows import answered, check_rows
from treewright.exporting.program import program_of
from treewright.exporting.verifying.engine import EngineMissingError
from treewright.exporting.verifying.verify import differing_rows

CLOSE = 1e-14  # spreadsheets calculate with 15 digits
MOST_EDGES = 0.3  # the share of rows that are made for the nodes, one by one


def edge_rows(program, n, seed=0):
    """Return n rows: those at the edges of each node first, then random ones."""
    rows = check_rows(program, int(n * MOST_EDGES)).rows
    return rows + random_rows(program, n - len(rows), seed)


def outcome(run, program, expected, close):
    """Run one engine and return (number of rows that differ, what to print)."""
    started = time.perf_counter()
    try:
        found = run(program, expected.rows)
    except OptionError as refusal:
        return 0, f"refused: {refusal}"
    except (EngineMissingError, pytest.skip.Exception) as missing:
        return 0, f"NOT RUN: {missing}"
    wrong = differing_rows(program, expected, found, close)
    seconds = time.perf_counter() - started
    text = f"{len(expected):>9,} rows  {len(wrong)} differ  {seconds:6.1f} s"
    if wrong:
        i = wrong[0]
        leaf = None if found.leaves is None else found.leaves[i]
        text += f"  first: {expected.rows[i]!r}: {found.answers[i]!r} in leaf {leaf}, "
        text += f"expected {expected.answers[i]!r} in leaf {expected.nodes[i]}"
    return len(wrong), text


def chosen(found, names, what):
    """Return the items whose names were given; all if none was."""
    unknown = set(names) - set(found)
    if unknown:
        sys.exit(f"no {what} {sorted(unknown)}; there are {list(found)}")
    return {name: found[name] for name in names or found}


def main(arguments):
    makers = dict(OWN)
    if arguments.folder is not None:
        makers |= {
            name: partial(make, arguments.folder) for name, make in OUTSIDE.items()
        }
    failures = 0
    with opened_once() as connect:
        ready = chosen(engines(connect), arguments.engine, "engine")
        for name, make in chosen(makers, arguments.tree, "tree").items():
            program = program_of(make())
            rows = edge_rows(program, arguments.rows)
            leaves = program.tree.n_leaves
            print(f"{name}: {leaves:,} leaves, {len(program.variables)} columns")
            for engine, run in ready.items():
                expected = answered(program, rows_for(engine, program, rows))
                close = CLOSE if engine == "LibreOffice" else 0.0
                wrong, text = outcome(run, program, expected, close)
                failures += wrong
                print(f"  {engine:<13}{text}", flush=True)
    print("0 differences" if not failures else f"{failures:,} DIFFERENCES")
    return int(failures > 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=int)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--tree", action="append", default=[])
    parser.add_argument("--engine", action="append", default=[])
    sys.exit(main(parser.parse_args()))
