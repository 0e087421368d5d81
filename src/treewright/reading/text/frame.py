"""A tree as a table of its nodes: a pandas frame, or plain dicts and lists."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import pandas_for_frames
from treewright.reading.answers.answer import answers, class_shares, classes
from treewright.reading.text.missing import surrogate_splits
from treewright.tree.answer import node_answers
from treewright.tree.data import SPLIT_KINDS, STOP_REASONS, TreeData
from treewright.tree.loss import loss_of
from treewright.tree.split import Split, Threshold, splits_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["to_dict", "to_pandas"]


def to_pandas(tree: TreeData) -> pd.DataFrame:
    """Return one row per node, in preorder.

    Parameters
    ----------
    tree : TreeData
        The tree.

    Returns
    -------
    pandas.DataFrame
        Indexed by node: its place (`parent`, `branch`, `depth`, and `condition`,
        the condition of its branch), its split (`split`, `feature`,
        `threshold`, `missing_route`, `n_missing`, `gain`, `proven`), its evidence
        (`n_rows`, `weight`, `share`, `answer`, `impurity`, `risk`, `weighted_risk`; for
        classes `probability` and `confidence`, the share, of the answer and one
        column ``weight of ...`` per class, for numbers `variance`, `q1`, `median`,
        `q3`, and `mean` if answers differ from means), `stop_reason`, and the extra
        arrays of one dimension as ``extra ...``. Gain, impurity and risk are in the
        unit of the target (squared for the squared error) unless that leaves the
        range of float64; see `Loss.shown`.
    """
    pandas = pandas_for_frames()
    names = [str(feature.name) for feature in tree.schema.features]
    shown = loss_of(tree).shown
    columns: dict[str, Any] = {
        "parent": tree.parent,
        "branch": tree.branch,
        "depth": tree.depth,
        "condition": [condition for _, condition in _splits(tree)],
        "split": [SPLIT_KINDS[kind] for kind in tree.split_kind.tolist()],
        "feature": [names[j] if j >= 0 else None for j in tree.feature.tolist()],
        "threshold": tree.threshold,
        "missing_route": tree.missing_route,
        "n_missing": tree.n_missing,
        "gain": shown(tree.gain),
        "proven": tree.proven,
        "n_rows": tree.n_rows,
        "weight": tree.weight,
        "share": tree.share,
        "answer": answers(tree, np.arange(tree.n_nodes)),
        "impurity": shown(tree.impurity),
        "risk": shown(tree.risk),
        "weighted_risk": shown(tree.weighted_risk),
        **_spread(tree),
        "stop_reason": [STOP_REASONS[code].name for code in tree.stop_reason.tolist()],
    }
    for name, array in tree.extras.items():
        if array.ndim == 1:
            columns[f"extra {name}"] = array
    index = pandas.RangeIndex(tree.n_nodes, name="node")
    # Copies, so that writing into the frame neither fails nor reaches the tree.
    copies = {
        name: np.array(v) if isinstance(v, np.ndarray) else v
        for name, v in columns.items()
    }
    return pandas.DataFrame(copies, index=index)


def _spread(tree: TreeData) -> dict[str, Any]:
    """Return the columns about the target beyond the answer."""
    if not tree.is_classifier:
        q1, median, q3 = tree.quartiles.T
        mean = {"mean": tree.value[:, 0]} if len(tree.answer) else {}
        variance = loss_of(tree).shown(tree.variance, power=2)
        return mean | {"variance": variance, "q1": q1, "median": median, "q3": q3}
    every = np.arange(tree.n_nodes)
    weights = {
        f"weight of {label}": tree.value[:, k] for k, label in enumerate(classes(tree))
    }
    sure = class_shares(tree, every)[every, tree.label]
    likely = node_answers(tree)[every, tree.label]
    return {"probability": likely, "confidence": sure, **weights}


def _splits(tree: TreeData) -> Iterator[tuple[Split | None, str]]:
    """Yield each node's split, and the condition of the branch that leads to it."""
    splits: list[Split | None] = [None] * (int(tree.depth.max()) + 1)
    branches = tree.branch.tolist()
    found = splits_of(tree, np.arange(tree.n_nodes))
    for node, (depth, split) in enumerate(zip(tree.depth.tolist(), found, strict=True)):
        splits[depth] = split
        above = splits[depth - 1] if depth else None
        yield splits[depth], "" if above is None else above.words(branches[node])


def to_dict(tree: TreeData) -> dict[str, Any]:
    """Return the tree as dicts, lists, strings and numbers, ready for JSON.

    Nodes are a flat list and refer to one another by number, so a deep tree does not
    become a deeply nested structure. A missing number is None, an infinite one the
    text "inf" or "-inf".

    Parameters
    ----------
    tree : TreeData
        The tree.

    Returns
    -------
    dict
        `target`, `classes`, `features`, `made_by`, `fingerprint`, and `nodes`:
        for each its `node` number, `parent`, `branch`, `depth`, evidence, and
        either `split` or `stop_reason`.
    """
    schema = tree.schema.to_dict()
    return {
        "target": schema["target"],
        "features": schema["features"],
        "made_by": _plain(tree.made_by),
        "fingerprint": tree.fingerprint,
        "nodes": list(_nodes(tree)),
    }


def _nodes(tree: TreeData) -> Iterator[dict[str, Any]]:
    """Yield one dict per node; its keys depend on the kind of node."""
    every = np.arange(tree.n_nodes)
    common: dict[str, NDArray[Any]] = {
        "node": every,
        "parent": tree.parent,
        "branch": tree.branch,
        "depth": tree.depth,
        "n_rows": tree.n_rows,
        "weight": tree.weight,
        "weight_squared": tree.weight_squared,
        "answer": answers(tree, every),
        "value": tree.value,
        "impurity": tree.impurity,
        "risk": tree.risk,
        "weighted_risk": tree.weighted_risk,
    }
    if tree.is_classifier and len(tree.answer):
        common |= {"probabilities": tree.answer}
    if not tree.is_classifier:
        common |= {"variance": tree.variance, "quartiles": tree.quartiles}
    columns = [_listed(array) for array in common.values()]
    extras = {name: _listed(array) for name, array in tree.extras.items()}
    cells = zip(*columns, strict=True)
    for i, (split, condition) in enumerate(_splits(tree)):
        node = dict(zip(common, next(cells), strict=True))
        if i == 0:
            node["parent"] = node["branch"] = None
        node["condition"] = condition
        if split is None:
            node["stop_reason"] = STOP_REASONS[int(tree.stop_reason[i])].name
        else:
            node["split"] = _split(split, SPLIT_KINDS[int(tree.split_kind[i])])
            node["split"] |= _missing(tree, i)
        if extras:
            node["extras"] = {name: array[i] for name, array in extras.items()}
        yield node


def _split(split: Split, kind: str) -> dict[str, Any]:
    out: dict[str, Any] = {
        "kind": kind,
        "feature": split.feature,
        "column": split.column,
        "missing_route": split.missing,
        "gain": _plain(split.gain),
        "proven": split.proven,
    }
    if isinstance(split, Threshold):
        out |= {"threshold": _plain(split.threshold), "at": split.at}
    branches = getattr(split, "branches", None)
    if branches is not None:
        out["categories"] = [[_plain(each) for each in group] for group in branches]
    return out


def _missing(tree: TreeData, node: int) -> dict[str, Any]:
    """Return the number of rows with a missing value, and the surrogates."""
    surrogates = surrogate_splits(tree, node)
    out: dict[str, Any] = {"n_missing": int(tree.n_missing[node])}
    if surrogates:
        out["surrogates"] = [
            {
                "feature": each.feature,
                "column": each.column,
                "left": each.words(0),
                "agree": each.agree,
                "adjusted": each.adjusted,
                "n_rows": each.n_rows,
            }
            for each in surrogates
        ]
    return out


def _listed(array: NDArray[Any]) -> list[Any]:
    """Return an array as nested lists of values that JSON can represent."""
    listed: list[Any] = array.tolist()
    if array.dtype.kind == "O" or (
        array.dtype.kind == "f" and not np.isfinite(array).all()
    ):
        return [_plain(each) for each in listed]
    return listed


def _plain(value: Any) -> Any:
    """Return a value that JSON can represent; nesting is two or three levels deep."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return str(value) if math.isinf(value) else value
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(each) for each in value]
    return str(value)
