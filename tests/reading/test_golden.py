"""Text, rules, formulas and explanations as they were when a person last read them.

After a wanted change: ``GOLDEN=write python -m pytest tests/reading/test_golden.py``,
then read the difference.
"""

import os
from pathlib import Path

import pandas as pd
import pytest

import treewright as tw
from growing.test_seeds import (
    FREE,
    HUMIDITY,
    OUTLOOK,
    PLAY,
    SENDER,
    SPAM,
    TEMPERATURE,
    WIND,
    WORDS,
)
from reading.test_formula import tennis
from support.oracle_files import real_table
from treewright.model import Tree

GOLDEN = Path(__file__).parents[1] / "golden" / "reading"


def real(name):
    return pd.read_csv(real_table(name))


def weather():
    X = {
        "Outlook": OUTLOOK,
        "Temperature": TEMPERATURE,
        "Humidity": HUMIDITY,
        "Wind": WIND,
    }
    y = pd.Series(PLAY, name="Play")
    return tw.TreeClassifier(prune=None, criterion="entropy").fit(X, y).tree_, X, y


def spam():
    X = {"Word Count": WORDS, "Sender": SENDER, "Free": FREE}
    y = pd.Series(SPAM, name="Spam")
    return tw.TreeClassifier(prune=None, criterion="entropy").fit(X, y).tree_, X, y


def diagram():
    return Tree(tennis()), None, None


def penguins():
    X = real("penguins.csv")
    y = X.pop("species")
    grown = tw.TreeClassifier(
        prune=None, min_samples_leaf=5, thresholds="readable"
    ).fit(X, y)
    return grown.tree_, X, y


def titanic():
    X = real("titanic.csv").drop(columns=["name", "ticket", "cabin", "boat", "body"])
    X = X.drop(columns=["home.dest"])
    y = X.pop("survived")
    return (
        tw.TreeClassifier(prune=None, max_depth=4, min_samples_leaf=20).fit(X, y).tree_,
        X,
        y,
    )


def hitters():
    X = real("hitters.csv").dropna(subset=["Salary"])
    y = X.pop("Salary")
    grown = tw.TreeRegressor(prune=None, max_leaf_nodes=8, thresholds="readable").fit(
        X, y
    )
    return grown.tree_, X, y


CASES = (weather, spam, diagram, penguins, titanic, hitters)


def written(tree, X, y):
    parts = {
        "text": tree.text(numbers=True),
        "text, three leaves, ASCII": tree.text(max_leaves=3, ascii=True),
        "rules": str(tree.rules()),
        "rules with every missing value": tree.rules().text(missing=True),
        "formula": "\n".join(
            str(tree.formula(each.item() if hasattr(each, "item") else each))
            for each in tree.classes
        )
        or str(tree.formula()),
    }
    if X is not None:
        frame = pd.DataFrame(X)
        parts["explain"] = str(tw.explain(tree, frame.iloc[0]))
        parts["why"] = str(tw.why(tree, 0, X, y))
    return "".join(f"==== {name}\n{said}\n\n" for name, said in parts.items())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_reads_as_it_did(case):
    said = written(*case())
    path = GOLDEN / f"{case.__name__}.txt"
    if os.environ.get("GOLDEN") == "write":
        path.write_text(said, encoding="utf-8")
    assert said == path.read_text(encoding="utf-8")
