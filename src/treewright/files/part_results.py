"""Results of parts, each counted once, in the order of the parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from treewright.errors import TableError

__all__ = ["in_order"]


def in_order(names: Sequence[str], results: Iterable[tuple[str, Any]]) -> Iterator[Any]:
    """Yield the results of all parts, each once, as soon as their turn comes.

    Parameters
    ----------
    names : sequence of str
        The parts of an engine.
    results : iterable of (str, object)
        What it returned, in any order; a part may come twice.

    Yields
    ------
    object
        A result is not kept once it is yielded, so that those of an engine that
        answers in order need not fit into memory together.

    Raises
    ------
    TableError
        When a part gave no answer.
    """
    early: dict[str, Any] = {}
    turn = 0
    for name, result in results:
        early[name] = result
        del result
        while turn < len(names) and names[turn] in early:
            turn += 1
            yield early.pop(names[turn - 1])
    if turn < len(names):
        lost = [name for name in names[turn:] if name not in early]
        raise TableError(
            f"The part {lost[0]!r} gave no answer ({len(lost)} of {len(names)} parts). "
            "Run the fit again."
        )
