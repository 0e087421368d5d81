"""The real tables of the quality benchmark, read from a folder beside the project.

They are not part of the project: sources and licences are in the folder's README.
"""

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parents[2] / "shared" / "data"
MOST_ROWS = 6_000
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
    only: tuple[str, ...] = ()
    """Values of the target to tell from all others; empty: all values are classes."""


# boat and body say who was saved; the others tell almost every row apart.
_TITANIC = ("boat", "body", "name", "ticket", "cabin", "home.dest")
_AMES = ("Order", "PID")
SOURCES = {
    "heart": Source("heart", "AHD"),
    "penguins": Source("penguins", "species"),
    "titanic": Source("titanic", "survived", drop=_TITANIC),
    "german_credit": Source("german_credit", "class"),
    "car_evaluation": Source("car_evaluation", "class", text=("doors", "persons")),
    "mushrooms": Source("mushrooms", "class"),
    "adult": Source("adult", "income"),
    "bank_marketing": Source("bank_marketing", "y", separator=";"),
    "higgs_sample": Source("higgs_sample", "signal"),
    "diamonds: cut": Source("diamonds", "cut"),
    "california: ocean": Source("california_housing", "ocean_proximity"),
    "ames: Neighborhood": Source("ames_housing", "Neighborhood", drop=_AMES),
    "ames: House.Style": Source("ames_housing", "House.Style", drop=_AMES),
    "abalone": Source("abalone", "Rings", "number"),
    "ames_housing": Source("ames_housing", "price", "number", drop=_AMES),
    "california_housing": Source("california_housing", "median_house_value", "number"),
    "carseats": Source("carseats", "Sales", "number"),
    "diamonds": Source("diamonds", "price", "number"),
    "hitters": Source("hitters", "Salary", "number"),
    "penguins: mass": Source("penguins", "body_mass_g", "number"),
    "german: amount": Source("german_credit", "credit_amount", "number"),
}
"""The tasks of the study behind the default: 13 of classes, 8 of numbers."""

UNEVEN = {
    "adult": Source("adult", "income", only=(">50K",)),
    "bank": Source("bank_marketing", "y", separator=";", only=("yes",)),
    "bank, no duration": Source(
        "bank_marketing", "y", separator=";", drop=("duration",), only=("yes",)
    ),
    "german": Source("german_credit", "class", only=("bad",)),
    "heart": Source("heart", "AHD", only=("Yes",)),
    "titanic": Source("titanic", "survived", drop=_TITANIC, only=("1",)),
    "higgs": Source("higgs_sample", "signal", only=("1",)),
    "diamonds: Fair": Source("diamonds", "cut", only=("Fair",)),
    "car: good": Source(
        "car_evaluation", "class", text=("doors", "persons"), only=("good", "vgood")
    ),
    "adult: race": Source("adult", "race", only=("Black",)),
    "bank: loan": Source("bank_marketing", "loan", separator=";", only=("yes",)),
    "ocean: NEAR BAY": Source(
        "california_housing", "ocean_proximity", only=("NEAR BAY",)
    ),
}
"""Two classes; `real_tables.uneven` thins the first to a given share of the rows."""


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


def read(source, folder=FOLDER, most_rows=MOST_ROWS):
    """Return (X, y) of a table; a sample of its rows if there are more."""
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
    if source.task == "number":
        return table, y.to_numpy(float)
    names = y.astype(str).str.strip()
    if source.only:
        names = names.isin(source.only).map({True: "rare", False: "other"})
    return table, names.to_numpy(object)


def uneven(source, share, draw, folder=FOLDER, most_rows=4_000):
    """Return (X, y) in which the rare class has this share of the rows."""
    X, y = read(source, folder, 10**9)
    rng = np.random.default_rng([draw, 5])
    rare, other = (rng.permutation(np.flatnonzero(y == c)) for c in ("rare", "other"))
    n = min(most_rows, int(len(other) / (1 - share)), int(len(rare) / share))
    n_rare = round(n * share)
    rows = np.sort(np.concatenate([rare[:n_rare], other[: n - n_rare]]))
    return X.iloc[rows].reset_index(drop=True), y[rows]


def divided(X, y, task, repeat):
    """Divide a table: two thirds to train, one third to test; classes in proportion.

    The training rows stay in the random order of the draw: folds of GridSearchCV are
    blocks of rows, and in the order of the files (by class, by price) blocks differ.
    """
    from sklearn.model_selection import train_test_split

    frequent = task == "class" and min(np.unique(y, return_counts=True)[1]) >= 2
    train, test = train_test_split(
        np.arange(len(X)),
        test_size=1 / 3,
        random_state=repeat,
        stratify=y if frequent else None,
    )
    return Split(task, X, y, train, test)
