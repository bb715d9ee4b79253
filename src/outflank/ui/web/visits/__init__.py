"""Connections: what each asks, has under way, and is told."""
