"""Model solution of assignment 7: marbles, closeness to the centre, and marbles that stand together."""

from typing import NamedTuple

from outflank.abalone.evaluation import RING
from outflank.abalone.rules import Abalone
from outflank.games.evaluation import register_evaluation, value
from outflank.games.rules import MOVE, play
from outflank.kernels.bits import popcount
from outflank.kernels.compiler import inner

ASSIGNMENT = 7

RING0, RING1, RING2, RING3, EDGE = RING


class Together(NamedTuple):
    """Points of a marble, and of each step towards the centre."""

    marble: int
    step: int


@inner
def steps(marbles):
    """Return the sum over marbles of the steps that they are away from the edge."""
    near = 4 * popcount(marbles & RING0) + 3 * popcount(marbles & RING1)
    return near + 2 * popcount(marbles & RING2) + popcount(marbles & RING3)


@value.register(Together)
def _(evaluation, game, position, state):
    marbles = popcount(position.own) - popcount(position.opp)
    return evaluation.marble * marbles + evaluation.step * (steps(position.own) - steps(position.opp))


EVALUATION = Together(marble=100, step=10)
register_evaluation(Abalone, "together", EVALUATION)


def order(game, position, moves):
    """Return the moves in the order of the positions after them, the worst for the opponent first."""

    def for_opponent(move):
        child = play(game, position, MOVE(move))
        return int(value(EVALUATION, game, child, ())), move

    return sorted(moves, key=for_opponent)
