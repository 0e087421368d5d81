"""Where rows with a missing value went at a split: by surrogates, or the default."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.reading.conditions.condition import Surrogate
from treewright.reading.conditions.path_conditions import surrogates_of
from treewright.tree import wording
from treewright.tree.data import ALL_BRANCHES, LEAF, STOP_HERE, TreeData
from treewright.tree.split import split_of
from treewright.tree.walk import checked_node

__all__ = ["MissingAccount", "SurrogateSplit", "missing_account", "surrogate_splits"]


@dataclass(frozen=True)
class SurrogateSplit:
    """A split on another column, used where the value of the split's own is missing.

    Parameters
    ----------
    place : int
        1 for the surrogate that is tried first.
    feature : str
        Name of the column it tests.
    column : int
        Number of that column in the schema.
    agree : float
        Share of the weight, among rows with a value in the split's column, that it
        sends to the same branch as the split.
    adjusted : float
        How much it improves on sending all rows to the heavier branch: 1 if it
        always agrees with the split, 0 if it is no better.
    n_rows : int
        Training rows that it sent to a branch.
    """

    place: int
    feature: str
    column: int
    agree: float
    adjusted: float
    n_rows: int
    _surrogate: Surrogate

    def words(self, branch: int = 0, longest: int | None = None) -> str:
        """Return the condition that sends a row to branch 0 or 1, as text."""
        return self._surrogate.words(branch, longest)

    def __str__(self) -> str:
        """One line: condition, agreement and rows."""
        return (
            f"{self.place}. {self.words(0)} goes left: agrees "
            f"{wording.percent(self.agree)}, adjusted "
            f"{wording.percent(self.adjusted)}, sent {_rows(self.n_rows)}"
        )


@dataclass(frozen=True)
class MissingAccount:
    """Where the training rows of a node went that have no value in its split's column.

    Parameters
    ----------
    node : int
        The node.
    feature : str or None
        Column of its split; None for a leaf.
    n_missing : int
        Rows in which that column is missing.
    surrogates : tuple of SurrogateSplit
        In the order in which they are tried, each with the rows it sent.
    n_rest : int
        Rows that no surrogate could send.
    route : int
        Where these go: a branch, `STOP_HERE` (-1) or `ALL_BRANCHES` (-2).
    """

    node: int
    feature: str | None
    n_missing: int
    surrogates: tuple[SurrogateSplit, ...]
    n_rest: int
    route: int
    _rest_goes: str

    @property
    def words(self) -> str:
        """The account as a sentence."""
        if self.feature is None:
            return f"Node {self.node} is a leaf: it has no split."
        parts = [
            f"{_rows(each.n_rows)} by surrogate {each.place}, "
            f"{wording.name(each.feature)}"
            for each in self.surrogates
            if each.n_rows
        ]
        if self.n_rest:
            parts.append(f"{_rows(self.n_rest)} {self._rest_goes}")
        how = ": " + "; ".join(parts) if parts else ""
        column = wording.name(self.feature)
        return f"{_rows(self.n_missing)} missing in {column}{how}."

    def __str__(self) -> str:
        """The same as `words`."""
        return self.words


def surrogate_splits(tree: TreeData, node: int) -> tuple[SurrogateSplit, ...]:
    """Return the surrogates of a node in the order in which they are tried.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        A node. The result is empty for a leaf and for a node without surrogates.

    Returns
    -------
    tuple of SurrogateSplit
    """
    node = checked_node(tree, node)
    first = int(tree.surrogate_start[node])
    return tuple(
        SurrogateSplit(
            place + 1,
            surrogate.feature.name,
            surrogate.column,
            float(tree.surrogate_agree[first + place]),
            float(tree.surrogate_adjust[first + place]),
            int(tree.surrogate_rows[first + place]),
            surrogate,
        )
        for place, surrogate in enumerate(surrogates_of(tree, node))
    )


def missing_account(tree: TreeData, node: int) -> MissingAccount:
    """Return where the training rows without a value in a split's column went.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        A node.

    Returns
    -------
    MissingAccount
        ``account.words`` is a sentence; the counts add up to `n_missing`.
    """
    node = checked_node(tree, node)
    surrogates = surrogate_splits(tree, node)
    split = split_of(tree, node)
    n_missing = int(tree.n_missing[node])
    return MissingAccount(
        node,
        None if split is None else split.feature,
        n_missing,
        surrogates,
        n_missing - sum(each.n_rows for each in surrogates),
        int(tree.missing_route[node]),
        _rest_goes(tree, node),
    )


def _rest_goes(tree: TreeData, node: int) -> str:
    route = int(tree.missing_route[node])
    if tree.split_kind[node] == LEAF or route == STOP_HERE:
        return "stopped here"
    if route == ALL_BRANCHES:
        return "divided among all branches"
    split = split_of(tree, node)
    assert split is not None
    by = "the heavier branch" if _has_surrogates(tree) else "the learned branch"
    return f"by {by}, {split.words(route, missing=False)}"


def _has_surrogates(tree: TreeData) -> bool:
    chosen = tree.options.get("missing") == "surrogate"
    return chosen or len(tree.surrogate_feature) > 0


def _rows(n: int) -> str:
    return f"{n} row" if n == 1 else f"{n} rows"
