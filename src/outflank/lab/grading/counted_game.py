"""Othello that counts the moves played in it: what a submission does is counted, not what it says of itself.

Submissions are given these rules where they run in the interpreter. A search enters a node for each move that it plays,
and one more, the root.
"""

from typing import NamedTuple

import numpy as np

from outflank.games import rules
from outflank.othello.rules import Othello


class CountedOthello(NamedTuple):
    """Rules of Othello whose moves are counted in `PLAYED`. The fields are those of `Othello`."""

    mask: np.uint64
    scoring: int


PLAYED = [0]
"""Number of moves played so far, by all threads of this process."""


def _plain(game: CountedOthello) -> Othello:
    return Othello(game.mask, game.scoring)


@rules.play.register(CountedOthello)
def _(game, position, move):
    PLAYED[0] += 1
    return rules.play(_plain(game), position, move)


@rules.most_moves.register(CountedOthello)
def _(game):
    return rules.most_moves(_plain(game))


@rules.fill.register(CountedOthello)
def _(game, position, moves, start):
    return rules.fill(_plain(game), position, moves, start)


@rules.count.register(CountedOthello)
def _(game, position):
    return rules.count(_plain(game), position)


@rules.is_pass.register(CountedOthello)
def _(game, move):
    return rules.is_pass(_plain(game), move)


@rules.moves_left.register(CountedOthello)
def _(game, position):
    return rules.moves_left(_plain(game), position)


@rules.over.register(CountedOthello)
def _(game, position):
    return rules.over(_plain(game), position)


@rules.score.register(CountedOthello)
def _(game, position):
    return rules.score(_plain(game), position)


@rules.pack.register(CountedOthello)
def _(game, position):
    return rules.pack(_plain(game), position)


@rules.unpack.register(CountedOthello)
def _(game, first, second):
    return rules.unpack(_plain(game), first, second)
