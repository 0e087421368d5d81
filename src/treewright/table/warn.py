"""Warnings that point at the caller's own line."""

import sys
import warnings

__all__ = ["warn"]


def warn(message: str, category: type[Warning]) -> None:
    """Warn, naming the line outside treewright that led here.

    Parameters
    ----------
    message : str
        What to say.
    category : type of Warning
        Its class.
    """
    level, frame = 1, sys._getframe(0)
    while frame.f_back and frame.f_globals["__name__"].startswith("treewright."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
