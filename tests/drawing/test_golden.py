"""Pictures compared with files that somebody has looked at.

After a wanted change: TREEWRIGHT_REWRITE=1 pytest tests/drawing/test_golden.py, then
look at every file that changed before it is committed.
"""

import os
from pathlib import Path

import pytest

from support.looks import LOOKS, seed_tree

GOLDEN = Path(__file__).parent / "golden"
FORMS = {
    "svg": lambda tree: tree.to_svg(),
    "mmd": lambda tree: tree.to_mermaid(),
    "dot": lambda tree: tree.to_dot(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", [*LOOKS, "seed"])
def test_the_picture_is_the_one_that_was_looked_at(name, form):
    tree = seed_tree() if name == "seed" else LOOKS[name]()
    drawn = FORMS[form](tree) + "\n"
    path = GOLDEN / f"{name}.{form}"
    if os.environ.get("TREEWRIGHT_REWRITE"):
        path.write_text(drawn, encoding="utf-8")
    assert drawn == path.read_text(encoding="utf-8")


def test_mermaid_is_that_of_the_lecture_notes():
    assert seed_tree().to_mermaid().splitlines() == [
        "flowchart TD",
        'n0["Outlook"]',
        'n0 -- "Sunny" --> n1["Humidity"]',
        'n1 -- "High" --> n2(["No"])',
        'n1 -- "Normal" --> n3(["Yes"])',
        'n0 -- "Overcast" --> n4(["Yes"])',
        'n0 -- "Rain" --> n5["Wind"]',
        'n5 -- "Strong" --> n6(["No"])',
        'n5 -- "Weak" --> n7(["Yes"])',
    ]
