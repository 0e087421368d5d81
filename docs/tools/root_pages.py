"""Show documents from the root of the repository as pages of the book.

The page in docs/ is empty but for its heading; the document takes its place when Sphinx
reads it. Links between these documents lead to their pages.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "making/architecture": "ARCHITECTURE.md",
    "making/core": "core/README.md",
    "making/contributing": "CONTRIBUTING.md",
    "making/changelog": "CHANGELOG.md",
    "promises/measured": "benchmarks/README.md",
    "promises/security": "SECURITY.md",
    "making/releasing": "RELEASING.md",
}
LINK = re.compile(r"\[([^\[\]]+)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")


def page_of(target: Path) -> str | None:
    """Return the page of the book that shows a file of the repository."""
    relative = target.relative_to(ROOT).as_posix()
    for page, document in PAGES.items():
        if document == relative:
            return f"/{page}.md"
    if relative.startswith("docs/"):
        return relative.removeprefix("docs")
    return "/index.md" if relative == "README.md" else None


def with_links_of_the_book(text: str, folder: Path) -> str:
    """Return a document whose links lead to pages; other links become plain text."""

    def replaced(match: re.Match) -> str:
        words, link, anchor = match.groups(default="")
        page = page_of((folder / link).resolve())
        return f"[{words}]({page}{anchor})" if page else words

    return LINK.sub(replaced, text)


def read(_app, name, source):
    """Put the document in the place of its page."""
    if name in PAGES:
        document = ROOT / PAGES[name]
        text = document.read_text(encoding="utf-8")
        source[0] = with_links_of_the_book(text, document.parent)


def setup(app):
    """Register the hook with Sphinx."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
