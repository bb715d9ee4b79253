"""Measurements of searches, games, functions and data structures, which return samples."""
