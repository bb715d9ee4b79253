"""`outflank train`: learning of evaluations."""
