"""Positions to learn from: of played games, some moves off them, or of games that the learner plays itself.

Who plays well leaves bad positions out, and a search that asks how bad a move is looks at little else. So most
positions are some moves away from a game, and there one side, or both, plays moves that were drawn by lot.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.games.evaluation import begin, value
from outflank.games.rules import fill, is_pass, most_moves, moves_left, pack, play
from outflank.kernels.compiler import inner, kernel

AWAY = (0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 6, 6, 9, 9)
"""How many moves a position is away from its game, each as likely as another."""

NOISE = 1.0, 6.0
"""The least and the largest standard deviation, in the game's unit, of what is added to the value of a move before the
best is chosen."""

FIRST, SECOND, BOTH, NEITHER = range(4)
"""Who draws lots away from a game."""


@inner
def _best(game: Any, evaluation: Any, position: Any, moves: Any, end: Any, noise: Any) -> Any:
    """The move with the highest value after it, values being changed by `noise`."""
    best, found = moves[0], -1e9
    for index in range(end):
        child = play(game, position, moves[index])
        worth = noise[index % len(noise)] - value(evaluation, game, child, begin(evaluation, game, child))
        if worth > found:
            best, found = moves[index], worth
    return best


@kernel
def _walk(
    game: Any,
    evaluation: Any,
    start: Any,
    lines: Any,
    chosen: Any,
    away: Any,
    wild: Any,
    left: Any,
    lots: Any,
    noise: Any,
    moves: Any,
    boards: Any,
) -> None:
    """Fill `boards` with the positions that have `left` moves left; a game that never comes to one leaves zeros."""
    for row in range(len(chosen)):
        position, ply, side = start, 0, 0
        while True:
            end = fill(game, position, moves, 0)
            if end == 0:
                break
            here = moves_left(game, position)
            move = moves[0]
            if end > 1 or not is_pass(game, move):
                if here == left:
                    boards[row, 0], boards[row, 1] = pack(game, position)
                    break
                if here > left + away[row]:
                    move = lines[chosen[row], ply]
                    ply += 1
                    legal = False
                    for index in range(end):
                        legal = legal or moves[index] == move
                    if not legal:
                        break
                elif wild[row] == BOTH or wild[row] == side or away[row] <= 2:
                    move = moves[int(lots[row, here - left - 1] * end)]
                else:
                    move = _best(game, evaluation, position, moves, end, noise[row])
            position = play(game, position, move)
            side = 1 - side


def positions(
    game: Any,
    evaluation: Any,
    points: int,
    start: Any,
    left: int,
    *,
    count: int,
    seed: int,
    lines: npt.NDArray[np.uint16] | None = None,
) -> npt.NDArray[np.uint64]:
    """Up to `count` positions with `left` moves left, as `pack` has them.

    `lines` are the moves of games, without passes; None: games are played from the start. Where a side does not draw
    lots it makes the best move by `evaluation`, `points` to the unit, as well as it sees it.
    """
    draw = np.random.default_rng(seed)
    everything = int(moves_left(game, start))
    away = draw.choice(AWAY, count) if lines is not None else np.full(count, everything, np.int64)
    noise = draw.uniform(*NOISE, (count, 1)) * points * draw.normal(size=(count, 8))
    boards = np.zeros((count, 2), np.uint64)
    _walk(
        game,
        evaluation,
        start,
        np.zeros((1, 1), np.uint16) if lines is None else lines,
        draw.integers(1 if lines is None else len(lines), size=count),
        away,
        draw.integers(BOTH + 1 if lines is not None else NEITHER + 1, size=count),
        left,
        draw.random((count, everything)),
        noise,
        np.zeros(int(most_moves(game)), np.uint16),
        boards,
    )
    return boards[boards.any(axis=1)]
