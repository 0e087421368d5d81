"""The C++ core of treewright: sorting, growing, pruning and routing."""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


class SortedTable:
    """Columns sorted once; knows no target."""

    def __init__(self, columns: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], kinds: Sequence[int], n_rows: int, n_threads: int) -> None: ...

    def summary(self, column: int) -> tuple:
        """Missing rows, minimum, quartiles and maximum of a column."""

    def deciles(self, column: int) -> tuple:
        """
        Distinct deciles of a column, and how many known values are at most each.
        """

class Grower:
    """A tree that grows node by node; see core/include/treewright/grow.hpp."""

    def __init__(self, table: object, labels: object | None, n_classes: int, values: object | None, weights: object | None, options: dict, consume: bool) -> None: ...

    @staticmethod
    def of_parts(table: dict, options: dict, ask: object, grow: object) -> Grower:
        """
        A tree from rows in parts; see core/include/treewright/parts_source.hpp.
        """

    @property
    def n_nodes(self) -> int: ...

    def stop_reason(self, node: int) -> int: ...

    def candidates(self, node: int, top: int) -> list:
        """The best split of each column, best first."""

    def split(self, node: int, split: dict) -> int:
        """Split an open node; the left child's number."""

    def close(self, node: int, reason: int) -> None:
        """Make an open node a leaf."""

    def grow_all(self, progress: object | None) -> None:
        """Grow all open nodes to the end."""

    def tree(self) -> dict:
        """The arrays of the tree so far."""

    def take_tree(self) -> dict:
        """The arrays of the finished tree; the grower is of no use afterwards."""

def grow_subtree(table: dict, options: dict, node: bytes, columns: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], target: Annotated[NDArray, dict(device='cpu', writable=False)], weights: object | None) -> bytes:
    """
    The subtree of an open node of rows in parts, from the gathered rows, as bytes.
    """

class PartAnswer:
    """The answer to a request, of slices of rows and of replies of parts."""

    def __init__(self, kernel: str, request: bytes) -> None: ...

    def needs(self, n_applied: int) -> tuple:
        """
        Columns whose codes and values the request reads, whether it reads the target, and the number of its splits.
        """

    def add_rows(self, codes: dict, values: dict, target: object | None, weights: object | None, node: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], n_applied: int) -> None:
        """
        Add rows; node is moved down the splits after the first n_applied (-1: from the start).
        """

    def add_reply(self, reply: bytes) -> None:
        """Add the reply of a part."""

    def reply(self) -> bytes:
        """The reply of all that was added."""

def part_progress(request: bytes) -> tuple:
    """
    The depth of the deepest node asked about, the questions, and how many of them count buckets again.
    """

def release_memory() -> None:
    """Return freed memory to the system."""

def code_cells(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], edges: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> object:
    """How many edges lie below each value; 65535 for NaN."""

def weakest_links(subtree_size: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], risk: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], stopped: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], total: float, slack: float, share: float) -> tuple:
    """Collapse alpha of each node; alpha, leaves and risk of each step."""

def cut_bottom_up(subtree_size: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], stopped: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: float, keep_ties: bool) -> object:
    """1 where a leaf costs no more than the best subtree."""

def hash_rows(columns: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], kinds: Sequence[int], n_rows: int, seed: int) -> object:
    """A number that follows from each row's values."""

def score_steps(tree_and_rows: dict, n_steps: int) -> tuple:
    """Sums of loss and squared loss of the rows at each step."""

def score_classes(tree_and_rows: dict, value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], copies: float, lambdas: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], plain_labels: bool, unit: float, log_weight: float, n_steps: int) -> object:
    """
    Sums of costs and log-losses of shrunken class probabilities, by lambda and step.
    """

def draw_classes(subtree_size: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, copies: float, lambda_: float) -> tuple:
    """
    Class probabilities of each node drawn towards the node above, and their labels.
    """

def draw_numbers(subtree_size: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], m: float) -> object:
    """Means of the nodes drawn towards the node above."""

def node_losses(tree_and_rows: dict) -> tuple:
    """
    Loss of the rows that pass each node, answered there; and of those that end in it.
    """

def check_tree(arrays: dict, kinds: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], n_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, n_stop_reasons: int) -> None:
    """
    Raise TreeFormatError unless splits and evidence of every node are possible ones.
    """

class Router:
    """A tree, laid out for sending rows down."""

    def __init__(self, arrays: dict, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], kinds: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], n_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def route(self, columns: Sequence, n_rows: int, n_threads: int) -> object:
        """Node reached by each row of these columns."""

    def route_shares(self, columns: Sequence, n_rows: int) -> object:
        """Row, node and share of every end of every row."""

    def turn(self, node: int, features: Sequence[int], values: Sequence[float]) -> object:
        """
        Branch of one row at a node, and who chose it: -1 its value, -2 the missing route, else the number of a surrogate.
        """

    def branches(self, node: int, features: Sequence[int], columns: Sequence, n_rows: int) -> object:
        """Branch of each row at a node."""

    def route_matrix(self, X: Annotated[NDArray, dict(device='cpu', writable=False)], n_threads: int) -> object:
        """Node reached by each row of a float matrix."""

    def answer_matrix(self, X: Annotated[NDArray, dict(device='cpu', writable=False)], answers: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
        """
        What the node reached by each row answers: eight bytes, whatever they mean.
        """
