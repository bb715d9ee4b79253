"""Certificates of solved positions: finding, writing and checking them, with rules of their own."""
