"""Rules of Othello that count the moves played, so that no check relies on a submission's own counts.

Submissions get these rules when they run in the interpreter. The number of nodes that a search enters is the number of
moves that it plays, plus one for the root.
"""

from collections.abc import Callable
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


def _forward(rule: Callable[..., object]) -> Callable[..., object]:
    def forwarded(game: CountedOthello, *arguments: object) -> object:
        return rule(_plain(game), *arguments)

    return forwarded


# All other rules are those of Othello. A closure is enough because these rules are never compiled.
for _rule in (
    rules.most_moves,
    rules.fill,
    rules.count,
    rules.is_pass,
    rules.moves_left,
    rules.over,
    rules.score,
    rules.pack,
    rules.unpack,
):
    _rule.register(CountedOthello, _forward(_rule))
