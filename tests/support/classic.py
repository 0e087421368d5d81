"""The settings of cross-validation as in the CART book and rpart."""

CLASSIC = {
    "min_samples_leaf": 1,
    "shrinkage": None,
    "prune_rule": "1se",
    "prune_risk": "error",
}
"""Leaves of one row, plain answers, the error path and the 1-SE rule."""

CLASSIC_CLASSES = CLASSIC | {"criterion": "gini", "size_by": "error"}
"""The same for classes: Gini, and the size by errors."""
