"""
The tree of the penguins
========================

Three species, seven columns, some values missing.
"""

from importlib.resources import files

import pandas as pd

import treewright as tw

penguins = pd.read_csv(files("treewright") / "data" / "penguins.csv")
clf = tw.TreeClassifier().fit(penguins.drop(columns="species"), penguins["species"])

# %%
# The tree, for the inches of the figure.
tw.plot_tree(clf)
