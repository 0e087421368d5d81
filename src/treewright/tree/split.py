"""Splits for people: objects with names instead of numbers, and their one wording.

The kernels read the arrays; `split_of` turns the entries of one node into a small
object. Text, rules and pictures all take their wording from `Split.words`, so that
they always agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError
from treewright.table.show import show_number, show_value
from treewright.tree import wording
from treewright.tree.data import (
    ALL_BRANCHES,
    IS_MISSING,
    LEAF,
    MULTIWAY,
    STOP_HERE,
    SUBSET,
    THRESHOLD,
    TreeData,
)
from treewright.tree.walk import checked_node

if TYPE_CHECKING:
    from treewright.table.schema import Feature, Schema

__all__ = [
    "IsMissing",
    "Multiway",
    "Split",
    "Subset",
    "Threshold",
    "make_split",
    "split_of",
    "splits_of",
]

_LONGEST_NUMBER = 32


@dataclass(frozen=True)
class Split:
    """The fields that all splits have.

    Parameters
    ----------
    feature : str
        Name of the split's column.
    column : int
        Number of that column in the schema.
    missing : int
        Branch of a missing value, or `STOP_HERE` (-1), or `ALL_BRANCHES` (-2).
    n_branches : int
        Number of branches.
    gain : float
        Decrease of the impurity.
    proven : bool
        Whether this is proven to be the best split of its kind.
    """

    feature: str
    column: int
    missing: int
    n_branches: int
    gain: float
    proven: bool

    def words(
        self,
        branch: int,
        *,
        missing: bool = False,
        most: int | None = None,
        longest: int | None = None,
    ) -> str:
        """Return the condition that the rows of one branch meet.

        Parameters
        ----------
        branch : int
            0 is the first (left) branch.
        missing : bool, default=False
            Add "or missing" to the branch that missing values take.
        most : int or None, default=None
            Name at most this many categories, the most frequent ones; None: all.
        longest : int or None, default=None
            Shorten the column's name and every category to this many characters;
            None: write them in full.

        Returns
        -------
        str
            Such as ``petal length <= 2.45`` or ``sex = female``.
        """
        if not 0 <= branch < self.n_branches:
            raise OptionError(
                f"branch must be a whole number from 0 to {self.n_branches - 1}; "
                f"got {branch!r}."
            )
        condition = self._condition(branch, most, longest)
        is_missing = condition.startswith("is missing")
        if missing and branch == self.missing and not is_missing:
            condition += " or missing"
        return f"{wording.cut(wording.name(self.feature), longest)} {condition}"

    def missing_words(self) -> str:
        """Return where a missing value goes, as text to follow "missing"."""
        if self.missing == STOP_HERE:
            return "stops here"
        if self.missing == ALL_BRANCHES:
            return "goes down every branch, by weight"
        return f"goes with {self.words(self.missing, most=3)}"

    def _condition(self, branch: int, most: int | None, longest: int | None) -> str:
        raise NotImplementedError


@dataclass(frozen=True)
class Threshold(Split):
    """``x <= threshold`` takes branch 0, anything above takes branch 1.

    Parameters
    ----------
    threshold : float
        The number to compare with: a rank for an ordinal column, microseconds since
        1970 for a date.
    at : str
        The threshold in the form of the column: a date, a category, a number; for a
        column cut into intervals, the cut.
    values : tuple
        The value of each branch, if the column has only two values (booleans).
    """

    threshold: float
    at: str
    values: tuple[str, ...] = ()

    def _condition(self, branch: int, most: int | None, longest: int | None) -> str:
        if self.values:
            return f"= {self.values[branch]}"
        # Numbers and dates are shorter than this; only a category can be shortened.
        longest = None if longest is None else max(longest, _LONGEST_NUMBER)
        return f"{'>' if branch else '<='} {wording.cut(self.at, longest)}"


@dataclass(frozen=True)
class _ByCategory(Split):
    """Each listed category takes its branch; others go where missing values go.

    Parameters
    ----------
    branches : tuple of tuple
        Categories seen in the node, for each branch, in category order. A branch
        without categories holds the missing values alone.
    intervals : bool
        Whether the categories are intervals of a column of numbers.
    shares : mapping of category to float
        Share of each category in the training rows; empty if unknown.
    """

    branches: tuple[tuple[Any, ...], ...]
    intervals: bool = False
    shares: Mapping[Any, float] = field(default_factory=dict, repr=False, compare=False)

    def _condition(self, branch: int, most: int | None, longest: int | None) -> str:
        labels = self.branches[branch]
        if not labels:
            return "is missing or unseen"
        if len(labels) == 1:
            one = wording.value(labels[0], longest)
            # The intervals "<= 18" and "> 60" are conditions already.
            relation = "in " if self.intervals and " to " in one else "= "
            return one if self.intervals and one[0] in "<>" else f"{relation}{one}"
        return f"in {wording.listed(labels, most, longest, self.shares)}"


class Subset(_ByCategory):
    """Two groups of categories."""


class Multiway(_ByCategory):
    """Any number of groups of categories, usually one category each."""


@dataclass(frozen=True)
class IsMissing(Split):
    """Missing values take branch 0, known values branch 1."""

    def _condition(self, branch: int, most: int | None, longest: int | None) -> str:
        return "is known" if branch else "is missing"


def split_of(tree: TreeData, node: int) -> Split | None:
    """Return the split of a node, or None for a leaf.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        Number of the node.

    Returns
    -------
    Threshold, Subset, IsMissing, Multiway or None
    """
    node = checked_node(tree, node)
    kind = int(tree.split_kind[node])
    if kind == LEAF:
        return None
    start = end = 0
    if kind in (SUBSET, MULTIWAY):
        start, end = tree.category_start[node : node + 2].tolist()
    return make_split(
        tree.schema,
        kind,
        int(tree.feature[node]),
        missing=int(tree.missing_route[node]),
        n_branches=int(tree.n_children[node]),
        gain=float(tree.gain[node]),
        proven=bool(tree.proven[node]),
        threshold=float(tree.threshold[node]),
        categories=tree.categories[start:end].tolist(),
        branches=tree.category_branch[start:end].tolist(),
    )


def splits_of(
    tree: TreeData, nodes: NDArray[np.integer[Any]]
) -> Iterator[Split | None]:
    """Yield the splits of many nodes, much faster than `split_of` one by one."""
    columns = (
        tree.split_kind,
        tree.feature,
        tree.missing_route,
        tree.n_children,
        tree.gain,
        tree.proven,
        tree.threshold,
        tree.category_start[:-1],
        tree.category_start[1:],
    )
    lists = [column[nodes].tolist() for column in columns]
    schema, categories = tree.schema, tree.categories
    for kind, feature, route, n, gain, proven, at, start, end in zip(
        *lists, strict=True
    ):
        if kind == LEAF:
            yield None
            continue
        by_category = start < end
        yield make_split(
            schema,
            kind,
            feature,
            missing=route,
            n_branches=n,
            gain=gain,
            proven=proven,
            threshold=at,
            categories=categories[start:end].tolist() if by_category else (),
            branches=tree.category_branch[start:end].tolist() if by_category else (),
        )


def make_split(
    schema: Schema,
    kind: int,
    column: int,
    *,
    threshold: float,
    categories: Sequence[int],
    branches: Sequence[int],
    **common: Any,
) -> Split:
    """Return a split with names, from the numbers in the arrays and the core.

    Parameters
    ----------
    schema : Schema
        The columns.
    kind : int
        One of the split kinds, not a leaf.
    column : int
        Number of the column in the schema.
    threshold : float
        The threshold of a threshold split; other splits ignore it.
    categories, branches : sequences of int
        The codes seen and the branch of each, for a subset or a multiway split.
    **common
        The other fields of `Split`: missing, n_branches, gain, proven.

    Returns
    -------
    Threshold, Subset, IsMissing or Multiway
    """
    feature = schema.features[column]
    common = {"feature": str(feature.name), "column": column, **common}
    if kind == THRESHOLD:
        return _threshold(feature, threshold, common)
    if kind == IS_MISSING:
        return IsMissing(**common)
    groups: list[list[Any]] = [[] for _ in range(common["n_branches"])]
    for code, branch in zip(categories, branches, strict=True):
        groups[branch].append(feature.labels[code])
    view = Multiway if kind == MULTIWAY else Subset
    intervals = feature.cuts is not None
    return view(
        **common,
        branches=tuple(map(tuple, groups)),
        intervals=intervals,
        shares=feature.shares,
    )


def _threshold(feature: Feature, threshold: float, common: dict[str, Any]) -> Split:
    values: tuple[str, ...] = ()
    if feature.cuts:
        cut = feature.cuts[_rank(threshold, len(feature.cuts))]
        at = show_number(feature, cut)
        if feature.stored_as == "bool" and len(feature.cuts) == 1:
            values = ("False", "True")
    elif feature.kind == "ordinal":
        at = wording.value(feature.labels[_rank(threshold, len(feature.labels))])
    else:
        at = show_value(feature, threshold + 0.0)  # -0.0 becomes 0.0
        if feature.stored_as == "bool" and 0 <= threshold < 1:
            values = ("False", "True")
    return Threshold(**common, threshold=threshold, at=at, values=values)


def _rank(threshold: float, n_labels: int) -> int:
    """Return the highest category on the left of a threshold between ranks."""
    return int(min(max(np.floor(threshold), 0), n_labels - 1))
