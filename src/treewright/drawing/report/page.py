"""The page itself: template, style, scripts and data in one file.

The content security policy of the page allows only the script with the given hash,
and no requests.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib import resources
from typing import Any, Final

from treewright.drawing.escape import xml
from treewright.drawing.palette import THEMES
from treewright.drawing.report.join import join_modules
from treewright.drawing.report.payload import as_json

__all__ = ["page"]

_STYLE: Final = re.compile("<style>(.*?)</style>", re.DOTALL)


def page(data: dict[str, Any], parts: dict[str, str]) -> str:
    """Return the report as HTML.

    Parameters
    ----------
    data : dict
        The data that the scripts read; contract.json describes them.
    parts : dict of str to str
        HTML for the places of page.html that need no script; see `static_parts`.

    Returns
    -------
    str
    """
    style, script = _style(), _script()
    styles = [style, *_STYLE.findall(parts["svg"])]
    parts = {
        "policy": xml(_policy(script, styles)),
        "title": parts["heading"],
        "style": style,
        **parts,
        "data": as_json(data),
        "script": script,
    }
    # Inserted text is not searched again.
    pieces = re.split(r"\{\{(\w+)\}\}", _read("page.html"))
    pieces[1::2] = [parts[name] for name in pieces[1::2]]
    return "".join(pieces)


def _policy(script: str, styles: list[str]) -> str:
    """Return the content security policy: our script and styles, and no requests.

    Blobs are pictures that the page makes itself, to save them as PNG.
    """
    hashes = " ".join(f"'sha256-{_hash(each)}'" for each in styles)
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src blob:; "
        f"script-src 'sha256-{_hash(script)}'; style-src {hashes}"
    )


@cache
def _script() -> str:
    return join_modules("main.js", lambda name: _read(f"scripts/{name}"))


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
    source = resources.files("treewright.drawing.report").joinpath(name)
    return source.read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
