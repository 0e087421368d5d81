"""The options of a picture, and its forms as files."""

import re
import shutil
import subprocess
from xml.etree import ElementTree

import pytest

import treewright as tw
from drawing.test_svg import SVG, texts
from support.gallery import GALLERY
from support.looks import hitters, penguins, table
from treewright.drawing.cards import NARROWEST
from treewright.drawing.marks import Box
from treewright.drawing.scene import compose
from treewright.drawing.visible_nodes import visible_nodes
from treewright.errors import OptionError


def test_a_card_shows_what_is_asked_for():
    said = texts(penguins().to_svg(show=["shares", "interval"]))
    assert "Chinstrap: 98.3%, Adelie: 1.7%" in said
    assert any(re.fullmatch(r"95%: [\d.]+% to [\d.]+%", each) for each in said)
    assert not any(each.endswith(" rows") and "," not in each for each in said)
    assert any("95%: " in each for each in texts(hitters().to_svg(show=["interval"])))
    bare = texts(penguins().to_svg(show=[]))
    assert "62.5%" not in bare


def test_low_cards_show_the_share_only_if_it_is_asked_for():
    plain = texts(penguins().to_svg(direction="right"))
    asked = texts(penguins().to_svg(direction="right", show=["rows", "share"]))
    assert "344 rows" in plain
    assert "344 rows · 100%" in asked
    assert any("at the right: the node's share of all rows" in each for each in asked)


def test_the_key_tells_a_probability_from_the_bar():
    columns = table("penguins.csv")
    y = columns.pop("species")
    tree = tw.TreeClassifier(n_jobs=1).fit(columns, y).tree_
    assert len(tree.answer)
    key = " ".join(texts(tree.to_svg()))
    assert "Bar: the node's rows by class; beside a class: its probability" in key
    assert "95%: interval of the share of its class." in " ".join(
        texts(tree.to_svg(show=["interval"]))
    )


def test_digits_round_numbers_and_percentages():
    assert "98%" in texts(penguins().to_svg(digits=2))
    assert "98.31%" in texts(penguins().to_svg(digits=4))
    assert "4.1e+02" in texts(hitters().to_svg(digits=2))


def test_nodes_have_their_numbers():
    said = texts(penguins().to_svg(node_numbers=True))
    assert [each for each in said if each.startswith("#0 ")] == ["#0 · 344 rows"]
    assert any("#: number of the node" in each for each in said)


@pytest.mark.parametrize("direction", ["down", "right"])
def test_leaves_can_stand_on_the_last_level(direction):
    tree = penguins()
    svg = tree.to_svg(align_leaves=True, direction=direction)
    root = ElementTree.fromstring(svg)
    side = "y" if direction == "down" else "x"
    places = {
        float(g.find(f"{SVG}rect").get(side))
        for g in root.iter(f"{SVG}g")
        if g.get("data-node") and tree.split_kind[int(g.get("data-node"))] == 0
    }
    assert max(places) - min(places) < 25  # their labels may differ in height


def test_a_title_and_a_width():
    svg = penguins().to_svg(title="Which penguin is it?", width="90mm")
    assert "Which penguin is it?" in texts(svg)
    assert 'width="90mm"' in svg
    assert 'width="800"' in penguins().to_svg(width=800)
    for wrong in ("wide", 0, -3, True):
        with pytest.raises(OptionError, match="width must be a number of pixels"):
            penguins().to_svg(width=wrong)


def test_wrong_options_are_named():
    with pytest.raises(OptionError, match=r"got 'row'\. Did you mean 'rows'"):
        penguins().to_svg(show=["row"])
    with pytest.raises(OptionError, match=r"pass show=\['rows'\]"):
        penguins().to_svg(show="rows")
    with pytest.raises(OptionError, match="digits must be a whole number from 1 to 17"):
        penguins().to_svg(digits=0)
    with pytest.raises(OptionError, match="title must be text or None; got 3"):
        penguins().to_svg(title=3)
    with pytest.raises(OptionError, match="palette must be 'colour' or 'print'"):
        penguins().to_svg(palette="sepia")


def test_a_screen_reader_gets_the_tree_as_an_outline():
    root = ElementTree.fromstring(penguins().to_svg())
    assert root[0].tag == f"{SVG}title"
    assert root[0].text == "Decision tree for species: 7 leaves, depth 3, 344 rows"
    assert root[1].tag == f"{SVG}desc"
    lines = root[1].text.splitlines()
    assert lines[0].startswith("All rows: Adelie (44.2%), 344 rows; asks flipper")
    assert lines[1].startswith("1. If flipper_length_mm <= 206.5 or missing: Adelie")
    assert lines[2].startswith("1.1. If bill_length_mm <= 43.35")
    assert len(lines) == 13


def test_the_key_says_what_the_percentages_are():
    said = " ".join(texts(penguins().to_svg()))
    assert "Beside a class: its share of the node's rows" in said
    assert "below: the node's share of all rows" in said
    assert "±: standard deviation" in " ".join(texts(hitters().to_svg()))


def test_print_has_patterns_in_place_of_colours():
    svg = penguins().to_svg(palette="print")
    assert svg.count("<pattern ") == 3
    colours = set(re.findall(r"#[0-9a-f]{6}", svg))
    grey = [c for c in colours if c[1:3] == c[3:5] == c[5:7]]
    assert len(grey) >= len(colours) - 4  # a few texts are blueish black


def test_cards_are_as_wide_as_their_text_and_no_wider():
    tree = penguins().data
    scene = compose(tree, visible_nodes(tree), direction="down")
    widths = {
        next(m.width for m in s.marks if isinstance(m, Box) and m.radius == 7)
        for s in scene.spots
    }
    assert len(widths) > 5
    assert min(widths) >= NARROWEST


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_picture_is_saved_in_one_call(tmp_path, ending):
    path = penguins().save_picture(tmp_path / f"tree.{ending}", title="Penguins")
    start = path.read_bytes()[:5]
    assert start.startswith(
        {"svg": b"<svg ", "png": b"\x89PNG", "pdf": b"%PDF"}[ending]
    )


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_saved_picture_shows_the_way_of_a_row(tmp_path, ending):
    row = {"flipper_length_mm": 181, "bill_length_mm": 39.1, "island": "Torgersen"}
    plain = penguins().save_picture(tmp_path / f"plain.{ending}")
    shown = penguins().save_picture(tmp_path / f"shown.{ending}", row=row)
    assert shown.read_bytes() != plain.read_bytes()
    if ending == "svg":
        assert shown.read_text() == penguins().to_svg(row=row, theme="light") + "\n"


def test_a_saved_picture_is_as_wide_as_asked(tmp_path):
    from PIL import Image

    path = penguins().save_picture(tmp_path / "tree.png", width="50.8mm")
    with Image.open(path) as picture:
        assert picture.width == pytest.approx(2 * 192, abs=1)
    with pytest.raises(OptionError, match="width must be a number of pixels"):
        penguins().save_picture(tmp_path / "tree.png", width="wide")


def test_a_picture_needs_a_known_ending_and_a_folder(tmp_path):
    with pytest.raises(OptionError, match=r"saved as \.svg, \.png or \.pdf"):
        penguins().save_picture(tmp_path / "tree.gif")
    with pytest.raises(OptionError, match="There is no folder"):
        penguins().save_picture(tmp_path / "none" / "tree.svg")
    with pytest.raises(OptionError, match="path must be the name of a file"):
        penguins().save_picture(None)


def pdf_fonts(path):
    program = shutil.which("pdffonts")
    if not program:
        pytest.skip("NOT TESTED: pdffonts is missing (apt install poppler-utils)")
    made = subprocess.run([program, path], capture_output=True, check=True, text=True)
    return made.stdout.splitlines()[2:]


def test_the_letters_of_a_pdf_are_text(tmp_path):
    path = penguins().save_picture(tmp_path / "tree.pdf")
    fonts = pdf_fonts(path)
    assert fonts
    assert all("TrueType" in each for each in fonts)
    said = subprocess.run(
        ["pdftotext", path, "-"], capture_output=True, check=True, text=True
    ).stdout
    for name in ("flipper_length_mm", "Chinstrap", "344 rows", "≤ 206.5 or missing"):
        assert name in said


@pytest.mark.parametrize("name", GALLERY)
def test_every_tree_of_the_gallery_has_a_png(name, tmp_path):
    tree = GALLERY[name]()
    assert tree.save_picture(tmp_path / "tree.png", max_leaves=20).stat().st_size > 5000
