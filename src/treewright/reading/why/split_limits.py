"""The limits on splits that a tree was grown with, for `why`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from treewright.growing.core_options import least_weight
from treewright.reading.why.candidates import Candidate, NodeRows
from treewright.tree.costs import growth_weight
from treewright.tree.data import TreeData
from treewright.tree.loss import loss_of

__all__ = ["SplitLimits"]

_ROUNDING = 2.2e-16
_NEARLY = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class SplitLimits:
    """The limits that a split of this node must meet."""

    min_rows: int
    min_weight: float
    min_gain: float
    min_decrease: float
    share: float
    needs_target: bool
    min_branch: float
    lightest: float  # 0: no limit

    @classmethod
    def of(cls, tree: TreeData, rows: NodeRows, lightest: float) -> SplitLimits:
        """Return the limits of a tree; `lightest` is the smallest weight of any row."""
        options = tree.options
        divides = options.get("missing") == "fractional"
        least = options.get("min_samples_leaf", 1)
        n_rows, total = int(tree.n_rows[0]), float(growth_weight(tree)[0])
        if isinstance(least, float):
            least = max(1, math.ceil(least * n_rows))
        share = float(options.get("min_weight_fraction_leaf", 0.0))
        return cls(
            1 if least == "auto" else int(least),
            max(share * total, least_weight(least, total, n_rows)),
            loss_of(tree).in_units(float(options.get("min_gain", 0.0))),
            loss_of(tree).in_units(float(options.get("min_impurity_decrease", 0.0))),
            rows.weight / total if total else 0.0,
            getattr(rows.criterion, "needs_positive_sums", False),
            float(options.get("min_branch_weight") or 0.0),
            lightest if divides and tree.method != "c45" else 0.0,
        )

    def checked(self, candidate: Candidate) -> Candidate:
        """Return the candidate with the rule that refuses it, if any."""
        return replace(candidate, missed=self.missed(candidate))

    def missed(self, candidate: Candidate) -> str:
        """Return which rule refuses a candidate, and by how much; empty if none."""
        rows = min(b.counted for b in candidate.branches)
        weight = min(b.weight for b in candidate.branches)
        # min_samples_leaf = 1 is no limit: any share of a row is enough.
        if rows < self.min_rows * _NEARLY and (self.min_rows > 1 or not rows):
            short = self.min_rows - rows
            return (
                f"a branch of {rows:.4g} row{'s' * (rows != 1)}, {short:.4g} fewer "
                f"than min_samples_leaf = {self.min_rows}"
            )
        if weight < self.min_weight:
            return (
                f"a branch of weight {weight:.4g}, {self.min_weight - weight:.4g} less "
                f"than a leaf must have ({self.min_weight:.4g})"
            )
        second = sorted(b.weight for b in candidate.branches)[-2]
        if second < self.min_branch:
            return (
                f"only one branch has the weight that min_branch_weight = "
                f"{self.min_branch:.4g} requires; the next has {second:.4g}"
            )
        if second < self.lightest * _NEARLY:
            return f"a branch of weight {second:.4g}, less than that of any row"
        if self.needs_target and any(b.mean == 0 for b in candidate.branches):
            return "a branch in which the target is 0 everywhere"
        if candidate.gain + _ROUNDING < self.min_gain:
            by = self.min_gain - candidate.gain
            return f"a gain {by:.4g} below min_gain = {self.min_gain:.4g}"
        decrease = self.share * candidate.gain
        if decrease + _ROUNDING < self.min_decrease:
            by = self.min_decrease - decrease
            return (
                f"gain x share of rows is {by:.4g} below min_impurity_decrease = "
                f"{self.min_decrease:.4g}"
            )
        return ""
