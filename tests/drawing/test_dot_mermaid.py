import shutil
import subprocess

import pytest

from support.browser import chromium_page, npm_file
from support.looks import HOSTILE, LOOKS, hostile_tree, penguins, seed_tree

TREES = {**LOOKS, "seed": seed_tree}


@pytest.fixture(scope="module")
def graphviz():
    found = shutil.which("dot")
    if not found:
        pytest.skip("NOT TESTED: graphviz is not installed (apt install graphviz)")
    return found


def drawn_by(graphviz, text):
    done = subprocess.run(
        [graphviz, "-Tsvg"], input=text.encode(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[:500]
    return done.stdout.decode()


@pytest.mark.parametrize("name", TREES)
def test_graphviz_draws_every_node_and_branch(name, graphviz):
    tree = TREES[name]()
    svg = drawn_by(graphviz, tree.to_dot())
    assert svg.count('class="node"') == tree.n_nodes
    assert svg.count('class="edge"') == tree.n_nodes - 1


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: ascii(name)[:30])
def test_graphviz_reads_hostile_names(name, graphviz):
    tree = hostile_tree(name)
    text = tree.to_dot()
    svg = drawn_by(graphviz, text)
    assert svg.count('class="node"') == tree.n_nodes
    assert "<script" not in svg
    assert len(text) < 5_000


def test_dot_says_what_is_folded(graphviz):
    tree = penguins(max_depth=None)
    text = tree.to_dot(max_leaves=4)
    assert "leaves lie below" in text
    assert "peripheries=2" in text
    drawn_by(graphviz, text)


@pytest.fixture(scope="module")
def mermaid():
    """Mermaid's own parser and renderer, in a real browser."""
    script = npm_file("mermaid/dist/mermaid.min.js")
    with chromium_page() as page:
        page.set_content("<body></body>")
        page.add_script_tag(path=script)
        page.evaluate("mermaid.initialize({startOnLoad: false})")
        yield page


def parsed(mermaid, text):
    mermaid.evaluate("text => mermaid.parse(text)", text)
    return mermaid.evaluate(
        "async text => (await mermaid.render('picture', text)).svg", text
    )


@pytest.mark.parametrize("name", TREES)
def test_mermaid_draws_every_node(name, mermaid):
    tree = TREES[name]()
    svg = parsed(mermaid, tree.to_mermaid())
    assert svg.count('class="node default') == tree.n_nodes


@pytest.mark.parametrize("name", HOSTILE)
def test_mermaid_reads_hostile_names(name, mermaid):
    tree = hostile_tree(name)
    text = tree.to_mermaid()
    svg = parsed(mermaid, text)
    assert svg.count('class="node default') == tree.n_nodes
    assert "<script" not in svg
    assert "onerror=" not in svg.replace("&quot;", "") or "<img" not in svg
    assert len(text) < 2_000
    assert mermaid.evaluate("window.harmed === undefined")


def test_mermaid_shows_the_names_as_they_are(mermaid):
    svg = parsed(mermaid, hostile_tree('a "b" <c> #1; & d').to_mermaid())
    assert "a &quot;b&quot; &lt;c&gt; #1; &amp; d" in svg or (
        'a "b" &lt;c&gt; #1; &amp; d' in svg
    )


def test_mermaid_says_what_is_folded(mermaid):
    text = penguins(max_depth=None).to_mermaid(max_leaves=4)
    assert "%% Shown: " in text
    assert "[[" in text
    parsed(mermaid, text)
