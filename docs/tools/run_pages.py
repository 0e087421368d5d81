"""Run the examples of Markdown pages and compare what they print with the page.

A page is run from top to bottom in one fresh process, in an empty folder:

- a ``python`` block runs in the names of the blocks before it; a ``text`` block right
  after it holds what it prints. A block that prints must be followed by one.
- a ``console`` block holds commands after ``$ `` and, under each, what it prints.
- a picture ``![...](pictures/name.svg)`` that the blocks write to ``pictures/`` is
  compared with the file in the repository (SVG by its bytes, others by existence).

A page that needs a package which is not always installed names it in a comment,
``<!-- needs: distributed -->``. Without the package the page is not run, which is said.

Warnings and errors are part of the output, as one line ``Name: message``. The text
block must name the error already; otherwise an error is a fault of the page. Blocks
with other languages (``sh``, ``r``, ``sql``) are shown, not run.

``python docs/tools/run_pages.py [--write] [PAGE ...]`` checks all pages or
those named; ``--write`` renews outputs and pictures instead.
"""

import argparse
import difflib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORKER = Path(__file__).with_name("run_blocks.py")
FENCE = re.compile(r"^```([a-z]*)[^\n]*\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"\]\((pictures/[^)\s]+)\)")
RUN = {"python", "console"}
ERROR = re.compile(r"^(\w+Error): .*\Z", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ")
NEEDS = re.compile(r"^<!-- needs: (\w+) -->$", re.MULTILINE)


class StalePageError(Exception):
    """A page does not show what its examples print."""


@dataclass
class Block:
    """A fenced block of a page.

    Attributes
    ----------
    language
        The word after the fence.
    body
        The lines inside.
    start, end
        Where the body stands in the page.
    """

    language: str
    body: str
    start: int
    end: int


def pages() -> list[Path]:
    """Return every page whose examples are run: the README and the book."""
    book = (ROOT / "docs").rglob("*.md")
    skipped = ("_build", "generated")
    inside = [page for page in book if not set(skipped) & set(page.parts)]
    return [
        page for page in (ROOT / "README.md", *sorted(inside)) if has_examples(page)
    ]


def lacking(page: Path) -> list[str]:
    """Return the packages that a page needs and that are not installed."""
    named = NEEDS.findall(page.read_text(encoding="utf-8"))
    return [name for name in named if importlib.util.find_spec(name) is None]


def has_examples(page: Path) -> bool:
    """Return whether a page has blocks to run."""
    blocks = blocks_of(page.read_text(encoding="utf-8"))
    return any(block.language in RUN for block in blocks)


def blocks_of(text: str) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    return [
        Block(m.group(1), m.group(2), m.start(2), m.end(2))
        for m in FENCE.finditer(text)
    ]


def commands_of(block: Block) -> list[str]:
    """Return the commands of a console block."""
    return [line[2:] for line in block.body.splitlines() if COMMAND.match(line)]


def run(blocks: list[Block], folder: Path, name: str) -> list[list[str]]:
    """Run the blocks of a page in a fresh process; return what each one printed.

    A Python block prints one text; a console block one per command.
    """
    work = [
        {"language": b.language, "code": b.body, "commands": commands_of(b)}
        for b in blocks
    ]
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "MPLBACKEND": "agg",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONHASHSEED": "0",
    }
    done = subprocess.run(
        [sys.executable, str(WORKER)],
        input=json.dumps(work),
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        timeout=300,
    )
    if done.returncode:
        raise StalePageError(f"{name}: its examples stopped.\n{done.stderr[-2000:]}")
    return list(json.loads(done.stdout))


def renewed(text: str, folder: Path, name: str) -> str:
    """Return the page as it should be: with what its examples print now."""
    blocks = blocks_of(text)
    runnable = [b for b in blocks if b.language in RUN]
    printed = dict(zip(map(id, runnable), run(runnable, folder, name), strict=True))
    pieces, place = [], 0
    for block, following in zip_longest(blocks, blocks[1:]):
        if block.language == "console":
            pieces += [
                text[place : block.start],
                console_body(block, printed[id(block)]),
            ]
            place = block.end
        elif block.language == "python":
            output = printed[id(block)][0]
            refuse_surprise(output, following, f"{name}:{line_of(text, block)}")
            if following is not None and following.language == "text":
                pieces += [text[place : following.start], output]
                place = following.end
            elif output:
                raise StalePageError(
                    f"{name}:{line_of(text, block)}: this block prints, but no text "
                    f"block follows it:\n{output}"
                )
    return "".join([*pieces, text[place:]])


def line_of(text: str, block: Block) -> int:
    """Return the line of the page that a block begins in."""
    return text.count("\n", 0, block.start) + 1


def refuse_surprise(output: str, following: Block | None, place: str) -> None:
    """Refuse an error that the page does not show already."""
    error = ERROR.search(output)
    shown = following.body if following is not None else ""
    if error and error.group(1) not in shown:
        raise StalePageError(f"{place}: this block raises {output[error.start() :]}")


def console_body(block: Block, outputs: list[str]) -> str:
    """Return the lines of a console block: each command and what it prints."""
    commands = commands_of(block)
    return "".join(
        f"$ {command}\n{output}"
        for command, output in zip(commands, outputs, strict=True)
    )


def pictures_of(text: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the pictures of a page that its examples wrote."""
    for name in PICTURE.findall(text):
        if (folder / name).exists():
            yield name, folder / name


def picture_is_stale(new: Path, kept: Path) -> bool:
    """Return whether the picture in the repository must be renewed."""
    if not kept.exists():
        return True
    return new.suffix == ".svg" and new.read_bytes() != kept.read_bytes()


def process(page: Path, write: bool) -> None:
    """Check a page, or renew it.

    Raises
    ------
    StalePageError
        If the page or a picture is out of date and must not be written.
    """
    text = page.read_text(encoding="utf-8")
    name = str(page.relative_to(ROOT)) if page.is_relative_to(ROOT) else page.name
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "pictures").mkdir()
        new = renewed(text, folder, name)
        for relative, picture in pictures_of(text, folder):
            kept = page.parent / relative
            if write:
                kept.parent.mkdir(exist_ok=True)
                shutil.copyfile(picture, kept)
            elif picture_is_stale(picture, kept):
                raise StalePageError(f"{name}: the picture {relative} is out of date.")
    if new == text:
        return
    if write:
        page.write_text(new, encoding="utf-8")
        return
    changed = difflib.unified_diff(
        text.splitlines(),
        new.splitlines(),
        "the page",
        "its examples",
        lineterm="",
        n=2,
    )
    raise StalePageError(f"{name} is out of date:\n" + "\n".join(changed))


def main() -> int:
    """Check or renew pages; return the exit code."""
    parser = argparse.ArgumentParser(description="Run the examples of the book.")
    parser.add_argument("--write", action="store_true", help="renew outputs, pictures")
    parser.add_argument("pages", nargs="*", type=Path)
    given = parser.parse_args()

    def outcome(page: Path) -> str:
        if lost := lacking(page):
            print(f"NOT RUN: {page} needs {', '.join(lost)}, which is not installed.")
            return ""
        try:
            process(page.resolve(), given.write)
        except StalePageError as stale:
            return str(stale)
        return ""

    with ThreadPoolExecutor(2) as pool:
        found = [words for words in pool.map(outcome, given.pages or pages()) if words]
    print("\n\n".join(found) if found else "every page shows what its examples print")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
