"""An evaluation of your own: keep the corners, and otherwise keep your choices open."""

from typing import NamedTuple

import outflank
from outflank.games.evaluation import register_evaluation, value
from outflank.kernels.bits import popcount
from outflank.othello.evaluation import CORNERS, mobility_difference
from outflank.othello.rules import Othello


class Corners(NamedTuple):
    worth: int


@value.register(Corners)
def _(evaluation, game, position, state):
    corners = popcount(position.own & CORNERS) - popcount(position.opp & CORNERS)
    return evaluation.worth * corners + mobility_difference(game, position.own, position.opp)


register_evaluation(Othello, "corners", Corners(worth=12))

if __name__ == "__main__":
    board = outflank.Board.from_text("f5d6c3d3c4f4f6")
    found = outflank.search(board, depth=6, evaluation="corners", workers=1)
    print(found.move, found.value, found.nodes)
