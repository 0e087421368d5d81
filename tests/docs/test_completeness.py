"""Nothing public is missing from the book."""

from pathlib import Path

import treewright as tw

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_reference_lists_every_public_name():
    lines = (DOCS / "reference" / "api.md").read_text(encoding="utf-8").splitlines()
    listed = {line.strip() for line in lines}
    assert set(tw.__all__) - {"__version__"} - listed == set()
