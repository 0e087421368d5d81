"""The model file: writing a tree to disk, and reading it back with every check."""
