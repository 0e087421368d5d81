"""The real tables of the quality benchmark, read from a folder beside the project.

They are not part of the project: sources and licences are in the folder's README.
"""

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parents[2] / "shared" / "data"
MOST_ROWS = 10_000
MISSING = ("", "NA", "?")


@dataclasses.dataclass(frozen=True)
class Source:
    """Where a table is, what is predicted and what must not be used for it."""

    file: str
    target: str
    task: str = "class"
    drop: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    separator: str = ","


# boat and body say who was saved; name tells every row apart.
_LEAKS = ("boat", "body", "name")
_MANY = ("ticket", "cabin", "home.dest")
SOURCES = {
    "heart": Source("heart", "AHD"),
    "penguins": Source("penguins", "species"),
    "german_credit": Source("german_credit", "class"),
    "titanic": Source("titanic", "survived", drop=_LEAKS + _MANY),
    "titanic, 3 columns of many levels": Source(
        "titanic", "survived", drop=_LEAKS, text=_MANY
    ),
    "car_evaluation": Source("car_evaluation", "class", text=("doors", "persons")),
    "mushrooms": Source("mushrooms", "class"),
    "higgs_sample": Source("higgs_sample", "signal"),
    "adult": Source("adult", "income"),
    "bank_marketing": Source("bank_marketing", "y", separator=";"),
    "hitters": Source("hitters", "Salary", "number"),
    "carseats": Source("carseats", "Sales", "number"),
    "ames_housing": Source("ames_housing", "price", "number", drop=("Order", "PID")),
    "abalone": Source("abalone", "Rings", "number"),
    "california_housing": Source("california_housing", "median_house_value", "number"),
    "diamonds": Source("diamonds", "price", "number"),
}


@dataclasses.dataclass(frozen=True)
class Split:
    """One table divided into training and test rows."""

    task: str
    X: pd.DataFrame
    y: np.ndarray
    train: np.ndarray
    test: np.ndarray

    @property
    def categorical(self):
        """Names of the columns of text."""
        return [c for c in self.X if not pd.api.types.is_numeric_dtype(self.X[c])]


def read(name, folder=FOLDER, most_rows=MOST_ROWS):
    """Return (X, y) of a table; a sample of its rows if there are more."""
    source = SOURCES[name]
    table = pd.read_csv(
        Path(folder) / f"{source.file}.csv",
        sep=source.separator,
        keep_default_na=False,
        na_values=list(MISSING),
        dtype=dict.fromkeys(source.text, "str"),
    )
    table = table[table[source.target].notna()].drop(columns=list(source.drop))
    if len(table) > most_rows:
        table = table.sample(most_rows, random_state=0)
    table = table.reset_index(drop=True)
    y = table.pop(source.target)
    as_text = source.task == "class"
    return table, y.astype(str).to_numpy(object) if as_text else y.to_numpy(float)


def split(name, repeat, folder=FOLDER, most_rows=MOST_ROWS):
    """Divide a table: two thirds to train, one third to test; classes in proportion.

    The training rows stay in the random order of the draw: folds of GridSearchCV are
    blocks of rows, and in the order of the files (by class, by price) blocks differ.
    """
    from sklearn.model_selection import train_test_split

    X, y = read(name, folder, most_rows)
    task = SOURCES[name].task
    train, test = train_test_split(
        np.arange(len(X)),
        test_size=1 / 3,
        random_state=repeat,
        stratify=y if task == "class" else None,
    )
    return Split(task, X, y, train, test)
