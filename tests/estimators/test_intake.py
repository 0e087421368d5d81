"""`fit` keeps the intake, and says once what is suspicious about the table."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import treewright as tw

RNG = np.random.default_rng(0)
N = 300
CLEAN = pd.DataFrame(
    {
        "age": RNG.integers(18, 90, N),
        "income": RNG.normal(3e4, 1e4, N).round(2),
        "town": RNG.choice(["Rome", "Bonn", "Lyon"], N),
    }
)
CLASS = pd.Series(np.where(CLEAN["age"] + RNG.normal(0, 9, N) > 50, "yes", "no"))
BOTH = [tw.TreeClassifier, tw.TreeRegressor]


def fit_quietly(X, y=CLASS, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return tw.TreeClassifier(**options).fit(X, y)


def the_warning(X, y=CLASS, estimator=tw.TreeClassifier, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator(**options).fit(X, y)
    (only,) = caught
    assert only.filename == __file__
    return only


def test_a_clean_table_is_fitted_without_a_warning():
    fitted = fit_quietly(CLEAN)
    assert fitted.intake_.findings == ()
    assert fitted.intake_.n_rows == N


def test_the_intake_is_that_of_inspect():
    X = CLEAN.assign(flat=1.0, leak=CLASS)
    with pytest.warns(tw.IntakeWarning):
        fitted = tw.TreeClassifier().fit(X, CLASS)
    assert fitted.intake_ == tw.inspect(X, CLASS)
    assert pickle.loads(pickle.dumps(fitted)).intake_ == fitted.intake_


def test_there_is_one_warning_with_the_most_serious_first():
    X = CLEAN.assign(
        flat=1.0,
        name=[f"n{i}" for i in range(N)],
        ticket=[f"t{i}" for i in range(N)],
        price=[f"${i:,}" for i in range(950, 950 + N)],
        leak=CLASS,
    )
    warning = the_warning(X)
    head, *lines = str(warning.message).splitlines()
    assert "suspicious" in head
    assert [line.split(":")[0] for line in lines] == [
        "- 'leak'",
        "- 'price'",
        "- 'name' and 'ticket' were set aside",
        "- 'flat'",
    ]


def test_columns_set_aside_for_other_reasons_have_lines_of_their_own():
    names = [f"n{i}" for i in range(N)]
    warning = the_warning(CLEAN.assign(order_id=range(N), name=names, ticket=names))
    assert str(warning.message).splitlines()[1:] == [
        "- 'order_id' was set aside: whole numbers that differ in every row, under a "
        "name that says so. kinds={'order_id': 'numeric'} uses it.",
        "- 'name' and 'ticket' were set aside: more than half of the known values "
        "occur only once. kinds={'name': 'categorical'} uses 'name'.",
    ]


def test_a_long_list_is_cut():
    X = CLEAN.assign(**{f"flat{i}": 1.0 for i in range(20)})
    lines = str(the_warning(X).message).splitlines()
    assert len(lines) == 7
    assert lines[-1] == "- and 15 more; intake_ lists all"


def test_text_that_spells_numbers_is_not_converted_but_warned_of():
    X = CLEAN.assign(price=[f"${i:,}" for i in range(950, 950 + N)])
    words = str(the_warning(X).message)
    assert "'price': '$1,000', '$1,001', '$1,002' spell amounts of money in $" in words
    assert "kinds={'price': 'numeric'} reads them" in words
    kept = fit_quietly(X, kinds={"price": "numeric"})
    assert kept.tree_.schema.features[3].kind == "numeric"


@pytest.mark.parametrize(
    ("columns", "category", "other"),
    [
        (["name"], tw.ColumnSetAsideWarning, tw.ColumnKindWarning),
        (["price"], tw.ColumnKindWarning, tw.ColumnSetAsideWarning),
        (["marked"], tw.ColumnKindWarning, tw.ColumnSetAsideWarning),
        (["flat"], tw.IntakeWarning, tw.ColumnKindWarning),
    ],
)
def test_the_class_of_the_warning_fits_the_findings(columns, category, other):
    more = {
        "name": [f"n{i}" for i in range(N)],
        "price": [f"${i % 40}" for i in range(N)],
        "marked": ["odd"] + [str(i % 40) for i in range(N - 1)],
        "flat": np.ones(N),
    }
    warning = the_warning(CLEAN.assign(**{name: more[name] for name in columns}))
    assert issubclass(warning.category, category)
    assert not issubclass(warning.category, other)


def test_the_warning_belongs_to_both_classes_if_both_fit():
    X = CLEAN.assign(name=[f"n{i}" for i in range(N)], price=["$1", "$2", "$3"] * 100)
    category = the_warning(X).category
    assert issubclass(category, tw.ColumnSetAsideWarning)
    assert issubclass(category, tw.ColumnKindWarning)


def test_findings_can_be_errors():
    X = CLEAN.assign(flat=1.0)
    estimator = tw.TreeClassifier(findings="error")
    with pytest.raises(tw.TableError, match=r"'flat': every known value is 1\."):
        estimator.fit(X, CLASS)
    assert "tree_" not in vars(estimator)
    estimator.fit(CLEAN, CLASS)


def test_findings_can_be_ignored_and_are_kept():
    fitted = fit_quietly(CLEAN.assign(flat=1.0), findings="ignore")
    assert [each.kind for each in fitted.intake_.findings] == ["constant"]


@pytest.mark.parametrize("estimator", BOTH)
def test_an_unknown_choice_is_refused(estimator):
    with pytest.raises(tw.OptionError, match="findings must be 'warn', 'error' or"):
        estimator(findings="loud").fit([[1.0], [2.0]], [0, 1])
    assert clone(estimator(findings="ignore")).findings == "ignore"


def test_arrays_and_small_tables_give_no_warning():
    flat = np.ones((N, 2))
    assert fit_quietly(flat).intake_.findings == ()
    small = CLEAN.assign(flat=1.0)[:49]
    assert fit_quietly(small, CLASS[:49]).intake_.findings == ()


def test_indexes_that_disagree_are_warned_of():
    assert "indexes of X and y differ from row" in str(
        the_warning(CLEAN, CLASS.sample(frac=1, random_state=0)).message
    )
    # A new series, numbered from 0, says nothing about the order.
    some = CLEAN[CLEAN["age"] > 30]
    fit_quietly(some, CLASS[CLEAN["age"] > 30].reset_index(drop=True))


def test_a_table_joined_with_itself_is_warned_of():
    # It grew hundreds of leaves and claimed half its true error, silently.
    X = pd.concat([CLEAN, CLEAN], ignore_index=True)
    y = pd.concat([CLASS, CLASS], ignore_index=True)
    words = str(the_warning(X, y).message)
    assert f"{N} of {2 * N} rows are exact copies" in words
    assert "90% of the rows are tested on a tree that has seen a copy" in words


@pytest.mark.parametrize("dtype", [str, object])
def test_uneven_classes_that_leave_one_leaf_are_warned_of(dtype):
    y = np.where(RNG.random(N) < 0.04, "fraud", "honest").astype(dtype)
    words = str(the_warning(CLEAN, y).message)
    assert "'honest', and the chosen tree is one leaf" in words
    assert "class_weight='balanced'" in words


def test_a_running_number_is_set_aside_only_under_a_telling_name():
    numbers = RNG.permutation(N)
    warning = the_warning(CLEAN.assign(customer_id=numbers))
    assert "'customer_id' was set aside" in str(warning.message)
    assert issubclass(warning.category, tw.ColumnSetAsideWarning)
    fitted = tw.TreeClassifier(findings="ignore").fit(
        CLEAN.assign(customer_id=numbers), CLASS
    )
    assert "customer_id" not in fitted.tree_.columns_used
    kept = fit_quietly(
        CLEAN.assign(customer_id=numbers), findings="ignore", prune=None
    ).set_params(kinds={"customer_id": "numeric"})
    kept.fit(CLEAN.assign(customer_id=numbers), CLASS)
    assert not kept.tree_.schema.features[3].set_aside
    warning = the_warning(CLEAN.assign(order=numbers))
    assert "'order': whole numbers that differ in every row" in str(warning.message)
    assert not issubclass(warning.category, tw.ColumnSetAsideWarning)


def test_the_pruning_path_warns_too():
    with pytest.warns(tw.IntakeWarning, match="'flat'"):
        tw.TreeClassifier().cost_complexity_pruning_path(CLEAN.assign(flat=1.0), CLASS)


def test_classes_of_one_row_are_counted_in_plain_words():
    common = [0, 1] * (N // 2 - 1)
    with pytest.warns(tw.IntakeWarning, match="classes 5, 6 have one row each"):
        tw.TreeClassifier().fit(CLEAN, [*common, 5, 6])
    with pytest.warns(tw.IntakeWarning, match="class 5 has one row. One row"):
        tw.TreeClassifier().fit(CLEAN, [*common, 0, 5])


def test_labels_of_indexes_are_shown_as_plain_values():
    with pytest.warns(tw.IntakeWarning, match=rf"from row 0 on \(0 and {N - 1}\)"):
        tw.TreeClassifier().fit(CLEAN, CLASS[::-1])
