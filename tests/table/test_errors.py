import pytest

from treewright import errors
from treewright.errors import nearest_name
from treewright.table.as_table import as_table


def test_table_and_option_errors_are_value_errors():
    assert issubclass(errors.ColumnError, errors.TableError)
    for each in (errors.TableError, errors.OptionError, errors.TreeFormatError):
        assert issubclass(each, errors.TreewrightError)
        assert issubclass(each, ValueError)


def test_a_column_of_unreadable_cells_is_also_a_type_error():
    with pytest.raises(TypeError, match="dict"):
        as_table({"a": [{"x": 1}, {"x": 2}]})


@pytest.mark.parametrize(
    ("name", "expected"),
    [("petal_len", "petal_length"), ("PETAL_LENGTH", "petal_length"), ("zzz", None)],
)
def test_the_nearest_name_ignores_case_and_may_be_none(name, expected):
    assert nearest_name(name, ["sepal_width", "petal_length"]) == expected
