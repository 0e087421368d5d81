"""A damaged file is refused, or gives a tree that works: no crash, no other error."""

import json

import numpy as np
import pytest

from proof.model_files import (
    checked_content,
    files,
    laid_out,
    run_batch,
    use,
    with_checksum,
)
from support import model_kinds as kinds
from treewright.errors import TreeFormatError
from treewright.storing.load import load_bytes
from treewright.storing.save import saved_bytes
from treewright.tree.edit import with_values

pytestmark = pytest.mark.filterwarnings("ignore")


def file_of(name="id3"):
    return saved_bytes(kinds.model(name).estimator.tree_.data)


@pytest.mark.parametrize("first", range(0, 2_000, 250))
def test_random_damage_is_refused_or_the_tree_works(first):
    # The same cases as the first of `make proof-files`, which runs 100,000.
    counts = run_batch(first, 250)
    assert counts.total() == 250
    assert counts["refused"] > 100
    assert counts["used"] > 5


def test_the_files_that_are_damaged_have_every_field():
    from treewright.storing.head import FILE

    there = set().union(*(json.loads(file) for file in files()))
    assert set(FILE.fields) - there == {"grown", "grown_answers"}


# -- every prefix and every byte of a file of 20 KB ------------------------------------


@pytest.fixture(scope="module")
def file():
    found = file_of()
    assert len(found) > 20_000
    return found


def test_every_prefix_is_refused(file):
    for end in range(len(file) - 1):  # the last line feed may be missing
        with pytest.raises(TreeFormatError):
            load_bytes(file[:end])
    assert load_bytes(file[:-1]) == load_bytes(file)


@pytest.mark.parametrize("part", range(4))
def test_every_prefix_with_a_right_checksum_is_refused(file, part):
    content = file[: checked_content(file).end]
    for end in range(part, len(content), 4):
        with pytest.raises(TreeFormatError):
            load_bytes(with_checksum(content[:end]))


def test_every_flipped_byte_is_refused(file):
    for at in range(len(file)):
        flipped = bytearray(file)
        flipped[at] ^= 1 << at % 8
        with pytest.raises(TreeFormatError):
            load_bytes(bytes(flipped))


@pytest.mark.parametrize("part", range(4))
@pytest.mark.slow
def test_every_flipped_byte_with_a_right_checksum_is_refused_or_harmless(file, part):
    content = file[: checked_content(file).end]
    used = 0
    for at in range(part, len(content), 4):
        flipped = bytearray(content)
        flipped[at] ^= 1 << (at // 4) % 8
        try:
            tree = load_bytes(with_checksum(bytes(flipped)))
        except TreeFormatError:
            continue
        used += 1
        if used % 20 == 0:
            use(tree)
    assert used > 100  # numbers and words that are as good as others


# -- by name ---------------------------------------------------------------------------


def changed(name, change):
    """Return a file whose document was changed, with a right checksum."""
    document = json.loads(file_of(name))
    del document["checksum"]
    change(document)
    return laid_out(document)


def put(*path):
    *above, last, value = path

    def change(document):
        place = document
        for key in above:
            place = place[key]
        place[last] = value

    return change


def cut(*path):
    *above, last = path

    def change(document):
        place = document
        for key in above:
            place = place[key]
        del place[last]

    return change


def without_ranks(document):
    """Take the labels from an ordinal column that is split."""
    document["features"][3]["labels"] = []
    document["nodes"][0]["split"]["feature"] = document["features"][3]["name"]


def numbers_with_labels(document):
    feature = document["features"][0]
    stored_as = feature.pop("stored_as")
    rest = {name: feature.pop(name) for name in ("reason", "summary")}
    feature |= {"stored_as": stored_as, "labels": ["a", "b"], **rest}


def split_and_stop(document):
    node = document["nodes"][0]
    rest = {name: node.pop(name) for name in ("evidence", "answer")}
    node |= {"stop": "pure", **rest}


def unordered(document):
    node = document["nodes"][0]
    node["evidence"] = dict(reversed(node["evidence"].items()))


REFUSED = [
    (put("nodes", 3, "depth", 7), "Node 3, depth must be from 1 to .*; got 7"),
    (put("nodes", 0, "depth", 1), "Node 0, depth must be from 0 to 0.*; got 1"),
    (put("nodes", 2, "depth", -1), "Node 2, depth must be a whole number from 0"),
    (put("nodes", 2, "depth", True), "Node 2, depth must be .*; got true"),
    (put("nodes", 2, "depth", 2.0), r"Node 2, depth must be .*; got 2\.0"),
    (put("nodes", 1, "x", 1), "Node 1 has an unknown field 'x'"),
    (cut("nodes", 1, "answer"), "Node 1 lacks the field 'answer'"),
    (cut("nodes", 0, "split", "gain"), "Node 0, split lacks the field 'gain'"),
    (cut("nodes", 0, "split", "threshold"), "Node 0, split lacks the field 'thres"),
    (put("nodes", 0, "split", "threshold", "nan"), "Node 0, split, threshold must be"),
    (put("nodes", 0, "split", "feature", "none"), "feature must be the name of a col"),
    (put("nodes", 0, "split", "missing", 2), "Node 0: missing_route must be a branch"),
    (put("nodes", 0, "split", "missing", -1), "missing must be a whole number >= 0, "),
    (put("nodes", 0, "split", "kind", "leaf"), 'kind must be "threshold", "subset"'),
    (put("nodes", 0, "split", "gain", -1), "Node 0, split, gain must be a number >= 0"),
    (split_and_stop, "Node 0 has both a split and a stop"),
    (put("answers", "own"), "Node 0, answer lacks the field 'probabilities', which"),
    (put("nodes", 0, "split", None), "Node 0: split_kind must be 0 exactly at a leaf"),
    (put("nodes", 0, "evidence", "class_weights", [1, 2]), "must be a list of 3; got"),
    (put("nodes", 0, "evidence", "rows", 2**63), "evidence.*rows must be a whole num"),
    (put("nodes", 0, "evidence", "impurity", 10**400), "more than 60 digits"),
    (put("nodes", 0, "evidence", "risk", "-inf"), "risk must be a number >= 0"),
    (without_ranks, "Node 0, split, feature must be a column with values; got 'size'"),
    (unordered, "fields of Node 0, evidence must be in this order: rows, "),
    (put("nodes", 0, "answer", "class", "none"), "class must be one of the labels in "),
    (put("nodes", 0, "answer", "probabilities", [1, 0, 0]), 'only if answers is "own"'),
    (put("nodes", []), "nodes must hold at least one node"),
    (put("nodes", 4), "nodes must be a list with one item per line"),
    (put("features", 0, "kind", "text"), r"features\[0\], kind must be"),
    (put("features", 1, "name", "real"), "another column has the same name"),
    (put("features", 2, "labels", ["a", "a"]), "names a category twice"),
    (
        put("features", 2, "labels", 0, 2**64),
        r"labels\[0\] must be a number of at most",
    ),
    (
        numbers_with_labels,
        r"features\[0\], labels must be absent .* of numbers; got a list of 2",
    ),
    (
        put("features", 2, "stored_as", "int"),
        r"features\[2\], stored_as must be \"category\" .* for categories; got 'int'",
    ),
    (put("features", 0, "summary", "q1", 99), "must hold five ascending numbers"),
    (put("target", "classes", []), "exactly for a target of classes; got a list of 0"),
    (put("target", "classes", ["low", "low", "x"]), "names a class twice"),
    (put("target", "priors", [0.5]), "priors must be a list of 3, one per class"),
    (
        put("target", "costs", [[0, 1, 1], [1, 0], [1, 1, 0]]),
        r"costs\[1\] must be a list of 3, one per class; got a list of 2",
    ),
    (put("options", "max_depth", 0), "options: max_depth must be a whole number >= 1"),
    (put("options", "max_deep", 1), "options: 'max_deep' is not an option"),
    (put("options", "criterion", "own"), "options: criterion must be"),
    (put("parameters", [1]), "parameters must be an object"),
    (put("parameters", "cv", {"$tuple": 1}), "parameters, cv must be a list; got 1"),
    (put("parameters", "cv", {"$dict": 1}), "parameters, cv must be a list of pairs"),
    (put("parameters", "cv", {"$dict": [[1]]}), r"cv\[0\] must be a list of a key and"),
    (
        put("parameters", "cv", {"$dict": [[{"$tuple": []}, 1]]}),
        r"cv\[0\], key must be text, a number, true, false or null; got an object",
    ),
    (put("parameters", "cv", {"$object": "K" * 201}), "at most 200 .* long; got 201"),
    (put("parameters", "cv", 2**1000), "cv must be a number of at most 1000 bits; got"),
    (put("parameters", "cv", json.loads("[" * 20 + "]" * 20)), "is nested too deeply"),
    (put("pruning", "chosen", 99), r"chosen must be one of the \d+ pruning_steps"),
    (put("pruning", "one_se", 99), r"one_se must be one of the \d+ pruning_steps"),
    (put("extra", 1), "The file has an unknown field 'extra'. Did you mean 'extras'"),
    (cut("features"), "The file lacks the field 'features'"),
    (put("written_by", 1), "written_by must be text; got 1"),
]


@pytest.mark.parametrize(("change", "words"), REFUSED)
def test_a_wrong_value_is_refused_with_its_place(change, words):
    with pytest.raises(TreeFormatError, match=words):
        load_bytes(changed("classes", change))


@pytest.mark.parametrize(
    ("column", "given", "words"),
    [
        (
            "colour",
            {"threshold": 0.5},
            "on column 'colour', needs branches and no threshold",
        ),
        ("colour", {}, "on column 'colour', needs branches and no threshold"),
        (
            "flag",
            {"branches": [[], []]},
            "on column 'flag', needs a threshold and no branches",
        ),
        (
            "colour",
            {"branches": [["red"], [], ["blue"]]},
            "branches must be a list of 2; got a list of 3",
        ),
    ],
)
def test_a_surrogate_of_a_wrong_form_is_refused(column, given, words):
    other = {"agree": 0.6, "adjusted": 0.1, "rows": 1}
    change = put(
        "nodes", 0, "split", "surrogates", 0, {"feature": column, **given, **other}
    )
    words = r"Node 0, split, surrogates\[0\], .*" + words
    with pytest.raises(TreeFormatError, match=words):
        load_bytes(changed("surrogates", change))


def test_a_threshold_of_a_split_by_categories_is_refused():
    def change(document):
        splits = [node["split"] for node in document["nodes"] if node["split"]]
        split = next(x for x in splits if x["kind"] == "subset")
        rest = {name: split.pop(name) for name in list(split)[2:]}
        split |= {"threshold": 0.5, **rest}

    with pytest.raises(TreeFormatError, match="this kind of split has no threshold"):
        load_bytes(changed("surrogates", change))


def test_a_record_of_pruning_without_steps_is_refused():
    words = "pruning, chosen must be one of the 0 pruning_steps, or -1; got"
    with pytest.raises(TreeFormatError, match=words):
        load_bytes(changed("pruned_classes", put("pruning_steps", [])))


# -- extra arrays ----------------------------------------------------------------------


def with_extras():
    """Return the document of a tree with extra arrays, without its checksum."""
    tree = kinds.model("classes").estimator.tree_.data
    extras = {
        "single": np.ones(tree.n_nodes, np.float32),
        "word": np.full(tree.n_nodes, "x"),
    }
    document = json.loads(saved_bytes(with_values(tree, extras=extras)))
    del document["checksum"]
    return document


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            put("nodes", 3, "extras", "single", 0.1),
            r"'single' must be a number that float32 holds exactly; got 0\.1",
        ),
        (
            put("nodes", 3, "extras", "single", 1e300),
            r"'single' must be a number that float32 holds exactly; got 1e\+300",
        ),
        (
            put("nodes", 3, "extras", "word", "x" * 201),
            "Node 3, extras, word must be at most 200 characters long; got 201",
        ),
        (put("extras", 1, "name", "single"), r"extras\[1\] declares 'single' again"),
        (
            put("extras", 1, "shape", [1, 1, 1, 1]),
            r"extras\[1\] must have at most 3 axes per node; got 4\.",
        ),
    ],
)
def test_extra_arrays_of_a_wrong_form_are_refused(change, words):
    document = with_extras()
    change(document)
    with pytest.raises(TreeFormatError, match=words):
        load_bytes(laid_out(document))


def test_more_than_64_extra_arrays_are_refused():
    document = with_extras()
    one = document["extras"][0]
    document["extras"] = [{**one, "name": f"array {i}"} for i in range(65)]
    with pytest.raises(TreeFormatError, match=r"extras\[64\] is one too many"):
        load_bytes(laid_out(document))


@pytest.mark.parametrize("name", ["cv_error", "cv_std", "score_std"])
def test_a_record_of_pruning_that_lacks_a_column_is_refused(name):
    def change(document):
        for step in document["pruning_steps"]:
            del step[name]

    with pytest.raises(TreeFormatError, match=f"pruning_steps lack .* '{name}'"):
        load_bytes(changed("pruned_classes", change))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            b'"depth": 0',
            b'"depth": 0, "depth": 0',
            "Node 0 has the field 'depth' twice",
        ),
        (b'"named": true,\n', b'"named": true,\n"named": true,\n', "'named' twice"),
        (
            b'\n"unseen": ',
            b'\n"method": 0,\n"unseen": ',
            "options has the field 'method' tw",
        ),
        (b'"depth": 0', b'"depth": NaN', r"Line \d+ holds NaN, which is not JSON"),
        (b'"depth": 0', b'"depth": 0' * 2, r"Line \d+ is not JSON"),
        (b'"depth": 0', b'"depth": ' + b"9" * 9999, r"Line \d+ holds a number of thou"),
        (b'"depth": 0', b'"depth": ' + b"[" * 99_999, r"Line \d+ is nested too deeply"),
        (b'"depth": 0', b'"depth": 1e999', "Node 0, depth must be .* got inf"),
        (
            b'"threshold": 0.103',
            b'"threshold": -1e999',
            "Node 0, split, threshold must be a number or .*; got -inf",
        ),
        (
            b'"labels": ["blue"',
            b'"labels": [1e999',
            r"features\[2\], labels\[0\] must be a number within .* float64; got inf",
        ),
        (
            b'"cv": null',
            b'"cv": 1e999',
            "parameters, cv must be a number within .* inf",
        ),
        (b'"depth": 0', b'"d\xffpth": 0', r"Line \d+ is not UTF-8 text"),
        (
            b'"nodes": [\n',
            b'"nodes": [\n\n',
            r"Line \d+ is not JSON: Expecting value at",
        ),
        (b'},\n{"depth": 1', b'}\n{"depth": 1', r"Line \d+ must be \],"),
        (b'\n],\n"answers"', b'\n"answers"', r"Line \d+ must be \],"),
        (b'"named": true,\n', b'"named": true\n', r"Line \d+ must end with a comma"),
        (b'"named": true,\n', b"\n", r"Line \d+ must be a field"),
    ],
)
def test_a_wrong_line_is_refused_with_its_number(old, new, words):
    data = file_of("classes")
    content = data[: checked_content(data).end]
    assert old in content
    with pytest.raises(TreeFormatError, match=words):
        load_bytes(with_checksum(content.replace(old, new, 1)))


def test_a_newer_version_is_refused_with_the_version_to_install():
    data = file_of("classes").replace(b'"version": 1,', b'"version": 2,', 1)
    data = data.replace(b"treewright 0", b"treewright 7", 1)
    wanted = r"version 2 of the format.*pip install 'treewright>=7[0-9a-z.]*'"
    with pytest.raises(TreeFormatError, match=wanted):
        load_bytes(data)
