"""Replay: recorded searches scheduled on any number of simulated workers, and the costs of sharing work."""
