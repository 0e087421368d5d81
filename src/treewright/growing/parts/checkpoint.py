"""A fit that goes on where its driver died.

A tree from rows in parts is a function of the replies to its requests, and the same
rows and options give the same requests. So the driver writes every merged reply to a
file; a second fit reads them back instead of asking the parts, as long as it puts the
same questions, and then goes on.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Sequence
from pathlib import Path

from treewright._version import __version__
from treewright.errors import OptionError
from treewright.growing.parts.protocol import Parts, Rows

__all__ = ["Checkpointed"]

_DIGEST = 16
_HEAD = b"treewright checkpoint 1\n"


class Checkpointed:
    """Parts whose replies are kept in a file; see `Parts`.

    A record is written and flushed to the disk before its reply is used. It holds its
    length and digests of the request and of itself: one that was cut short when the
    driver died is dropped, so the file is whole after every request.

    Parameters
    ----------
    parts : Parts
        The rows.
    path : path
        The file; it is made if it is not there.
    identity : bytes
        Stands for the data and the options. A file of other ones is refused.
    """

    def __init__(self, parts: Parts, path: str | os.PathLike[str], identity: bytes):
        self._parts = parts
        self._path = Path(path)
        head = _HEAD + _digest(__version__.encode(), identity)
        self._known = self._read(head)
        self.n_known = len(self._known)

    def ask(self, kernel: str, request: bytes) -> bytes:
        """Return the merged reply of all parts, from the file if it is there."""
        asked = _digest(kernel.encode(), request)
        if self._known:
            kept, reply = self._known.pop(0)
            if kept != asked:
                raise self._other()
            return zlib.decompress(reply)
        answer = self._parts.ask(kernel, request)
        self._write(asked, zlib.compress(answer, 1))
        return answer

    def gather(self, node: int, homes: Sequence[int], request: bytes) -> Rows:
        """Return the rows of one node; they are not kept."""
        return self._parts.gather(node, homes, request)

    def finish(self) -> None:
        """Remove the file: the tree is grown."""
        self._path.unlink(missing_ok=True)

    def _write(self, asked: bytes, reply: bytes) -> None:
        size = len(reply).to_bytes(8, "little")
        with self._path.open("ab") as file:
            file.write(size + asked + _digest(size, asked, reply) + reply)
            file.flush()
            os.fsync(file.fileno())

    def _read(self, head: bytes) -> list[tuple[bytes, bytes]]:
        """Return the records of the file, and drop one that was cut short."""
        content = self._path.read_bytes() if self._path.exists() else b""
        whole = len(head)
        if len(content) < whole and head.startswith(content):
            self._path.write_bytes(head)
            return []
        if not content.startswith(_HEAD):
            raise OptionError(
                "checkpoint must be a new file or one that a fit has left; "
                f"{self._path} is something else."
            )
        if content[:whole] != head:
            raise self._other()
        found = []
        while len(content) >= whole + 8 + 2 * _DIGEST:
            size, asked = content[whole : whole + 8], content[whole + 8 :][:_DIGEST]
            begin = whole + 8 + 2 * _DIGEST
            reply = content[begin : begin + int.from_bytes(size, "little")]
            if content[begin - _DIGEST : begin] != _digest(size, asked, reply):
                break
            found.append((asked, reply))
            whole = begin + len(reply)
        os.truncate(self._path, whole)
        return found

    def _other(self) -> OptionError:
        return OptionError(
            f"The checkpoint {self._path} was written by a fit with other data, other "
            "options or another version of treewright. Remove the file, or name "
            "another one."
        )


def _digest(*parts: bytes) -> bytes:
    digest = hashlib.blake2b(digest_size=_DIGEST)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.digest()
