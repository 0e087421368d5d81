"""
How large should the tree be?
=============================

``fit`` tries every size on rows that it did not grow on, and keeps the table. Three
rules choose from it.
"""

from importlib.resources import files

import matplotlib.pyplot as plt
import pandas as pd

import treewright as tw

seats = pd.read_csv(files("treewright") / "data" / "carseats.csv")
X, y = seats.drop(columns="Sales"), seats["Sales"]

for rule in ("min", "price", "1se"):
    reg = tw.TreeRegressor(prune_rule=rule).fit(X, y)
    print(f"{rule:6} {reg.pruning_.words}")

# %%
# The default is "price": a tree twice as large must have an error that is 2.7 %
# smaller.
reg = tw.TreeRegressor(keep_path=True).fit(X, y)
figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
tw.plot_pruning(reg, ax=axes)
plt.show()

# %%
# With ``keep_path=True`` any size can be taken later, without growing again:
for leaves in (4, 8, 16):
    other = reg.pruning_.at(n_leaves=leaves)
    print(f"{other.n_leaves} leaves, mean squared training error {other.risk():.2f}")
