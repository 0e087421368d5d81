"""Names that bite run no script and break no page; nothing leaves the file."""

import re

import pytest

import treewright as tw
from support.looks import HOSTILE, hostile_tree
from support.pages import open_report
from treewright.drawing.report.payload import as_json
from treewright.reporting import report


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: ascii(name)[:24])
def test_hostile_names_do_no_harm(page, tmp_path, name):
    path = open_report(page, hostile_tree(name), tmp_path, title=name or None)
    page.click("#tab-what-if")
    assert page.inner_text("#what-if-answer")
    page.fill("#search", "plain")
    page.fill("#rules-search", "third")
    page.evaluate("treewright.setStep(1)")
    page.click("#theme")
    assert page.problems == []
    assert page.locator("script").count() == 2
    assert page.locator("img").count() == 0
    assert path.stat().st_size < 1_000_000


def test_hostile_names_in_test_rows_and_options(page, tmp_path):
    evil = "</script><script>alert(1)</script>"
    X = {evil: [evil, "b"] * 20, "n": list(range(40))}
    y = [evil, "other"] * 20
    model = tw.TreeClassifier(prune=None, kinds={evil: "categorical"}).fit(X, y)
    open_report(page, model, tmp_path, X_test=X, y_test=y)
    assert evil in page.inner_text("#made-code")


def test_the_data_holds_nothing_that_ends_a_script(tmp_path):
    written = as_json({"a": "</script><!-- & \u2028\u2029 \ud800"})
    assert not set("<>&\u2028\u2029") & set(written)
    text = report(hostile_tree(HOSTILE[0]), tmp_path / "r.html").read_text()
    assert len(re.findall("</script", text)) == 2


def test_one_script_may_run_and_nothing_may_be_fetched(page, tmp_path):
    path = open_report(page, hostile_tree("x"), tmp_path)
    text = path.read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    assert policy.startswith("default-src &#39;none&#39;")
    assert "unsafe" not in policy
    assert not re.search(r"(src|href)=[\"']?https?:", text)
    page.evaluate(
        """() => {
            const bad = document.createElement("script");
            bad.textContent = "window.broken = 1";
            document.body.append(bad);
        }"""
    )
    assert page.evaluate("window.broken") is None
    assert "Content Security Policy" in page.problems.pop()


def test_the_page_works_from_a_folder_with_an_odd_name(page, tmp_path):
    folder = tmp_path / "späce & <b>"
    folder.mkdir()
    open_report(page, hostile_tree("x"), folder)
