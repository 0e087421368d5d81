"""
Three ways with missing values
==============================

``missing="learned"`` (the default) sends missing values where they gain most,
``"surrogate"`` lets other columns stand in, ``"fractional"`` divides a row among the
branches. The same penguins, a quarter of the measurements removed.
"""

from importlib.resources import files

import numpy as np
import pandas as pd

import treewright as tw

penguins = pd.read_csv(files("treewright") / "data" / "penguins.csv")
X, y = penguins.drop(columns="species"), penguins["species"]
numbers = X.select_dtypes("float").columns
rng = np.random.default_rng(0)
X[numbers] = X[numbers].mask(rng.random((len(X), len(numbers))) < 0.25)
print(X.isna().mean().round(3).to_string())

# %%
# The printed tree says what it does with a missing value.
trees = {}
for way in ("learned", "surrogate", "fractional"):
    clf = tw.TreeClassifier(missing=way, prune=None, max_leaf_nodes=4).fit(X, y)
    trees[way] = clf.tree_
    print(f"missing={way!r}\n{clf.tree_}\n")

# %%
# The picture of the first one:
tw.plot_tree(trees["learned"])

# %%
# An account of the rows without a value at the root:
for way, tree in trees.items():
    print(f"{way:11} {tree.missing_account(0)}")

# %%
# The surrogates of the root, best first:
for surrogate in trees["surrogate"].surrogates(0):
    print(surrogate)

# %%
# One penguin without a flipper length:
row = X[X["flipper_length_mm"].isna()].iloc[[0]]
for way, tree in trees.items():
    print(f"{way:11} {tree.predict(row)[0]:10} {tree.predict_proba(row)[0].round(3)}")
