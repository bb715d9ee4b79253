"""`outflank doctor`, `warm`, `plugins` and `cluster`: this installation and its machines."""
