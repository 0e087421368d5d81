"""What a file is that is not a model file: a message that names it."""

from __future__ import annotations

import re

from treewright.errors import TreeFormatError
from treewright.storing.head import FORMAT, VERSION

__all__ = ["check_is_model", "looks_like"]

_HEAD = re.compile(
    rb'\{\r?\n"format": "%s",\r?\n"version": ([0-9]{1,9}),\r?\n'
    rb'(?:"written_by": "treewright ([0-9A-Za-z.+-]{1,40})",)?' % FORMAT.encode()
)
_LOOKED_AT = 4096

_STARTS = (
    (b"\x80[\x02-\x05]", "a pickle"),
    (rb"PK\x03\x04|PK\x05\x06", "a zip archive (or an Excel or .npz file)"),
    (rb"\x1f\x8b", "a gzip file"),
    (rb"\x28\xb5\x2f\xfd", "a zstandard file"),
    (rb"BZh[1-9]", "a bzip2 file"),
    (rb"\xfd7zXZ\x00", "an xz file"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (rb"Rar!", "a rar archive"),
    (rb"\x89PNG", "a PNG picture"),
    (rb"\xff\xd8\xff", "a JPEG picture"),
    (rb"GIF8[79]a", "a GIF picture"),
    (rb"RIFF....WEBP", "a WebP picture"),
    (rb"BM.{4}\x00\x00", "a BMP picture"),
    (rb"II\*\x00|MM\x00\*", "a TIFF picture"),
    (rb"%PDF", "a PDF document"),
    (rb"%!PS", "a PostScript document"),
    (rb"PAR1", "a Parquet file"),
    (rb"ARROW1|FEA1", "an Arrow or Feather file"),
    (rb"SQLite format 3", "a SQLite database"),
    (rb"\x89HDF", "an HDF5 file"),
    (rb"\x93NUMPY", "a NumPy array file"),
    (rb"Obj\x01", "an Avro file"),
    (rb"ORC", "an ORC file"),
    (rb"\xd0\xcf\x11\xe0", "an old Excel or Word file"),
    (rb"RDX[23]\n|[AX]\n\x00", "an R data file"),
    (rb"\x7fELF|MZ|\xcf\xfa\xed\xfe", "a program"),
    (rb"\xff\xfe|\xfe\xff", "UTF-16 text"),
    (rb"\s*<!doctype html|\s*<html", "an HTML page"),
    (rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?<svg", "an SVG picture"),
    (rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?<PMML", "a PMML model"),
    (rb"\s*<\?xml", "an XML file"),
    (rb"#!", "a script"),
    (rb"tree\nversion=", "a LightGBM model"),
    (rb'\s*\{\s*"learner"', "an XGBoost model in JSON"),
    (rb"\{L", "a UBJSON file, perhaps an XGBoost model"),
    (rb"version https://git-lfs", "a Git LFS pointer: run git lfs pull"),
    (rb"(digraph|graph) ", "a Graphviz drawing"),
    (rb"flowchart |graph (TD|LR)", "a Mermaid drawing"),
    (rb"\s*[\[{]", "JSON of another kind"),
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
        raise TreeFormatError(
            f"It is not a treewright model file; it looks like {looks_like(data)}."
        )
    version = int(head[1])
    if version > VERSION:
        writer = head[2].decode() if head[2] else ""
        install = f"'treewright>={writer}'" if writer else "--upgrade treewright"
        raise TreeFormatError(
            f"It has version {version} of the format, and this treewright reads "
            f"versions up to {VERSION}. Install a newer one: pip install {install}"
        )


def looks_like(data: bytes) -> str:
    """Return what a file seems to be, by its first bytes.

    Parameters
    ----------
    data : bytes
        The file, or its start.

    Returns
    -------
    str
        A noun with its article.
    """
    start = data[:_LOOKED_AT]
    if not start:
        return "an empty file"
    text = start.removeprefix(b"\xef\xbb\xbf")
    if re.match(rb'\s*\{\s*"format"\s*:\s*"%s"' % FORMAT.encode(), text):
        return "one that was cut short, or laid out anew by another program"
    for pattern, name in _STARTS:
        if re.match(pattern, text, re.IGNORECASE | re.DOTALL):
            return name
    if start[257:262] == b"ustar":
        return "a tar archive"
    return _text_or_binary(text, whole=len(data) <= _LOOKED_AT)


def _text_or_binary(start: bytes, *, whole: bool) -> str:
    if not start.strip(b"\x00"):
        return "nothing but zero bytes"
    if b"\x00" in start:
        return "binary data"
    try:
        # The end may cut a character in two.
        text = (start if whole else start[:-4]).decode(
            errors="strict" if whole else "ignore"
        )
    except UnicodeDecodeError:
        return "text that is not UTF-8, or binary data"
    lines = [line for line in text.splitlines()[:-1] if line.strip()]
    for mark, name in ((",", "CSV"), (";", "CSV"), ("\t", "TSV")):
        counts = {line.count(mark) for line in lines[:5]}
        if lines and len(counts) == 1 and counts != {0}:
            return f"a {name} file"
    return "text"
