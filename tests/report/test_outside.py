"""The page outside a desktop browser: print, phone, no scripts, contrast, files."""

import json
import re
import shutil
import subprocess
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from support import report_trees as trees
from support.browser import npm_file
from support.pages import another_page, open_report, until
from support.repeats import first_of
from support.report_data import data_of

SMALLEST_PRINT = 7.0
"""Points: the smallest letters that the page prints."""


@pytest.fixture(scope="module")
def credit():
    return trees.credit(prune=None, max_depth=6, min_samples_leaf=4)


# -- print --------------------------------------------------------------------------


def pdf_words(pdf):
    """Words of a PDF, each with its page, its box and its size in points."""
    if not shutil.which("pdftotext"):
        pytest.skip("NOT TESTED: no pdftotext (apt install poppler-utils)")
    told = subprocess.run(
        ["pdftotext", "-bbox", str(pdf), "-"], capture_output=True, check=True
    ).stdout.decode("utf-8", "replace")
    root = ET.fromstring(re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]", "", told))
    space = "{http://www.w3.org/1999/xhtml}"
    for number, page in enumerate(root.iter(f"{space}page")):
        for word in page.iter(f"{space}word"):
            box = [float(word.get(k)) for k in ("xMin", "yMin", "xMax", "yMax")]
            yield number, word.text or "", box


@pytest.fixture(scope="module", params=["class", "number"])
def printed(request, browser, credit, tmp_path_factory):
    folder = tmp_path_factory.mktemp("print")
    model, X, y = credit if request.param == "class" else trees.hitters()
    with another_page(browser, viewport={"width": 1280, "height": 900}) as page:
        open_report(page, model, folder, X_test=X, y_test=y)
        page.fill("#rules-search", "nothing says this")
        page.pdf(path=folder / "r.pdf", prefer_css_page_size=True)
        assert page.locator("#rules-body tr").count() == 0
        assert page.locator("#paper svg").count() == 0
    return model.tree_, folder / "r.pdf"


def squeezed(text):
    return re.sub(r"[\s\u00ad-]+", "", text)


def test_a_dark_page_is_printed_light_and_stays_dark(browser, credit, tmp_path):
    with another_page(browser, color_scheme="dark") as page:
        open_report(page, credit[0], tmp_path)
        ground = "getComputedStyle(document.body).backgroundColor"
        dark = page.evaluate(ground)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert (
            page.locator("#paper svg > rect").first.get_attribute("fill") == "#ffffff"
        )
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.evaluate(ground) == dark
        assert page.locator("#paper svg").count() == 0


def test_every_rule_is_printed(printed):
    tree, pdf = printed
    # The rules are the left column; a rule of several lines stands beside its figures.
    all_words = list(pdf_words(pdf))
    heads = {page for page, word, _ in all_words if word == "interval"}
    ends = min(
        box[0] for page, word, box in all_words if word == "Answer" and page in heads
    )
    words = [word for page, word, box in all_words if page in heads and box[0] < ends]
    found = squeezed("".join(words))
    for rule in tree.rules():
        for condition in rule.conditions:
            assert squeezed(condition.words(most=12, longest=60)) in found


def test_no_printed_letter_is_too_small(printed):
    # A box is as high as the font's ascent and descent: 1.1 to 1.2 times its size.
    sizes = [box[3] - box[1] for _, word, box in pdf_words(printed[1]) if word.strip()]
    assert min(sizes) >= 1.1 * SMALLEST_PRINT


def test_nothing_is_printed_over_other_words(printed):
    """No two boxes of words share more than three tenths of the smaller one."""
    pages = {}
    for page, word, box in pdf_words(printed[1]):
        if word.strip():
            pages.setdefault(page, []).append((word, box))
    for words in pages.values():
        boxes = np.array([box for _, box in words])
        for i in range(len(boxes)):
            wide = np.minimum(boxes[i, 2], boxes[:, 2]) - np.maximum(
                boxes[i, 0], boxes[:, 0]
            )
            high = np.minimum(boxes[i, 3], boxes[:, 3]) - np.maximum(
                boxes[i, 1], boxes[:, 1]
            )
            shared = np.maximum(wide, 0) * np.maximum(high, 0)
            area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
            shared[i] = 0
            over = np.flatnonzero(shared > 0.3 * np.minimum(area, area[i]))
            assert [words[j][0] for j in over] == [], words[i]


def test_the_first_page_is_a_summary(printed):
    words = list(pdf_words(printed[1]))
    first = squeezed("".join(word for page, word, _ in words if page == 0))
    for text in ("Howthistreepredicts", "Testrows", "Withoutatree", "Thetree"):
        assert text in first
    assert re.search(r"\d+of\d+leavesarefoldedinto\d+nodes", first)
    assert re.search(r"\+\d+lea", first)
    assert "Therules" not in first


def test_headers_are_printed_on_every_page_of_the_rules(printed):
    pages = {}
    for page, word, _ in pdf_words(printed[1]):
        pages.setdefault(page, []).append(word)
    begin = next(p for p, words in pages.items() if "rules" in words and p > 0)
    after = next(p for p, words in pages.items() if "matters" in words and p > begin)
    assert after > begin
    for page in range(begin, after):
        assert {"Answer", "Test", "interval"} <= set(pages[page])


# -- a phone ------------------------------------------------------------------------


@pytest.fixture
def phone(browser, credit, tmp_path):
    model, X, y = credit
    size = {"width": 390, "height": 844}
    with another_page(browser, viewport=size, is_mobile=True, has_touch=True) as page:
        open_report(page, model, tmp_path, X_test=X, y_test=y)
        yield page


def test_every_target_on_a_phone_has_44_pixels(phone):
    for tab in ("#tab-node", "#tab-what-if"):
        phone.click(tab)
        small = phone.evaluate(
            """() => [...document.querySelectorAll("button, input, select, nav a")]
                .filter((e) => e.getClientRects().length && !e.classList.contains("sr"))
                .map((e) => [e.id || e.className || e.textContent,
                             e.getBoundingClientRect()])
                .filter(([, box]) => box.height < 43.5 || box.width < 43.5)
                .map(([name, box]) => [name, box.width, box.height])"""
        )
        assert small == []


def test_a_phone_has_one_scroller_and_nothing_sticks_out(phone):
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    inner = phone.evaluate(
        """() => [...document.querySelectorAll("main *")]
            .filter((e) => e.getClientRects().length && e.tagName !== "PRE")
            .filter((e) => ["auto", "scroll"].includes(getComputedStyle(e).overflowY))
            .filter((e) => e.scrollHeight > e.clientHeight + 1)
            .map((e) => e.id || e.className)"""
    )
    assert inner == []


def test_tables_are_cards_on_a_phone(phone):
    for table in (".rules", ".bars", ".columns"):
        row = phone.locator(f"{table} tbody tr").first
        cells = row.locator("td, th").evaluate_all(
            "(all) => all.map((e) => e.getBoundingClientRect().top)"
        )
        assert len(set(cells)) == len(cells)
    named = phone.locator(".rules tbody tr").first.locator("td[data-name]")
    assert "Answer" in named.evaluate_all("(all) => all.map((e) => e.dataset.name)")


def test_no_word_is_broken_on_a_phone(phone):
    broken = phone.evaluate(
        """() => {
            const bad = [], range = document.createRange();
            const walker = document.createTreeWalker(
                document.querySelector("main"), NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                const node = walker.currentNode, box = node.parentElement;
                if (!box.getClientRects().length) continue;
                if (box.closest(".sr, pre, .prints, svg, .stage, thead")) continue;
                for (const found of node.data.matchAll(/[\\p{L}\\d_]{2,24}/gu)) {
                    range.setStart(node, found.index);
                    range.setEnd(node, found.index + found[0].length);
                    const tops = [...range.getClientRects()].map((r) => r.top);
                    if (new Set(tops).size > 1) bad.push(found[0]);
                }
            }
            return bad;
        }"""
    )
    assert broken == []


# -- without scripts ----------------------------------------------------------------


def test_without_scripts_story_picture_and_rules_are_there(browser, credit, tmp_path):
    model, X, y = credit
    path = tw.report(model, tmp_path / "r.html", X, y)
    with another_page(browser, java_script_enabled=False) as page:
        page.goto(path.as_uri())
        assert page.inner_text("h1") == "How this tree predicts class"
        assert "rows it had not seen" in page.inner_text("#lead")
        assert "Without a tree" in page.inner_text("#key-figures")
        picture = page.locator(".still-tree svg")
        assert picture.bounding_box()["height"] > 200
        fill = "(e) => getComputedStyle(e.querySelector('[class*=f-c]')).fill"
        assert picture.evaluate(fill) != "rgb(0, 0, 0)"
        said = page.locator("#rules-body tr .rule").all_inner_texts()
        assert len(said) == model.tree_.n_leaves
        for text, rule in zip(said, model.tree_.rules(), strict=True):
            joined = rule.text().removeprefix("IF ").rsplit(" THEN ", 1)[0]
            assert text == joined.replace(" AND ", " and ")
        for each in ("#search", "#step", "#importance", "#panel-what-if", ".tools"):
            assert page.is_hidden(each)


def test_the_static_rules_of_a_large_tree_say_how_many_are_missing(tmp_path):
    X = {"x": np.arange(3000.0)}
    model = tw.TreeRegressor(prune=None).fit(X, np.arange(3000) % 2 * 1.0)
    text = tw.report(model, tmp_path / "r.html").read_text()
    assert model.tree_.n_leaves == 3000
    assert "2,000 more rules are in this file" in text


# -- colours ------------------------------------------------------------------------


def test_forced_colours_keep_every_bar_and_mark(browser, credit, tmp_path):
    model, X, y = credit
    with another_page(
        browser, viewport={"width": 1280, "height": 900}, forced_colors="active"
    ) as page:
        open_report(page, model, tmp_path, X_test=X, y_test=y)
        page.evaluate("treewright.draw()")
        for marks in (".shares-bar i", ".swatch", ".card .tab", ".track i"):
            inks = page.locator(marks).evaluate_all(
                "(all) => all.map((e) => getComputedStyle(e).backgroundColor)"
            )
            assert inks
            assert "rgba(0, 0, 0, 0)" not in inks
        bars = page.locator(".card .shares-bar i").evaluate_all(
            "(all) => all.map((e) => getComputedStyle(e).backgroundColor)"
        )
        assert len(set(bars)) == 2
        curve = page.locator("#curve .curve").first
        assert curve.evaluate("(e) => getComputedStyle(e).stroke") != "none"


LOOKS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "forced": {"forced_colors": "active"},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True},
    "phone, dark": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}


@pytest.mark.parametrize("look", first_of(LOOKS, 2))
@pytest.mark.parametrize("kind", ["class", "number"])
def test_axe_finds_nothing(browser, credit, tmp_path, look, kind):
    axe = Path(npm_file("axe-core/axe.min.js")).read_text(encoding="utf-8")
    model, X, y = credit if kind == "class" else trees.hitters()
    options = {"viewport": {"width": 1280, "height": 900}, **LOOKS[look]}
    with another_page(browser, **options) as page:
        open_report(page, model, tmp_path, X_test=X, y_test=y)
        found = []
        for tab in ("#tab-node", "#tab-what-if"):
            page.click(tab)
            page.evaluate(axe)
            found += page.evaluate("axe.run().then((result) => result.violations)")
        told = [(v["id"], [n["html"][:160] for n in v["nodes"][:3]]) for v in found]
        assert told == [], json.dumps(told, indent=1)


# -- files --------------------------------------------------------------------------


@pytest.fixture
def opened(page, credit, tmp_path):
    model, X, y = credit
    open_report(page, model, tmp_path, X_test=X, y_test=y)
    return page


def saved(page, button, folder):
    with page.expect_download() as waiting:
        page.click(button)
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def test_the_view_is_saved_as_svg_and_png(opened, tmp_path):
    svg = saved(opened, "#save-svg", tmp_path)
    root = ET.fromstring(svg.read_text(encoding="utf-8"))
    words = " ".join(root.itertext())
    assert "var(" not in svg.read_text()
    for node in opened.evaluate("treewright.plan().nodes.slice(0, 4)"):
        assert opened.evaluate(f"treewright.answerWords({node})") in words or node == 0
    png = saved(opened, "#save-png", tmp_path).read_bytes()
    assert png.startswith(b"\x89PNG")
    wide = int.from_bytes(png[16:20], "big")
    assert wide == int(2 * float(root.get("width")))


def test_the_rules_are_saved_as_csv(opened, credit, tmp_path):
    pd = pytest.importorskip("pandas")
    table = pd.read_csv(saved(opened, "#rules-csv", tmp_path))
    expected = credit[0].tree_.rules().to_pandas().reset_index()
    table = table.sort_values("node").reset_index(drop=True)
    assert table["node"].tolist() == expected["node"].tolist()
    assert table["rows"].tolist() == expected["rows"].tolist()
    assert table["answer"].tolist() == expected["prediction"].tolist()
    for name in ("probability", "confidence", "low", "high", "share"):
        assert table[name].tolist() == pytest.approx(expected[name].tolist())


def test_a_rule_is_copied_as_python_writes_it(opened, credit):
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    rule = credit[0].tree_.rules()[0]
    opened.click("#rules-body tr:first-child .copy button")
    until(opened, "document.querySelector('.copy button').textContent === 'Copied'")
    assert opened.evaluate("navigator.clipboard.readText()") == rule.text()
    said = opened.evaluate(
        "treewright.answerNodes().map((node) => treewright.ruleSentence(node))"
    )
    assert said == [each.text() for each in credit[0].tree_.rules()]


# -- size ---------------------------------------------------------------------------


def test_twenty_thousand_leaves_open_in_two_seconds(browser, tmp_path):
    n = 60_000
    rng = np.random.default_rng(0)
    X = {f"column {j}": rng.normal(size=n).round(3) for j in range(6)}
    y = rng.integers(0, 3, n)
    model = tw.TreeClassifier(prune=None, max_leaf_nodes=20_000, n_jobs=1).fit(X, y)
    assert model.tree_.n_leaves == 20_000
    path = tw.report(model, tmp_path / "r.html", X, y)
    assert path.stat().st_size < 15_000_000
    with another_page(browser, viewport={"width": 1280, "height": 900}) as page:
        best = min(opening_time(page, path) for _ in range(3))
    assert best < 2.0


def opening_time(page, path):
    page.goto("about:blank")
    begin = time.perf_counter()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    return time.perf_counter() - begin


def test_the_data_hold_the_title_once(credit, tmp_path):
    path = tw.report(credit[0], tmp_path / "r.html", title="A <b>title</b>")
    assert data_of(path)["story"]["title"] == "A <b>title</b>"
    assert '<h1 id="title">A &lt;b&gt;title&lt;/b&gt;</h1>' in path.read_text()
