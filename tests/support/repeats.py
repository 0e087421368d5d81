"""Repetitions of a random test: `make test` runs the first ones, CI all of them."""

from collections.abc import Iterable

import pytest


def first_of(values: Iterable, quick: int) -> list:
    """Return the values as parameters of a test, all but the first ones marked slow."""
    return [
        value if i < quick else pytest.param(value, marks=pytest.mark.slow)
        for i, value in enumerate(values)
    ]
