"""One hash for one tree: the meaning of "the same tree".

The bytes that are hashed do not depend on the machine: every array is written
little-endian, in a fixed order, after its name, type and shape; all NaN are one
NaN and -0.0 is 0.0; the schema is JSON with sorted keys. How the tree was made
is left out: two ways to the same tree give the same hash.
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
    """SHA-256 of a tree's arrays, extras and schema, as 64 hex digits.

    Trees are equal exactly when their fingerprints are.

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
        _add(digest, name, getattr(tree, name))
    for name in sorted(tree.extras):
        _add(digest, f"extras.{name}", tree.extras[name])
    schema = tree.schema.to_dict()
    # Class weights tell how the rows were weighed, which the evidence shows already.
    (schema["target"] or {}).pop("class_weight", None)
    text = json.dumps(schema, sort_keys=True, default=_plain)
    digest.update(f"schema {len(text)}\n{text}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _add(digest: Any, name: str, array: NDArray[Any]) -> None:
    """Add one array, preceded by what is needed to tell it from any other."""
    kind = "text" if array.dtype.kind == "U" else array.dtype.newbyteorder("<").str
    # The length of the name keeps apart names that contain blanks.
    head = f"{len(name)} {name} {kind} {'x'.join(map(str, array.shape))}\n"
    digest.update(head.encode("utf-8", "surrogatepass"))
    digest.update(_bytes(array))


def _bytes(array: NDArray[Any]) -> bytes | memoryview:
    """Contents of an array: equal arrays give equal bytes."""
    if array.dtype.kind == "U":
        return json.dumps(array.tolist()).encode()
    if array.dtype.kind == "f":
        array = array + array.dtype.type(0)  # -0.0 becomes 0.0
        array[np.isnan(array)] = np.nan
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).data


def _plain(value: object) -> object:
    """JSON for the NumPy scalars a schema may hold; the last resort is its text."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return str(value)
