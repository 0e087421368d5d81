"""TreeData: the tree itself, as read-only parallel arrays in preorder.

One entry per node; node 0 is the root. See `TreeData` for what each array means.
Binary trees, trees with many branches, categories of any number and rows that stop
at an inner node all have this one form.

A `TreeData` that exists is sound: its constructor refuses arrays that are not those of
a tree (core/include/treewright/tree_check.hpp), so no reader has to ask again.
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
from treewright.tree.arrays import frozen, settled, settled_extra
from treewright.tree.fingerprint import fingerprint
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
"""Missing route: the row's answer is the one of this node."""
ALL_BRANCHES: Final = -2
"""Missing route: the row goes down every branch, divided by their weights."""


Kept = TypeVar("Kept")


def _array(dtype: type, shape: str = "n") -> Any:
    """Declare an array field: its type, and its shape in the words of `FITS`."""
    metadata = {"dtype": np.dtype(dtype), "shape": shape}
    if not shape.startswith("n or 0"):
        return field(metadata=metadata)
    width = (3,) if shape.endswith("3") else ()
    return field(default_factory=lambda: np.empty((0, *width)), metadata=metadata)


def _filled(dtype: type, shape: str) -> Any:
    """Declare an array field that is all 0 (or empty) where it is not given."""
    metadata = {"dtype": np.dtype(dtype), "shape": shape, "optional": True}
    return field(default_factory=lambda: np.empty(0, dtype), metadata=metadata)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TreeData:
    """A tree as read-only arrays, one entry per node, in preorder.

    Arrays given to the constructor are handed over: they are made read-only in
    place where possible, and copied only where type or layout demand it or
    where they are a part of another array.

    Parameters
    ----------
    subtree_size : int32 array of n
        Number of nodes in the subtree that starts here; 1 at a leaf. Node i's
        first child is i + 1, the next sibling of c is c + subtree_size[c].
    split_kind : int8 array of n
        `LEAF`, `THRESHOLD`, `SUBSET`, `IS_MISSING` or `MULTIWAY`.
    feature : int32 array of n
        Column of the schema that the split looks at; -1 at a leaf.
    threshold : float64 array of n
        ``x <= threshold`` takes branch 0, otherwise branch 1; NaN unless the
        split is a `THRESHOLD`. For an ordinal column x is the rank.
    category_start : int64 array of n + 1
        Node i's categories are the slice
        ``[category_start[i], category_start[i + 1])`` of the two next arrays.
    categories : int32 array
        Codes of the categories seen in the node, ascending (`SUBSET`, `MULTIWAY`).
    category_branch : int32 array
        The branch each of these categories takes.
    missing_route : int32 array of n
        Branch of missing values and of categories not listed; or `STOP_HERE`;
        or `ALL_BRANCHES`. -1 at a leaf. In an `IS_MISSING` split, 0.
    n_rows : int64 array of n
        Training rows that reached the node (rows of weight 0 not counted).
    weight, weight_squared : float64 array of n
        Sum of their weights, and of the squares of their weights.
    value : float64 array of n x k
        Classification: weight of each of the k classes. Otherwise k = 1: the mean.
    variance : float64 array of n, or empty for classification
        Weighted variance of the target.
    quartiles : float64 array of n x 3, or 0 x 3 for classification
        Weighted quartiles of the target.
    impurity : float64 array of n
        Impurity by the criterion the tree was grown with.
    gain : float64 array of n
        Fall of the impurity through the split; 0 at a leaf.
    label : int32 array of n
        Class that the node answers; -1 for a numeric target.
    risk : float64 array of n
        r(t): cost of answering here, per unit of weight.
    stop_reason : int8 array of n
        Index into `STOP_REASONS`; 0 at inner nodes.
    proven : bool array of n
        The split is proven to be the best of its kind. True at a leaf, where
        there is nothing to prove.
    n_missing : int64 array of n, optional
        Training rows of the node that are missing in the split's column; 0 at a
        leaf.
    surrogate_start : int64 array of n + 1, optional
        Node i's surrogate splits, best first, are the slice
        ``[surrogate_start[i], surrogate_start[i + 1])`` of the six next arrays. A
        row that is missing in the split's column takes the branch of the first
        surrogate that knows it; where none does, the missing route.
    surrogate_feature, surrogate_threshold : int32, float64 array, optional
        Column, and ``x <= threshold`` takes branch 0 (NaN: by categories).
    surrogate_flip : bool array, optional
        The other way round: ``x <= threshold`` takes branch 1.
    surrogate_agree, surrogate_adjust : float64 array, optional
        Share of the rows that it sends where the split does; and how much of the
        way from "all to the larger branch" to "all as the split" that is.
    surrogate_rows : int64 array, optional
        Training rows it sent on.
    surrogate_category_start : int64 array of n + 1, optional
        Node i's categories of surrogates are a slice of the three next arrays.
    surrogate_category_of : int32 array, optional
        Which of the node's surrogates the entry belongs to, 0 the first.
    surrogate_categories, surrogate_category_branch : int32 array, optional
        Codes of its categories, ascending, and the branch of each. A surrogate
        does not know a category that it does not list.
    schema : Schema
        The columns and the target of the training table.
    made_by : mapping, optional
        How the tree was made. Plays no part in comparisons.
    extras : mapping of str to array, optional
        Further arrays with n first; carried along, not understood.

    Notes
    -----
    Variance, impurity, gain and risk of numbers are in the unit that
    ``schema.target.exponent`` tells; it is 1 unless the target is extreme.

    Two trees are equal if all arrays (NaN = NaN), extras and schemas are. What
    follows from the arrays (`parent`, `depth`, ...) is worked out when first
    asked for, kept, and never stored.
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
    schema: Schema
    made_by: Mapping[str, Any] = field(default_factory=dict)
    extras: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    array_names: ClassVar[tuple[str, ...]]
    """Names of the arrays above, in order, without the extras."""
    per_node_names: ClassVar[tuple[str, ...]]
    """Those with one entry per node."""
    needed_names: ClassVar[tuple[str, ...]]
    """Those that no tree can do without."""

    def __post_init__(self) -> None:
        """Bring every array to its type and shape, make it read-only, and check it."""
        n = np.size(self.subtree_size)
        if n < 1:
            raise TreeFormatError("A tree needs at least one node; got none.")
        for spec in fields(self):
            if spec.metadata:
                array = settled(spec.name, getattr(self, spec.name), spec.metadata, n)
                object.__setattr__(self, spec.name, array)
        extras = {name: settled_extra(name, a, n) for name, a in self.extras.items()}
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
            `quartiles` may be left out for classification, `n_missing` and the
            surrogates where there are none.
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
                + ". Arrays of your own belong into extras."
            )
        given: dict[str, Any] = {**arrays}
        return cls(**given, schema=schema, made_by=made_by or {}, extras=extras or {})  # type: ignore[arg-type]

    # -- derived, worked out once -------------------------------------------------

    def keep(self, name: str, make: Callable[[TreeData], Kept]) -> Kept:
        """Return ``make(self)``, worked out on the first call and then kept.

        The place for whatever follows from the tree and is costly: it is
        neither compared, nor copied, nor pickled.
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
        """Whether new rows may have no missing or infinite values (missing="error")."""
        return bool(self.options.get("missing") == "error")

    @cached_property
    def unseen(self) -> str:
        """What happens to categories never seen: 'missing', or 'error'."""
        return str(self.options.get("unseen", "missing"))

    @property
    def method(self) -> str:
        """How the tree was grown: 'cart', 'id3' or 'c45'."""
        return str(self.made_by.get("method", "cart"))

    @property
    def options(self) -> Mapping[str, Any]:
        """The options the tree was grown by; empty if they are not known."""
        options: Mapping[str, Any] = self.made_by.get("options") or {}
        return options

    @property
    def criterion(self) -> Criterion:
        """The criterion the tree was grown by; the usual one if it is not known."""
        return self.keep("criterion", _criterion)

    @property
    def fingerprint(self) -> str:
        """Hash of the whole tree; equal trees, equal fingerprints."""
        return self.keep("fingerprint", fingerprint)

    @property
    def standard_deviation(self) -> NDArray[np.float64]:
        """Of the target in each node, in its own unit; empty for classification."""
        return self.from_units(np.sqrt(self.variance))

    def in_units(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return numbers of the target in the unit of risk; see `TargetInfo`."""
        target = self.schema.target
        return values if target is None else target.in_units(values)

    def from_units(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return numbers in the unit of risk as those of the target."""
        target = self.schema.target
        return values if target is None else target.from_units(values)

    # -- behaviour as a value -----------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name, without the extras."""
        return {name: getattr(self, name) for name in self.array_names}

    def __eq__(self, other: object) -> bool:
        """Same arrays, extras and schema."""
        if not isinstance(other, TreeData):
            return NotImplemented
        if self is other:
            return True
        return self.n_nodes == other.n_nodes and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        """Hash of the fingerprint."""
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        """Return size and kind in one line."""
        kind = "classes" if self.is_classifier else "numbers"
        return f"TreeData({self.n_nodes} nodes, {self.n_leaves} leaves, {kind})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the fields alone, not what has been worked out from them."""
        parts = (self.arrays(), self.schema, dict(self.made_by), dict(self.extras))
        return TreeData.from_arrays, parts

    def __copy__(self) -> TreeData:
        """Return itself: nothing can change it."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> TreeData:
        """Return itself: nothing can change it."""
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
    """Divide, and call 0 / 0 nothing."""
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
