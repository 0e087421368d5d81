"""Write llms.txt beside the book: its pages as an outline for language models."""

from pathlib import Path

from docutils import nodes


def first_words(document) -> str:
    """Return the first paragraph of a page, in one line."""
    paragraph = next(iter(document.findall(nodes.paragraph)), None)
    return " ".join(paragraph.astext().split()) if paragraph is not None else ""


def write(app, error):
    """Write one line per page: its title, its address and its first paragraph."""
    if error or app.builder.format != "html":
        return
    lines = ["# treewright", "", "> Decision trees that people can trust and read.", ""]
    for name in sorted(app.env.found_docs):
        title = app.env.titles[name].astext()
        words = first_words(app.env.get_doctree(name))
        lines.append(f"- [{title}]({name}.html): {words}")
    text = "\n".join(lines) + "\n"
    Path(app.outdir, "llms.txt").write_text(text, encoding="utf-8")


def setup(app):
    """Register the hook with Sphinx."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
