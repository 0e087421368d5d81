"""Run the blocks of one page; `run_pages.py` starts this in a fresh process.

Reads a JSON list of blocks from standard input and writes a JSON list with the texts
that each one printed.
"""

import contextlib
import io
import json
import subprocess
import sys
import warnings


def print_warning(message, category, *_rest, **_options):
    """Print a warning as one line of the output."""
    print(f"{category.__name__}: {message}")


def tidy(text: str) -> str:
    """Return the text without spaces at line ends and with one newline at its end."""
    lines = [line.rstrip() for line in text.splitlines()]
    joined = "\n".join(lines).rstrip()
    return f"{joined}\n" if joined else ""


def run_python(code: str, names: dict) -> str:
    """Run a Python block; return what it printed, warnings and the error included."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)
        warnings.showwarning = print_warning
        try:
            exec(compile(code, "example", "exec"), names)
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
    return tidy(printed.getvalue())


def run_command(command: str) -> str:
    """Run a shell command; return what it printed on both streams."""
    done = subprocess.run(
        ["bash", "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    return tidy(done.stdout)


def main() -> None:
    """Run the blocks that standard input holds."""
    names = {"__name__": "page"}
    outputs = [
        [run_python(block["code"], names)]
        if block["language"] == "python"
        else [run_command(command) for command in block["commands"]]
        for block in json.load(sys.stdin)
    ]
    json.dump(outputs, sys.stdout)


if __name__ == "__main__":
    main()
