"""Give the captions of the contents a level, which screen readers need."""


def add_levels(_app, _page, _template, context, _doctree):
    """Say that a caption of the contents is a heading of the second level."""
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace(
        'role="heading"', 'role="heading" aria-level="2"'
    )


def setup(app):
    """Register the hook with Sphinx, to run after the theme's own."""
    app.connect("html-page-context", add_levels, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
