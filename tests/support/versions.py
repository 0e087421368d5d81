"""Versions of the packages that are installed here."""

from importlib.metadata import version

from packaging.requirements import Requirement


def missing_version(words):
    """Say which version is missing, or return an empty text."""
    need = Requirement(words)
    here = version(need.name)
    if need.specifier.contains(here, prereleases=True):
        return ""
    return f"NEEDS {words}; this is {need.name} {here}"
