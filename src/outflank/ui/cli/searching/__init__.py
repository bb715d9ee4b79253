"""`outflank search` and `outflank perft`: the best move, and the number of leaves."""
