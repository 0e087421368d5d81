"""A tree as plain text: one line per node, what holds there and what it answers.

Nodes are in preorder, so one pass from the first to the last writes them in the
order they are read. The rails to the left of a node depend on its ancestors only
through a prefix per depth, which is kept up to date on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from treewright.errors import OptionError
from treewright.reading.answer import class_shares, classes
from treewright.tree import wording
from treewright.tree.data import ALL_BRANCHES, LEAF, STOP_HERE, TreeData
from treewright.tree.split import Split, split_of

__all__ = ["text"]

_DEEPEST_INDENT = 20
"""Below this depth the rails grow no further and the depth is written instead."""
_WIDEST = 60
"""Width to which the conditions are padded; longer ones stick out."""
_LONGEST_LABEL = 30
_LONGEST_CONDITION = 120
_MOST_CATEGORIES = 6


class _Rails(NamedTuple):
    """The characters that draw the tree."""

    through: str
    fork: str
    last: str
    blank: str


_BOX = _Rails("│  ", "├─ ", "└─ ", "   ")
_ASCII = _Rails("|  ", "|- ", "`- ", "   ")


def text(tree: TreeData, max_depth: int | None = None, *, ascii: bool = False) -> str:
    """Return the tree as indented text, one line per node.

    Parameters
    ----------
    tree : TreeData
        The tree.
    max_depth : int or None, default=None
        Deepest level to write; a node there says how many leaves lie below it.
        None: all levels.
    ascii : bool, default=False
        Draw with ASCII characters only.

    Returns
    -------
    str
        Lines without a newline at the end. Leaves are marked with a star.
        A branch says "or missing" where its column had missing values and they
        take that branch.
    """
    if max_depth is not None and (
        isinstance(max_depth, bool)
        or not isinstance(max_depth, (int, np.integer))
        or max_depth < 0
    ):
        raise OptionError(
            "max_depth must be a whole number >= 0, or None for no limit; "
            f"got {max_depth!r}."
        )
    deepest = tree.n_nodes if max_depth is None else int(max_depth)
    shown = np.flatnonzero(tree.depth <= deepest)
    rows = zip(
        _conditions(tree, shown, _ASCII if ascii else _BOX),
        *_evidence(tree, shown),
        strict=True,
    )
    table = [("", *_headings(tree)), *rows]
    notes = ["", *_notes(tree, shown, deepest)]
    lines = _aligned(table, notes)
    return "\n".join([_title(tree), "", *lines])


def _title(tree: TreeData) -> str:
    target = tree.schema.target
    of = f" for {wording.name(target.name)}" if target is not None else ""
    depth = int(tree.depth.max())
    return (
        f"Tree{of}: {_count(tree.n_nodes, 'node')}, "
        f"{_count(tree.n_leaves, 'leaf', 'leaves')} (*), depth {depth}"
    )


def _count(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def _headings(tree: TreeData) -> tuple[str, ...]:
    if tree.is_classifier:
        return ("rows", "share", "class", "confidence")
    return ("rows", "share", "mean", "std")


def _evidence(tree: TreeData, shown: np.ndarray) -> list[list[str]]:
    """Return the columns at the right, as text, for the nodes shown."""
    counts = [str(n) for n in tree.n_rows[shown].tolist()]
    shares = [wording.percent(s) for s in tree.share[shown].tolist()]
    if not tree.is_classifier:
        means = [wording.figures(m) for m in tree.value[shown, 0].tolist()]
        spreads = [wording.figures(s) for s in np.sqrt(tree.variance[shown]).tolist()]
        return [counts, shares, means, spreads]
    names = [_short(wording.value(c), _LONGEST_LABEL) for c in classes(tree)]
    labels = tree.label[shown]
    sure = class_shares(tree, shown)[np.arange(len(shown)), labels]
    return [
        counts,
        shares,
        [names[label] for label in labels.tolist()],
        [wording.percent(s) for s in sure.tolist()],
    ]


def _conditions(tree: TreeData, shown: np.ndarray, rails: _Rails) -> Iterator[str]:
    """Say, node by node, what holds there, drawn at its place in the tree."""
    depths, branches = tree.depth[shown].tolist(), tree.branch[shown].tolist()
    n_children = tree.n_children[tree.parent[shown]].tolist()
    kinds = tree.split_kind[shown].tolist()
    with_missing = _columns_with_missing(tree)
    prefixes = [""] * (_DEEPEST_INDENT + 1)
    splits: list[Split | None] = [None] * (max(depths) + 1)
    for place, node in enumerate(shown.tolist()):
        depth, branch = depths[place], branches[place]
        splits[depth] = split_of(tree, node) if kinds[place] != LEAF else None
        above = splits[depth - 1] if depth else None
        if above is None:
            yield "all rows"
            continue
        missing = above.column in with_missing
        said = above.words(branch, missing=missing, most=_MOST_CATEGORIES)
        said = _short(said, _LONGEST_CONDITION)
        is_last = branch == n_children[place] - 1
        if depth < _DEEPEST_INDENT:
            rail = rails.blank if is_last else rails.through
            prefixes[depth + 1] = prefixes[depth] + rail
            yield prefixes[depth] + (rails.last if is_last else rails.fork) + said
        else:
            yield f"{prefixes[_DEEPEST_INDENT]}[depth {depth}] {said}"


def _columns_with_missing(tree: TreeData) -> set[int]:
    """Return the columns known to have had missing values."""
    summaries = [feature.summary for feature in tree.schema.features]
    return {i for i, s in enumerate(summaries) if s is not None and s.n_missing}


def _notes(tree: TreeData, shown: np.ndarray, deepest: int) -> Iterator[str]:
    """Say what stands after the columns: leaf, folded, or missing values that stop."""
    leaves_before = np.concatenate([[0], np.cumsum(tree.subtree_size == 1)])
    ends = shown + tree.subtree_size[shown]
    below = (leaves_before[ends] - leaves_before[shown]).tolist()
    kinds, depths = tree.split_kind[shown].tolist(), tree.depth[shown].tolist()
    routes = tree.missing_route[shown].tolist()
    columns = tree.feature[shown].tolist()
    with_missing = _columns_with_missing(tree)
    said = {STOP_HERE: "missing stops here", ALL_BRANCHES: "missing is divided"}
    for i, kind in enumerate(kinds):
        if kind == LEAF:
            yield "*"
        elif depths[i] == deepest:
            yield f"... {below[i]} leaves below"
        else:
            yield said.get(routes[i], "") if columns[i] in with_missing else ""


def _aligned(table: Sequence[tuple[str, ...]], notes: Sequence[str]) -> list[str]:
    """Pad the cells: text to the left, numbers to the right."""
    columns = list(zip(*table, strict=True))
    widths = [max(map(len, column)) for column in columns]
    widths[0] = min(widths[0], _WIDEST)
    is_number = [heading not in ("", "class") for heading in table[0]]
    pattern = "  ".join(
        f"{{:{'>' if right else '<'}{width}}}"
        for right, width in zip(is_number, widths, strict=True)
    )
    return [
        f"{pattern.format(*cells)} {note}".rstrip()
        for cells, note in zip(table, notes, strict=True)
    ]


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 3] + "..."
