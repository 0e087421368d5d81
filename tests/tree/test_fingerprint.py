"""Equal trees: the same splits, evidence, answers, columns and classes, no more."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw
from treewright.table.schema import Summary
from treewright.tree.data import TreeData

RNG = np.random.default_rng(1)
N = 120
WHOLE = RNG.integers(0, 50, N)
HALVES = RNG.integers(0, 40, N) / 2
TOWN = RNG.choice(["Rome", "Bonn", "Lyon"], N).astype(object)
Y = np.where(WHOLE + 9 * (TOWN == "Rome") + RNG.normal(0, 6, N) > 28, 1, 0)

FORMS = {
    "float64": lambda: {"a": WHOLE.astype(float), "b": HALVES, "c": TOWN},
    "float32": lambda: {"a": WHOLE.astype("f4"), "b": HALVES.astype("f4"), "c": TOWN},
    "int8": lambda: {"a": WHOLE.astype("i1"), "b": HALVES, "c": TOWN},
    "lists": lambda: {"a": WHOLE.tolist(), "b": HALVES.tolist(), "c": TOWN.tolist()},
    "pandas": lambda: pd.DataFrame({"a": WHOLE, "b": HALVES, "c": TOWN}),
    "nullable": lambda: pd.DataFrame(
        {"a": pd.array(WHOLE, "Int64"), "b": HALVES, "c": pd.Categorical(TOWN)}
    ),
    "polars": lambda: pl.DataFrame({"a": WHOLE, "b": HALVES, "c": TOWN.tolist()}),
    "arrow": lambda: pa.table({"a": WHOLE, "b": HALVES, "c": TOWN.tolist()}),
    "decimal text": lambda: {"a": [str(x) for x in WHOLE], "b": HALVES, "c": TOWN},
}
KINDS = {"decimal text": {"a": "numeric"}}


def tree_of(form, y=Y):
    options = {"prune": None, "findings": "ignore", "kinds": KINDS.get(form)}
    return tw.TreeClassifier(**options).fit(FORMS[form](), y).tree_


@pytest.mark.parametrize("form", FORMS)
def test_storage_does_not_count(form):
    tree = tree_of(form)
    assert tree.n_leaves > 5
    assert tree == tree_of("float64")
    assert tree.fingerprint == tree_of("float64").fingerprint


@pytest.mark.parametrize(
    "y",
    [Y.astype(float), Y.astype("i1"), pd.Series(Y, name="bought"), pl.Series(Y)],
    ids=["float", "int8", "named", "polars"],
)
def test_neither_does_that_of_the_target(y):
    assert tree_of("float64", y) == tree_of("float64")


def changed(tree, **changes):
    first, *others = tree.schema.features
    schema = replace(tree.schema, features=(replace(first, **changes), *others))
    return TreeData.from_arrays(tree.data.arrays(), schema)


@pytest.mark.parametrize(
    "changes",
    [
        {"reason": "Other words."},
        {"summary": Summary(3)},
        {"stored_as": "int"},
        {"set_aside": "It is not."},
        {"grain": "day"},
    ],
)
def test_sentences_and_summaries_do_not_count(changes):
    tree = tree_of("float64")
    assert changed(tree, **changes) == tree.data


def test_names_categories_and_classes_count():
    tree = tree_of("float64")
    assert changed(tree, name="z") != tree.data
    assert changed(tree, float32=True) != tree.data
    assert tree_of("float64", np.where(Y, "yes", "no")) != tree
    assert tree_of("float64", Y.astype(bool)) != tree
    assert tree_of("float64", Y.astype(str)) != tree
    schema = tree.schema
    third = replace(schema.features[2], labels=("Bonn", "Lyon", "Roma"))
    other = replace(schema, features=(*schema.features[:2], third))
    assert TreeData.from_arrays(tree.data.arrays(), other) != tree.data


def test_the_names_of_a_plain_array_are_names():
    numbers = np.column_stack([WHOLE, HALVES]).astype(float)
    frame = pd.DataFrame(numbers, columns=["x0", "x1"])
    one, two = (
        tw.TreeClassifier(prune=None, findings="ignore").fit(X, Y).tree_
        for X in (numbers, frame)
    )
    assert one == two
