"""`outflank lab` and `outflank bench`: experiments, and the node count of a fixed set of searches."""
