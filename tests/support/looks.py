"""Trees to draw: the seeds' tables, two real ones, and names that bite."""

import csv
from importlib import resources

import treewright as tw
from support.build import build, categorical, leaf, multiway, subset, threshold
from treewright.table.schema import Feature, Schema, TargetInfo

HOSTILE = (
    "</script><script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "\" onload='alert(1)'",
    "]]> --> <!-- &lt; &#60; %%{init: {}}%% `;#quot; \\n \\",
    "\u202egnitirw\u202c \u2066isolate",
    "line\nbreak\r\ttab\x00\x07\x1b[31m",
    "$\\frac{1}{0}$ {{7*7}} ${x}",
    "end",
    "long" * 250_000,
    "\ud800 lone \ufffe",
    "",
)
"""Names of columns, categories and classes that must do no harm."""


def table(name):
    """Return a bundled table as a dict of columns; empty and NA cells are None."""
    source = resources.files("treewright") / "data" / name
    header, *rows = csv.reader(source.read_text(encoding="utf-8").splitlines())
    return {column: _read([row[i] for row in rows]) for i, column in enumerate(header)}


def _read(cells):
    try:
        return [None if c in ("", "NA") else float(c) for c in cells]
    except ValueError:
        return [None if c in ("", "NA") else c for c in cells]


class Named(list):
    """A list with a name, as a target."""

    name: str


def grown(name, target, drop=(), number=False, **options):
    columns = {k: v for k, v in table(name).items() if k not in drop}
    y = columns.pop(target)
    known = [i for i, each in enumerate(y) if each is not None]
    columns = {k: [v[i] for i in known] for k, v in columns.items()}
    made = Named(y[i] for i in known)
    made.name = target
    estimator = tw.TreeRegressor if number else tw.TreeClassifier
    # As grown: how trees are pruned is no matter of pictures.
    return estimator(**{"prune": None, **options}).fit(columns, made).tree_


def tennis():
    return grown("play_tennis.csv", "PlayTennis", ["Day"], criterion="entropy")


def spam():
    return grown("spam_email_8.csv", "spam", criterion="entropy")


def penguins(**options):
    return grown("penguins.csv", "species", **{"max_depth": 3, **options})


def hitters(**options):
    options = {"max_depth": 3, "min_samples_leaf": 10, **options}
    return grown("hitters.csv", "Salary", number=True, **options)


LOOKS = {"tennis": tennis, "spam": spam, "penguins": penguins, "hitters": hitters}


def seed_tree():
    """The tree of the lecture notes: Outlook, Humidity, Wind."""
    schema = Schema(
        (
            categorical("Outlook", "Sunny", "Overcast", "Rain"),
            categorical("Humidity", "High", "Normal"),
            categorical("Wind", "Strong", "Weak"),
        ),
        TargetInfo("PlayTennis", "class", ("No", "Yes")),
    )
    spec = multiway(
        0,
        [[0], [1], [2]],
        multiway(1, [[0], [1]], leaf(0, 0, 0), leaf(1, 1)),
        leaf(1, 1, 1, 1),
        multiway(2, [[0], [1]], leaf(0, 0), leaf(1, 1, 1)),
    )
    return tw.Tree(build(spec, schema))


def hostile_tree(name, other="plain"):
    """A tree in which a column, its categories, a class and the target bite."""
    schema = Schema(
        (
            categorical(name, name, other, "third"),
            Feature(name + "!", summary=None),
        ),
        TargetInfo(name, "class", (name, other)),
    )
    spec = subset(
        0, [[0], [1, 2]], leaf(0, 0, 1), threshold(1, 0.5, leaf(0, 0), leaf(1, 1, 1))
    )
    return tw.Tree(build(spec, schema))


def many_classes():
    """A tree with more classes than there are colours."""
    classes = tuple(f"class {k}" for k in range(12))
    schema = Schema((Feature("x"),), TargetInfo("y", "class", classes))
    spec = threshold(0, 1.0, leaf(*range(12), 11, 11), leaf(3, 3, 4))
    return tw.Tree(build(spec, schema))
