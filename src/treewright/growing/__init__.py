"""Growing a tree from a table: impurities, the grower, and its exact reference."""
