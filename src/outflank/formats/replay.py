"""Games played again: whether every move is legal, where a side had to pass, and how it ended.

A file may hold many thousand games: a kernel plays them. As long as they are few the interpreter
runs it, for loading the compiler takes longer than they do.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outflank.games.description import description_of
from outflank.games.rules import MOVE, fill, is_pass, most_moves, over, pack, play, score, unpack
from outflank.games.sides import Side
from outflank.kernels.compiler import kernel

NO_MOVE = 0xFFFF

MOVES_INTERPRETED = 6000
"""Moves of a process before the compiler is loaded. Interpreted, a game of 60 takes 5 ms (of Abalone 20 ms), compiled
some 10 µs; loading the compiler takes a third of a second, compiling, once, a few seconds."""

_moves_begun = 0


@kernel
def follow(game: Any, position: Any, wanted: Any, moves: Any, found: Any, end: Any) -> Any:
    """Play, of each row of `wanted`, the first move that is legal; write what was played to `found`.

    Where a side can only pass and the row says otherwise, the pass is put in. `moves` is room for the legal
    moves; `end` gets the last position's words. Returns how many moves were played, how many rows, whether the
    game is over, and its score for the side to move.
    """
    length = 0
    row = 0
    while row < len(wanted):
        legal = fill(game, position, moves, np.int64(0))
        if legal == 1 and is_pass(game, moves[0]) and wanted[row, 0] != moves[0]:
            found[length] = moves[0]
            length += 1
            position = play(game, position, moves[0])
            legal = fill(game, position, moves, np.int64(0))
        chosen = -1
        for choice in range(wanted.shape[1]):
            for index in range(legal):
                if chosen < 0 and moves[index] == wanted[row, choice]:
                    chosen = index
        if chosen < 0:
            break
        found[length] = moves[chosen]
        length += 1
        position = play(game, position, moves[chosen])
        row += 1
    finished = over(game, position)
    end[0], end[1] = pack(game, position)
    return length, row, finished, score(game, position) if finished else 0


@follow.sample
def _sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    yield game, position, *_room(game, np.full((1, 1), NO_MOVE, MOVE))


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What came of playing a list of moves."""

    codes: list[int]
    """The moves played, passes included."""
    rows: int
    """How many of the moves given were played: fewer than given if the next one is not legal."""
    finished: bool
    """Whether the game is over then."""
    score: int
    """What black has won if it is: the discs, or the marbles it is ahead."""


def replay(game: Any, position: Any, turn: Side, wanted: NDArray[np.uint16]) -> Replay:
    """Play the moves of `wanted`, a row each with all codes that could be meant, unused places being `NO_MOVE`."""
    room = _room(game, wanted)
    played = follow.py_func if _is_interpreted(len(wanted)) else follow
    length, rows, finished, result = (int(number) for number in played(game, position, *room))
    _, _, found, end = room
    sign = 1 if (turn is Side.BLACK) == (length % 2 == 0) else -1
    if finished:
        result = description_of(game).recorded_score(game, unpack(game, end[0], end[1]), result)
    return Replay(codes=found[:length].tolist(), rows=rows, finished=bool(finished), score=sign * result)


def _is_interpreted(moves: int) -> bool:
    """Whether so many moves more are better interpreted."""
    global _moves_begun
    _moves_begun += 1 + moves  # racy on purpose: a game that is not counted is played all the same
    return _moves_begun <= MOVES_INTERPRETED


def column(codes: Iterable[int]) -> NDArray[np.uint16]:
    """Moves with one meaning each, as `replay` takes them."""
    return np.fromiter(codes, MOVE).reshape(-1, 1)


def _room(game: Any, wanted: NDArray[np.uint16]) -> tuple[NDArray[Any], ...]:
    return wanted, np.zeros(most_moves(game), MOVE), np.zeros(2 * len(wanted) + 1, MOVE), np.zeros(2, np.uint64)
