"""Saving is all or nothing; loading names what is wrong and keeps within its memory."""

import errno
import json
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from proof.model_files import with_checksum
from support import model_kinds as kinds
from support.repeats import first_of
from treewright.errors import TreeFormatError
from treewright.storing.save import saved_bytes
from treewright.storing.sniff import looks_like

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
TESTS = Path(__file__).resolve().parents[1]


def tree():
    return kinds.model("classes").estimator.tree_


def other():
    return kinds.model("numbers").estimator.tree_


def run(code, *arguments, timeout=120):
    """Run code in a new interpreter and return what it printed."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# -- saving ----------------------------------------------------------------------------


def test_saving_replaces_a_file_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "model.tree.json"
    other().save(path)
    path.chmod(0o640)
    tree().save(str(path))
    assert tw.load(path) == tree()
    assert os.listdir(tmp_path) == ["model.tree.json"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_usual_permissions(tmp_path):
    tree().save(tmp_path / "model.tree.json")
    plain = tmp_path / "plain"
    plain.touch()
    assert (tmp_path / "model.tree.json").stat().st_mode == plain.stat().st_mode


def test_saving_to_a_link_replaces_the_file_behind_it(tmp_path):
    path, link = tmp_path / "model.tree.json", tmp_path / "link"
    other().save(path)
    link.symlink_to(path)
    tree().save(link)
    assert link.is_symlink()
    assert tw.load(path) == tree()


def test_long_and_unusual_file_names_work(tmp_path):
    for name in ("x" * 240 + ".tree.json", "a b ü 🌲 ' \".json", ".hidden"):
        tree().save(tmp_path / name)
        assert tw.load(tmp_path / name) == tree()


STEPS = ("open", "fsync", "replace")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_failing_disk_leaves_the_old_file_and_a_clear_error(
    step, code, tmp_path, monkeypatch
):
    path = tmp_path / "model.tree.json"
    other().save(path)

    def fails(*arguments, **more):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, step, fails)
    wanted = f"Could not write .*model.tree.json.*: {os.strerror(code)}. Write it else"
    with pytest.raises(OSError, match=wanted) as caught:
        tree().save(path)
    monkeypatch.undo()
    assert caught.value.errno == code
    assert tw.load(path) == other()
    assert os.listdir(tmp_path) == ["model.tree.json"]


def test_a_disk_that_really_is_full_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.tree.json"
    other().save(path)
    code = """
import resource, sys
import treewright as tw
tree = tw.load(sys.argv[1]).with_note("x" * 100_000)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    tree.save(sys.argv[1])
except OSError as problem:
    print(problem)
"""
    assert "Could not write" in run(code, path)
    assert tw.load(path) == other()
    assert os.listdir(tmp_path) == ["model.tree.json"]


def test_an_exception_while_writing_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.tree.json"
    other().save(path)

    def parts(*arguments):
        yield b"{\n"
        raise KeyboardInterrupt

    monkeypatch.setattr("treewright.storing.save.written_lines", parts)
    with pytest.raises(KeyboardInterrupt):
        tree().save(path)
    assert tw.load(path) == other()
    assert os.listdir(tmp_path) == ["model.tree.json"]


def test_a_folder_that_cannot_be_written_or_does_not_exist_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"Could not write .*Make the folder"):
        tree().save(tmp_path / "none" / "model.tree.json")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match="Could not write"):
        tree().save(tmp_path / "file" / "model.tree.json")
    with pytest.raises(IsADirectoryError, match="Could not write"):
        tree().save(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["file"]
    if os.path.ismount("/sys"):  # read-only even for the administrator
        with pytest.raises(OSError, match="Could not write '/sys/model"):
            tree().save("/sys/model.tree.json")


KILLED = """
import os, random, signal, sys, time
import numpy as np
import treewright as tw
from treewright.storing.save import saved_bytes

path, rng = sys.argv[1], random.Random(0)
X = np.random.default_rng(0).normal(size=(3000, 4))
trees = [tw.grow(tw.as_table(X, X[:, k] > np.sin(9 * X[:, 3]))) for k in (0, 1)]
whole = [saved_bytes(tree.data) for tree in trees]
trees[0].save(path)
started = time.perf_counter()
trees[0].save(path)
seconds = time.perf_counter() - started
counts = [0, 0]
for kill in range(60):
    child = os.fork()
    if child == 0:
        while True:
            for tree in trees[::-1]:
                tree.save(path)
    time.sleep(rng.random() * 4 * seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    counts[whole.index(open(path, "rb").read())] += 1
    assert tw.load(path) in trees
print(counts)
"""


@pytest.mark.posix
def test_a_process_that_is_killed_while_it_saves_leaves_a_whole_file(tmp_path):
    counts = json.loads(run(KILLED, tmp_path / "model.tree.json"))
    assert sum(counts) == 60
    assert min(counts) > 0


# -- loading ---------------------------------------------------------------------------


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.tree\.json"):
        tw.load(tmp_path / "none.tree.json")
    with pytest.raises(TreeFormatError, match=r"is a folder. Pass a \*.tree.json file"):
        tw.load(tmp_path)


@pytest.mark.posix
def test_devices_and_pipes_are_refused_and_do_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    code = """
import sys, treewright as tw
for path in ("/dev/zero", "/dev/null", sys.argv[1]):
    try:
        tw.load(path)
    except tw.TreeFormatError as problem:
        print(problem)
"""
    assert run(code, tmp_path / "pipe", timeout=30).count("a device") == 3


def not_models():
    """Return 200 files that are no model files, and words of the message."""
    rng = np.random.default_rng(0)
    whole = saved_bytes(tree().data)
    pretty = json.dumps(json.loads(whole), indent=2).encode()
    named = [
        (b"", "an empty file"),
        (pickle.dumps(tree()), "a pickle"),
        (pickle.dumps([1], 2), "a pickle"),
        (b"PK\x03\x04" + bytes(30), "a zip archive"),
        (b"\x1f\x8b\x08\x00rest", "a gzip file"),
        (b"\x28\xb5\x2f\xfdrest", "a zstandard file"),
        (b"BZh91AY", "a bzip2 file"),
        (b"\xfd7zXZ\x00\x00", "an xz file"),
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (b"\xff\xd8\xff\xe0", "a JPEG picture"),
        (b"GIF89a", "a GIF picture"),
        (b"RIFF1234WEBP", "a WebP picture"),
        (b"%PDF-1.7", "a PDF document"),
        (b"PAR1\x15", "a Parquet file"),
        (b"ARROW1\x00\x00", "an Arrow or Feather file"),
        (b"SQLite format 3\x00", "a SQLite database"),
        (b"\x89HDF\r\n", "an HDF5 file"),
        (b"\x93NUMPY\x01", "a NumPy array file"),
        (b"\xd0\xcf\x11\xe0\xa1", "an old Excel"),
        (b"\x7fELF\x02", "a program"),
        (b"<!DOCTYPE html><html>", "an HTML page"),
        (b"\n <html lang='en'>", "an HTML page"),
        (b"<?xml version='1.0'?><PMML>", "a PMML model"),
        (b"<svg xmlns=''>", "an SVG picture"),
        (b"<?xml version='1.0'?><a/>", "an XML file"),
        (b"#!/bin/sh\n", "a script"),
        (b"tree\nversion=v4\n", "a LightGBM model"),
        (b'{"learner": {}}', "an XGBoost model"),
        (b"{L\x00\x00", "a UBJSON file"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
        (b"digraph tree {}", "a Graphviz drawing"),
        (b"a,b\n1,2\n3,4\n", "a CSV file"),
        (b"a;b\n1;2\n", "a CSV file"),
        (b"a\tb\n1\t2\n", "a TSV file"),
        ("é,b\n1,2\n".encode("utf-16"), "UTF-16 text"),
        ("é;b\n1;2\n".encode("latin-1"), "not UTF-8"),
        (b'{"a": 1}', "JSON of another kind"),
        (b"[1, 2]", "JSON of another kind"),
        (b"null", "text"),
        (b"hello", "text"),
        (bytes(500), "zero bytes"),
        (bytes(257) + b"ustar" + bytes(9), "a tar archive"),
        (b"abc\x00def", "binary data"),
        (pretty, "laid out anew"),
        (b"\xef\xbb\xbf" + whole, "cut short, or laid out anew"),
        (whole[:30], "cut short, or laid out anew"),
    ]
    noise = [(rng.bytes(int(rng.integers(1, 300))), "") for _ in range(100)]
    texts = [
        ("\n".join(rng.choice(["tree", "x <= 3", "{", "}", '"'], 8)).encode(), "")
        for _ in range(60)
    ]
    return named + noise + texts


def test_200_files_that_are_no_models_are_refused_in_one_line(tmp_path):
    path = tmp_path / "file"
    found = not_models()
    assert len(found) >= 200
    for data, words in found:
        path.write_bytes(data)
        with pytest.raises(TreeFormatError) as caught:
            tw.load(path)
        message = str(caught.value)
        assert words in message, (data[:20], message)
        assert "\n" not in message
        assert len(message) < 300
        assert looks_like(data)


def test_loading_loads_no_data_frame_library_and_no_scikit_learn(tmp_path):
    tree().save(tmp_path / "model.tree.json")
    code = """
import sys, treewright as tw
tw.load(sys.argv[1]).apply({"real": [1.0], "count": [2.0], "flag": [True],
                            "bought": [None]})
heavy = {"sklearn", "pandas", "polars", "pyarrow", "matplotlib", "scipy"}
print(sorted(heavy & set(sys.modules)))
"""
    assert run(code, tmp_path / "model.tree.json").strip() == "[]"


def test_nothing_in_a_file_is_run(tmp_path):
    evil = "__import__('os').system('touch ran')"
    data = tree().with_note(evil).with_note("{{7*7}}")
    data.save(tmp_path / "model.tree.json")
    code = (
        "import sys, treewright as tw; t = tw.load(sys.argv[1]); t.notes, t.text(); "
        "tw.TreeClassifier.from_tree(t)"
    )
    run(code, tmp_path / "model.tree.json")
    assert not Path("ran").exists()


# -- memory ----------------------------------------------------------------------------

SIZE = 4_000_000
PUT = {
    "lists": lambda n: ('"named": true', '"named": [' + "[]," * (n // 3) + "[]]"),
    "wide lists": lambda n: (
        '"named": true',
        '"named": ["🌲"' + ",[]" * (n // 3) + "]",
    ),
    "objects": lambda n: ('"named": true', '"named": [' + '{"a":1},' * (n // 8) + "1]"),
    "empty objects": lambda n: (
        '"named": true',
        '"named": [' + "{}," * (n // 3) + "1]",
    ),
    "numbers": lambda n: ('"named": true', '"named": [' + "1.5," * (n // 4) + "1]"),
    "text": lambda n: ('"named": true', '"named": "🌲' + "a" * n + '"'),
    "settings": lambda n: (
        '"unseen": "missing"',
        '"unseen": [' + "{}," * (n // 3) + "1]",
    ),
    "labels": lambda n: (
        '"labels": ["blue"',
        '"labels": [' + "".join(f'"{i:x}",' for i in range(n // 8)) + '"blue"',
    ),
    "notes": lambda n: (
        '"nodes": [',
        '"notes": [\n' + '"ab",\n' * (n // 7) + '"x"\n],\n"nodes": [',
    ),
    "branches": lambda n: (
        '"missing": ',
        '"surrogates": [' + "{}," * (n // 3) + '{}], "missing": ',
    ),
}
"""A piece of a model file, and the large one that takes its place."""


def write_large(kind, path):
    if kind == "large tree":
        X = np.random.default_rng(0).normal(size=(30_000, 4))
        y = np.random.default_rng(1).integers(0, 40, 30_000)
        tw.grow(tw.as_table(X, y)).save(path)
        return
    data = saved_bytes(tree().data)
    text = data[: data.index(b'"checksum"')].decode()
    old, new = PUT[kind](SIZE)
    assert old in text
    path.write_bytes(with_checksum(text.replace(old, new, 1).encode()))


PEAK = """
import re, sys
import treewright as tw

def peak():
    # The resident pages of this program alone: ru_maxrss may be that of its parent.
    status = open("/proc/self/status").read()
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", status)[1])

tw.load(sys.argv[1])
before = peak()
try:
    tw.load(sys.argv[2])
    print("loaded", end=" ")
except tw.TreeFormatError as problem:
    print("refused", end=" ")
print(peak() - before)
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="the peak of a process is read from /proc"
)
@pytest.mark.parametrize("kind", first_of(["large tree", *PUT], 4))
def test_loading_needs_at_most_50_mb_and_32_times_the_file(kind, tmp_path):
    small, large = tmp_path / "small.tree.json", tmp_path / "large.tree.json"
    tree().save(small)
    write_large(kind, large)
    size = large.stat().st_size
    assert size > 3_000_000
    outcome, kilobytes = run(PEAK, small, large).split()
    allowed = 50 * 2**20 + 32 * size
    assert int(kilobytes) * 1024 < allowed, f"{int(kilobytes) * 1024 / size:.1f} x"
    assert outcome == (
        "loaded" if kind in ("labels", "notes", "large tree") else "refused"
    )


@pytest.mark.posix
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
    tree().save(pipe)
    assert reader.communicate(timeout=20)[0] == saved_bytes(tree().data)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has /dev/full")
def test_a_device_is_not_replaced():
    before = os.stat("/dev/full")
    assert stat.S_ISCHR(before.st_mode)
    for write in (tree().save, lambda path: tree().export("python", path)):
        with pytest.raises(OSError, match="No space left"):
            write("/dev/full")
    assert os.stat("/dev/full").st_ino == before.st_ino
    tree().save(os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
