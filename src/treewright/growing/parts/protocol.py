"""What an engine must offer so that a tree can be grown from its rows.

An engine keeps the rows in coded parts (`coding.CodedPart`) and passes requests to
them. Requests and replies are bytes that only the C++ core reads. `answer` is a pure
function of a part and a request: an engine may repeat it, run it anywhere and in any
order. `merged` joins replies; all sums are integers, so the order does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.growing.parts.coding import CodedPart

__all__ = ["Parts", "Rows", "answer", "merged", "rows_of_node"]

Rows = tuple[list[NDArray[Any]], NDArray[Any], NDArray[np.int64] | None]
"""Rows of a node: its usable columns, the target, and the weights in units or None."""


class Parts(Protocol):
    """Coded rows that answer requests."""

    def ask(self, kernel: str, request: bytes) -> bytes:
        """Return the merged reply of all parts, each counted once.

        Parameters
        ----------
        kernel : {'count', 'measure', 'neighbours'}
            The kernel to run.
        request : bytes
            The request.

        Returns
        -------
        bytes
        """

    def gather(self, node: int, homes: Sequence[int], request: bytes) -> Rows:
        """Return the rows of one node, in any order.

        Parameters
        ----------
        node : int
            The node.
        homes : sequence of int
            All nodes that will be gathered, in case one pass can prepare them.
        request : bytes
            Holds the splits that lead to the nodes.

        Returns
        -------
        columns : list of arrays
            The usable columns: numbers as float64, others as int32 codes.
        target : array
            Classes as int32 codes, or float64 numbers.
        weights : int64 array or None
            In units.
        """


def answer(kernel: str, part: CodedPart, request: bytes) -> bytes:
    """Return the reply of one part.

    Parameters
    ----------
    kernel : str
        'count', 'measure' or 'neighbours'; 'route' only finds the node of each row.
    part : CodedPart
        The part. It remembers the node of each row for the next request, which may be
        forgotten at any time.
    request : bytes
        The request.

    Returns
    -------
    bytes
    """
    node, applied = part.nodes()
    start = max(applied, 0)
    codes, values, target, n_splits = _core.part_needs(kernel, request, start)
    reply = _core.part_answer(
        kernel,
        request,
        {column: part.codes(column) for column in codes},
        {column: part.values(column) for column in values},
        part.target() if target else None,
        part.weights(),
        node,
        applied,
    )
    part.remember(node, n_splits)
    return reply


def merged(kernel: str, request: bytes, replies: Iterable[bytes]) -> bytes:
    """Return the replies of several parts as one.

    Parameters
    ----------
    kernel : str
        The kernel that made them.
    request : bytes
        The request that they answer.
    replies : iterable of bytes
        At least one.

    Returns
    -------
    bytes
    """
    return reduce(lambda a, b: _core.part_merge(kernel, request, a, b), replies)


def rows_of_node(part: CodedPart, node: int, request: bytes) -> Rows:
    """Return the rows of a part that lie in a node.

    Parameters
    ----------
    part : CodedPart
        The part.
    node : int
        The node.
    request : bytes
        Holds the splits that lead to it.

    Returns
    -------
    tuple
        See `Parts.gather`.
    """
    answer("route", part, request)
    rows = np.flatnonzero(part.nodes()[0] == node)
    weights = part.weights()
    return (
        [part.decoded(column, rows) for column in range(part.n_columns)],
        part.target()[rows],
        None if weights is None else weights[rows],
    )
