"""The stored answers of other programs, and the tables that they were given.

Most lie in tests/oracles, with tables that this project or scikit-learn ships. The
others need tables that this project may not ship: they are read from the folder
`shared` beside the repository, or from TREEWRIGHT_SHARED, if there is one.
"""

import json
import os
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

INSIDE = Path(__file__).resolve().parents[1] / "oracles"
SHARED = Path(
    os.environ.get("TREEWRIGHT_SHARED", Path(__file__).resolve().parents[3] / "shared")
)

INSIDE_NAMES = (
    "c50_iris",
    "c50_play_tennis",
    "hand_split_tables",
    "rpart_carseats",
    "rpart_hitters",
    "rpart_penguins",
    "sklearn_breast_cancer",
    "sklearn_diabetes",
    "sklearn_iris",
    "sklearn_penguins_nan",
    "weka_german_credit",
    "weka_iris",
    "weka_play_tennis",
    "weka_spam_email_8",
)
"""The oracles whose data are free to copy, or come with scikit-learn."""

OUTSIDE_NAMES = (
    "c50_car_evaluation",
    "c50_weather_numeric",
    "rpart_adult_all_rows",
    "rpart_adult_first5000",
    "rpart_car_test_frame",
    "rpart_heart",
    "rpart_kyphosis",
    "rpart_solder_poisson",
    "rpart_stagec",
    "rpart_titanic",
    "sklearn_california_first3000",
    "sklearn_titanic_nan",
    "weka_car_evaluation",
    "weka_contact_lenses",
    "weka_heart",
    "weka_titanic",
    "weka_weather_numeric",
)
"""The oracles whose data are not."""

OF_SCIKIT_LEARN = ("iris", "breast_cancer", "diabetes")


def is_here(name):
    """Whether an oracle can be compared with."""
    return name in INSIDE_NAMES or (SHARED / "oracles" / f"{name}.json").exists()


def only_here(cases):
    """Return the cases (name of an oracle, ...) that can be compared with."""
    return [case for case in cases if is_here(case[0])]


@cache
def oracle(name):
    """Return the answers of a program, which must be here."""
    folder = INSIDE if name in INSIDE_NAMES else SHARED / "oracles"
    return json.loads((folder / f"{name}.json").read_text())


def fits_of(name):
    """Return the fits of a program; none if they are not here."""
    return oracle(name)["fits"] if is_here(name) else []


def fit_of(name, fit_name):
    """Return one fit of a program."""
    return next(fit for fit in oracle(name)["fits"] if fit["name"] == fit_name)


@cache
def data_of(name):
    """Return the table that the program was given."""
    answer = oracle(name)
    file = Path(answer["file"])
    if file.stem in OF_SCIKIT_LEARN:
        return _of_scikit_learn(file.stem)
    inside = resources.files("treewright") / "data" / file.name
    frame = pd.read_csv(
        inside if inside.is_file() else SHARED.parent / file,
        keep_default_na=False,
        na_values=answer.get("na_strings", ["", "NA"]),
    )
    first = 3000 if name.endswith("first3000") else answer.get("rows")
    return frame.iloc[:first]


def _of_scikit_learn(name):
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    columns = [each.replace(" (cm)", "") for each in bunch.feature_names]
    frame = pd.DataFrame(bunch.data, columns=[c.replace(" ", "_") for c in columns])
    names = getattr(bunch, "target_names", None)
    frame["target"] = bunch.target if names is None else names[bunch.target]
    return frame


def real_table(name):
    """Return the path of a real table; skip the test, loudly, if it is not here."""
    inside = resources.files("treewright") / "data" / name
    path = inside if inside.is_file() else SHARED / "data" / name
    if not path.is_file():
        pytest.skip(f"NOT TESTED: {name} may not be shipped; set TREEWRIGHT_SHARED")
    return path


def rows_by_node(fit, n_rows):
    """A function from node id to the rows of the node; children of k: 2k, 2k + 1."""
    if fit.get("leaf_of_row") is None:  # only the root's rows are known
        return lambda node: np.arange(n_rows) if node == 1 else None
    dropped = np.array(fit.get("dropped_rows_1based") or [], int) - 1
    kept = np.setdiff1d(np.arange(n_rows), dropped)
    leaf = np.array(fit["leaf_of_row"])

    def rows(node):
        above = leaf.copy()
        while (deeper := above > node).any():
            above[deeper] //= 2
        return kept[above == node]

    return rows
