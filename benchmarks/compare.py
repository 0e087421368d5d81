"""What moved between two runs of a benchmark.

A time depends on the machine and on what else it does. So the ratio to the library
that took turns with treewright decides whether a row moved; the times are shown beside
it. The ratio also depends on the number of rows: runs at different shares of the rows
(``--quick``) are shown side by side and not judged.

Run:      python benchmarks/compare.py benchmarks/results/speed.json build/bench.json
Exit:     1 if a row became slower by more than the allowance, else 0
"""

import argparse
import json
import sys
from pathlib import Path
from typing import NamedTuple

import report


class Move(NamedTuple):
    """One row of both runs."""

    task: str
    against: str
    before: dict
    now: dict

    @property
    def factor(self):
        """How many times as long treewright takes, relative to the other library."""
        quotient = self.now["ratio"] / self.before["ratio"]
        return 1 / quotient if self.now["at_least"] else quotient

    def words(self):
        """Return both runs in one line."""
        unit = self.now["unit"]
        times = [report.amount(run["ours"], unit) for run in (self.before, self.now)]
        ratios = [f"{run['ratio']:.3g}x" for run in (self.before, self.now)]
        return (
            f"{self.task}, against {self.against}: {' -> '.join(ratios)}"
            f" (ours {' -> '.join(times)})"
        )


def by_row(run):
    """Return the rows of a run by task and library."""
    return {(row["task"], row["against"]): row for row in run["rows"]}


def compare(before, now):
    """Return the rows that both runs have, and the names of those only `now` has."""
    old, new = by_row(before), by_row(now)
    moves = [Move(*key, old[key], new[key]) for key in new if key in old]
    return moves, [key for key in new if key not in old]


def machine_changes(before, now):
    """Yield what the runs' machines differ in."""
    for key in ("cpu", "cores", "python", "compiler"):
        if before["machine"][key] != now["machine"][key]:
            yield f"{key}: {before['machine'][key]} -> {now['machine'][key]}"
    versions = [run["machine"]["versions"] for run in (before, now)]
    for name in sorted(versions[0].keys() & versions[1].keys()):
        if versions[0][name] != versions[1][name]:
            yield f"{name}: {versions[0][name]} -> {versions[1][name]}"


def section(title, lines):
    """Print a title and its lines, or nothing if there are none."""
    if lines:
        print(f"{title}:", *(f"  {line}" for line in lines), sep="\n")


def main():
    """Print what moved."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("now", type=Path)
    parser.add_argument(
        "--allow",
        type=float,
        default=1.1,
        metavar="FACTOR",
        help="a row moved if its ratio changed by more than this factor (default 1.1)",
    )
    asked = parser.parse_args()
    before, now = (
        json.loads(path.read_text(encoding="utf-8"))
        for path in (asked.before, asked.now)
    )
    moves, added = compare(before, now)
    scales = [run["notes"]["scale"] for run in (before, now)]
    if scales[0] != scales[1]:
        title = f"At {scales[1]:g} of the rows; the stored figures are at {scales[0]:g}"
        section(title, [move.words() for move in moves])
        print(f"{len(moves)} rows shown, not judged: the ratio depends on the size.")
        return 0
    slower = [move for move in moves if move.factor > asked.allow]
    faster = [move for move in moves if move.factor < 1 / asked.allow]
    section("Another machine or version", list(machine_changes(before, now)))
    slower.sort(key=lambda move: -move.factor)
    faster.sort(key=lambda move: move.factor)
    section("Slower", [move.words() for move in slower])
    section("Faster", [move.words() for move in faster])
    section("Not measured before", [", against ".join(key) for key in added])
    print(
        f"{len(moves)} rows compared: {len(slower)} slower and {len(faster)} faster by"
        f" more than {asked.allow:g}x."
    )
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
