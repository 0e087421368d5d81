"""Texts on cards neither overlap nor leave their card, whatever the names are.

Extents are those of the font that draws the pictures, where it is installed.
"""

import glob
from itertools import combinations

import numpy as np
import pytest
from matplotlib import ft2font

from support.build import (
    build,
    categorical,
    is_missing,
    leaf,
    ordinal,
    schema_of,
    subset,
    threshold,
)
from support.gallery import GALLERY
from support.looks import HOSTILE
from treewright.drawing.look import FIGURES, Look
from treewright.drawing.marks import Box, Dot, Words
from treewright.drawing.measure import text_width
from treewright.drawing.scene import compose
from treewright.drawing.shown import branch_labels
from treewright.drawing.visible_nodes import visible_nodes
from treewright.model import Tree
from treewright.table.schema import Feature, Schema, Summary, TargetInfo
from treewright.tree.split import split_of

WORDS = ("age", "capital", "gain", "loss", "of", "household", "W", "ill", "Überschuss")
JOINTS = (" ", "_", "-", ".", "")


def random_name(rng):
    if rng.random() < 0.1:
        return str(rng.choice(HOSTILE))
    joint = str(rng.choice(JOINTS))
    return joint.join(rng.choice(WORDS, int(rng.integers(1, 12))))


def random_tree(seed):
    rng = np.random.default_rng(seed)
    classes = tuple(dict.fromkeys(random_name(rng) for _ in range(rng.integers(2, 12))))
    if len(classes) < 2:
        classes = ("a", "b")
    numbers = rng.random() < 0.3
    labels = tuple(dict.fromkeys(random_name(rng) for _ in range(6)))
    schema = Schema(
        (Feature(random_name(rng)), categorical(random_name(rng), *labels)),
        TargetInfo(
            random_name(rng),
            "number" if numbers else "class",
            () if numbers else classes,
        ),
    )

    def grow(depth):
        if depth == 0 or rng.random() < 0.2:
            if numbers:
                return leaf(*(rng.normal(size=3) * 10.0 ** rng.integers(-6, 9)))
            return leaf(*rng.integers(0, len(classes), rng.integers(1, 2000) % 40 + 1))
        if rng.random() < 0.5 and len(labels) > 1:
            cut = int(rng.integers(1, len(labels)))
            groups = [list(range(cut)), list(range(cut, len(labels)))]
            return subset(1, groups, grow(depth - 1), grow(depth - 1))
        at = float(rng.normal() * 10.0 ** rng.integers(-9, 9))
        return threshold(0, at, grow(depth - 1), grow(depth - 1))

    return build(threshold(0, 0.5, grow(2), grow(2)), schema)


def real_fonts():
    """Return the widths of Liberation Sans, or None if it is not installed."""
    found = {}
    for bold, style in ((False, "Regular"), (True, "Bold")):
        files = glob.glob(
            f"/usr/share/fonts/**/LiberationSans-{style}.ttf", recursive=True
        )
        if not files:
            return None
        found[bold] = ft2font.FT2Font(files[0])
    return found


FONTS = real_fonts()
# matplotlib before 3.10 has no LoadFlags.
FLAGS = getattr(ft2font, "LoadFlags", None)
NO_SCALE = FLAGS.NO_SCALE if FLAGS else ft2font.LOAD_NO_SCALE


def width_in_font(text, size, bold):
    """Return the width of a text; letters that the font lacks as estimated."""
    if FONTS is None:
        return text_width(text, size, bold)
    font, total = FONTS[bold], 0.0
    for letter in text:
        if font.get_char_index(ord(letter)):
            drawn = font.load_char(ord(letter), flags=NO_SCALE)
            total += drawn.horiAdvance / font.units_per_EM * size
        else:
            total += text_width(letter, size, bold)
    return total


def extent(words):
    width = width_in_font(words.text, words.size, words.bold)
    left = words.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[words.anchor] * width
    return left, words.y - 0.74 * words.size, left + width, words.y + 0.22 * words.size


def check(scene):
    for spot in scene.spots:
        card = next(
            m for m in reversed(spot.marks) if isinstance(m, Box) and m.radius == 7
        )
        texts = [m for m in spot.marks if isinstance(m, Words)]
        inside = [t for t in texts if card.y <= t.y <= card.y + card.height]
        for words in inside:
            left, top, right, bottom = extent(words)
            assert left >= card.x + 8, words
            assert right <= card.x + card.width - 8, words
            assert top >= card.y + 4, words
            assert bottom <= card.y + card.height - 2, words
        for one, two in combinations(map(extent, texts), 2):
            apart = one[2] <= two[0] or two[2] <= one[0]
            assert apart or one[3] <= two[1] or two[3] <= one[1]
    for words in scene.around:
        if isinstance(words, Words):
            left, _, right, bottom = extent(words)
            assert left >= 0
            assert right <= scene.width
            assert bottom <= scene.height


@pytest.mark.parametrize("seed", range(150))
def test_no_text_overlaps_another_or_leaves_its_card(seed):
    tree, rng = random_tree(seed), np.random.default_rng(seed)
    look = Look(
        show=tuple(each for each in FIGURES if rng.random() < 0.6),
        digits=None if rng.random() < 0.5 else int(rng.integers(1, 8)),
        numbers=rng.random() < 0.3,
        align_leaves=rng.random() < 0.3,
    )
    path = {0: random_name(rng)[:50]} if rng.random() < 0.3 else {}
    for direction in ("down", "right"):
        check(
            compose(
                tree, visible_nodes(tree), direction=direction, look=look, path=path
            )
        )


@pytest.mark.parametrize("name", GALLERY)
def test_no_text_overlaps_in_the_gallery(name):
    tree = GALLERY[name]().data
    for direction in ("down", "right"):
        check(compose(tree, visible_nodes(tree), direction=direction))


@pytest.mark.parametrize("text", ["capital_gain", "≤ 206.5 or missing", "Wxyz (12%)"])
@pytest.mark.parametrize("bold", [False, True])
def test_the_known_widths_are_those_of_the_font(text, bold):
    if FONTS is None:
        pytest.skip(
            "NOT TESTED: Liberation Sans is missing (apt install fonts-liberation)"
        )
    assert text_width(text, 100, bold) == pytest.approx(
        width_in_font(text, 100, bold), abs=1
    )


def heads(scene):
    """Return the bold lines of every node, joined."""
    return [
        tuple(m.text for m in s.marks if isinstance(m, Words) and m.bold)
        for s in scene.spots
    ]


@pytest.mark.parametrize("seed", range(60))
def test_two_names_never_look_the_same(seed):
    rng = np.random.default_rng(seed)
    start, end = "x" * int(rng.integers(1, 80)), "y" * int(rng.integers(1, 80))
    columns = [Feature(f"{start}{k}{end}") for k in range(4)]
    schema = Schema(tuple(columns), TargetInfo("t", "class", ("no", "yes")))
    spec = leaf(0, 1)
    for column in range(4):
        spec = threshold(column, 1.0, spec, leaf(1))
    tree = build(spec, schema)
    scene = compose(
        tree, visible_nodes(tree), direction=str(rng.choice(["down", "right"]))
    )
    shown = [
        head for head, n in zip(heads(scene), tree.subtree_size, strict=True) if n > 1
    ]
    assert len(set(shown)) == 4


def test_gain_and_loss_stay_apart_and_a_number_is_never_cut():
    tree = GALLERY["long_names"]()
    said = " ".join(
        t for each in heads(compose(tree.data, visible_nodes(tree.data))) for t in each
    )
    assert "gain" in said
    assert "loss" in said
    schema = Schema((Feature("x"),), TargetInfo("t", "class", ("no", "yes")))
    at = 0.12345678901234567
    svg = Tree(build(threshold(0, at, leaf(0), leaf(1)), schema)).to_svg()
    assert f"≤ {at!r}" in svg


def test_an_edge_names_the_categories_that_carry_the_rows():
    svg = GALLERY["cities"]().to_svg()
    assert "Bristol, London, City" in svg or "London, Bristol, City" in svg
    assert " more</text>" in svg


@pytest.mark.parametrize(
    ("spec", "labels"),
    [
        (is_missing(0, leaf(0), leaf(1)), (["missing"], ["known"])),
        (threshold(0, 0.5, leaf(0), leaf(1)), (["≤ 0.5 or missing"], ["> 0.5"])),
        (threshold(1, 1.0, leaf(0), leaf(1)), (["≤ mid or missing"], ["> mid"])),
        (threshold(3, 0.5, leaf(0), leaf(1)), (["False or missing"], ["True"])),
        (
            subset(2, [[0, 1], []], leaf(0), leaf(1), missing=1),
            (["a, b"] * 4 + ["a, 1 more"] * 4, ["missing or unseen"]),
        ),
    ],
    ids=["is missing", "number", "ranks", "truth values", "categories"],
)
def test_only_lists_of_categories_have_shorter_labels(spec, labels):
    flag = Feature("flag", stored_as="bool")
    ranks, sets = ordinal("o", "low", "mid", "high"), categorical("c", "a", "b")
    split = split_of(build(spec, schema_of("x", ranks, sets, flag)), 0)
    found = [list(branch_labels(split, branch, missing=True)) for branch in (0, 1)]
    assert found == list(labels)


@pytest.mark.parametrize("letter", ["W", "\N{CJK UNIFIED IDEOGRAPH-6F22}"])
def test_the_shortest_label_of_a_branch_is_cut_if_its_letters_are_wide(letter):
    names = [f"{letter * 80}{k}" for k in range(12)]
    spec = subset(0, [list(range(11)), [11]], leaf(0), leaf(1), missing=0)
    column = categorical("c", *names, summary=Summary(n_missing=1))
    tree = build(spec, schema_of(column))
    split = split_of(tree, 0)
    *_, shortest = branch_labels(split, 0, missing=True)
    assert shortest.endswith(", 10 more or missing")
    scene = compose(tree, visible_nodes(tree))
    check(scene)
    (label,) = (
        mark
        for mark in scene.spots[1].marks
        if isinstance(mark, Words) and letter in mark.text
    )
    start, end = label.text.split("…")[0], label.text.split("…")[-1]
    assert shortest.startswith(start)
    assert shortest.endswith(end)
    assert 210 < text_width(label.text, label.size, label.bold) <= 230


def test_accents_take_no_room_and_wide_letters_take_more():
    assert text_width("e\N{COMBINING ACUTE ACCENT}", 1000) == text_width("e", 1000)
    assert text_width("\N{LATIN SMALL LETTER E WITH ACUTE}", 1000) == 556
    assert text_width("\N{CJK UNIFIED IDEOGRAPH-6F22}", 1000) == 1000
    assert text_width("\N{GRINNING FACE}", 1000) == 1400


@pytest.mark.parametrize("room", [240, 160, 100])
def test_the_size_of_the_tree_keeps_inside_a_narrow_picture(room):
    tree = build(leaf(*[0] * 12_345), schema_of("x"))
    scene = compose(tree, visible_nodes(tree), least_room=room)
    check(scene)
    words = [mark for mark in scene.around if isinstance(mark, Words)]
    assert (words[0].text, words[0].y) == ("y", 36)
    assert words[1].y > 36  # below the title
    said = " ".join(mark.text for mark in words)
    assert "1 leaf, depth 0, 12,345 rows" in said


def test_numbers_that_are_all_equal_stand_in_the_middle_of_their_strip():
    tree = build(leaf(5.0, 5.0), schema_of("x", classes=()))
    (spot,) = compose(tree, visible_nodes(tree)).spots
    track = next(m for m in spot.marks if isinstance(m, Box) and m.fill == "track")
    dot = next(mark for mark in spot.marks if isinstance(mark, Dot))
    assert dot.x == pytest.approx(track.x + track.width / 2)
