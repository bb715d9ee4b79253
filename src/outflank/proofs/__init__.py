"""Certificates of solved positions: finding, writing, and checking them with a second implementation of the rules."""
