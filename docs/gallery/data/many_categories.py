"""
A column with many categories
=============================

A column with 80 shops can be divided into two groups in more than 10^23 ways. One of
them fits the noise of any table. This example shows the effect and the guard against
it.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import treewright as tw

rng = np.random.default_rng(1)
n = 600
sales = pd.DataFrame(
    {
        "shop": [f"shop {i:02}" for i in rng.integers(0, 80, n)],
        "age": rng.integers(18, 80, n),
    }
)
bought = np.where(rng.random(n) < 0.35 + 0.3 * (sales["age"] > 50), "yes", "no")

# %%
# Only the age matters here; the shop is noise. Without the guard, the shop wins the
# first split:
for many_levels in ("exact", "guard"):
    clf = tw.TreeClassifier(prune=None, max_depth=1, many_levels=many_levels).fit(
        sales, bought
    )
    split = clf.tree_.split(0)
    print(
        f"many_levels={many_levels!r}: splits on {split.feature}, gain {split.gain:.4f}"
    )

# %%
# What does a column of pure noise gain, by its number of categories?
levels, gains = (2, 5, 10, 20, 40, 80), []
for k in levels:
    found = []
    for seed in range(5):
        draw = np.random.default_rng(seed)
        noise = pd.DataFrame({"shop": [f"shop {i}" for i in draw.integers(0, k, n)]})
        clf = tw.TreeClassifier(
            prune=None, max_depth=1, many_levels="exact", findings="ignore"
        )
        found.append(clf.fit(noise, bought).tree_.split(0).gain)
    gains.append(np.mean(found))
age = (
    tw.TreeClassifier(prune=None, max_depth=1)
    .fit(sales[["age"]], bought)
    .tree_.split(0)
    .gain
)

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.plot(levels, gains, "o-", label="pure noise")
axes.axhline(age, color="#d1735b", label="the age, which matters")
axes.set(
    xlabel="number of categories", ylabel="gain of the best grouping", ylim=(0, None)
)
axes.legend()
plt.show()
