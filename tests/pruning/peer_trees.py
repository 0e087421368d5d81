"""The stored answers of other programs, and their trees in our form.

They lie beside the repository, in ../shared/oracles, whose README says how they
were made.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from treewright.table.schema import Feature, Schema, TargetInfo
from treewright.tree.data import LEAF, THRESHOLD, TreeData

BESIDE = Path(__file__).resolve().parents[3]
ORACLES = BESIDE / "shared" / "oracles"
SKIP_WORDS = f"NOT COMPARED WITH OTHER PROGRAMS: there is no folder {ORACLES}"


@cache
def oracle(name):
    return json.loads((ORACLES / f"{name}.json").read_text())


@cache
def frame_of(name):
    answer = oracle(name)
    frame = pd.read_csv(
        BESIDE / answer["file"],
        keep_default_na=False,
        na_values=answer.get("na_strings", ["", "NA"]),
    )
    return frame.iloc[: answer.get("rows")]


def sklearn_paths():
    """(name, fit) of every scikit-learn fit with a pruning path."""
    if not ORACLES.is_dir():
        return []
    names = sorted(path.stem for path in ORACLES.glob("sklearn_*.json"))
    return [
        (name, fit["name"])
        for name in names
        for fit in oracle(name)["fits"]
        if "pruning_path" in fit
    ]


def fit_of(name, fit_name):
    return next(fit for fit in oracle(name)["fits"] if fit["name"] == fit_name)


def sklearn_tree(name, fit_name):
    """scikit-learn's own tree in our arrays: its numbering is preorder too."""
    answer, fit = oracle(name), fit_of(name, fit_name)
    tree = fit["tree"]
    left, right = np.array(tree["children_left"]), np.array(tree["children_right"])
    n = len(left)
    inner = left >= 0
    assert (left[inner] == np.flatnonzero(inner) + 1).all()
    size = np.ones(n, dtype=np.int64)
    for node in reversed(range(n)):
        if inner[node]:
            size[node] += size[left[node]] + size[right[node]]
    classes = tuple(answer.get("classes") or ())
    impurity = np.array(tree["impurity"], dtype=float)
    rows = tree.get("weighted_n_node_samples", tree["n_node_samples"])
    weight = np.array(rows, dtype=float)
    value = np.array(tree["value"], dtype=float).reshape(n, -1)
    numbers = {"variance": impurity, "quartiles": np.repeat(value, 3, axis=1)}
    if classes:
        value, numbers = value * weight[:, None], {}
    target = TargetInfo("y", "class" if classes else "number", classes)
    arrays = {
        "subtree_size": size,
        "split_kind": np.where(inner, THRESHOLD, LEAF),
        "feature": np.where(inner, 0, -1),
        "threshold": np.where(inner, 0.0, np.nan),
        "category_start": np.zeros(n + 1, dtype=np.int64),
        "categories": np.zeros(0, dtype=np.int32),
        "category_branch": np.zeros(0, dtype=np.int32),
        "missing_route": np.where(inner, 0, -1),
        "n_rows": tree["n_node_samples"],
        "weight": weight,
        "weight_squared": weight,
        "value": value,
        "impurity": impurity,
        "gain": np.zeros(n),
        "label": value.argmax(axis=1) if classes else np.full(n, -1),
        "risk": 1 - value.max(axis=1) / weight if classes else impurity,
        "stop_reason": np.zeros(n, dtype=np.int8),
        "proven": np.ones(n, dtype=bool),
        **numbers,
    }
    made_by = {"options": {"criterion": fit["params"]["criterion"]}}
    return TreeData.from_arrays(arrays, Schema((Feature("x"),), target), made_by)
