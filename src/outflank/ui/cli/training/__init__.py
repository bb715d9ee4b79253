"""`outflank train`: learn evaluations."""
