"""`outflank lab` and `outflank bench`."""
