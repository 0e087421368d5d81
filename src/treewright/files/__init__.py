"""Data files: one reader per format, all of which give the same kind of content."""
