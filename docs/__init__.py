"""The documentation: what is read, and what builds it."""
