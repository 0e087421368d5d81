"""Write llms.txt beside the book: its pages as an outline for language models."""

from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx import addnodes


def first_words(document) -> str:
    """Return the first paragraph of a page that is no note, in one line."""
    for paragraph in document.findall(nodes.paragraph):
        if not isinstance(paragraph.parent, nodes.Admonition):
            return " ".join(paragraph.astext().split())
    return ""


def below(env, name: str) -> Iterator[str]:
    """Yield a page and the pages that its contents list, in their order."""
    yield name
    for child in env.toctree_includes.get(name, []):
        yield from below(env, child)


def parts(env, root: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each part of the front page's contents, with all its pages."""
    for contents in env.get_doctree(root).findall(addnodes.toctree):
        pages = [page for _, name in contents["entries"] for page in below(env, name)]
        yield contents["caption"], pages


def write(app, error):
    """Write one line per page: its title, its address and its first paragraph."""
    if error or app.builder.format != "html":
        return
    env, root = app.env, app.config.root_doc

    def line(name: str) -> str:
        words = first_words(env.get_doctree(name))
        return f"- [{env.titles[name].astext()}]({name}.html): {words}"

    lines = ["# treewright", "", f"> {first_words(env.get_doctree(root))}"]
    for caption, pages in parts(env, root):
        lines += ["", f"## {caption}", "", *map(line, pages)]
    text = "\n".join(lines) + "\n"
    Path(app.outdir, "llms.txt").write_text(text, encoding="utf-8")


def setup(app):
    """Register the hook with Sphinx."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
