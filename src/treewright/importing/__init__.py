"""Trees of other programs become trees of treewright."""
