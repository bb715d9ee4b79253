"""Positions reached by play. Programs that tests start import this: it needs nothing of the tests."""

import numpy as np

from outflank.games import rules
from tests import entries


def legal(game, position) -> list[int]:
    buffer = np.zeros(rules.most_moves(game), rules.MOVE)
    return [int(move) for move in buffer[: entries.fill(game, position, buffer, 0)]]


def walk(game, position, seed: int, plies: int):
    """The position after some random moves, fewer if the game ends."""
    random = np.random.default_rng(seed)
    for _ in range(plies):
        moves = legal(game, position)
        if not moves:
            break
        position = entries.play(game, position, random.choice(moves))
    return position
