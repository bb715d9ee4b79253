"""`outflank show`, `games`, `convert` and `review`: positions and games in files."""
