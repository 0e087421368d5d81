"""Two user-defined criteria, each written as the documentation describes."""

import math

import numpy as np

from treewright.criteria import ClassCriterion, NumberCriterion


class Hellinger(ClassCriterion):
    """Σ sqrt(p (1 - p)): pulls harder towards pure branches than Gini."""

    name, title = "hellinger", "Hellinger"

    def impurity(self, weights):
        total = math.fsum(weights.values())
        shares = [w / total for w in weights.values()]
        return math.fsum(math.sqrt(p * (1 - p)) for p in shares)


class LogCosh(NumberCriterion):
    """Nearly squared error for small residuals, nearly absolute error for large."""

    name, title = "log_cosh", "Mean log cosh"
    error_name, here = "mean log cosh", "Mean log cosh here"

    def loss(self, y, answer):
        return np.log(np.cosh(np.asarray(y) - answer))
