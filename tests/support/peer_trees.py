"""The trees of other programs in our form."""

import numpy as np

from support.oracle_files import (
    INSIDE_NAMES,
    OUTSIDE_NAMES,
    data_of,
    fit_of,
    fits_of,
    oracle,
)
from treewright.table.as_table import as_table
from treewright.table.schema import Feature, Schema, TargetInfo
from treewright.tree.data import (
    ALL_BRANCHES,
    LEAF,
    MULTIWAY,
    STOP_HERE,
    THRESHOLD,
    TreeData,
)


def sklearn_paths():
    """(name, fit) of every scikit-learn fit with a pruning path."""
    names = [name for name in INSIDE_NAMES + OUTSIDE_NAMES if name[:4] == "skle"]
    return [
        (name, fit["name"])
        for name in names
        for fit in fits_of(name)
        if "pruning_path" in fit
    ]


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
    # Friedman's variant only ranks splits differently: the impurity is the variance.
    criterion = fit["params"]["criterion"].replace("friedman_mse", "squared_error")
    made_by = {"options": {"criterion": criterion}}
    return TreeData.from_arrays(arrays, Schema((Feature("x"),), target), made_by)


def weka_table(name):
    """The rows Weka was given; text and few-valued columns as it took them."""
    answer = oracle(name)
    frame = data_of(name)
    nominal = set()

    def note(tree):
        if "attr" in tree:
            if tree["branches"][0]["op"] == "=":
                nominal.add(tree["attr"])
            for branch in tree["branches"]:
                note(branch["child"])

    for fit in answer["fits"]:
        if fit["name"].startswith("J48") and "-B" not in fit["name"]:
            note(fit["tree"])
    columns = {}
    for each in answer["attributes_in_order"]:
        if each == answer["target"]:
            continue
        values = frame[each]
        if each in nominal:
            values = values.map(_weka_word, na_action="ignore").astype(object)
        columns[each] = values
    kinds = {each: "categorical" for each in nominal}
    return as_table(columns, frame[answer["target"]].astype(str), kinds=kinds)


def _weka_word(value):
    if isinstance(value, bool):
        return str(value).upper()
    return f"{value:g}" if isinstance(value, float) else str(value)


def weka_tree(name, fit_name, table):
    """A J48 tree in our arrays: structure alone, with made-up evidence."""
    tree = fit_of(name, fit_name)["tree"]
    schema = table.schema
    number = {feature.name: j for j, feature in enumerate(schema.features)}
    classes = [str(each) for each in schema.target.classes]
    kind, feature, threshold, listed, size, label = [], [], [], [], [], []

    def add(node):
        place = len(kind)
        kind.append(LEAF)
        feature.append(-1)
        threshold.append(np.nan)
        listed.append([])
        size.append(1)
        label.append(classes.index(node["class"]) if "class" in node else 0)
        if "attr" not in node:
            return 1
        feature[place] = number[node["attr"]]
        branches = node["branches"]
        if branches[0]["op"] == "=":
            kind[place] = MULTIWAY
            labels = [str(each) for each in schema.features[feature[place]].labels]
            listed[place] = sorted(
                (labels.index(branch["value"]), b) for b, branch in enumerate(branches)
            )
        else:
            kind[place] = THRESHOLD
            threshold[place] = float(branches[0]["value"])
            assert branches[0]["op"] == "<="
        size[place] += sum(add(branch["child"]) for branch in branches)
        return size[place]

    add(tree)
    n, k = len(kind), len(classes)
    inner = np.array(kind) != LEAF
    value = np.zeros((n, k))
    value[np.arange(n), label] = 1.0
    pairs = [pair for part in listed for pair in part]
    arrays = {
        "subtree_size": size,
        "split_kind": kind,
        "feature": feature,
        "threshold": threshold,
        "category_start": np.cumsum([0, *map(len, listed)]),
        "categories": np.array([code for code, _ in pairs], dtype=np.int32),
        "category_branch": np.array([branch for _, branch in pairs], dtype=np.int32),
        "missing_route": np.where(inner, ALL_BRANCHES, STOP_HERE),
        "n_rows": np.ones(n, dtype=np.int64),
        "weight": np.ones(n),
        "weight_squared": np.ones(n),
        "value": value,
        "impurity": np.zeros(n),
        "gain": np.zeros(n),
        "label": label,
        "risk": np.zeros(n),
        "stop_reason": np.zeros(n, dtype=np.int8),
        "proven": np.ones(n, dtype=bool),
    }
    made_by = {"method": "c45", "options": {"criterion": "entropy"}}
    return TreeData.from_arrays(arrays, schema, made_by)


def weka_shape(tree):
    """Nested (column, cuts, branches) of Weka's tree, and the class of its leaves."""
    if "attr" not in tree:
        return tree["class"]
    below = [weka_shape(branch["child"]) for branch in tree["branches"]]
    words = [branch["value"] for branch in tree["branches"]]
    return (
        tree["attr"],
        words if tree["branches"][0]["op"] == "=" else words[0],
        below,
    )
