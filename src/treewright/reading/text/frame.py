"""A tree as a table of its nodes, in a pandas frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import pandas_for_frames
from treewright.reading.answers.answer import answers, class_shares, classes
from treewright.tree.answer import node_answers
from treewright.tree.data import SPLIT_KINDS, STOP_REASONS, TreeData
from treewright.tree.loss import loss_of
from treewright.tree.split import Split, splits_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["to_pandas"]


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
        "condition": list(_conditions(tree)),
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


def _conditions(tree: TreeData) -> Iterator[str]:
    """Yield the condition of the branch that leads to each node; "" for the root."""
    splits: list[Split | None] = [None] * (int(tree.depth.max()) + 1)
    branches = tree.branch.tolist()
    found = splits_of(tree, np.arange(tree.n_nodes))
    for node, (depth, split) in enumerate(zip(tree.depth.tolist(), found, strict=True)):
        splits[depth] = split
        above = splits[depth - 1] if depth else None
        yield "" if above is None else above.words(branches[node])
