"""The page about the model file, its JSON schema and the code say the same."""

import dataclasses
import json
import re
from importlib.resources import files

import jsonschema
import numpy as np
import pytest

from support import model_kinds as kinds
from support.model_documents import (
    PAGE,
    RECORDS,
    SCHEMA,
    page_text,
    schema_text,
    tables_on,
)
from treewright.pruning.result import Pruning
from treewright.storing import head
from treewright.storing.save import saved_bytes
from treewright.table.intake import Finding, Intake
from treewright.table.schema import Feature, Summary, TargetInfo
from treewright.table.spelling import Spelling
from treewright.tree.data import TreeData

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
REMEDY = "run python tests/support/model_documents.py"


def names(kind):
    return {each.name for each in dataclasses.fields(kind)}


def test_the_shipped_schema_is_the_one_of_the_code():
    shipped = files("treewright") / "storing" / SCHEMA.name
    assert shipped.read_text(encoding="utf-8") == schema_text(), REMEDY


def test_the_page_has_a_table_of_every_record_as_the_code_has_it():
    page = PAGE.read_text(encoding="utf-8")
    assert sorted(tables_on(page)) == sorted(RECORDS)
    assert page_text(page) == page, REMEDY


@pytest.mark.parametrize("name", kinds.MAKERS)
def test_every_kind_of_file_fits_the_schema(name):
    tree = kinds.model(name).estimator.tree_.with_note("x")
    document = json.loads(saved_bytes(tree.data))
    jsonschema.Draft202012Validator(json.loads(schema_text())).validate(document)
    document["nodes"][0]["depth"] = "0"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(json.loads(schema_text())).validate(document)


def test_the_file_has_a_field_for_everything_that_is_known():
    assert names(Feature) == set(head.FEATURE.fields)
    assert names(Summary) == set(head.SUMMARY.fields)
    assert names(Spelling) == set(head.SPELLING.fields)
    assert names(TargetInfo) == set(head.TARGET.fields)
    assert names(Intake) == {*head.INTAKE.fields, "findings", "conversions"}
    assert set(Finding._fields) == set(head.FINDING.fields)
    # The grown tree, if it is kept, is a tree of its own in the file.
    kept = names(Pruning) - {"tree", "_face"}
    assert kept == set(head.PRUNING.fields) | set(head.STEP.fields)


def test_the_file_has_every_array_of_a_tree():
    from treewright.storing.load import load_bytes

    for name in ("surrogates", "numbers", "c45", "many_categories"):
        tree = kinds.model(name).estimator.tree_.data
        back = load_bytes(saved_bytes(tree))
        for array in TreeData.array_names:
            same = np.array_equal(
                getattr(tree, array),
                getattr(back, array),
                equal_nan=getattr(tree, array).dtype.kind == "f",
            )
            assert same, array


def test_the_code_on_the_page_answers_as_the_tree_does(tmp_path):
    page = PAGE.read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[-1]
    space = {}
    exec(compile(code, PAGE.name, "exec"), space)
    fitted, rows = kinds.model("many_categories")
    path = tmp_path / "t.tree.json"
    fitted.tree_.save(path)
    for i in range(0, len(rows), 25):
        found = space["answer"](path, rows.iloc[i].to_dict())
        assert found == {"class": bool(fitted.predict(rows.iloc[[i]])[0])}
