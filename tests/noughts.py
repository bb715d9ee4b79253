"""Noughts and crosses: a game that the package does not know, as a user adds one (`--import tests/noughts.py`)."""

from typing import NamedTuple

import numpy as np

from outflank.boards import Board, Move
from outflank.games import rules
from outflank.games.defaults import Marks, NamedEvaluation, PlayDefaults, SearchDefaults
from outflank.games.description import GameDescription, GameOption, Variants, register_game
from outflank.games.evaluation import value
from outflank.games.pattern_sets import Pattern, PatternSet
from outflank.games.pattern_weights import Learning
from outflank.games.presentation import Presentation
from outflank.games.scores import Scores
from outflank.games.sides import Side
from outflank.kernels.bits import U64, popcount

ROWS = 3


class Noughts(NamedTuple):
    """The rules: on three rows and some columns, who has three in a row wins."""

    columns: int


class Marked(NamedTuple):
    """The cells of the side to move, and the other's: bit 4 · column + row."""

    own: np.uint64
    opp: np.uint64


@rules.most_moves.register(Noughts)
def _(game):
    return ROWS * game.columns


@rules.fill.register(Noughts)
def _(game, position, moves, start):
    end = start
    opp = position.opp
    won = False
    for step in (U64(1), U64(3), U64(4), U64(5)):
        won = won or (opp & (opp >> step) & (opp >> (step + step))) != U64(0)
    if not won:
        for cell in range(4 * game.columns):
            if cell % 4 < 3 and ((position.own | opp) >> U64(cell)) & U64(1) == U64(0):
                moves[end] = rules.MOVE(cell)
                end += 1
    return end


@rules.count.register(Noughts)
def _(game, position):
    opp = position.opp
    won = False
    for step in (U64(1), U64(3), U64(4), U64(5)):
        won = won or (opp & (opp >> step) & (opp >> (step + step))) != U64(0)
    return 0 if won else 3 * game.columns - np.int64(popcount(position.own | opp))


@rules.play.register(Noughts)
def _(game, position, move):
    return Marked(position.opp, position.own | (U64(1) << U64(move)))


@rules.moves_left.register(Noughts)
def _(game, position):
    return 3 * game.columns - np.int64(popcount(position.own | position.opp))


@rules.score.register(Noughts)
def _(game, position):
    opp = position.opp
    for step in (U64(1), U64(3), U64(4), U64(5)):
        if (opp & (opp >> step) & (opp >> (step + step))) != U64(0):
            return -1
    return 0


@rules.pack.register(Noughts)
def _(game, position):
    return position.own, position.opp


@rules.unpack.register(Noughts)
def _(game, first, second):
    return Marked(first, second)


class Middle(NamedTuple):
    """An estimate: marks in the middle row, in halves."""


@value.register(Middle)
def _(evaluation, game, position, state):
    row = U64(0x2222222222222222)
    return np.int64(popcount(position.own & row)) - np.int64(popcount(position.opp & row))


class NoughtsMove(Move):
    """A cell."""

    def __str__(self) -> str:
        return f"{'abcde'[self.code // 4]}{self.code % 4 + 1}"


class NoughtsBoard(Board[NoughtsMove]):
    """A game of noughts and crosses."""

    def move(self, code: int) -> NoughtsMove:
        return NoughtsMove(code)

    def diagram(self, *, last: bool = False) -> list[str]:
        black, white = self._by_colour()
        legal = {move.code for move in self.legal_moves}
        names = "abcde"[: self.game.columns]
        lines = [f"  {' '.join(names)}"]
        for row in range(ROWS):
            cells = [4 * column + row for column in range(self.game.columns)]
            signs = [
                "X" if black >> cell & 1 else "O" if white >> cell & 1 else "*" if cell in legal else "."
                for cell in cells
            ]
            lines.append(f"{row + 1} {' '.join(signs)}")
        return lines

    def score_text(self) -> str:
        black, white = self._by_colour()
        return f"black {black.bit_count()}, white {white.bit_count()}"


def start(columns: int = 3) -> NoughtsBoard:
    """An empty board."""
    return NoughtsBoard(Noughts(columns), Marked(U64(0), U64(0)), Side.BLACK)


UPSIDE_DOWN = [4 * (cell // 4) + 2 - cell % 4 for cell in range(12)]
ROWS_AND_COLUMNS = PatternSet(
    name="noughts",
    patterns=(
        Pattern.of((0, 1, 2, 4, 5, 6), (range(12), UPSIDE_DOWN)),
        Pattern.of((4, 5, 6, 8, 9, 10), (range(12), UPSIDE_DOWN)),
    ),
    stages=(0,) * 5 + (1,),
    most=1,
)
"""Two columns side by side; the weights of positions with five cells left or more are others."""

NOUGHTS = register_game(
    GameDescription(
        name="noughts",
        title="Noughts and crosses",
        rules=Noughts,
        start=start,
        board=NoughtsBoard,
        variants=Variants(
            options=(GameOption(name="columns", help="Columns of the board.", default=3, choices=(3, 4, 5)),),
            options_of=lambda game: {"columns": int(game.columns)},
            rules_text=lambda game: f"Noughts and crosses {game.columns}×{ROWS}",
        ),
        scores=Scores(unit="rows", most=lambda game: 1, scored=False),
        search=SearchDefaults(
            evaluations=(NamedEvaluation(name="middle", evaluation=Middle(), unit="rows", points=2),),
            learning=Learning(patterns=lambda game: ROWS_AND_COLUMNS, suits=lambda game: game.columns == 3),
        ),
        play=PlayDefaults(marks=Marks(0.5, 1.0, 1.5)),
        presentation=Presentation(move_prompt="a cell like b2"),
    )
)
