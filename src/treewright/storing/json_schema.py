"""The JSON schema of the model file, made from the shapes that the loader checks."""

from __future__ import annotations

from typing import Any

from treewright.storing.head import FILE, VERSION

__all__ = ["json_schema"]


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of the model file; the package ships it as a file.

    Returns
    -------
    dict
        A schema of draft 2020-12. It allows every valid model file; the loader checks
        more, such as the order of fields and the shape of the tree.
    """
    schema = FILE.schema()
    schema["properties"]["checksum"] = {
        "type": "string",
        "pattern": "^sha256:[0-9a-f]{64}$",
        "description": "SHA-256 of all bytes before the line with the checksum, with "
        "line feeds as line ends.",
    }
    schema["required"].append("checksum")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"treewright model file, version {VERSION}",
        **schema,
    }
