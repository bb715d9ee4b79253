"""The game that a GTP controller conducts: a board on which its commands play, and can be taken back one by one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from outflank.boards import Board
from outflank.errors import OutflankError, reason_of
from outflank.games.description import GameDescription, description_of, game_named
from outflank.games.sides import Side

MOST_BYTES = 1 << 20
"""The largest file that is read for a game or a position."""


class CommandRefused(Exception):
    """A command that fails; its text is the answer."""


class GtpGame:
    """A board, and how many moves on it each command made."""

    def __init__(self, game: str) -> None:
        self._layout: dict[str, Any] = {}
        """What was said of the start, beside the board's size."""
        self.board: Board[Any] = _start(game_named(game), {})
        self._steps: list[int] = []

    def set_game(self, game: str, layout: str | None = None) -> None:
        """Another game, at its start; `layout` is the option that says where a game starts, if it has one."""
        description = game_named(game)
        board = _start(description, {})
        known = description.options_of(board.game)
        named = [each.name for each in description.options if each.name not in known]
        said = {name: layout for name in named[:1] if layout is not None}
        if said:
            board = _start(description, said)
        self._layout = said
        self._begin(board)

    def set_size(self, size: int) -> None:
        """Another board, at its start."""
        sizes = self.description.sizes
        if size not in sizes:
            raise CommandRefused("unacceptable size")
        self._begin(_start(self.description, {**self._layout, **sizes[size]}))

    def clear(self) -> None:
        """The start of the same game."""
        description = self.description
        self._begin(_start(description, {**self._layout, **description.options_of(self.board.game)}))

    def load(self, path: str, before: int | None = None) -> None:
        """The position or game in a file, in any notation of the game; `before` its move of that number."""
        if not path:
            raise CommandRefused("syntax error")
        try:
            with Path(path).open("rb") as stream:
                text = stream.read(MOST_BYTES).decode("utf-8", "replace")
            board = _without_draws(Board.from_text(text, game=self.description.name))
        except OSError as error:
            raise CommandRefused(f"cannot load file ({reason_of(error)})") from None
        except ValueError as error:
            raise CommandRefused(f"cannot load file ({' '.join(str(error).split())})") from None
        while before is not None and len(board.moves) >= max(before, 1):
            board.pop()
        self._begin(board)

    @property
    def description(self) -> GameDescription:
        """What is played."""
        return description_of(self.board.game)

    def play(self, side: Side, text: str) -> None:
        """A move of `side`."""
        board = self.board
        if text.lower() == "pass" and self.description.passes and board.is_game_over():
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
            if not board.must_pass:
                raise CommandRefused(f"it is {board.turn}'s turn")
            board.push(board.legal_moves[0])
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


def gtp_name(description: GameDescription) -> str:
    """A game as GTP's commands call it."""
    return description.name.capitalize()


def vertex(board: Board[Any], text: str) -> str:
    """A move's text in capital letters, as GTP has vertices, if the board reads it so; a pass stays as it is."""
    if text == "pass":
        return text
    try:
        board.parse_move(text.upper())
    except OutflankError:
        return text
    return text.upper()


def _start(description: GameDescription, options: dict[str, Any]) -> Board[Any]:
    return _without_draws(description.start(**options))


def _without_draws(board: Board[Any]) -> Board[Any]:
    """Whether a game is drawn by its history, the controller says."""
    without = description_of(board.game).without_draws
    return board if without is None else without(board.copy())
