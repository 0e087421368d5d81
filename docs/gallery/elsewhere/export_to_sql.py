"""
A tree as a query
=================

``export("sql")`` writes the tree as a query that needs nothing but the database. This
example scores a table inside SQLite and checks that every answer is the same.
"""

import sqlite3
import tempfile
from importlib.resources import files
from pathlib import Path

import pandas as pd

import treewright as tw

penguins = pd.read_csv(files("treewright") / "data" / "penguins.csv")
X, y = penguins.drop(columns="species"), penguins["species"]
tree = tw.TreeClassifier(max_leaf_nodes=4, prune=None).fit(X, y).tree_

tw.plot_tree(tree)

# %%
# The same tree as a query:
path = Path(tempfile.mkdtemp()) / "penguins.sql"
query = tree.export("sql", path, dialect="sqlite", table="penguins")
print(query)

# %%
# Run it in the database:
with sqlite3.connect(":memory:") as database:
    X.to_sql("penguins", database, index=False)
    answers = pd.read_sql(query, database)
print(answers.head().to_string())
print("equal to predict:", bool((answers.iloc[:, -1] == tree.predict(X)).all()))

# %%
# ``verify`` goes further. It runs the file on rows at every threshold and on both
# sides of it, with missing values and unseen categories, and compares.
print(tree.verify(path))
