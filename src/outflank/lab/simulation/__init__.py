"""Simulation of a recorded search on clusters of any size."""
