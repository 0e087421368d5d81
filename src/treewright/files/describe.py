"""Describe rows in parts: one pass, whose results add up, and then the schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TableError
from treewright.files.arrow_table import checked_names, from_arrow
from treewright.files.content import Content
from treewright.files.csv_columns import missing_marks
from treewright.files.in_parts import Batches
from treewright.files.optional import package
from treewright.files.part_results import in_order
from treewright.files.select import Selection
from treewright.files.source import ArrowSource
from treewright.files.to_table import (
    FROM_TEXT,
    missing_cells,
    naming,
    target_of,
    weights_of,
)
from treewright.table.convert import converted
from treewright.table.digest import (
    Digest,
    Distinct,
    Numbers,
    checksum,
    digest_of,
)
from treewright.table.exact_sum import exact_sum, sum_as_float
from treewright.table.infer import Wanted, read_kinds
from treewright.table.intake import Finding, Intake
from treewright.table.raw import RawColumn, as_label, first_value
from treewright.table.schema import Feature, Schema
from treewright.table.spelling import Spelling, recognise
from treewright.table.table import ClassTarget, Target
from treewright.table.target import read_target, target_info
from treewright.table.weights import check_each_weight, check_weights

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Described",
    "RowsRequest",
    "WeightSums",
    "describe",
    "pieces_of",
    "rows_with_target",
]

_SAMPLE = 20_000
_MOST_VALUES = 65_534

OnRows = Callable[[Any, Any], Iterable[tuple[str, Any]]]
"""Runs a function on the rows of every part; see `growing.parts.protocol.Engine`."""


@dataclass(frozen=True)
class RowsRequest:
    """How to read the rows of a part.

    Attributes
    ----------
    types : pyarrow.Schema
        The columns to read, and the types that all parts can be read in.
    selection : Selection
        Target, weight and kinds.
    task : {'class', 'number'}
        What the target holds.
    n_sample : int
        Values to take from each column.
    """

    types: pa.Schema
    selection: Selection
    task: str
    n_sample: int = 0

    @property
    def features(self) -> list[str]:
        """Names of the columns to predict from."""
        others = (self.selection.target, self.selection.weight)
        return [name for name in self.types.names if name not in others]


@dataclass(frozen=True)
class WeightSums:
    """The weights of some rows.

    Attributes
    ----------
    n_rows : int
        Rows of positive weight.
    least, most : float
        The least and the greatest positive weight.
    total : int
        Their sum; see `exact_sum`.
    squares : float
        About the sum of their squares.
    """

    n_rows: int
    least: float
    most: float
    total: int
    squares: float

    @classmethod
    def of(cls, weights: NDArray[np.float64]) -> WeightSums:
        """Return those of an array of weights."""
        there = weights[weights > 0]
        if not len(there):
            return cls(0, np.inf, 0.0, 0, 0.0)
        with np.errstate(over="ignore"):
            squares = float(there @ there)
        least, most = float(there.min()), float(there.max())
        return cls(len(there), least, most, exact_sum(there), squares)

    def with_other(self, other: WeightSums) -> WeightSums:
        """Return those of both."""
        return WeightSums(
            self.n_rows + other.n_rows,
            min(self.least, other.least),
            max(self.most, other.most),
            self.total + other.total,
            self.squares + other.squares,
        )


@dataclass(frozen=True, eq=False)
class _PartDigest:
    """What is known about the rows of some parts."""

    columns: dict[str, Digest]
    target: Digest
    weights: dict[Any, WeightSums]
    marks: dict[str, Counter[str]]  # of missing values, by column
    n_rows: int
    no_target: int
    checksum: int

    def with_other(self, other: _PartDigest) -> _PartDigest:
        names = self.columns
        columns = {n: _joined(names[n], other.columns[n]) for n in names}
        weights = dict(self.weights)
        for key, sums in other.weights.items():
            weights[key] = weights[key].with_other(sums) if key in weights else sums
        marks = {n: self.marks[n] + other.marks[n] for n in names}
        return _PartDigest(
            columns,
            _joined(self.target, other.target),
            weights,
            marks,
            self.n_rows + other.n_rows,
            self.no_target + other.no_target,
            (self.checksum + other.checksum) % 2**64,
        )


def _joined(one: Digest, other: Digest) -> Digest:
    # A text column without a known value in a part is digested as Numbers there.
    if isinstance(one, Numbers) and isinstance(other, Distinct):
        one, other = other, one
    if isinstance(one, Distinct) and isinstance(other, Numbers):
        return replace(one, n_missing=one.n_missing + other.n_missing)
    return one.with_other(other)


@dataclass(frozen=True, eq=False)
class Described:
    """All that is known about rows in parts after one pass.

    Attributes
    ----------
    request : RowsRequest
        How to read the rows.
    schema : Schema
        Columns and target; without summaries.
    target : ClassTarget or NumericTarget
        Each class once, or the least and the greatest number.
    class_rows : int64 array
        Rows of each class; empty for numbers.
    weights : tuple of WeightSums, or None
        Of each class, or of all rows; None: all weights are 1.
    digests : list of Digest
        Of each column.
    intake : Intake
        How the rows were read.
    checksums : dict of str to int
        Of each part.
    largest_part : int
        Rows of the largest part.
    """

    request: RowsRequest
    schema: Schema
    target: Target
    class_rows: NDArray[np.int64]
    weights: tuple[WeightSums, ...] | None
    digests: list[Digest]
    intake: Intake
    checksums: dict[str, int]
    largest_part: int = 0

    @property
    def n_rows(self) -> int:
        """Number of rows that have a target."""
        return self.intake.n_rows

    @property
    def n_weighted(self) -> int:
        """Number of rows of positive weight."""
        if self.weights is None:
            return self.n_rows
        return sum(each.n_rows for each in self.weights)

    @property
    def class_totals(self) -> NDArray[np.float64]:
        """Weight of each class; of numbers, of all rows."""
        if self.weights is None and not len(self.class_rows):
            return np.array([float(self.n_rows)])
        if self.weights is None:
            return self.class_rows.astype(np.float64)
        return np.array([sum_as_float(each.total) for each in self.weights])


def describe(
    on_rows: OnRows, names: Sequence[str], selection: Selection, task: str, name: str
) -> Described:
    """Describe the rows of all parts.

    Parameters
    ----------
    on_rows : callable
        Of an engine.
    names : sequence of str
        The parts of the engine.
    selection : Selection
        Which column is the target, which the weight.
    task : {'class', 'number'}
        What the target holds.
    name : str
        What the rows are called in messages.

    Returns
    -------
    Described

    Raises
    ------
    TableError
        When the parts do not fit together, with the part's name.
    """
    found_types = dict(on_rows(_types_of, None))
    types = _common_types(found_types, selection, name)
    request = RowsRequest(types, selection, task, -(-_SAMPLE // len(found_types)))
    whole: _PartDigest | None = None
    checksums, largest = {}, 0
    digests = in_order(names, on_rows(_describe_part, request))
    for part, found in zip(names, digests, strict=True):
        checksums[part] = 0 if found is None else found.checksum
        if found is not None:
            largest = max(largest, found.n_rows)
            with naming(part):
                whole = found if whole is None else whole.with_other(found)
    if whole is None or not whole.n_rows:
        raise TableError(_no_rows(whole, selection, name))
    with naming(name):
        described = _described(on_rows, request, whole, checksums)
        return replace(described, largest_part=largest)


def _no_rows(whole: _PartDigest | None, selection: Selection, name: str) -> str:
    if whole is None or not whole.no_target:
        return f"{name} has no rows. Check that the export is complete."
    return (
        f"The target {selection.target!r} is missing in all {whole.no_target:,} rows "
        f"of {name}. Name another target."
    )


# -- one type for all parts ------------------------------------------------------------


def _types_of(name: str, batches: Batches, argument: Any) -> pa.Schema | None:
    """Return the columns of a part and their types; None if it has no rows."""
    for batch in batches:
        return batch.schema.remove_metadata()
    return None


def _common_types(
    found: dict[str, pa.Schema | None], selection: Selection, name: str
) -> pa.Schema:
    """Return the columns to read, in types that hold the values of all parts."""
    pa = package("pyarrow", "Reading files")
    there = {part: types for part, types in sorted(found.items()) if types is not None}
    if not there:
        raise TableError(_no_rows(None, selection, name))
    first, types = next(iter(there.items()))
    names = selection.names(checked_names(types.names, first))
    common = {each: types.field(each).type for each in names}
    for part, other in there.items():
        for each in checked_names(other.names, part):
            if each not in types.names:
                raise TableError(
                    f"{part} has a column {each!r} that {first} lacks. All parts must "
                    "have the same columns."
                )
        for each in names:
            if each not in other.names:
                raise TableError(
                    f"{part} has no column {each!r}, which {first} has. All parts must "
                    "have the same columns."
                )
            try:
                both = [
                    pa.schema([(each, kind)])
                    for kind in (common[each], other.field(each).type)
                ]
                one = pa.unify_schemas(both, promote_options="permissive")
            except pa.ArrowException as problem:
                raise TableError(
                    f"Column {each!r} is {other.field(each).type} in {part}, but "
                    f"{common[each]} in {first}. Write it in one type in all parts."
                ) from problem
            common[each] = one.field(each).type
    return pa.schema(list(common.items()))


# -- one part --------------------------------------------------------------------------


def pieces_of(
    name: str, batches: Batches, request: RowsRequest
) -> Iterator[tuple[ArrowSource, int]]:
    """Yield the rows of a part that have a target, some at a time.

    Parameters
    ----------
    name : str
        The part.
    batches : iterable of pyarrow.RecordBatch
        Its rows.
    request : RowsRequest
        How to read them.

    Yields
    ------
    source : ArrowSource
        All columns; there may be no rows.
    no_target : int
        Number of rows left out.
    """
    selection = request.selection
    keep = {each for each, kind in selection.kinds.items() if kind not in FROM_TEXT}
    for batch in batches:
        if batch.num_rows:
            content = _content(name, batch, request.types)
            n = content.table.num_rows
            content = rows_with_target(content, str(selection.target))
            source = ArrowSource(content.table, content.text, keep)
            yield source, n - content.table.num_rows


def _content(name: str, batch: pa.RecordBatch, types: pa.Schema) -> Content:
    pa = package("pyarrow", "Reading files")
    table = pa.Table.from_batches([batch])
    lost = [each for each in types.names if each not in table.column_names]
    if lost:
        raise TableError(
            f"{name} has no column {lost[0]!r}, which other parts have. All parts must "
            "have the same columns."
        )
    try:
        table = table.select(types.names).cast(types)
    except pa.ArrowException as problem:
        raise TableError(
            f"{name} does not fit the other parts: {problem}. Write it in their types."
        ) from problem
    return from_arrow(table, name)


def rows_with_target(content: Content, target: str) -> Content:
    """Return the rows whose target is known; there may be none."""
    pc = package("pyarrow.compute", "Reading files")
    missing = missing_cells(content.table.column(target), target in content.text)
    if not pc.any(missing).as_py():
        return content
    return replace(content, table=content.table.filter(pc.invert(missing)))


def _describe_part(
    name: str, batches: Batches, request: RowsRequest
) -> _PartDigest | None:
    """Return the digest of a part; None if it has no rows."""
    whole: _PartDigest | None = None
    for source, no_target in pieces_of(name, batches, request):
        with naming(name):
            found = _describe_piece(source, no_target, request)
        whole = found if whole is None else whole.with_other(found)
    return whole


def _describe_piece(
    source: ArrowSource, no_target: int, request: RowsRequest
) -> _PartDigest:
    selection = request.selection
    wanted = _wanted(request)
    columns, total = {}, 0
    for name in request.features:
        raw = source.raw(source.names.index(name))
        total += checksum(raw)
        n_sample = max(1, request.n_sample)
        columns[name] = digest_of(raw, wanted.get(name), n_sample, _MOST_VALUES)
    marks = {name: source.marks.get(name, Counter()) for name in request.features}
    raw = source.raw(source.names.index(str(selection.target)))
    total += checksum(raw)
    target: Digest = Distinct.of(raw)
    if request.task == "number" and not raw.is_coded:
        target = Numbers.of(raw, 0, 0)
    weights: dict[Any, WeightSums] = {}
    if source.n_rows and not raw.is_coded:
        read_target(raw, source.n_rows, request.task)  # refuses what is no target
    if selection.weight is not None and source.n_rows:
        numbers = np.asarray(weights_of(source, selection.weight), np.float64)
        total += int(numbers.view(np.uint64).sum(dtype=np.uint64))
        weights = _weight_sums(raw, numbers, request.task)
    return _PartDigest(
        columns, target, weights, marks, source.n_rows, no_target, total % 2**64
    )


def _weight_sums(raw: Any, weights: NDArray[np.float64], task: str) -> dict[Any, Any]:
    check_each_weight(weights)
    if task == "number":
        return {None: WeightSums.of(weights)}
    target = read_target(raw, len(weights), "class")
    assert isinstance(target, ClassTarget)
    labels = [as_label(each) for each in target.classes.tolist()]
    return {
        label: WeightSums.of(weights[target.codes == code])
        for code, label in enumerate(labels)
    }


def _wanted(request: RowsRequest) -> dict[str, Wanted]:
    names, target = request.features, request.selection.target
    kinds = {n: k for n, k in request.selection.kinds.items() if n != target}
    return {names[at]: kind for at, kind in read_kinds(kinds, names).items()}


# -- all parts -------------------------------------------------------------------------


def _described(
    on_rows: OnRows,
    request: RowsRequest,
    whole: _PartDigest,
    checksums: dict[str, int],
) -> Described:
    wanted, conversions = _wanted(request), list[Finding]()
    keys = _keys(on_rows, request, whole)
    features = []
    for name in request.features:
        digest, marks = whole.columns[name], missing_marks(name, whole.marks[name])
        conversions += [marks] if marks else []
        if isinstance(digest, Numbers):
            feature = digest.settled(wanted.get(name), is_key=name in keys)
        else:
            feature, noted = _settled(digest, wanted.get(name))
            conversions += noted
        features.append(feature)
    each, counts = _each(whole.target)
    raw, finding = target_of(each, request.selection.kinds)
    conversions += [finding] if finding else []
    target = read_target(raw, len(raw.values), request.task)
    info = target_info(target)
    class_rows, weights = np.empty(0, np.int64), None
    if isinstance(target, ClassTarget):
        n = len(target.classes)
        class_rows = np.bincount(target.codes, counts, minlength=n).astype(np.int64)
    if whole.weights:
        weights = _weights_by_class(whole.weights, each, target)
    schema = Schema(tuple(features), info, named=True)
    intake = Intake(
        whole.n_rows,
        len(features),
        conversions=tuple(conversions),
        n_read=whole.n_rows + whole.no_target,
        no_target=whole.no_target,
    )
    if whole.no_target:
        words = f"{whole.no_target:,} row{'s' * (whole.no_target > 1)} without a target"
        advice = "A tree learns from known targets only."
        left = Finding("no_target", None, f"{words} left out", advice)
        intake = intake.with_noted([left])
    digests = [whole.columns[name] for name in request.features]
    return Described(
        request, schema, target, class_rows, weights, digests, intake, checksums
    )


def _each(digest: Digest) -> tuple[RawColumn, NDArray[np.int64]]:
    """Return each class once with its rows, or the least and the greatest number."""
    raw = digest.raw
    if isinstance(digest, Numbers):
        return raw, np.empty(0, np.int64)
    # Declared categories that no row has are no classes.
    seen = digest.counts > 0
    return replace(raw, values=raw.values[seen]), digest.counts[seen]


def _settled(digest: Distinct, wanted: Wanted) -> tuple[Feature, list[Finding]]:
    """Return a column of categories, or of numbers that its text spells."""
    feature, column = digest.settled(wanted)
    if column is None or wanted is not None or digest.raw.storage != "text":
        return feature, []
    if digest.too_many:
        labels = [x for x in column.labels if isinstance(x, str)]
        if isinstance(recognise(labels, column.name), Spelling):
            raise TableError(
                f"Column {column.name!r} holds text that spells numbers or dates, in "
                "more than 1,048,576 ways. Write it as numbers or dates, or leave the "
                "column out."
            )
        return feature, []
    spelled = converted(column)
    return (feature, []) if spelled is None else (spelled[1], [spelled[2]])


def _weights_by_class(
    weights: dict[Any, WeightSums], each: RawColumn, target: Target
) -> tuple[WeightSums, ...]:
    """Return the weights of each class, or of all rows."""
    none = WeightSums.of(np.empty(0))
    sums = [weights.get(None, none)]
    if isinstance(target, ClassTarget):
        sums = [none] * len(target.classes)
        for row, code in enumerate(target.codes.tolist()):
            more = weights.get(as_label(first_value(each, row)), none)
            sums[code] = sums[code].with_other(more)
    together = reduce(WeightSums.with_other, sums)
    check_weights(together.most, together.squares)
    return tuple(sums)


# -- numbers that number the rows ------------------------------------------------------


def _keys(on_rows: OnRows, request: RowsRequest, whole: _PartDigest) -> set[str]:
    """Return the columns whose whole numbers differ in every row."""
    found = {
        name: digest
        for name, digest in whole.columns.items()
        if isinstance(digest, Numbers) and digest.keys is not None
    }
    unclear = [name for name, digest in found.items() if digest.keys_overlap]
    if unclear:
        values: dict[str, list[NDArray[Any]]] = {name: [] for name in unclear}
        for _, of_part in on_rows(_values_of, (request, unclear)):
            for name, some in of_part.items():
                values[name] += some
        for name in unclear:
            each = np.concatenate(values.pop(name))
            if len(np.unique(each)) < len(each):
                del found[name]
    return set(found)


def _values_of(
    name: str, batches: Batches, argument: tuple[RowsRequest, Sequence[str]]
) -> dict[str, list[NDArray[Any]]]:
    request, columns = argument
    values: dict[str, list[NDArray[Any]]] = {each: [] for each in columns}
    for source, _ in pieces_of(name, batches, request):
        for each in columns:
            values[each].append(source.raw(source.names.index(each)).values)
    return values
