"""Where rows went that were missing in a split's column: surrogates, and the rest."""

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
    """A split of another column that stands in where the split's own is missing.

    Parameters
    ----------
    place : int
        1 for the surrogate that is asked first.
    feature : str
        Name of the column it looks at.
    column : int
        Number of that column in the schema.
    agree : float
        Share of the weight, among rows known in the split's column, that it sends
        the same way.
    adjusted : float
        What of the disagreement of "all to the heavier branch" it takes away:
        1 is perfect, 0 no better.
    n_rows : int
        Training rows that it sent on.
    """

    place: int
    feature: str
    column: int
    agree: float
    adjusted: float
    n_rows: int
    _asks: Surrogate

    def words(self, branch: int = 0, longest: int | None = None) -> str:
        """Say what sends a row to a branch, 0 or 1."""
        return self._asks.words(branch, longest)

    def __str__(self) -> str:
        """Say all of it in one line."""
        return (
            f"{self.place}. {self.words(0)} goes left: agrees "
            f"{wording.percent(self.agree)}, adjusted "
            f"{wording.percent(self.adjusted)}, sent {_rows(self.n_rows)}"
        )


@dataclass(frozen=True)
class MissingAccount:
    """Where the training rows of a node went that were missing in its split's column.

    Parameters
    ----------
    node : int
        The node.
    feature : str or None
        Column of its split; None for a leaf.
    n_missing : int
        Rows in which it was missing.
    surrogates : tuple of SurrogateSplit
        In the order they are asked, each with the rows it sent on.
    n_rest : int
        Rows that no surrogate placed.
    route : int
        Where the rest goes: a branch, `STOP_HERE` (-1) or `ALL_BRANCHES` (-2).
    """

    node: int
    feature: str | None
    n_missing: int
    surrogates: tuple[SurrogateSplit, ...]
    n_rest: int
    route: int
    _goes: str

    @property
    def words(self) -> str:
        """The account in words."""
        if self.feature is None:
            return f"Node {self.node} is a leaf: it asks for nothing."
        parts = [
            f"{_rows(each.n_rows)} by surrogate {each.place}, "
            f"{wording.name(each.feature)}"
            for each in self.surrogates
            if each.n_rows
        ]
        if self.n_rest:
            parts.append(f"{_rows(self.n_rest)} {self._goes}")
        how = ": " + "; ".join(parts) if parts else ""
        asked = wording.name(self.feature)
        return f"{_rows(self.n_missing)} missing in {asked}{how}."

    def __str__(self) -> str:
        """Say it in words."""
        return self.words


def surrogate_splits(tree: TreeData, node: int) -> tuple[SurrogateSplit, ...]:
    """Return the surrogates of a node in the order they are asked.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        A node; one that is a leaf, or has no surrogates, gives none.

    Returns
    -------
    tuple of SurrogateSplit
    """
    node = checked_node(tree, node)
    first = int(tree.surrogate_start[node])
    return tuple(
        SurrogateSplit(
            place + 1,
            asks.feature.name,
            asks.column,
            float(tree.surrogate_agree[first + place]),
            float(tree.surrogate_adjust[first + place]),
            int(tree.surrogate_rows[first + place]),
            asks,
        )
        for place, asks in enumerate(surrogates_of(tree, node))
    )


def missing_account(tree: TreeData, node: int) -> MissingAccount:
    """Return where the training rows went that were missing in a split's column.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        A node.

    Returns
    -------
    MissingAccount
        ``account.words`` says it; its counts add up to `n_missing`.
    """
    node = checked_node(tree, node)
    found = surrogate_splits(tree, node)
    split = split_of(tree, node)
    n_missing = int(tree.n_missing[node])
    return MissingAccount(
        node,
        None if split is None else split.feature,
        n_missing,
        found,
        n_missing - sum(each.n_rows for each in found),
        int(tree.missing_route[node]),
        _goes(tree, node),
    )


def _goes(tree: TreeData, node: int) -> str:
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
    asked = tree.options.get("missing") == "surrogate"
    return asked or len(tree.surrogate_feature) > 0


def _rows(n: int) -> str:
    return f"{n} row" if n == 1 else f"{n} rows"
