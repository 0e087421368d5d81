"""Habits of other programs: how each reads a table, searches, and writes a tree.

One small class per program, chosen by `GrowOptions.conventions`. The core knows habits
by what they do, never by the name of a program.
"""

from treewright.growing.habits.j48 import J48
from treewright.growing.habits.own import Habits
from treewright.growing.habits.rpart import Rpart
from treewright.growing.habits.scikit_learn import ScikitLearn

__all__ = ["Habits", "habits_of"]

_BY_NAME: dict[str | None, type[Habits]] = {
    None: Habits,
    "sklearn": ScikitLearn,
    "rpart": Rpart,
    "j48": J48,
}


def habits_of(conventions: str | None) -> type[Habits]:
    """Return the habits that `GrowOptions.conventions` names; None: our own."""
    return _BY_NAME[conventions]
