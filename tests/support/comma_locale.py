"""A locale with decimal commas."""

import shutil
import subprocess

import pytest

COMMA_LOCALE = "de_DE.UTF-8"


def make_comma_locale(folder):
    """Write the locale COMMA_LOCALE into a folder, which LOCPATH then has to name."""
    tool = shutil.which("localedef")
    if tool:
        make = [tool, "-i", "de_DE", "-f", "UTF-8", str(folder / COMMA_LOCALE)]
        subprocess.run(make, check=False, capture_output=True)
    if not (folder / COMMA_LOCALE / "LC_NUMERIC").exists():
        pytest.skip(
            "SKIPPED LOUDLY: no locale with decimal commas; apt install locales"
        )
