"""Estimators and rows to report about, one for every kind of tree."""

import datetime as dt
from zoneinfo import ZoneInfo

import numpy as np

import treewright as tw
from support.looks import Named, table


def frame(name, target, drop=()):
    """A bundled table as columns and target, rows with a target only."""
    columns = {k: v for k, v in table(name).items() if k not in drop}
    y = columns.pop(target)
    known = [i for i, each in enumerate(y) if each is not None]
    made = Named(y[i] for i in known)
    made.name = target
    return {k: [v[i] for i in known] for k, v in columns.items()}, made


def halves(columns, y):
    """Every other row to train on, the rest to test."""

    def part(first):
        rows = {k: v[first::2] for k, v in columns.items()}
        own = Named(y[first::2])
        own.name = getattr(y, "name", "y")
        return rows, own

    return part(0), part(1)


def fitted(estimator, columns, y):
    (X, own), test = halves(columns, y)
    return estimator.fit(X, own), *test


def penguins(**options):
    options = {"prune": None, "min_samples_leaf": 3, **options}
    return fitted(tw.TreeClassifier(**options), *frame("penguins.csv", "species"))


def hitters(**options):
    options = {"prune": None, "min_samples_leaf": 5, **options}
    return fitted(tw.TreeRegressor(**options), *frame("hitters.csv", "Salary"))


def with_gaps(columns, seed=0, share=0.15):
    """The same columns with some values missing."""
    rng = np.random.default_rng(seed)
    return {
        name: [None if rng.random() < share else value for value in values]
        for name, values in columns.items()
    }


def gappy_penguins(**options):
    columns, y = frame("penguins.csv", "species")
    options = {"prune": None, "min_samples_leaf": 2, **options}
    return fitted(tw.TreeClassifier(**options), with_gaps(columns), y)


def credit(**options):
    columns, y = frame("german_credit.csv", "class")
    return fitted(tw.TreeClassifier(**options), with_gaps(columns, share=0.05), y)


def tennis_id3():
    columns, y = frame("play_tennis.csv", "PlayTennis", ["Day"])
    return tw.TreeClassifier(method="id3").fit(columns, y), columns, y


def moments():
    """Dates, times with and without a zone, durations, booleans, ranks."""
    rng = np.random.default_rng(3)
    n = 240
    day = [dt.date(2020, 1, 1) + dt.timedelta(days=int(d)) for d in range(n)]
    clock = [
        dt.datetime(2021, 3, 1, tzinfo=dt.UTC) + dt.timedelta(minutes=37 * int(k))
        for k in rng.permutation(n)
    ]
    lasted = [dt.timedelta(seconds=float(s)) for s in rng.integers(0, 400_000, n)]
    flag = [bool(b) for b in rng.integers(0, 2, n)]
    grade = [["low", "middle", "high"][k] for k in rng.integers(0, 3, n)]
    hours = rng.normal(40, 9, n).round(2).tolist()
    score = [
        (day[i] > dt.date(2020, 5, 1))
        + 2 * (clock[i].day > 4)
        + (lasted[i].total_seconds() > 180_000)
        + 2 * flag[i]
        + (grade[i] == "high")
        + (hours[i] > 41)
        for i in range(n)
    ]
    columns = {
        "day": day,
        "clock": clock,
        "lasted": lasted,
        "flag": flag,
        "grade": grade,
        "hours": hours,
    }
    y = ["yes" if s > 3 else "no" for s in score]
    model = tw.TreeClassifier(
        prune=None, kinds={"grade": ["low", "middle", "high"]}, min_samples_leaf=4
    )
    return fitted(model, columns, y)


def calendars():
    """Months, and days and months of Berlin, where the clocks change."""
    rng = np.random.default_rng(4)
    berlin = ZoneInfo("Europe/Berlin")
    month = [dt.date(2015 + k // 12, 1 + k % 12, 1) for k in range(60)] * 5
    start = dt.datetime(2021, 1, 1)
    local = [
        (start + dt.timedelta(days=int(d))).replace(tzinfo=berlin)
        for d in rng.integers(0, 365, 300)
    ]
    y = [
        ("winter" if m.month < 4 else "early" if m.year < 2018 else "late")
        + ("" if day.timetuple().tm_yday < 87 else ", summer time")
        for m, day in zip(month, local, strict=True)
    ]
    begun = [
        dt.datetime(2019 + k // 12, 1 + k % 12, 1, tzinfo=berlin)
        for k in rng.integers(0, 36, 300).tolist()
    ]
    y = [
        f"{each}{', later' * (m.year > 2019)}" for each, m in zip(y, begun, strict=True)
    ]
    model = tw.TreeClassifier(prune=None, min_samples_leaf=4)
    return fitted(model, {"month": month, "local": local, "begun": begun}, y)
