"""Write docs/reference/command-line.md from the help of the commands: ``make docs``."""

from __future__ import annotations

import sys
from pathlib import Path

from click.testing import CliRunner

from treewright.commands.main import COMMANDS, treewright

PAGE = Path(__file__).parents[1] / "reference" / "command-line.md"

_TOP = """# The command line

This page is written by `make docs` from `treewright --help` and the help of each
command; a test compares them.

Conventions of all commands:

- `--json` prints one JSON object on standard output. Its keys are listed below and stay
  the same; a missing number is `null`, an infinite one the text `"inf"` or `"-inf"`.
- Errors and warnings are one line each on standard error, never a traceback.
- Exit codes: 0 done; 2 bad arguments; 3 bad input; 4 not enough memory; 130 interrupted
  by Ctrl-C. 1 is a defect of treewright: `TREEWRIGHT_DEBUG=1` shows where. A reader
  that stops reading (`... | head`) is no error.
- Files are written whole or not at all: Ctrl-C leaves what was there before.
- Colour and progress bars appear on a terminal only. `NO_COLOR=1` turns colour off.
- The examples run in the folder that `treewright demo --into .` fills.
"""


def page() -> str:
    """Return the page."""
    runner = CliRunner(env={"COLUMNS": "80"})
    parts = [_TOP]
    for arguments in ([], *([name] for name in COMMANDS)):
        text = runner.invoke(treewright, [*arguments, "--help"]).output
        title = " ".join(["treewright", *arguments])
        parts.append(_block(title, text))
    return "\n".join(parts)


def _block(title: str, text: str) -> str:
    lines = "\n".join(line.rstrip() for line in text.rstrip().split("\n"))
    return f"## {title}\n\n```text\n{lines}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"Wrote {PAGE.name}.\n")
