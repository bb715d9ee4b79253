"""Compiled loops over arrays of positions: moves, playing, results."""

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from outflank.games.rules import (
    MOVE,
    Game,
    Position,
    count,
    fill,
    is_legal,
    most_moves,
    nth_move,
    over,
    pack,
    play,
    score,
    unpack,
)
from outflank.kernels.compiler import Samples, kernel

Words: TypeAlias = npt.NDArray[np.uint64]
"""Packed positions, a row of two words for each (`rules.pack`)."""

NO_MOVE = 0xFFFF
"""The move code that leaves a position as it is, as in games that are over."""

BLACK, WHITE = 0, 1
"""The side to move, in the array `Positions.turns`."""


@kernel
def fill_rows(game, words, codes, starts):
    """Write the moves of all positions to `codes`, one position after another, and to `starts` where each begins."""
    end = 0
    for row in range(len(words)):
        starts[row] = end
        end = fill(game, unpack(game, words[row, 0], words[row, 1]), codes, end)
    starts[len(words)] = end


@kernel
def pick_rows(codes, starts, numbers, picked):
    """Write the move with the given number among the moves of each position, `NO_MOVE` where there are none; return the
    first row whose number is too small or too large, or -1."""
    wrong = -1
    for row in range(len(picked)):
        count = starts[row + 1] - starts[row]
        if count == 0:
            picked[row] = NO_MOVE
        elif 0 <= numbers[row] < count:
            picked[row] = codes[starts[row] + numbers[row]]
        elif wrong < 0:
            wrong = row
    return wrong


@kernel
def random_rows(game, words, fractions, codes, moves):
    """Write the move at a fraction (from 0, below 1) of the moves of each position; `NO_MOVE` where there are none.
    `moves` is overwritten."""
    for row in range(len(words)):
        position = unpack(game, words[row, 0], words[row, 1])
        choices = count(game, position)
        # Rounded, the product of a fraction and a large count could be the count.
        number = min(np.int64(fractions[row] * choices), choices - 1)
        codes[row] = NO_MOVE if choices == 0 else nth_move(game, position, number, moves)


@kernel
def illegal_row(game, words, codes, moves):
    """Return the first row whose move is neither legal nor `NO_MOVE`; -1: there is none. `moves` is overwritten."""
    for row in range(len(words)):
        if codes[row] != NO_MOVE:
            position = unpack(game, words[row, 0], words[row, 1])
            if not is_legal(game, position, codes[row], moves):
                return row
    return -1


@kernel
def play_rows(game, words, turns, codes):
    """Play a move in each position."""
    for row in range(len(words)):
        if codes[row] != NO_MOVE:
            position = play(game, unpack(game, words[row, 0], words[row, 1]), codes[row])
            words[row, 0], words[row, 1] = pack(game, position)
            turns[row] ^= 1


@kernel
def end_rows(game, words, turns, ended, scores):
    """Write whether each game is over, and black's score if it is."""
    for row in range(len(words)):
        position = unpack(game, words[row, 0], words[row, 1])
        if over(game, position):
            ended[row] = True
            own = score(game, position)
            scores[row] = own if turns[row] == BLACK else -own


@fill_rows.sample
def _fill_sample(game: Game, position: Position, every: bool) -> Samples:
    yield game, packed(game, [position]), np.zeros(most_moves(game), MOVE), np.zeros(2, np.int64)


@pick_rows.sample
def _pick_sample(game: Game, position: Position, every: bool) -> Samples:
    yield np.zeros(0, MOVE), np.zeros(2, np.int64), np.zeros(1, np.int64), np.zeros(1, MOVE)


@random_rows.sample
def _random_sample(game: Game, position: Position, every: bool) -> Samples:
    room = np.zeros(most_moves(game), MOVE)
    yield game, packed(game, [position]), np.zeros(1, np.float32), np.zeros(1, MOVE), room


@illegal_row.sample
def _illegal_sample(game: Game, position: Position, every: bool) -> Samples:
    yield game, packed(game, [position]), np.full(1, NO_MOVE, MOVE), np.zeros(most_moves(game), MOVE)


@play_rows.sample
def _play_sample(game: Game, position: Position, every: bool) -> Samples:
    yield game, packed(game, [position]), np.zeros(1, np.uint8), np.full(1, NO_MOVE, MOVE)


@end_rows.sample
def _end_sample(game: Game, position: Position, every: bool) -> Samples:
    yield game, packed(game, [position]), np.zeros(1, np.uint8), np.zeros(1, np.bool_), np.zeros(1, np.int32)


def packed(game: Game, positions: Iterable[Position]) -> Words:
    """Return positions as an array of words."""
    return np.array([pack(game, position) for position in positions], np.uint64).reshape(-1, 2)
