"""The calculation behind a node as text: a table, and formulas with numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from treewright.criteria import Criterion, Working
from treewright.criteria.squared_error import SquaredError
from treewright.reading.answers.answer import classes
from treewright.reading.why.candidates import MOST_LEVELS, Branch, Candidate
from treewright.table.html import pre_html, table_html
from treewright.tree import wording
from treewright.tree.data import LEAF, STOP_REASONS, TreeData

if TYPE_CHECKING:
    from treewright.reading.why.why import Why

__all__ = ["lines", "why_html"]

_MOST_WORKED = 12
_LONGEST = 36
"""Characters of a condition in the table; the calculation below has all of them."""


def lines(why: Why) -> list[str]:
    """Return the calculation, line by line."""
    tree, criterion = why._tree, why._tree.criterion
    rows = f"{why.here.rows:,} row{'s' * (why.here.rows != 1)}"
    out = [f"Node {why.node}: {rows}, {_content(tree, why.here)}"]
    out.append(f"{criterion.title} before: {_impurity(criterion, why.here)}")
    out += [f"Note: {note}" for note in why.notes]
    out += ["", *_table(why)]
    worked = _most_telling(why)
    if worked:
        out += ["", *_worked(why, worked, criterion)]
    out += ["", *_verdict(why)]
    return out


def _most_telling(why: Why) -> list[Candidate]:
    """Return the candidates to work out: all of them, or those with the best gains."""
    if len(why.candidates) <= _MOST_WORKED:
        return list(why.candidates)
    ranked = sorted(why.candidates, key=lambda each: each.gain, reverse=True)
    return ranked[:_MOST_WORKED]


def why_html(why: Why) -> str:
    """Return the calculation as HTML: the candidates as a table, formulas as text."""
    first, *rest = [part.split("\n") for part in "\n".join(lines(why)).split("\n\n")]
    title = "; ".join(first)
    if not why.candidates:
        return pre_html("\n\n".join("\n".join(part) for part in [first, *rest]))
    heads, cells, notes = _cells(why)
    rows = [[*row, note] for row, note in zip(cells, notes, strict=True)]
    table = table_html(title, [*heads, "branches"], rows, {"split", "branches"})
    return table + pre_html("\n\n".join("\n".join(part) for part in rest[1:]))


def guards_levels(why: Why, best: Candidate) -> bool:
    """Whether ``many_levels='guard'`` may have kept this candidate from winning."""
    options = why._tree.options
    feature = why._tree.schema.features[best.split.column]
    many = feature.kind == "categorical" and len(feature.labels) > MOST_LEVELS
    return many and bool(options.get("many_levels") == "guard")


# Numbers ----------------------------------------------------------------------------


def _four(x: float) -> str:
    """Return four decimals, or four significant figures where these show more."""
    if not math.isfinite(x) or abs(x) >= 10:
        return wording.figures(x)
    return f"{x:.4f}" if x == 0 or abs(x) >= 0.0001 else f"{x:.3g}"


def _count(x: float) -> str:
    return wording.figures(x)


def _content(tree: TreeData, branch: Branch) -> str:
    """Return the content of a branch: class counts, or mean and RMSE.

    In a tree of medians: the median, and the sum of distances from it.
    """
    if branch.counts:
        names = classes(tree)
        pairs = [
            f"{wording.value(names[k], 30)} {_count(n)}"
            for k, n in enumerate(branch.counts)
            if n > 0
        ]
        return ", ".join(pairs) or "nothing"
    if branch.median is not None:
        off = _four(branch.impurity * branch.weight)
        return f"median {wording.figures(branch.median)}, absolute errors {off}"
    mean = wording.figures(branch.mean or 0.0)
    return f"mean {mean}, RMSE {_root(branch.rss or 0.0, branch.weight)}"


def _root(rss: float, weight: float) -> str:
    """Return the root of the mean of squares, in the unit of the target."""
    return wording.figures(math.sqrt(rss / weight) if weight > 0 else 0.0)


def _impurity(criterion: Criterion, branch: Branch) -> str:
    """Write the formula of the impurity with its numbers."""
    total = _count(branch.weight)
    shares = [f"{_count(n)}/{total}" for n in branch.counts if n > 0]
    return criterion.formula(
        Working(
            total,
            shares,
            f"{_count(max(branch.counts, default=0.0))}/{total}",
            wording.figures(branch.mean or 0.0),
            wording.figures(branch.median or 0.0),
            _four(branch.impurity * branch.weight),
            _four(branch.impurity),
        )
    )


def _gain(candidate: Candidate, criterion: Criterion) -> str:
    """Write the gain with its numbers."""
    total = _count(sum(b.weight for b in candidate.branches))
    parts = " + ".join(
        f"{_count(b.weight)}/{total}·{_four(b.impurity)}" for b in candidate.branches
    )
    worth = f"{_four(candidate.before)} - ({parts})"
    if candidate.known < 1:
        worth = f"{_four(candidate.known)}·({worth})"
    text = f"{worth} = {_four(candidate.gain)}"
    if isinstance(criterion, SquaredError):
        after = sum(b.rss or 0.0 for b in candidate.branches)
        weight = sum(b.weight for b in candidate.branches)
        text += f"   (RMSE after: {_root(after, weight)})"
    return text


# The table --------------------------------------------------------------------------


def _table(why: Why) -> list[str]:
    """Return one line per candidate: its condition, its gain, and its branches."""
    if not why.candidates and why._column is not None:
        name = wording.cut(wording.name(why._column), _LONGEST)
        return [
            f"Column {name} offers no split: the rows of this node have fewer than two "
            "different values in it."
        ]
    if not why.candidates:
        return ["No split is allowed here."]
    heads, cells, notes = _cells(why)
    widths = [max(len(row[i]) for row in [heads, *cells]) for i in range(len(heads))]
    table = []
    for row, note in zip([heads, *cells], ["branches", *notes], strict=True):
        aligned = [row[0].ljust(widths[0])]
        aligned += [x.rjust(w) for x, w in zip(row[1:], widths[1:], strict=True)]
        table.append(f"{'  '.join(aligned)}  {note}".rstrip())
    return table


def _cells(why: Why) -> tuple[list[str], list[list[str]], list[str]]:
    """Return headings, figures and branches of the candidates."""
    ratio = why._tree.criterion.by_ratio
    charged = any(each.charge for each in why.candidates)
    heads = ["split", "after", "gain"]
    heads += ["charge"] * charged + ["gain ratio"] * ratio
    cells = [
        [
            wording.cut(each.words, _LONGEST),
            _four(each.after),
            _four(each.gain),
            *[_four(each.charge)] * charged,
            *[_four(each.gain_ratio)] * ratio,
        ]
        for each in why.candidates
    ]
    notes = [_branches_text(why._tree, each) for each in why.candidates]
    return heads, cells, notes


def _branches_text(tree: TreeData, candidate: Candidate) -> str:
    contents = [f"[{_content(tree, branch)}]" for branch in candidate.branches]
    refused = f"  refused: {candidate.missed}" if candidate.missed else ""
    return " ".join(contents) + refused


def _worked(
    why: Why, worked: Sequence[Candidate], criterion: Criterion
) -> Iterator[str]:
    for each in worked:
        yield f"{each.words}"
        for branch in each.branches:
            yield f"    {branch.words}: {_impurity(criterion, branch)}"
        yield f"    gain = {_gain(each, criterion)}"
        if each.split_information > 0 and why._tree.criterion.by_ratio:
            yield f"    gain ratio = {_ratio(each)} = {_four(each.gain_ratio)}"
    if len(why.candidates) > len(worked):
        yield f"... and {len(why.candidates) - len(worked)} more, in the table above."


def _ratio(candidate: Candidate) -> str:
    """Write the gain ratio with its numbers, the charge of a threshold included."""
    worth = _four(candidate.gain)
    if candidate.charge:
        worth = f"({worth} - {_four(candidate.charge)})"
    return f"{worth}/{_four(candidate.split_information)}"


# The verdict ------------------------------------------------------------------------


def _verdict(why: Why) -> Iterator[str]:
    if why.ties:
        listed = ", ".join(wording.cut(wording.name(each), 60) for each in why.ties)
        decides = why._tree.criterion.by_ratio and why._column is None
        what = "gain ratios" if decides else "gains"
        yield f"Equal {what}: {listed}. The first of them wins."
    if why.chosen is None:
        yield from _why_not(why)
        return
    chosen = why.chosen
    yield f"Chosen: {chosen.words}, gain {_four(chosen.gain)}."
    if why._column is None:
        yield from _compared(why, chosen)
    if why.link is not None:
        yield _link(why._tree, why.node, why.link)
    if why.collapse_alpha is not None:
        alpha = _four(why.collapse_alpha)
        yield f"Weakest-link pruning makes a leaf of it at alpha = {alpha}."


def _compared(why: Why, chosen: Candidate) -> Iterator[str]:
    """Compare the split with those of other columns, by gain or gain ratio."""
    ratio = why._tree.criterion.by_ratio
    for other in [c for c in why.candidates if c.column != chosen.column][:1]:
        gap = chosen.gain - other.gain
        if ratio:
            gap = chosen.gain_ratio - other.gain_ratio
        if gap >= 0:
            what = " in gain ratio" if ratio else ""
            yield f"Next best: {other.words}, {_four(gap)} behind{what}."
    best = max(why.candidates, key=lambda c: c.gain, default=None)
    if ratio:
        less = ", less the charge," if any(c.charge for c in why.candidates) else ""
        yield f"Columns of at least average gain{less} compete by the gain ratio."
        if less:
            yield (
                "A number is charged log2(its thresholds)/weight for the choice "
                "among them."
            )
    elif best is not None and best.gain > chosen.gain + 1e-9 * why.here.impurity:
        more = f"{best.words} gains {_four(best.gain - chosen.gain)} more"
        yield f"This is not the split of largest gain; {more}."
        if guards_levels(why, best):
            yield (
                "Columns of more than 12 categories are charged for the choice "
                "among so many groupings (many_levels='guard')."
            )


def _link(tree: TreeData, node: int, link: float) -> str:
    """Write g(t), the risk that each leaf below saves, with its numbers."""
    below = slice(node, node + int(tree.subtree_size[node]))
    is_leaf = tree.split_kind[below] == LEAF
    n, cost = int(is_leaf.sum()), float(tree.weighted_risk[below][is_leaf].sum())
    here = _four(float(tree.weighted_risk[node]))
    after = _four(cost)
    return (
        f"Pruning: as a leaf R(t) = {here}, with its {n} leaves R(T_t) = {after}: "
        f"g(t) = ({here} - {after})/({n} - 1) = {_four(link)}."
    )


def _why_not(why: Why) -> Iterator[str]:
    code = int(why._tree.stop_reason[why.node])
    yield f"A leaf. {STOP_REASONS[code].sentence}"
    if why.refused is not None:
        gain = _four(why.refused.gain)
        yield f"Best split refused: {why.refused.words} (gain {gain}):"
        yield f"    {why.refused.missed}."
    elif why.candidates and why._column is None:
        best = why.candidates[0]
        yield f"The next split would be {best.words}, gain {_four(best.gain)}."
