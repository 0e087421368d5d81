"""How a tree was made, and Python code that reproduces it."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright._version import __version__
from treewright.options import GrowOptions
from treewright.pruning.result import Pruning
from treewright.tree import wording
from treewright.tree.data import TreeData
from treewright.tree.new_rows import NewRows
from treewright.tree.route import columns_used

__all__ = ["provenance_of", "rows_fingerprint", "training_fingerprint"]

_MOST_NAMES = 1000
_LONGEST = 300
_WIDEST = 88


def provenance_of(
    tree: TreeData,
    estimator: tuple[str, Mapping[str, Any], Mapping[str, Any]] | None,
    pruning: Pruning | None,
    test_print: str | None,
) -> dict[str, Any]:
    """Return options, versions, fingerprints and the code that grows the tree again.

    Parameters
    ----------
    tree : TreeData
        The tree.
    estimator : tuple or None
        Class name, parameters and their defaults, if an estimator grew the tree.
    pruning : Pruning or None
        How the size of the tree was chosen.
    test_print : str or None
        Fingerprint of the test rows.

    Returns
    -------
    dict
    """
    name, parameters, defaults = estimator or _growing(tree)
    options = [
        {
            "name": key,
            "value": _value_text(value),
            "set": not _same(value, defaults.get(key)),
        }
        for key, value in parameters.items()
    ]
    options.sort(key=lambda each: not each["set"])
    prints = [
        {"name": "Training rows, by their summary in the tree",
         "value": training_fingerprint(tree)},
        {"name": "Tree", "value": tree.fingerprint},
    ]  # fmt: skip
    if test_print is not None:
        prints.insert(1, {"name": "Test rows", "value": test_print})
    return {
        "options": options,
        "pruning": "" if pruning is None else pruning.words,
        "notes": [] if pruning is None else list(pruning.notes),
        "versions": _versions(tree),
        "fingerprints": prints,
        "code": _code(tree, name, parameters, defaults, test_print is not None),
    }


def _growing(tree: TreeData) -> tuple[str, dict[str, Any], dict[str, Any]]:
    return "grow", dict(tree.options), GrowOptions().to_dict()


def _versions(tree: TreeData) -> list[dict[str, str]]:
    grown = str(tree.made_by.get("version", "unknown"))
    pairs = {
        "treewright, growing": grown,
        "treewright, this report": __version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "Machine": f"{platform.system()} {platform.machine()}, {sys.byteorder} endian",
    }
    return [{"name": name, "value": value} for name, value in pairs.items()]


def _code(
    tree: TreeData,
    name: str,
    parameters: Mapping[str, Any],
    defaults: Mapping[str, Any],
    tested: bool,
) -> list[str]:
    """Return Python that grows the tree again from the training table."""
    target = tree.schema.target
    y = "y" if target is None else str(target.name)
    lines = ["import treewright as tw", ""]
    if tree.schema.named:
        lines.append(
            f"# data: the training rows, with a column {y[:200]!r} to predict."
        )
        lines += [*_selected([str(each) for each in tree.schema.names])]
        lines += [f"y = data[{y[:200]!r}]"]
    else:
        lines.append("# X, y: the training rows and their target.")
    if tested:
        lines.append("# X_test, y_test: rows that were not used for growing.")
    lines.append("")
    changed = [
        f"{key}={_literal(value)}"
        for key, value in parameters.items()
        if not _same(value, defaults.get(key))
    ]
    if name == "grow":
        options = f"tw.GrowOptions({', '.join(changed)})"
        lines.append(f"tree = tw.grow(tw.as_table(X, y), {options})")
        what, of = "tree", "tree.fingerprint"
    else:
        lines.append(f"model = tw.{name}({', '.join(changed)}).fit(X, y)")
        what, of = "model", "model.tree_.fingerprint"
    test = ", X_test=X_test, y_test=y_test" if tested else ""
    lines += [
        f'tw.report({what}, "report.html"{test})',
        "",
        f'assert {of}.startswith("{tree.fingerprint[:16]}")',
    ]
    return lines


def _selected(names: list[str]) -> list[str]:
    """Return code that selects the columns of the tree from `data`."""
    if len(names) > _MOST_NAMES or sum(map(len, names)) > _LONGEST * 100:
        return [f"# columns: the names of the tree's {len(names)} columns.",
                "X = data[columns]"]  # fmt: skip
    listed = f"X = data[{names!r}]"
    if len(listed) <= _WIDEST:
        return [listed]
    lines = ["    "]
    for name in names:
        if lines[-1].strip() and len(lines[-1]) + len(repr(name)) > _WIDEST - 2:
            lines.append("    ")
        lines[-1] += f"{name!r}, "
    return ["X = data[[", *(line.rstrip() for line in lines), "]]"]


def training_fingerprint(tree: TreeData) -> str:
    """Hash what the tree keeps of its training rows, as 64 hex digits.

    The hash covers names, kinds, categories, ranges, quartiles and missing values of
    the columns, the number and weight of the rows and the distribution of the target.
    Rows that agree in all of these have the same hash.
    """
    root = [float(tree.weight[0]), float(tree.weight_squared[0])]
    root += tree.value[0].tolist() + tree.variance[:1].tolist()
    root += tree.quartiles[:1].ravel().tolist()
    about = {
        "schema": tree.schema.to_dict(),
        "rows": int(tree.n_rows[0]),
        "root": [x.hex() for x in root],
    }
    written = json.dumps(about, sort_keys=True, default=str)
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def rows_fingerprint(tree: TreeData, rows: NewRows) -> str:
    """Hash the held-out rows, in the columns that the tree uses, as 64 hex digits."""
    digest = hashlib.sha256(b"treewright rows 1\n")
    n = len(rows.columns)
    used = [(j, rows.columns[j]) for j in columns_used(tree).tolist()]
    for number, array in [*used, (n, rows.y), (n + 1, rows.weights)]:
        if array is None:
            continue
        values = np.asarray(array)
        if values.dtype.kind == "f":
            values = values.astype(np.float64) + 0.0
            values[np.isnan(values)] = np.nan
        else:
            values = values.astype(np.int64)
        digest.update(f"{number} {len(values)}\n".encode())
        digest.update(np.ascontiguousarray(values, values.dtype.newbyteorder("<")).data)
    return digest.hexdigest()


def _value_text(value: Any) -> str:
    return wording.cut(wording.name(repr(value)[:_LONGEST] or "''"), _LONGEST)


def _literal(value: Any) -> str:
    written = repr(value)
    return written if len(written) <= 2000 else f"...  # {written[:60]}"


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and repr(one) == repr(other)
