"""Progress bars with the time left, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from treewright.errors import OptionError

__all__ = ["bar", "reported"]

_SOON = 0.5  # seconds


@contextmanager
def reported(progress: Any, words: str) -> Iterator[Callable[[float], Any] | None]:
    """Return the function that the parameter `progress` of an estimator stands for.

    Parameters
    ----------
    progress : bool or callable
        True: show a bar. A function: call it.
    words : str
        What the bar says.

    Yields
    ------
    callable or None
        Takes the share of the work that is done.
    """
    if callable(progress):
        yield progress
    elif progress is True:
        with bar(words) as show:
            yield show
    elif progress is False:
        yield None
    else:
        raise OptionError(
            "progress must be True, False or a function of the share that is done; got "
            f"{progress!r}."
        )


@contextmanager
def bar(words: str) -> Iterator[Callable[[float], Any] | None]:
    """Show a bar on standard error while something long is done.

    Parameters
    ----------
    words : str
        What is being done.

    Yields
    ------
    callable or None
        Takes the share that is done. None where standard error is no terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    shown = _LateBar(words)
    try:
        yield shown.update
    finally:
        shown.stop()


class _LateBar:
    """A bar that appears only if the work takes a while."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._start = time.monotonic()
        self._progress: Any = None

    def update(self, share: float) -> None:
        if self._progress is None:
            if time.monotonic() - self._start < _SOON:
                return
            self._progress = _started_bar()
            self._task = self._progress.add_task(self._words, total=1.0)
        self._progress.update(self._task, completed=share)

    def stop(self) -> None:
        if self._progress is not None:
            self._progress.stop()


def _started_bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    parts = (
        TextColumn("{task.description}"),
        BarColumn(30),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    console = Console(stderr=True, highlight=False)
    progress = Progress(*parts, console=console, transient=True)
    progress.start()
    return progress
