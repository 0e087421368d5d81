"""Raw exports as new users have them: nothing is damaged silently."""

import numpy as np
import pandas as pd
import pytest

import treewright as tw

N = 400
RNG = np.random.default_rng(5)
AGE = RNG.integers(18, 80, N)
NUMBER = RNG.integers(500, 5000, N)
CLASS = np.where(AGE + RNG.normal(0, 12, N) > 50, "yes", "no")
CLEAN = pd.DataFrame({"age": AGE, "town": RNG.choice(["Rome", "Bonn"], N)})
DAYS = pd.Timestamp("2019-01-01") + pd.to_timedelta(RNG.integers(0, 500, N), unit="D")


def german(number):
    return f"{number:,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".")


@pytest.mark.parametrize(
    ("cells", "spelled", "kind"),
    [
        (DAYS.strftime("%Y-%m-%d"), "dates", "date"),
        (DAYS.strftime("%d/%m/%Y"), "dates (day first)", "date"),
        ([f"${n:,}" for n in NUMBER], "amounts of money in $", "numeric"),
        ([german(n / 2) for n in NUMBER], "numbers with a decimal comma", "numeric"),
        ([f"{n / 50:.1f}%" for n in NUMBER], "percentages", "numeric"),
        ([f"0.{n}" for n in NUMBER], "numbers", "numeric"),
        ([f"{a} years" for a in AGE], "numbers in years", "numeric"),
        ([f"{a % 12 + 1} PM" for a in AGE], "times of day", "date"),
    ],
)
def test_text_that_spells_values_is_named_with_the_line_that_converts(
    cells, spelled, kind
):
    X = CLEAN.assign(raw=list(cells))
    with pytest.warns(tw.ColumnKindWarning) as caught:
        fitted = tw.TreeClassifier().fit(X, CLASS)
    assert len(caught) == 1
    words = str(caught[0].message)
    assert f" spell {spelled}" in words
    assert words.count("'raw'") == 2
    assert f"kinds={{'raw': '{kind}'}}" in words
    assert fitted.tree_.schema.features[2].kind == "categorical"  # not converted
    read = tw.TreeClassifier(kinds={"raw": kind}).fit(X, CLASS)
    assert read.tree_.schema.features[2].kind == "numeric"
    assert read.predict(X[:5]).shape == (5,)


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ({"target_too": CLASS}, "leak"),
        ({"row": np.arange(N)}, "running_number"),
        ({"row_id": np.arange(N)}, "key"),
        ({"job": RNG.choice(["?", "smith", "clerk"], N)}, "missing_marks"),
        ({"size": np.where(AGE > 70, -999, AGE)}, "missing_marks"),
    ],
)
def test_what_was_silent_is_said(column, kind):
    with pytest.warns(tw.IntakeWarning) as caught:
        fitted = tw.TreeClassifier().fit(CLEAN.assign(**column), CLASS)
    assert len(caught) == 1
    (name,) = column
    assert repr(name) in str(caught[0].message)
    assert (kind, name) in {(f.kind, f.column) for f in fitted.intake_.findings}


def test_codes_stay_text_without_a_finding():
    X = CLEAN.assign(
        zip=RNG.choice(["01234", "98765", "10115"], N),
        phone=RNG.choice(["030 555", "+49 170 1"], N),
        smoker=RNG.choice(["yes", "no"], N),
        flag=RNG.choice(["t", "f"], N),
    )
    assert tw.TreeClassifier(findings="error").fit(X, CLASS).intake_.findings == ()
