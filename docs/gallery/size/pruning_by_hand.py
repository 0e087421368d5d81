"""
Pruning by hand
===============

The size that cross-validation chooses is a proposal. You may know better: a split
that nobody can act on, or a subtree that must stay. Every edit returns a new tree;
the old one stays as it is.
"""

from importlib.resources import files

import pandas as pd

import treewright as tw

penguins = pd.read_csv(files("treewright") / "data" / "penguins.csv")
X, y = penguins.drop(columns="species"), penguins["species"]
tree = tw.TreeClassifier().fit(X, y).tree_
tw.plot_tree(tree, node_numbers=True)

# %%
# Make a leaf of one node, by its number:
smaller = tree.collapse(1)
print(f"{smaller.n_leaves} leaves; the old tree still has {tree.n_leaves}")

# %%
# Or of every node that meets a condition. Here: all nodes with fewer than 15 rows.
large = tree.collapse(where=lambda node: node.n_rows < 15)
print(large)

# %%
# ``simplify`` merges leaves that give the same label:
print(large.simplify(keep="class"))

# %%
# The weakest-link path offers one tree per size, each the best of its size:
full = tw.TreeClassifier(prune=None).fit(X, y).tree_
path = tw.pruning_path(full)
print(path)
print(path.tree(n_leaves=4))
