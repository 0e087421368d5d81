"""A tree as plain text: one line per node with its condition and its answer.

Nodes are in preorder, so one pass writes them in the order in which they are read.
The rails to the left of a node depend on its ancestors only through one prefix per
depth, which is updated during the pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from treewright.errors import OptionError
from treewright.reading.answers.answer import (
    classes,
    middle_of,
    number_words,
)
from treewright.reading.text.visible_nodes import shown_nodes
from treewright.tree import wording
from treewright.tree.answer import node_answers
from treewright.tree.data import ALL_BRANCHES, LEAF, STOP_HERE, TreeData
from treewright.tree.split import Split, splits_of

__all__ = ["missing_arrives", "text"]

_WIDEST_INDENT = 45
"""Deeper nodes have narrower rails; where these do not fit, the depth is written."""
_LONG, _SHORT = 45, 30
"""Characters that conditions should have; the second where the depth is written."""
_LEAST_INDENT, _DEPTH_WORDS, _ENOUGH = 4, 5, 52
_NARROWEST, _LEAST_ROOM, _LEAST_WIDTH = 28, 10, 20
"""Room that conditions have however narrow the text is, including the rails."""
_LONGEST_LABEL, _LONGEST_NAME, _SHORTEST_NAME = 30, 60, 11
_SHORTER = (
    (6, None),
    (4, None),
    (3, None),
    (2, None),
    (1, None),
    (1, 24),
    (1, 14),
    (1, 9),
    (0, 9),
)
"""Limits on categories listed and characters of each, tried until a line fits."""
_ONE_CATEGORY = _SHORTER[-2]
_UNPROVEN = "~"
_MANY_LINES, _FEW_LEVELS = 100, 3
_Columns = list[list[str]]


class _Rails(NamedTuple):
    """The characters that draw the tree; `step` of them for each level."""

    step: int
    through: str
    fork: str
    last: str

    @property
    def blank(self) -> str:
        """The rail of a level that has ended."""
        return " " * self.step


class _Lines(NamedTuple):
    """The nodes to write, and whether missing values can reach their split."""

    tree: TreeData
    shown: np.ndarray
    with_missing: Sequence[bool]


class _Fit(NamedTuple):
    """How conditions fit into their column: its width, rails and what may be cut."""

    room: int
    cuts_names: bool
    rails: _Rails
    deepest: int


_BOX = (
    _Rails(3, "│  ", "├─ ", "└─ "),
    _Rails(2, "│ ", "├ ", "└ "),
    _Rails(1, "│", "├ ", "└ "),
)
_ASCII = (
    _Rails(3, "|  ", "|- ", "`- "),
    _Rails(2, "| ", "|-", "`-"),
    _Rails(1, "|", "|-", "`-"),
)


def text(
    tree: TreeData,
    max_depth: int | None = None,
    *,
    max_leaves: int | None = None,
    ascii: bool = False,
    numbers: bool = False,
    missing: bool | None = None,
    width: int = wording.WIDTH,
    cuts_names: bool = False,
) -> str:
    """Return the tree as indented text, one line per node; see `Tree.text`.

    With `cuts_names`, lines keep to the width even if names have to be cut for it.
    The words are ASCII, apart from names; only the rails are drawn with other signs.
    A branch shows "or missing" if its column had missing values, these can still
    reach the node, and they take this branch. Long lists of categories are shortened.
    """
    _check_width(width)
    is_shown = shown_nodes(tree, max_depth, max_leaves)
    shown = np.flatnonzero(is_shown)
    # The number of branches shown of each node.
    n_open = np.bincount(tree.parent[shown[1:]], minlength=tree.n_nodes)
    with_missing = [False] * len(shown)
    if missing is not False:
        with_missing = missing_arrives(tree, shown, bool(missing))
    before = [["node", *map(str, shown.tolist())]] if numbers else []
    notes = ["", *_notes(tree, shown, n_open, with_missing)]
    lines = _Lines(tree, shown, with_missing)
    taken = max(map(len, notes)) + 1 + sum(map(_width, before))
    figures, fit = _fit(
        lines,
        _evidence(tree, shown),
        width - taken,
        _ASCII if ascii else _BOX,
        cuts_names,
    )
    conditions = ["", *_conditions(lines, fit)]
    columns = [*before, conditions, *figures]
    footer = _footer(tree, shown, n_open, fit.deepest, max_leaves is not None)
    return "\n".join([_title(tree), "", *_aligned(columns, notes), *footer])


def _check_width(width: object) -> None:
    whole = isinstance(width, int | np.integer) and not isinstance(width, bool)
    if not whole or int(width) < _LEAST_WIDTH:  # type: ignore[call-overload]
        raise OptionError(
            f"width must be a whole number of columns >= {_LEAST_WIDTH}; got {width!r}."
        )


def _title(tree: TreeData) -> str:
    target = tree.schema.target
    of = f" for {wording.name(target.name)}" if target is not None else ""
    depth = int(tree.depth.max())
    return (
        f"Tree{of}: {wording.count(tree.n_nodes, 'node')}, "
        f"{wording.count(tree.n_leaves, 'leaf', 'leaves')} (*), depth {depth}"
    )


def _knows_spread(tree: TreeData) -> bool:
    """Return whether the tree keeps variances; some imported trees do not."""
    return not np.isnan(tree.variance[0])


def _weights_are_equal(tree: TreeData) -> bool:
    """Return whether all rows weigh the same: then (sum w)^2 = n * sum w^2."""
    with np.errstate(all="ignore"):
        ratio = tree.weight[0] / np.sqrt(tree.weight_squared[0])
    return bool(np.isclose(ratio, np.sqrt(tree.n_rows[0]), rtol=1e-9, atol=0))


def _footer(
    tree: TreeData, shown: np.ndarray, n_open: np.ndarray, deepest: int, narrow: bool
) -> list[str]:
    """Return the legend of the marks, and how to see more or less of the tree."""
    lines = []
    if ((n_open[shown] > 0) & ~tree.proven[shown]).any():
        lines.append(f"{_UNPROVEN} the split is not proven to be the best of its kind")
    if (tree.depth[shown] >= deepest).any():
        lines.append(f"[{deepest}] is the depth of a node that is not indented further")
    n_leaves = int((tree.split_kind[shown] == LEAF).sum())
    if narrow and n_leaves < tree.n_leaves:
        hidden = wording.count(tree.n_leaves - n_leaves, "leaf", "leaves")
        lines.append(f"{hidden} folded; text() writes the whole tree.")
    elif (
        not narrow
        and len(shown) > _MANY_LINES
        and tree.depth[shown].max() > _FEW_LEVELS
    ):
        lines.append(f"text(max_depth={_FEW_LEVELS}) shows less.")
    return ["", *lines] if lines else []


def _evidence(tree: TreeData, shown: np.ndarray) -> list[_Columns]:
    """Return the columns to the right of the conditions, and narrower forms of them.

    A narrow text first has a short heading of the probability, then no shares.
    """
    counts = ["rows", *(f"{n:,}" for n in tree.n_rows[shown].tolist())]
    heading = "share" if _weights_are_equal(tree) else "weight share"
    shares = [heading, *_percents(tree.share[shown])]
    if not tree.is_classifier:
        answer = "answer" if len(tree.answer) else middle_of(tree)
        answers = node_answers(tree)[shown, 0].tolist()
        own = [[answer, *(number_words(tree, x) for x in answers)]]
        if _knows_spread(tree):
            deviation = tree.standard_deviation[shown].tolist()
            own.append(["std", *map(wording.figures, deviation)])
        return [[counts, shares, *own], [counts, *own]]
    names = [_short(wording.value(c), _LONGEST_LABEL) for c in classes(tree)]
    labels = tree.label[shown]
    answers = ["class", *(names[label] for label in labels.tolist())]
    likely = _percents(node_answers(tree)[shown, labels])
    full, short = ["probability", *likely], ["prob.", *likely]
    return [
        [counts, shares, answers, full],
        [counts, shares, answers, short],
        [counts, answers, short],
    ]


def _percents(shares: np.ndarray) -> list[str]:
    """Return shares as text; equal shares, common in small nodes, are written once."""
    listed = shares.tolist()
    texts = {share: wording.percent(share) for share in set(listed)}
    return [texts[share] for share in listed]


def _fit(
    lines: _Lines,
    forms: list[_Columns],
    width: int,
    rails: Sequence[_Rails],
    cuts_names: bool,
) -> tuple[_Columns, _Fit]:
    """Return the columns of figures that are kept, and how the conditions fit.

    Wide rails and all figures come first, then wide rails and fewer figures, then
    narrow rails. Where even these leave no room, the depth is written.
    """
    tree, shown, _ = lines
    depth = tree.depth[shown]
    need = np.array(list(_least(lines)))
    least = _LEAST_ROOM if cuts_names else _NARROWEST
    rooms = [max(width - sum(map(_width, form)), least) for form in forms]
    tried = [
        (form, room, each, _LONG)
        for some in (rails[:-1], rails[-1:])
        for form, room in zip(forms, rooms, strict=True)
        for each in some
    ]
    form, room = forms[-1], rooms[-1]
    # Where names leave no room, wide lines are better than no indents.
    if not cuts_names and room <= _NARROWEST:
        form, room = forms[0], _ENOUGH
    tried += [(form, room, each, _SHORT) for each in rails]
    for form, room, each, enough in tried:
        indent = each.step * depth + (each.step < len(each.fork) - 1)
        fits = indent + np.minimum(need, enough) <= room
        if (fits & (indent <= _WIDEST_INDENT)).all():
            return form, _Fit(room, cuts_names, each, tree.n_nodes)
    # The depth that is written instead takes some of the room.
    free = np.minimum(room - np.minimum(need, _SHORT), _WIDEST_INDENT)
    deepest = int(depth[depth > free].min(initial=tree.n_nodes)) - _DEPTH_WORDS
    return form, _Fit(room, cuts_names, rails[-1], max(deepest, _LEAST_INDENT))


def _told(lines: _Lines) -> Iterator[tuple[Split, bool, int] | None]:
    """Yield the split above each node, whether it names missing values, the branch."""
    tree, shown, with_missing = lines
    depths, branches = tree.depth[shown].tolist(), tree.branch[shown].tolist()
    splits: list[tuple[Split, bool] | None] = [None] * (max(depths) + 1)
    # With surrogates, missing values may take any branch.
    by_branch = (np.diff(tree.surrogate_start)[shown] == 0) & with_missing
    for place, split in enumerate(splits_of(tree, shown)):
        depth = depths[place]
        splits[depth] = None if split is None else (split, bool(by_branch[place]))
        above = splits[depth - 1] if depth else None
        yield None if above is None else (*above, branches[place])


def _least(lines: _Lines) -> Iterator[int]:
    """Yield the characters of each condition with one category and its name in full."""
    for above in _told(lines):
        if above is None:
            yield 0
        else:
            split, missing, branch = above
            told = _worded(split, missing, branch, *_ONE_CATEGORY)
            yield len(told) + len(_UNPROVEN + " ") * (not split.proven)


def _conditions(lines: _Lines, fit: _Fit) -> Iterator[str]:
    """Yield the condition of each node, indented to its place in the tree."""
    tree, shown, _ = lines
    rails, deepest = fit.rails, fit.deepest
    depths = tree.depth[shown].tolist()
    last_shown = np.zeros(tree.n_nodes, dtype=np.int64)
    last_shown[tree.parent[shown[1:]]] = shown[1:]  # the last assignment wins
    is_last_of = (last_shown[tree.parent[shown]] == shown).tolist()
    prefixes = [""] * (min(deepest, max(depths)) + 2)
    for place, above in enumerate(_told(lines)):
        if above is None:
            yield "all rows"
            continue
        depth, is_last = depths[place], is_last_of[place]
        if depth < deepest:
            rail = rails.blank if is_last else rails.through
            prefixes[depth + 1] = prefixes[depth] + rail
            start = prefixes[depth] + (rails.last if is_last else rails.fork)
        else:
            start = f"{prefixes[deepest]}[{depth}] "
        split, missing, branch = above
        if not split.proven:
            start += f"{_UNPROVEN} "
        room = fit.room - len(start)
        told = _fitted(split, missing, branch, room, cuts_name=fit.cuts_names)
        yield _short(start + told, fit.room) if fit.cuts_names else start + told


def _fitted(
    split: Split, missing: bool, branch: int, room: int, *, cuts_name: bool
) -> str:
    """Return the condition of a branch, in at most `room` characters if possible.

    Lists become shorter, then their categories, and with `cuts_name` the name of the
    column. Numbers stay.
    """
    told = ""
    for most, longest in _SHORTER:
        told = _worded(split, missing, branch, most, longest)
        if len(told) <= room:
            return told
    if cuts_name:
        shown = wording.cut(wording.name(split.feature), _LONGEST_NAME)
        least = max(len(shown) + room - len(told), _SHORTEST_NAME)
        told = wording.cut(shown, least) + told[len(shown) :]
    return told


def _worded(
    split: Split, missing: bool, branch: int, most: int, longest: int | None
) -> str:
    """Return the condition of a branch; `longest` is a limit for its categories."""
    name = wording.name(split.feature)
    words = split.words(branch, missing=missing, most=most, longest=longest)
    after = words[len(wording.cut(name, longest)) :]
    return wording.cut(name, _LONGEST_NAME) + after


def missing_arrives(
    tree: TreeData, shown: np.ndarray, always: bool = False
) -> list[bool]:
    """Return, for each node, whether rows missing in its split's column can reach it.

    They cannot if the column had no missing values, or if a split above on the same
    column sent them elsewhere. `always` treats every column as if it had some.
    """
    summaries = [feature.summary for feature in tree.schema.features]
    here = [always or (s is not None and s.n_missing > 0) for s in summaries]
    columns, routes = tree.feature.tolist(), tree.missing_route.tolist()
    depths, branches = tree.depth.tolist(), tree.branch.tolist()
    parents = tree.parent.tolist()
    has_surrogates = (np.diff(tree.surrogate_start) > 0).tolist()
    sent_away: list[tuple[int, int]] = []  # depth and column, on the path from the root
    arrives = []
    for node in shown.tolist():
        depth = depths[node]
        while sent_away and sent_away[-1][0] >= depth:
            here[sent_away.pop()[1]] = True
        if depth:
            above = parents[node]
            column, route = columns[above], routes[above]
            if (
                here[column]
                and route not in (branches[node], ALL_BRANCHES)
                and not has_surrogates[above]
            ):
                here[column] = False
                sent_away.append((depth, column))
        arrives.append(columns[node] >= 0 and here[columns[node]])
    return arrives


def _notes(
    tree: TreeData,
    shown: np.ndarray,
    n_open: np.ndarray,
    with_missing: Sequence[bool],
) -> Iterator[str]:
    """Yield the note of each line: leaf, hidden branches or route of missing values."""
    leaves_before = np.concatenate([[0], np.cumsum(tree.subtree_size == 1)])
    ends = shown + tree.subtree_size[shown]
    below = (leaves_before[ends] - leaves_before[shown]).tolist()
    kinds, routes = tree.split_kind[shown].tolist(), tree.missing_route[shown].tolist()
    opened, branches = n_open[shown].tolist(), tree.n_children[shown].tolist()
    routes_text = {STOP_HERE: "missing stops here", ALL_BRANCHES: "missing is divided"}
    for i, kind in enumerate(kinds):
        if kind == LEAF:
            yield "*"
        elif not opened[i]:
            yield f"+ {wording.count(below[i], 'leaf', 'leaves')}"
        elif opened[i] < branches[i]:
            yield f"+ {branches[i] - opened[i]:,} lighter branches"
        else:
            surrogate = with_missing[i] and _surrogate_note(tree, int(shown[i]))
            yield surrogate or (with_missing[i] and routes_text.get(routes[i])) or ""


def _surrogate_note(tree: TreeData, node: int) -> str:
    """Return which surrogate is tried first where the split's own column is missing."""
    first, end = tree.surrogate_start[node : node + 2].tolist()
    if first == end:
        return ""
    feature = tree.schema.features[int(tree.surrogate_feature[first])]
    name = _short(wording.name(feature.name), _LONGEST_LABEL)
    return f"missing goes by {name}" + (" and others" if end - first > 1 else "")


def _aligned(columns: Sequence[Sequence[str]], notes: Sequence[str]) -> list[str]:
    """Pad the cells below their headings: text to the left, numbers to the right."""
    padded = []
    for column in columns:
        pad = str.ljust if column[0] in ("", "class") else str.rjust
        padded.append(map(pad, column, repeat(max(map(len, column)))))
    lines = map("  ".join, zip(*padded, strict=True))
    return [f"{line} {note}".rstrip() for line, note in zip(lines, notes, strict=True)]


def _width(column: Sequence[str]) -> int:
    """Return the width of a column and of the gap before it."""
    return max(map(len, column)) + 2


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 3] + "..."
