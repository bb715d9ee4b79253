"""Repeated positions: a player avoids them where it can, unless it stands badly.

A search knows a position, not the game that led to it: moving back and forth looks as good as the first time, and a
game that the player should win ends as a draw. The root handles this: a side that is behind by more than the search's
error takes a move that draws the game; otherwise the player does not repeat a position if another move is nearly as
good. Values alone would not do: values of odd and even depths differ so much that each of two players may believe that
it is the one that should be content with a draw.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from outflank.boards import Board, Move
from outflank.games.rules import ENDLESS_GAME, MOVE, play
from outflank.search.results import MoveValue


def repeating_moves(board: Board[Any]) -> dict[Move, bool]:
    """Return the moves that repeat a position, and for each whether it draws the game."""
    if board.moves_left < ENDLESS_GAME:  # each move uses something up, so that no position can return
        return {}
    # Positions are from the side to move's view: only every other one can recur.
    seen = set(board.positions[::-2])
    repeats = (move for move in board.legal_moves if seen and play(board.game, board.position, MOVE(move.code)) in seen)
    return {move: _draws(board, move) for move in repeats}


def _draws(board: Board[Any], move: Move) -> bool:
    after = board.copy()
    after.push(move)
    outcome = after.outcome()
    return outcome is not None and outcome.winner is None


def preferred_move(moves: Sequence[MoveValue], repeats: Mapping[Move, bool], *, near: int, unsure: int) -> MoveValue:
    """Return the move to make among the moves that have values; the best of these comes first.

    `near` is the difference up to which a value is nearly as good, `unsure` the error of the values.
    """
    worth = [MoveValue(move=entry.move, value=-unsure) if repeats.get(entry.move) else entry for entry in moves]
    best = max(worth, key=lambda entry: entry.value)  # the first of equal ones
    if best.value <= -unsure or best.move not in repeats:
        return best
    others = [entry for entry in worth if entry.move not in repeats and entry.value >= best.value - near]
    return max(others, key=lambda entry: entry.value, default=best)
