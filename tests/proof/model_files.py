"""Damage model files at random: each is refused, or gives a tree that works.

`python tests/proof/model_files.py 100_000` (`make proof-files`) damages so many files
in batches, each in a process of its own. Half of the damage is done to the parsed JSON,
so that it reaches deep into the checks; the other half to bytes and lines. The checksum
is made right afterwards, except now and then.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import treewright as tw
from proof.batches import main
from support import model_kinds as kinds
from support.slow_route import slow_route
from treewright.errors import OptionError, TreeFormatError
from treewright.model import Tree
from treewright.storing.lines import Spread, checked_content, written_lines
from treewright.storing.load import load_bytes
from treewright.storing.save import saved_bytes
from treewright.table.intake import Finding
from treewright.tree.data import TreeData
from treewright.tree.edit import with_made_by
from treewright.tree.route import route

N_ROWS = 6
LISTS = ("features", "pruning_steps", "findings", "conversions", "notes", "extras")
LISTS += ("nodes", "grown")
SPREAD = ("options", "parameters")


@cache
def files() -> list[bytes]:
    """Model files of every kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [_file(name) for name in kinds.MAKERS]


def _file(name: str) -> bytes:
    fitted, rows = kinds.model(name)
    tree = fitted.tree_.with_note("Only a test.").with_note(name)
    if name == "classes":
        tree = tree.with_evaluation(tree.evaluate(rows, kinds.classes()))
    if name == "spelled":
        read = Finding("converted", "price", "'$5' read as money", "Keep the text.")
        intake = tree.data.made_by["intake"].with_noted([read])
        return saved_bytes(with_made_by(tree.data, intake=intake))
    return saved_bytes(tree.data)


# -- damage to the parsed file ---------------------------------------------------------

WILD: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 100, -2, 0.5, -0.5, 1e-300, 1e308, -1e308,
    2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 10**30, 10**400, "",
    "x", "inf", "-inf", "nan", "stop", "all", "real", "low", "pure", "\ud800", "\x00",
    "🌲", "a" * 3000, [], [[]], [0], ["x"], [None], [1, 2, 3], [[0.5], [1]], {},
    {"x": 1}, {"float": "inf"}, {"$float": "nan"}, {"$tuple": [1]},
    {"$dict": [[[1], 2]]}, {"$object": "KFold"}, {"$tuple": {"$tuple": []}},
    {"kind": "threshold"},
]  # fmt: skip


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every (container, key) of a value of JSON."""
    found, waiting = [], [value]
    while waiting:
        each = waiting.pop()
        keys = list(each) if isinstance(each, dict) else range(len(each))
        found += [(each, key) for key in keys]
        waiting += [each[key] for key in keys if isinstance(each[key], (dict, list))]
    return found


def _changed(document: dict[str, Any], rng: random.Random) -> None:
    """Change one place of the document."""
    places = _places(document)
    container, key = rng.choice(places)
    kind = rng.randrange(8)
    if kind <= 2:
        container[key] = copy.deepcopy(rng.choice(WILD))
    elif kind == 3:
        other, its_key = rng.choice(places)
        container[key] = copy.deepcopy(other[its_key])
    elif kind == 4:
        _nudge(container, key, rng)
    elif kind == 5:
        del container[key]
    elif isinstance(container, list):
        _reorder(container, key, rng)
    else:
        _rename(container, key, rng)


def _nudge(container: Any, key: Any, rng: random.Random) -> None:
    value = container[key]
    if isinstance(value, bool) or value is None:
        container[key] = not value
    elif isinstance(value, (int, float)):
        container[key] = value + rng.choice([-1, 1, 0.5, -value, value, 1e300])
    elif isinstance(value, str):
        container[key] = value[: rng.randrange(len(value) + 1)] + rng.choice(["", "x"])
    elif isinstance(value, list):
        rng.shuffle(value)
    else:
        items = list(value.items())
        rng.shuffle(items)
        container[key] = dict(items)


def _reorder(container: list[Any], key: int, rng: random.Random) -> None:
    other = rng.randrange(len(container))
    if rng.random() < 0.5:
        container[key], container[other] = container[other], container[key]
    else:
        container.insert(other, copy.deepcopy(container[key]))


def _rename(container: dict[str, Any], key: str, rng: random.Random) -> None:
    name = rng.choice([*container, "x", "", "$tuple", "nodes", key + "x"])
    container[name] = container.pop(key)


def laid_out(document: dict[str, Any]) -> bytes:
    """Return a document in the layout of the file, with a right checksum."""

    def fields() -> Iterator[tuple[str, Any]]:
        for name, value in document.items():
            if name in LISTS and isinstance(value, list):
                yield name, iter(value)
            elif name in SPREAD and isinstance(value, dict):
                yield name, Spread(value)
            else:
                yield name, value

    return b"".join(written_lines(fields()))


# -- damage to the text ----------------------------------------------------------------

PIECES = [
    b"NaN", b"-Infinity", b"1e999", b"-0", b"9" * 5000, b'"\\ud800"', b"\xff", b"\x00",
    b"\xef\xbb\xbf", b"[" * 5000, b"{" * 3000, b"],", b"}", b",", b"\n", b'"', b"\\",
    b'"depth": 1, ', b"null", b"1.", b"01", b"+1", b"1_0", b"'x'", b"\r", b"\xc3",
]  # fmt: skip


def with_checksum(content: bytes) -> bytes:
    """Return lines with a right checksum after them."""
    digest = hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()
    return content + f'"checksum": "sha256:{digest}"\n}}\n'.encode()


def _changed_text(content: bytes, rng: random.Random) -> bytes:
    kind = rng.randrange(6)
    at = rng.randrange(len(content))
    if kind == 0:
        flipped = content[at] ^ (1 << rng.randrange(8))
        return content[:at] + bytes([flipped]) + content[at + 1 :]
    if kind == 1:
        return content[:at] + rng.choice(PIECES) + content[at:]
    if kind == 2:
        return content[:at] + content[at + rng.randrange(1, 30) :]
    if kind == 3:
        start = rng.randrange(len(content))
        return content[:at] + content[start : start + rng.randrange(60)] + content[at:]
    lines = content.splitlines(keepends=True)
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    if kind == 4:
        lines[one], lines[other] = lines[other], lines[one]
    else:
        lines.insert(other, lines.pop(one))
    return b"".join(lines)


# -- outcome ---------------------------------------------------------------------------


def damaged(seed: int) -> bytes:
    """Return a damaged file."""
    rng = random.Random(seed)
    file = rng.choice(files())
    if rng.random() < 0.5:
        document = json.loads(file)
        del document["checksum"]
        for _ in range(rng.choice([1, 1, 1, 2, 4])):
            _changed(document, rng)
        return laid_out(document)
    content = file[: checked_content(file).end]
    for _ in range(rng.choice([1, 1, 2])):
        content = _changed_text(content, rng) or b"x"
    right = rng.random() < 0.9
    return with_checksum(content) if right else content + file[len(content) :]


def outcome(seed: int) -> str:
    """Load a damaged file and use the tree: 'refused', or 'used' if all went well.

    Raises whatever is neither, for the caller to count as a failure.
    """
    data = damaged(seed)
    try:
        tree = load_bytes(data)
    except TreeFormatError as problem:
        if not 10 < len(str(problem)) < 2000:
            raise ValueError("The message is too short or too long.") from problem
        return "refused"
    use(tree)
    return "used"


def use(tree: TreeData) -> None:
    """Ask a loaded tree for everything that must work for every tree."""
    rng = np.random.default_rng(0)
    columns = []
    for feature in tree.schema.features:
        if feature.kind == "numeric":
            values = rng.normal(size=N_ROWS)
            values[rng.random(N_ROWS) < 0.3] = np.nan
            columns.append(values)
        else:
            codes = rng.integers(-1, max(len(feature.labels), 1), N_ROWS)
            columns.append(np.minimum(codes, len(feature.labels) - 1).astype(np.int32))
    ends = route(tree, columns, N_ROWS)
    np.testing.assert_array_equal(ends, slow_route(tree, columns, N_ROWS))
    again = saved_bytes(tree)
    assert load_bytes(again) == tree
    assert saved_bytes(load_bytes(again)) == again
    face = Tree(tree)
    str(face), repr(face), face.rules()[0], face.notes, face.evaluation
    maker = tw.TreeClassifier if tree.is_classifier else tw.TreeRegressor
    with contextlib.suppress(OptionError):  # a parameter that the class does not have
        str(maker.from_tree(face).pruning_)


def run_batch(first: int, count: int) -> Counter[str]:
    """Count the outcomes of these seeds."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return Counter(_told(seed) for seed in range(first, first + count))


def _told(seed: int) -> str:
    try:
        return outcome(seed)
    except Exception as problem:
        problem.add_note(f"seed {seed}")
        raise


if __name__ == "__main__":
    sys.exit(main(__file__, run_batch, "damaged model files"))
