"""What is published about the model file, made from the shapes that the loader checks.

Run this file after a change of the format to write the JSON schema and the tables of
docs/reference/model-file.md again:

    python tests/support/model_documents.py
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from treewright.storing import extras, head, nodes
from treewright.storing.json_schema import json_schema
from treewright.storing.shapes import ListOf, Maybe, Record, Shape

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "model-file.md"
SCHEMA = ROOT / "src" / "treewright" / "storing" / "model-file.schema.json"

RECORDS = {
    "file": head.FILE,
    "target": head.TARGET,
    "feature": head.FEATURE,
    "summary": head.SUMMARY,
    "spelling": head.SPELLING,
    "made_by": head.MADE_BY,
    "data": head.DATA,
    "pruning": head.PRUNING,
    "pruning_step": head.STEP,
    "intake": head.INTAKE,
    "rejected": head.REJECTED,
    "finding": head.FINDING,
    "extra": extras.EXTRA,
    "node": nodes.NODE,
    "split": nodes.SPLIT,
    "surrogate": nodes.SURROGATE,
    "evidence of classes": nodes.evidence_shape(-1),
    "evidence of numbers": nodes.evidence_shape(0),
    "answer of classes": nodes.answer_shape(-1),
    "answer of numbers": nodes.answer_shape(0),
}
"""Every record of the file, by the name of its table on the page."""

_TABLE = re.compile(r"<!-- table: (.*?) -->\n.*?<!-- end -->", re.DOTALL)


def schema_text() -> str:
    """Return the JSON schema as it is shipped."""
    return json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n"


def page_text(page: str) -> str:
    """Return the page with all tables as the shapes say."""
    return _TABLE.sub(lambda found: _table(found[1]), page)


def tables_on(page: str) -> list[str]:
    """Return the names of the tables on the page."""
    return [found[1] for found in _TABLE.finditer(page)]


def _table(name: str) -> str:
    lines = ["| field | | value | meaning |", "|---|---|---|---|"]
    for field, each in RECORDS[name].fields.items():
        optional = "optional" if each.optional else ""
        words, about = (_cell(x) for x in (_words(each.shape), each.about))
        lines.append(f"| `{field}` | {optional} | {words} | {about} |")
    return "\n".join([f"<!-- table: {name} -->", *lines, "<!-- end -->"])


def _words(shape: Shape) -> str:
    if isinstance(shape, Record):
        return f"an object: {_name(shape)}"
    if isinstance(shape, ListOf) and isinstance(shape.shape, Record):
        return f"a list of objects: {_name(shape.shape)}"
    if isinstance(shape, Maybe) and isinstance(shape.shape, Record):
        return f"an object: {_name(shape.shape)}; or null"
    return shape.words


def _name(record: Record) -> str:
    return next(name for name, each in RECORDS.items() if each is record)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    SCHEMA.write_text(schema_text(), encoding="utf-8")
    PAGE.write_text(page_text(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{SCHEMA.name} and the tables of {PAGE.name} are written.")
