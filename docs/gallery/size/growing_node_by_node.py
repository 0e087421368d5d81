"""
Growing node by node
====================

Look at the candidates of a node, take the one that you prefer, close a node, and let
the computer finish the rest. An expert who wants the first question to be about the
island can have it.
"""

from importlib.resources import files

import pandas as pd

import treewright as tw
from treewright.growing.training_set import TrainingSet

penguins = pd.read_csv(files("treewright") / "data" / "penguins.csv")
table = tw.as_table(penguins.drop(columns="species"), penguins["species"])
steps = TrainingSet(table, tw.GrowOptions(criterion="entropy", max_depth=3)).steps()

# %%
# The best split of each column at the root:
candidates = steps.candidates(0, top=6)
for candidate in candidates:
    print(f"{candidate.words(0):40} gain {candidate.gain:.4f}")

# %%
# Take the island, although it is not the best:
island = next(candidate for candidate in candidates if candidate.feature == "island")
left, right = steps.split(0, island)
print(f"new nodes {left} and {right}; open: {steps.open}")
print(tw.Tree(steps.tree()))

# %%
# Split one side by its best candidate, close one of the new nodes, and grow the rest:
first, second = steps.step(left)
steps.close(second)
tree = tw.Tree(steps.grow_all())
print(tree)

# %%
# As a picture:
tw.plot_tree(tree)

# %%
# What did the preference cost? The tree that chooses by itself, of the same depth:
free = tw.grow(table, tw.GrowOptions(criterion="entropy", max_depth=3))
for name, each in (("island first", tree), ("free choice", free)):
    error, entropy = each.risk(), each.risk("impurity")
    print(f"{name:13} {each.n_leaves} leaves, error {error:.4f}, entropy {entropy:.4f}")
