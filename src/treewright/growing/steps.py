"""Grow a tree node by node: inspect an open node, split it, close it, resume later.

This serves everything that decides about single nodes: editing by hand, the competitors
of a split, the calculation behind a split. The order of the steps does not change the
tree. `TrainingSet.steps` makes a `Steps`; `Steps.resume` continues from any tree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, TableError
from treewright.options import GrowOptions
from treewright.table.grain import day_below, has_local_days
from treewright.tree import wording
from treewright.tree.data import (
    ALL_BRANCHES,
    IS_MISSING,
    LEAF,
    MULTIWAY,
    STOP_CODES,
    STOP_HERE,
    STOP_REASONS,
    SUBSET,
    THRESHOLD,
    TreeData,
)
from treewright.tree.split import (
    IsMissing,
    Multiway,
    Split,
    Subset,
    Threshold,
    make_split,
    split_of,
)
from treewright.tree.walk import children

if TYPE_CHECKING:
    from treewright._core import Grower
    from treewright.table.schema import Feature, Schema

__all__ = ["Steps"]

# Fields that have the same name in the core and in `make_split`.
_SHARED = ("threshold", "gain", "proven", "categories", "branches")


class Steps:
    """A tree that grows one step at a time.

    Nodes are numbered in the order of their creation: the root is 0, and the children
    of a split take the next numbers. `tree` numbers them in preorder.

    A node that a rule stops before the search (pure, max_depth, too few rows) is
    never open. Under `conventions`, candidates have the thresholds of the search, and
    `tree` has the thresholds that the other program would write.

    Parameters
    ----------
    grower : Grower
        The grower of the core, with the root open.
    schema : Schema
        The schema of the grower's table.
    options : GrowOptions
        The options of the grower.
    make_tree : callable
        Builds a tree from the grower's arrays.
    """

    def __init__(
        self,
        grower: Grower,
        schema: Schema,
        options: GrowOptions,
        make_tree: Callable[[dict[str, Any]], TreeData],
    ) -> None:
        self._grower, self._schema, self._options = grower, schema, options
        self._make_tree = make_tree
        self._codes: dict[int, dict[Any, int]] = {}  # column -> label -> code
        self._open: dict[int, None] = {}
        self._add_open(0)

    # -- inspecting ---------------------------------------------------------------

    @property
    def open(self) -> tuple[int, ...]:
        """The nodes that may still be split, oldest first."""
        return tuple(self._open)

    def stop_reason(self, node: int) -> str:
        """Return the rule that made a node a leaf, or "" if no rule did."""
        code: int = self._grower.stop_reason(self._existing(node))
        return STOP_REASONS[code].name

    def candidates(self, node: int, top: int = 1) -> list[Split]:
        """Return the best split of each column, best first.

        Parameters
        ----------
        node : int
            An open node.
        top : int, default=1
            The largest number of splits to return. With ``top=1``, the result is the
            split that growing takes, or nothing where growing stops. With a larger
            `top`, splits are listed even where their gain is below `min_gain`.

        Returns
        -------
        list of Split
            Only splits that the rules on rows and weight allow.
        """
        candidates = self._grower.candidates(self._checked(node), top)
        return [self._as_split(candidate) for candidate in candidates]

    def tree(self) -> TreeData:
        """Return the tree so far; open nodes are leaves without a stop reason."""
        return self._make_tree(self._grower.tree())

    # -- growing ------------------------------------------------------------------

    def split(self, node: int, split: Split) -> tuple[int, ...]:
        """Split an open node by a candidate, a split of another tree, or your own.

        Parameters
        ----------
        node : int
            An open node.
        split : Threshold, Subset, IsMissing or Multiway
            The split is applied to its `column`, whatever its `feature` is called. Its
            gain is computed afresh. The rules on rows and weight do not apply, but no
            branch may be empty.

        Returns
        -------
        tuple of int
            The new nodes, one for each branch.
        """
        node = self._checked(node)
        request = self._request(split)
        try:
            first: int = self._grower.split(node, request)
        except ValueError as error:
            raise OptionError(
                f"{split.words(0)!r} does not divide node {node}: {error}. Take a "
                "split with rows in every branch."
            ) from error
        del self._open[node]
        made = tuple(range(first, first + split.n_branches))
        self._add_open(*made)
        return made

    def close(self, node: int, reason: str = "pruned") -> None:
        """Turn an open node into a leaf; `reason` is a name in `STOP_CODES`."""
        node = self._checked(node)
        if reason not in STOP_CODES:
            known = ", ".join(STOP_CODES)
            raise OptionError(f"reason must be one of {known}; got {reason!r}.")
        self._grower.close(node, STOP_CODES[reason])
        del self._open[node]

    def step(self, node: int) -> tuple[int, ...]:
        """Grow one open node by one step, and return its children, if any."""
        best = self.candidates(node)
        if best:
            return self.split(node, best[0])
        self._grower.close(node, 0)  # 0: the core names the rule that forbids a split
        del self._open[node]
        return ()

    def grow_all(self, progress: Callable[[float], Any] | None = None) -> TreeData:
        """Grow all open nodes to the end and return the tree."""
        self._open.clear()
        self._grower.grow_all(progress)
        return self.tree()

    def resume(self, tree: TreeData) -> NDArray[np.int64]:
        """Repeat the splits of a tree, and leave its leaves open.

        Parameters
        ----------
        tree : TreeData
            Any tree of these columns: grown, pruned or edited by hand. The rows of
            this table replace the rows that it was grown on. It is an error if a rule
            stops a node that the tree splits.

        Returns
        -------
        int array of tree.n_nodes
            The number of each node of the tree in this growth; -1 for the branches
            that the habits of J48 add for categories without rows.
        """
        _check_same_columns(self._schema, tree.schema)
        numbers = np.zeros(tree.n_nodes, dtype=np.int64)
        for node in np.flatnonzero(tree.split_kind != LEAF).tolist():
            split, below = cast(Split, split_of(tree, node)), children(tree, node)
            if isinstance(split, Multiway) and not tree.n_rows[list(below)].all():
                taken = [i for i, child in enumerate(below) if tree.n_rows[child]]
                numbers[list(below)] = -1
                split = _with_branches(split, taken)
                below = tuple(below[i] for i in taken)
            try:
                made = self.split(int(numbers[node]), split)
            except OptionError as error:
                raise OptionError(
                    f"The split of node {node} of the tree ({split.words(0)}) cannot "
                    f"be made on this table: {error}"
                ) from error
            numbers[list(below)] = made
        return numbers

    # -- small helpers ------------------------------------------------------------

    def _add_open(self, *nodes: int) -> None:
        self._open.update((n, None) for n in nodes if not self._grower.stop_reason(n))

    def _existing(self, node: int) -> int:
        last = self._grower.n_nodes - 1
        whole = isinstance(node, int | np.integer) and not isinstance(node, bool)
        if not whole or not 0 <= node <= last:
            raise OptionError(
                f"node must be a whole number from 0 to {last}; got {node!r}."
            )
        return int(node)

    def _checked(self, node: int) -> int:
        node = self._existing(node)
        if node not in self._open:
            why = self.stop_reason(node)
            state = f"already a leaf ({why})" if why else "already split or finished"
            listed = ", ".join(map(str, self._open)) or "none"
            raise OptionError(f"Node {node} is {state}. Open nodes: {listed}.")
        return node

    def _as_split(self, candidate: dict[str, Any]) -> Split:
        """Translate a candidate of the core into a split with names and labels."""
        column = self._schema.usable[candidate["column"]]
        shared = {name: candidate[name] for name in _SHARED}
        feature = self._schema.features[column]
        if self._options.conventions is None and has_local_days(feature):
            shared["threshold"] = day_below(shared["threshold"], feature.timezone)
        return make_split(
            self._schema,
            candidate["kind"],
            column,
            missing=candidate["missing_route"],
            n_branches=candidate["n_branches"],
            **shared,
        )

    def _request(self, split: Split) -> dict[str, Any]:
        """Translate a split for the core; the inverse of `_as_split`."""
        features, usable = self._schema.features, list(self._schema.usable)
        if split.column not in usable:
            raise OptionError(
                f"A split must use a usable column, one of the numbers {usable}; "
                f"got column {split.column!r} ({split.feature!r})."
            )
        lowest = ALL_BRANCHES if self._options.missing == "fractional" else STOP_HERE
        if not lowest <= split.missing < split.n_branches:
            raise OptionError(
                "A split needs a branch for missing values, 0 to "
                f"{split.n_branches - 1}, or {STOP_HERE} to stop them; "
                f"got {split.missing!r} for {split.feature!r}."
            )
        if split.column not in self._codes:
            labels = features[split.column].labels or ()
            self._codes[split.column] = {x: code for code, x in enumerate(labels)}
        condition = _condition(split, features[split.column], self._codes[split.column])
        return {
            **condition,
            "column": usable.index(split.column),
            "missing_route": split.missing,
            "proven": bool(split.proven),
            "n_branches": split.n_branches,
        }


def _with_branches(split: Multiway, taken: list[int]) -> Multiway:
    """Return the split with only some of its branches."""
    return replace(
        split,
        branches=tuple(split.branches[i] for i in taken),
        n_branches=len(taken),
        missing=taken.index(split.missing) if split.missing >= 0 else split.missing,
    )


def _condition(
    split: Split, feature: Feature, codes: Mapping[Any, int]
) -> dict[str, Any]:
    """Return the condition of a split in codes; refuse one that the column cannot have.

    `codes` maps the labels of the column to their codes.
    """
    if isinstance(split, IsMissing):
        return {"kind": IS_MISSING}
    if isinstance(split, Threshold) and feature.kind != "categorical":
        if math.isnan(split.threshold):
            raise OptionError(f"The threshold of {feature.name!r} must not be NaN.")
        return {"kind": THRESHOLD, "threshold": float(split.threshold)}
    if not isinstance(split, Subset | Multiway) or feature.kind == "numeric":
        raise OptionError(
            f"A {feature.kind} column such as {feature.name!r} cannot be divided by "
            f"a split of type {type(split).__name__}."
        )
    branch_of = {
        x: branch for branch, group in enumerate(split.branches) for x in group
    }
    known = [x for x in branch_of if x in codes]
    complete = len(known) == sum(map(len, split.branches))
    if len(split.branches) != split.n_branches or not complete:
        raise OptionError(
            f"A split of {feature.name!r} needs {split.n_branches} groups of its "
            f"categories {wording.listed(feature.labels, 9)}, each category in one "
            f"group; got {split.branches!r}."
        )
    known.sort(key=codes.__getitem__)
    return {
        "kind": SUBSET if isinstance(split, Subset) else MULTIWAY,
        "categories": [codes[x] for x in known],
        "branches": [branch_of[x] for x in known],
    }


def _check_same_columns(ours: Schema, theirs: Schema) -> None:
    def columns(schema: Schema) -> list[Any]:
        return [
            (f.name, f.kind, tuple(f.labels or ()), f.cuts) for f in schema.features
        ]

    if columns(ours) != columns(theirs):
        raise TableError(
            "The columns of the table differ from those of the tree: names, kinds and "
            "categories must agree. Build the table with the same columns and kinds."
        )
