"""
Reading a tree of scikit-learn
==============================

``tw.from_sklearn`` turns a fitted tree, or one tree of a forest, into a treewright
tree. It answers the same and can then be read, explained, pruned, drawn, saved and
exported.
"""

from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import treewright as tw

X, y = load_iris(return_X_y=True, as_frame=True)
y = y.map({0: "setosa", 1: "versicolor", 2: "virginica"})
theirs = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)

tree = tw.from_sklearn(theirs)
print(tree)

# %%
# Rules and one row's walk:
for rule in tree.rules():
    print(rule)
print(tw.explain(tree, X.iloc[70]))

# %%
# The picture, with the path of this row:
tw.plot_tree(tree, row=X.iloc[70])

# %%
# Prune it, and check that the answers stay the same where nothing was cut:
path = tw.pruning_path(tree)
print(path)
print(path.tree(n_leaves=3))

# %%
# One tree of a forest:
forest = RandomForestClassifier(20, random_state=0).fit(X, y)
third = tw.from_sklearn(forest, tree=2)
print(f"{third.n_leaves} leaves; uses {', '.join(third.columns_used)}")
