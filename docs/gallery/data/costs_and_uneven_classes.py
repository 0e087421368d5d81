"""
Costs and uneven classes
========================

A credit that goes bad costs the bank five times as much as a good one that it
refuses. A tree that only counts errors does not know that. ``costs`` tells it.
"""

from importlib.resources import files

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import treewright as tw

credits = pd.read_csv(files("treewright") / "data" / "german_credit.csv")
X, y = credits.drop(columns="class"), credits["class"]
train, test = tw.hold_out(tw.as_table(X, y), 0.4)

costs = {"bad": {"good": 5}, "good": {"bad": 1}}
plain = tw.TreeClassifier().fit(X.iloc[train], y.iloc[train])
careful = tw.TreeClassifier(costs=costs).fit(X.iloc[train], y.iloc[train])
balanced = tw.TreeClassifier(class_weight="balanced").fit(X.iloc[train], y.iloc[train])

# %%
# What each tree costs on credits that it has not seen:


def cost(clf):
    """Return the mean cost of a tree's answers on the test rows."""
    answer, truth = clf.predict(X.iloc[test]), y.iloc[test].to_numpy()
    return np.mean(
        5 * ((truth == "bad") & (answer == "good"))
        + ((truth == "good") & (answer == "bad"))
    )


for name, clf in (("plain", plain), ("costs", careful), ("balanced", balanced)):
    error = 1 - clf.score(X.iloc[test], y.iloc[test])
    leaves = clf.tree_.n_leaves
    print(f"{name:9} {leaves} leaves, error {error:.3f}, mean cost {cost(clf):.3f}")
print(f"refuse everybody: mean cost {(y.iloc[test] == 'good').mean():.3f}")

# %%
# The careful tree makes more errors, but of the cheap kind:
figure, panels = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
for axes, clf in zip(panels, (plain, careful), strict=True):
    tw.plot_confusion(clf, X.iloc[test], y.iloc[test], ax=axes)
plt.show()

# %%
# With costs, ``predict`` answers the class of least expected cost. So "good" needs a
# probability above 5/6.
answers = careful.predict(X.iloc[test])
proba = pd.DataFrame(careful.predict_proba(X.iloc[test]), columns=careful.classes_)
good = proba["good"]
print(f"least probability of those answered good: {good[answers == 'good'].min():.3f}")
print(f"largest probability of those answered bad: {good[answers == 'bad'].max():.3f}")
