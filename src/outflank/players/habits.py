"""Habits of a player beside its search: opening book, variety, errors of weak levels, and repeated positions."""

import random
import secrets
from collections.abc import Mapping, Sequence
from typing import TypeVar

from outflank.boards import Board, Move
from outflank.books.book import Book
from outflank.games.description import description_of
from outflank.games.rules import ENDLESS_GAME, MOVE, play
from outflank.players.player import Choice
from outflank.search.children import children
from outflank.search.results import MoveValue


class RandomStream:
    """Random numbers for one purpose, which depend on a seed and on the number of the game."""

    def __init__(self, seed: int, purpose: str) -> None:
        self._purpose = purpose
        self.rng = random.Random()
        """Generator of the current game's random numbers."""
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Restart from another seed; a match does so before every game."""
        self.seed, self._games = seed, 0
        self._begin()

    def new_game(self) -> None:
        """Restart for the next game, with other numbers than in the last one."""
        self._games += 1
        self._begin()

    def _begin(self) -> None:
        self.rng.seed(f"{self.seed}/{self._purpose}/{self._games}")


PLIES = 8
"""Number of plies at the start of a game in which moves are varied; later the best move is always taken."""

MOVES = 4
"""Number of moves that get values from a search, so that one of them can be picked at random. Each value costs a
cheap search."""

T = TypeVar("T")


def random_seed() -> int:
    """Return a seed from the system's source of randomness."""
    return secrets.randbelow(1 << 31) + 1


class Variety(RandomStream):
    """Picks the first moves of a game at random among good ones."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, "first moves")

    def moves(self, board: Board) -> int:
        """Return the number of moves for which a search must find values, so that one of them can be picked."""
        return MOVES if board.ply < PLIES else 1

    def pick(self, board: Board, moves: Sequence[tuple[T, int]], near: int) -> T:
        """Pick a random move within `near` of the best, `moves[0]`; after `PLIES` plies, return the best."""
        if board.ply >= PLIES:
            return moves[0][0]
        return self.rng.choice([move for move, value in moves if value >= moves[0][1] - near])

    def pick_weighted(self, board: Board, moves: Sequence[tuple[T, int]], margin: int) -> T:
        """Pick a random move within `margin` of the best, `moves[0]`; after `PLIES` plies, return the best.

        Moves with lower values are picked less often.
        """
        if board.ply >= PLIES:
            return moves[0][0]
        weights = [max(0, margin + 1 - (moves[0][1] - value)) for _, value in moves]
        return self.rng.choices([move for move, _ in moves], weights)[0]


# Weak levels play as human beginners do. A player that moves at random resembles no human, and a shallow search plays
# well as far as it sees. Beginners judge most moves about right and some moves wrong; the less they have learnt, the
# larger their errors. They also overrate captures. A weak level therefore mostly finds a move that is clearly best, and
# seldom makes a move that throws the game away.

LARGEST = 2.0
"""Largest misjudgement of a move, in standard deviations."""


class Misjudging(RandomStream):
    """Picks moves as a weak player would: adds random errors to their values, and overrates captures."""

    def __init__(self, deviation: float, greed: float, seed: int) -> None:
        super().__init__(seed, "misjudged")
        self.deviation, self.greed = deviation, greed

    def pick(self, board: Board, moves: Sequence[MoveValue], points: int) -> MoveValue:
        """Return the move that seems best to a weak player; `points` is the value of one unit of the score."""
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


# Repeated positions: a player avoids them if it can, unless it stands badly. A search knows a position, not the game
# that led to it. To a search, moving back and forth always looks as good as the first time, and a game that the player
# should win ends as a draw. So repetitions are handled at the root. A side that is behind by more than the search's
# error takes a move that draws the game. Otherwise the player does not repeat a position if another move is nearly as
# good. Values alone do not suffice: values of odd and even depths differ so much that each of the two players may
# believe that it is behind and should be content with a draw.


def repeating_moves(board: Board) -> dict[Move, bool]:
    """Return the moves that repeat a position, and for each whether it draws the game."""
    if board.moves_left < ENDLESS_GAME:  # the length of the game is limited, so no position can return
        return {}
    # Positions are seen from the side to move, so only every other one can recur.
    seen = set(board.positions[::-2])
    if not seen:
        return {}
    codes = {child.code for child in children(board.game, board.position) if child.position in seen}
    return {move: _draws(board, move) for move in board.legal_moves if move.code in codes}


def _draws(board: Board, move: Move) -> bool:
    after = board.copy()
    after.push(move)
    outcome = after.outcome()
    return outcome is not None and outcome.winner is None


def preferred_move(moves: Sequence[MoveValue], repeats: Mapping[Move, bool], *, near: int, unsure: int) -> MoveValue:
    """Return the move to make, one of `moves`, which begin with the best one.

    `repeats` has the moves that repeat a position, and for each whether it draws the game. A value within `near` of the
    best is nearly as good; `unsure` is the typical error of the values.
    """
    worth = [MoveValue(move=entry.move, value=-unsure) if repeats.get(entry.move) else entry for entry in moves]
    best = max(worth, key=lambda entry: entry.value)  # the first of equal ones
    if best.value <= -unsure or best.move not in repeats:
        return best
    others = [entry for entry in worth if entry.move not in repeats and entry.value >= best.value - near]
    return max(others, key=lambda entry: entry.value, default=best)


class BookHabit:
    """Plays moves from an opening book, without a search."""

    def __init__(self, book: Book, variety: Variety | None = None) -> None:
        self.book, self.variety = book, variety

    def new_game(self, board: Board) -> None:
        """Do nothing: a book does not change."""

    def choose(self, board: Board) -> Choice | None:
        """Return the book's best move, or with variety one nearly as good; None if the book lacks the position."""
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
