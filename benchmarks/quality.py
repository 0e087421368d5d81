"""Is the default tree the most accurate of its size?

Question: error, leaves and log-loss of the default against the default before it, each
          part of the recipe switched off in turn, and other programs.
Data:     the 21 tasks of real_tables.SOURCES (13 of classes, 8 of numbers), at most
          6,000 rows each; 12 tables whose rare class is thinned to 5% of the rows;
          and 200 tables with shuffled classes, where one leaf is right, of at most
          4,000 rows as in the study, and of 500.
Equal:    the same rows. A division deals a table into five test folds, by a seed that
          the study behind the default did not use; three divisions, all five folds of
          tables of up to 2,000 rows, the first two of larger ones. Other programs, and
          the recipe with a part switched off, fit the first division only. treewright,
          rpart and YDF read categories as they are, scikit-learn one-hot columns.
Judged:   geometric mean over tasks of (error + 0.002) / (error before + 0.002), where
          the error of numbers is 1 - R2; of leaves; and likewise of the log-loss, once
          as scikit-learn computes it, once with no probability below 0.001. z is the
          difference of a task's errors in its own standard errors, row by row.
Run:      python benchmarks/quality.py                   everything; an hour
          python benchmarks/quality.py --no-peers        without other programs
          python benchmarks/quality.py --only heart --divisions 1 --no-peers
"""

import argparse
import dataclasses
import functools
import json
import math
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold

import real_tables
import report
import sized_trees

RESULT = "benchmarks/results/quality"
FIRST, DIVISIONS, FOLDS, FEW_ROWS = 700, 3, 5, 2_000
BEFORE, OURS = "before", "treewright"
GRID, RPART, YDF = "scikit-learn grid", "rpart 1-SE", "YDF CART"
OFF = {
    "no entropy": {"criterion": "gini"},
    "no leaves of 5": {"min_samples_leaf": 1},
    "no price (1-SE)": {"prune_rule": "1se"},
    "no mixed path": {"prune_risk": "error"},
    "no mixed size": {"size_by": "error"},
    "no shrinkage": {"shrinkage": None},
}
"""The parts of the recipe, each switched off."""
OF_CLASSES = ("no entropy", "no mixed path", "no mixed size")
OF_NUMBERS = ("no leaves of 5",)
TARGETS = {
    "class": {"error": 0.96, "log_loss": 0.80, "leaves": 1.6},
    "number": {"error": 0.90, "leaves": 4.0},
}
WORST, SPARE = 1.05, 0.002
FLOORS = {"log_loss": float(np.finfo(float).eps), "floored": 0.001}
"""The least probability that counts: scikit-learn's, and one that forgives a 0."""
UNEVEN_SHARE, UNEVEN_DRAWS = 0.05, 2
SHUFFLED, SHUFFLED_ROWS, ONE_LEAF = 200, (500, 4_000), 0.9


@dataclasses.dataclass(frozen=True)
class Fit:
    """One tree on one fold."""

    library: str
    losses: np.ndarray  # of each test row
    spread: float  # variance of the target, 1 for classes
    log_loss: float
    floored: float
    leaves: int
    seconds: float


def contestants(task, first, peers):
    """Return name -> function of all that take part; others in the first division."""
    found = {BEFORE: sized_trees.before, OURS: sized_trees.treewright}
    for name, values in OFF.items() if first else ():
        if name not in (OF_NUMBERS if task == "class" else OF_CLASSES):
            found[name] = functools.partial(sized_trees.treewright, **values)
    if first and peers:
        found[GRID] = sized_trees.sklearn_grid
        if sized_trees.has_rpart():
            found[RPART] = sized_trees.rpart_1se
        if sized_trees.has_ydf():
            found[YDF] = sized_trees.ydf_cart
    return found


def splits(X, y, task, division):
    """Yield the folds of one division that are tested."""
    enough = task == "class" and np.unique(y, return_counts=True)[1].min() >= FOLDS
    kind = StratifiedKFold if enough else KFold
    folds = list(kind(FOLDS, shuffle=True, random_state=division).split(X, y))
    for train, test in folds if len(y) <= FEW_ROWS else folds[:2]:
        yield real_tables.Split(task, X, y, train, test)


def run(library, fit, split):
    """Fit and score one tree."""
    start = time.perf_counter()
    answer = fit(split)
    seconds = time.perf_counter() - start
    y = split.y[split.test]
    is_class = split.task == "class"
    losses = answer.value != y if is_class else (answer.value - y) ** 2
    spread = 1.0 if is_class else float(np.var(y))
    logs = {
        name: log_loss_of(answer, y, floor) if is_class else math.nan
        for name, floor in FLOORS.items()
    }
    losses = np.asarray(losses, float)
    return Fit(library, losses, spread, **logs, leaves=answer.leaves, seconds=seconds)


def log_loss_of(answer, y, floor=FLOORS["log_loss"]):
    """Return the mean log-loss; NaN without probabilities."""
    if answer.probability is None:
        return math.nan
    number = {str(name): k for k, name in enumerate(answer.classes)}
    codes = np.array([number.get(str(each), -1) for each in y])
    p = np.where(codes < 0, 0.0, answer.probability[np.arange(len(y)), codes])
    return float(-np.log(np.maximum(p, floor)).mean())


def summary(fits):
    """Return the mean figures of each library on one task, and its z."""
    of = {}
    for fit in fits:
        of.setdefault(fit.library, []).append(fit)
    row = {}
    for library, these in of.items():
        before = of[BEFORE][: len(these)]  # others fit the first division only
        gaps = [
            (a.losses - b.losses) / b.spread for a, b in zip(these, before, strict=True)
        ]
        unit = math.sqrt(np.mean([g.var() / len(g) for g in gaps]) / len(gaps))
        row[library] = {
            "error": float(np.mean([f.losses.mean() / f.spread for f in these])),
            "leaves": math.exp(np.mean([math.log(f.leaves) for f in these])),
            "log_loss": float(np.mean([f.log_loss for f in these])),
            "floored": float(np.mean([f.floored for f in these])),
            "seconds": float(np.mean([f.seconds for f in these])),
            "z": float(np.mean([g.mean() for g in gaps]) / unit) if unit else 0.0,
        }
        row[library]["before"] = {
            "error": float(np.mean([f.losses.mean() / f.spread for f in before])),
            "leaves": math.exp(np.mean([math.log(f.leaves) for f in before])),
            **{n: float(np.mean([getattr(f, n) for f in before])) for n in FLOORS},
        }
    return row


def ratios(rows, library, key, spare=0.0):
    """Return a figure over the one before, for each task that has both."""
    pairs = [
        (row[library][key] + spare, row[library]["before"][key] + spare)
        for row in rows
        if library in row and not math.isnan(row[library][key])
    ]
    return [a / b for a, b in pairs]


def geometric(values):
    """Return the geometric mean; NaN of nothing."""
    return math.exp(np.mean(np.log(values))) if values else math.nan


def verdicts(rows):
    """Return the geometric means over tasks for every library."""
    found = {}
    for library in dict.fromkeys(name for row in rows for name in row):
        errors = ratios(rows, library, "error", SPARE)
        found[library] = {
            "error": geometric(errors),
            "standard_error": float(np.std(np.log(errors)) / math.sqrt(len(errors))),
            "leaves_ratio": geometric(ratios(rows, library, "leaves")),
            "leaves": geometric([row[library]["leaves"] for row in rows]),
            **{n: geometric(ratios(rows, library, n, SPARE)) for n in FLOORS},
        }
    return found


def uneven(folder, draws):
    """Return AUC, log-loss and one leaf of tables with a rare class."""
    found = {}
    for name, source in real_tables.UNEVEN.items():
        for draw in range(draws):
            X, y = real_tables.uneven(source, UNEVEN_SHARE, draw, folder)
            if (y == "rare").sum() < 15:
                continue
            split = real_tables.divided(X, y, "class", FIRST + draw)
            truth = split.y[split.test] == "rare"
            for library in (BEFORE, OURS):
                fit = {BEFORE: sized_trees.before, OURS: sized_trees.treewright}
                answer = fit[library](split)
                rare = list(answer.classes).index("rare")
                of = found.setdefault(library, {}).setdefault(name, [])
                of.append(
                    (
                        roc_auc_score(truth, answer.probability[:, rare]),
                        log_loss_of(answer, split.y[split.test]),
                        float(answer.leaves == 1),
                        float(np.mean(answer.value != split.y[split.test])),
                    )
                )
        cells = (of[name] for of in found.values() if name in of)
        print(
            "uneven", name, *(np.mean(cell, 0).round(3) for cell in cells), flush=True
        )
    keys = ("auc", "log_loss", "one_leaf", "error")
    return {
        library: dict(
            zip(
                keys,
                np.mean([np.mean(v, 0) for v in of.values()], 0).tolist(),
                strict=True,
            )
        )
        for library, of in found.items()
    }


def shuffled(folder, count, most_rows):
    """Return how often shuffled classes of so many rows give a single leaf."""
    names = [n for n, s in real_tables.SOURCES.items() if s.task == "class"]
    tables = [real_tables.read(real_tables.SOURCES[n], folder) for n in names]
    single = 0
    for i in range(count):
        X, y = tables[i % len(tables)]
        rng = np.random.default_rng([FIRST, i])
        rows = rng.permutation(len(y))[:most_rows]
        labels = y[rng.permutation(len(y))[:most_rows]]
        part = np.arange(len(rows))
        whole = real_tables.Split("class", X.iloc[rows], labels, part, part[:1])
        single += sized_trees.treewright(whole).leaves == 1
    return single / count


def checks(by_task, one_leaf):
    """Return every target with what was reached."""
    found = []
    for task, targets in TARGETS.items():
        rows = [row for kind, _, row in by_task if kind == task]
        if not rows:
            continue
        ours = verdicts(rows)[OURS]
        for name, most in targets.items():
            value = ours["leaves_ratio" if name == "leaves" else name]
            found.append((f"{task}: {name} / before", value, most, value <= most))
    for _, table, row in by_task:
        ours, before = row[OURS], row[BEFORE]
        worse = (ours["error"] + SPARE) / (before["error"] + SPARE)
        if worse > WORST:
            found.append((f"{table}: error / before", worse, WORST, ours["z"] <= 1.0))
    if one_leaf is not None:
        # The study shuffled tables of up to 4,000 rows; fewer rows are shown beside.
        for rows, share in one_leaf.items():
            name = f"shuffled classes, at most {int(rows):,} rows: one leaf"
            found.append((name, share, ONE_LEAF, share >= ONE_LEAF))
    return found


def as_markdown(by_task, of_uneven, one_leaf):
    """Lay out the tables and the targets."""
    parts = []
    for task in TARGETS:
        these = [(name, row) for kind, name, row in by_task if kind == task]
        if not these:
            continue
        lines = [["library", "error / before", "leaves", "leaves / before"]]
        if task == "class":
            lines[0] += ["log-loss / before", "log-loss / before, floor 0.001"]
        for library, v in verdicts([row for _, row in these]).items():
            line = [library, f"{v['error']:.3f} ± {v['standard_error']:.3f}"]
            line += [f"{v['leaves']:.1f}", f"{v['leaves_ratio']:.2f}"]
            if task == "class":
                line += ["" if math.isnan(v[n]) else f"{v[n]:.3f}" for n in FLOORS]
            lines.append(line)
        named = {"class": "classes", "number": "numbers"}[task]
        parts.append(f"## {len(these)} tasks of {named}\n\n" + markdown(lines))
        libraries = list(these[0][1])
        lines = [["task", *(f"{n}: error (leaves)" for n in libraries), "z"]]
        for name, row in these:
            cells = [f"{c['error']:.4f} ({c['leaves']:.0f})" for c in row.values()]
            lines.append([name, *cells, f"{row[OURS]['z']:+.1f}"])
        parts.append(markdown(lines))
    if of_uneven:
        lines = [["rare class of 5%", "AUC", "log-loss", "one leaf", "error"]]
        for library, v in of_uneven.items():
            cells = [f"{v[k]:.3f}" for k in ("auc", "log_loss", "one_leaf", "error")]
            lines.append([library, *cells])
        parts.append("## Uneven classes\n\n" + markdown(lines))
    lines = [["target", "reached", "wanted", ""]]
    for name, value, wanted, ok in checks(by_task, one_leaf):
        lines.append([name, f"{value:.3f}", f"{wanted:g}", "yes" if ok else "NO"])
    parts.append("## Targets\n\n" + markdown(lines))
    return "\n\n".join(parts)


def markdown(lines):
    """Return a table; the first line is the head."""
    lines = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write(by_task, of_uneven, one_leaf, given):
    """Write the JSON and the markdown."""
    answer = {
        "machine": report.machine(),
        "divisions": given.divisions,
        "first": FIRST,
        "most_rows": given.rows,
        "tasks": [{"task": t, "table": n, "libraries": r} for t, n, r in by_task],
        "uneven": of_uneven,
        "shuffled_one_leaf": one_leaf,
    }
    Path(RESULT).parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(answer, indent=2) + "\n"
    Path(f"{RESULT}.json").write_text(text, encoding="utf-8")
    text = as_markdown(by_task, of_uneven, one_leaf) + "\n"
    Path(f"{RESULT}.md").write_text(text, encoding="utf-8")


def arguments():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", action="append", help="a task; may be repeated")
    parser.add_argument("--divisions", type=int, default=DIVISIONS)
    parser.add_argument("--rows", type=int, default=real_tables.MOST_ROWS)
    parser.add_argument("--data", default=real_tables.FOLDER)
    parser.add_argument("--no-peers", action="store_true")
    return parser.parse_args()


def main():
    """Run the benchmark; the exit code is 0 if every target is reached."""
    given = arguments()
    warnings.simplefilter("ignore")  # classes that one fold lacks
    if not Path(given.data).exists():
        sys.exit(
            f"The tables are not there: {given.data}. Name their folder by --data."
        )
    by_task = []
    for name in given.only or real_tables.SOURCES:
        source = real_tables.SOURCES[name]
        X, y = real_tables.read(source, given.data, given.rows)
        fits = [
            run(library, fit, split)
            for division in range(FIRST, FIRST + given.divisions)
            for split in splits(X, y, source.task, division)
            for library, fit in contestants(
                source.task, division == FIRST, not given.no_peers
            ).items()
        ]
        by_task.append((source.task, name, summary(fits)))
        cells = by_task[-1][2].items()
        shown = (f"{n} {c['error']:.4f} ({c['leaves']:.1f})" for n, c in cells)
        print(name, *shown, sep="  ", flush=True)
    of_uneven = one_leaf = None
    if not given.only:
        of_uneven = uneven(given.data, UNEVEN_DRAWS)
        one_leaf = {n: shuffled(given.data, SHUFFLED, n) for n in SHUFFLED_ROWS}
        write(by_task, of_uneven, one_leaf, given)
    print("\n" + as_markdown(by_task, of_uneven, one_leaf))
    return 0 if all(ok for *_, ok in checks(by_task, one_leaf)) else 1


if __name__ == "__main__":
    sys.exit(main())
