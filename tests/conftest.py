"""Skips of what a version or Windows lacks; a run fails on any skip not allowed.

`allowed_skips.toml` names the skips that are allowed.
"""

import os
import signal
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from support.versions import missing_version

ALLOWED = tomllib.loads(
    (Path(__file__).parent / "allowed_skips.toml").read_text(encoding="utf-8")
)["skip"]


def is_allowed(test, message):
    """Whether a test, by its id, may be skipped with this message."""
    return any(
        fnmatch(message, each["message"])
        and any(fnmatch(test, pattern) for pattern in each["tests"])
        for each in ALLOWED
    )


class SkipBudget:
    """Collects skips that are not allowed, and fails the run at its end."""

    def __init__(self):
        self.found = []

    def _note(self, report):
        if not report.skipped or hasattr(report, "wasxfail"):
            return
        message = str(report.longrepr[2] if report.longrepr else "")
        message = message.removeprefix("Skipped: ")
        if not is_allowed(report.nodeid, message):
            self.found.append(f"{report.nodeid}: {message}")

    def pytest_runtest_logreport(self, report):
        self._note(report)

    def pytest_collectreport(self, report):
        self._note(report)

    def pytest_sessionfinish(self, session):
        if self.found and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        if self.found:
            terminalreporter.section("skips that allowed_skips.toml does not name")
            terminalreporter.write_line("\n".join(self.found), red=True)


def pytest_runtest_setup(item):
    """Skip tests marked ``needs("package>=version")`` or ``posix`` elsewhere."""
    if os.name == "nt" and item.get_closest_marker("posix"):
        pytest.skip("NEEDS POSIX; this is Windows")
    for mark in item.iter_markers("needs"):
        if reason := missing_version(*mark.args):
            pytest.skip(reason)


def pytest_configure(config):
    """Watch the run, in the one process that sees all reports."""
    # A shell lets the commands that it starts in the background ignore Ctrl-C, and
    # they pass that on to the commands that tests start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(SkipBudget(), "skip-budget")
