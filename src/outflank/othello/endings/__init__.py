"""Othello's exact endings: the last dozen of moves by kernels of their own.

From the end backwards: `last_moves` has a function for each number of empty squares from one to four, `shallow` goes up
to six and `fastest_first` above, each in a null window; `values` makes of them what a search is offered
(`games/endings.py`). Below them are `flipping` and `stability`; the tables that all of these read are in the record of
`workspace`.
"""
