"""Simulation of clusters of any size, from a search that was recorded on one node."""
