"""The description of Othello, through which the rest of the package uses the game."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

import outflank.othello.endings.ending_batches  # registers the functions for the GPU solver
import outflank.othello.endings.exact_values  # noqa: F401  # registers the endgame solver
from outflank.boards.board import Board, Move
from outflank.games.defaults import EndingTime, LabDefaults, Level, Marks, PlayDefaults, SearchDefaults
from outflank.games.description import GameDescription, GameOption, Variants
from outflank.games.encoding import Encoding
from outflank.games.presentation import Gesture, Place, Presentation, Tabletop, TerminalColours
from outflank.games.scores import Scores
from outflank.games.sides import Side
from outflank.othello.board import OthelloBoard
from outflank.othello.evaluation import EVALUATIONS
from outflank.othello.formats.notation import NOTATION
from outflank.othello.opening_names import OPENINGS, named_openings
from outflank.othello.orderings import DEFAULT_ORDERING, ORDERINGS, ordering_evaluation
from outflank.othello.patterns import LEARNING, LEARNT, default_evaluation
from outflank.othello.plain import plain_rules
from outflank.othello.positions import POSITIONS, SETS
from outflank.othello.programs import PROGRAMS
from outflank.othello.rules import PASS, Othello, OthelloPosition
from outflank.othello.squares import SCORINGS, SIZES, othello, scoring_of, size_of, square_name, squares


def tabletop(game: Othello) -> Tabletop:
    """Return how user interfaces draw the board under these rules, and the gestures that make moves."""
    size, scoring = size_of(game), scoring_of(game)
    places = tuple(
        Place(square_name(size, square), index // size, index % size, index // size)
        for index, square in enumerate(squares(size))
    )

    def board_from_pieces(pieces: str, turn: Side) -> OthelloBoard:
        letter = "X" if turn is Side.BLACK else "O"
        return OthelloBoard.from_line(f"{pieces.replace('.', '-')} {letter}", scoring=scoring)

    return Tabletop(
        shape="squares",
        places=places,
        pieces=_pieces,
        gesture=_gesture,
        counts=_discs,
        counted_unit="discs",
        board_from_pieces=board_from_pieces,
    )


def _pieces(board: Board) -> str:
    return board.to_text().partition(" ")[0].replace("-", ".")


def _gesture(board: Board, move: Move) -> Gesture:
    name = str(move)
    return Gesture(to="" if name == "pass" else name)


def _discs(board: Board, side: Side) -> int:
    assert isinstance(board, OthelloBoard)
    return board.discs(side)


OPTIONS = (
    GameOption(
        name="size",
        help="Side of the Othello board.",
        default=8,
        choices=SIZES,
        value_text=lambda size: f"{size} × {size} squares",
    ),
    GameOption(
        name="scoring",
        help="Who gets the empty squares at the end.",
        default="winner-takes-empties",
        choices=tuple(SCORINGS),
    ),
)

HIGHEST_LEVEL, FIRST_ERRORLESS = 60, 15


def _exact_moves_for_depth(depth: int) -> int:
    """Return the largest number of empty squares with which a player of this search depth solves positions.

    The number is chosen so that solving takes about as long as a midgame move. A search that is one ply deeper takes
    1.6 times as long. Solving with one more empty square takes 2.1 times as long; in a selective search, 4.2 times.
    """
    return round(16.4 + 0.63 * (depth - 12)) if depth >= 5 else (2, 4, 8, 8)[depth - 1]


def _level(depth: int) -> Level:
    """Return a level with this search depth and without deliberate errors."""
    exact = _exact_moves_for_depth(depth)
    return Level(depth, exact, exact + 3)


LEVELS = (
    Level(1, misjudged=40.0, greed=5.0, name="beginner", elo=0),
    Level(1, misjudged=22.0, greed=2.2, name="beginner", elo=154),
    Level(2, misjudged=18.0, greed=1.8, name="beginner", elo=237),
    Level(2, misjudged=13.0, greed=1.3, name="casual player", elo=370),
    Level(2, misjudged=9.5, greed=0.95, name="casual player", elo=554),
    Level(2, exact=2, misjudged=7.0, greed=0.7, name="casual player", elo=722),
    Level(2, exact=3, misjudged=5.0, greed=0.5, name="regular player", elo=890),
    Level(2, exact=4, misjudged=3.7, greed=0.3, name="regular player", elo=1024),
    Level(3, exact=5, misjudged=3.2, greed=0.1, name="regular player", elo=1231),
    Level(3, exact=7, misjudged=2.0, name="club player", elo=1301),
    Level(4, exact=8, misjudged=1.9, name="club player", elo=1516),
    Level(5, exact=9, misjudged=1.4, name="club player", elo=1699),
    Level(7, exact=11, misjudged=1.0, name="expert", elo=1820),
    Level(9, exact=13, misjudged=0.5, name="expert", elo=1953),
    *(_level(depth) for depth in range(FIRST_ERRORLESS, HIGHEST_LEVEL + 1)),
)
"""Othello's playing levels. The levels below `FIRST_ERRORLESS` make human-like errors and differ by about 180 Elo each.
From `FIRST_ERRORLESS` on, the number of a level is its search depth. `docs/players.md` has the measurements of Elo."""

HANDICAP_CORNERS = ("a1", "h8", "h1", "a8")
"""Corners in the order in which a handicap gives them to the weaker player."""


def _starts() -> dict[str, str]:
    """Return the handicaps, in which black has some corners and white moves first, and the named openings."""
    board, starts = OthelloBoard.start(), {}
    discs = list(board.to_text().partition(" ")[0])
    for number, corner in enumerate(HANDICAP_CORNERS, 1):
        discs[8 * (int(corner[1]) - 1) + "abcdefgh".index(corner[0])] = "X"
        starts[f"handicap: {number} {'corner' if number == 1 else 'corners'} for black"] = f"{''.join(discs)} O"
    return starts | dict(sorted(OPENINGS.items()))


def _is_known(game: Othello) -> bool:
    return game.mask in [othello(size).mask for size in SIZES] and game.scoring in SCORINGS.values()


def _options_of(game: Othello) -> dict[str, Any]:
    return {"size": size_of(game), "scoring": scoring_of(game)} if _is_known(game) else {}


def _with_options(game: Othello, options: Mapping[str, Any]) -> Othello:
    merged = {**_options_of(game), **options}
    return othello(int(merged["size"]), merged["scoring"])


def _find_error(game: Othello, position: OthelloPosition) -> str:
    if not _is_known(game):
        return "a board is 4×4, 6×6 or 8×8"
    own, opp = int(position.own), int(position.opp)
    return "discs lie on each other, or outside the board" if own & opp or (own | opp) & ~int(game.mask) else ""


def _cells(game: Othello) -> npt.NDArray[np.int8]:
    size = size_of(game)
    return np.array(squares(size), np.int8).reshape(size, size)


def _empties(board: Board) -> int:
    assert isinstance(board, OthelloBoard)
    return board.empties


def _moves_expected(board: Board) -> float:
    # Players begin to solve positions with 15 empty squares if they have one second for the game, with 19 if they have
    # ten seconds, and with 25 if they have five minutes. They should have spent most of their time by then. With the
    # number 12 below, a seventh to a third of the clock is left when solving begins; with 8, a quarter to two fifths.
    # With 16, fast clocks ran so low that solving began two squares later.
    return max(2.0, (_empties(board) - 12) / 2)


def _balanced_openings(board: Board) -> str | None:
    """Return the text of the list that `outflank book openings --plies 8 --within 2 --depth 18` has found."""
    if board != OthelloBoard.start(scoring=scoring_of(board.game)):
        return None
    return (files(__package__) / "balanced.openings").read_text(encoding="utf-8")


def _typical_error(depth: int) -> float:
    """Return the typical error, in discs, of a search to `depth`. With 14 empty squares, the standard deviation from
    the true score was 12 discs at depth 1 and 10 at depth 4 (54 positions of games with 15 % random moves). In the
    midgame, the standard deviation from a search of depth 12 was 4.4 discs at depth 2, 2.7 at depth 6 and 1.7 at depth
    10 (19 positions)."""
    return max(4.0, 12.0 - 0.6 * depth)


OTHELLO = GameDescription(
    name="othello",
    title="Othello",
    rules=Othello,
    start=lambda size=8, scoring="winner-takes-empties": OthelloBoard.start(int(size), scoring=scoring),
    board=OthelloBoard,
    passes=True,
    find_error=_find_error,
    plain_rules=plain_rules,
    perft=(6, 8_200),
    variants=Variants(
        options=OPTIONS,
        options_of=_options_of,
        with_options=_with_options,
        rules_text=lambda game: f"Othello {size_of(game)}×{size_of(game)}",
        sizes={size: {"size": size} for size in SIZES},
        openings=named_openings,
    ),
    notation=NOTATION,
    encoding=Encoding(cells=_cells, move_codes=lambda game: PASS + 1, openspiel_name="othello"),
    scores=Scores(
        unit="discs", most=lambda game: int(game.mask).bit_count(), near=1.0, forfeit=lambda game: size_of(game) ** 2
    ),
    search=SearchDefaults(
        evaluations=(*EVALUATIONS, LEARNT),
        default_evaluation=default_evaluation,
        orderings=ORDERINGS,
        default_ordering=DEFAULT_ORDERING,
        ordering_evaluation=ordering_evaluation,
        learning=LEARNING,
        # On 32 tournament positions at depths of 13 to 17, selective searches in steps of two plies with a window of ±2
        # discs took 53 to 59 % of the nodes of searches in steps of one ply. In 462 games of 100,000 nodes a move, such
        # a player won 219, drew 64 and lost 179 (+30 Elo, 95 %: -1 to +61); an earlier match without the window was
        # even (47-3-46). In Abalone, steps of two plies took 85 % of the nodes at depth 8, and 129 % at depth 7.
        player_step=2,
    ),
    play=PlayDefaults(
        levels=LEVELS,
        starts=_starts,
        exact_moves_for_depth=_exact_moves_for_depth,
        moves_expected=_moves_expected,
        moves_at_most=lambda board: _empties(board) / 2,
        # Two workers on a server's x86-64 cores solved ten positions of tournament games in a mean time of 4 ms with 14
        # empty squares, 9 ms with 16, 33 ms with 18, 0.10 s with 20, 0.42 s with 22, and 2.2 s with 24. The slowest
        # positions took 2 to 4 times the mean. This model gives about twice the mean from 16 empty squares on, so most
        # positions take less time even on machines half as fast.
        ending_time=EndingTime(moves=14, seconds=0.004, growth=2.0),
        piece_lead=lambda position: int(position.own).bit_count() - int(position.opp).bit_count(),
        marks=Marks(2.0, 4.0, 8.0),
        typical_error=_typical_error,
        openings=lambda board: f"random:{size_of(board.game)}",
        balanced_openings=_balanced_openings,
        programs=PROGRAMS,
        book=lambda: (files(__package__) / "openings.book").read_text(encoding="utf-8"),
        # Made by `outflank puzzles make WTH_*.wtb --count 90 --empties 6,7,8,9,10,11,12,13,14` from WTHOR's games.
        puzzles=lambda: (files(__package__) / "endings.puzzles").read_text(encoding="utf-8"),
    ),
    lab=LabDefaults(
        positions=POSITIONS,
        position_sets=SETS,
        position="midgame",
        depth=12,
        minimax_depth=7,
        minimax_evaluation="discs",  # as in the reports
        profile_depth=11,
        cluster_depth=17,
        cluster_positions=("openings",),
        sweep_depth=15,
        thresholds=(1, 3, 5, 7, 9),
        cluster_thresholds=(7, 8, 9, 10, 11, 12),
        replication_depths=(8, 9, 10, 11),
    ),
    presentation=Presentation(
        move_prompt="a square like f5, or pass",
        colours=TerminalColours(ground="#2e7d54", empty="#1d5337"),
        tabletop=tabletop,
        review_legend="what was played is crossed, the best move is ringed",
    ),
)
