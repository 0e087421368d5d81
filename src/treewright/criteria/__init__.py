"""The criteria a tree can be grown by, one file each.

A criterion holds everything that depends on it: the impurity of a set of rows, the
loss of an answer, and the names shown for both. Pruning, reading and drawing call
these methods and never test the name of a criterion.

To add one, write a file with a subclass of `ClassCriterion` or `NumberCriterion` and
register an instance:

>>> import math
>>> from treewright.criteria import ClassCriterion, register
>>> class Hellinger(ClassCriterion):
...     name, title = "hellinger", "Hellinger"
...     def impurity(self, weights):
...         total = math.fsum(weights.values())
...         shares = [w / total for w in weights.values()]
...         return math.fsum(math.sqrt(p * (1 - p)) for p in shares)
>>> register(Hellinger())  # doctest: +SKIP

The reference grower can use any registered criterion. The C++ core has its own
formulas: a criterion whose `core_number` is None has none there, and
core/include/treewright/criterion.hpp explains how to add one.
"""

from treewright.criteria.absolute_error import AbsoluteError
from treewright.criteria.base import ClassCriterion, Criterion, NumberCriterion, Working
from treewright.criteria.entropy import Entropy, GainRatio
from treewright.criteria.gini import Gini
from treewright.criteria.misclassification import Misclassification
from treewright.criteria.poisson import Poisson
from treewright.criteria.registry import find, names, register, unregister
from treewright.criteria.squared_error import SquaredError

__all__ = [
    "ClassCriterion",
    "Criterion",
    "NumberCriterion",
    "Working",
    "find",
    "names",
    "register",
    "unregister",
]

for _criterion in (
    Gini(),
    Entropy(),
    Misclassification(),
    GainRatio(),
    SquaredError(),
    Poisson(),
    AbsoluteError(),
):
    register(_criterion)
