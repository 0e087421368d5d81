"""
Side by side with scikit-learn
==============================

The same table, the same rows for testing: scikit-learn's tree, treewright with
scikit-learn's rules, and treewright as it comes.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import treewright as tw

X, y = load_breast_cancer(return_X_y=True, as_frame=True)

# %%
# With ``like("sklearn")`` the trees are the same, split by split, as long as no two
# splits tie. scikit-learn decides ties at random, treewright by a written rule.
theirs = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
ours = tw.TreeClassifier.like("sklearn", max_depth=3).fit(X, y)
print(f"leaves: scikit-learn {theirs.get_n_leaves()}, treewright {ours.tree_.n_leaves}")
print(
    f"same answer for {np.mean(theirs.predict(X) == ours.predict(X)):.1%} of the rows"
)

# %%
# Five folds: error, log-loss and size.
learners = {
    "scikit-learn": DecisionTreeClassifier(random_state=0),
    "scikit-learn, ccp_alpha=0.01": DecisionTreeClassifier(
        ccp_alpha=0.01, random_state=0
    ),
    "treewright, like scikit-learn": tw.TreeClassifier.like("sklearn"),
    "treewright": tw.TreeClassifier(),
}
rows = []
folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
for name, model in learners.items():
    for train, test in folds:
        model.fit(X.iloc[train], y.iloc[train])
        leaves = (
            model.get_n_leaves()
            if hasattr(model, "get_n_leaves")
            else model.tree_.n_leaves
        )
        error = 1 - model.score(X.iloc[test], y.iloc[test])
        rows.append(
            (
                name,
                error,
                log_loss(y.iloc[test], model.predict_proba(X.iloc[test])),
                leaves,
            )
        )
table = pd.DataFrame(rows, columns=["learner", "error", "log-loss", "leaves"])
means = table.groupby("learner", sort=False).mean()
print(means.round(3).to_string())

# %%
# As a picture; smaller is better in each panel:
figure, panels = plt.subplots(1, 3, figsize=(11, 3), layout="constrained", sharey=True)
for axes, name in zip(panels, means.columns, strict=True):
    bars = axes.barh(means.index[::-1], means[name][::-1], color="#4878b0")
    axes.bar_label(bars, fmt="%.3g", padding=3)
    axes.set(xlabel=name, xlim=(0, means[name].max() * 1.2))
plt.show()
