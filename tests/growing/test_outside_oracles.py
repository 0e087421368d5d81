"""Which oracles are compared with: a skip for each that is not here."""

import pytest

from support.oracle_files import INSIDE, INSIDE_NAMES, OUTSIDE_NAMES, data_of, is_here


@pytest.mark.parametrize("name", OUTSIDE_NAMES)
def test_an_oracle_on_a_table_that_may_not_be_shipped(name):
    if not is_here(name):
        pytest.skip("NOT COMPARED: set TREEWRIGHT_SHARED to the folder of its table")
    assert len(data_of(name)) > 0


def test_every_file_of_the_folder_is_read():
    assert sorted(path.stem for path in INSIDE.glob("*.json")) == sorted(INSIDE_NAMES)
