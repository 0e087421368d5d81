"""``treewright version``: what is installed."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import Any

import click

from treewright._version import __version__
from treewright.commands.flags import TreeCommand
from treewright.commands.output import print_json, say

__all__ = ["command"]

_PACKAGES = {
    "numpy": "required",
    "narwhals": "required",
    "scikit-learn": "required",
    "click": "required",
    "rich": "required",
    "pyarrow": "files: pip install 'treewright[io]'",
    "duckdb": "SQL: pip install 'treewright[sql]'",
    "matplotlib": "charts and PNG: pip install 'treewright[plot]'",
}


@click.command(
    cls=TreeCommand,
    json_keys={
        "treewright": "version of treewright",
        "python": "version of Python",
        "platform": "system and processor",
        "packages": "version of each package; null if it is not installed",
    },
)
def command(as_json: bool) -> None:
    """Print the versions of everything in use.

    \b
    Example:
      treewright version
    """
    found = {name: _version_of(name) for name in _PACKAGES}
    if as_json:
        print_json(
            {
                "treewright": __version__,
                "python": platform.python_version(),
                "platform": platform.platform(terse=True),
                "packages": found,
            }
        )
        return
    say(f"treewright {__version__}")
    say(f"Python {platform.python_version()}, {platform.platform(terse=True)}")
    width = max(map(len, found))
    for name, version in found.items():
        say(f"  {name:<{width}}  {version or f'not installed ({_PACKAGES[name]})'}")


def _version_of(name: str) -> Any:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
