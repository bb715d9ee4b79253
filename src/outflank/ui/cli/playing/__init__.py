"""`outflank play`, `match`, `engine` and `serve`: games against people, programs and browsers."""
