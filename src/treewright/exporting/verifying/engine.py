"""What every engine has in common: how rows go in and how answers come out.

Rows are written as text, one line each: a number as the decimal of its 64 bits, a text
as 'x' and its UTF-8 bytes in hexadecimal, a missing text as '-'. Answers come back one
line a row: the leaf, the place of the class (or the bits of the number), and the bits
of the probabilities. Nothing is rounded on the way.
"""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import TreewrightError
from treewright.exporting.check_rows import Value
from treewright.exporting.program import Program

__all__ = [
    "Answers",
    "EngineMissingError",
    "ExportFailedError",
    "answers_from",
    "package_called",
    "program_called",
    "rows_as_text",
    "run",
]


class EngineMissingError(TreewrightError):
    """The compiler, interpreter or database that an export needs is not installed."""


class ExportFailedError(TreewrightError):
    """An export does not compile or run in its own engine."""


@dataclass(frozen=True)
class Answers:
    """The answers of an export.

    Attributes
    ----------
    leaves : list of int or None
        The leaf of each row; None if the export does not give it.
    answers : list
        The class, or the number, for each row.
    probabilities : list of list of float, or None
        The probability of each class for each row; None if there is none.
    """

    leaves: list[int] | None
    answers: list[Any]
    probabilities: list[list[float]] | None


_PACKAGES = {
    "node": "nodejs",
    "gcc": "gcc",
    "javac": "default-jdk-headless",
    "java": "default-jre-headless",
    "rustc": "rustc",
    "Rscript": "r-base-core",
    "soffice": "libreoffice-calc",
}
"""The Debian package of each program."""


def program_called(*names: str) -> str:
    """Return the path of the first of some programs that is installed."""
    for name in names:
        found = shutil.which(name)
        if found and _starts(found, _LAUNCHERS.get(name)):
            return found
    raise EngineMissingError(
        f"{names[0]!r} is not installed, so the export cannot be run here. Install it, "
        f"on Debian or Ubuntu with: apt install {_PACKAGES[names[0]]}."
    )


_LAUNCHERS = {"java": "-version", "javac": "-version", "rustc": "--version"}
"""Programs that may only start another one, which this user may not have (rustup
looks for compilers in the home folder), and how each is asked for its version."""


@cache
def _starts(program: str, question: str | None) -> bool:
    """Return whether a program can say its version, if it has to be asked."""
    return (
        question is None
        or not subprocess.run(
            [program, question], capture_output=True, check=False
        ).returncode
    )


def package_called(name: str, shown: str) -> Any:
    """Return a Python package that runs an export, or say how to install it."""
    try:
        return import_module(name)
    except ImportError:
        raise EngineMissingError(
            f"{shown} is not installed, so the export cannot be run here: "
            f"pip install {name.partition('.')[0]}."
        ) from None


def run(*command: str | Path) -> str:
    """Run a program and return what it prints; raise an error if it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        what = (done.stderr or done.stdout)[:2000]
        raise ExportFailedError(
            f"{Path(command[0]).name} ended with code {done.returncode}:\n{what}"
        )
    return done.stdout


def rows_as_text(program: Program, rows: Sequence[tuple[Value, ...]]) -> str:
    """Return rows in the form that the drivers of engines read."""
    texts = [variable.type == "text" for variable in program.variables]
    lines = (
        " ".join(
            _text(value) if is_text else _bits(value)
            for is_text, value in zip(texts, row, strict=True)
        )
        or "-"
        for row in rows
    )
    return "\n".join(lines) + "\n"


def _text(value: Value) -> str:
    return "-" if value is None else "x" + str(value).encode().hex()


def _bits(value: Value) -> str:
    return str(np.float64(math.nan if value is None else value).view(np.int64))


def answers_from(program: Program, output: str) -> Answers:
    """Return the answers that a driver printed."""
    lines = [line.split() for line in output.splitlines()]
    leaves = [int(line[0]) for line in lines]
    if not program.is_classifier:
        return Answers(leaves, [_number(line[1]) for line in lines], None)
    answers = [program.classes[int(line[1])] for line in lines]
    return Answers(leaves, answers, [[_number(x) for x in line[2:]] for line in lines])


def _number(bits: str) -> float:
    return float(np.array(int(bits), np.int64).view(np.float64))
