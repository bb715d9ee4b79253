"""`outflank search` and `outflank perft`."""
