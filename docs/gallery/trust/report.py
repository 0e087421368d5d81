"""
A report for people who do not program
======================================

``tw.report`` writes one HTML page that works offline: the tree to zoom and search,
figures on training and test rows, a slider for the size, rules, and a form for "what
if".
"""

import tempfile
from importlib.resources import files
from pathlib import Path

import pandas as pd

import treewright as tw

credits = pd.read_csv(files("treewright") / "data" / "german_credit.csv")
X, y = credits.drop(columns="class"), credits["class"]
train, test = tw.hold_out(tw.as_table(X, y), 0.3)
clf = tw.TreeClassifier(keep_path=True, thresholds="readable").fit(
    X.iloc[train], y.iloc[train]
)

# %%
# Write the page. Columns can have names for people, and columns that nobody can
# change, such as the age, are left out of the proposed changes.
folder = Path(tempfile.mkdtemp())
path = tw.report(
    clf,
    folder / "credits.html",
    X.iloc[test],
    y.iloc[test],
    title="Who pays a credit back?",
    labels={"duration": "Duration in months", "credit_amount": "Amount in marks"},
    fixed=["age"],
)
print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB, one file, no network needed")

# %%
# The first thing it shows is the tree, drawn like this:
tw.plot_tree(clf)

# %%
# The same figures in Python:
print(clf.tree_.evaluate(X.iloc[test], y.iloc[test]))
