"""The board that GTP commands change, with the number of moves that `undo` takes back for each command."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from outflank.boards import Board, Move
from outflank.errors import OutflankError, reason_of
from outflank.games.description import GameDescription, description_of, game_named
from outflank.games.sides import Side

MOST_BYTES = 1 << 20
"""Size, in bytes, of the largest file with a game or a position that is read."""


class CommandRefused(Exception):
    """A GTP command failed; the message is the answer to it."""


class GtpGame:
    """A board, and the number of moves that each command made on it, for `undo`."""

    def __init__(self, game: str) -> None:
        self._layout: Mapping[str, object] = {}
        """Options of the starting position, except the board's size."""
        self.board: Board = _start(game_named(game), {})
        self._steps: list[int] = []

    def set_game(self, game: str, layout: str | None = None) -> None:
        """Begin another game; `layout` selects the starting position, if the game has an option for it."""
        description = game_named(game)
        board = _start(description, {})
        known = description.variants.options_of(board.game)
        start_options = [option.name for option in description.variants.options if option.name not in known]
        options = {name: layout for name in start_options[:1] if layout is not None}
        if options:
            board = _start(description, options)
        self._layout = options
        self._begin(board)

    def set_size(self, size: int) -> None:
        """Begin a game on a board of this size."""
        sizes = self.description.variants.sizes
        if size not in sizes:
            raise CommandRefused("unacceptable size")
        self._begin(_start(self.description, {**self._layout, **sizes[size]}))

    def clear(self) -> None:
        """Begin the same game again."""
        description = self.description
        self._begin(_start(description, {**self._layout, **description.variants.options_of(self.board.game)}))

    def load(self, path: str, before: int | None = None) -> None:
        """Load the position or game in a file, in any notation of the game, up to move `before` (exclusive)."""
        if not path:
            raise CommandRefused("syntax error")
        try:
            with Path(path).open("rb") as stream:
                data = stream.read(MOST_BYTES + 1)
            if len(data) > MOST_BYTES:
                raise CommandRefused(f"cannot load file (larger than {MOST_BYTES:,} bytes)")
            text = data.decode("utf-8", "replace")
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
        """Description of the game on the board."""
        return description_of(self.board.game)

    def play(self, side: Side, text: str) -> None:
        """Play a move of `side`."""
        board = self.board
        if text.lower() == "pass" and self.description.passes and board.is_game_over:
            self._steps.append(0)  # a pass after the end: programs made for Go, where two passes end a game, send it
            return
        try:
            with self.turn_of(side) as passes:
                board.push(text)
        except (ValueError, CommandRefused):
            raise CommandRefused("illegal move") from None
        self._steps.append(passes + 1)

    def push_own_move(self, passes: int, move: Move) -> None:
        """Play the engine's own move, and record it with the `passes` that were made before it."""
        self.board.push(move)
        self._steps.append(passes + 1)

    def push_nothing(self) -> None:
        """Record a command that made no move because the game is over."""
        self._steps.append(0)

    def undo(self) -> None:
        """Take back the moves of the last command."""
        if not self._steps:
            raise CommandRefused("cannot undo")
        self.take_back(self._steps.pop())

    @contextmanager
    def turn_of(self, side: Side) -> Iterator[int]:
        """Give `side` the turn, by a forced pass of the other side if needed; yield the number of passes, 0 or 1.

        An exception in the block restores the board.
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
        """Take back the last `moves` moves on the board; the recorded commands do not change."""
        for _ in range(moves):
            self.board.pop()

    def _begin(self, board: Board) -> None:
        self.board = board
        self._steps = [1] * len(board.moves)


def gtp_name(description: GameDescription) -> str:
    """Return the name of a game in GTP's commands."""
    return description.name.capitalize()


def vertex(board: Board, text: str) -> str:
    """Return a move's text in capitals, as GTP writes vertices, if the board can read capitals; a pass is unchanged."""
    if text == "pass":
        return text
    try:
        board.parse_move(text.upper())
    except OutflankError:
        return text
    return text.upper()


def _start(description: GameDescription, options: Mapping[str, object]) -> Board:
    return _without_draws(description.start(**options))


def _without_draws(board: Board) -> Board:
    """Return the board under rules without draws by repetition or length: the GTP controller declares such draws."""
    without = description_of(board.game).without_draws
    return board if without is None else without(board.copy())
