"""What the command line says about errors and warnings, and the exit codes."""

from __future__ import annotations

import os
import re
import sys
import traceback
from shlex import quote
from typing import Any

import click

from treewright.commands.output import fitted, wants_colour
from treewright.errors import OptionError, TreewrightError

__all__ = [
    "BAD_ARGUMENTS",
    "BAD_INPUT",
    "DEFECT",
    "INTERRUPTED",
    "NOT_ENOUGH_MEMORY",
    "as_flags",
    "failure",
    "say_error",
    "say_warning",
]

DEFECT = 1
BAD_ARGUMENTS = 2
BAD_INPUT = 3
NOT_ENOUGH_MEMORY = 4
INTERRUPTED = 130

_DEBUG = "TREEWRIGHT_DEBUG"
_SETTING = re.compile(r"\b([a-z]+(?:_[a-z]+)*)=('[^']*'|None|True|False|[\d.e+-]+\b)")
_KIND = re.compile(r"\bkinds=\{'([^']*)': '(\w+)'\}")
_DROP = re.compile(r"\bdrop=\['([^']*)'\]")
_NAME = re.compile(r"^([a-z]+(?:_[a-z]+)+|good|pdo|points|odds|prefix)(?= )")
_NAMES = re.compile(r"^(columns|drop|kind(?=s)|target|weight)s?(?= names )")


def failure(problem: Exception) -> int:
    """Print an error in one line and return the exit code.

    Parameters
    ----------
    problem : Exception
        The error. With the variable TREEWRIGHT_DEBUG set, its traceback is printed.

    Returns
    -------
    int
    """
    if os.environ.get(_DEBUG):
        traceback.print_exception(problem)
    if isinstance(problem, click.UsageError):
        command = problem.ctx.command_path if problem.ctx else "treewright"
        say_error(f"{problem.format_message()} See '{command} --help'.")
        return BAD_ARGUMENTS
    if isinstance(problem, click.ClickException):
        say_error(problem.format_message())
        return BAD_INPUT
    if isinstance(problem, MemoryError):
        say_error(as_flags(str(problem)) or "There is not enough memory.")
        return NOT_ENOUGH_MEMORY
    if isinstance(problem, OptionError):
        say_error(as_flags(str(problem)))
        return BAD_ARGUMENTS
    if isinstance(problem, TreewrightError):
        say_error(as_flags(str(problem)))
        return BAD_INPUT
    if isinstance(problem, OSError):
        say_error(_of_file(problem))
        return BAD_INPUT
    say_error(
        f"treewright failed: {type(problem).__name__}: {problem}. This is a defect of "
        "treewright, not of your data. Please report it with the output of the same "
        f"command under {_DEBUG}=1."
    )
    return DEFECT


def as_flags(message: str) -> str:
    """Return a message of the library with options as they are typed in a shell.

    Parameters
    ----------
    message : str
        A message with options such as ``prune='cv'``.

    Returns
    -------
    str

    Examples
    --------
    >>> as_flags("max_depth must be >= 1; got 0. Pass prune='cv', or prune=None.")
    '--max-depth must be >= 1; got 0. Pass --prune cv, or --prune none.'
    >>> as_flags("Pass kinds={'zip': 'categorical'} to use it.")
    'Pass --kind zip=categorical to use it.'
    >>> as_flags("Put each part into a column of its own, or pass drop=['user'].")
    'Put each part into a column of its own, or pass --drop user.'
    >>> as_flags("kinds names 'zip', but there is no column 'zip'.")
    "--kind names 'zip', but there is no column 'zip'."
    """
    message = _DROP.sub(lambda found: f"--drop {quote(found[1])}", message)
    message = _NAME.sub(lambda found: _flag(found[1]), message)
    message = _NAMES.sub(lambda found: _flag(found[1]), message)
    message = _KIND.sub(
        lambda found: f"--kind {quote(f'{found[1]}={found[2]}')}", message
    )
    return _SETTING.sub(
        lambda found: f"{_flag(found[1])} {_shell_value(found[2])}", message
    )


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _shell_value(text: str) -> str:
    return text.lower() if text in ("None", "True", "False") else text.strip("'")


def _of_file(problem: OSError) -> str:
    """Return which file could not be read or written, and why."""
    reason = (problem.strerror or str(problem)).rstrip(".")
    return (
        f"{reason}." if problem.filename is None else f"{problem.filename}: {reason}."
    )


def say_error(message: str) -> None:
    """Print one line about an error on standard error."""
    _say("Error", message, "red")


def say_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print one line about a warning; the signature is that of `warnings`."""
    _say("Warning", str(message), "yellow")


def _say(kind: str, message: str, colour: str) -> None:
    text = fitted(f"{kind}: {' '.join(message.split())}", sys.stderr)
    if wants_colour(sys.stderr):
        text = click.style(f"{kind}:", fg=colour, bold=True) + text[len(kind) + 1 :]
    click.echo(text, err=True, color=True)
