"""Rows in parts give the tree of the in-memory engine, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from support.repeats import first_of
from support.strategies import assert_same_tree
from treewright.errors import ClusterError
from treewright.growing.parts import coding
from treewright.growing.parts.coding import edges_of
from treewright.growing.parts.from_table import codings_of, facts_of, part_of
from treewright.growing.parts.grow import grow_in_parts
from treewright.growing.parts.local import DiskPart, Local
from treewright.growing.parts.protocol import PartsOf
from treewright.growing.reference import grow_reference
from treewright.growing.training_set import TrainingSet
from treewright.options import GrowOptions
from treewright.table.table import Table
from treewright.tree.data import TreeData

CRITERIA = {
    "gini": 2,
    "entropy": 3,
    "misclassification": 9,
    "squared_error": 0,
    "poisson": 0,
}


def random_table(rng: Any, criterion: str, n: int, **has: Any) -> Table:
    X = {
        "ties": rng.normal(size=n).round(1),
        "distinct": rng.normal(size=n),
        "whole": rng.integers(0, 5, n).astype(float),
        "odd": rng.choice([-1.7e308, -0.0, 0.0, 5e-324, 2.0**53 + 2, 1.7e308], n),
    }
    if has.get("missing"):
        X["ties"][rng.random(n) < 0.2] = np.nan
    if has.get("categories"):
        X["few"] = rng.choice(list("pqrst"), n)
        X["many"] = rng.choice([f"level {i}" for i in range(25)], n)
    signal = X["distinct"] + (np.nan_to_num(X["ties"]) > 0.3) + 0.3 * X["whole"]
    signal = signal + rng.normal(size=n)
    y: Any = signal
    k = CRITERIA[criterion]
    if k:
        y = np.digitize(signal, np.linspace(-1, 2, k - 1)).astype(str)
    elif criterion == "poisson":
        y = np.floor(np.exp(signal / 3))
    weights = {None: None, "whole": rng.integers(0, 4, n) * 1.0, "real": rng.random(n)}
    return tw.as_table(
        X, y, weights[has.get("weights")], task="class" if k else "number"
    )


def random_edges(rng: Any, table: Table) -> dict[int, Any]:
    """Edges that a sample would never give: few, equal, on ties, outside the range."""
    found = {}
    for place, index in enumerate(table.usable):
        data = table.columns[index].data
        if table.schema.features[index].kind != "numeric" or rng.random() < 0.3:
            continue
        known = np.append(data[~np.isnan(data)], 0.0)
        kinds = (
            rng.choice(known, int(rng.integers(1, 9))),
            np.full(3, rng.choice(known)),
            np.array([1e300, -1e300]),
            edges_of(known),
        )
        found[place] = kinds[int(rng.integers(len(kinds)))]
    return found


def in_parts(
    training: TrainingSet, rng: Any, n_parts: int = 3, **settings: Any
) -> TreeData:
    table = training.table
    edges = settings.pop("edges", None)
    facts = facts_of(table, codings_of(table, edges), settings.pop("home_rows", 0))
    part_of_row = rng.integers(0, n_parts, table.n_rows)
    parts = [
        part_of(table, np.flatnonzero(part_of_row == i), facts) for i in range(n_parts)
    ]
    engine = Local.of_coded(parts, settings.pop("n_threads", 1))
    gathered = settings.pop("most_gathered", 0)
    parts_of = PartsOf(engine, facts.weights, most_gathered=gathered)
    return grow_in_parts(parts_of, facts, training.options, **settings)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("weights", [None, "whole", "real"])
@pytest.mark.parametrize("block", first_of(range(3), 1))
def test_edges_are_irrelevant(criterion: str, weights: str | None, block: int) -> None:
    rng = np.random.default_rng([len(criterion), block])
    for i in range(block * 5, (block + 1) * 5):
        table = random_table(
            rng,
            criterion,
            int(rng.integers(20, 300)),
            missing=i % 2,
            categories=i % 3,
            weights=weights,
        )
        options = GrowOptions(
            criterion=criterion,
            min_samples_leaf=int(rng.integers(1, 6)),
            max_features=(None, 2)[i % 2],
            max_leaf_nodes=(None, 6)[i // 2 % 2],
            random_state=i,
        )
        training = TrainingSet(table, options)
        expected = training.grow()
        found = in_parts(
            training,
            rng,
            edges=random_edges(rng, training.table),
            home_rows=int(rng.choice([0, 0, 20, 100])),
            most_entries=int(rng.choice([10, 200, 100_000])),
        )
        assert found == expected


@pytest.mark.parametrize("n_parts", [1, 2, 3, 7, 16, 64])
@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_number_of_parts_and_threads_is_irrelevant(
    n_parts: int, criterion: str
) -> None:
    rng = np.random.default_rng(n_parts)
    table = random_table(rng, criterion, 90, missing=True, categories=True)
    training = TrainingSet(table, GrowOptions(criterion=criterion))
    expected = training.grow()
    for n_threads in (1, 2, 8):
        edges = random_edges(rng, training.table)
        found = in_parts(
            training,
            rng,
            n_parts,
            edges=edges,
            n_threads=n_threads,
            home_rows=15,
            most_gathered=40,
        )
        assert found == expected


@pytest.mark.parametrize(
    "n_tables", [150, pytest.param(10_000, marks=pytest.mark.slow)]
)
def test_tiny_tables_give_the_tree_of_exact_fractions(n_tables: int) -> None:
    rng = np.random.default_rng(1)
    for i in range(n_tables):
        criterion = list(CRITERIA)[i % len(CRITERIA)]
        table = tiny_table(rng, criterion)
        options = GrowOptions(
            criterion=criterion,
            min_samples_leaf=int(rng.integers(1, 3)),
            max_leaf_nodes=(None, 3)[int(rng.random() < 0.2)],
        )
        training = TrainingSet(table, options)
        found = in_parts(
            training,
            rng,
            int(rng.integers(1, 5)),
            edges=random_edges(rng, training.table),
            home_rows=int(rng.choice([0, 0, 4])),
        )
        assert_same_tree(found, grow_reference(table, options))


def tiny_table(rng: Any, criterion: str) -> Table:
    """At most 13 rows with ties, often with missing values, categories and weights."""
    n = int(rng.integers(2, 14))
    X: dict[str, Any] = {
        "a": rng.integers(0, 4, n) / 3,
        "b": rng.normal(size=n).round(1),
    }
    X["a"][rng.random(n) < rng.choice([0.0, 0.2])] = np.nan
    if rng.random() < 0.4:
        X["k"] = rng.choice(list("pqrs"), n)
    y: Any = rng.normal(size=n).round(1)
    if CRITERIA[criterion]:
        y = rng.integers(0, int(rng.integers(1, 5)), n).astype(str)
    elif criterion == "poisson":
        y = rng.integers(0, 4, n) + (np.arange(n) == 0)
    weights = (None, rng.integers(1, 4, n) * 1.0, rng.random(n) + 0.01)
    chosen = weights[int(rng.integers(3))]
    return tw.as_table(X, y, chosen, task="class" if CRITERIA[criterion] else "number")


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_bound_that_is_too_low_changes_trees(criterion: str) -> None:
    rng = np.random.default_rng(3)
    options = GrowOptions(criterion=criterion, max_depth=3)

    def changes() -> bool:
        training = TrainingSet(random_table(rng, criterion, 100), options)
        edges = {1: rng.choice(training.table.columns[1].data, 3)}
        found = in_parts(training, rng, edges=edges, bound_factor=0.999)
        return found != training.grow()

    assert any(changes() for _ in range(2_000))


def test_parts_on_disk_give_the_same_tree(tmp_path: Any) -> None:
    rng = np.random.default_rng(4)
    table = random_table(rng, "gini", 500, missing=True, categories=True)
    training = TrainingSet(table, GrowOptions(criterion="gini"))
    codings = codings_of(training.table, random_edges(rng, training.table))
    facts = facts_of(training.table, codings, 50)
    parts = []
    for i in range(4):
        held = part_of(training.table, np.arange(i, 500, 4), facts)
        parts.append(DiskPart(codings, tmp_path / str(i)))
        parts[-1].append(held)
    parts_of = PartsOf(Local.of_coded(parts, 2), facts.weights, most_gathered=100)
    found = grow_in_parts(parts_of, facts, training.options)
    assert found == training.grow()


class Careless(Local):
    """An engine that loses or repeats what it gathers."""

    fault = "none"

    def on_gathered(self, take: Any, *arguments: Any) -> Any:
        def halved(part: Any, argument: Any) -> Any:
            found = take(part, argument)
            if self.fault != "rows":
                return found
            return [([c[::2] for c in cs], y[::2], w) for cs, y, w in found]

        found = list(super().on_gathered(halved, *arguments))
        assert len(found) > 2
        changes = {"lost": found[:-1], "twice": [*found, found[0]]}
        return changes.get(self.fault, found)


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        ("rows", ClusterError, "A node of .* rows got"),
        ("lost", ValueError, "damaged"),
        ("twice", ValueError, "damaged"),
    ],
)
def test_gathered_rows_that_are_lost_or_repeated_are_refused(
    fault: str, error: type[Exception], words: str
) -> None:
    rng = np.random.default_rng(9)
    training = TrainingSet(random_table(rng, "gini", 300), GrowOptions())
    facts = facts_of(training.table, codings_of(training.table, None), 40)
    engine = Careless.of_coded([part_of(training.table, np.arange(300), facts)])

    def grown() -> TreeData:
        parts = PartsOf(engine, facts.weights, most_gathered=40)
        return grow_in_parts(parts, facts, training.options)

    assert grown() == training.grow()
    engine.fault = fault
    with pytest.raises(error, match=words):
        grown()


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
@pytest.mark.parametrize("weights", [None, "real"])
def test_slices_of_a_part_are_irrelevant(
    criterion: str, weights: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(6)
    table = random_table(
        rng, criterion, 200, missing=True, categories=True, weights=weights
    )
    training = TrainingSet(table, GrowOptions(criterion=criterion))
    expected = training.grow()
    for rows_of_slice in (1, 13, 200):
        monkeypatch.setattr(coding, "ROWS_OF_SLICE", rows_of_slice)
        edges = random_edges(rng, training.table)
        found = in_parts(training, rng, 2, edges=edges, home_rows=30, most_gathered=60)
        assert found == expected


class Weighed:
    """Parts that record the length of every reply."""

    def __init__(self, parts: PartsOf) -> None:
        self._parts = parts
        self.sizes: list[int] = []
        self.grow = parts.grow

    def ask(self, kernel: str, request: bytes) -> bytes:
        reply = self._parts.ask(kernel, request)
        self.sizes.append(len(reply))
        return reply


def test_replies_stay_short_where_every_bucket_may_win() -> None:
    rng = np.random.default_rng(7)
    X = {f"x{i}": rng.normal(size=4_000) for i in range(4)}
    noise = rng.choice(["no", "yes"], 4_000)
    training = TrainingSet(tw.as_table(X, noise), GrowOptions(max_depth=2))
    edges = dict.fromkeys(range(4), np.linspace(-1.5, 1.5, 7))
    facts = facts_of(training.table, codings_of(training.table, edges), 0)
    parts = PartsOf(
        Local.of_coded([part_of(training.table, np.arange(4_000), facts)]),
        facts.weights,
    )
    weighed = Weighed(parts)
    most_entries, bytes_of_entry = 500, 24
    found = grow_in_parts(weighed, facts, training.options, most_entries=most_entries)
    assert found == training.grow()
    assert max(weighed.sizes) < 2 * most_entries * bytes_of_entry


def test_replies_stay_short_where_all_targets_of_a_poisson_tree_differ() -> None:
    rng = np.random.default_rng(8)
    X = {"x": rng.integers(0, 5, 4_000)}
    y = rng.exponential(size=4_000)
    y[:900] = 0.0
    y[900:] *= np.where(rng.random(3_100) < 0.1, 1e-9, 1.0)
    options = GrowOptions(criterion="poisson", max_depth=2)
    training = TrainingSet(tw.as_table(X, y), options)
    facts = facts_of(training.table, codings_of(training.table, None), 0)
    parts = PartsOf(
        Local.of_coded([part_of(training.table, np.arange(4_000), facts)]),
        facts.weights,
    )
    weighed = Weighed(parts)
    most_entries, bytes_of_entry = 300, 64
    found = grow_in_parts(weighed, facts, training.options, most_entries=most_entries)
    assert found == training.grow()
    assert max(weighed.sizes) < 2 * most_entries * bytes_of_entry


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"criterion": "absolute_error"}, "needs medians"),
        ({"missing": "surrogate"}, "in one place"),
        ({"competitors": 2}, "in one place"),
    ],
)
def test_what_does_not_add_up_is_refused(settings: Any, words: str) -> None:
    rng = np.random.default_rng(5)
    criterion = "squared_error" if "criterion" in settings else "gini"
    training = TrainingSet(random_table(rng, criterion, 60), GrowOptions(**settings))
    with pytest.raises(tw.OptionError, match=words):
        in_parts(training, rng)


def test_every_node_of_a_level_counts_thousands_of_categories() -> None:
    """Such a request must not become too large to be taken for a sound message."""
    rng = np.random.default_rng(0)
    n, k = 4_000, 65_534
    X = pd.DataFrame({f"x{i}": rng.random(n).round(2) for i in range(3)})
    labels = [f"c{i}" for i in range(k)]
    X["k"] = pd.Categorical.from_codes(rng.choice([0, 7, k - 1], n), labels)
    table = tw.as_table(X, rng.integers(0, 3, n).astype(str))
    assert len(table.schema.features[3].labels) == k
    training = TrainingSet(table, GrowOptions(criterion="gini", max_depth=10))
    assert in_parts(training, rng) == training.grow()
