"""The scikit-learn face: estimators over the table, the grower and the tree."""
