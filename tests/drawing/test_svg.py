import re
from xml.etree import ElementTree

import numpy as np
import pytest

from support.build import build, chain, leaf, schema_of, threshold
from support.looks import HOSTILE, LOOKS, hitters, hostile_tree, many_classes, penguins
from treewright.drawing.marks import Box
from treewright.drawing.scene import compose
from treewright.drawing.svg import to_svg
from treewright.drawing.visible_nodes import visible_nodes
from treewright.errors import OptionError, TableError
from treewright.model import Tree

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg):
    return [each.text for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def titles(svg):
    return [each.text for each in ElementTree.fromstring(svg).iter(f"{SVG}title")]


@pytest.mark.parametrize("name", LOOKS)
@pytest.mark.parametrize("direction", ["down", "right"])
def test_cards_neither_overlap_nor_leave_the_picture(name, direction):
    tree = LOOKS[name]().data
    scene = compose(tree, visible_nodes(tree), direction=direction)
    cards = [
        next(m for m in spot.marks if isinstance(m, Box) and m.radius == 7)
        for spot in scene.spots
    ]
    for i, a in enumerate(cards):
        assert 0 < a.x < scene.width - a.width
        assert 0 < a.y < scene.height - a.height
        for b in cards[:i]:
            apart_x = a.x + a.width < b.x or b.x + b.width < a.x
            apart_y = a.y + a.height < b.y or b.y + b.height < a.y
            assert apart_x or apart_y


def test_what_stands_on_the_nodes_and_branches():
    svg = penguins().to_svg()
    said = texts(svg)
    assert said[:3] == ["flipper_length_mm", "344 rows", "100%"]
    assert "≤ 206.5 or missing" in said
    assert "> 206.5" in said
    assert "Biscoe, Torgersen" in said
    assert said.count("Gentoo") == 2  # on its leaf and in the legend
    assert "7 leaves, depth 3, 344 rows" in said
    first = titles(svg)[2]
    assert first.splitlines()[:2] == [
        "Node 1: flipper_length_mm <= 206.5 or missing",
        "215 rows, 62.5% of all",
    ]
    assert "Leaf: " in titles(svg)[4]


def test_class_shares_are_drawn_to_scale():
    schema = schema_of("x")
    tree = build(threshold(0, 1.0, leaf(0, 0, 0, 1), leaf(1, 1)), schema)
    scene = compose(tree, visible_nodes(tree))
    parts = [m for m in scene.spots[1].marks if isinstance(m, Box) and m.height == 8]
    no, yes = (part.width + 1 for part in parts)
    assert no / (no + yes) == pytest.approx(0.75)


def test_branches_are_as_wide_as_their_share():
    tree = build(threshold(0, 1.0, leaf(*[0] * 30), leaf(*[1] * 10)), schema_of("x"))
    scene = compose(tree, visible_nodes(tree))
    wide, narrow = scene.flows
    assert wide.width == pytest.approx(3 * narrow.width)
    # Side by side where they leave the node.
    assert narrow.x0 - wide.x0 == pytest.approx((wide.width + narrow.width) / 2)


def test_numbers_have_boxes_between_their_quartiles():
    tree = build(
        threshold(0, 1.0, leaf(0.0, 10.0), leaf(20.0, 40.0)), schema_of("x", classes=())
    )
    scene = compose(tree, visible_nodes(tree))
    box = next(
        m for m in scene.spots[0].marks if isinstance(m, Box) and m.fill[0] == "r"
    )
    q1, _, q3 = tree.quartiles[0]
    low, high = tree.quartiles[:, 0].min(), tree.quartiles[:, 2].max()
    track = next(
        m for m in scene.spots[0].marks if isinstance(m, Box) and m.fill == "track"
    )
    assert box.width == pytest.approx((q3 - q1) / (high - low) * track.width)


def test_the_path_of_a_row_is_highlighted():
    tree = penguins()
    row = {"flipper_length_mm": 230, "island": "Biscoe"}
    svg = tree.to_svg(row=row)
    root = ElementTree.fromstring(svg)
    bright = [
        int(g.get("data-node"))
        for g in root.iter(f"{SVG}g")
        if g.get("data-node") and not g.get("opacity")
    ]
    end = tree.apply({k: [v] for k, v in row.items()} | {"bill_length_mm": [None]})[0]
    assert bright == list(tree.path(int(end)))
    accented = [
        each.text for each in root.iter(f"{SVG}text") if each.get("class") == "f-accent"
    ]
    assert accented == ["230", "Biscoe", "> 206.5", "Biscoe"]
    paths = [p for p in root.iter(f"{SVG}path") if p.get("class") == "s-accent"]
    assert len(paths) == 2


@pytest.mark.parametrize("seed", range(5))
def test_a_row_may_come_in_any_form(seed):
    import pandas as pd

    tree = penguins()
    rows = pd.DataFrame({name: [None] * 2 for name in tree.schema.names}, dtype=object)
    rows["flipper_length_mm"] = [190.0, 220.0]
    rows["island"] = ["Dream", "Dream"]
    one = rows.iloc[[seed % 2]]
    expected = tree.to_svg(row=one)
    assert tree.to_svg(row=one.iloc[0]) == expected
    assert tree.to_svg(row=one.iloc[0].to_dict()) == expected
    assert tree.to_svg(row=one.iloc[0].tolist()) == expected


def test_a_row_without_a_needed_value_is_refused():
    with pytest.raises(TableError, match="tests 'island', but the row has no"):
        penguins().to_svg(row={"flipper_length_mm": 230})
    with pytest.raises(TableError, match="must be one row; this table has 2"):
        penguins().to_svg(row={"flipper_length_mm": [1, 2], "island": [None, None]})


def test_a_row_with_an_unseen_and_a_missing_value():
    svg = penguins().to_svg(row={"flipper_length_mm": 230, "island": "Atlantis"})
    assert "Atlantis" in texts(svg)
    svg = penguins().to_svg(
        row={"flipper_length_mm": None, "bill_length_mm": 50.0, "island": "Dream"}
    )
    assert "missing" in texts(svg)


def test_large_trees_are_folded_and_say_so():
    rng = np.random.default_rng(0)
    from treewright.estimators.classifier import TreeClassifier

    X = rng.normal(size=(20_000, 5))
    tree = TreeClassifier(prune=None).fit(X, rng.integers(0, 2, 20_000)).tree_
    assert tree.n_leaves > 4_000
    svg = tree.to_svg()
    assert len(svg) < 250_000
    assert any(said.startswith("Shown: 119 of ") for said in texts(svg))
    assert sum(said.startswith("+ ") for said in texts(svg)) > 30
    assert len(tree._repr_html_()) < 250_000


def test_a_chain_of_fifty_thousand_and_a_single_leaf():
    assert "60 of 50,000" not in to_svg(chain(50_000))
    svg = to_svg(build(leaf(0, 0, 1), schema_of("x")))
    assert "66.7%" in texts(svg)


def test_themes():
    tree = penguins()
    auto, light, dark = (tree.to_svg(theme=t) for t in ("auto", "light", "dark"))
    assert "prefers-color-scheme" in auto
    assert "prefers-color-scheme" not in light + dark
    assert '<rect class="f-page" fill="#ffffff"' in light
    assert '<rect class="f-page" fill="#ffffff"' in auto
    assert '<rect class="f-page" fill="#14181f"' in dark
    assert "<style>" not in light + dark
    with pytest.raises(OptionError, match=r"got 'drak'\. Did you mean 'dark'"):
        tree.to_svg(theme="drak")
    with pytest.raises(OptionError, match="direction must be 'down', 'right' or None"):
        tree.to_svg(direction="up")


def test_it_needs_nothing_from_outside():
    svg = penguins().to_svg()
    assert re.findall(r"https?://[^\"']+", svg) == ["http://www.w3.org/2000/svg"]
    assert "<script" not in svg
    assert "url(" not in svg


def test_notebooks_show_the_picture():
    tree = hitters()
    assert tree._repr_svg_() == tree.to_svg()
    shown = tree._repr_html_()
    assert 'style="max-width:100%;height:auto"' in shown
    assert shown.count("data-node=") == tree.n_nodes  # nothing is folded


def test_with_many_classes_the_answer_has_full_colour_and_its_name():
    tree = many_classes()
    root = ElementTree.fromstring(tree.to_svg())
    for node, group in enumerate(
        g for g in root.iter(f"{SVG}g") if g.get("data-node") is not None
    ):
        bars = [r for r in group.iter(f"{SVG}rect") if r.get("height") == "8"]
        inks = [bar.get("class") for bar in bars]
        present = int((tree.value[node] > 0).sum())
        assert len(inks) == present
        assert inks.count("f-tint") == present - 1
        assert "f-other" not in inks
        name = str(tree.classes[tree.label[node]])
        assert any(name in (t.text or "") for t in group.iter(f"{SVG}text"))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(name):
    svg = hostile_tree(name).to_svg(theme="light")
    root = ElementTree.fromstring(svg)
    tags = {each.tag.removeprefix(SVG) for each in root.iter()}
    assert tags <= {"svg", "rect", "g", "path", "title", "desc", "text"}
    assert len(svg) < 100_000
    for each in root.iter():
        assert not [key for key in each.attrib if key.lower().startswith("on")]
    for said in texts(svg):
        assert all(c.isprintable() for c in said)


def test_category_sets_are_shortened_and_told_in_full():
    labels = tuple(f"category {k}" for k in range(30))
    from support.build import categorical, subset

    schema = schema_of(categorical("kind", *labels))
    groups = [list(range(20)), list(range(20, 30))]
    svg = Tree(build(subset(0, groups, leaf(0), leaf(1)), schema)).to_svg()
    assert "category 0, category 1, 18 more" in texts(svg)
    assert all(label in titles(svg)[2] for label in labels[:20])
