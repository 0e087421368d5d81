"""What is found in real tables: every finding here was looked at, one by one."""

from importlib.resources import files

import pandas as pd
import pytest
from sklearn import datasets

import treewright as tw
from support.oracle_files import real_table

BUNDLED = {"penguins": "species", "german_credit": "class", "carseats": "Sales"}
FOUND = {
    "play_tennis": ("PlayTennis", set()),
    "spam_email_8": ("spam", set()),
    "penguins": ("species", set()),
    "titanic": (
        "survived",
        {
            ("leak", "boat"),  # only survivors were in a boat
            ("tells_rows_apart", "name"),
            ("tells_rows_apart", "ticket"),
            ("many_categories", "cabin"),
            ("many_categories", "home.dest"),
        },
    ),
    "adult": ("income", set()),
    "german_credit": ("class", set()),
    "mushrooms": (
        "class",
        {("missing_marks", "stalk-root"), ("constant", "veil-type")},
    ),
    "abalone": ("Rings", set()),
    "california_housing": ("median_house_value", set()),
    "ames_housing": (
        "price",
        # The number of the row, and that of the parcel.
        {("running_number", "Order"), ("running_number", "PID")},
    ),
    "heart": ("AHD", set()),
    "hitters": ("Salary", set()),
    "carseats": ("Sales", set()),
    "car_evaluation": ("class", set()),
    "bank_marketing": ("y", set()),
    "diamonds": ("price", set()),
    "higgs_sample": ("signal", set()),
}
READ_AS_MISSING = {
    "penguins": {
        "bill_length_mm",
        "bill_depth_mm",
        "flipper_length_mm",
        "body_mass_g",
        "sex",
    },
    "heart": {"Ca", "Thal"},
}


def findings(frame, target):
    known = frame[frame[target].notna()]
    found = tw.inspect(known.drop(columns=target), known[target]).findings
    return {(each.kind, each.column) for each in found}


@pytest.mark.parametrize("name", FOUND)
def test_only_what_is_there_is_found(name):
    path = real_table(f"{name}.csv")
    frame = pd.read_csv(path, sep=";" if name == "bank_marketing" else ",")
    target, expected = FOUND[name]
    assert findings(frame, target) == expected


@pytest.mark.parametrize("name", FOUND)
def test_reading_the_file_finds_the_same(name):
    target, expected = FOUND[name]
    table = tw.read(real_table(f"{name}.csv"), target=target)
    # The reader has made missing values of the marks, and put it on record.
    marks = {column for kind, column in expected if kind == "missing_marks"}
    found = {(each.kind, each.column) for each in table.findings}
    assert found == {each for each in expected if each[0] != "missing_marks"}
    converted = {each.column for each in table.conversions if each.kind == "converted"}
    assert converted == marks | READ_AS_MISSING.get(name, set())


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_tables_are_clean(name):
    frame = pd.read_csv(files("treewright") / "data" / f"{name}.csv")
    assert findings(frame, BUNDLED[name]) == set()
    twice = pd.concat([frame, frame], ignore_index=True)
    assert findings(twice, BUNDLED[name]) == {("copies", None)}


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes"])
def test_tables_of_scikit_learn_are_clean(name):
    frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
    assert findings(frame, "target") == set()


def test_the_corners_of_the_digits_are_always_white():
    frame = datasets.load_digits(as_frame=True).frame
    pixels = ["pixel_0_0", "pixel_4_0", "pixel_4_7"]
    assert findings(frame, "target") == {("constant", name) for name in pixels}
