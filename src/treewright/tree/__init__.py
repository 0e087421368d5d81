"""The tree as one flat, immutable value, and the functions that work on it."""
