"""The encoding of one game for programs that learn: positions as planes of bits, moves as numbers of actions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # neither is needed to describe a game
    import numpy as np
    import numpy.typing as npt

    from outflank.boards.board import Board
    from outflank.games.rules import Game


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """How the positions and moves of one game become arrays and actions."""

    cells: "Callable[[Game], npt.NDArray[np.integer]] | None" = None
    """Returns an array in the shape of the board with the bit of each cell, which must be the same in both words of
    `rules.pack`; -1: no cell. None: the planes are the 64 bits of each word."""
    move_codes: "Callable[[Game], int]" = lambda game: 1 << 16
    """Returns the number of possible move codes: one more than the largest."""
    openspiel_name: str = ""
    """The name of the game of OpenSpiel that has the same rules, the same start and the same numbers of actions, under
    default options; empty: there is none."""
    most_plies: "Callable[[Board], int | None]" = lambda board: None
    """Returns the largest number of plies that can follow on a board; None: the number follows from
    `rules.moves_left`."""
