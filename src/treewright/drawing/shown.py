"""The nodes of a picture one by one, with their splits and the branches between them.

A node names the column, its branches say the rest. In full, the words of a branch
are those of `Split.words`, as everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from treewright.drawing.visible_nodes import Folded
from treewright.reading.text.text import missing_arrives
from treewright.tree import wording
from treewright.tree.data import TreeData
from treewright.tree.split import IsMissing, Split, Threshold, split_of

__all__ = ["Shown", "branch_labels", "each_shown", "short_label"]

_MOST_DIGITS = 10
_LONGEST_NAME = 1000
_SHORTER = ((6, 40), (4, 30), (3, 24), (2, 20), (1, 16), (1, 10), (0, 10))
"""How many categories to name, and the longest name, until a label fits."""


@dataclass(frozen=True)
class Shown:
    """A node in a picture.

    Attributes
    ----------
    node : int
        Its number.
    split : Split or None
        What it asks; None at a leaf.
    hidden : int
        Leaves folded away below it.
    above : int
        Number of the node above; -1 at the root.
    branch : int
        Which branch of that node leads here; -1 at the root.
    asked : Split or None
        What that node asks.
    missing : bool
        Whether missing values arrive at that node, so that a branch should say so.
    """

    node: int
    split: Split | None
    hidden: int
    above: int = -1
    branch: int = -1
    asked: Split | None = None
    missing: bool = False

    def labels(self) -> Iterator[str]:
        """Yield what to write on the branch, from the whole to ever shorter forms."""
        if self.asked is not None:
            yield from branch_labels(self.asked, self.branch, missing=self.missing)

    def condition(self) -> str:
        """Return what holds for the rows that come here; nothing at the root."""
        if self.asked is None:
            return ""
        return self.asked.words(
            self.branch, missing=self.missing, longest=_LONGEST_NAME
        )


def each_shown(tree: TreeData, folded: Folded) -> Iterator[Shown]:
    """Yield the nodes of a picture in preorder."""
    arrives = missing_arrives(tree, folded.nodes)
    nodes = folded.nodes.tolist()
    splits: list[Split | None] = []
    for node, above, hidden in zip(nodes, folded.parent, folded.hidden, strict=True):
        split = split_of(tree, node)
        splits.append(split)
        if above < 0:
            yield Shown(node, split, hidden)
            continue
        yield Shown(
            node,
            split,
            hidden,
            nodes[above],
            int(tree.branch[node]),
            splits[above],
            arrives[above],
        )


def short_label(shown: Shown, longest: int) -> str:
    """Return the first form of a branch's label that has so few characters."""
    said = ""
    for said in shown.labels():
        if len(said) <= longest:
            break
    return said


def branch_labels(split: Split, branch: int, *, missing: bool = False) -> Iterator[str]:
    """Yield what to write on a branch, from the whole to ever shorter forms.

    Parameters
    ----------
    split : Split
        The split.
    branch : int
        Which branch.
    missing : bool, default=False
        Whether missing values arrive here, so that their branch should say so.

    Yields
    ------
    str
        Such as ``≤ 2.45``, ``female`` or ``Dream, Torgersen``.
    """
    also = " or missing" if missing and branch == split.missing else ""
    if isinstance(split, IsMissing):
        yield "known" if branch else "missing"
        return
    if isinstance(split, Threshold):
        if split.values:
            yield split.values[branch] + also
            return
        for longest in (None, 40, 24, 16, 10):
            sign = ">" if branch else "≤"
            yield f"{sign} {wording.cut(_fewer_digits(split), longest)}{also}"
        return
    labels = getattr(split, "branches", ())[branch]
    if not labels:
        yield "missing or unseen"
        return
    for most, longest in _SHORTER:
        if most == 0 and len(labels) > 1:
            yield f"{len(labels)} categories{also}"
        else:
            yield wording.listed(labels, most, longest)[1:-1] + also


def _fewer_digits(split: Threshold) -> str:
    """Return the threshold; digits are cut off, not rounded, where there are many."""
    if split.at != wording.number(split.threshold) or len(split.at) <= _MOST_DIGITS:
        return split.at
    digits, e, exponent = split.at.partition("e")
    kept = max(_MOST_DIGITS - 2, len(digits.partition(".")[0]) + 2)
    return digits[:kept] + "…" + e + exponent
