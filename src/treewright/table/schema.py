"""The description of a table: names, kinds, categories, classes and ranges.

The schema is stored in the tree, so that new data can be matched by name. It is a
plain value: frozen, comparable, and convertible to JSON through `to_dict` and
`from_dict`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TreeFormatError
from treewright.table.column import Label
from treewright.table.grain import GRAINS
from treewright.table.overview import overview, overview_html
from treewright.table.spelling import Spelling

__all__ = ["KINDS", "PLAIN_NUMBERS", "Feature", "Schema", "Summary", "TargetInfo"]

KINDS = ("numeric", "categorical", "ordinal")
"""Kinds of columns; the index of a kind is its number in the C++ core."""
PLAIN_NUMBERS = frozenset({"float", "int", "bool", "text"})
"""Values of `stored_as` that new data may replace by one another."""


@dataclass(frozen=True)
class Summary:
    """The distribution of a column in the training rows.

    Attributes
    ----------
    n_missing : int
        Number of rows without a value.
    minimum, q1, median, q3, maximum : float or None
        Of a numeric column, over the known values; None if there are none.
    deciles : tuple of float
        The distinct deciles of a numeric column, ascending.
    shares : tuple of float
        Share of the known values in each interval (up to and including the first
        decile, ..., above the last), or in each category.
    """

    n_missing: int
    minimum: float | None = None
    q1: float | None = None
    median: float | None = None
    q3: float | None = None
    maximum: float | None = None
    deciles: tuple[float, ...] = ()
    shares: tuple[float, ...] = ()


@dataclass(frozen=True)
class Feature:
    """The description of one input column.

    Attributes
    ----------
    name : str
        The column's name.
    kind : {'numeric', 'categorical', 'ordinal'}
        How it is split.
    stored_as : str
        Type of the caller's values. For a numeric column, and for one cut into
        intervals: 'float', 'int', 'bool', 'date', 'datetime', 'duration', 'time' (of
        day) or 'text' (that spells numbers). Otherwise 'category'.
    labels : tuple of str, int, float or bool
        The categories in order, or the intervals of a column that was cut; empty
        for a numeric column.
    reason : str
        A sentence that states why the column has this kind.
    set_aside : str
        Why the column is not used for growing; empty if it is used.
    timezone : str
        Time zone of a 'datetime' column; empty for wall-clock time.
    summary : Summary or None
        Range and quartiles; None until a tree is grown.
    cuts : tuple of float or None
        Where a column of numbers was cut into intervals, ascending: cut i is the
        upper bound of interval i, and belongs to it. None: the column was not cut.
    float32 : bool
        Whether its numbers are rounded to float32 before they are compared.
    spelling : Spelling or None
        How text spells the numbers or dates of this column; None: it is not read
        from text, or the text is a plain number such as '0.5'.
    grain : {'', 'month', 'day', 'hour', 'minute', 'second'}
        For dates and times: the coarsest unit in which all values are whole.
    """

    name: str
    kind: str = "numeric"
    stored_as: str = "float"
    labels: tuple[Label, ...] = ()
    reason: str = ""
    set_aside: str = ""
    timezone: str = ""
    summary: Summary | None = None
    cuts: tuple[float, ...] | None = None
    float32: bool = False
    spelling: Spelling | None = None
    grain: str = ""

    @property
    def kind_code(self) -> int:
        """Number of the kind in the C++ core."""
        return KINDS.index(self.kind)

    @property
    def is_whole(self) -> bool:
        """Whether its numbers are whole, as far as the tree knows.

        Of numbers stored as floats it knows the least, the deciles and the largest; if
        these are whole, all are taken to be whole.
        """
        if self.stored_as in ("int", "bool"):
            return True
        if self.stored_as not in ("float", "text") or self.summary is None:
            return False
        marks = (self.summary.minimum, self.summary.maximum, *self.summary.deciles)
        return all(mark is not None and float(mark).is_integer() for mark in marks)

    @cached_property
    def shares(self) -> dict[Label, float]:
        """Share of each category in the training rows; empty before growing."""
        known = () if self.summary is None else self.summary.shares
        return dict(zip(self.labels, known, strict=False))

    @cached_property
    def code_of(self) -> dict[Label, int]:
        """Position of each label."""
        return {label: code for code, label in enumerate(self.labels)}

    @cached_property
    def has_text(self) -> frozenset[bool]:
        """Whether labels are text: {True}, {False}, both, or empty without labels."""
        return frozenset(isinstance(label, str) for label in self.labels)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the cached lookup out of pickles."""
        return {field.name: self.__dict__[field.name] for field in fields(self)}


@dataclass(frozen=True)
class TargetInfo:
    """The description of the target.

    Attributes
    ----------
    name : str
        The target's name; 'y' when the caller gave none.
    kind : {'class', 'number'}
        What the tree predicts.
    classes : tuple of str, int, float or bool
        The classes, sorted; empty for numbers.
    costs : tuple of tuple of float, or None
        The cost of each answer: one tuple per true class, one entry per answer.
        None: every wrong answer costs 1.
    priors : tuple of float or None
        Share of each class that replaces its share in the table.
    class_weight : tuple of float or None
        Factor by which the weight of each class was multiplied for growing.
    exponent : int
        A tree stores impurity, gain, risk and variance in units of 2^exponent
        (squared for the squared error and the variance). It is 0 except for numbers
        so large or small that their squares would leave the range of float64. A
        power of two changes no split and no answer.
    """

    name: str
    kind: str
    classes: tuple[Label, ...] = ()
    costs: tuple[tuple[float, ...], ...] | None = None
    priors: tuple[float, ...] | None = None
    class_weight: tuple[float, ...] | None = field(default=None, compare=False)
    exponent: int = 0

    def in_units(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert numbers of the target to units of 2^exponent."""
        return np.ldexp(values, -self.exponent) if self.exponent else values

    def from_units(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert numbers in units of 2^exponent to those of the target."""
        return np.ldexp(values, self.exponent) if self.exponent else values

    def gain_in_units(self, gain: float, power: int) -> float:
        """Return a gain in the tree's units.

        Parameters
        ----------
        gain : float
            The gain in units of the target.
        power : int
            The gain is proportional to this power of the target; see
            `NumberCriterion`.

        Returns
        -------
        float
        """
        return float(np.ldexp(gain, -power * self.exponent))


@dataclass(frozen=True)
class Schema:
    """Names, kinds and labels of a table's columns and target.

    Attributes
    ----------
    features : tuple of Feature
        One per column, set-aside columns included, in table order.
    target : TargetInfo or None
        The target, if there is one.
    named : bool
        Whether the names are the caller's. If not, they were generated for a plain
        array ('x0', 'x1', ...), and new data may be matched by position.
    """

    features: tuple[Feature, ...]
    target: TargetInfo | None = None
    named: bool = True

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Column names in table order."""
        return tuple(feature.name for feature in self.features)

    @cached_property
    def index_of(self) -> dict[str, int]:
        """Column number of each name."""
        return {name: index for index, name in enumerate(self.names)}

    @cached_property
    def kind_codes(self) -> NDArray[np.int8]:
        """The kind of each column, as its number in the C++ core."""
        return np.array([each.kind_code for each in self.features], np.int8)

    @cached_property
    def label_counts(self) -> NDArray[np.int32]:
        """Number of categories of each column; 0 for numbers."""
        return np.array([len(each.labels or ()) for each in self.features], np.int32)

    @cached_property
    def usable(self) -> list[int]:
        """Column numbers of the columns not set aside."""
        return [i for i, each in enumerate(self.features) if not each.set_aside]

    @cached_property
    def all_plain(self) -> bool:
        """Whether every column is numeric and holds no dates."""
        return all(
            each.kind == "numeric" and each.stored_as in PLAIN_NUMBERS
            for each in self.features
        )

    @cached_property
    def any_float32(self) -> bool:
        """Whether any numbers are rounded to float32 before they are compared."""
        return any(each.float32 for each in self.features)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the cached lookups out of pickles."""
        return {field.name: self.__dict__[field.name] for field in fields(self)}

    def __repr__(self) -> str:
        """Return one line per column: name, kind and reason."""
        return overview(self, "Schema: ")

    def _repr_html_(self) -> str:
        """Show the columns as a table in a notebook."""
        return overview_html(self, "Schema: ")

    def with_summaries(self, summaries: Sequence[Summary | None]) -> "Schema":
        """Return the schema with each column's range and quartiles filled in.

        Parameters
        ----------
        summaries : sequence of Summary or None
            One per column, in table order.

        Returns
        -------
        Schema
        """
        pairs = zip(self.features, summaries, strict=True)
        return replace(
            self, features=tuple(replace(each, summary=s) for each, s in pairs)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the schema as dicts, lists, strings and numbers, ready for JSON."""
        return {
            "features": [_feature_to_dict(each) for each in self.features],
            "target": None if self.target is None else _target_to_dict(self.target),
            "named": self.named,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Schema":
        """Build a schema from the result of `to_dict`.

        Parameters
        ----------
        data : mapping
            The result of `to_dict`.

        Returns
        -------
        Schema

        Raises
        ------
        TreeFormatError
            When the mapping does not describe a schema.
        """
        try:
            target = data["target"]
            return cls(
                features=tuple(_feature_from_dict(each) for each in data["features"]),
                target=None if target is None else _target_from_dict(target),
                named=bool(data["named"]),
            )
        except (KeyError, TypeError, ValueError) as problem:
            raise TreeFormatError(
                f"This is not a schema ({type(problem).__name__}: {problem}). "
                "Pass the unchanged result of Schema.to_dict."
            ) from problem


def _feature_to_dict(feature: Feature) -> dict[str, Any]:
    out = {f.name: getattr(feature, f.name) for f in fields(Feature)}
    out["labels"] = [_label_out(label) for label in feature.labels]
    if feature.summary is not None:
        out["summary"] = _summary_to_dict(feature.summary)
    # Entries that most columns lack are left out.
    if feature.cuts is None:
        del out["cuts"]
    else:
        out["cuts"] = [_number_out(cut) for cut in feature.cuts]
    if not feature.float32:
        del out["float32"]
    if not feature.grain:
        del out["grain"]
    if feature.spelling is None:
        del out["spelling"]
    else:
        out["spelling"] = feature.spelling.to_dict()
    return out


def _feature_from_dict(data: Mapping[str, Any]) -> Feature:
    values = dict(data)
    if values["kind"] not in KINDS:
        raise ValueError(f"kind {values['kind']!r} is not one of {KINDS}")
    values["labels"] = tuple(_label_in(label) for label in values["labels"])
    if values.get("summary") is not None:
        values["summary"] = _summary_from_dict(values["summary"])
    if values.get("cuts") is not None:
        values["cuts"] = tuple(float(cut) for cut in values["cuts"])
        if len(values["labels"]) != len(values["cuts"]) + 1:
            raise ValueError("a column cut n times has n + 1 labels")
    if values.get("spelling") is not None:
        values["spelling"] = Spelling.from_dict(values["spelling"])
    if values.get("grain", "") not in ("", *GRAINS):
        raise ValueError(f"grain {values['grain']!r} is not one of {tuple(GRAINS)}")
    return Feature(**values)


def _summary_to_dict(summary: Summary) -> dict[str, Any]:
    out = {k: _number_out(v) for k, v in asdict(summary).items()}
    for name in ("deciles", "shares"):
        out[name] = [_number_out(value) for value in out[name]]
        if not out[name]:
            del out[name]
    return out


def _summary_from_dict(data: Mapping[str, Any]) -> Summary:
    values = {k: _number_in(v) for k, v in data.items()}
    for name in ("deciles", "shares"):
        values[name] = _numbers_in(values.get(name, ()))
    return Summary(**values)


def _target_to_dict(target: TargetInfo) -> dict[str, Any]:
    out: dict[str, Any] = {
        "name": target.name,
        "kind": target.kind,
        "classes": [_label_out(label) for label in target.classes],
    }
    # Entries that most targets lack are left out.
    if target.costs is not None:
        out["costs"] = [list(row) for row in target.costs]
    if target.priors is not None:
        out["priors"] = list(target.priors)
    if target.class_weight is not None:
        out["class_weight"] = list(target.class_weight)
    if target.exponent:
        out["exponent"] = target.exponent
    return out


def _target_from_dict(data: Mapping[str, Any]) -> TargetInfo:
    classes = tuple(_label_in(label) for label in data["classes"])
    costs, priors = data.get("costs"), data.get("priors")
    class_weight = data.get("class_weight")
    return TargetInfo(
        name=data["name"],
        kind=data["kind"],
        classes=classes,
        costs=None if costs is None else tuple(map(_numbers_in, costs)),
        priors=None if priors is None else _numbers_in(priors),
        class_weight=None if class_weight is None else _numbers_in(class_weight),
        exponent=int(data.get("exponent", 0)),
    )


def _numbers_in(values: Sequence[Any]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _number_out(value: Any) -> Any:
    """Return infinities as text, because JSON has no number for them."""
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _number_in(value: Any) -> Any:
    return float(value) if isinstance(value, str) else value


def _label_out(label: Label) -> Any:
    """Return an infinity in a form that differs from a category called 'inf'."""
    spelt = _number_out(label)
    return label if spelt is label else {"float": spelt}


def _label_in(label: Any) -> Label:
    if isinstance(label, Mapping):
        return float(label["float"])
    if not isinstance(label, str | int | float | bool):
        raise TypeError(f"label {label!r} is neither text nor a number")
    return label
