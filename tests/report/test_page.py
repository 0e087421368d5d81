"""The page in a real browser: open, fold, slide, search, keys, tables, print."""

import numpy as np
import pytest

import treewright as tw
from support import report_trees as trees
from support.pages import another_page, open_report, until


@pytest.fixture(scope="module")
def credit():
    """A tree that cross-validation has cut, with test rows."""
    return trees.credit(prune_rule="min")


@pytest.fixture
def opened(page, credit, tmp_path):
    model, X, y = credit
    open_report(page, model, tmp_path, X_test=X, y_test=y)
    return page


def shown(page):
    return page.evaluate("treewright.plan().nodes.length")


def selected(page):
    return page.evaluate("treewright.state.selected")


def test_the_headline_says_what_how_good_and_by_what(opened, credit):
    lead = opened.inner_text("#lead")
    assert "predicts class (bad or good)" in lead
    assert "500 rows it had not seen" in lead
    assert "checking_status" in lead
    figures = opened.inner_text("#key-figures")
    for word in ("Test rows", "Cross-validated", "Training rows", "Without a tree"):
        assert word in figures
    right = np.mean(credit[0].predict(credit[1]) == np.array(credit[2]))
    assert f"{100 * right:.1f}%" in figures


def test_a_node_folds_and_unfolds(opened):
    before = shown(opened)
    opened.click("#node-0 .fold")
    assert shown(opened) == 1
    assert opened.get_attribute("#node-0", "aria-expanded") == "false"
    opened.wait_for_timeout(350)
    opened.click("#node-0 .fold")
    assert 1 < shown(opened) <= before
    opened.click("#open-all")
    leaves = opened.evaluate("treewright.data.path.leaves[0]")
    assert shown(opened) == opened.evaluate("treewright.data.tree.size.length")
    assert leaves == opened.evaluate("treewright.answerNodes().length")
    opened.click("#fold-all")
    assert shown(opened) == 1 + opened.locator(".branches li").count() or shown(opened)


def test_details_compare_training_with_test_rows(opened, credit):
    model, X, _ = credit
    opened.evaluate("treewright.select(1)")
    words = opened.inner_text("#details")
    assert model.tree_.split(0).words(0).split(" ")[0] in words
    passed = len(model.tree_.rows(1, X))
    cells = opened.locator("#details tbody tr").first.locator("td").all_inner_texts()
    assert cells == [str(int(model.tree_.data.n_rows[1])), str(passed)]


def test_the_slider_folds_the_tree_to_each_size(opened, credit):
    leaves = opened.evaluate("treewright.data.path.leaves")
    opened.focus("#step")
    seen = []
    for _ in range(len(leaves) - 1):
        opened.keyboard.press("ArrowLeft")
        seen.append(opened.evaluate("treewright.answerNodes().length"))
        assert opened.inner_text("#size-now").startswith(str(seen[-1]))
    assert seen == leaves[1:]
    assert "cut to 1 leaf" in opened.inner_text("#cut-note")
    opened.click("#size-back")
    assert opened.evaluate("treewright.stepNow()") == 0
    assert opened.is_hidden("#cut-note")


def test_the_curve_can_be_dragged(opened):
    opened.locator("#curve").scroll_into_view_if_needed()
    box = opened.locator("#curve").bounding_box()
    opened.mouse.click(box["x"] + 60, box["y"] + 100)
    assert opened.inner_text("#size-now") == "1 leaf"


def test_search_finds_and_walks_through_nodes(opened, credit):
    opened.fill("#search", "Checking")
    until(opened, "treewright.state.matches.size > 0")
    found = opened.evaluate("treewright.state.matches.size")
    assert opened.inner_text("#search-count") == f"{found} found"
    opened.press("#search", "Enter")
    first = selected(opened)
    assert opened.inner_text("#search-count") == f"1 of {found}"
    assert first in opened.evaluate("[...treewright.state.matches]")
    assert opened.is_visible(f"#node-{first}")
    opened.click("#search-next")
    assert selected(opened) != first or found == 1
    opened.fill("#search", "no such thing")
    until(opened, "treewright.state.matches.size === 0")
    assert opened.inner_text("#search-count") == "nothing found"


def test_the_keys_are_those_of_the_tree_pattern(page, tmp_path):
    """https://www.w3.org/WAI/ARIA/apg/patterns/treeview/"""
    # A tree that fits the screen when all of it is open.
    classic = {"prune_risk": "error", "size_by": "error", "shrinkage": None}
    model, X, y = trees.credit(prune_rule="min", criterion="gini", **classic)
    opened = page
    open_report(opened, model, tmp_path, X_test=X, y_test=y)
    opened.click("#open-all")
    opened.focus("#node-0")
    nodes = opened.evaluate("treewright.plan().nodes")
    opened.keyboard.press("ArrowDown")
    assert selected(opened) == nodes[1]
    assert opened.evaluate("document.activeElement.id") == f"node-{nodes[1]}"
    opened.keyboard.press("ArrowDown")
    assert selected(opened) == nodes[2]
    opened.keyboard.press("ArrowUp")
    opened.keyboard.press("ArrowLeft")  # a leaf or closed node goes to its parent
    while selected(opened):
        opened.keyboard.press("ArrowLeft")
    opened.keyboard.press("ArrowLeft")  # an open node closes
    opened.keyboard.press("ArrowLeft")
    assert shown(opened) == 1
    assert opened.evaluate("document.activeElement.id") == "node-0"
    opened.keyboard.press("ArrowRight")  # a closed node opens
    assert shown(opened) > 1
    assert selected(opened) == 0
    opened.keyboard.press("ArrowRight")  # an open node goes to its first child
    assert selected(opened) == 1
    opened.keyboard.press("End")
    assert selected(opened) == opened.evaluate("treewright.plan().nodes.at(-1)")
    assert opened.evaluate("document.activeElement.id") == f"node-{selected(opened)}"
    opened.keyboard.press("Home")
    assert selected(opened) == 0
    opened.keyboard.press("/")
    assert opened.evaluate("document.activeElement.id") == "search"


@pytest.mark.parametrize("place", ["#search", "#tab-node", "#node-0", "#zoom-in"])
def test_escape_leaves_the_full_window_from_anywhere(opened, place):
    opened.click("#full")
    assert opened.locator("#tree.full").count() == 1
    opened.focus(place)
    opened.keyboard.press("Escape")
    assert opened.locator("#tree.full").count() == 0


def test_a_link_names_a_node(opened, credit):
    opened.evaluate("treewright.select(2)")
    assert opened.evaluate("location.hash") == "#node=2"
    opened.evaluate("location.hash = '#node=1'")
    until(opened, "treewright.state.selected === 1")
    assert "node 1, depth 1" in opened.inner_text("#details")
    opened.evaluate("location.hash = '#node=99999'")
    assert selected(opened) == 1


def letters(page, scope="#stage"):
    """Sizes of the letters that are shown in the cards, in pixels of the screen."""
    return page.evaluate(
        """(scope) => [...document.querySelectorAll(scope + " .card *")]
            .filter((e) => e.childElementCount === 0 && e.textContent.trim())
            .filter((e) => !e.classList.contains("sr") && e.getClientRects().length)
            .map((e) => parseFloat(getComputedStyle(e).fontSize))
            .map((size) => size * treewright.view.k)""",
        scope,
    )


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_letters_have_eleven_pixels_when_the_page_opens(opened, tmp_path, width):
    model, X, y = trees.credit(prune=None, max_depth=12)
    with another_page(opened, viewport={"width": width, "height": 900}) as page:
        open_report(page, model, tmp_path, X_test=X, y_test=y)
        page.evaluate("treewright.draw()")
        sizes = letters(page)
        assert len(sizes) > 10
        assert min(sizes) >= 11
        page.click("#layout")
        page.click("#legible")
        page.evaluate("treewright.draw()")
        assert min(letters(page)) >= 11


def test_the_layout_can_be_chosen(opened):
    down = opened.evaluate("treewright.direction()")
    opened.click("#layout")
    assert opened.evaluate("treewright.direction()") != down
    opened.evaluate("treewright.draw()")
    inside = "treewright.cards.size === treewright.plan().nodes.length"
    assert opened.evaluate(inside)
    opened.click("#layout")
    assert opened.evaluate("treewright.direction()") == down


def test_every_control_is_reached_by_tab_and_has_a_name(opened):
    opened.evaluate("document.activeElement.blur()")
    reached = set()
    for _ in range(60):
        opened.keyboard.press("Tab")
        reached.add(opened.evaluate("document.activeElement.id"))
    assert {"theme", "search", "fold-all", "fit", "tab-node", "step"} <= reached
    assert any(each.startswith("node-") for each in reached)


def test_rules_sort_page_and_show_their_path(opened, credit):
    model = credit[0]
    rows = opened.locator("#rules-body tr")
    assert rows.count() == min(model.tree_.n_leaves, 25)
    opened.click("#rules-head button:has-text('Probability')")
    sure = opened.locator("#rules-body td:nth-child(3)").all_inner_texts()
    numbers = [float(each.strip("%<>")) for each in sure]
    assert numbers == sorted(numbers, reverse=True)
    opened.click("#rules-head button:has-text('Probability')")
    assert (
        opened.get_attribute("#rules-head th:nth-child(3)", "aria-sort") == "ascending"
    )
    opened.click("#rules-body tr:first-child .rule button")
    path = set(opened.evaluate("[...treewright.state.highlighted]"))
    assert path == set(model.tree_.path(selected(opened)))
    opened.fill("#rules-search", "good")
    until(opened, "document.querySelectorAll('#rules-body tr').length > 0")
    assert set(opened.locator("#rules-body .said").all_inner_texts()) == {"good"}
    opened.fill("#rules-search", "nothing says this")
    n = model.tree_.n_leaves
    until(
        opened,
        f"document.querySelector('#rules-count').textContent === '0 of {n} rules'",
    )


def test_the_first_view_holds_the_whole_tree_and_a_common_row(opened, credit):
    boxes = opened.locator("#cards .card").evaluate_all(
        "(all) => all.map((e) => e.getBoundingClientRect().toJSON())"
    )
    stage = opened.locator("#stage").bounding_box()
    assert len(boxes) == shown(opened)
    for box in boxes:
        assert stage["x"] <= box["left"]
        assert box["right"] <= stage["x"] + stage["width"]
        assert stage["y"] <= box["top"]
        assert box["bottom"] <= stage["y"] + stage["height"]
    tree, X = credit[0].tree_, credit[1]
    split = tree.split(0)
    column = tree.schema.names[split.column]
    values = [each for each in X[column] if each is not None]
    value = f"treewright.fields.get({split.column}).input.selectedOptions[0].text"
    assert opened.evaluate(value) == max(sorted(set(values)), key=values.count)


def test_all_parts_are_named_on_a_telephone(opened, tmp_path, credit):
    with another_page(opened, viewport={"width": 360, "height": 740}) as page:
        open_report(page, credit[0], tmp_path)
        cut = "(() => { const n = document.querySelector('.bar nav');"
        assert page.evaluate(f"{cut} return n.scrollWidth <= n.clientWidth; }})()")


def test_the_smallest_change_can_be_tried_and_values_kept(opened):
    opened.click("#tab-what-if")
    before = opened.inner_text("#what-if-answer b")
    promised = opened.inner_text(".change b")
    opened.click(".change button")
    assert opened.inner_text("#what-if-answer b") == promised != before
    opened.click("#reset-row")
    for lock in opened.locator("#form .lock").all():
        lock.click()
    assert "No change" in opened.inner_text(".change")


def test_columns_and_provenance_are_shown(opened, credit):
    words = opened.inner_text("#columns")
    assert "categorical" in words
    assert "The values are" in words
    made = opened.inner_text("#made")
    assert "model = tw.TreeClassifier(prune_rule='min').fit(X, y)" in made
    assert credit[0].tree_.fingerprint in made
    assert tw.__version__ in made


def test_light_and_dark_differ_and_can_be_switched(opened):
    ground = "getComputedStyle(document.body).backgroundColor"
    light = opened.evaluate(ground)
    opened.click("#theme")
    assert opened.evaluate(ground) != light
    opened.click("#theme")
    assert opened.evaluate(ground) == light


def test_it_prints(opened, tmp_path):
    pdf = tmp_path / "report.pdf"
    opened.pdf(path=pdf)
    assert pdf.read_bytes().startswith(b"%PDF")
    assert pdf.stat().st_size > 20_000


def test_a_tree_of_one_leaf_has_a_report(page, tmp_path):
    model = tw.TreeClassifier().fit({"a": [1, 2, 3]}, ["x", "x", "x"])
    open_report(page, model, tmp_path)
    assert "one answer" in page.inner_text("#lead")
    assert page.is_hidden("#size")
    page.click("#tab-what-if")
    assert "has no splits" in page.inner_text("#panel-what-if")


def test_a_tree_without_owner_or_test_rows_has_a_report(page, tmp_path):
    open_report(page, trees.hitters()[0].tree_, tmp_path, title="Pay in baseball")
    assert page.inner_text("h1") == "Pay in baseball"
    assert "tw.grow(" in page.inner_text("#made-code")
    assert page.is_hidden("#mistakes")


def test_a_chain_of_any_depth_and_a_wide_bush_open(page, tmp_path):
    n = 3000
    x = np.arange(n, dtype=float)
    y = np.cumsum(np.arange(n) % 2 * 0 + 1.0) ** 2 * (1 - 2 * (np.arange(n) % 2))
    model = tw.TreeRegressor(prune=None).fit(x[:, None], y)
    open_report(page, model, tmp_path)
    page.click("#open-all")
    assert shown(page) == model.tree_.n_nodes
    page.evaluate("treewright.draw()")
    cards = page.evaluate("treewright.cards.size")
    assert cards < 400
    page.evaluate("treewright.select(treewright.data.tree.size.length - 1)")
    assert page.evaluate("treewright.cards.size") < 400


def test_nothing_is_wider_than_a_phone(browser, credit, tmp_path):
    model, X, y = credit
    size = {"width": 360, "height": 780}
    with another_page(browser, viewport=size, is_mobile=True) as page:
        open_report(page, model, tmp_path, X_test=X, y_test=y)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("hidden", [False, True])
def test_a_report_works_in_a_frame_without_an_address(page, credit, tmp_path, hidden):
    """As a notebook shows it: the frame may not write links to nodes."""
    model, X, y = credit
    path = tw.report(model, tmp_path / "r.html", X, y)
    page.goto("about:blank")
    page.evaluate(
        """([text, hidden]) => { const frame = document.createElement("iframe");
            frame.width = 900; frame.height = 700; frame.srcdoc = text;
            frame.style.display = hidden ? "none" : "";
            frame.sandbox = "allow-scripts"; document.body.append(frame); }""",
        [path.read_text(encoding="utf-8"), hidden],
    )
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for(state="attached")
    page.evaluate("""document.querySelector("iframe").style.display = "" """)
    frame.locator("#node-1").click(timeout=10_000)
    assert "node 1, depth 1" in frame.locator("#details").inner_text()


def test_without_test_rows_nothing_points_to_their_figures(page, credit, tmp_path):
    open_report(page, credit[0], tmp_path)
    assert page.is_hidden("#quality")
    assert page.is_hidden("#to-quality")
