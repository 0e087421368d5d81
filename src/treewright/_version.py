"""The version, written down once: the build and the package both read it here."""

__version__ = "0.1.0.dev0"
