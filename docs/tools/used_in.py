"""Add to the reference of each public name the pages of the book that use it."""

import re
from collections import defaultdict
from pathlib import Path

CALL = re.compile(r"\btw\.([A-Za-z_]\w*)")
METHOD = re.compile(r"\.([a-z_]\w*)\(")
MESSAGE = re.compile(r"\b([A-Z]\w+(?:Error|Warning))\b")


def uses(docs: Path) -> dict[str, list[str]]:
    """Return, for each name, method, error and warning, the pages that have it."""
    found = defaultdict(list)
    for page in sorted(docs.rglob("*.md")):
        place = page.relative_to(docs).with_suffix("").as_posix()
        if place.startswith(("_build", "making", "generated")):
            continue
        text = page.read_text(encoding="utf-8")
        names = set(MESSAGE.findall(text))
        if not place.startswith("reference"):
            names |= {*CALL.findall(text), *METHOD.findall(text)}
        for name in sorted(names):
            found[name].append(place)
    return found


def add_pages(app, _what, name, _object, _options, lines):
    """Append the pages that use a name to its docstring."""
    pages = app.config.used_in_pages.get(name.rsplit(".", 1)[-1], [])
    if name.startswith("treewright.") and pages:
        links = ", ".join(f":doc:`/{page}`" for page in pages[:6])
        lines += ["", f"**Used in** {links}", ""]


def setup(app):
    """Register the hook with Sphinx."""
    app.add_config_value("used_in_pages", {}, "env")
    app.connect("autodoc-process-docstring", add_pages, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
