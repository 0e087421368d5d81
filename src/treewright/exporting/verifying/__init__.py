"""Run an export in its own engine, and compare its answers with those of the tree."""
