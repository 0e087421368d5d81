"""TreeData: the tree itself, as read-only parallel arrays in preorder.

Each array has one entry per node; node 0 is the root. `TreeData` documents every
array. The same form holds binary trees, trees with many branches, any number of
categories, and trees whose rows can stop at an inner node.

Every `TreeData` is valid: its constructor refuses arrays that do not describe a tree
(core/include/treewright/tree_check.hpp), so that other code need not check again.
`treewright.tree.check.check` also compares the evidence of nodes with one another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.criteria import Criterion, find
from treewright.errors import TreeFormatError
from treewright.tree import walk
from treewright.tree.arrays import declared_array, extra_array, frozen
from treewright.tree.fingerprint import DERIVED, fingerprint
from treewright.tree.stop import STOP_CODES, STOP_REASONS, StopReason

if TYPE_CHECKING:
    from treewright.table.schema import Schema

__all__ = [
    "ALL_BRANCHES",
    "IS_MISSING",
    "LEAF",
    "MULTIWAY",
    "SPLIT_KINDS",
    "STOP_CODES",
    "STOP_HERE",
    "STOP_REASONS",
    "SUBSET",
    "THRESHOLD",
    "StopReason",
    "TreeData",
]

LEAF: Final = 0
THRESHOLD: Final = 1
SUBSET: Final = 2
IS_MISSING: Final = 3
MULTIWAY: Final = 4
SPLIT_KINDS: Final = ("leaf", "threshold", "subset", "is_missing", "multiway")
"""Name of each `split_kind`, by its number."""

STOP_HERE: Final = -1
"""Missing route: the row stops and gets the answer of this node."""
ALL_BRANCHES: Final = -2
"""Missing route: the row goes down every branch, divided by their weights."""


Kept = TypeVar("Kept")


def _array(dtype: type, shape: str = "n") -> Any:
    """Declare an array field with its type and its shape, a key of `FITS`."""
    metadata = {"dtype": np.dtype(dtype), "shape": shape}
    if " or 0" not in shape:
        return field(metadata=metadata)
    width = {"3": (3,), "k": (0,)}.get(shape[-1], ())
    return field(default_factory=lambda: np.empty((0, *width)), metadata=metadata)


def _filled(dtype: type, shape: str) -> Any:
    """Declare an optional array field, all 0 (or empty) by default."""
    metadata = {"dtype": np.dtype(dtype), "shape": shape, "optional": True}
    return field(default_factory=lambda: np.empty(0, dtype), metadata=metadata)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TreeData:
    """A tree as read-only arrays, one entry per node, in preorder.

    The constructor takes over the arrays: it makes them read-only in place if
    possible, and copies an array only if its type or layout requires it or if it is
    a view of another array.

    Parameters
    ----------
    subtree_size : int32 array of n
        Number of nodes in the subtree that starts here; 1 at a leaf. Node i's
        first child is i + 1, the next sibling of c is c + subtree_size[c].
    split_kind : int8 array of n
        `LEAF`, `THRESHOLD`, `SUBSET`, `IS_MISSING` or `MULTIWAY`.
    feature : int32 array of n
        Number of the split's column in the schema; -1 at a leaf.
    threshold : float64 array of n
        ``x <= threshold`` takes branch 0, otherwise branch 1; NaN unless the
        split is a `THRESHOLD`. For an ordinal column x is the rank.
    category_start : int64 array of n + 1
        Node i's categories are the slice
        ``[category_start[i], category_start[i + 1])`` of the next two arrays.
    categories : int32 array
        Codes of the categories seen in the node, ascending (`SUBSET`, `MULTIWAY`).
    category_branch : int32 array
        The branch of each of these categories.
    missing_route : int32 array of n
        Branch of missing values and of categories not listed; or `STOP_HERE`;
        or `ALL_BRANCHES`. -1 at a leaf. In an `IS_MISSING` split, 0.
    n_rows : int64 array of n
        Number of training rows that reached the node, without rows of weight 0.
    weight, weight_squared : float64 array of n
        Sum of their weights, and of the squares of their weights.
    value : float64 array of n x k
        Classification: weight of each of the k classes. Otherwise k = 1: the mean.
    variance : float64 array of n, or empty for classification
        Weighted variance of the target; NaN if it is not known.
    quartiles : float64 array of n x 3, or 0 x 3 for classification
        Weighted quartiles of the target; NaN if they are not known.
    impurity : float64 array of n
        Impurity by the criterion the tree was grown with.
    gain : float64 array of n
        Decrease of the impurity through the split; 0 at a leaf.
    label : int32 array of n
        Class that the node answers; -1 for a numeric target.
    risk : float64 array of n
        r(t): least cost of one answer for the node's training rows, per unit of
        weight.
    stop_reason : int8 array of n
        Index into `STOP_REASONS`; 0 at inner nodes.
    proven : bool array of n
        Whether the split is proven to be the best of its kind. True at a leaf, where
        there is nothing to prove.
    n_missing : int64 array of n, optional
        Number of the node's training rows that are missing in the split's column; 0
        at a leaf.
    surrogate_start : int64 array of n + 1, optional
        Node i's surrogate splits, best first, are the slice
        ``[surrogate_start[i], surrogate_start[i + 1])`` of the next six arrays. A
        row that is missing in the split's column takes the branch of the first
        surrogate that can place it; if none can, it takes the missing route.
    surrogate_feature, surrogate_threshold : int32, float64 array, optional
        The surrogate's column; ``x <= threshold`` takes branch 0. A NaN threshold
        marks a surrogate by categories.
    surrogate_flip : bool array, optional
        Whether ``x <= threshold`` takes branch 1 instead.
    surrogate_agree, surrogate_adjust : float64 array, optional
        Agreement: the share of rows that the surrogate sends where the split sends
        them. Adjusted agreement: (agree - m) / (1 - m), where m is the share that
        agrees when all rows go to the larger branch.
    surrogate_rows : int64 array, optional
        Number of training rows that the surrogate placed.
    surrogate_category_start : int64 array of n + 1, optional
        The categories of node i's surrogates are a slice of the next three arrays.
    surrogate_category_of : int32 array, optional
        Which of the node's surrogates the entry belongs to, counted from 0.
    surrogate_categories, surrogate_category_branch : int32 array, optional
        Codes of the surrogate's categories, ascending, and the branch of each. A
        surrogate cannot place a category that it does not list.
    answer : float64 array of n x k, or empty
        What a node answers, where that differs from its own evidence: the
        probability of each of the k classes, or the number (k = 1). Empty: the
        shares, or the means, of `value`. `treewright.tree.answer` reads it.
    schema : Schema
        The columns and the target of the training table.
    made_by : mapping, optional
        How the tree was made. Comparisons ignore it.
    extras : mapping of str to array, optional
        Further arrays with one entry (or row) per node, which edits carry along.

    Notes
    -----
    Variance, impurity, gain and risk of a numeric target are in units that
    ``schema.target.exponent`` defines; the unit is 1 unless the target is extreme.

    Two trees are equal if all their arrays (NaN = NaN), extras and schemas are equal.
    Values that follow from the arrays (`parent`, `depth`, ...) are computed on first
    use, cached, and never stored.
    """

    subtree_size: NDArray[np.int32] = _array(np.int32)
    split_kind: NDArray[np.int8] = _array(np.int8)
    feature: NDArray[np.int32] = _array(np.int32)
    threshold: NDArray[np.float64] = _array(np.float64)
    category_start: NDArray[np.int64] = _array(np.int64, "n+1")
    categories: NDArray[np.int32] = _array(np.int32, "any")
    category_branch: NDArray[np.int32] = _array(np.int32, "any")
    missing_route: NDArray[np.int32] = _array(np.int32)
    n_rows: NDArray[np.int64] = _array(np.int64)
    weight: NDArray[np.float64] = _array(np.float64)
    weight_squared: NDArray[np.float64] = _array(np.float64)
    value: NDArray[np.float64] = _array(np.float64, "n,k")
    variance: NDArray[np.float64] = _array(np.float64, "n or 0")
    quartiles: NDArray[np.float64] = _array(np.float64, "n or 0,3")
    impurity: NDArray[np.float64] = _array(np.float64)
    gain: NDArray[np.float64] = _array(np.float64)
    label: NDArray[np.int32] = _array(np.int32)
    risk: NDArray[np.float64] = _array(np.float64)
    stop_reason: NDArray[np.int8] = _array(np.int8)
    proven: NDArray[np.bool_] = _array(np.bool_)
    n_missing: NDArray[np.int64] = _filled(np.int64, "n")
    surrogate_start: NDArray[np.int64] = _filled(np.int64, "n+1")
    surrogate_feature: NDArray[np.int32] = _filled(np.int32, "any")
    surrogate_threshold: NDArray[np.float64] = _filled(np.float64, "any")
    surrogate_flip: NDArray[np.bool_] = _filled(np.bool_, "any")
    surrogate_agree: NDArray[np.float64] = _filled(np.float64, "any")
    surrogate_adjust: NDArray[np.float64] = _filled(np.float64, "any")
    surrogate_rows: NDArray[np.int64] = _filled(np.int64, "any")
    surrogate_category_start: NDArray[np.int64] = _filled(np.int64, "n+1")
    surrogate_category_of: NDArray[np.int32] = _filled(np.int32, "any")
    surrogate_categories: NDArray[np.int32] = _filled(np.int32, "any")
    surrogate_category_branch: NDArray[np.int32] = _filled(np.int32, "any")
    answer: NDArray[np.float64] = _array(np.float64, "n or 0,k")
    schema: Schema
    made_by: Mapping[str, Any] = field(default_factory=dict)
    extras: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    array_names: ClassVar[tuple[str, ...]]
    """Names of the arrays above, in order, without the extras."""
    per_node_names: ClassVar[tuple[str, ...]]
    """Names of the arrays with one entry per node."""
    needed_names: ClassVar[tuple[str, ...]]
    """Names of the arrays that are not optional."""

    def __post_init__(self) -> None:
        """Convert every array to its type and shape, freeze it, and check the tree."""
        n = np.size(self.subtree_size)
        if n < 1:
            raise TreeFormatError("A tree needs at least one node; got none.")
        for spec in fields(self):
            if spec.metadata:
                array = declared_array(
                    spec.name, getattr(self, spec.name), spec.metadata, n
                )
                object.__setattr__(self, spec.name, array)
        extras = {name: extra_array(name, a, n) for name, a in self.extras.items()}
        object.__setattr__(self, "extras", MappingProxyType(extras))
        object.__setattr__(self, "made_by", MappingProxyType(dict(self.made_by)))
        object.__setattr__(self, "_kept", {})
        _core.check_tree(
            self.arrays(),
            self.schema.kind_codes,
            self.schema.label_counts,
            _n_classes(self.schema),
            len(STOP_REASONS),
        )

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, ArrayLike],
        schema: Schema,
        made_by: Mapping[str, Any] | None = None,
        extras: Mapping[str, ArrayLike] | None = None,
    ) -> TreeData:
        """Build a tree from a dict with exactly the arrays of the class.

        Parameters
        ----------
        arrays : mapping of str to array
            Every array of `TreeData.array_names`, and no other. `variance` and
            `quartiles` may be left out for classification, and `n_missing`, the
            surrogates and `answer` for a tree that has none.
        schema : Schema
            The columns and the target.
        made_by, extras : mapping, optional
            See the class.

        Returns
        -------
        TreeData
        """
        missing = [n for n in cls.needed_names if n not in arrays]
        unknown = sorted(set(arrays) - set(cls.array_names))
        if missing or unknown:
            raise TreeFormatError(
                "These are not the arrays of a tree"
                + (f"; missing: {', '.join(missing)}" if missing else "")
                + (f"; unknown: {', '.join(unknown)}" if unknown else "")
                + ". Pass arrays of your own as extras."
            )
        values: dict[str, Any] = {**arrays}
        return cls(**values, schema=schema, made_by=made_by or {}, extras=extras or {})  # type: ignore[arg-type]

    # -- derived values, computed once --------------------------------------------

    def keep(self, name: str, make: Callable[[TreeData], Kept]) -> Kept:
        """Return ``make(self)``, computed on the first call and then cached.

        For costly values that follow from the tree. They are neither compared nor
        copied nor pickled.
        """
        kept: dict[str, Any] = self.__dict__["_kept"]
        if name not in kept:
            kept[name] = make(self)
        value: Kept = kept[name]
        return value

    @property
    def _shape(self) -> walk.Shape:
        return self.keep("shape", _read_only_shape)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.subtree_size)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.keep("n_leaves", lambda t: int(np.sum(t.subtree_size == 1)))

    @property
    def depth(self) -> NDArray[np.int32]:
        """Number of splits above each node."""
        return self._shape.depth

    @property
    def parent(self) -> NDArray[np.int32]:
        """The node above each node; -1 for the root."""
        return self._shape.parent

    @property
    def branch(self) -> NDArray[np.int32]:
        """Branch of the parent that leads to each node; -1 for the root."""
        return self._shape.branch

    @property
    def n_children(self) -> NDArray[np.int32]:
        """Number of branches of each node; 0 for a leaf."""
        return self._shape.n_children

    @property
    def share(self) -> NDArray[np.float64]:
        """Weight of each node as a share of the root's."""
        return self.keep("share", lambda t: frozen(_over(t.weight, t.weight[0])))

    @property
    def weighted_risk(self) -> NDArray[np.float64]:
        """R(t) of each node: its risk r(t) times its share of the weight."""
        return self.keep("weighted_risk", lambda t: frozen(t.risk * t.share))

    @property
    def is_classifier(self) -> bool:
        """Whether the answers are classes (else numbers)."""
        return bool(self.label[0] >= 0)

    @cached_property
    def refuses_missing(self) -> bool:
        """Whether new rows with missing or infinite values are refused."""
        return bool(self.options.get("missing") == "error")

    @cached_property
    def unseen(self) -> str:
        """How categories that were never seen are treated: 'missing' or 'error'."""
        return str(self.options.get("unseen", "missing"))

    @property
    def method(self) -> str:
        """How the tree was grown: 'cart', 'id3' or 'c45'."""
        return str(self.made_by.get("method", "cart"))

    @property
    def options(self) -> Mapping[str, Any]:
        """The options the tree was grown with; empty if they are not known."""
        options: Mapping[str, Any] = self.made_by.get("options") or {}
        return options

    @property
    def criterion(self) -> Criterion:
        """The criterion the tree was grown with; the usual one if it is not known."""
        return self.keep("criterion", _criterion)

    @property
    def fingerprint(self) -> str:
        """Hash of nodes, splits, rows and answers, the same on every machine."""
        return self.keep("fingerprint", fingerprint)

    @property
    def standard_deviation(self) -> NDArray[np.float64]:
        """Standard deviation of the target in each node; empty for classification."""
        return self.from_units(np.sqrt(self.variance))

    def in_units(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert numbers of the target to the unit of risk; see `TargetInfo`."""
        target = self.schema.target
        return values if target is None else target.in_units(values)

    def from_units(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert numbers in the unit of risk to those of the target."""
        target = self.schema.target
        return values if target is None else target.from_units(values)

    # -- behaviour as a value -----------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name, without the extras."""
        return {name: getattr(self, name) for name in self.array_names}

    def __eq__(self, other: object) -> bool:
        """Return whether arrays, extras and schema are the same."""
        if not isinstance(other, TreeData):
            return NotImplemented
        if self is other:
            return True
        if self.n_nodes != other.n_nodes or self.fingerprint != other.fingerprint:
            return False
        pairs = ((getattr(self, name), getattr(other, name)) for name in DERIVED)
        return all(np.array_equal(x, y, equal_nan=True) for x, y in pairs)

    def __hash__(self) -> int:
        """Return the hash of the fingerprint."""
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        """Return size and kind in one line."""
        kind = "classes" if self.is_classifier else "numbers"
        return f"TreeData({self.n_nodes} nodes, {self.n_leaves} leaves, {kind})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the fields without the cached values."""
        parts = (self.arrays(), self.schema, dict(self.made_by), dict(self.extras))
        return TreeData.from_arrays, parts

    def __copy__(self) -> TreeData:
        """Return the tree itself, because it is immutable."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> TreeData:
        """Return the tree itself, because it is immutable."""
        return self


TreeData.array_names = tuple(f.name for f in fields(TreeData) if f.metadata)
TreeData.per_node_names = tuple(
    f.name for f in fields(TreeData) if f.metadata.get("shape") in ("n", "n,k")
)
TreeData.needed_names = tuple(
    f.name for f in fields(TreeData) if f.metadata and f.default_factory is MISSING
)


def _n_classes(schema: Schema) -> int:
    """Return the number of classes; 0 for numbers, -1 if the target is not known."""
    target = schema.target
    if target is None:
        return -1
    return len(target.classes) if target.kind == "class" else 0


def _over(array: NDArray[np.float64], total: np.float64) -> NDArray[np.float64]:
    """Return array / total; zeros if the total is 0."""
    return array / total if total > 0 else np.zeros_like(array)


def _read_only_shape(tree: TreeData) -> walk.Shape:
    shape = walk.shape_of(tree.subtree_size)
    for array in shape:
        frozen(array)
    return shape


def _criterion(tree: TreeData) -> Criterion:
    name = tree.options.get("criterion")
    if name is None or tree.method == "c45":
        usual = {"id3": "entropy", "c45": "gain_ratio"}.get(tree.method, "gini")
        name = usual if tree.is_classifier else "squared_error"
    return find(name)
