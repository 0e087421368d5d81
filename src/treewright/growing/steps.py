"""Grow a tree node by node: look at an open node, split it, close it, go on later.

For whoever decides about single nodes: editing by hand, the competitors of a split, the
working behind it. Any order of steps gives the same tree, and `Steps.resume` goes on
from any tree. `TrainingSet.steps` makes a `Steps`.
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

# What the core and `make_split` call by the same name.
_SHARED = ("threshold", "gain", "proven", "categories", "branches")


class Steps:
    """A tree that grows one step at a time.

    Nodes are numbered in the order they are made: the root is 0, the children of
    a split are the next numbers. `tree` numbers them in preorder.

    A node that a rule stops before any search (pure, max_depth, too few rows) is
    never open. Under `conventions`, candidates have the thresholds of the search;
    `tree` has those that the program would write.

    Parameters
    ----------
    grower : Grower
        Of the core, with the root open.
    schema : Schema
        Of the table that the grower works on.
    options : GrowOptions
        Those of the grower.
    make_tree : callable
        Makes a tree of the grower's arrays.
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
        self._codes: dict[int, dict[Any, int]] = {}  # of the labels, by column
        self._open: dict[int, None] = {}
        self._add_open(0)

    # -- looking ------------------------------------------------------------------

    @property
    def open(self) -> tuple[int, ...]:
        """Nodes that may still be split, oldest first."""
        return tuple(self._open)

    def stop_reason(self, node: int) -> str:
        """Return the rule that made a node a leaf, or "" if none has."""
        code: int = self._grower.stop_reason(self._existing(node))
        return STOP_REASONS[code].name

    def candidates(self, node: int, top: int = 1) -> list[Split]:
        """Return the best split of each column, best first.

        Parameters
        ----------
        node : int
            An open node.
        top : int, default=1
            At most so many. The one with ``top=1`` is the split that growing
            takes; there is none where growing stops. More of them are listed
            even where their gain is below `min_gain`.

        Returns
        -------
        list of Split
            All of them allowed by the rules on rows and weight.
        """
        found = self._grower.candidates(self._checked(node), top)
        return [self._view(candidate) for candidate in found]

    def tree(self) -> TreeData:
        """Return the tree so far; open nodes are leaves without a stop reason."""
        return self._make_tree(self._grower.tree())

    # -- growing ------------------------------------------------------------------

    def split(self, node: int, split: Split) -> tuple[int, ...]:
        """Split an open node by any split: a candidate, another tree's, your own.

        Parameters
        ----------
        node : int
            An open node.
        split : Threshold, Subset, IsMissing or Multiway
            Its `column` counts, not the name; its gain is worked out anew. The
            rules on rows and weight are not asked, but no branch may be empty.

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
        """Make a leaf of an open node; `reason` is a name of `STOP_CODES`."""
        node = self._checked(node)
        if reason not in STOP_CODES:
            known = ", ".join(STOP_CODES)
            raise OptionError(f"reason must be one of {known}; got {reason!r}.")
        self._grower.close(node, STOP_CODES[reason])
        del self._open[node]

    def step(self, node: int) -> tuple[int, ...]:
        """Do with one open node what growing does, and return its children, if any."""
        best = self.candidates(node)
        if best:
            return self.split(node, best[0])
        self._grower.close(node, 0)  # the core knows the rule that forbids a split
        del self._open[node]
        return ()

    def grow_all(self, progress: Callable[[float], Any] | None = None) -> TreeData:
        """Grow all open nodes to the end and return the tree."""
        self._open.clear()
        self._grower.grow_all(progress)
        return self.tree()

    def resume(self, tree: TreeData) -> NDArray[np.int64]:
        """Make the splits of a tree, whose leaves are then open, to go on from there.

        Parameters
        ----------
        tree : TreeData
            Any tree of these columns: grown, pruned or edited by hand. The rows of
            this table take the place of those it was grown on. A rule that stops
            growing above one of its splits is an error.

        Returns
        -------
        int array of tree.n_nodes
            The number that each node of the tree has here; -1 for the branches that
            the habits of J48 add for categories that no row has.
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
                f"node must be a whole number, so far from 0 to {last}; got {node!r}."
            )
        return int(node)

    def _checked(self, node: int) -> int:
        node = self._existing(node)
        if node not in self._open:
            why = self.stop_reason(node)
            state = f"a leaf already ({why})" if why else "split or finished already"
            listed = ", ".join(map(str, self._open)) or "none"
            raise OptionError(f"Node {node} is {state}. Open nodes: {listed}.")
        return node

    def _view(self, candidate: dict[str, Any]) -> Split:
        """Say a candidate of the core in the words of the schema."""
        return make_split(
            self._schema,
            candidate["kind"],
            self._schema.usable[candidate["column"]],
            missing=candidate["missing_route"],
            n_branches=candidate["n_branches"],
            **{name: candidate[name] for name in _SHARED},
        )

    def _request(self, split: Split) -> dict[str, Any]:
        """Say a split in the terms of the core, the opposite of `_view`."""
        features, usable = self._schema.features, list(self._schema.usable)
        if split.column not in usable:
            raise OptionError(
                f"A split must look at a usable column, {usable} by number; "
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
        asked = _asked(split, features[split.column], self._codes[split.column])
        return {
            **asked,
            "column": usable.index(split.column),
            "missing_route": split.missing,
            "proven": bool(split.proven),
            "n_branches": split.n_branches,
        }


def _with_branches(split: Multiway, taken: list[int]) -> Multiway:
    """Return the split with some of its branches only."""
    return replace(
        split,
        branches=tuple(split.branches[i] for i in taken),
        n_branches=len(taken),
        missing=taken.index(split.missing) if split.missing >= 0 else split.missing,
    )


def _asked(split: Split, feature: Feature, codes: Mapping[Any, int]) -> dict[str, Any]:
    """Return what a split asks of a column, in codes; refuse what does not fit it."""
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
            f"categories {wording.listed(feature.labels, 9)}, each in one group; got "
            f"{split.branches!r}."
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
            "The table and the tree differ in their columns: names, kinds and "
            "categories must agree. Build the table with the same columns and kinds."
        )
