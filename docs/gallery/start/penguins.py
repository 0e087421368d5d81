"""
The tree of the penguins
========================

From a table to a tree that explains itself: three species, seven columns, some values
missing. Nothing is encoded, imputed or scaled.
"""

from importlib.resources import files

import pandas as pd

import treewright as tw

penguins = pd.read_csv(files("treewright") / "data" / "penguins.csv")
X, y = penguins.drop(columns="species"), penguins["species"]

clf = tw.TreeClassifier().fit(X, y)
print(clf.tree_)

# %%
# Ten folds inside ``fit`` chose the size. The reason is one sentence;
# ``print(clf.pruning_)`` shows the whole table.
print(clf.pruning_.words)

# %%
# The picture of the tree:
tw.plot_tree(clf)

# %%
# Why did one penguin get its answer, and what is the smallest change to another one?
print(tw.explain(clf, X.iloc[0]))

# %%
# The rules that cover most penguins:
for rule in clf.tree_.rules().sorted_by("share")[:3]:
    print(rule)
