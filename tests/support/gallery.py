"""Twelve trees that a picture must cope with: 2 to 300 leaves, 2 to 20 classes."""

import numpy as np

import treewright as tw
from support.looks import HOSTILE, Named, hitters, hostile_tree, penguins, spam, table


def named(name, values):
    target = Named(values)
    target.name = name
    return target


def stump():
    return penguins(max_depth=1)


def tennis_by_id3():
    columns = table("play_tennis.csv")
    y = named("PlayTennis", columns.pop("PlayTennis"))
    columns.pop("Day")
    return tw.TreeClassifier.like("id3").fit(columns, y).tree_


def large_hitters():
    return hitters(max_depth=None, max_leaf_nodes=20, min_samples_leaf=5)


def cities():
    """A column of 233 categories, of which two hold most rows."""
    rng = np.random.default_rng(0)
    names = np.array([f"City {k}" for k in range(231)] + ["Bristol", "London"])
    shares = np.r_[np.full(231, 0.4 / 231), 0.3, 0.3]
    city, age = rng.choice(233, 6000, p=shares), rng.integers(18, 90, 6000)
    leaves = ((city % 3 == 0) | (city >= 231)) ^ (age > 50)
    X = {"home_city": names[city].tolist(), "age": age.tolist()}
    y = named("decision", np.where(leaves, "leave", "stay").tolist())
    return tw.TreeClassifier(prune=None, max_leaf_nodes=6).fit(X, y).tree_


def twenty_classes():
    rng = np.random.default_rng(1)
    k = rng.integers(0, 20, 4000)
    X = {
        f"sensor_{j}": (k * ((j * 7) % 5 + 1) + rng.normal(0, 2, 4000)).round(1)
        for j in range(5)
    }
    y = named("species", [f"species {each:02d}" for each in k])
    grown = tw.TreeClassifier(prune=None, max_leaf_nodes=24, min_samples_leaf=20)
    return grown.fit(X, y).tree_


def seven_classes():
    rng = np.random.default_rng(3)
    k = rng.integers(0, 7, 900)
    X = {f"x{j}": (k * (j + 1) % 7 + rng.normal(0, 0.7, 900)).round(1) for j in (0, 2)}
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    y = named("day", [days[each] for each in k])
    return tw.TreeClassifier(prune=None, max_leaf_nodes=10).fit(X, y).tree_


def long_names():
    """Names that differ only in the middle, and long categories and classes."""
    rng = np.random.default_rng(2)
    start, end = (
        "household_total_annual_capital_",
        "_before_tax_in_thousands_of_dollars",
    )
    gain, loss = rng.normal(size=(2, 2000)).round(2)
    level = rng.choice(
        [
            "Some-college or associate degree",
            "Bachelor of Science (four years)",
            "Doctorate or professional degree",
        ],
        2000,
    )
    rich = (gain > 0.3) ^ (loss > 0) & (level != "Doctorate or professional degree")
    X = {f"{start}gain{end}": gain, f"{start}loss{end}": loss, "education": level}
    y = named(
        "annual income bracket",
        np.where(rich, "<=50K per year", "more than 50K per year").tolist(),
    )
    return tw.TreeClassifier(prune=None, max_depth=3).fit(X, y).tree_


def large():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8000, 6)).round(2)
    yes = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0, 0.7, 8000) > 0
    columns = {f"measure {k}": X[:, k] for k in range(6)}
    y = named("approved", np.where(yes, "yes", "no").tolist())
    return tw.TreeClassifier(prune=None, max_leaf_nodes=300).fit(columns, y).tree_


def prices():
    """Large numbers as answers."""
    rng = np.random.default_rng(5)
    size, year = rng.integers(40, 300, 1500), rng.integers(1900, 2024, 1500)
    price = 2500.0 * size + 900.0 * (year - 1900) + rng.normal(0, 40_000, 1500)
    X = {"living_area_m2": size, "year_built": year}
    y = named("sale price", price.round(-2).tolist())
    return tw.TreeRegressor(prune=None, max_leaf_nodes=9).fit(X, y).tree_


GALLERY = {
    "stump": stump,
    "penguins": penguins,
    "spam": spam,
    "tennis_by_id3": tennis_by_id3,
    "hitters": hitters,
    "large_hitters": large_hitters,
    "prices": prices,
    "cities": cities,
    "seven_classes": seven_classes,
    "twenty_classes": twenty_classes,
    "long_names": long_names,
    "hostile": lambda: hostile_tree(HOSTILE[3]),
    "large": large,
}
