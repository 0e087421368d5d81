"""The theory of the book: worked numbers, folded solutions, pictures for slides."""

import re
import struct
from pathlib import Path

import pytest

THEORY = Path(__file__).resolve().parents[2] / "docs" / "theory"
CHAPTERS = sorted(THEORY.glob("[1-8]-*.md"))
PICTURE = re.compile(r"\]\((pictures/[^)\s]+)\)")

# Numbers that people work by hand, by chapter, as the pages print them.
WORKED = {
    1: "0.9403 0.4592 0.3571 0.487 0.103 0.3200 0.2700 0.1518 1.1568",
    2: "0.1379 0.3113 0.5488 0.1887 0.5000 0.9852 0.9183 0.8113 536,870,911 14.4 15.4",
    3: "0.5488 0.7219 0.4512 58.00 4.00",
    4: "-0.637 -1.485 0.410 0.531 0.971 0.918 0.811 0.985 0.592 0.2467 0.0292 0.1518 "
    "0.0481 0.6935 0.9111 0.8905 0.6500 0.5917 0.0600 0.1307 3.8074 1.5774 0.1564",
    5: "0.961 0.199 1.809 0.110 0.443",
    6: "0.0357143 0.107143 0.0595238 1.238 1.285 0.750 3.273 0.125 0.375",
    7: "0.353 0.647",
    8: "0.050 0.552 0.275 0.092 0.031",
}


def chapter(number):
    (page,) = THEORY.glob(f"{number}-*.md")
    return page.read_text(encoding="utf-8")


def test_there_are_eight_chapters():
    assert [page.name[0] for page in CHAPTERS] == list("12345678")


@pytest.mark.parametrize("number", WORKED)
def test_a_chapter_prints_the_worked_numbers(number):
    printed = " ".join(re.findall(r"^```text\n(.*?)^```", chapter(number), re.M | re.S))
    missing = [n for n in WORKED[number].split() if n not in printed]
    assert missing == []


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_a_chapter_has_exercises_with_folded_solutions_that_run(page):
    text = page.read_text(encoding="utf-8")
    exercises = text.partition("## Exercises")[2]
    questions = re.findall(r"^(\d)\. ", exercises, re.M)
    solutions = re.findall(
        r"<details>\n<summary>Solution</summary>\n(.*?)</details>", exercises, re.S
    )
    assert questions == [str(i + 1) for i in range(len(solutions))]
    assert len(questions) >= 3
    assert any("```python" in solution for solution in solutions)


def test_the_page_of_exercises_lists_every_exercise():
    """Each question stands there as it does in its chapter, but for line ends."""
    listed = " ".join((THEORY / "exercises.md").read_text("utf-8").split())
    for each in CHAPTERS:
        exercises = each.read_text("utf-8").partition("## Exercises")[2]
        questions = re.findall(r"^(\d\. .*?)(?=\s*<details>)", exercises, re.M | re.S)
        assert [q for q in questions if " ".join(q.split()) not in listed] == []
        assert f"({each.name}#exercises)" in listed


def test_the_slides_show_every_picture_of_the_chapters():
    drawn = {n for page in CHAPTERS for n in PICTURE.findall(page.read_text("utf-8"))}
    shown = PICTURE.findall((THEORY / "slides.md").read_text("utf-8"))
    assert sorted(shown) == sorted(drawn)
    assert {f"pictures/{f.name}" for f in (THEORY / "pictures").iterdir()} == drawn


@pytest.mark.parametrize(
    "picture", sorted((THEORY / "pictures").glob("*.png")), ids=lambda p: p.stem
)
def test_a_chart_has_the_size_of_a_slide(picture):
    head = picture.read_bytes()[:24]
    assert struct.unpack(">II", head[16:24]) == (1600, 900)
