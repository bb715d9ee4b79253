"""`outflank solve` and `outflank proof`: exact scores, and certificates that prove them."""
