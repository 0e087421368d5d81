"""How Sphinx builds the book. `make docs` runs it."""

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "tools"))

import treewright  # noqa: E402
import used_in  # noqa: E402  (the folder must be on the path first)

project = "treewright"
author = "The treewright developers"
copyright = "the treewright developers, BSD-3-Clause"
version = release = treewright.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "used_in",
    "llms",
    "root_pages",
    "sample_report",
    "accessible",
]
root_doc = "index"
exclude_patterns = [
    "_build",
    "templates",
    "tools",
    "pictures",
    "sg_execution_times.rst",
    "gallery/*.md",
    "**/README.md",
]
nitpicky = False
smartquotes = False

myst_enable_extensions = [
    "amsmath",
    "attrs_inline",
    "colon_fence",
    "deflist",
    "dollarmath",
]
myst_heading_anchors = 3
html_math_renderer = "mathml"

templates_path = ["templates"]
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
used_in_pages = dict(used_in.uses(DOCS))

sphinx_gallery_conf = {
    "examples_dirs": ["gallery"],
    "gallery_dirs": ["generated/gallery"],
    "filename_pattern": r"\.py$",
    "backreferences_dir": "generated/uses",
    "doc_module": ("treewright",),
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "matplotlib_animations": False,
    "plot_gallery": True,
    "subsection_order": [
        f"gallery/{part}" for part in ("start", "data", "size", "trust", "elsewhere")
    ],
    "within_subsection_order": "FileNameSortKey",
    "ignore_repr_types": r"matplotlib",
    "abort_on_example_error": True,
}

html_theme = "furo"
pygments_style = "xcode"
pygments_dark_style = "github-dark"
html_title = f"treewright {release}"
html_static_path = ["static"]
html_css_files = ["book.css"]
html_js_files = ["book.js"]
# Summaries are fetched, which browsers refuse without a server.
html_show_search_summary = False
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}


def setup(app):
    """Leave scikit-learn's own methods to its documentation."""
    app.connect("autodoc-skip-member", _is_scikit_learns)


def _is_scikit_learns(_app, _what, name, member, skip, _options):
    own = getattr(member, "__module__", None) or ""
    return True if own.startswith("sklearn") or name.endswith("_request") else skip
