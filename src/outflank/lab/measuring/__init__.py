"""Measurements: searches, games, functions and data structures as samples."""
