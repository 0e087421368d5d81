"""Escaping, so that any text is safe inside XML and HTML."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["xml"]

_XML: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
)
# XML cannot represent these characters, not even escaped.
_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml(text: str) -> str:
    """Return text escaped for an element or attribute of XML or HTML.

    Examples
    --------
    >>> xml('</script> & "co"')
    '&lt;/script&gt; &amp; &quot;co&quot;'
    """
    return _ILLEGAL.sub("\ufffd", text).translate(_XML)
