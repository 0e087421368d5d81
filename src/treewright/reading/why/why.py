"""Why a node is split as it is, or not at all: the arithmetic, for checking by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, TableError
from treewright.growing.habits.j48 import AVERAGE_SLACK, MANY_CATEGORIES
from treewright.growing.training_set import TrainingSet
from treewright.options import GrowOptions
from treewright.pruning.path import find_path
from treewright.reading.conditions.evidence import column_of
from treewright.reading.why.candidates import (
    Branch,
    Candidate,
    NodeRows,
    evaluate_split,
    every_candidate,
    shortened,
    split_text,
)
from treewright.reading.why.split_limits import SplitLimits
from treewright.reading.why.text import lines, why_html
from treewright.reading.why.threshold_table import can_sweep, evaluate_thresholds
from treewright.table.column import CategoricalColumn, NumericColumn, OrdinalColumn
from treewright.table.costs import cost_factors
from treewright.table.table import ClassTarget, NumericTarget, Table
from treewright.tree.data import LEAF, STOP_REASONS, TreeData
from treewright.tree.new_rows import NewRows
from treewright.tree.route import share_at
from treewright.tree.split import Split, Threshold, split_of
from treewright.tree.walk import checked_node

__all__ = ["Why", "why"]

_TIE = 1e-12
_SAME_GAIN = 1e-7


@dataclass(frozen=True, slots=True)
class Why:
    """The calculation behind one node; ``print(why)`` writes it with its numbers.

    Attributes
    ----------
    node : int
        The node.
    here : Branch
        Its rows, and the impurity before any split.
    chosen : Candidate or None
        The split of the tree; None at a leaf.
    candidates : tuple of Candidate
        The best split of each column, best first; with ``column=`` every candidate
        of that column, in the order that decides ties.
    ties : tuple of str
        Columns whose gain (or gain ratio, where that decides) equals the best; with
        ``column=`` the candidates of equal gain.
    refused : Candidate or None
        At a leaf: the best split that a rule refused; its `missed` gives the margin.
    reason : str
        At a leaf: the name of the rule that stopped it.
    link : float or None
        g(t) = (R(t) - R(T_t)) / (leaves below - 1), the risk that each leaf below
        saves; None at a leaf.
    collapse_alpha : float or None
        The alpha at which weakest-link pruning collapses the node or an ancestor;
        None at a leaf.
    notes : tuple of str
        Remarks, for example that these are not the rows the tree was grown on.
    """

    node: int
    here: Branch
    chosen: Candidate | None
    candidates: tuple[Candidate, ...]
    ties: tuple[str, ...]
    refused: Candidate | None
    reason: str
    link: float | None
    collapse_alpha: float | None
    notes: tuple[str, ...]
    _tree: TreeData
    _column: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return the calculation as dicts, lists, strings and numbers."""
        return {
            "node": self.node,
            "here": _as_dict(self.here),
            "chosen": None if self.chosen is None else _as_dict(self.chosen),
            "candidates": [_as_dict(each) for each in self.candidates],
            "ties": list(self.ties),
            "refused": None if self.refused is None else _as_dict(self.refused),
            "reason": self.reason,
            "link": self.link,
            "collapse_alpha": self.collapse_alpha,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        """The table, and each formula with its numbers."""
        return "\n".join(lines(self))

    def __repr__(self) -> str:
        """The same as `str`."""
        return str(self)

    def _repr_html_(self) -> str:
        """Show the candidates as a table, and the formulas, in a notebook."""
        return why_html(self)


def why(
    tree: TreeData,
    node: int,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    column: str | None = None,
) -> Why:
    """Calculate why a node is split as it is, or why it is a leaf; see `Tree.why`."""
    node = checked_node(tree, node)
    rows, lightest, notes = _rows(tree, node, X, y, sample_weight)
    everything = np.arange(len(rows.y))
    here = rows.branch("", everything)
    split = split_of(tree, node)
    chosen = None if split is None else evaluate_split(rows, split)
    if chosen is not None:
        notes += _other_gain(tree, node, here, chosen)
    rules = SplitLimits.of(tree, rows, lightest)
    if chosen is not None:
        chosen = _charged(tree, rows, rules, chosen)
    if column is not None:
        number = _number(tree, column)
        offered = every_candidate(rows, number, _dividing(tree))
        found = [rules.checked(each) for each in _evaluate_all(rows, offered)]
        if found:
            charge = _charged(tree, rows, rules, found[0]).charge
            found = [replace(each, charge=charge) for each in found]
        if not rows.known_only and rows.missing(number).any():
            found = [replace(e, words=split_text(e.split, missing=True)) for e in found]
        ties, refused = _ties_in_column(found, here), None
    else:
        found, refused = _best_of_each(tree, rows, rules)
        ties = _ties(tree, rows, found, here)
        if split is not None and tree.options.get("max_features"):
            notes.append("The tree tried some columns only, drawn at random.")
    reason = STOP_REASONS[int(tree.stop_reason[node])].name if split is None else ""
    return Why(
        node,
        here,
        chosen,
        tuple(found),
        tuple(ties),
        refused if split is None else None,
        reason,
        _link(tree, node),
        None if split is None else float(_collapse_alpha(tree)[node]),
        tuple(notes),
        tree,
        column,
    )


def _evaluate_all(rows: NodeRows, splits: list[Split]) -> list[Candidate]:
    """Evaluate all candidates of one column; many thresholds in one sweep."""
    if not can_sweep(rows, splits):
        return [evaluate_split(rows, each) for each in splits]
    cuts = [each for each in splits if isinstance(each, Threshold)]
    return evaluate_thresholds(rows, cuts) + [
        evaluate_split(rows, each) for each in splits[len(cuts) :]
    ]


# The rows ---------------------------------------------------------------------------


def _rows(
    tree: TreeData, node: int, X: Any, y: Any, sample_weight: Any
) -> tuple[NodeRows, float, list[str]]:
    """Return the rows of the node, the smallest weight of any row, and notes."""
    schema = tree.schema
    rows = NewRows.read(tree, X, y, sample_weight, needed=schema.usable)
    columns, codes = rows.columns, rows.y
    weights = _weights_to_grow_by(tree, codes, rows.own_weights)
    if not tree.is_classifier:
        codes = tree.in_units(codes)
    shares = share_at(tree, node, rows.ends(tree))
    index = np.flatnonzero(shares * weights > 0)
    if not len(index):
        raise TableError(f"None of these {rows.n_rows} rows reaches node {node}.")
    notes = []
    info = schema.target
    names = ("class_weight", "costs", "priors")
    altering = [name for name in names if getattr(info, name, None) is not None]
    if altering:
        notes.append(
            f"Rows weigh what the tree's {' and '.join(altering)} made of them."
        )
    if info is not None and info.exponent:
        notes.append(f"Numbers of the target are in units of 2^{info.exponent}.")
    if len(index) != tree.n_rows[node]:
        notes.append(
            f"Here {len(index)} rows reach the node; when the tree was grown there "
            f"were {int(tree.n_rows[node])}."
        )
    options = tree.options
    return (
        NodeRows(
            schema,
            [None if c is None else c[index] for c in columns],
            codes[index],
            (weights * shares)[index],
            shares[index],
            tree.value.shape[1] if tree.is_classifier else 0,
            tree.criterion,
            options.get("missing") in ("surrogate", "fractional"),
            options.get("thresholds") == "readable",
            options.get("conventions") is None,
        ),
        float(weights[weights > 0].min()),
        notes,
    )


def _other_gain(
    tree: TreeData, node: int, here: Branch, chosen: Candidate
) -> list[str]:
    """Return a note if these rows do not give the gain that the tree recorded."""
    recorded = float(tree.gain[node])
    if not abs(recorded - chosen.gain) > _SAME_GAIN * max(here.impurity, abs(recorded)):
        return []
    raised = " Or did pruning raise this split to here?" * (tree.method == "c45")
    return [
        f"The tree recorded a gain of {recorded:.6g} here, these rows give "
        f"{chosen.gain:.6g}: are X, y and sample_weight those of the training rows, "
        f"in the same order?{raised}"
    ]


def _dividing(tree: TreeData) -> str:
    """Return the method that divides categories: 'cart' if they are grouped."""
    grouped = tree.options.get("categories") == "grouped"
    return "cart" if grouped else tree.method


def _weights_to_grow_by(
    tree: TreeData, codes: NDArray[Any], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Apply class weights and costs to the weights; priors are already applied."""
    info = tree.schema.target
    if info is not None and info.class_weight is not None and info.priors is None:
        weights = weights * np.array(info.class_weight)[codes]
    if info is not None and info.costs is not None:
        weights = weights * cost_factors(info.costs)[codes]
    return weights


def _number(tree: TreeData, column: str) -> int:
    number = column_of(tree, column)
    if number not in tree.schema.usable:
        why_not = tree.schema.features[number].set_aside
        raise OptionError(f"Column {column!r} was set aside when growing: {why_not}")
    return number


# The best of each column ------------------------------------------------------------


def _best_of_each(
    tree: TreeData, rows: NodeRows, rules: SplitLimits
) -> tuple[list[Candidate], Candidate | None]:
    """Return each column's best allowed split, best first; and the best refused one."""
    if _core_applies(tree, rows):
        free = _by_core(tree, rows, 1, 0.0)
        kept = free
        if rules.min_rows > 1 or rules.min_weight > 0:
            kept = _by_core(tree, rows, rules.min_rows, rules.min_weight)
    else:
        free, kept = _by_hand(tree, rows, rules)
    free = [rules.checked(each) for each in free]
    kept = [rules.checked(each) for each in kept]
    refused = next((each for each in free if each.missed), None)
    return [each for each in kept if not each.missed], refused


def _core_applies(tree: TreeData, rows: NodeRows) -> bool:
    """Whether the core offers the candidates that competed when the tree was grown."""
    criterion = tree.criterion
    plain = criterion.core_number is not None and not criterion.by_ratio
    return plain and tree.method == "cart" and not rows.known_only


def _by_core(
    tree: TreeData, rows: NodeRows, min_rows: int, min_weight: float
) -> list[Candidate]:
    """Take the candidates from the grower, so that ties are decided as in growing."""
    share = min_weight / rows.weight if rows.weight else 0.0
    if share > 0.5 or 2 * min_rows > len(rows.y):
        return []
    options = GrowOptions(
        criterion=rows.criterion.name,
        min_samples_leaf=min_rows,
        min_weight_fraction_leaf=share,
        many_levels=tree.options.get("many_levels"),
    )
    steps = TrainingSet(_table(tree, rows), options).steps()
    if not steps.open:
        return []
    found = steps.candidates(0, max(len(tree.schema.usable), 2))
    return [evaluate_split(rows, shortened(rows, split)) for split in found]


def _by_hand(
    tree: TreeData, rows: NodeRows, rules: SplitLimits
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the best candidate of every column, and the best that is allowed."""
    free, kept = [], []
    for column in tree.schema.usable:
        tried = [
            candidate
            for split in every_candidate(rows, column, _dividing(tree))
            for candidate in [evaluate_split(rows, split)]
            if sum(b.rows > 0 for b in candidate.branches) > 1
        ]
        free += _first_best(tried)
        kept += _first_best([each for each in tried if not rules.missed(each)])
    free, kept = [
        [_charged(tree, rows, rules, each) for each in found] for found in (free, kept)
    ]
    return _ordered(tree, rows, free), _ordered(tree, rows, kept)


def _first_best(tried: Sequence[Candidate]) -> list[Candidate]:
    """Return the first candidate of maximal gain as a list; empty if there is none."""
    if not tried:
        return []
    reach = max(each.gain - _TIE * each.before for each in tried)
    return [next(each for each in tried if each.gain >= reach)]


def _ordered(
    tree: TreeData, rows: NodeRows, found: Sequence[Candidate]
) -> list[Candidate]:
    """Sort the candidates; the winner comes first."""
    if not tree.criterion.by_ratio:
        return sorted(found, key=lambda each: -each.gain)
    least = _least_worth(tree, rows, found)
    return sorted(found, key=lambda e: (e.worth < least, -round(e.gain_ratio, 13)))


def _least_worth(tree: TreeData, rows: NodeRows, found: Sequence[Candidate]) -> float:
    """Return the least worth with which a column competes by gain ratio: the average.

    J48 leaves columns with very many categories out of the average, and subtracts a
    small slack from it.
    """
    tie = _TIE * rows.branch("", np.arange(len(rows.y))).impurity
    is_j48, most = _is_j48(tree), MANY_CATEGORIES * tree.n_rows[0]
    many = {
        column
        for column in tree.schema.usable
        if is_j48 and tree.schema.label_counts[column] >= most
    }
    if len(many) == len(tree.schema.usable):
        many = set()
    counted = [e.worth for e in found if e.worth > tie and e.split.column not in many]
    if not counted:
        return 0.0
    return math.fsum(counted) / len(counted) - max(AVERAGE_SLACK * is_j48, tie)


def _is_j48(tree: TreeData) -> bool:
    return bool(tree.options.get("conventions") == "j48")


def _charged(
    tree: TreeData, rows: NodeRows, rules: SplitLimits, candidate: Candidate
) -> Candidate:
    """Return the candidate with the charge that C4.5 subtracts from its gain.

    The charge is log2(number of thresholds of the column) / weight, for columns that
    are not divided by category. J48 counts only the thresholds that are allowed.
    """
    column = candidate.split.column
    kind = rows.schema.features[column].kind
    if tree.method != "c45" or kind == "categorical":
        return candidate
    values = rows.columns[column]
    assert values is not None
    n = len(np.unique(values[~rows.missing(column)])) - 1
    if _is_j48(tree):
        offered = _evaluate_all(rows, every_candidate(rows, column, "c45"))
        cuts = [e for e in offered if isinstance(e.split, Threshold)]
        n = sum(not rules.missed(each) for each in cuts)
    return replace(candidate, charge=math.log2(max(n, 1)) / rows.weight)


def _table(tree: TreeData, rows: NodeRows) -> Table:
    columns: list[Any] = []
    n = len(rows.y)
    for feature, values in zip(tree.schema.features, rows.columns, strict=True):
        if feature.kind == "numeric":
            numbers = np.full(n, np.nan) if values is None else values
            columns.append(NumericColumn(feature.name, np.ascontiguousarray(numbers)))
            continue
        codes = np.full(n, -1) if values is None else np.maximum(values, -1)
        kind = OrdinalColumn if feature.kind == "ordinal" else CategoricalColumn
        columns.append(kind(feature.name, codes.astype(np.int32), feature.labels))
    target: ClassTarget | NumericTarget
    if rows.n_classes:
        classes = np.arange(rows.n_classes)
        target = ClassTarget(rows.y.astype(np.int32), classes)
    else:
        target = NumericTarget(rows.y)
    schema = tree.schema
    if schema.target is not None and schema.target.exponent:
        # These numbers are in units already.
        schema = replace(schema, target=replace(schema.target, exponent=0))
    return Table(tuple(columns), target, rows.weights, n, schema)


def _ties(
    tree: TreeData, rows: NodeRows, found: Sequence[Candidate], here: Branch
) -> list[str]:
    """Return the columns that tie with the best, by gain or gain ratio."""
    allowed = [each for each in found if not each.missed]
    if tree.criterion.by_ratio:
        least = _least_worth(tree, rows, allowed)
        allowed = [each for each in allowed if each.worth >= least]
        best = max((each.gain_ratio for each in allowed), default=0.0)
        tied = [e for e in allowed if e.gain_ratio >= best * (1 - _TIE) > 0]
    else:
        tied = _with_largest_gain(allowed, here)
    return [each.column for each in tied] if len(tied) > 1 else []


def _ties_in_column(found: Sequence[Candidate], here: Branch) -> list[str]:
    """Return the candidates of one column whose gain equals the best."""
    tied = _with_largest_gain([each for each in found if not each.missed], here)
    return [each.words for each in tied] if len(tied) > 1 else []


def _with_largest_gain(allowed: Sequence[Candidate], here: Branch) -> list[Candidate]:
    reach = max((e.gain for e in allowed), default=0.0) - _TIE * here.impurity
    return [each for each in allowed if each.gain >= reach]


def _collapse_alpha(tree: TreeData) -> NDArray[np.float64]:
    return tree.keep("collapse_alpha", lambda t: find_path(t).collapse_alpha)


def _link(tree: TreeData, node: int) -> float | None:
    if tree.split_kind[node] == LEAF:
        return None
    below = np.arange(node, node + int(tree.subtree_size[node]))
    leaves = below[tree.split_kind[below] == LEAF]
    saved = tree.weighted_risk[node] - tree.weighted_risk[leaves].sum()
    return float(max(saved, 0.0) / (len(leaves) - 1))


def _as_dict(each: Any) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name in each.__slots__:
        value = getattr(each, name)
        if isinstance(value, Split):
            continue
        if isinstance(value, tuple):
            value = [_as_dict(v) if isinstance(v, Branch) else v for v in value]
        is_unknown = isinstance(value, float) and math.isnan(value)
        out[name] = None if is_unknown else value
    if isinstance(each, Candidate):
        out["gain_ratio"] = each.gain_ratio
    return out
