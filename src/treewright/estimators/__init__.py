"""The scikit-learn interface: estimators on top of table, grower and tree."""
