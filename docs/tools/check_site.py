"""Check the built book: every link leads to a page and a place that exist.

``python docs/tools/check_site.py build/site``; links to other sites are not followed.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit


class Page(HTMLParser):
    """Collect the links and the anchors of a page.

    Attributes
    ----------
    links
        The targets of its links, pictures and scripts.
    anchors
        The places that a link can lead to.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = {"", "#"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, _tag, attrs):
        """Note the links and the anchor of an element."""
        for name, value in attrs:
            if name in {"href", "src"} and value:
                self.links.append(value)
            if name in {"id", "name"} and value:
                self.anchors.add(value)


def broken_links(site: Path) -> list[str]:
    """Return a line for each link of the site that leads nowhere."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        for link in page.links:
            if urlsplit(link).scheme or link.startswith("//"):
                continue
            address, anchor = urldefrag(link)
            address = unquote(address.partition("?")[0])
            target = (path.parent / address).resolve() if address else path
            if target.is_dir():
                target = target / "index.html"
            known = pages.get(target)
            anchors_fit = known is None or unquote(anchor) in known.anchors
            if not target.exists() or not anchors_fit:
                found.append(f"{path.relative_to(site.resolve())}: {link}")
    return found


def main() -> int:
    """Print the broken links of a site; return the exit code."""
    found = broken_links(Path(sys.argv[1]))
    if found:
        print("Links that lead nowhere:", *found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
