"""`outflank book`: opening books."""
