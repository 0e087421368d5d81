"""The tree as text, frames and dicts."""
