"""The game that a GTP controller conducts: a board on which its commands play, and can be taken back one by one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from outflank.abalone.board import AbaloneBoard
from outflank.boards import Board
from outflank.errors import OutflankError, reason_of
from outflank.games.sides import Side
from outflank.othello.board import OthelloBoard
from outflank.othello.squares import SIZES

MOST_BYTES = 1 << 20
"""The largest file that is read for a game or a position."""

ACROSS = 9
"""The size of Abalone's board: cells across the middle."""


class CommandRefused(Exception):
    """A command that fails; its text is the answer."""


class GtpGame:
    """A board, and how many moves on it each command made."""

    def __init__(self, game: str) -> None:
        self._layout = "standard"
        self.board: Board[Any] = self._start(game, 8)
        self._steps: list[int] = []

    def set_game(self, game: str, layout: str = "standard") -> None:
        """Another game, at its start."""
        before, self._layout = self._layout, layout
        try:
            self._begin(self._start(game, 8))
        except OutflankError:
            self._layout = before
            raise

    def set_size(self, size: int) -> None:
        """Another board, at its start."""
        if size not in (SIZES if self.game == "othello" else (ACROSS,)):
            raise CommandRefused("unacceptable size")
        self._begin(self._start(self.game, size))

    def clear(self) -> None:
        """The start of the same game."""
        board = self.board
        self._begin(self._start(self.game, board.size if isinstance(board, OthelloBoard) else ACROSS))

    def load(self, path: str, before: int | None = None) -> None:
        """The position or game in a file, in any notation of the game; `before` its move of that number."""
        if not path:
            raise CommandRefused("syntax error")
        try:
            with Path(path).open("rb") as stream:
                text = stream.read(MOST_BYTES).decode("utf-8", "replace")
            board = _without_draws(Board.from_text(text, game=self.game))
        except OSError as error:
            raise CommandRefused(f"cannot load file ({reason_of(error)})") from None
        except ValueError as error:
            raise CommandRefused(f"cannot load file ({' '.join(str(error).split())})") from None
        while before is not None and len(board.moves) >= max(before, 1):
            board.pop()
        self._begin(board)

    @property
    def game(self) -> str:
        """Its name."""
        return "othello" if isinstance(self.board, OthelloBoard) else "abalone"

    def play(self, side: Side, text: str) -> None:
        """A move of `side`."""
        board = self.board
        if text.lower() == "pass" and self.game == "othello" and board.is_game_over():
            self._steps.append(0)  # two passes end a game of Go: programs that know that game send them
            return
        try:
            with self.turn_of(side) as passes:
                board.push(text)
        except (ValueError, CommandRefused):
            raise CommandRefused("illegal move") from None
        self._steps.append(passes + 1)

    def chosen(self, passes: int, move: Any) -> None:
        """The engine's own move, with `passes` made before it."""
        self.board.push(move)
        self._steps.append(passes + 1)

    def ended(self) -> None:
        """A move that was asked for when there are none."""
        self._steps.append(0)

    def undo(self) -> None:
        """Take back what the last command played."""
        if not self._steps:
            raise CommandRefused("cannot undo")
        self.take_back(self._steps.pop())

    @contextmanager
    def turn_of(self, side: Side) -> Iterator[int]:
        """See to it that `side` is to move: the passes that were made, which must be the other's only moves.

        What fails inside leaves the board as it was.
        """
        board, passes = self.board, 0
        if board.turn is not side:
            if not isinstance(board, OthelloBoard) or [move.is_pass for move in board.legal_moves] != [True]:
                raise CommandRefused(f"it is {board.turn}'s turn")
            board.push("pass")
            passes = 1
        try:
            yield passes
        except BaseException:
            self.take_back(passes)
            raise

    def take_back(self, moves: int) -> None:
        """Moves that no command made: they are forgotten."""
        for _ in range(moves):
            self.board.pop()

    def _begin(self, board: Board[Any]) -> None:
        self.board = board
        self._steps = [1] * len(board.moves)

    def _start(self, game: str, size: int) -> Board[Any]:
        if game == "othello":
            return OthelloBoard.start(size)
        return _without_draws(AbaloneBoard.start(self._layout))


def _without_draws(board: Board[Any]) -> Board[Any]:
    """The rules of Abalone have no draw: whether a game is one, the controller says."""
    if isinstance(board, AbaloneBoard):
        board = board.copy()
        board.repetitions = board.ply_limit = None
    return board
