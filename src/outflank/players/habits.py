"""The habit of playing from an opening book."""

import random
import secrets
from collections.abc import Mapping, Sequence
from typing import TypeVar

from outflank.boards import Board, Move
from outflank.books.book import Book
from outflank.games.description import description_of
from outflank.games.rules import ENDLESS_GAME, MOVE, play
from outflank.players.player import Choice
from outflank.search.results import MoveValue


class RandomStream:
    """A random stream for a seed and a purpose, which begins anew with every game."""

    def __init__(self, seed: int, purpose: str) -> None:
        self._purpose = purpose
        self.rng = random.Random()
        """The generator to draw from."""
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Begin anew from another seed: a match gives every game a seed of its own."""
        self.seed, self._games = seed, 0
        self._begin()

    def new_game(self) -> None:
        """Begin the stream of the next game."""
        self._games += 1
        self._begin()

    def _begin(self) -> None:
        self.rng.seed(f"{self.seed}/{self._purpose}/{self._games}")


PLIES = 8
"""Number of moves of a game, of both sides, after which the best move is always taken."""

MOVES = 4
"""Number of moves that a search compares for variety: each costs a search of its own, though a cheap one."""

T = TypeVar("T")


def random_seed() -> int:
    """Return a random seed."""
    return secrets.randbelow(1 << 31) + 1


class Variety(RandomStream):
    """Draws first moves at random."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, "first moves")

    def moves(self, board: Board) -> int:
        """Return how many moves need values in this position."""
        return MOVES if board.ply < PLIES else 1

    def pick(self, board: Board, moves: Sequence[tuple[T, int]], near: int) -> T:
        """Return one of the moves within `near` of the best, which comes first; after `PLIES` moves, the best."""
        if board.ply >= PLIES:
            return moves[0][0]
        return self.rng.choice([move for move, value in moves if value >= moves[0][1] - near])

    def pick_weighted(self, board: Board, moves: Sequence[tuple[T, int]], margin: int) -> T:
        """Return one of the moves within `margin` of the best, which comes first; after `PLIES` moves, the best.

        The less a move is worth, the less often it is drawn.
        """
        if board.ply >= PLIES:
            return moves[0][0]
        weights = [max(0, margin + 1 - (moves[0][1] - value)) for _, value in moves]
        return self.rng.choices([move for move, _ in moves], weights)[0]


# Players that are weak in a human way: they misjudge moves a little, and like to win pieces at once.
#
# A player of random moves is like no human, and a player that only searches less deep plays each move well for what it
# sees. Beginners judge most moves about right and some wrong, by a larger margin the less they have learnt; captures
# look good to them. So these players mostly find a move that is clearly best, and seldom make one that throws the game
# away.

LARGEST = 2.0
"""Largest misjudgement of a move, in standard deviations."""


class Misjudging(RandomStream):
    """Draws the misjudgements of moves."""

    def __init__(self, deviation: float, greed: float, seed: int) -> None:
        super().__init__(seed, "misjudged")
        self.deviation, self.greed = deviation, greed

    def pick(self, board: Board, moves: Sequence[MoveValue], points: int) -> MoveValue:
        """Return the move that seems best; `points` is the number of value points in one of the game's units."""
        return max(
            moves, key=lambda entry: entry.value + points * (self._error() + self.greed * pieces_gained(board, entry))
        )

    def _error(self) -> float:
        error = self.rng.gauss(0.0, self.deviation)
        return max(-LARGEST * self.deviation, min(LARGEST * self.deviation, error))


def pieces_gained(board: Board, entry: MoveValue) -> int:
    """Return by how many pieces a move increases its side's lead; 0 in a game without countable pieces."""
    lead = description_of(board.game).play.piece_lead
    if lead is None:
        return 0
    return -lead(play(board.game, board.position, MOVE(entry.move.code))) - lead(board.position)


# Repeated positions: a player avoids them where it can, unless it stands badly.
#
# A search knows a position, not the game that led to it: moving back and forth looks as good as the first time, and a
# game that the player should win ends as a draw. The root handles this: a side that is behind by more than the search's
# error takes a move that draws the game; otherwise the player does not repeat a position if another move is nearly as
# good. Values alone would not do: values of odd and even depths differ so much that each of two players may believe
# that it is the one that should be content with a draw.


def repeating_moves(board: Board) -> dict[Move, bool]:
    """Return the moves that repeat a position, and for each whether it draws the game."""
    if board.moves_left < ENDLESS_GAME:  # each move uses something up, so that no position can return
        return {}
    # Positions are from the side to move's view: only every other one can recur.
    seen = set(board.positions[::-2])
    repeats = (move for move in board.legal_moves if seen and play(board.game, board.position, MOVE(move.code)) in seen)
    return {move: _draws(board, move) for move in repeats}


def _draws(board: Board, move: Move) -> bool:
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


class BookHabit:
    """The habit of playing from a book."""

    def __init__(self, book: Book, variety: Variety | None = None) -> None:
        self.book, self.variety = book, variety

    def new_game(self, board: Board) -> None:
        """Do nothing: a book does not change."""

    def choose(self, board: Board) -> Choice | None:
        """Return the book's best move in this position, or one nearly as good."""
        moves = self.book.look_up(board)
        if not moves:
            return None
        code, value = moves[0]
        if self.variety is not None:
            code = self.variety.pick_weighted(board, moves, self.book.margin)
            value = dict(moves)[code]
        return Choice(move=board.move(code), value=value, scale=self.book.scale, why="book")

    def played(self, board: Board, choice: Choice) -> None:
        """Do nothing: a book does not learn from games."""
