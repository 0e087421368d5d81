"""An engine that tells how far its passes over the rows are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from treewright.growing.parts.progress import RowsProgress
from treewright.growing.parts.protocol import (
    CodedWork,
    Engine,
    GatheredWork,
    RowsWork,
)

__all__ = ["Watched"]


class Watched:
    """An engine that is watched; see `Engine`.

    Parameters
    ----------
    engine : Engine
        It does the work.
    watch : callable
        Called with a `RowsProgress` after every part whose rows were read.
    """

    def __init__(self, engine: Engine, watch: Callable[[RowsProgress], Any]) -> None:
        self.names: Sequence[str] = engine.names
        self._engine = engine
        self._watch = watch

    def on_rows(self, work: RowsWork, argument: Any) -> Iterator[tuple[str, Any]]:
        """Run a function on the rows of every part."""
        return self._told("reading", self._engine.on_rows(work, argument))

    def keep(self, work: RowsWork, argument: Any) -> Iterator[tuple[str, Any]]:
        """Run a function on the rows of every part, and keep the coded rows."""
        return self._told("coding", self._engine.keep(work, argument))

    def on_coded(self, work: CodedWork, argument: Any) -> Iterable[tuple[str, Any]]:
        """Run a function on every coded part."""
        return self._engine.on_coded(work, argument)

    def on_gathered(
        self,
        take: CodedWork,
        make: GatheredWork,
        common: Any,
        gatherings: Sequence[Any],
    ) -> Iterable[tuple[int, Any]]:
        """Take something from every coded part and bring it together."""
        return self._engine.on_gathered(take, make, common, gatherings)

    def close(self) -> None:
        """Forget the coded parts."""
        self._engine.close()

    def _told(
        self, doing: str, results: Iterable[tuple[str, Any]]
    ) -> Iterator[tuple[str, Any]]:
        self._watch(RowsProgress(doing, 0, len(self.names)))
        for n_done, result in enumerate(results, 1):
            self._watch(RowsProgress(doing, n_done, len(self.names)))
            yield result
