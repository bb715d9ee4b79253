"""Othello's endgame solver: special kernels for the last dozen moves.

`last_moves` solves positions with up to six empty squares, and `fastest_first` positions with more empty squares, both
in null windows. `exact_values` registers them for exact searches (`games/endings.py`). They use `flipping` and
`stability`, and read tables in a `workspace` record.
"""
