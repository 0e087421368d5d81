"""What a file is that is not a model file: a message that names it."""

from __future__ import annotations

import re

from treewright.errors import TreeFormatError
from treewright.storing.head import FORMAT, VERSION

__all__ = ["check_is_model"]

_HEAD = re.compile(
    rb'\{\r?\n"format": "%s",\r?\n"version": ([0-9]{1,9}),\r?\n'
    rb'(?:"written_by": "treewright ([0-9A-Za-z.+-]{1,40})",)?' % FORMAT.encode()
)


def check_is_model(data: bytes) -> None:
    """Refuse a file that is not a model file, or is one of a newer version.

    Parameters
    ----------
    data : bytes
        The whole file.

    Raises
    ------
    TreeFormatError
        The message names what the file looks like, or the version to install.
    """
    head = _HEAD.match(data)
    if head is None:
        raise TreeFormatError("It is not a treewright model file.")
    version = int(head[1])
    if version > VERSION:
        writer = head[2].decode() if head[2] else ""
        install = f"treewright>={writer}" if writer else "--upgrade treewright"
        raise TreeFormatError(
            f"It has version {version} of the format, and this treewright reads "
            f"versions up to {VERSION}. Install a newer one: pip install '{install}'."
        )
