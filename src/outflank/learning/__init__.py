"""Learning the weights of an evaluation from positions with known values."""
