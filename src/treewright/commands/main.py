"""The entry point: finds the command, runs it, and turns errors into exit codes.

The modules of the commands import only click at their top; a command imports what it
needs when it runs. So ``treewright --help`` and the completion of the shell are fast.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from treewright._version import __version__
from treewright.commands.failures import INTERRUPTED, failure, say_error, say_warning
from treewright.errors import did_you_mean

__all__ = ["COMMANDS", "main", "treewright"]

COMMANDS = (
    "grow",
    "show",
    "why",
    "explain",
    "predict",
    "evaluate",
    "prune",
    "export",
    "verify",
    "inspect",
    "check",
    "demo",
    "version",
)
"""The commands in the order of the help; each is `command` in its own module."""


class CommandGroup(click.Group):
    """A group that imports a command when its name is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; None if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"treewright.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command that the arguments name; suggest one if there is none."""
        name = args[0] if args else ""
        # The shell asks for completions of a line that may be wrong; that is no error.
        is_unknown = name and not name.startswith("-") and name not in COMMANDS
        if is_unknown and not ctx.resilient_parsing:
            hint = did_you_mean(name, COMMANDS)
            raise click.UsageError(f"No such command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the arguments; ``--help`` prints and exits here."""
        with _silent_without_reader():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> None:
        """Run the command."""
        with _silent_without_reader():
            super().invoke(ctx)
            sys.stdout.flush()


@contextmanager
def _silent_without_reader() -> Iterator[None]:
    """Exit in silence when nobody reads the output any more: ``... | head``."""
    try:
        yield
    except BrokenPipeError:
        # The interpreter flushes standard output once more when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(0) from None


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="Exit codes: 0 done, 2 bad arguments, 3 bad input, 4 not enough memory, "
    "130 interrupted; 1 is a defect of treewright.",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def treewright() -> None:
    """Grow, read, use and check decision trees.

    \b
    A first tree, on a table that comes with treewright:
      treewright demo

    \b
    On your own file:
      treewright grow loans.csv --target default -o loans.tree.json
      treewright show loans.tree.json
      treewright predict loans.tree.json new_loans.csv -o answers.csv

    \b
    Completion of commands and options in bash (also zsh_source, fish_source):
      eval "$(_TREEWRIGHT_COMPLETE=bash_source treewright)"
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments; by default those of the process. Without any, the help is
        printed.

    Returns
    -------
    int
        The exit code.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    with warnings.catch_warnings():
        warnings.showwarning = say_warning
        try:
            code = treewright.main(given, "treewright", standalone_mode=False)
        except (click.Abort, KeyboardInterrupt):
            say_error("Interrupted. Files that were being written are left as before.")
            return INTERRUPTED
        except Exception as problem:  # whatever it is, no user sees a traceback
            return failure(problem)
    return code if isinstance(code, int) else 0
