"""Learning: weights of an evaluation from positions whose values are known."""
