"""One row: its path, and the smallest change of its answer."""
