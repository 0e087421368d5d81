"""``treewright grow`` on rows in parts, which may be larger than memory."""

from __future__ import annotations

import shutil
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

import click

from treewright.commands.failures import as_flags
from treewright.commands.figures import figures_dict, pruning_dict, tree_dict
from treewright.commands.grown_tree import say_tree
from treewright.commands.output import (
    heading,
    intake_dict,
    print_json,
    say,
)
from treewright.errors import IntakeWarning
from treewright.files.in_parts import rows_in_parts
from treewright.growing.parts.on_parts import suggested_task
from treewright.growing.parts.progress import PartsProgress, RowsProgress
from treewright.reporting import report as write_report

if TYPE_CHECKING:
    from treewright.estimators.base import BaseTree

__all__ = ["OF_A_TABLE", "run_grow_in_parts"]

_TWICE_A_SECOND = 0.5
_EVALUATE = "'treewright evaluate MODEL DATA' measures the tree on other rows"
OF_A_TABLE = ("groups", "time", "test_share", "test", "table")
"""Flags that need all rows in memory."""


def run_grow_in_parts(
    data: str,
    target: str,
    given: dict[str, Any],
    *,
    output: str | None,
    report: str | None,
    as_json: bool,
) -> None:
    """Grow a tree from a folder or a pattern of Parquet files.

    Parameters
    ----------
    data, target, given, output, report, as_json
        See `run_grow`.
    """
    for name in OF_A_TABLE:
        if given.get(name) is not None:
            raise click.UsageError(
                f"--{name.replace('_', '-')} belongs to one data file; {data!r} names "
                "rows in parts, of which a fifth is held out to choose the size. Leave "
                "it out, and measure the tree with 'treewright evaluate'."
            )
        given.pop(name, None)
    rows = rows_in_parts(data)
    chosen = {name: given.pop(name, None) for name in ("columns", "drop")}
    rows = replace(rows, **chosen)
    asked, weight = given.pop("task", None), given.pop("weight", None)
    given = {name: value for name, value in given.items() if value is not None}
    limit = given.pop("memory_limit", None)
    task = asked or suggested_task(rows, target)
    model = _estimator(task, {**given, "memory_limit": limit})
    with warnings.catch_warnings(), _line(sys.stderr) as progress:
        warnings.simplefilter("ignore", IntakeWarning)  # the findings are shown
        model.set_params(progress=progress)
        model.fit(rows, target=target, sample_weight=weight)
        model.set_params(progress=False)
    if output is not None:
        model.tree_.save(output)
    if report is not None:
        write_report(model, report)
    lines = _python_lines(model, data, target, weight, chosen, output, report)
    if as_json:
        tree, pruning = model.tree_, model.pruning_
        print_json(
            {
                "data": data,
                "target": target,
                "task": task,
                "intake": intake_dict(model.intake_),
                "tree": tree_dict(tree),
                "pruning": pruning_dict(pruning),
                "figures": figures_dict(tree, pruning, None),
                "python": lines,
                "model": output,
                "report": report,
                "plan": str(model.plan_),
            }
        )
        return
    say(as_flags(f"{data}: {model.intake_}"))
    said = "as you asked" if asked else "--task overrides this"
    kind = "classes" if task == "class" else "numbers"
    say(f"{target} is predicted as {kind} ({said}).")
    say(f"Grown {model.plan_}.")
    say_tree(model, model.intake_, None, _EVALUATE)
    heading("The same in Python")
    say(lines)
    written = [path for path in (output, report) if path is not None]
    if written:
        say(f"\nWrote {' and '.join(written)}.")


def _estimator(task: str, parameters: dict[str, Any]) -> BaseTree:
    from treewright.estimators.classifier import TreeClassifier
    from treewright.estimators.regressor import TreeRegressor

    kind = TreeClassifier if task == "class" else TreeRegressor
    for name in parameters:
        if name not in kind._get_param_names():
            raise click.UsageError(
                f"--{name.replace('_', '-')} is for trees that answer classes, but the "
                "target holds numbers. Leave it out, or use --task class."
            )
    found: BaseTree = kind(**parameters)
    return found


def _python_lines(
    model: BaseTree,
    data: str,
    target: str,
    weight: str | None,
    chosen: dict[str, Any],
    output: str | None,
    report: str | None,
) -> str:
    """Return a program that makes the same tree, and the same files."""
    named = {name: value for name, value in chosen.items() if value is not None}
    rows = repr(data)
    if named:
        more = "".join(f", {name}={value!r}" for name, value in named.items())
        rows = f"tw.rows_in_parts({data!r}{more})"
    weighted = "" if weight is None else f", sample_weight={weight!r}"
    lines = [
        "import treewright as tw",
        "",
        f"model = tw.{model!r}.fit({rows}, target={target!r}{weighted})",
        "tree = model.tree_",
    ]
    lines += [] if output is None else [f"tree.save({output!r})"]
    lines += [] if report is None else [f"tw.report(model, {report!r})"]
    return "\n".join(lines)


@contextmanager
def _line(stream: TextIO) -> Iterator[Any]:
    """Show one line that says how far growing is, on a terminal only."""
    if not stream.isatty():
        yield False
        return
    shown = _ProgressLine(stream)
    try:
        yield shown
    finally:
        shown.clear()


class _ProgressLine:
    """One line, written anew twice a second."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._last = 0.0
        self._begun: float | None = None
        self._state: PartsProgress | None = None
        self._share = 0.0

    def __call__(self, share: float) -> None:
        """Note the share of the rows that have reached their leaf."""
        self._share = share
        if self._state is not None:
            self.watch(self._state)

    def watch(self, state: RowsProgress | PartsProgress) -> None:
        """Note what was read, or what was asked and moved."""
        now = time.monotonic()
        words = str(state)
        if isinstance(state, PartsProgress):
            self._state = state
            self._begun = self._begun or now
            done = state.done(self._share)
            if done > 0:
                left = (now - self._begun) * (1 - done) / done
                # First, so that a narrow terminal does not cut it off.
                words = f"about {_shown_time(left)} left: {words}"
        if now - self._last < _TWICE_A_SECOND:
            return
        self._last = now
        # A line that is as wide as the terminal would break into two.
        width = shutil.get_terminal_size().columns - 1
        self._stream.write(f"\r\x1b[2K{words[:width]}")
        self._stream.flush()

    def clear(self) -> None:
        """Remove the line."""
        self._stream.write("\r\x1b[2K")
        self._stream.flush()


def _shown_time(seconds: float) -> str:
    """Return a time for people: '40 s', '3 min', '1 h 20 min'."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
