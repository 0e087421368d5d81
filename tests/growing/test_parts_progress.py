"""The guess of the time left rises with the work, and counts levels and rows."""

import pytest

from treewright.growing.parts.progress import PartsProgress, expected_levels


@pytest.mark.parametrize("goes_home", [False, True])
def test_the_share_done_rises_with_levels_and_rows(goes_home: bool) -> None:
    work = [(0, 0.0), (2, 0.0), (4, 0.0), (4, 0.2), (4, 0.7), (4, 1.0)]
    done = [
        PartsProgress(level=level, n_levels=4, goes_home=goes_home).done(share)
        for level, share in work
    ]
    assert done[0] == 0
    assert done == sorted(done)
    assert done[-1] == 1
    assert done[1] > 0.2


def test_several_trees_share_the_work() -> None:
    second = PartsProgress(level=0, n_levels=4, tree=2, n_trees=4)
    assert second.done(0.25) == 0.25
    last = PartsProgress(level=4, n_levels=4, tree=4, n_trees=4)
    assert last.done(1.0) == 1


def test_more_levels_are_expected_of_more_rows_and_less_memory() -> None:
    assert expected_levels(10**9, 0, 12) == 12
    assert expected_levels(10**9, 0, None) > expected_levels(10**6, 0, None)
    assert expected_levels(10**9, 10**6, None) < expected_levels(10**9, 10**3, None)
    assert expected_levels(10, 10**6, None) >= 1


def test_the_words_name_one_bucket_in_the_singular() -> None:
    state = PartsProgress(level=3, n_rows=1200, n_open=1, bytes_moved=2048)
    assert str(state) == "level 3, 1,200 rows, 1 open bucket, 2 KB moved"
