"""Assignment 7: Abalone. The handout is docs/course/assignment-7.md."""

from typing import NamedTuple

from outflank.abalone.rules import Abalone
from outflank.games.evaluation import register_evaluation, value
from outflank.kernels.bits import popcount

ASSIGNMENT = 7


class Mine(NamedTuple):
    """Points of a marble."""

    marble: int


@value.register(Mine)
def _(evaluation, game, position, state):
    return evaluation.marble * (popcount(position.own) - popcount(position.opp))


EVALUATION = Mine(marble=100)
register_evaluation(Abalone, "mine", EVALUATION)


def order(game, position, moves):
    """Return the moves of a position, the most promising first."""
    return moves
