"""The hash that defines when two trees are the same.

The hashed bytes do not depend on the machine. Every array is written little-endian,
in a fixed order, after its name, type and shape; all NaN are made the same NaN, and
-0.0 becomes 0.0; the schema is written as JSON with sorted keys. `made_by` is left
out, so that two methods that give the same tree give the same hash.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from treewright.tree.data import TreeData

__all__ = ["fingerprint"]

_FORMAT = b"treewright tree 1\n"


def fingerprint(tree: TreeData) -> str:
    """Return the SHA-256 of a tree's arrays, extras and schema.

    Two trees are equal exactly if their fingerprints are equal.

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
        # A tree that answers by its evidence has the hash it had before `answer` was.
        if name != "answer" or tree.answer.size:
            _add(digest, name, getattr(tree, name))
    for name in sorted(tree.extras):
        _add(digest, f"extras.{name}", tree.extras[name])
    schema = tree.schema.to_dict()
    # The evidence of the nodes already reflects the class weights.
    (schema["target"] or {}).pop("class_weight", None)
    text = json.dumps(schema, sort_keys=True, default=_plain)
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


def _plain(value: object) -> object:
    """Return a NumPy value of a schema as plain Python; other values as text."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return str(value)
