"""The report: a tree, its evidence and its rules as one page that needs no network."""
