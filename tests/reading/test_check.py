"""New rows against the training rows: what is new is found, and nothing else."""

import json
import math
import warnings

import numpy as np
import pandas as pd
import pytest

import treewright as tw

N = 1000


def rows(seed, n=N, **changes):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "town": rng.choice(["Rome", "Bonn", "Lyon", "Kiel"], n),
            "since": pd.to_datetime("2019-01-01")
            + pd.to_timedelta(rng.integers(0, 700, n), unit="D"),
            "noise": rng.normal(size=n),
        }
    )
    frame.loc[frame.index[::50], "noise"] = np.nan
    return frame.assign(**changes)


def target(frame):
    late = frame["since"] > pd.Timestamp("2020-01-01")
    return np.where((frame["age"] > 50) ^ (frame["town"] == "Rome") ^ late, "y", "n")


TRAINING = rows(0)
TREE = tw.TreeClassifier(max_depth=5).fit(TRAINING, target(TRAINING)).tree_


def found(X, column):
    return next(each for each in TREE.check(X).columns if each.column == column)


def test_the_training_rows_and_rows_like_them_have_nothing_new():
    same = tw.check(TREE, TRAINING)
    assert same.notable == []
    assert all(each.drift < 1e-9 for each in same.columns)
    alike = TREE.check(rows(1))
    assert [each for each in alike.notable if "changed" in each.words] == []
    assert max(each.drift for each in alike.columns) < 0.05
    assert "nothing new" in str(same)


def test_used_columns_come_first_and_set_aside_ones_not_at_all():
    names = [each.column for each in TREE.check(TRAINING).columns]
    assert set(names) == set(TRAINING.columns)
    used = [each.used for each in TREE.check(TRAINING).columns]
    assert used == sorted(used, reverse=True)


def test_unseen_categories_are_counted():
    new = rows(2)
    new.loc[:49, "town"] = "Oslo"
    seen = found(new, "town")
    assert (seen.n_unseen, seen.unseen_share) == (50, 0.05)
    assert "50 values (5.0%) never seen: 'Oslo'" in seen.words


def test_newly_missing_values_are_counted():
    new = rows(3)
    new.loc[:99, "age"] = np.nan
    seen = found(new, "age")
    assert (seen.n_missing, seen.missing_share, seen.missing_before) == (100, 0.1, 0)
    assert "100 missing (10.0%), none before" in seen.words
    assert found(new, "noise").missing_before == 0.02
    assert "missing" not in found(new, "noise").words


def test_values_outside_the_training_range_are_counted():
    new = rows(4)
    new.loc[:4, "age"] = 120.0
    assert "5 (0.5%) outside 18 to 79" in found(new, "age").words
    new.loc[:2, "since"] = pd.Timestamp("2031-01-01")
    words = found(new, "since").words
    assert "3 (0.3%) outside 2019-01-02 to 2020-11-30" in words


def test_absent_columns_and_other_kinds_are_reported_not_raised():
    new = rows(5).drop(columns="town")
    assert found(new, "town").problem == "absent"
    assert math.isnan(found(new, "town").drift)
    other = rows(5, age=["old"] * N)
    assert "held numbers" in found(other, "age").problem
    assert found(other, "town").problem == ""
    unused = [each.column for each in TREE.check(TRAINING).columns if not each.used]
    for name in unused:
        assert found(TRAINING.drop(columns=name), name).words == ""


def test_the_drift_is_the_population_stability_index():
    old = found(rows(6, age=18.0 + np.arange(N) % 31), "age")
    summary = TREE.schema.features[0].summary
    group = np.searchsorted(summary.deciles, 18.0 + np.arange(N) % 31, side="left")
    q = np.bincount(group, minlength=len(summary.deciles) + 1) / N
    p = np.array(summary.shares)
    p, q = np.maximum(p, 0.5 / N), np.maximum(q, 0.5 / N)
    assert old.drift == pytest.approx(np.sum((q - p) * np.log(q / p)))
    assert old.drift > 0.25
    assert "changed much" in old.words


def test_drift_rises_with_the_shift():
    drifts = [found(rows(7).assign(age=lambda f, k=k: f["age"] + k), "age").drift
              for k in (0, 5, 10, 20)]  # fmt: skip
    assert drifts == sorted(drifts)


def test_the_schema_keeps_deciles_and_shares():
    age, town = TREE.schema.features[:2]
    known = np.sort(TRAINING["age"].to_numpy())
    places = [math.ceil(k * N / 10) - 1 for k in range(1, 10)]
    assert age.summary.deciles == tuple(np.unique(known[places]))
    assert sum(age.summary.shares) == pytest.approx(1)
    at_most = np.searchsorted(known, age.summary.deciles, side="right") / N
    assert np.cumsum(age.summary.shares)[:-1] == pytest.approx(at_most)
    shares = TRAINING["town"].value_counts(normalize=True).sort_index()
    assert town.summary.shares == pytest.approx(shares.tolist())


def test_arrays_are_checked_by_position():
    X = np.random.default_rng(0).normal(size=(200, 2))
    tree = tw.TreeClassifier(max_depth=1).fit(X, X[:, 0] > 0).tree_
    assert [each.column for each in tree.check(X + 9).notable] == ["x0", "x1"]
    with pytest.raises(tw.TableError, match="expecting 2 features"):
        tree.check(X[:, :1])


def test_no_rows_are_no_news():
    nothing = TREE.check(TRAINING[:0])
    assert nothing.n_rows == 0
    assert nothing.notable == []


def test_a_check_is_a_value_that_prints():
    new = rows(8, **{"age": 200.0})
    new.loc[0, "town"] = "<b>"
    check = tw.check(TREE, new)
    assert str(check).splitlines()[0].startswith("1,000 new rows against 1,000")
    frame = check.to_pandas()
    assert frame.set_index("column").loc["age", "n_outside"] == N
    assert json.loads(json.dumps(check.to_dict()))["n_rows"] == N
    page = check._repr_html_()
    assert "<b>" not in page
    assert "<td>age</td>" in page


@pytest.mark.parametrize(("n", "more"), [(30, None), (31, 1), (45, 15)])
def test_thirty_columns_at_most_are_listed(n, more):
    rng = np.random.default_rng(0)
    X = {f"c{k:02}": rng.normal(size=100) for k in range(45)}
    tree = tw.TreeClassifier(findings="ignore").fit(X, X["c00"] > 0).tree_
    new = X | {name: X[name] + 50 for name in list(X)[:n]}
    check = tree.check(new)
    first, _, *lines = str(check).splitlines()
    assert first == f"100 new rows against 100 training rows: {n} columns to look at"
    listed = [line for line in lines if line.startswith(("  c", "  (c"))]
    assert len(listed) == 30
    left_out = [line for line in lines if line.startswith("  ...")]
    assert left_out == ([f"  ... and {more} more; see .columns"] if more else [])
    assert check._repr_html_().count("<tr>") == 1 + n


def test_a_page_with_nothing_new_has_no_table():
    page = TREE.check(TRAINING)._repr_html_()
    assert page == "<p>1,000 new rows against 1,000 training rows: nothing new</p>"


def test_an_estimator_can_be_passed():
    fitted = tw.TreeClassifier(max_depth=2).fit(TRAINING, target(TRAINING))
    assert tw.check(fitted, TRAINING) == fitted.tree_.check(TRAINING)


# -- prediction -----------------------------------------------------------------------


def test_partly_unseen_categories_are_warned_of_once_with_counts():
    new = rows(9)
    new.loc[:29, "town"] = "Oslo"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        TREE.predict(new)
    (warning,) = caught
    assert issubclass(warning.category, tw.UnseenCategoryWarning)
    assert "In column 'town', 30 of 1,000 values (3.0%) are" in str(warning.message)
    assert "'Oslo'" in str(warning.message)
    assert warning.filename == __file__


def test_several_columns_give_one_warning():
    rng = np.random.default_rng(0)
    X = {"a": rng.choice(list("uv"), 200), "b": rng.choice(list("xy"), 200)}
    y = (X["a"] == "u") ^ (X["b"] == "x") ^ (rng.random(200) < 0.1)
    tree = tw.TreeClassifier(prune=None).fit(X, y).tree_
    new = {"a": ["?"] * 5 + ["u"] * 5, "b": ["!"] * 10}
    with pytest.warns(tw.UnseenCategoryWarning) as caught:
        tree.predict(new)
    assert len(caught) == 1
    words = str(caught[0].message)
    assert words.index("'b' holds no category") < words.index("In column 'a', 5 of 10")


def test_a_few_rows_are_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TREE.predict(rows(10, town="Oslo")[:3])
