"""Positions that were there before: a player does not come back to them where it can help it, unless it stands badly.

A search knows a position, not the game that led to it, so two moves there and back look as good to it as they did the
first time, and a game that it should win ends as a draw. What is done about it is done at the root: a move that draws
the game is worth it to who is behind by more than such a search is wrong by, and one that repeats a position is not
made by others if another is nearly as good. Values alone would not do: those of odd and even depths differ so much that
of two players each may take itself for the one who should be content with a draw.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from outflank.boards import Board, Move
from outflank.games.rules import ENDLESS_GAME, MOVE, play
from outflank.search.results import MoveValue


def repeating(board: Board[Any]) -> dict[Move, bool]:
    """The moves after which a position is there again, and whether that draws the game."""
    if board.moves_left < ENDLESS_GAME:  # each move uses something up
        return {}
    # Positions are seen by the side to move: only every other one can be there again.
    seen = set(board.positions[::-2])
    again = (move for move in board.legal_moves if seen and play(board.game, board.position, MOVE(move.code)) in seen)
    return {move: _draws(board, move) for move in again}


def _draws(board: Board[Any], move: Move) -> bool:
    after = board.copy()
    after.push(move)
    outcome = after.outcome()
    return outcome is not None and outcome.winner is None


def preferred(moves: Sequence[MoveValue], repeats: Mapping[Move, bool], *, near: int, unsure: int) -> MoveValue:
    """The move to make of those that have values, of which the first is the best.

    `near` is how far off is nearly as good, `unsure` what values may be wrong by.
    """
    worth = [MoveValue(move=each.move, value=-unsure) if repeats.get(each.move) else each for each in moves]
    best = max(worth, key=lambda each: each.value)  # the first of equal ones
    if best.value <= -unsure or best.move not in repeats:
        return best
    others = [each for each in worth if each.move not in repeats and each.value >= best.value - near]
    return max(others, key=lambda each: each.value, default=best)
