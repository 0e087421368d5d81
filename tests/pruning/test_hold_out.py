"""Holding rows out: shares, groups, time, and refusals."""

import numpy as np
import pytest

import treewright as tw

N = 300


def table(seed=0, weights=None):
    rng = np.random.default_rng(seed)
    X = {"x": rng.normal(size=N), "c": rng.choice(list("abc"), N).astype(object)}
    y = np.where(X["x"] + rng.normal(size=N) > 1, "yes", "no")
    return tw.as_table(X, y, weights)


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5])
def test_every_row_is_in_one_part_and_classes_keep_their_share(share):
    whole = table()
    training, test = tw.hold_out(whole, share)
    assert sorted([*training, *test]) == list(range(N))
    assert len(test) == pytest.approx(share * N, abs=2)
    yes = [np.mean(whole.take(rows).target.codes) for rows in (training, test)]
    assert yes[0] == pytest.approx(yes[1], abs=0.03)


def test_the_order_of_the_rows_does_not_matter():
    whole = table()
    order = np.random.default_rng(1).permutation(N)
    _, test = tw.hold_out(whole)
    _, moved = tw.hold_out(whole.take(order))
    assert sorted(order[moved]) == sorted(test)


def test_rows_of_a_group_stay_together():
    groups = np.arange(N) // 5
    training, test = tw.hold_out(table(), 0.2, groups=groups)
    assert set(groups[training]).isdisjoint(groups[test])
    assert len(test) == N / 5


def test_the_latest_rows_are_held_out_and_equal_times_stay_together():
    time = np.repeat(np.arange(N // 10), 10)
    training, test = tw.hold_out(table(), 0.25, time=time)
    assert time[training].max() < time[test].min()
    assert len(test) == 80  # 75 rows would divide rows of equal time


def test_dates_are_times():
    time = np.datetime64("2020-01-01") + np.random.default_rng(2).permutation(N)
    training, test = tw.hold_out(table(), 0.2, time=time)
    assert time[training].max() < time[test].min()


def test_taken_rows_keep_values_weights_and_schema():
    weights = np.arange(N) + 1.0
    whole = table(weights=weights)
    part = whole.take(np.array([5, 2, 7]))
    assert part.n_rows == 3
    assert part.weights.tolist() == [6.0, 3.0, 8.0]
    assert part.schema == whole.schema
    for taken, column in zip(part.columns, whole.columns, strict=True):
        assert taken.data.tolist() == column.data[[5, 2, 7]].tolist()
        assert not taken.data.flags.writeable


@pytest.mark.parametrize("share", [0, 1, 1.5, "a fifth", None, True])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(tw.OptionError, match="above 0 and below 1; got"):
        tw.hold_out(table(), share)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"groups": np.zeros(N, int)}, "All rows belong to one group"),
        ({"groups": np.zeros(5)}, "one group per row"),
        ({"time": np.zeros(5)}, "one value per row"),
        ({"time": np.array(["today"] * N)}, "numbers or dates; got values such as"),
        ({"time": np.r_[np.nan, np.arange(N - 1.0)]}, "missing in row 0"),
        ({"time": np.zeros(N)}, "leaves no training row"),
    ],
)
def test_what_cannot_be_divided_is_refused(options, words):
    with pytest.raises(tw.TableError, match=words):
        tw.hold_out(table(), 0.2, **options)


def test_groups_and_time_exclude_each_other():
    with pytest.raises(tw.OptionError, match="either groups or time"):
        tw.hold_out(table(), groups=np.arange(N), time=np.arange(N))


def test_a_table_without_a_target_is_refused():
    with pytest.raises(tw.TableError, match="Table with a target"):
        tw.hold_out(tw.as_table({"x": [1, 2, 3]}))
    with pytest.raises(tw.TableError, match="Table with a target"):
        tw.hold_out({"x": [1, 2, 3]})
