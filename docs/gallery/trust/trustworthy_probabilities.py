"""
Probabilities that keep their word
==================================

Of all rows with a probability of 70 %, 70 % should turn out to be right. Plain shares
of small leaves promise too much. treewright draws them towards the node above, as
strongly as cross-validation finds best.
"""

from importlib.resources import files

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.metrics import log_loss

import treewright as tw

credits = pd.read_csv(files("treewright") / "data" / "german_credit.csv")
X, y = credits.drop(columns="class"), credits["class"]
train, test = tw.hold_out(tw.as_table(X, y), 0.4)

models = {
    "grown to the end": tw.TreeClassifier(prune=None),
    "pruned, plain shares": tw.TreeClassifier(shrinkage=None),
    "default": tw.TreeClassifier(),
    "sized for probabilities": tw.TreeClassifier(size_by="log_loss"),
}
for name, clf in models.items():
    clf.fit(X.iloc[train], y.iloc[train])
    loss = log_loss(y.iloc[test], clf.predict_proba(X.iloc[test]))
    print(f"{name:24} {clf.tree_.n_leaves:3} leaves, log-loss {loss:.3f}")

# %%
# Observed against predicted shares, with 95 % intervals:
figure, panels = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
for axes, name in zip(
    panels, ("pruned, plain shares", "sized for probabilities"), strict=True
):
    tw.plot_reliability(models[name], X.iloc[test], y.iloc[test], label="good", ax=axes)
    axes.set_xlabel(name)
plt.show()
