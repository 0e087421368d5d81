"""
Numbers with intervals
======================

A regression tree answers a mean. How sure is it? This example predicts the salaries
of baseball players and shows, for each leaf, an interval for the mean and the spread
of the players in it.
"""

from importlib.resources import files

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import treewright as tw

hitters = pd.read_csv(files("treewright") / "data" / "hitters.csv").dropna(
    subset="Salary"
)
X, y = hitters.drop(columns="Salary"), hitters["Salary"]
train, test = tw.hold_out(tw.as_table(X, y), 0.3)

reg = tw.TreeRegressor(min_samples_leaf=10).fit(X.iloc[train], y.iloc[train])
print(reg.tree_)

# %%
# The error on players that the tree has not seen, with a 95 % interval:
print(reg.tree_.evaluate(X.iloc[test], y.iloc[test]))

# %%
# Each rule carries an interval for the mean of its leaf:
for rule in reg.tree_.rules().sorted_by("prediction"):
    print(rule)

# %%
# How wide are the leaves? The bars are the middle half of the training players in
# each leaf, the dots are new players.
leaves = reg.tree_.apply(X.iloc[test])
order = sorted(reg.tree_.leaves, key=lambda leaf: reg.tree_.data.value[leaf, 0])
figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
for place, leaf in enumerate(order):
    low, middle, high = np.quantile(
        y.iloc[train][reg.apply(X.iloc[train]) == leaf], [0.25, 0.5, 0.75]
    )
    axes.bar(place, high - low, bottom=low, width=0.6, color="#b9c9e4")
    axes.hlines(middle, place - 0.3, place + 0.3, color="#274b8a")
    inside = y.iloc[test][leaves == leaf]
    axes.plot(
        np.full(len(inside), place),
        inside,
        "o",
        color="#b3462f",
        markersize=4,
        alpha=0.7,
    )
axes.set(
    xlabel="leaf, from low to high", ylabel="salary, thousands of dollars", xticks=[]
)
plt.show()
