"""Breakthrough: who first reaches the last row wins. `pip install .`, then `outflank play --game breakthrough`."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from outflank import Board, GameDescription, Move, Side, register_game
from outflank.boards.pictures import bracketed
from outflank.games import rules
from outflank.games.defaults import Level, Marks, NamedEvaluation, PlayDefaults, SearchDefaults
from outflank.games.description import GameOption, Variants
from outflank.games.evaluation import final, value
from outflank.games.pattern_sets import Pattern, PatternSet
from outflank.games.pattern_weights import Learning
from outflank.games.presentation import Gesture, Place, Presentation, Tabletop, TerminalColours
from outflank.games.scores import Scores
from outflank.kernels.bits import U64, byte_swap, lowest, popcount
from outflank.kernels.compiler import inner

SIZES = (5, 6, 7, 8)
LEFT = U64(0x0101010101010101)
"""The squares of the first column."""


class Breakthrough(NamedTuple):
    """The rules: how many rows and columns there are."""

    size: int


class Pawns(NamedTuple):
    """Bit 8 · row + column of the side to move, whose pawns go upwards, and of the other: each looks from below."""

    own: np.uint64
    opp: np.uint64


@inner
def stepping(game: Any, position: Any, direction: Any) -> Any:
    """The pawns that may go to the left (0), straight on (1) or to the right (2)."""
    pawns = position.own & ((U64(1) << U64(8 * (game.size - 1))) - U64(1))  # none beyond the last row
    if direction == 1:
        return pawns & ~((position.own | position.opp) >> U64(8))
    if direction == 0:
        return pawns & ~LEFT & ~(position.own >> U64(7))
    return pawns & ~(LEFT << U64(game.size - 1)) & ~(position.own >> U64(9))


@inner
def lost(game: Any, position: Any) -> Any:
    """Whether the other side has come through, or taken everything."""
    return position.opp & U64(0xFF) != U64(0) or position.own == U64(0)


@rules.most_moves.register(Breakthrough)
def _(game):
    return 6 * game.size


@rules.fill.register(Breakthrough)
def _(game, position, moves, start):
    end = start
    if not lost(game, position):
        for direction in range(3):
            pawns = stepping(game, position, direction)
            while pawns != U64(0):
                moves[end] = rules.MOVE(3 * lowest(pawns) + direction)
                end += 1
                pawns &= pawns - U64(1)
    return end


@rules.count.register(Breakthrough)
def _(game, position):
    found = 0
    if not lost(game, position):
        for direction in range(3):
            found += popcount(stepping(game, position, direction))
    return found


@inner
def turned(game: Any, pawns: Any) -> Any:
    """As the other side sees it: the first row last."""
    return byte_swap(pawns) >> U64(8 * (8 - game.size))


@rules.play.register(Breakthrough)
def _(game, position, move):
    square, direction = np.int64(move) // 3, np.int64(move) % 3
    reached = U64(1) << U64(square + 7 + direction)
    own = (position.own & ~(U64(1) << U64(square))) | reached
    return Pawns(turned(game, position.opp & ~reached), turned(game, own))


@rules.is_noisy.register(Breakthrough)
def _(game, move):
    return np.int64(move) % 3 != 1 and np.int64(move) // 24 >= game.size - 3  # near the end of the board


@rules.moves_left.register(Breakthrough)
def _(game, position):
    found = 0
    for row in range(game.size):
        own = popcount(position.own & (U64(0xFF) << U64(8 * row)))
        found += own * (game.size - 1 - row) + popcount(position.opp & (U64(0xFF) << U64(8 * row))) * row
    return found


@rules.score.register(Breakthrough)
def _(game, position):
    return -1  # whoever is to move when it is over has lost; a side with pawns always has a move


@rules.pack.register(Breakthrough)
def _(game, position):
    return position.own, position.opp


@rules.unpack.register(Breakthrough)
def _(game, first, second):
    return Pawns(first, second)


class Advance(NamedTuple):
    """Pawns, and how far they have come."""

    pawn: int


@inner
def strength(game: Any, evaluation: Any, pawns: Any) -> Any:
    """A side's pawns, by the squares of the rows that they have reached."""
    found = evaluation.pawn * popcount(pawns)
    for row in range(game.size):
        found += row * row * popcount(pawns & (U64(0xFF) << U64(8 * row)))
    return found


@value.register(Advance)
def _(evaluation, game, position, state):
    if lost(game, position):
        return final(evaluation, game, position)  # where a search stops looking the game may be over
    return strength(game, evaluation, position.own) - strength(game, evaluation, turned(game, position.opp))


@dataclass(frozen=True, slots=True, repr=False)
class Step(Move):
    """From one square to another, as black sees the board: `a2a3`."""

    size: int
    side: Side

    def __str__(self) -> str:
        square, direction = divmod(self.code, 3)
        ends = ((square // 8, square % 8), (square // 8 + 1, square % 8 + direction - 1))
        rows = [row if self.side is Side.BLACK else self.size - 1 - row for row, _ in ends]
        return "".join(f"{'abcdefgh'[column]}{row + 1}" for row, (_, column) in zip(rows, ends, strict=True))


class BreakthroughBoard(Board[Step]):
    """A game of Breakthrough; black starts, from below."""

    @classmethod
    def start(cls, size: int = 8) -> "BreakthroughBoard":
        """Two rows of pawns each."""
        own = ((1 << size) - 1) * 0x101
        return cls(Breakthrough(size), Pawns(U64(own), U64(own << 8 * (size - 2))))

    def move(self, code: int) -> Step:
        return Step(code, self.game.size, self.turn)

    def legal_move_texts(self) -> list[str]:
        return sorted(super().legal_move_texts())  # pawn by pawn

    def pawns(self, side: Side) -> int:
        """A side's pawns as black sees the board."""
        word = self.position.own if side is self.turn else self.position.opp
        return int(word if self.turn is Side.BLACK else turned(self.game, word))

    def diagram(self, *, last: bool = False) -> list[str]:
        """Row 1 at the bottom."""
        black, white = self.pawns(Side.BLACK), self.pawns(Side.WHITE)
        letters = "abcdefgh"[: self.game.size]
        arrived = {str(move)[2:] for move in self.moves[-1:] if last}
        lines = []
        for row in reversed(range(self.game.size)):
            bits = [1 << 8 * row + column for column in range(self.game.size)]
            marks = ["X" if black & bit else "O" if white & bit else "." for bit in bits]
            lines.append(f"{row + 1}{bracketed(marks, [f'{letter}{row + 1}' in arrived for letter in letters])}")
        return [*lines, "  " + " ".join(letters)]

    def score_text(self) -> str:
        return f"pawns: black {self.pawns(Side.BLACK).bit_count()}, white {self.pawns(Side.WHITE).bit_count()}"

    def _reason(self) -> str:
        return f"{self.turn.other} has come through" if self.position.own else f"{self.turn} has no pawns left"


def tabletop(game: Breakthrough) -> Tabletop:
    """The board in the browser: a click on a pawn and one on its target, or a drag."""
    size = game.size
    names = [f"{letter}{row}" for row in range(size, 0, -1) for letter in "abcdefgh"[:size]]
    places = tuple(Place(name, index // size, index % size, index // size) for index, name in enumerate(names))

    def gesture(board: Board, move: Move) -> Gesture:
        begin, end = str(move)[:2], str(move)[2:]
        across, down = ord(end[0]) - ord(begin[0]), int(begin[1]) - int(end[1])
        taken = () if pieces(board)[names.index(end)] == "." else ((end, None),)
        return Gesture(to=end, picked=(begin,), way=(across, down), goes=(*taken, (begin, end)))

    def board_from_pieces(pieces: str, turn: Side) -> BreakthroughBoard:
        bits = dict.fromkeys("XO.", 0)
        for name, sign in zip(names, pieces, strict=True):
            bits[sign] |= 1 << 8 * (int(name[1]) - 1) + ord(name[0]) - ord("a")
        black, white = U64(bits["X"]), U64(bits["O"])
        start = Pawns(black, white) if turn is Side.BLACK else Pawns(turned(game, white), turned(game, black))
        return BreakthroughBoard(game, start, turn)

    return Tabletop(
        shape="squares",
        places=places,
        pieces=pieces,
        gesture=gesture,
        counts=lambda board, side: pieces(board).count("X" if side is Side.BLACK else "O"),
        counted_unit="pawns",
        board_from_pieces=board_from_pieces,
    )


def pieces(board: Board) -> str:
    """The squares of the drawing, row by row from the top."""
    return "".join(line[1:] for line in board.diagram()[:-1]).replace(" ", "")


def find_error(game: Breakthrough, position: Pawns) -> str:
    """Return the error in a position that a text specifies; empty: none."""
    own, opp = int(position.own), int(position.opp)
    squares = sum((1 << game.size) - 1 << 8 * row for row in range(game.size))
    if own & opp or (own | opp) & ~squares:
        return "every pawn stands on a square of its own"
    if max(own.bit_count(), opp.bit_count()) > 2 * game.size:
        return f"a side has at most {2 * game.size} pawns"
    return ""


def patterns(size: int) -> PatternSet:
    """What is learnt (`outflank train`): four rows of two columns, wherever they are; a win counts ten pawns."""
    images = (range(64), [cell - cell % 8 + (size - 1 - cell % 8) % 8 for cell in range(64)])
    corners = [corner for corner in range(8 * (size - 3)) if corner % 8 < size // 2]
    windows = [tuple(corner + step for step in (0, 1, 8, 9, 16, 17, 24, 25)) for corner in corners]
    return PatternSet(f"breakthrough-{size}x{size}", tuple(Pattern.of(cells, images) for cells in windows), most=10)


SIZE = GameOption(
    name="size", help="Side of the board.", default=8, choices=SIZES, value_text=lambda size: f"{size} × {size} squares"
)
BREAKTHROUGH = register_game(
    GameDescription(
        name="breakthrough",
        title="Breakthrough",
        rules=Breakthrough,
        board=BreakthroughBoard,
        start=BreakthroughBoard.start,
        find_error=find_error,
        perft=(4, 256_036),
        variants=Variants(
            options=(SIZE,),
            options_of=lambda game: {"size": game.size},
            with_options=lambda game, options: game._replace(**options),
            rules_text=lambda game: f"Breakthrough {game.size}×{game.size}",
            sizes={size: {"size": size} for size in SIZES},
        ),
        scores=Scores(unit="pawns", scored=False),
        search=SearchDefaults(
            evaluations=(NamedEvaluation(name="advance", evaluation=Advance(20), unit="pawns", points=20),),
            learning=Learning(patterns=lambda game: patterns(game.size)),
        ),
        play=PlayDefaults(levels=tuple(Level((level + 1) // 2) for level in range(1, 21)), marks=Marks(1.0, 2.0, 4.0)),
        presentation=Presentation(
            move_prompt="two squares like a2a3",
            colours=TerminalColours("#8a6d4b", empty="#6b5338", legal="#f2e08a"),
            tabletop=tabletop,
        ),
    )
)
