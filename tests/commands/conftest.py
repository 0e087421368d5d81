"""A folder with the files of the demo, and three ways to run a command."""

import os
import re
import subprocess
import sys
import warnings
from io import BytesIO, TextIOWrapper

import pexpect
import pytest

from support.executable import EXECUTABLE
from treewright.commands.main import main

ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]")


@pytest.fixture(scope="session")
def story(tmp_path_factory):
    """Return a folder with the files of the demo, penguins.csv among them."""
    folder = tmp_path_factory.mktemp("story")
    done = _executed(folder, "demo", "--into", ".")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def run(story, monkeypatch):
    """Return a function that runs a command in this process, which saves its start.

    The folder is that of the demo unless another one is passed.
    """

    def run_here(*arguments, folder=story, stdin="", env=()):
        streams = {name: _stream() for name in ("stdout", "stderr")}
        with monkeypatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("default")
            patch.chdir(folder)
            patch.setattr(sys, "stdin", _stream(stdin))
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            for name, value in dict(env).items():
                patch.setenv(name, value)
            code = main([str(each) for each in arguments])
        texts = {name: _written(stream) for name, stream in streams.items()}
        return subprocess.CompletedProcess(arguments, code, **texts)

    return run_here


@pytest.fixture
def execute(story):
    """Return a function that runs the executable, by default in the demo's folder."""

    def execute_in_story(*arguments, folder=story, **options):
        return _executed(folder, *arguments, **options)

    return execute_in_story


def _stream(text=""):
    return TextIOWrapper(BytesIO(text.encode()), encoding="utf-8", write_through=True)


def _written(stream):
    return stream.buffer.getvalue().decode()


def _executed(folder, *arguments, stdin="", env=()):
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
