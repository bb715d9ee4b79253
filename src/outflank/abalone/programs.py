"""Settings of the published report 003's Abalone program: its search, its parallel scheme, and the moves that it plays
without searching."""

from outflank.abalone.board import AbaloneBoard
from outflank.abalone.geometry import cell_name
from outflank.boards import Board, Move
from outflank.games.defaults import ReadyMoves, ReportProgram

OPENING = ("A1B2", "B1C2"), ("I9H8", "H9G8")
"""The first two moves of black and of white from the standard layout, towards the centre. A deep search found them."""

MIRRORED_PLIES = 12


def next_of_opening(board: Board) -> Move | None:
    """Return the next of a side's two `OPENING` moves, which take no time to find (an idea of report 003).

    Return None if the move is not legal or the game did not begin with the standard layout.
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


def mirrored(board: Board) -> Move | None:
    """Return the opponent's last move rotated by 180° (another idea of report 003).

    Return None if the rotated move is not legal, or after `MIRRORED_PLIES` plies.
    """
    if board.ply > MIRRORED_PLIES or not board.moves:
        return None
    target_cells = _rotated_cells(board.moves[-1])
    return next((move for move in board.legal_moves if _cells(move) == target_cells), None)


def _cells(move: Move) -> tuple[str, ...]:
    """Return the cells that a move's text names."""
    text = str(move).upper()
    return tuple(text[place : place + 2] for place in range(0, len(text), 2))


def _rotated_cells(move: Move) -> tuple[str, ...]:
    """Return the cells that a move's text names, rotated by 180° about the centre, E5."""
    return tuple(cell_name((8 - (ord(cell[0]) - ord("A")), 8 - (int(cell[1]) - 1))).upper() for cell in _cells(move))


READY_MOVES = {
    "fixed-opening": ReadyMoves(why="opening", choose=next_of_opening),
    "mirror": ReadyMoves(why="mirror", choose=mirrored),
}


PROGRAM_003 = ReportProgram(
    # Moves are ordered by kind at every depth, and every root move is searched with a full window. The report says that
    # the program walks the generated list backwards, but its node counts match this order.
    search={
        "algorithm": "alphabeta",
        "evaluation": "rings",
        "ordering": "kinds:from_depth=1",
        "table_bits": None,
        "deepen": False,
        "share_alpha": False,
    },
    shared={"parallel": "root-split", "schedule": "one"},
    plays={"policy": "adaptive-003", "habits": ("cache", "fixed-opening")},
)

PROGRAMS = {"003": PROGRAM_003}
