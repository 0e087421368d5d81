"""
Regions of three trees
======================

The answers of a tree over two columns are rectangles, and treewright draws their
borders exactly. A tree that is too small, one that is too large, and the one that
cross-validation chose.
"""

from importlib.resources import files

import matplotlib.pyplot as plt
import pandas as pd

import treewright as tw

penguins = pd.read_csv(files("treewright") / "data" / "penguins.csv")
X, y = penguins[["bill_length_mm", "bill_depth_mm"]].dropna(), penguins["species"]
y = y[X.index]

trees = {
    "one split": tw.TreeClassifier(prune=None, max_depth=1),
    "chosen by cross-validation": tw.TreeClassifier(),
    "grown to the end": tw.TreeClassifier(prune=None),
}
figure, panels = plt.subplots(1, 3, figsize=(15, 5), layout="constrained")
for axes, (name, clf) in zip(panels, trees.items(), strict=True):
    clf.fit(X, y)
    tw.plot_regions(clf, X, y, columns=["bill_length_mm", "bill_depth_mm"], ax=axes)
    axes.set_title(f"{name}: {clf.tree_.n_leaves} leaves", loc="left")
    if axes is not panels[-1] and axes.get_legend() is not None:
        axes.get_legend().remove()
plt.show()
