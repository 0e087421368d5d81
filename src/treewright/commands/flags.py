"""The class of all commands, and the flags and arguments that several of them share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

__all__ = ["Flag", "TreeCommand", "data_argument", "flag", "model_argument"]

_OPTIONS = "Options"


class Flag(click.Option):
    """An option with the heading under which the help lists it."""

    def __init__(self, *args: Any, section: str = _OPTIONS, **options: Any) -> None:
        super().__init__(*args, **options)
        self.section = section


def flag(*names: str, **options: Any) -> Callable[[Any], Any]:
    """Add a `Flag` to a command."""
    return click.option(*names, cls=Flag, **options)


class TreeCommand(click.Command):
    """A command with ``--json``, whose help explains the keys of the JSON object.

    Parameters
    ----------
    *args, **options
        As for `click.Command`.
    json_keys : dict of str
        The meaning of each key, in the order of the output.
    """

    def __init__(
        self, *args: Any, json_keys: Mapping[str, str], **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.json_keys = dict(json_keys)
        self.params.append(
            Flag(
                ["--json", "as_json"],
                is_flag=True,
                help="Print one JSON object instead of text; keys below.",
            )
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; an error names the command whose help to read."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as problem:
            problem.ctx = problem.ctx or ctx
            raise

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the options, section by section, then the keys of the JSON object."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                section = getattr(param, "section", _OPTIONS)
                sections.setdefault(section, []).append(record)
        sections["Keys of --json"] = list(self.json_keys.items())
        for section, records in sections.items():
            with formatter.section(section):
                formatter.write_dl(records, col_max=24)


model_argument = click.argument("model", type=click.Path(), metavar="MODEL")
data_argument = click.argument("data", type=click.Path(), metavar="DATA")
