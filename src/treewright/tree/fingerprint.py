"""The hash by which trees are recognised: the same on every machine.

Impurity, gain and risk are left out. They follow from the rest and the criterion, and
the last bits of a logarithm differ between C libraries. Every other array is written
little-endian, in a fixed order, after its name, type and shape; all NaN are made the
same NaN, and -0.0 becomes 0.0. Of the schema, the names, kinds, categories and cuts of
the columns and the classes, costs and priors of the target count, written as JSON with
sorted keys. How the values were stored, sentences, summaries and the name of the target
do not count, so that the same rows give the same hash as float32 and float64, from
pandas and from Arrow. `made_by` is left out, so that two methods that give the same
tree give the same hash.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from treewright.table.column import Label
    from treewright.table.schema import Schema
    from treewright.tree.data import TreeData

__all__ = ["DERIVED", "fingerprint"]

_FORMAT = b"treewright tree 3\n"
DERIVED = ("impurity", "gain", "risk")
"""The arrays that are not hashed."""


def fingerprint(tree: TreeData) -> str:
    """Return the SHA-256 of a tree's arrays, extras and columns.

    Equal trees have equal fingerprints. Trees of equal fingerprints have the same
    nodes, splits, rows and answers.

    Parameters
    ----------
    tree : TreeData
        The tree to hash.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    digest = hashlib.sha256(_FORMAT)
    for name in tree.array_names:
        if name not in DERIVED:
            _add(digest, name, getattr(tree, name))
    for name in sorted(tree.extras):
        _add(digest, f"extras.{name}", tree.extras[name])
    text = json.dumps(_meaning(tree.schema), sort_keys=True)
    digest.update(f"schema {len(text)}\n{text}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _add(digest: Any, name: str, array: NDArray[Any]) -> None:
    """Add one array, preceded by its name, type and shape."""
    kind = "text" if array.dtype.kind == "U" else array.dtype.newbyteorder("<").str
    # The length of the name keeps names with blanks unambiguous.
    head = f"{len(name)} {name} {kind} {'x'.join(map(str, array.shape))}\n"
    digest.update(head.encode("utf-8", "surrogatepass"))
    digest.update(_bytes(array))


def _bytes(array: NDArray[Any]) -> bytes | memoryview:
    """Return the contents of an array; equal arrays give equal bytes."""
    if array.dtype.kind == "U":
        return json.dumps(array.tolist()).encode()
    if array.dtype.kind == "f":
        array = array + array.dtype.type(0)  # -0.0 becomes 0.0
        array[np.isnan(array)] = np.nan
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).data


def _meaning(schema: Schema) -> dict[str, Any]:
    """Return what the tree says about its columns and answers, ready for JSON."""
    columns = [
        {
            "name": each.name,
            "kind": each.kind,
            "labels": [_label(label) for label in each.labels],
            "cuts": None if each.cuts is None else [cut.hex() for cut in each.cuts],
            "float32": each.float32,
        }
        for each in schema.features
    ]
    target = schema.target
    if target is None:
        return {"columns": columns, "target": None}
    # The evidence of the nodes already reflects the class weights.
    about = {
        "kind": target.kind,
        "classes": [_label(label) for label in target.classes],
        "costs": target.costs,
        "priors": target.priors,
        "exponent": target.exponent,
    }
    return {"columns": columns, "target": about}


def _label(label: Label) -> list[Any]:
    """Return a label with its type: 1 and 1.0 are one, '1' and True are others."""
    if isinstance(label, str):
        return ["text", label]
    if isinstance(label, bool):
        return ["bool", label]
    return ["number", float(label).hex() if abs(label) < 2**53 else repr(label)]
