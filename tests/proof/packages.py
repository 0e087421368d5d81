"""Check the wheel and the source distribution: their contents, and their use alone.

Each is installed into an empty environment, first with the packages that it requires
and nothing else, then with those that read files. The wheel is installed and used where
PATH is empty, so there is no compiler. There the package finds its data, grows a tree
and writes a report, and the command line tells its story.

    python tests/proof/packages.py dist
"""

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NOT_IN_SDIST = (".ci/", ".github/", "benchmarks/results/")

USE = """
import json, pathlib, sys
from importlib.metadata import distributions
from importlib.resources import files
import treewright as tw

data = files("treewright") / "data"
tables = sorted(path.name for path in data.iterdir() if path.name.endswith(".csv"))
rows = [line.split(",") for line in (data / "penguins.csv").read_text().splitlines()]
columns = {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}
target = columns.pop("species")
tree = tw.grow(tw.as_table(columns, target))
tw.report(tree, "report.html")
page = pathlib.Path("report.html").read_text(encoding="utf-8")
assert page.count("<script") >= 1 and "Adelie" in page
assert tree.predict(columns).shape == (len(target),)
print(json.dumps({
    "tables": tables,
    "nodes": int(tree.n_nodes),
    "report": len(page),
    "packages": sorted(each.metadata["Name"] for each in distributions()),
}))
"""


def tracked():
    """Return the files of the repository, as git knows them."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}


def differences(found, expected):
    """Return what is too much and what is lacking, as lines."""
    lines = [f"not expected: {name}" for name in sorted(found - expected)]
    return lines + [f"lacking: {name}" for name in sorted(expected - found)]


def check_wheel_contents(path):
    """Check that a wheel holds the package, the compiled core and a description."""
    with zipfile.ZipFile(path) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    modules = {
        name for name in names if re.fullmatch(r"treewright/_core\..*(so|pyd)", name)
    }
    described = {name for name in names if ".dist-info/" in name}
    assert len(modules) == 1, modules
    assert any(name.endswith("licenses/LICENSE") for name in described), described
    source = {
        name.removeprefix("src/")
        for name in tracked()
        if name.startswith("src/treewright/")
    }
    wrong = differences(names - modules - described, source)
    assert not wrong, "\n".join(wrong)
    tag = path.stem.split("-", 2)[2]
    if sys.version_info >= (3, 12):
        assert tag.startswith("cp312-abi3-"), tag
    print(f"{path.name}: {len(names)} files, {path.stat().st_size / 1e6:.2f} MB, {tag}")


def check_sdist_contents(path):
    """Check that a source distribution holds the repository."""
    with tarfile.open(path) as archive:
        files = [member for member in archive if member.isfile()]
    names = {member.name.split("/", 1)[1] for member in files} - {"PKG-INFO"}
    wrong = differences(
        names, {name for name in tracked() if not name.startswith(NOT_IN_SDIST)}
    )
    assert not wrong, "\n".join(wrong)
    print(f"{path.name}: {len(names)} files, {path.stat().st_size / 1e6:.2f} MB")


class EmptyEnvironment:
    """A virtual environment in a folder of its own; commands in it see no variables."""

    def __init__(self, folder, with_compiler):
        self.folder = folder
        self.bare = {"PATH": str(folder / "no-programs"), "HOME": str(folder)}
        self.installing = dict(os.environ)
        if not with_compiler:
            self.installing["PATH"] = self.bare["PATH"]
        self.uv = Path(sys.executable).parent / "uv"
        command = [self.uv, "venv", "-q", "--python", sys.executable, folder / "env"]
        subprocess.run(command, check=True)

    def install(self, requirement):
        """Install a package and what it requires."""
        command = [self.uv, "pip", "install", "-q", "--python", self.program("python")]
        subprocess.run([*command, requirement], env=self.installing, check=True)

    def program(self, name):
        """Return the path of a program of the environment."""
        return self.folder / "env" / "bin" / name

    def run(self, program, *arguments):
        """Run a program of the environment; return what it printed."""
        done = subprocess.run(
            [self.program(program), *arguments],
            cwd=self.folder,
            env=self.bare,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def check_installed(package, with_compiler):
    """Install a package into an empty environment and use it there."""
    with tempfile.TemporaryDirectory() as folder:
        empty = EmptyEnvironment(Path(folder), with_compiler)
        empty.install(package)
        print(f"{package.name}, alone: {empty.run('python', '-I', '-c', USE).strip()}")
        print(empty.run("treewright", "version").strip())
        empty.install(f"treewright[io] @ {package.as_uri()}")
        story = empty.run("treewright", "demo", "--into", "kept")
        kept = sorted(path.name for path in (empty.folder / "kept").iterdir())
        print(f"treewright demo: {len(story.splitlines())} lines, files {kept}")
        assert {"penguins.html", "penguins.tree.json", "answers.csv"} <= set(kept)


def main():
    """Check the packages of a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    check_wheel_contents(wheel)
    check_sdist_contents(sdist)
    check_installed(wheel.resolve(), with_compiler=False)
    check_installed(sdist.resolve(), with_compiler=True)


if __name__ == "__main__":
    main()
