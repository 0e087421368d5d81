"""What ``grow`` says about the tree that it grew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.commands.failures import as_flags
from treewright.commands.figures import HOLD_OUT, figures_lines
from treewright.commands.output import heading, print_tree, say

if TYPE_CHECKING:
    from treewright.estimators.base import BaseTree
    from treewright.reading.answers.evaluation import Evaluation
    from treewright.table.intake import Intake

__all__ = ["say_tree"]

_MOST_LEAVES = 60


def say_tree(
    model: BaseTree,
    intake: Intake,
    tested: Evaluation | None,
    advice: str = HOLD_OUT,
) -> None:
    """Print the tree, why it has its size, and how good it is.

    Parameters
    ----------
    model : estimator
        The fitted estimator.
    intake : Intake
        What was said about the table before.
    tested : Evaluation or None
        The tree on test rows.
    advice : str
        How to get an honest figure, if there is none.
    """
    known = {(each.kind, each.column) for each in intake.findings}
    more = [f for f in model.intake_.findings if (f.kind, f.column) not in known]
    if more:
        heading("What the tree shows about the table")
        for each in more:
            say(as_flags(f"  {each}"))
    heading("The tree")
    print_tree(model.tree_, max_leaves=_MOST_LEAVES)
    say(f"\n{model.pruning_.words}")
    heading("How good it is")
    for line in figures_lines(model.tree_, model.pruning_, tested, advice):
        say(line)
