"""The book as it was built: search, links, formulas and looks, in a real browser.

`make docs-check` builds it first. Without a build, these tests are skipped loudly.
"""

import json
import re
from pathlib import Path

import pytest

import treewright as tw
from support.browser import ROOT, npm_file
from support.pages import browser_page

pytestmark = pytest.mark.slow

SITE = ROOT / "build" / "site"
CHECKED_PAGES = (
    "index.html",
    "start.html",
    "questions.html",
    "why.html",
    "guides/messy-data.html",
    "guides/coming-from.html",
    "guides/exports.html",
    "theory/1-impurity.html",
    "reference/findings.html",
    "reference/command-line.html",
    "reference/glossary.html",
    "reference/options.html",
    "generated/api/treewright.TreeClassifier.html",
    "generated/gallery/index.html",
)


@pytest.fixture(scope="module", autouse=True)
def _built():
    if not (SITE / "index.html").exists():
        pytest.skip("NOT TESTED: the book is not built; run 'make docs-check'")


@pytest.fixture(scope="module")
def browser():
    with browser_page() as page:
        yield page


def opened(page, name, *, scheme="light", width=1280):
    """Open a page of the book in one of its looks."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.problems.clear()
    page.goto(f"{SITE.as_uri()}/{name}")


def test_every_public_name_has_its_place():
    text = "".join(
        path.read_text(encoding="utf-8")
        for path in (SITE / "generated" / "api").glob("*.html")
    )
    names = set(tw.__all__) - {"__version__"}
    assert [n for n in names if f'id="treewright.{n}"' not in text] == []
    methods = [n for n in vars(tw.Tree) if not n.startswith("_") and n != "data"]
    assert [n for n in methods if f'id="treewright.Tree.{n}"' not in text] == []


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("surrogate", "guides/missing-values"),
        ("ResourceLimitError", "reference/findings"),
        ("plot_reliability", "generated/api/treewright.plot_reliability"),
        ("one_leaf", "reference/findings"),
        ("PostgreSQL", "guides/exports"),
        ("MDL", "theory/4-id3-and-c45"),
        ("citation", "promises/licence"),
    ],
)
def test_the_search_works_from_a_folder_without_a_server(browser, words, page):
    opened(browser, f"search.html?q={words}")
    browser.wait_for_selector("#search-results ul.search li a", timeout=20_000)
    browser.wait_for_timeout(500)
    links = browser.eval_on_selector_all(
        "#search-results ul.search li a", "links => links.map(link => link.href)"
    )
    assert any(f"{page}.html" in link for link in links), links
    assert browser.problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", CHECKED_PAGES)
def test_axe_finds_nothing_serious(browser, name, scheme):
    axe = Path(npm_file("axe-core/axe.min.js")).read_text(encoding="utf-8")
    opened(browser, name, scheme=scheme)
    assert browser.problems == []
    browser.evaluate(axe)
    run = "axe.run({preload: false}).then((result) => result.violations)"
    found = browser.evaluate(run)
    serious = [
        f"{each['id']}: {each['nodes'][0]['html'][:200]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
    assert serious == []


@pytest.mark.parametrize("name", CHECKED_PAGES)
def test_a_page_fits_a_phone(browser, name):
    opened(browser, name, width=390)
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["reference/options.html", "reference/findings.html"])
def test_a_name_in_a_table_is_never_cut(browser, name, width):
    opened(browser, name, width=width)
    cut = browser.eval_on_selector_all(
        "article table code",
        """codes => codes.filter(code => /^\\w+$/.test(code.textContent)
            && code.getClientRects().length > 1).map(code => code.textContent)""",
    )
    assert cut == []


def test_a_tree_keeps_its_columns_and_a_sentence_wraps(browser):
    opened(browser, "start.html", width=390)
    blocks = browser.eval_on_selector_all(
        ".highlight-text pre",
        "all => all.map(pre => [pre.textContent, getComputedStyle(pre).whiteSpace])",
    )
    spaces = {text.split()[0]: space for text, space in blocks}
    assert spaces["Tree"] == "pre"
    assert spaces["9"] == "pre-wrap"


def test_the_report_of_the_penguins_opens_from_its_guide(browser):
    opened(browser, "guides/report.html")
    browser.click("text=Open the report of the penguins")
    browser.wait_for_selector("html[data-ready]", state="attached")
    assert browser.problems == []


def test_the_keyboard_reaches_the_contents_and_shows_where_it_is(browser):
    opened(browser, "start.html")
    browser.keyboard.press("Tab")
    seen = set()
    for _ in range(60):
        browser.keyboard.press("Tab")
        place, name, outline = browser.evaluate(
            """() => {
                const here = document.activeElement, look = getComputedStyle(here);
                return [here.tagName, here.textContent.trim(), look.outlineStyle];
            }"""
        )
        assert place == "BODY" or outline != "none", (place, name)
        seen.add(name)
    assert {"Why this tree", "Glossary"} <= seen


def test_the_outline_for_language_models_lists_every_page():
    lines = (SITE / "llms.txt").read_text(encoding="utf-8").splitlines()
    linked = {
        re.search(r"\]\((.*?)\)", line).group(1) for line in lines if "](" in line
    }
    assert [link for link in linked if not (SITE / link).exists()] == []
    docs = [p for p in (ROOT / "docs").rglob("*.md") if p.parts[-2] != "gallery"]
    pages = {p.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for p in docs}
    written = {p for p in pages if not p.startswith("generated")}
    assert written - linked == {"index.html"}


def test_the_index_of_the_search_names_every_guide():
    text = (SITE / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    guides = {f"guides/{p.stem}" for p in (ROOT / "docs" / "guides").glob("*.md")}
    assert guides - set(index["docnames"]) == set()
