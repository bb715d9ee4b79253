"""Arrays of positions, whose moves are generated and played by compiled loops: for programs that learn, and for
statistics over millions of games."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from outflank.boards.board import Board, board_class
from outflank.boards.planes import Planes, planes_of
from outflank.errors import IllegalMove, InvalidOption, InvalidPosition, notify
from outflank.games.description import description_of
from outflank.games.position_loops import (
    BLACK,
    NO_MOVE,
    WHITE,
    Words,
    end_rows,
    fill_rows,
    illegal_row,
    packed,
    pick_rows,
    play_rows,
    random_rows,
)
from outflank.games.rules import MOVE, Game, Moves, most_moves, unpack
from outflank.games.sides import Side
from outflank.kernels.compiler import Kernel, NotCompiled, compiler_message
from outflank.validation.text import how_many
from outflank.validation.values import excerpt


@dataclass(frozen=True, slots=True)
class LegalMoves:
    """The legal moves of each of many positions. If a game is over, its position has none."""

    codes: Moves
    """The move codes of all positions, one position after another."""
    starts: npt.NDArray[np.int64]
    """Index in `codes` of the first move of each position, and at the end the number of all moves."""
    action_count: int
    """The number of possible move codes of the game: one more than the largest."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> Moves:
        """Return the move codes of one position."""
        row = range(len(self))[index]
        return self.codes[self.starts[row] : self.starts[row + 1]]

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """The number of moves of each position; 0: its game is over."""
        return self.starts[1:] - self.starts[:-1]

    def pick(self, numbers: npt.ArrayLike) -> Moves:
        """Return a move of each position, given its number among the position's moves; `NO_MOVE` where a game is
        over."""
        array = np.asarray(numbers)
        if array.shape not in ((), (len(self),)) or array.dtype.kind not in "iu":
            raise InvalidOption(f"numbers of type {array.dtype} and shape {array.shape}: expected {len(self)} integers")
        wanted = np.ascontiguousarray(np.broadcast_to(array, len(self)), np.int64)
        picked = np.empty(len(self), MOVE)
        row = pick_rows(self.codes, self.starts, wanted, picked)
        if row >= 0:
            raise IndexError(
                f"position {row} has {how_many(int(self.counts[row]), 'move')}, and no number {wanted[row]}"
            )
        return picked

    def mask(self) -> npt.NDArray[np.bool_]:
        """Return a row for each position that says of every move code whether it is legal."""
        legal = np.zeros((len(self), self.action_count), np.bool_)
        legal[np.repeat(np.arange(len(self)), self.counts), self.codes] = True
        return legal


@dataclass(frozen=True, slots=True)
class Results:
    """The results of many games, in arrays."""

    over: npt.NDArray[np.bool_]
    """Whether each game is over."""
    scores: npt.NDArray[np.int32]
    """Black's score in each game, in the game's unit; 0 while it goes on."""

    @property
    def winners(self) -> npt.NDArray[np.int8]:
        """1 where black has won, -1 where white has won, 0 in drawn games and games that go on."""
        return np.sign(self.scores).astype(np.int8)


class Positions:
    """Many positions of one game, which change together: an array with two words for each, and an array of sides.

    Games are over only by the rules of a position: there are no histories, so that Abalone has no draws here. Compiled
    loops need no lock, so that threads can work on parts at the same time.

    >>> from outflank import OthelloBoard
    >>> games = Positions.of([OthelloBoard.start(4)] * 3)
    >>> rng = np.random.default_rng(1)
    >>> while not games.result().over.all():
    ...     games.play(games.random_moves(rng))
    >>> games.result().over
    array([ True,  True,  True])
    """

    __slots__ = ("game", "turns", "words")

    def __init__(self, game: Game, words: npt.ArrayLike, turns: npt.ArrayLike = BLACK) -> None:
        self.game: Game = game
        """The rules of the game, in the form that kernels take."""
        self.words: Words = _checked_words(game, words)
        """The packed positions from the point of view of the side to move (`rules.pack`), a row of two words each."""
        self.turns: npt.NDArray[np.uint8] = _checked_turns(turns, len(self.words))
        """The side to move in each position: 0 black, 1 white."""

    @classmethod
    def of(cls, boards: Iterable[Board]) -> Self:
        """Return the positions of boards with the same rules."""
        boards = list(boards)
        if not boards:
            raise InvalidOption("positions of no boards: expected at least one, which has the rules")
        game = boards[0].game
        for number, board in enumerate(boards):
            if (type(board.game), board.game) != (type(game), game):
                raise InvalidOption(f"board {number} has other rules than board 0")
        turns = np.fromiter((board.turn is Side.WHITE for board in boards), np.uint8, len(boards))
        return cls._with(game, packed(game, [board.position for board in boards]), turns)

    @classmethod
    def _with(cls, game: Game, words: Words, turns: npt.NDArray[np.uint8]) -> Self:
        made = object.__new__(cls)
        made.game, made.words, made.turns = game, words, turns
        return made

    def boards(self) -> list[Board]:
        """Return a board for each position, without a history."""
        kind = board_class(self.game)
        positions = (unpack(self.game, first, second) for first, second in self.words)
        sides = (Side.WHITE if turn else Side.BLACK for turn in self.turns)
        return [kind(self.game, position, side) for position, side in zip(positions, sides, strict=True)]

    def copy(self) -> Self:
        """Return separate positions that are equal."""
        return self._with(self.game, self.words.copy(), self.turns.copy())

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, rows: "slice | npt.NDArray[np.generic] | Sequence[int]") -> Self:
        """Return some of the positions: a slice shares their memory, a mask or a list of rows copies them."""
        if isinstance(rows, int | np.integer):
            raise TypeError("one number: expected a slice, a mask or a list of rows")
        return self._with(self.game, self.words[rows], self.turns[rows])

    def __repr__(self) -> str:
        return f"<{len(self):,} positions of {description_of(self.game).describe(self.game)}>"

    def legal_moves(self) -> LegalMoves:
        """Return the legal moves of all positions."""
        starts = np.empty(len(self) + 1, np.int64)
        # Room for the most moves everywhere; memory that is never written to is never given to the process.
        codes = np.empty(len(self) * most_moves(self.game), MOVE)
        _run(fill_rows, self.game, self.words, codes, starts)
        return LegalMoves(codes[: starts[-1]], starts, description_of(self.game).encoding.move_codes(self.game))

    def random_moves(self, rng: np.random.Generator) -> Moves:
        """Return a random legal move of each position, all equally likely; `NO_MOVE` where a game is over. This is
        faster than a choice among `legal_moves`."""
        codes = np.empty(len(self), MOVE)
        room = np.empty(most_moves(self.game), MOVE)
        _run(random_rows, self.game, self.words, rng.random(len(self), np.float32), codes, room)
        return codes

    def play(self, codes: npt.ArrayLike, *, check: bool = True) -> None:
        """Play a move in each position, in place; `NO_MOVE` leaves a position as it is.

        If a move is illegal, `IllegalMove` names the first such position, and nothing is played. `check=False` omits
        this test, for moves that came from `legal_moves`: an illegal move then makes positions that mean nothing, and
        may crash the process.
        """
        moves = _checked_codes(codes, len(self))
        if check:
            row = _run(illegal_row, self.game, self.words, moves, np.empty(most_moves(self.game), MOVE))
            if row >= 0:
                board = self[row : row + 1].boards()[0]
                legal = " ".join(str(move.code) for move in board.legal_moves)
                raise IllegalMove(f"position {row}: move {moves[row]} is not legal (legal: {legal or 'none'})")
        _run(play_rows, self.game, self.words, self.turns, moves)

    def result(self) -> Results:
        """Return which games are over, and their scores."""
        ended, scores = np.zeros(len(self), np.bool_), np.zeros(len(self), np.int32)
        _run(end_rows, self.game, self.words, self.turns, ended, scores)
        return Results(ended, scores)

    def to_numpy(self) -> Planes:
        """Return an array of zeros and ones with two planes for each position in the shape of the board: the pieces of
        the side to move, then the opponent's. Cell a1 (A1) is at [0, 0]. A game without such a shape has 64 bits in
        each plane."""
        return planes_of(self.game, self.words)


def _checked_words(game: Game, words: npt.ArrayLike) -> Words:
    """Return a copy of packed positions; raise `InvalidPosition` for the first one that is invalid."""
    array = np.asarray(words)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype != np.uint64:
        raise InvalidOption(
            f"positions of type {array.dtype} and shape {array.shape}: expected two words, numpy.uint64, for each"
        )
    find_error = description_of(game).find_error
    for row, (first, second) in enumerate(array):
        error = find_error(game, unpack(game, first, second))
        if error:
            raise InvalidPosition(f"position {row}: {error}")
    return np.array(array, order="C")


def _checked_turns(turns: npt.ArrayLike, length: int) -> npt.NDArray[np.uint8]:
    array = np.asarray(turns)
    if array.shape not in ((), (length,)) or not np.isin(array, (BLACK, WHITE)).all():
        raise InvalidOption(f"turns {excerpt(turns)}: expected 0 (black) or 1 (white), for each position or for all")
    return np.array(np.broadcast_to(array, length), np.uint8)


def _checked_codes(codes: npt.ArrayLike, length: int) -> Moves:
    array = np.asarray(codes)
    if array.shape != (length,) or array.dtype.kind not in "iu":
        raise InvalidOption(
            f"moves of type {array.dtype} and shape {array.shape}: expected a move code for each of {length} positions"
        )
    if array.dtype != MOVE:
        wrong = np.flatnonzero((array < 0) | (array > NO_MOVE))
        if len(wrong):
            raise IllegalMove(f"position {wrong[0]}: {array[wrong[0]]} is no move code")
    return np.ascontiguousarray(array, MOVE)


# --- games whose rules cannot be compiled ---


_uncompiled: set[type] = set()
"""Classes of rules that the compiler has rejected."""


def _run(loop: Kernel, game: Game, *arguments: Any) -> Any:
    """Run a kernel, or run its loop in the interpreter if the rules of the game cannot be compiled."""
    rules = type(game)
    if rules not in _uncompiled:
        try:
            return loop(game, *arguments)
        except Exception as error:
            module = sys.modules.get(rules.__module__)
            reason = (
                str(error)
                if isinstance(error, NotCompiled)
                else compiler_message(error, getattr(module, "__file__", None) or "")
            )
            if reason is None:
                raise
            _uncompiled.add(rules)
            notify(f"{rules.__name__}: the interpreter plays its positions, because it is not compiled: {reason}")
    return loop.py_func(game, *arguments)
