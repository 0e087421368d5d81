"""
Save today, score every night
=============================

A model file is open JSON that is checked when it is read. Before it scores new rows,
``check`` compares them with the rows that the tree was grown on: unseen categories,
missing values, ranges and drift.
"""

import tempfile
from importlib.resources import files
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import treewright as tw

penguins = pd.read_csv(files("treewright") / "data" / "penguins.csv")
X, y = penguins.drop(columns="species"), penguins["species"]
clf = tw.TreeClassifier().fit(X, y)

path = Path(tempfile.mkdtemp()) / "penguins.tree.json"
clf.tree_.save(path)
print(f"{path.stat().st_size:,} bytes, fingerprint {clf.tree_.fingerprint}")

# %%
# Elsewhere, at another time:
tree = tw.load(path)
print("the same tree:", tree == clf.tree_)

# %%
# New rows of a bad night: the flipper lengths came in centimetres, and there is a new
# island.
tonight = X.sample(60, random_state=0).reset_index(drop=True)
tonight["flipper_length_mm"] = tonight["flipper_length_mm"] / 10
tonight.loc[:14, "island"] = "Anvers"
print(tree.check(tonight))

# %%
# The picture of the flipper lengths, then and now:
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.hist(X["flipper_length_mm"], bins=30, label="training rows")
axes.hist(tonight["flipper_length_mm"], bins=5, label="tonight")
axes.set(xlabel="flipper_length_mm", ylabel="rows")
axes.legend()
plt.show()

# %%
# Rows of a good night pass, and are scored with their reasons:
usual = X.sample(60, random_state=1)
print(tree.check(usual))
print(tree.reasons(usual.head(3)).to_string())
