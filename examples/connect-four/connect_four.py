"""Connect Four: discs fall into columns, four in a row win. `pip install .`, `outflank play --game connect-four`."""

from typing import Any, NamedTuple

import numpy as np

from outflank import Board, GameDescription, Move, Side, register_game
from outflank.boards.pictures import bracketed
from outflank.games import encoding, rules
from outflank.games.defaults import Level, Marks, NamedEvaluation, PlayDefaults, SearchDefaults
from outflank.games.description import GameOption, Variants
from outflank.games.evaluation import final, value
from outflank.games.presentation import Gesture, Place, Presentation, Tabletop, TerminalColours
from outflank.games.scores import Scores
from outflank.kernels.bits import U64, popcount
from outflank.kernels.compiler import inner

ROWS, HEIGHT = 6, 7
"""Rows, and bits of a column: one above the top stays empty, so that no line runs from one column into the next."""
COLUMN = (1 << ROWS) - 1


class ConnectFour(NamedTuple):
    """The rules: how many columns there are."""

    columns: int


class Discs(NamedTuple):
    """Bit `HEIGHT` · column + row of the side to move, and of the other."""

    own: np.uint64
    opp: np.uint64


@inner
def fours(discs: Any) -> Any:
    """How many lines of four there are: upwards, to the right, and along both diagonals."""
    found = 0
    for step in (U64(1), U64(HEIGHT), U64(HEIGHT - 1), U64(HEIGHT + 1)):
        pairs = discs & (discs >> step)
        found += popcount(pairs & (pairs >> (step + step)))
    return found


@inner
def room(game: Any, position: Any, column: Any) -> Any:
    """Whether a disc fits into a column."""
    return ((position.own | position.opp) >> U64(HEIGHT * column + ROWS - 1)) & U64(1) == U64(0)


@rules.most_moves.register(ConnectFour)
def _(game):
    return game.columns


@rules.fill.register(ConnectFour)
def _(game, position, moves, start):
    end = start
    if fours(position.opp) == 0:
        for index in range(game.columns):  # from the middle outwards, where most lines meet
            column = game.columns // 2 + (-(index + 1) // 2 if index % 2 else index // 2)
            if room(game, position, column):
                moves[end] = rules.MOVE(column)
                end += 1
    return end


@rules.count.register(ConnectFour)
def _(game, position):
    found = 0
    if fours(position.opp) == 0:
        for column in range(game.columns):
            found += room(game, position, column)
    return found


@rules.play.register(ConnectFour)
def _(game, position, move):
    lowest = U64(1) << U64(HEIGHT * np.int64(move))
    column = ((lowest << U64(ROWS)) - lowest) & (position.own | position.opp)
    return Discs(position.opp, position.own | (column + lowest))


@rules.score.register(ConnectFour)
def _(game, position):
    return -1 if fours(position.opp) > 0 else 0


@rules.moves_left.register(ConnectFour)
def _(game, position):
    return game.columns * ROWS - popcount(position.own | position.opp)


@rules.pack.register(ConnectFour)
def _(game, position):
    return position.own, position.opp


@rules.unpack.register(ConnectFour)
def _(game, first, second):
    return Discs(first, second)


@rules.symmetries.register(ConnectFour)
def _(game):
    return 2


@inner
def turned(game: Any, discs: Any) -> Any:
    """Left for right."""
    found = U64(0)
    for column in range(game.columns):
        one = (discs >> U64(HEIGHT * column)) & U64((1 << HEIGHT) - 1)
        found |= one << U64(HEIGHT * (game.columns - 1 - column))
    return found


@rules.mirror.register(ConnectFour)
def _(game, position, symmetry):
    return Discs(turned(game, position.own), turned(game, position.opp)) if symmetry else position


@rules.mirror_move.register(ConnectFour)
def _(game, move, symmetry):
    return rules.MOVE(game.columns - 1 - np.int64(move)) if symmetry else move


class OpenLines(NamedTuple):
    """Lines of four that a side may still fill."""


@inner
def open_lines(game: Any, other: Any) -> Any:
    """Lines without a disc of `other`."""
    cells = U64(0)
    for column in range(game.columns):
        cells |= U64(COLUMN) << U64(HEIGHT * column)
    return fours(cells & ~other)


@value.register(OpenLines)
def _(evaluation, game, position, state):
    if fours(position.opp) > 0:
        return final(evaluation, game, position)  # where a search stops looking the game may be over
    return open_lines(game, position.opp) - open_lines(game, position.own)


class Drop(Move):
    """A column, by its letter."""

    def __str__(self) -> str:
        return "abcdefgh"[self.code]


class ConnectFourBoard(Board[Drop]):
    """A game of Connect Four."""

    @classmethod
    def start(cls, columns: int = 7) -> "ConnectFourBoard":
        """An empty board."""
        return cls(ConnectFour(columns), Discs(U64(0), U64(0)))

    def move(self, code: int) -> Drop:
        return Drop(code)

    def legal_move_texts(self) -> list[str]:
        return sorted(super().legal_move_texts())  # not from the middle outwards

    def heights(self) -> list[int]:
        """How many discs lie in each column."""
        black, white = self._by_colour()
        return [((black | white) >> HEIGHT * column & COLUMN).bit_count() for column in range(self.game.columns)]

    def diagram(self, *, last: bool = False) -> list[str]:
        """Row 1 at the bottom, and a star where a disc would come to lie."""
        black, white = self._by_colour()
        columns, heights = range(self.game.columns), self.heights()
        legal = {(move.code, heights[move.code]) for move in self.legal_moves}
        played = {(move.code, heights[move.code] - 1) for move in self.moves[-1:] if last}
        lines = []
        for row in reversed(range(ROWS)):
            cells = [(column, row) for column in columns]
            bits = [1 << HEIGHT * column + row for column in columns]
            marks = [
                "X" if black & bit else "O" if white & bit else "*" if cell in legal else "."
                for cell, bit in zip(cells, bits, strict=True)
            ]
            lines.append(f"{row + 1}{bracketed(marks, [cell in played for cell in cells])}")
        return [*lines, "  " + " ".join("abcdefgh"[: self.game.columns])]

    def _reason(self) -> str:
        return "four in a row" if fours(self.position.opp) else "the board is full"


def tabletop(game: ConnectFour) -> Tabletop:
    """The board in the browser: a click on the cell where a disc comes to lie drops it there."""
    cells = [(column, row) for row in reversed(range(ROWS)) for column in range(game.columns)]

    def gesture(board: Any, move: Move) -> Gesture:
        return Gesture(to=f"{move}{board.heights()[move.code] + 1}")

    def board_from_pieces(pieces: str, turn: Side) -> ConnectFourBoard:
        bits = dict.fromkeys("XO.", 0)
        for (column, row), sign in zip(cells, pieces, strict=True):
            bits[sign] |= 1 << HEIGHT * column + row
        own, opp = "XO" if turn is Side.BLACK else "OX"
        return ConnectFourBoard(game, Discs(U64(bits[own]), U64(bits[opp])), turn)

    return Tabletop(
        shape="squares",
        places=tuple(Place(f"{'abcdefgh'[x]}{row + 1}", ROWS - 1 - row, x, ROWS - 1 - row) for x, row in cells),
        pieces=pieces,
        gesture=gesture,
        counts=lambda board, side: pieces(board).count("X" if side is Side.BLACK else "O"),
        counted_unit="discs",
        board_from_pieces=board_from_pieces,
    )


def pieces(board: Board) -> str:
    """The cells of the drawing, row by row from the top, without stars."""
    return "".join(line[1:] for line in board.diagram()[:-1]).replace(" ", "").replace("*", ".")


def find_error(game: ConnectFour, position: Discs) -> str:
    """Return the error in a position that a text specifies; empty: none."""
    own, opp = int(position.own), int(position.opp)
    if own & opp:
        return "two discs in one place"
    stacks = [(own | opp) >> HEIGHT * column & (1 << HEIGHT) - 1 for column in range(game.columns)]
    if (own | opp) >> HEIGHT * game.columns or any(stack > COLUMN or stack & (stack + 1) for stack in stacks):
        return "discs lie on each other, from the bottom of a column"
    return ""


CONNECT_FOUR = register_game(
    GameDescription(
        name="connect-four",
        title="Connect Four",
        rules=ConnectFour,
        board=ConnectFourBoard,
        start=ConnectFourBoard.start,
        find_error=find_error,
        perft=(6, 117_649),
        variants=Variants(
            options=(
                GameOption(
                    name="columns",
                    help="Columns of the board.",
                    default=7,
                    choices=(4, 5, 6, 7, 8),
                    value_text=lambda columns: f"{columns} columns",
                ),
            ),
            options_of=lambda game: {"columns": game.columns},
            with_options=lambda game, options: game._replace(**options),
            rules_text=lambda game: f"Connect Four {game.columns}×{ROWS}",
        ),
        encoding=encoding.Encoding(
            cells=lambda game: np.arange(HEIGHT * game.columns).reshape(-1, HEIGHT).T[:ROWS],
            move_codes=lambda game: game.columns,
            openspiel_name="connect_four",
        ),
        scores=Scores(unit="lines", scored=False),
        search=SearchDefaults(evaluations=(NamedEvaluation(name="open-lines", evaluation=OpenLines(), unit="lines"),)),
        play=PlayDefaults(
            levels=tuple(Level(depth, depth + 4) for depth in range(1, 21)),
            moves_expected=lambda board: max(2.0, board.moves_left / 2),
            moves_at_most=lambda board: board.moves_left / 2,
            marks=Marks(4.0, 8.0, 16.0),
            openings=lambda board: "random:2",
        ),
        presentation=Presentation(
            move_prompt="a column like d",
            colours=TerminalColours(ground="#1f4e9e", empty="#173a75"),
            tabletop=tabletop,
        ),
    )
)
