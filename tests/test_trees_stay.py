"""No tree changes by accident: splits and answers equal those stored earlier."""

import json

import pytest

from support.golden_trees import STORED, cases, digest, fitted

DIGESTS = json.loads(STORED.read_text())


def test_every_stored_tree_is_checked():
    assert {case.name for case in cases()} == set(DIGESTS)


@pytest.mark.parametrize(
    "page", ["ARCHITECTURE.md", "RELEASING.md", "docs/promises/determinism.md"]
)
def test_pages_tell_how_many_trees_are_stored(request, page):
    text = (request.config.rootpath / page).read_text("utf-8")
    assert f"{len(DIGESTS)} trees" in text


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_splits_and_answers_are_those_stored(case):
    assert digest(case, fitted(case)) == DIGESTS[case.name]
