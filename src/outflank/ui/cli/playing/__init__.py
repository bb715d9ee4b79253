"""`outflank play`, `match`, `engine` and `serve`."""
