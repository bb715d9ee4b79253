"""Replays games from their moves: checks that every move is legal, inserts forced passes, and finds the result.

A file may hold many thousand games, so a kernel replays them. The first few games are interpreted, since loading the
compiler takes longer than interpreting them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outflank.formats.game_record import PlayedMove, Record, Setup
from outflank.games.description import description_of
from outflank.games.rules import MOVE, Game, Moves, Position, fill, is_pass, most_moves, over, pack, play, score, unpack
from outflank.games.sides import Side
from outflank.kernels.compiler import Samples, kernel

NO_MOVE = 0xFFFF

MOVES_INTERPRETED = 6000
"""Number of moves that a process interprets before it loads the compiler. A game of 60 moves takes 5 ms interpreted (20
ms in Abalone) and some 10 µs compiled. Loading the compiler takes a third of a second, and compiling, once, a few
seconds."""

_moves_begun = 0


@kernel
def follow(
    game: Game, position: Position, candidates: Moves, moves: Moves, played: Moves, end: NDArray[np.uint64]
) -> tuple[int, int, bool, int]:
    """Play, for each row of `candidates`, the first move that is legal; write the moves played to `played`.

    If a side can only pass and the row holds another move, a pass is inserted. `moves` is a buffer for legal moves, and
    `end` receives the packed last position. Return the number of moves played, the number of rows used, whether the
    game is over, and its score for the side to move.
    """
    length = 0
    row = 0
    while row < len(candidates):
        legal = fill(game, position, moves, np.int64(0))
        if legal == 1 and is_pass(game, moves[0]) and candidates[row, 0] != moves[0]:
            played[length] = moves[0]
            length += 1
            position = play(game, position, moves[0])
            legal = fill(game, position, moves, np.int64(0))
        selected = -1
        for choice in range(candidates.shape[1]):
            for index in range(legal):
                if selected < 0 and moves[index] == candidates[row, choice]:
                    selected = index
        if selected < 0:
            break
        played[length] = moves[selected]
        length += 1
        position = play(game, position, moves[selected])
        row += 1
    finished = over(game, position)
    end[0], end[1] = pack(game, position)
    return length, row, finished, score(game, position) if finished else 0


@follow.sample
def _sample(game: Game, position: Position, every: bool) -> Samples:
    yield game, position, *_room(game, np.full((1, 1), NO_MOVE, MOVE))


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Result of replaying a list of moves."""

    codes: list[int]
    """Codes of the moves played, passes included."""
    rows: int
    """Number of given moves that were played; fewer than all if the next one is illegal."""
    finished: bool
    """Whether the game is over after these moves."""
    score: int
    """Black's lead in discs or marbles at the end of a finished game."""


def replay(game: Game, position: Position, turn: Side, candidates: Moves) -> Replay:
    """Replay `candidates`, which has a row for each move: all codes that its text could mean, padded with `NO_MOVE`."""
    room = _room(game, candidates)
    run = follow.py_func if _is_interpreted(len(candidates)) else follow
    length, rows, finished, result = (int(number) for number in run(game, position, *room))
    _, _, codes, end = room
    sign = 1 if (turn is Side.BLACK) == (length % 2 == 0) else -1
    if finished:
        result = description_of(game).scores.recorded(game, unpack(game, end[0], end[1]), result)
    return Replay(codes=codes[:length].tolist(), rows=rows, finished=bool(finished), score=sign * result)


def played_record(start: Setup, played: Replay) -> Record:
    """Return the record of a game that was replayed from `start`, with its score if it is over."""
    return Record(
        start=start,
        moves=tuple(PlayedMove(code=code) for code in played.codes),
        score=float(played.score) if played.finished else None,
    )


def _is_interpreted(moves: int) -> bool:
    """Add `moves` to the number of moves so far; return whether these moves should be interpreted."""
    global _moves_begun
    _moves_begun += 1 + moves  # racy on purpose: a game that is not counted is still replayed
    return _moves_begun <= MOVES_INTERPRETED


def column(codes: Iterable[int]) -> Moves:
    """Return unambiguous moves as the array of candidates that `replay` takes."""
    return np.fromiter(codes, MOVE).reshape(-1, 1)


def _room(game: Game, candidates: Moves) -> tuple[NDArray[Any], ...]:
    return candidates, np.zeros(most_moves(game), MOVE), np.zeros(2 * len(candidates) + 1, MOVE), np.zeros(2, np.uint64)
