"""A table in parts for the tests of clusters; workers import this file too."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import treewright as tw
from treewright.files.part_results import in_order
from treewright.growing.parts.coding import MemoryPart, coded_arrays
from treewright.growing.parts.from_table import codings_of, facts_of
from treewright.growing.parts.grow import PartsFacts, grow_in_parts
from treewright.growing.parts.on_parts import suggested_task
from treewright.growing.parts.protocol import Engine, Parts, PartsOf
from treewright.growing.training_set import TrainingSet
from treewright.options import GrowOptions
from treewright.tree.fingerprint import fingerprint


def rows(n: int = 900) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({f"x{i}": rng.normal(size=n) for i in range(4)})
    frame["x1"] = frame["x1"].round(1)
    signal = frame["x0"] + (frame["x1"] > 0.3) + rng.normal(size=n)
    frame.loc[rng.random(n) < 0.1, "x1"] = np.nan
    frame["y"] = (signal > 0.4).astype(np.int32)
    return frame


def code_rows(name: str, batches: Any, facts: PartsFacts) -> Iterator[MemoryPart]:
    table = pa.Table.from_batches(list(batches))
    columns = [table[feature.name].to_numpy() for feature in facts.schema.features]
    y = table["y"].to_numpy().astype(np.int32)
    yield MemoryPart(facts.codings, coded_arrays(facts.codings, columns, y, None))
    return name


def sleep_on_rows(name: str, batches: Any, seconds: float) -> str:
    time.sleep(seconds)
    return name


def answers_like_memory(frame: Any) -> None:
    """Compare what a tree says about rows on a cluster and in memory."""
    table = rows()
    model = tw.TreeClassifier(max_depth=3).fit(table.drop(columns="y"), table["y"])
    tree = model.tree_
    assert model.predict(frame).tolist() == model.predict(table).tolist()
    assert str(tree.evaluate(frame)) == str(tree.evaluate(table, table["y"]))
    assert tree.check(frame) == tree.check(table)
    for target, task in (("y", "class"), ("x0", "number"), ("none", "class")):
        assert suggested_task(tw.rows_in_parts(frame), target) == task


def refuse_subtrees(*arguments: Any) -> bytes:
    """Stand in for `_core.grow_subtree` in a process that must not grow subtrees."""
    raise AssertionError("a subtree was grown by the driver")


class Disturbed:
    """Parts that do something before a request, or when some subtrees have come."""

    def __init__(
        self, parts: Parts, harm: Any, at: int = -1, after_subtrees: int = -1
    ) -> None:
        self._parts, self._harm = parts, harm
        self._at, self._after_subtrees = at, after_subtrees
        self.n_asked = self.n_subtrees = 0

    def _count(self) -> None:
        if self.n_asked == self._at:
            self._harm()
        self.n_asked += 1

    def ask(self, kernel: str, request: bytes) -> bytes:
        self._count()
        return bytes(self._parts.ask(kernel, request))

    def grow(self, *arguments: Any) -> Iterator[tuple[int, bytes]]:
        self._count()
        for found in self._parts.grow(*arguments):
            yield found
            self.n_subtrees += 1
            if self.n_subtrees == self._after_subtrees:
                self._harm()


class Growing:
    """The same tree in memory and from an engine."""

    def __init__(self, home_rows: int = 100) -> None:
        frame = rows()
        table = tw.as_table(frame.drop(columns="y"), frame["y"])
        options = GrowOptions(criterion="gini", max_depth=5)
        self.training = TrainingSet(table, options)
        values = self.training.table.columns[0].data
        codings = codings_of(self.training.table, {0: np.sort(values)[::90]})
        self.facts = facts_of(self.training.table, codings, home_rows)
        self.expected = fingerprint(self.training.grow())

    def parts(self, engine: Engine) -> Parts:
        reports = list(in_order(engine.names, engine.keep(code_rows, self.facts)))
        assert reports == list(engine.names)
        # Enough gatherings for several rounds of three threads.
        return PartsOf(engine, self.facts.weights, most_gathered=100)

    def grow(self, parts: Parts) -> str:
        return fingerprint(grow_in_parts(parts, self.facts, self.training.options))
