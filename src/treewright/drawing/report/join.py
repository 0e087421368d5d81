"""Joins the ES modules of the page into one script.

The modules keep to a small part of the language: imports by name from files of the same
folder, at the start of a line, and exported functions, classes and constants. Each
module becomes a function that is called once, after the modules that it imports.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from treewright.errors import TreewrightError

__all__ = ["join_modules"]

_NAMES = r"\s*(\w+(?:\s*,\s*\w+)*)\s*,?\s*"
_IMPORT = re.compile(rf'^import \{{{_NAMES}\}} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(
    r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE
)
_UNKNOWN = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def join_modules(first: str, read: Callable[[str], str]) -> str:
    """Return one script that runs a module and everything that it imports.

    Parameters
    ----------
    first : str
        File name of the module to run.
    read : function
        Returns the text of a module, given its file name.

    Returns
    -------
    str
    """
    sources: dict[str, str] = {}
    order: list[str] = []
    waiting = [(first, False)]
    while waiting:
        name, done = waiting.pop()
        if done:
            order.append(name)
        elif name not in sources:
            sources[name] = read(name)
            waiting.append((name, True))
            imported = [file for _, file in _IMPORT.findall(sources[name])]
            for file in imported:
                if file in sources and file not in order:
                    raise TreewrightError(f"{name} and {file} import each other.")
            waiting += [(file, False) for file in reversed(imported)]
    body = "\n".join(_wrapped(name, sources[name]) for name in order)
    return f'(() => {{\n"use strict";\n{body}}})();\n'


def _wrapped(name: str, source: str) -> str:
    """Return a module as a constant that holds its exports."""
    exported = _EXPORT.findall(source)
    body = _EXPORT.sub("", _IMPORT.sub(_taken, source))
    unknown = _UNKNOWN.search(body)
    if unknown is not None:
        raise TreewrightError(f"{name}: cannot join the line {unknown.group()!r}.")
    given = ", ".join(exported)
    return f"const {_variable(name)} = (() => {{\n{body}return {{ {given} }};\n}})();\n"


def _taken(match: re.Match[str]) -> str:
    names = " ".join(match[1].split())
    return f"const {{ {names} }} = {_variable(match[2])};\n"


def _variable(name: str) -> str:
    return "$" + name.removesuffix(".js").replace("-", "_")
