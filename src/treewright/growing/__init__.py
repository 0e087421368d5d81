"""From a table to a tree: impurities, the grower and its slow, exact reference."""
