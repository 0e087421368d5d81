"""A folder with the files of the demo, and two ways to run the real executable."""

import os
import re
import subprocess

import pexpect
import pytest

from support.executable import EXECUTABLE

ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]")


@pytest.fixture(scope="session")
def story(tmp_path_factory):
    """Return a folder with the files of the demo, penguins.csv among them."""
    folder = tmp_path_factory.mktemp("story")
    done = _run(folder, "demo", "--into", ".")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def run(story):
    """Return a function that runs a command, by default in the folder of the demo."""

    def run_in_story(*arguments, folder=story, **options):
        return _run(folder, *arguments, **options)

    return run_in_story


def _run(folder, *arguments, stdin="", env=()):
    return subprocess.run(
        [EXECUTABLE, *map(str, arguments)],
        cwd=folder,
        input=stdin,
        env=os.environ | {"PYTHONWARNINGS": "default"} | dict(env),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


class Screen:
    """What a command wrote to a terminal, and its exit code."""

    def __init__(self, raw, code):
        self.raw, self.code = raw, code
        # A bar is drawn again and again from the start of its line.
        self.text = re.sub(r"\r+\n|\r", "\n", ANSI.sub("", raw))
        self.lines = self.text.split("\n")


@pytest.fixture
def terminal(story):
    """Return a function that runs a command in a pseudo-terminal of 80 columns."""

    def run_in_terminal(*arguments, interrupt_at=None, env=(), columns=80):
        # The COLUMNS of a test process would hide the terminal's own width.
        unset = ("NO_COLOR", "CI", "COLUMNS", "LINES")
        clean = {k: v for k, v in os.environ.items() if k not in unset}
        child = pexpect.spawn(
            str(EXECUTABLE),
            [str(each) for each in arguments],
            cwd=str(story),
            env=clean | {"TERM": "xterm-256color"} | dict(env),
            dimensions=(24, columns),
            encoding="utf-8",
            timeout=120,
        )
        seen = ""
        if interrupt_at is not None:
            child.expect(interrupt_at)
            seen = child.before + child.after
            child.sendintr()
        child.expect(pexpect.EOF)
        child.close()
        return Screen(seen + child.before, child.exitstatus)

    return run_in_terminal
