"""The README and the book show what their examples print."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "docs" / "tools" / "run_pages.py"

spec = importlib.util.spec_from_file_location("run_pages", TOOL)
run_pages = importlib.util.module_from_spec(spec)
sys.modules["run_pages"] = run_pages
spec.loader.exec_module(run_pages)


LONG = {
    "docs/guides/clusters.md",
    "docs/guides/every-night.md",
    "docs/theory/5-missing-values.md",
    "docs/theory/8-one-tree-and-many.md",
}
"""The pages that take more than ten seconds."""
NEEDS = {
    "docs/guides/coming-from.md": "scikit-learn>=1.9",
    **dict.fromkeys(
        ("README.md", "docs/guides/size.md", "docs/theory/7-reading.md"), "pandas>=2.1"
    ),
}
"""Pages that show what newer packages answer; pandas 2.0 warns of NumPy 1.26."""
NEWER_PYTHON = pytest.mark.skipif(
    sys.version_info >= (3, 13),
    reason="NEEDS Python before 3.13, which suggests no argument; this is newer",
)


def all_pages():
    """Return every page with examples, the long ones marked slow."""
    for page in run_pages.pages():
        name = page.relative_to(ROOT).as_posix()
        marks = [pytest.mark.slow] if name in LONG else []
        marks += [pytest.mark.needs(NEEDS[name])] if name in NEEDS else []
        marks += [NEWER_PYTHON] if name == "docs/reference/findings.md" else []
        yield pytest.param(page, id=name, marks=marks)


@pytest.mark.parametrize("page", list(all_pages()))
def test_the_page_shows_what_its_examples_print(page):
    if lost := run_pages.lacking(page):
        pytest.skip(f"NO CLUSTER: {page.name} needs {lost[0]}, which is not installed")
    run_pages.process(page, write=False)


def written(tmp_path, text):
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


def test_a_page_names_the_packages_that_it_needs(tmp_path):
    page = written(tmp_path, "<!-- needs: no_such_package -->\n\n# A page\n")
    assert run_pages.lacking(page) == ["no_such_package"]
    assert run_pages.lacking(written(tmp_path, "<!-- needs: json -->\n")) == []
    assert run_pages.lacking(written(tmp_path, "# A page\n")) == []


def test_a_stale_number_is_found(tmp_path):
    page = written(tmp_path, "```python\nprint(2)\n```\n\n```text\n1\n```\n")
    with pytest.raises(run_pages.StalePageError, match=r"-1\n\+2"):
        run_pages.process(page, write=False)


def test_a_stale_number_is_renewed(tmp_path):
    page = written(tmp_path, "```python\nprint(2)\n```\n\n```text\n1\n```\nEnd.\n")
    run_pages.process(page, write=True)
    assert page.read_text() == "```python\nprint(2)\n```\n\n```text\n2\n```\nEnd.\n"


def test_a_block_that_prints_needs_a_text_block(tmp_path):
    page = written(tmp_path, "```python\nprint(2)\n```\nAnd so on.\n")
    with pytest.raises(run_pages.StalePageError, match=r"page.md:2: .*no text block"):
        run_pages.process(page, write=True)


def test_names_last_from_block_to_block_and_not_from_page_to_page(tmp_path):
    page = written(
        tmp_path,
        "```python\na = 3\n```\n\n```python\nprint(a)\n```\n\n```text\n3\n```\n",
    )
    run_pages.process(page, write=False)
    other = written(tmp_path, "```python\nprint(a)\n```\n\n```text\n```\n")
    with pytest.raises(run_pages.StalePageError, match="name 'a' is not defined"):
        run_pages.process(other, write=True)


def test_an_error_is_shown_where_the_page_expects_it(tmp_path):
    page = written(
        tmp_path, "```python\n1 / 0\n```\n\n```text\nZeroDivisionError\n```\n"
    )
    run_pages.process(page, write=True)
    assert "ZeroDivisionError: division by zero\n" in page.read_text()


def test_commands_and_their_output_are_compared(tmp_path):
    page = written(tmp_path, "```console\n$ echo one\nzwei\n$ true\n```\n")
    run_pages.process(page, write=True)
    assert page.read_text() == "```console\n$ echo one\none\n$ true\n```\n"


def test_warnings_are_shown(tmp_path):
    code = "import warnings\nwarnings.warn('careful')\n"
    page = written(tmp_path, f"```python\n{code}```\n\n```text\n```\n")
    run_pages.process(page, write=True)
    assert "UserWarning: careful" in page.read_text()


def test_a_stale_picture_is_found_and_renewed(tmp_path):
    code = "open('pictures/a.svg', 'w').write('new')\n"
    text = f"```python\n_ = {code}```\n\n![A picture](pictures/a.svg)\n"
    page = written(tmp_path, text)
    with pytest.raises(run_pages.StalePageError, match=r"a\.svg is out of date"):
        run_pages.process(page, write=False)
    run_pages.process(page, write=True)
    assert (tmp_path / "pictures" / "a.svg").read_text() == "new"
    run_pages.process(page, write=False)
