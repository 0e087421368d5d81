"""Random small tables and options, and words for where two trees differ.

`case(seed)` is the fast way, for thousands of tables: a table and options that
anybody can make again from the number; `classic_case(seed)` is the same for ID3,
C4.5, surrogates and divided rows. `tables()` and `options_for()` are
Hypothesis strategies, which shrink a failing table to its smallest form.

Tables are small on purpose: few values, so that gains tie; missing values;
weights of 0; numbers next to the limits of floats.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from treewright.errors import TableError
from treewright.growing.habits import habits_of
from treewright.growing.reference import grow_reference
from treewright.options import GrowOptions
from treewright.table.column import (
    CategoricalColumn,
    Column,
    NumericColumn,
    OrdinalColumn,
)
from treewright.table.schema import Feature, Schema, TargetInfo
from treewright.table.table import ClassTarget, NumericTarget, Table
from treewright.tree.data import SPLIT_KINDS, STOP_REASONS, TreeData
from treewright.tree.walk import key

CLASS_CRITERIA = ("gini", "entropy", "misclassification")
NUMBER_CRITERIA = ("squared_error", "poisson")
"""Those of `case`, whose seeds must go on giving the same tables and options."""
MOST_LEVELS = 12  # the missing level included: all groupings are enumerated

# Tables from plain lists ------------------------------------------------------------


def numeric(name: str, values: Sequence[float], dtype: type = np.float64) -> Column:
    """A numeric column; None and NaN are missing."""
    return NumericColumn(
        name, np.array([math.nan if v is None else v for v in values], dtype)
    )


def categorical(name: str, values: Sequence[Any], labels: Sequence[Any] = ()) -> Column:
    """A categorical column; None is missing. Labels are sorted unless given."""
    return CategoricalColumn(name, *_encoded(values, labels))


def ordinal(name: str, values: Sequence[Any], labels: Sequence[Any] = ()) -> Column:
    """An ordinal column; None is missing. Labels are sorted unless given."""
    return OrdinalColumn(name, *_encoded(values, labels))


def _encoded(
    values: Sequence[Any], labels: Sequence[Any]
) -> tuple[np.ndarray, tuple[Any, ...]]:
    labels = tuple(labels or sorted({v for v in values if v is not None}))
    codes = [-1 if v is None else labels.index(v) for v in values]
    return np.array(codes, np.int32), labels


def make_table(
    columns: Sequence[Column],
    y: Sequence[Any],
    weights: Sequence[float] | None = None,
    classes: Sequence[Any] | None = None,
) -> Table:
    """A table; y holds classes if `classes` is given or y is not of floats."""
    if classes is None and not all(isinstance(v, float | np.floating) for v in y):
        classes = sorted(set(y))
    target: ClassTarget | NumericTarget
    if classes is None:
        target = NumericTarget(np.array(y, np.float64))
        info = TargetInfo("y", "number")
    else:
        classes = list(classes)
        codes = np.array([classes.index(v) for v in y], np.int32)
        target = ClassTarget(codes, np.array(classes))
        info = TargetInfo("y", "class", tuple(classes))
    return Table(
        columns=tuple(columns),
        target=target,
        weights=None if weights is None else np.array(weights, np.float64),
        n_rows=len(y),
        schema=Schema(tuple(_feature(column) for column in columns), info),
    )


def _feature(column: Column) -> Feature:
    if isinstance(column, NumericColumn):
        return Feature(column.name)
    return Feature(column.name, column.kind, "category", column.labels)


# The same table, changed ------------------------------------------------------------


def take(table: Table, rows: Sequence[int] | np.ndarray) -> Table:
    """The table with these rows, in this order; a row may come several times."""
    rows = np.asarray(rows, np.int64)
    target = table.target
    if isinstance(target, ClassTarget):
        target = replace(target, codes=target.codes[rows])
    elif target is not None:
        target = replace(target, values=target.values[rows])
    return replace(
        table,
        columns=tuple(_with_data(c, c.data[rows]) for c in table.columns),
        target=target,
        weights=None if table.weights is None else table.weights[rows],
        n_rows=len(rows),
    )


def _with_data(column: Column, data: np.ndarray) -> Column:
    if isinstance(column, NumericColumn):
        return replace(column, values=data)
    return replace(column, codes=data)


def weighted(table: Table, weights: Sequence[float] | None) -> Table:
    """The table with other weights."""
    array = None if weights is None else np.array(weights, np.float64)
    return replace(table, weights=array)


def on_the_grid(table: Table) -> Table:
    """The table with its weights rounded as the grower rounds them.

    Unequal weights become whole multiples of a power of two, fine enough for all
    of them together to need at most 52 bits; then their sums are exact. The
    reference takes weights as they are. It matters where 0.1 + 0.2 meets 0.3.
    """
    weights = table.weights
    if weights is None or np.ptp(weights) == 0:
        return table
    bits = math.frexp(weights.max())[1] + math.frexp(np.count_nonzero(weights))[1]
    units = np.maximum(np.rint(np.ldexp(weights, 52 - bits)), weights > 0)
    return weighted(table, np.ldexp(units, bits - 52))


def with_columns(table: Table, columns: Sequence[Column]) -> Table:
    """The table with other columns."""
    features = tuple(_feature(column) for column in columns)
    return replace(
        table,
        columns=tuple(columns),
        schema=replace(table.schema, features=features),
    )


def with_y(table: Table, y: np.ndarray) -> Table:
    """The table with other numbers as its target."""
    return replace(table, target=NumericTarget(np.asarray(y, np.float64)))


# Seeded tables ----------------------------------------------------------------------

_TINY = np.nextafter(1.0, 2.0)
_ODD = np.array([-np.inf, -1e308, -1.0, -5e-324, -0.0, 0.0, 1.0, _TINY, 1e308, np.inf])


def case(seed: int) -> tuple[Table, GrowOptions]:
    """The random table and the random options of a seed."""
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    return table, random_options(rng, table)


def random_table(rng: np.random.Generator, task: str | None = None) -> Table:
    """A small table of up to 30 rows, four columns and five classes.

    `task`: "class", "number" or "count" (numbers >= 0); None takes any.
    """
    task = task or str(rng.choice(["class", "number", "count"], p=[0.5, 0.25, 0.25]))
    n = int(rng.integers(1, 31)) if rng.random() < 0.5 else int(rng.integers(12, 31))
    columns = [_random_column(rng, f"x{j}", n) for j in range(rng.integers(1, 5))]
    weights = _random_weights(rng, n)
    if task == "class":
        classes = list(range(int(rng.choice([2, 2, 3, 4, 5]))))
        return make_table(
            columns, _noisy_classes(rng, columns, classes), weights, classes
        )
    # The order of categories goes by their means. Where these agree in all digits a
    # double has (beside 1e300, or as 0.1 + 0.2 and 0.3 + 0.0), it would be chance.
    plain = any(isinstance(column, CategoricalColumn) for column in columns)
    make = _random_numbers if task == "number" else _random_counts
    y = make(rng, n, plain)
    return make_table(columns, [float(value) for value in y], weights)


def _random_column(rng: np.random.Generator, name: str, n: int) -> Column:
    gone = rng.random(n) < (rng.choice([0.1, 0.3, 1.0], p=[0.5, 0.45, 0.05]))
    gone &= rng.random() < 0.35
    kind = rng.choice(["numeric", "ordinal", "categorical"], p=[0.5, 0.15, 0.35])
    if kind == "numeric":
        dtype = rng.choice([np.float32, np.float64])
        with np.errstate(over="ignore"):  # 1e308 is infinite as float32
            values = _random_values(rng, n).astype(dtype)
        values[gone] = np.nan
        return NumericColumn(name, values)
    few = rng.random() < 0.85
    most = MOST_LEVELS - bool(gone.any())
    k = int(rng.integers(1, 6)) if few else int(rng.integers(6, most + 1))
    codes = np.where(gone, -1, rng.integers(0, k, n)).astype(np.int32)
    make = OrdinalColumn if kind == "ordinal" else CategoricalColumn
    return make(name, codes, tuple("abcdefghijkl"[:k]))


def _random_values(rng: np.random.Generator, n: int) -> np.ndarray:
    style = rng.choice(
        ["few", "fractions", "different", "odd"], p=[0.45, 0.25, 0.2, 0.1]
    )
    if style == "few":
        return rng.integers(-2, int(rng.integers(-1, 5)), n).astype(float)
    if style == "fractions":
        return rng.integers(0, 12, n) / 10
    if style == "different":
        return rng.normal(size=n)
    return rng.choice(_ODD, n)


def _noisy_classes(
    rng: np.random.Generator, columns: Sequence[Column], classes: Sequence[int]
) -> list[int]:
    """Classes that follow the first column now and then, so that trees have shape."""
    data = np.nan_to_num(columns[0].data.astype(float), posinf=9, neginf=-9)
    data = np.clip(data, -9, 9)
    follows = (data * 3).astype(int) % len(classes)
    noise = rng.integers(0, len(classes), len(data))
    return np.where(rng.random(len(data)) < rng.random(), follows, noise).tolist()


def _random_numbers(rng: np.random.Generator, n: int, plain: bool) -> np.ndarray:
    style = rng.choice(
        ["few", "tenths", "normal", "far", "huge"], p=[0.3, 0.2, 0.2, 0.15, 0.15]
    )
    if style == "few":
        return rng.integers(-3, 4, n).astype(float)
    if style == "tenths":
        return rng.integers(0, 30, n) / (8 if plain else 10)
    if style == "normal":
        return rng.normal(size=n)
    if style == "far":  # far from 0, close to each other
        return 1e6 + rng.integers(0, 5, n) / 4
    y = rng.integers(1, 101, n).astype(float)
    y[rng.integers(0, n)] = rng.choice([1e15] if plain else [1e300, -1e300, 1e15])
    return y


def _random_counts(rng: np.random.Generator, n: int, plain: bool) -> np.ndarray:
    if rng.random() < 0.7:
        return rng.poisson(rng.choice([0.3, 1.0, 5.0]), n).astype(float)
    per = 8 if plain else 10
    return np.round(rng.gamma(0.7, 2.0, n) * per) / per


def _random_weights(rng: np.random.Generator, n: int) -> np.ndarray | None:
    style = rng.choice(["none", "whole", "eighths", "any"], p=[0.5, 0.2, 0.15, 0.15])
    if style == "none":
        return None
    if style == "whole":
        weights = rng.integers(0, 4, n).astype(float)
    elif style == "eighths":
        weights = rng.integers(0, 17, n) / 8
    else:
        weights = np.where(
            rng.random(n) < 0.1, 0.0, rng.choice([0.1, 0.2, 0.3, 0.7, 1 / 3], n)
        )
    weights[rng.integers(0, n)] = 1.0
    return weights


def random_options(rng: np.random.Generator, table: Table) -> GrowOptions:
    """Options that suit the target; most rules stay at their defaults."""
    spread = _spread(table)
    rules = {
        "max_depth": [1, 2, 3, 5],
        "min_samples_split": [3, 6, 10, 0.2, 0.5, 1.0],
        "min_samples_leaf": [2, 3, 5, 0.1, 0.25],
        "min_weight_fraction_leaf": [0.0713, 0.1337, 0.2171, 0.3719],
        "min_impurity_decrease": [spread * 0.0317, spread * 0.0091],
        "min_gain": [spread * 0.0317, spread * 0.1234],
        "max_leaf_nodes": [2, 3, 4, 6],
        "max_nodes": [1, 2, 3, 4, 6, 7, 9],
    }
    if table.weights is None or np.all(table.weights % 1 == 0):
        rules["min_weight_fraction_leaf"] += [0.1, 0.25, 0.5]
    often = rng.choice([0.0, 0.12, 0.3])
    chosen = {
        name: values[rng.integers(0, len(values))]
        for name, values in rules.items()
        if rng.random() < often
    }
    criteria = _criteria(table)
    return GrowOptions(criterion=criteria[rng.integers(0, len(criteria))], **chosen)


def _criteria(table: Table) -> tuple[str, ...]:
    """The criteria that suit the target of a table."""
    if isinstance(table.target, ClassTarget):
        return CLASS_CRITERIA
    assert table.target is not None
    y = table.target.values
    present = y if table.weights is None else y[table.weights > 0]
    counts = y.min() >= 0 and present.max() > 0
    return NUMBER_CRITERIA if counts else ("squared_error",)


def _spread(table: Table) -> float:
    """About the impurity of the root, so that thresholds on gains bite."""
    if isinstance(table.target, NumericTarget):
        middle = np.clip(table.target.values, -1e6, 1e6)
        return float(np.var(middle)) or 1.0
    return 1.0


# Seeded tables of the classic family ------------------------------------------------

_RULES_OF_ROWS = {
    "max_depth": [1, 2, 3],
    "min_samples_split": [3, 6, 0.3],
    "min_samples_leaf": [2, 3, 0.1],
    "min_weight_fraction_leaf": [0.0713, 0.1337, 0.2171],
    "max_leaf_nodes": [2, 3, 4, 6],
    "max_nodes": [3, 4, 6, 9],
}


def classic_case(seed: int) -> tuple[Table, GrowOptions]:
    """The random table and options of a seed: ID3, C4.5, surrogates and the like.

    Gain ratios, absolute errors, multiway splits, missing values by surrogates or
    divided; and all of CART's rules. Tables have fewer levels than those of `case`
    and more missing values, for which much of this is made.
    """
    rng = np.random.default_rng([seed, 3])
    method = str(rng.choice(["cart", "id3", "c45"], p=[0.5, 0.2, 0.3]))
    tasks = ["class"] if method == "c45" else ["class", "class", "number", "count"]
    table = _classic_table(rng, method, str(rng.choice(tasks)))
    options = _classic_method(rng, method, table)
    often = rng.choice([0.0, 0.1, 0.25])
    spread = _spread(table)
    rules = _RULES_OF_ROWS | {
        "min_impurity_decrease": [spread * 0.0317],
        "min_gain": [spread * 0.0317, spread * 0.1234],
    }
    for name, values in rules.items():
        if rng.random() < often:
            options[name] = values[rng.integers(0, len(values))]
    made = GrowOptions(method=method, **options)
    # The slow grower knows nothing of rows that a program leaves out.
    return as_read(table, made), made


def as_read(table: Table, options: GrowOptions) -> Table:
    """The table as read by the program whose conventions are chosen."""
    try:
        return habits_of(options.conventions)(table).table
    except TableError:  # no row has a value
        return table


def _classic_table(rng: np.random.Generator, method: str, task: str) -> Table:
    n = int(rng.integers(2, 31))
    kinds = ["ordinal", "categorical"] + ["numeric"] * (method != "id3")
    columns = [
        _classic_column(rng, f"x{j}", n, str(rng.choice(kinds)))
        for j in range(rng.integers(1, 6))
    ]
    weights = _random_weights(rng, n)
    if task == "class":
        classes = list(range(int(rng.choice([2, 2, 3, 4]))))
        y = _noisy_classes(rng, columns, classes)
        return make_table(columns, y, weights, classes)
    styles = [rng.integers(-3, 4, n), rng.integers(0, 30, n) / 8, rng.normal(size=n)]
    numbers = styles[rng.integers(0, 3)]
    counts = rng.poisson(rng.choice([0.3, 1.0, 5.0]), n)
    y = numbers if task == "number" else counts
    return make_table(columns, [float(value) for value in y], weights)


def _classic_column(rng: np.random.Generator, name: str, n: int, kind: str) -> Column:
    gone = rng.random(n) < rng.choice([0.0, 0.1, 0.3, 0.6], p=[0.4, 0.3, 0.2, 0.1])
    if kind == "numeric":
        few = rng.integers(-2, int(rng.integers(-1, 5)), n).astype(float)
        values = few if rng.random() < 0.6 else np.round(rng.normal(size=n), 1)
        values[gone] = np.nan
        return NumericColumn(name, values)
    k = int(rng.integers(1, 6)) if rng.random() < 0.9 else int(rng.integers(6, 9))
    codes = np.where(gone, -1, rng.integers(0, k, n)).astype(np.int32)
    make = OrdinalColumn if kind == "ordinal" else CategoricalColumn
    return make(name, codes, tuple("abcdefgh"[:k]))


def _classic_method(
    rng: np.random.Generator, method: str, table: Table
) -> dict[str, Any]:
    """Options that only some methods have, and a criterion that suits."""
    if method == "c45":
        j48 = rng.random() < 0.2
        return {
            "missing": rng.choice([None, "fractional", "learned"], p=[0.3, 0.4, 0.3]),
            "categories": rng.choice([None, "multiway", "grouped"]),
            "min_branch_weight": rng.choice([None, 0.0, 1.0, 2.0, 3.1416]),
            "conventions": "j48" if j48 else None,
        }
    criteria = [*_criteria(table)]
    if isinstance(table.target, ClassTarget):
        criteria.append("gain_ratio")
    elif method == "cart":
        criteria.append("absolute_error")
    else:
        criteria = ["squared_error"]
    options = {"criterion": str(rng.choice(criteria))}
    if method == "id3":
        return options | {"missing": str(rng.choice(["learned", "fractional"]))}
    ways = ["learned", "surrogate", "fractional"]
    options["missing"] = str(rng.choice(ways, p=[0.3, 0.4, 0.3]))
    if options["missing"] == "surrogate":
        options |= {
            "max_surrogates": int(rng.choice([0, 1, 2, 5])),
            "surrogate_fallback": str(rng.choice(["majority", "stop"])),
            "surrogate_agreement": str(rng.choice(["all", "known"])),
            "conventions": "rpart" if rng.random() < 0.3 else None,
        }
    return options


# Hypothesis -------------------------------------------------------------------------


@st.composite
def tables(
    draw: st.DrawFn,
    max_rows: int = 12,
    max_columns: int = 3,
    max_categories: int = 4,
    missing: bool = True,
    weights: bool = True,
) -> Table:
    """Tables that shrink towards one row, one column and small whole numbers."""
    n = draw(st.integers(1, max_rows))

    def many(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=n, max_size=n))

    def maybe_missing(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return values | st.none() if missing else values

    columns: list[Column] = []
    numbers = st.integers(-3, 3).map(float) | st.sampled_from(_ODD.tolist())
    labels = tuple("abcdefghijkl"[:max_categories])
    for j in range(draw(st.integers(1, max_columns))):
        kind = draw(st.sampled_from([numeric, categorical, ordinal]))
        if kind is numeric:
            columns.append(numeric(f"x{j}", many(maybe_missing(numbers))))
        else:
            values = many(maybe_missing(st.sampled_from(labels)))
            columns.append(kind(f"x{j}", values, labels))
    heavy = draw(st.none() | st.just(st.sampled_from([0.0, 1.0, 2.0, 0.5, 0.1])))
    given = many(heavy) if weights and heavy is not None else None
    if given is not None and not any(given):
        given[0] = 1.0
    if draw(st.booleans()):
        classes = list(range(draw(st.integers(2, 4))))
        return make_table(columns, many(st.sampled_from(classes)), given, classes)
    return make_table(columns, many(st.integers(0, 5).map(float)), given)


@st.composite
def options_for(draw: st.DrawFn, table: Table) -> GrowOptions:
    """Options that suit the table's target and shrink towards the defaults."""
    return GrowOptions(
        criterion=draw(st.sampled_from(_criteria(table))),
        max_depth=draw(st.none() | st.integers(1, 3)),
        min_samples_split=draw(st.sampled_from([2, 3, 0.5])),
        min_samples_leaf=draw(st.sampled_from([1, 2, 3, 0.2])),
        min_weight_fraction_leaf=draw(st.sampled_from([0.0, 0.13, 0.31])),
        min_impurity_decrease=draw(st.sampled_from([0.0, 0.0317])),
        min_gain=draw(st.sampled_from([0.0, 0.0317])),
        max_leaf_nodes=draw(st.none() | st.integers(2, 4)),
        max_nodes=draw(st.none() | st.integers(1, 6)),
    )


# Growers ----------------------------------------------------------------------------

GROWERS = ("reference", "fast")
CLASSIC_GROWERS = ("reference", "fast")
"""Those that are held to the classic family."""


def grower(name: str) -> Callable[[Table, GrowOptions], TreeData]:
    """`grow_reference` or `grow`; a test that needs one not built is skipped."""
    if name == "reference":
        return grow_reference
    fast = pytest.importorskip(
        "treewright.growing.grow",
        reason="the compiled core is not built: run make build",
        exc_type=ImportError,
    )
    return fast.grow


# Comparing trees --------------------------------------------------------------------

EXACT = (
    "n_rows",
    "split_kind",
    "feature",
    "threshold",
    "missing_route",
    "label",
    "stop_reason",
    "proven",
    "subtree_size",
)
CLOSE = ("weight", "weight_squared", "value", "variance", "quartiles", "impurity")
CLOSE += ("gain", "risk")
NEAR = 1e-9


SURROGATES = (
    "n_missing",
    "surrogate_start",
    "surrogate_feature",
    "surrogate_threshold",
    "surrogate_flip",
    "surrogate_rows",
    "surrogate_category_start",
    "surrogate_category_of",
    "surrogate_categories",
    "surrogate_category_branch",
    "surrogate_agree",
    "surrogate_adjust",
)


def first_difference(
    one: TreeData, other: TreeData, ignore: Sequence[str] = ()
) -> str | None:
    """Say where two trees first differ, or None if they are the same.

    What the tree asks and decides must be identical; measured numbers may
    differ by `NEAR` of what they are at the root. `ignore` names arrays that are
    not compared.
    """
    tests = {name: _same for name in EXACT}
    tests |= {name: _close for name in CLOSE}
    for node in range(min(one.n_nodes, other.n_nodes)):
        pairs = [(name, getattr(one, name), getattr(other, name)) for name in tests]
        found = [
            f"{name} is {_words(name, a[node])} in the first and "
            f"{_words(name, b[node])} in the second"
            for name, a, b in pairs
            if name not in ignore and len(a) and not tests[name](one, name, a, b, node)
        ]
        if (one_sends := _sends(one, node)) != (sends := _sends(other, node)):
            found.append(
                f"categories go {one_sends} in the first, {sends} in the second"
            )
        if found:
            return f"node {node}, key {key(one, node)}: " + "; ".join(found)
    if one.n_nodes != other.n_nodes:
        return f"{one.n_nodes} nodes in the first, {other.n_nodes} in the second"
    for name in SURROGATES:
        a, b = getattr(one, name), getattr(other, name)
        same = a.shape == b.shape and np.allclose(a, b, rtol=NEAR, equal_nan=True)
        if name not in ignore and not same:
            return f"{name} is {a.tolist()} in the first and {b.tolist()} in the second"
    return None


def assert_same_tree(
    one: TreeData, other: TreeData, ignore: Sequence[str] = ()
) -> None:
    """Fail with the words of `first_difference`."""
    difference = first_difference(one, other, ignore)
    assert difference is None, difference


def _same(_tree: TreeData, _name: str, a: np.ndarray, b: np.ndarray, node: int) -> bool:
    return bool(a[node] == b[node] or (a[node] != a[node] and b[node] != b[node]))


def _close(tree: TreeData, name: str, a: np.ndarray, b: np.ndarray, node: int) -> bool:
    scale = float(np.max(np.abs(a[0])))
    if name == "gain":
        scale = max(scale, float(tree.impurity[0]))
    if name == "value" and len(tree.variance):
        scale += math.sqrt(tree.variance[0])
    if not math.isfinite(scale):  # the target holds numbers like 1e300
        scale = 0.0
    return np.allclose(a[node], b[node], rtol=NEAR, atol=NEAR * scale, equal_nan=True)


def _sends(tree: TreeData, node: int) -> dict[int, int]:
    part = slice(tree.category_start[node], tree.category_start[node + 1])
    codes, branches = tree.categories[part], tree.category_branch[part]
    return dict(zip(codes.tolist(), branches.tolist(), strict=True))


def _words(name: str, value: Any) -> str:
    if name == "split_kind":
        return SPLIT_KINDS[value]
    if name == "stop_reason":
        return STOP_REASONS[value].name or "none"
    return str(value)
