"""What report 003's player does instead of searching: its opening, and its mirror."""

from typing import Any

from outflank.abalone.board import AbaloneBoard
from outflank.abalone.geometry import cell_name
from outflank.boards import Board, Move
from outflank.games.description import ReadyMoves

OPENING = ("A1B2", "B1C2"), ("I9H8", "H9G8")
"""Black's first two moves and white's, from the standard start: columns towards the centre, as a deep search of ours
found them."""

MIRRORED_PLIES = 12


def next_of_opening(board: Board[Any]) -> Move | None:
    """Report 003's idea: the first two moves are known, and take no time.

    The next of the two, as long as it is legal and the game began at the standard start.
    """
    if board.ply >= 4 or len(board.moves) != board.ply:
        return None
    start = board.copy()
    while start.moves:
        start.pop()
    if start != AbaloneBoard.start():
        return None
    text = OPENING[board.ply % 2][board.ply // 2]
    return next((move for move in board.legal_moves if str(move).upper() == text), None)


def mirrored(board: Board[Any]) -> Move | None:
    """Its other idea, for the opening: the opponent's last move as it looks from the other side, if it is legal."""
    if board.ply > MIRRORED_PLIES or not board.moves:
        return None
    wanted = _turned(board.moves[-1])
    return next((move for move in board.legal_moves if _cells(move) == wanted), None)


def _cells(move: Move) -> tuple[str, ...]:
    """The cells that a move's text names."""
    text = str(move).upper()
    return tuple(text[place : place + 2] for place in range(0, len(text), 2))


def _turned(move: Move) -> tuple[str, ...]:
    """The same, half a turn about the centre, E5."""
    return tuple(cell_name((8 - (ord(cell[0]) - ord("A")), 8 - (int(cell[1]) - 1))).upper() for cell in _cells(move))


READY_MOVES = {
    "fixed-opening": ReadyMoves(why="opening", choose=next_of_opening),
    "mirror": ReadyMoves(why="mirror", choose=mirrored),
}
