"""Text that is safe inside XML, HTML and scripts, whatever it says."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["xml"]

_XML: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
)
# XML has no form for these, not even an escaped one.
_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml(text: str) -> str:
    """Return text for an element or an attribute of XML or HTML.

    Examples
    --------
    >>> xml('</script> & "co"')
    '&lt;/script&gt; &amp; &quot;co&quot;'
    """
    return _ILLEGAL.sub("\ufffd", text).translate(_XML)
