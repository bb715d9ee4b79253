"""`outflank solve` and `outflank proof`."""
