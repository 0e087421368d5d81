"""Warnings that point at the caller's own line."""

import sys
import warnings

__all__ = ["warn"]


def warn(message: str, category: type[Warning]) -> None:
    """Warn, and show the line outside treewright that led here.

    Parameters
    ----------
    message : str
        The message.
    category : type of Warning
        The class of the warning.
    """
    level, frame = 1, sys._getframe(0)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(
        "treewright."
    ):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
