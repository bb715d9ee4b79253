"""The description of Abalone, through which the rest of the package uses the game."""

from functools import partial
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from outflank.abalone.board import AbaloneBoard, AbaloneMove
from outflank.abalone.evaluation import EVALUATIONS
from outflank.abalone.formats.move_text import ends
from outflank.abalone.formats.notation import NOTATION
from outflank.abalone.geometry import (
    BIT,
    BOARD,
    CENTRE,
    DIRECTIONS,
    SPIRAL,
    Cell,
    board,
    cell_name,
    cells,
    centre_of,
    on_board,
    stepped,
)
from outflank.abalone.layouts import LAYOUTS, RULES, row_cells
from outflank.abalone.orderings import DEFAULT_ORDERING, ORDERINGS
from outflank.abalone.patterns import LEARNING, LEARNT, default_evaluation
from outflank.abalone.positions import POSITIONS, SETS
from outflank.abalone.programs import PROGRAMS, READY_MOVES
from outflank.abalone.rules import Abalone, AbalonePosition, Kind, encoded
from outflank.boards.board import Board, Move
from outflank.errors import InvalidPosition
from outflank.games.defaults import LabDefaults, Level, PlayDefaults, SearchDefaults
from outflank.games.description import GameDescription, GameOption, Variants
from outflank.games.encoding import Encoding
from outflank.games.presentation import Gesture, Place, Presentation, Tabletop, TerminalColours
from outflank.games.scores import Scores
from outflank.games.sides import Side

ROWS = tuple(range(8, -1, -1))
"""Numbers of the rows, from the top of the drawn board to the bottom."""

CELLS = tuple(cell for row in ROWS for cell in row_cells(row))


PLACES = tuple(Place(cell_name(cell), ROWS.index(cell[0]), *centre_of(cell)) for cell in CELLS)

WAYS = tuple(centre_of((CENTRE[0] + row, CENTRE[1] + column)) for row, column in DIRECTIONS)
"""Vector (x, y) of a step on the drawn board, for each direction."""


def tabletop(game: Abalone) -> Tabletop:
    """Return how user interfaces draw the board, and the gestures that make moves. They are the same for all rules."""
    return Tabletop(
        shape="hexagons",
        places=PLACES,
        pieces=_pieces,
        gesture=_gesture,
        counts=_taken,
        counted_unit="marbles taken",
        board_from_pieces=_board_from_pieces,
    )


def _pieces(board: Board) -> str:
    own, opp = cells(board.position.own), cells(board.position.opp)
    black, white = (own, opp) if board.turn is Side.BLACK else (opp, own)
    return "".join("X" if cell in black else "O" if cell in white else "." for cell in CELLS)


def _gesture(board: Board, move: Move) -> Gesture:
    assert isinstance(move, AbaloneMove)
    first, last, step = ends(move.code)
    line = _between(first, last, move.marbles)
    moved = list(line)
    if move.pushed:
        moved += [stepped(last, step, steps) for steps in range(1, move.pushed + 1)]
    # The target of this marble identifies the move: the front marble, or the first of a line that steps sideways.
    front = last if first != last and stepped(first, step) in line else first
    return Gesture(
        to=cell_name(stepped(front, step)),
        picked=tuple(map(cell_name, line)),
        way=WAYS[step],
        goes=tuple((cell_name(cell), cell_name(to) if on_board(to := stepped(cell, step)) else None) for cell in moved),
    )


def _between(first: Cell, last: Cell, count: int) -> list[Cell]:
    """Return the cells of a line of `count` marbles, from `first` to `last`."""
    if count == 1:
        return [first]
    row, column = (last[0] - first[0]) // (count - 1), (last[1] - first[1]) // (count - 1)
    return [(first[0] + row * index, first[1] + column * index) for index in range(count)]


def _taken(board: Board, side: Side) -> int:
    assert isinstance(board, AbaloneBoard)
    return board.lost(side.other)


def _board_from_pieces(pieces: str, turn: Side) -> AbaloneBoard:
    if len(pieces) != len(CELLS) or set(pieces) - set("XO."):
        raise InvalidPosition(f"{len(CELLS)} cells hold X, O or nothing (.)")
    black, white = (
        board({cell for cell, sign in zip(CELLS, pieces, strict=True) if sign == side_sign}) for side_sign in "XO"
    )
    own, opp = (black, white) if turn is Side.BLACK else (white, black)
    return AbaloneBoard(RULES, AbalonePosition(own, opp), turn)


ACROSS = 9
"""Number of cells across the middle of the board; protocols use it as the board's size."""

MOST_MARBLES = 14

LAYOUT = GameOption(
    name="layout", help=f"Start of an Abalone game: {', '.join(LAYOUTS)}.", default="standard", choices=tuple(LAYOUTS)
)

LEVELS = (
    Level(1, misjudged=0.50, greed=0.30),
    Level(1, misjudged=0.42, greed=0.25),
    Level(1, misjudged=0.35, greed=0.20),
    Level(1, misjudged=0.29, greed=0.16),
    Level(1, misjudged=0.24, greed=0.13),
    Level(1, misjudged=0.20, greed=0.10),
    Level(2, misjudged=0.18, greed=0.08),
    Level(2, misjudged=0.15, greed=0.05),
    Level(2, misjudged=0.12),
    Level(3, misjudged=0.10),
    Level(3, misjudged=0.08),
    Level(3, misjudged=0.06),
    Level(4, misjudged=0.05),
    Level(4, misjudged=0.035),
    Level(4, misjudged=0.02),
    *(Level(depth) for depth in range(4, 9)),
)
"""Abalone's playing levels. The first 15 make human-like errors; the others search 4 to 8 plies without errors."""


def _find_error(game: Abalone, position: AbalonePosition) -> str:
    if not 0 < game.goal <= game.marbles <= MOST_MARBLES:
        return f"a side has {MOST_MARBLES} marbles at most, and loses by one of them at least"
    own, opp = int(position.own), int(position.opp)
    if own & opp or (own | opp) & ~int(BOARD):
        return "marbles lie on each other, or outside the board"
    return f"a side has more than {game.marbles} marbles" if max(map(int.bit_count, (own, opp))) > game.marbles else ""


def _recorded_score(game: Abalone, position: AbalonePosition, score: int) -> int:
    """Return the score for game records: the lead of the side to move in marbles, since the rules score any win as 1.
    If the winner does not lead, for example because the loser cannot move, return `score` itself."""
    ahead = int(position.own).bit_count() - int(position.opp).bit_count()
    return ahead if ahead * score > 0 else score


def _final_margin(board: Board, score: int) -> int:
    """Return black's lead in marbles at the end of a game."""
    assert isinstance(board, AbaloneBoard)
    return board.lost(Side.WHITE) - board.lost(Side.BLACK)


def _moves_expected(board: Board) -> float:
    # A game has about forty moves of each side. It may have more, and a long game must not be lost on time.
    return max(25.0, 60.0 - board.ply / 4)


def _moves_at_most(board: Board) -> float:
    limit = getattr(board, "ply_limit", None) or board.ply + 200
    return max(0, limit - board.ply) / 2


def _most_plies(board: Board) -> int | None:
    assert isinstance(board, AbaloneBoard)
    return None if board.ply_limit is None else max(0, board.ply_limit - board.ply)


def _typical_error(depth: int) -> float:
    """Return the typical error, in marbles, of a search to `depth`.

    It is at least twice the standard deviation of the search's values from values of depth 6. The deviation was
    0.35 marbles at depth 1, and 0.1 to 0.2 from depth 2 on (48 positions of games at depth 3).
    """
    return max(0.4, 0.8 - 0.1 * depth)


def _bits_of_cells(game: Abalone) -> npt.NDArray[np.int8]:
    """Return the bit of each cell by row (A to I) and column (1 to 9); -1 beside the board."""
    bits = np.full((9, 9), -1, np.int8)
    for cell, bit in zip(SPIRAL, BIT, strict=True):
        bits[cell] = bit
    return bits


LAST_MOVE = int(encoded(Kind.MOVE1, len(SPIRAL) - 1, len(DIRECTIONS) - 1))
"""The largest move code."""


def _without_draws(board: Board) -> Board:
    """Turn off the board's draws, which the rules of the game do not have, and return the board."""
    assert isinstance(board, AbaloneBoard)
    board.repetitions = board.ply_limit = None
    return board


ABALONE = GameDescription(
    name="abalone",
    title="Abalone",
    rules=Abalone,
    start=lambda layout="standard": AbaloneBoard.start(layout),
    board=AbaloneBoard,
    find_error=_find_error,
    without_draws=_without_draws,
    perft=(2, 1_936),
    variants=Variants(
        options=(LAYOUT,),
        sizes={ACROSS: {}},
        starts={name: partial(AbaloneBoard.start, name) for name in LAYOUTS},
    ),
    notation=NOTATION,
    encoding=Encoding(cells=_bits_of_cells, move_codes=lambda game: LAST_MOVE + 1, most_plies=_most_plies),
    scores=Scores(
        unit="marbles",
        most=lambda game: int(game.goal),
        decimals=2,
        near=0.05,  # most moves change the value by less than a tenth of a marble
        scored=False,
        recorded=_recorded_score,
        final_margin=_final_margin,
        forfeit=lambda game: int(game.goal),
    ),
    search=SearchDefaults(
        evaluations=(*EVALUATIONS, LEARNT),
        default_evaluation=default_evaluation,
        orderings=ORDERINGS,
        default_ordering=DEFAULT_ORDERING,
        learning=LEARNING,
    ),
    play=PlayDefaults(
        levels=LEVELS,
        moves_expected=_moves_expected,
        moves_at_most=_moves_at_most,
        piece_lead=lambda position: int(position.own).bit_count() - int(position.opp).bit_count(),
        typical_error=_typical_error,
        programs=PROGRAMS,
        ready_moves=READY_MOVES,
        book=lambda: (files(__package__) / "openings.book").read_text(encoding="utf-8"),
    ),
    lab=LabDefaults(
        positions=POSITIONS,
        position_sets=SETS,
        position="midgame1",
        depth=6,
        minimax_depth=4,
        profile_depth=6,
        cluster_depth=9,
        cluster_positions=("laboratory",),
        sweep_depth=7,
    ),
    presentation=Presentation(
        move_prompt="two or three cells like A1B2",
        colours=TerminalColours(ground="#a97f4c", empty="#7d5a2e", legal="#f2e08a"),
        tabletop=tabletop,
        review_legend="red is what was played, blue the best move",
    ),
)
