"""A tree as source code without dependencies: one file per programming language."""
