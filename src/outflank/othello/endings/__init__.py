"""Othello's exact endings: the last dozen moves by special kernels.

From the end backwards: `last_moves` has a function for each number of empty squares from one to four, `shallow` goes up
to six and `fastest_first` above, each in a null window; `exact_values` registers them for searches
(`games/endings.py`). They use `flipping` and `stability`; the tables that all of these read are in the record of
`workspace`.
"""
