"""The page itself: template, style, scripts and data in one file.

The content security policy of the page allows only the script with the given hash,
and no requests.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import Any, Final

from treewright.drawing.escape import xml
from treewright.drawing.palette import THEMES
from treewright.drawing.report.payload import as_json

__all__ = ["page"]

_SCRIPTS: Final = (
    "model.js", "words.js", "walk.js", "rules.js", "change.js", "layout.js",
    "view.js", "moves.js", "details.js", "size.js", "whatif.js", "tables.js", "main.js",
)  # fmt: skip


def page(data: dict[str, Any], title: str, intake: str = "") -> str:
    """Return the report as HTML.

    Parameters
    ----------
    data : dict
        The data that the scripts read; see `payload`.
    title : str
        Title of the window.
    intake : str, default=''
        The section about the training table, as HTML.

    Returns
    -------
    str
    """
    style, script = _style(), _script()
    parts = {
        "{{policy}}": xml(
            "default-src 'none'; base-uri 'none'; form-action 'none'; "
            f"script-src 'sha256-{_hash(script)}'; style-src 'sha256-{_hash(style)}'"
        ),
        "{{title}}": xml(title),
        "{{style}}": style,
        "{{intake}}": intake,
        "{{data}}": as_json(data),
        "{{script}}": script,
    }
    pieces = [_read("page.html")]
    for mark, text in parts.items():
        # Each placeholder occurs once; inserted text is not searched again.
        before, found, after = pieces.pop().partition(mark)
        assert found, mark
        pieces += [before, text, after]
    return "".join(pieces)


@cache
def _script() -> str:
    files = "\n".join(_read(name) for name in _SCRIPTS)
    return f'(() => {{\n"use strict";\n{files}\n}})();\n'


@cache
def _style() -> str:
    light, dark = _variables("light"), _variables("dark")
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light])"
        f"{{color-scheme:dark;{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{color-scheme:dark;{dark}}}}}\n"
        + _read("style.css")
    )


def _variables(theme: str) -> str:
    return ";".join(f"--{ink}:{colour}" for ink, colour in THEMES[theme].items())


@cache
def _read(name: str) -> str:
    source = resources.files("treewright.drawing.report") / name
    return source.read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
