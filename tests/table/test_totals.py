"""A row of totals at the end of a table is found, by its word and its sums."""

import numpy as np
import pytest

import treewright as tw

RNG = np.random.default_rng(5)
N = 60
TOWNS = [f"town {i % 12}" for i in range(N)]
SALES = RNG.integers(10, 90, N)
SHARE = RNG.normal(size=N).round(2)


def found(names, sales, share=SHARE):
    intake = tw.inspect({"town": names, "sales": list(sales), "share": list(share)})
    return intake.of("totals_row")


@pytest.mark.parametrize(
    "word", ["Total", "TOTAL:", "Grand total", "Sum", "Summe", "Gesamt", "Sub-total"]
)
def test_a_row_of_totals_is_named(word):
    names, sales = [*TOWNS, word], [*SALES, SALES.sum()]
    (one,) = found(names, sales, [*SHARE, 99.0])
    assert one.column is None
    assert one.words == f"row 61 of 61 is called {word!r} and holds the sum of 'sales'"
    assert one.advice == "It is no case of its own: remove it from the data."


def test_all_columns_that_are_summed_are_listed():
    names = [*TOWNS, "Total", "source"]
    sales, share = [*SALES, SALES.sum(), 1], [*SHARE, round(SHARE.sum(), 2), 0]
    (one,) = found(names, sales, share)
    assert one.words.startswith("row 61 of 62 ")
    assert one.words.endswith("holds the sum of 'sales' and 'share'")


def test_neither_the_word_nor_the_sum_alone_is_a_total():
    assert found([*TOWNS, "Total"], [*SALES, 77], [*SHARE, 1]) == []
    assert found([*TOWNS, "town 1"], [*SALES, SALES.sum()], [*SHARE, 1]) == []
    assert found([*TOWNS, "Total eclipse"], [*SALES, SALES.sum()], [*SHARE, 1]) == []
    often = ["Total" if i % 9 == 0 else x for i, x in enumerate(TOWNS)]
    assert found([*often, "Total"], [*SALES, SALES.sum()], [*SHARE, 1]) == []


def test_a_total_in_the_middle_is_a_name():
    names = [*TOWNS[:30], "Total", *TOWNS[30:]]
    sales = [*SALES[:30], SALES[:30].sum(), *SALES[30:]]
    assert found(names, sales, [*SHARE, 1]) == []


def test_a_small_file_and_a_target_that_is_summed(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text("town;sales\nBonn;1.200,50\nKöln;99,50\nGesamt;1.300,00\n")
    table = tw.read(path, target="sales")
    (one,) = table.intake.of("totals_row")
    assert "row 3 of 3 is called 'Gesamt' and holds the sum of 'sales'" in one.words
    assert table.n_rows == 3, "the row stays: only its owner can say what it is"
