"""Searches of a recording on a simulated cluster of any size."""
