"""Certificates of solved positions: how they are found, written down, and checked by rules of their own."""
