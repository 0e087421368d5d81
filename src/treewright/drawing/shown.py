"""The nodes of a picture, with their splits and the branches between them.

A node shows the name of its column, a branch the rest of the condition. The full text
of a branch comes from `Split.words`, as everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from treewright.drawing.visible_nodes import VisibleNodes
from treewright.reading.text.text import missing_arrives
from treewright.tree import wording
from treewright.tree.data import TreeData
from treewright.tree.split import (
    IsMissing,
    Multiway,
    Split,
    Subset,
    Threshold,
    split_of,
)

__all__ = ["Shown", "branch_labels", "each_shown", "short_label"]

_LONGEST_NAME = 1000
_SHORTER = ((6, 60), (4, 60), (3, 60), (2, 60), (1, 60), (1, 40), (1, 24), (1, 14))
"""Limits on categories listed and characters of each, tried until a label fits."""


@dataclass(frozen=True)
class Shown:
    """A node in a picture.

    Attributes
    ----------
    node : int
        Its number.
    split : Split or None
        Its split; None for a leaf.
    hidden : int
        Number of leaves hidden below it.
    above : int
        Number of its parent; -1 for the root.
    branch : int
        The branch of the parent that leads here; -1 for the root.
    asked : Split or None
        The split of the parent.
    missing : bool
        Whether missing values reach the parent, so that a label should mention them.
    """

    node: int
    split: Split | None
    hidden: int
    above: int = -1
    branch: int = -1
    asked: Split | None = None
    missing: bool = False

    def labels(self) -> Iterator[str]:
        """Yield labels for the branch, from the full text to ever shorter forms."""
        if self.asked is not None:
            yield from branch_labels(self.asked, self.branch, missing=self.missing)

    def condition(self) -> str:
        """Return the condition of the branch that leads here; empty for the root."""
        if self.asked is None:
            return ""
        return self.asked.words(
            self.branch, missing=self.missing, longest=_LONGEST_NAME
        )


def each_shown(tree: TreeData, visible: VisibleNodes) -> Iterator[Shown]:
    """Yield the nodes of a picture in preorder."""
    arrives = missing_arrives(tree, visible.nodes)
    nodes = visible.nodes.tolist()
    splits: list[Split | None] = []
    for node, above, hidden in zip(nodes, visible.parent, visible.hidden, strict=True):
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
    """Return the first label of a branch with at most `longest` characters."""
    label = ""
    for label in shown.labels():
        if len(label) <= longest:
            break
    return label


def branch_labels(split: Split, branch: int, *, missing: bool = False) -> Iterator[str]:
    """Yield labels for a branch, from the full text to ever shorter forms.

    Parameters
    ----------
    split : Split
        The split.
    branch : int
        Number of the branch.
    missing : bool, default=False
        Whether missing values reach the split, so that a label should mention them.

    Yields
    ------
    str
        Such as ``≤ 2.45``, ``female`` or ``Dream, Torgersen``. Of many categories, a
        label names the most frequent ones.
    """
    also = " or missing" if missing and branch == split.missing else ""
    if isinstance(split, IsMissing):
        yield "known" if branch else "missing"
        return
    if isinstance(split, Threshold):
        if split.values:
            yield split.values[branch] + also
            return
        # A number is never cut; a name may be, by the picture.
        yield f"{'>' if branch else '≤'} {split.at}{also}"
        return
    assert isinstance(split, Subset | Multiway)
    labels = split.branches[branch]
    if not labels:
        yield "missing or unseen"
        return
    by_rows = wording.frequent_first(labels, split.shares)
    for most, longest in _SHORTER:
        named = labels if len(labels) <= most else by_rows
        yield _some(named, most, longest) + also


def _some(labels: Sequence[object], most: int, longest: int) -> str:
    """Return the first categories, and the number of the others."""
    shown = labels[:most]
    names = [wording.cut(wording.value(each), longest, "…") for each in shown]
    if len(shown) < len(labels):
        names.append(f"{len(labels) - len(shown):,} more")
    return ", ".join(names)
