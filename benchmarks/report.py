"""How the benchmark's results are kept, printed and written down."""

import dataclasses
import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
from pathlib import Path

LIBRARIES = ("treewright", "scikit-learn", "lightgbm", "xgboost-cpu", "xgboost", "ydf")
LIBRARIES += ("chefboost", "imodels")
HEADER = ("task", "compared with", "theirs", "ours", "ratio", "must reach", "")


@dataclasses.dataclass(frozen=True)
class Row:
    """One comparison: what was done, against whom, and how it came out."""

    task: str
    against: str
    theirs: float
    ours: float
    target: float
    # True: theirs/ours must be at least the target; False: ours/theirs at most.
    at_least: bool = True
    unit: str = "s"

    @property
    def ratio(self):
        """The number the target speaks of."""
        return self.theirs / self.ours if self.at_least else self.ours / self.theirs

    @property
    def ok(self):
        """Whether the target is reached."""
        if self.at_least:
            return self.ratio >= self.target
        return self.ratio <= self.target

    def cells(self):
        """Return the row as printed."""
        sign = ">=" if self.at_least else "<="
        return (
            self.task,
            self.against,
            amount(self.theirs, self.unit),
            amount(self.ours, self.unit),
            f"{self.ratio:.3g}x",
            f"{sign} {self.target:g}x",
            "ok" if self.ok else "SHORT",
        )


def amount(value, unit):
    """Write a time or a size in a unit that suits it, three figures."""
    if unit == "B":
        return f"{value / 1e6:.4g} MB"
    for factor, name in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * factor >= 1:
            return f"{value * factor:.3g} {name}"
    return f"{value * 1e6:.3g} µs"


def as_text(rows):
    """Lay the rows out in aligned columns for a terminal."""
    lines = [HEADER, *(row.cells() for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if 2 <= i <= 4 else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def as_markdown(rows):
    """Lay the rows out as a table for a README."""
    lines = [HEADER, ["---"] * len(HEADER), *(row.cells() for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def machine():
    """Describe what the numbers depend on: processor, cores, compiler, versions."""
    return {
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "compiler": _compiler(),
        "versions": {
            name: version for name in LIBRARIES if (version := _version(name))
        },
    }


def write_json(path, rows, notes):
    """Write rows, notes and the machine to `path`."""
    answer = {
        "machine": machine(),
        "rows": [
            dataclasses.asdict(row) | {"ratio": row.ratio, "ok": row.ok} for row in rows
        ],
        "notes": notes,
    }
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(answer, indent=2) + "\n", encoding="utf-8")


def _version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cpu_model():
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def _compiler():
    program = shutil.which("c++") or shutil.which("clang++")
    if program is None:
        return "unknown"
    words = [program, "--version"]
    said = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    return said.splitlines()[0] if said else "unknown"
