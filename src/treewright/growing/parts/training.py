"""Rows in parts to grow trees from: described, coded and summarised once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import find
from treewright.errors import ColumnError, TableError
from treewright.files.describe import Described, WeightSums
from treewright.files.part_results import in_order
from treewright.growing.core_options import least_weight
from treewright.growing.parts.checkpoint import Checkpoint, Checkpointed
from treewright.growing.parts.code import (
    CodeRequest,
    code_rows,
    codings_for,
)
from treewright.growing.parts.coding import ChosenRows, CodedPart, RowWeights
from treewright.growing.parts.grow import PartsFacts, check_options, grow_in_parts
from treewright.growing.parts.plan import Plan
from treewright.growing.parts.progress import PartsProgress, expected_levels
from treewright.growing.parts.protocol import Engine, Parts, PartsOf
from treewright.growing.parts.summaries import with_summaries
from treewright.growing.readable import gaps_of_rows, readable_between
from treewright.growing.training_set import check_no_numbers, settled_options
from treewright.options import GrowOptions
from treewright.table.digest import Numbers
from treewright.table.exact_sum import sum_as_float
from treewright.table.hash_folds import HashFolds
from treewright.table.schema import TargetInfo
from treewright.table.table import NumericTarget
from treewright.tree.data import TreeData

__all__ = ["TrainingParts", "decoded_columns"]


class TrainingParts:
    """Rows in parts and the options to grow trees from them; see `TrainingSet`.

    Parameters
    ----------
    engine : Engine
        The rows.
    described : Described
        What the first pass told about them.
    options : GrowOptions
        Criterion, stopping rules and so on.
    target : TargetInfo
        The target, with costs and priors.
    factors : tuple of arrays
        What the weights of each class are multiplied by.
    folds : HashFolds, optional
        How the rows are divided.
    plan : Plan
        How many rows may be gathered, and how long replies may be.
    checkpoint : path, optional
        A file that keeps the replies of all trees, from which a second fit goes on.

    Attributes
    ----------
    options : GrowOptions
        The options, with every default filled in.
    schema : Schema
        With the range and quartiles of the columns.
    report : CodeReport
        What the second pass told.
    n_requests, bytes_moved : int
        Requests to all parts while growing, and the bytes of the replies.
    """

    def __init__(
        self,
        engine: Engine,
        described: Described,
        options: GrowOptions,
        *,
        target: TargetInfo,
        factors: tuple[NDArray[np.float64], ...] = (),
        folds: HashFolds | None = None,
        plan: Plan,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        weighted = described.weights is not None or bool(factors)
        self.options = settled_options(target.kind, weighted, options)
        check_options(self.options)
        _check_rows(described, self.options)
        self._engine = engine
        self._plan = plan
        self._weighted = weighted
        schema = replace(described.schema, target=target)
        self._codings = codings_for(described)
        request = CodeRequest(described.request, schema, self._codings, factors, folds)
        self._checkpoint: Checkpoint | None = None
        if checkpoint is not None:
            identity = _identity(described, self.options, request)
            self._checkpoint = Checkpoint(checkpoint, identity)
            self._plan = replace(
                plan,
                home_rows=self._checkpoint.of_first_fit("home rows", plan.home_rows),
                most_entries=self._checkpoint.of_first_fit(
                    "most entries", plan.most_entries
                ),
            )
        self.report = code_rows(engine, described, request)
        self.schema = with_summaries(engine, schema, self._codings, self.report)
        self.n_requests = 0
        self.bytes_moved = 0

    def grow(
        self,
        left_out: int | None = None,
        progress: Callable[[float], Any] | None = None,
    ) -> TreeData:
        """Grow a whole tree.

        Parameters
        ----------
        left_out : int, optional
            The fold that does not count.
        progress : callable, optional
            See `treewright.grow`. If it has a method `watch`, this is called with a
            `PartsProgress` after every request.

        Returns
        -------
        TreeData
        """
        facts = self._facts(left_out)
        parts = PartsOf(
            self._engine,
            facts.weights,
            left_out,
            most_gathered=self._plan.home_rows,
            watch=self._watch(progress, facts.weights.n_rows),
        )
        asked: Parts = parts
        if self._checkpoint is not None:
            asked = Checkpointed(parts, self._checkpoint, f"without {left_out}")
        tree = grow_in_parts(asked, facts, self.options, progress)
        self.n_requests += parts.progress.n_requests
        self.bytes_moved += parts.progress.bytes_moved
        return tree

    def _watch(
        self, progress: Any, n_rows: int
    ) -> Callable[[PartsProgress], Any] | None:
        """Return the function that is told about every request; None: nobody asks."""
        watch = getattr(progress, "watch", None)
        if watch is None:
            return None
        n_levels = expected_levels(n_rows, self._plan.home_rows, self.options.max_depth)
        more: dict[str, Any] = {
            "n_levels": n_levels,
            "goes_home": self._plan.home_rows > 0,
        }
        return lambda state: watch(replace(state, **more))

    def finish(self, tree: TreeData, left_out: int | None = None) -> TreeData:
        """Add readable thresholds, if the options request them.

        Parameters
        ----------
        tree : TreeData
            Grown from these rows, and perhaps pruned.
        left_out : int, optional
            The fold that it was grown without.

        Returns
        -------
        TreeData
        """
        if self.options.thresholds != "readable":
            return tree
        rows = ChosenRows(self._row_weights(left_out), left_out)
        low, high = _widest_gaps(self._all(_gaps_of_part, (tree, rows)))
        return readable_between(tree, low, high)

    def remove_checkpoint(self) -> None:
        """Remove the file of the checkpoint: no more trees will be grown."""
        if self._checkpoint is not None:
            self._checkpoint.finish()

    def on_coded(self, work: Any, argument: Any) -> list[Any]:
        """Run a function on every coded part; see `Engine`."""
        return self._all(work, argument)

    def _all(self, work: Any, argument: Any) -> list[Any]:
        found = self._engine.on_coded(work, argument)
        return list(in_order(self._engine.names, found))

    def _sums(self, left_out: int | None) -> WeightSums:
        chosen = [s for f, s in enumerate(self.report.weights) if f != left_out]
        return reduce(WeightSums.with_other, chosen)

    def _row_weights(self, left_out: int | None) -> RowWeights:
        sums = self._sums(left_out)
        if not sums.n_rows:
            n_rows = self._sums(None).n_rows
            raise TableError(
                "Rows in parts are divided into folds by the hash of each row, and one "
                f"of the {len(self.report.weights)} folds holds all {n_rows:,} rows, "
                "which leaves none to grow from. Pass more rows, or prune=None."
            )
        return RowWeights(sums.n_rows, sums.most, sums.least == sums.most)

    def _facts(self, left_out: int | None) -> PartsFacts:
        weights, sums = self._row_weights(left_out), self._sums(left_out)
        units = sums.n_rows
        if not weights.equal:
            units = sum(self._all(_units, ChosenRows(weights, left_out)))
        levels = []
        for of_fold in self.report.levels:
            chosen = [row for f, row in enumerate(of_fold) if f != left_out]
            levels.append(int(np.count_nonzero(np.any(chosen, axis=0))))
        everything = self._sums(None)
        least = 0.0
        if self._weighted:
            total = sum_as_float(everything.total)
            least = least_weight(
                self.options.min_samples_leaf, total, everything.n_rows
            )
        return PartsFacts(
            schema=self.schema,
            codings=self._codings,
            n_levels=levels,
            weights=weights,
            total_units=units,
            total=sum_as_float(sums.total),
            home_rows=self._plan.home_rows,
            most_entries=self._plan.most_entries,
            least_weight=least,
        )


def _identity(
    described: Described, options: GrowOptions, request: CodeRequest
) -> Iterator[bytes]:
    """Yield what the requests of a fit and their replies depend on.

    The names of the parts are not among it, so that files may be moved.
    """
    yield repr(sorted(described.checksums.values())).encode()
    yield repr((request.schema.features, request.schema.target)).encode()
    yield repr((request.rows.selection.weight, request.folds)).encode()
    yield repr(replace(options, n_jobs=None)).encode()
    for coding in request.codings:
        yield coding.values.tobytes()
    for factor in request.factors:
        yield factor.tobytes()


def _units(part: CodedPart, rows: ChosenRows) -> int:
    total = 0
    for _, some in part.slices():
        units = some.units(rows)
        total += some.n_rows if units is None else int(units.sum())
    return total


def _check_rows(described: Described, options: GrowOptions) -> None:
    """Refuse rows that do not suit the options."""
    if options.method == "id3":
        check_no_numbers(described.schema)
    if isinstance(described.target, NumericTarget):
        find(str(options.criterion)).check_target(described.target.values, None)
    if options.missing != "error":
        return
    for index in described.schema.usable:
        digest = described.digests[index]
        name = described.schema.features[index].name
        if digest.n_missing:
            n = digest.n_missing
            raise ColumnError(
                f"Input X contains NaN. Column {name!r} has no value in {n:,} "
                f"row{'s' * (n > 1)}, which missing='error' refuses. Fill the column, "
                "leave such rows out, or use missing='learned'."
            )
        if isinstance(digest, Numbers) and digest.infinite:
            raise ColumnError(
                "Input X contains infinity or a value too large for dtype('float64'). "
                f"Column {name!r} holds an infinite value, and missing='error' refuses "
                "it. Replace the value, or use missing='learned', which treats "
                "infinities as ordinary values."
            )


# -- routing coded rows ----------------------------------------------------------------


def decoded_columns(
    part: CodedPart, tree: TreeData, rows: NDArray[np.int64]
) -> list[NDArray[Any] | None]:
    """Return the columns that a tree uses, for some rows of a part.

    Parameters
    ----------
    part : CodedPart
        The part.
    tree : TreeData
        The tree.
    rows : int array
        Row numbers.

    Returns
    -------
    list of array or None
        In the form that `route` takes.
    """
    columns: list[NDArray[Any] | None] = [None] * len(tree.schema.features)
    used = set(tree.feature[tree.feature >= 0].tolist())
    for place, index in enumerate(tree.schema.usable):
        if index in used:
            columns[index] = part.decoded(place, [rows])[0]
    return columns


def _gaps_of_part(part: CodedPart, argument: tuple[TreeData, ChosenRows]) -> Any:
    tree, chosen = argument
    found = []
    for _, some in part.slices():
        rows = np.arange(some.n_rows)
        units = some.units(chosen)
        if units is not None:
            rows = rows[units > 0]
        columns = decoded_columns(some, tree, rows)
        found.append(gaps_of_rows(tree, columns, np.arange(len(rows))))
    return _widest_gaps(found)


def _widest_gaps(found: Sequence[Any]) -> Any:
    low = reduce(np.fmax, (each[0] for each in found))
    high = reduce(np.fmin, (each[1] for each in found))
    return low, high
