"""Abalone: marbles that push each other off a hexagon."""
