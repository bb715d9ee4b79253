"""Base class of players that are external programs: starts the program, keeps its board up to date, requests moves."""

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from outflank.boards import Board, Move
from outflank.errors import IllegalMove, OutflankError
from outflank.games.rules import Game
from outflank.games.sides import Side
from outflank.players.clock import Clock
from outflank.players.player import Choice, PlayerFailed
from outflank.players.processor_use import ProcessorReading, processor_reading
from outflank.protocols.client import PATIENCE_SECONDS, START_SECONDS, ExternalProgram, Interrupted, failed, quoted
from outflank.search.request import Stop
from outflank.validation.quoted_words import split_words

log = logging.getLogger(__name__)
"""Logger of tolerated faults of programs; it writes to standard error, unless it is configured otherwise."""


class Refusal(Exception):
    """The program refused a command."""


class ProgramPlayer:
    """Player that is an external program. It is started at once; after a failure, it is started again when needed."""

    def __init__(
        self,
        command: str | Sequence[str],
        game: Game,
        *,
        name: str = "",
        start_seconds: float = START_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self.command = split_words(command) if isinstance(command, str) else list(command)
        self.game, self.name = game, name
        self.start_seconds, self.patience_seconds = start_seconds, patience_seconds
        self._running: ExternalProgram | None = None
        self._root: Board | None = None
        self._moves: list[Move] = []
        self._remarked: set[str] = set()
        with self._failing():
            self._start()

    # --- methods of a `Player` ---

    def new_game(self, board: Board) -> None:
        with self._failing():
            self._start()
            self._root = None
            self._show(board)

    def check(self, board: Board) -> None:
        """Raise `PlayerFailed` if the program cannot play from this board; called once, before the first game."""
        with self._failing():
            self._start()
            self._root = None
            if not board.is_game_over:
                self._try(board)
            self._root = None

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        """Return the program's move; a forced pass is made without a request."""
        began = time.monotonic()
        if board.must_pass:
            return Choice(move=board.legal_moves[0], why="only move")
        with self._failing():
            self._start()
            self._note_clock(clock, board)
            self._show(board)
            choice = self._request_move(board, clock, stop, began)
        if choice is None:
            self._leave()  # it still thinks, and cannot be told to stop
            return Choice(move=board.legal_moves[0], why="stopped")
        return choice

    def ponder(self, board: Board, *, stop: Stop) -> None:
        """Do nothing: the program thinks only when a move is requested."""

    def processor_reading(self) -> ProcessorReading | None:
        """Return the processor time that the program has used so far; None if it is not running."""
        running = self._running
        return None if running is None else processor_reading(running.pid)

    def close(self) -> None:
        """End the program."""
        self._leave("quit")

    # --- methods that each protocol implements ---

    def _greet(self) -> None:
        """Send the first lines to a program that has just been started."""
        raise NotImplementedError

    def _try(self, board: Board) -> None:
        """Raise an error if the program cannot play from this board. Its own board may be left in any state."""
        raise NotImplementedError

    def _set_up(self, root: Board) -> None:
        """Begin a game at this position on the program's board."""
        raise NotImplementedError

    def _note_clock(self, clock: Clock, board: Board) -> None:
        """Note the clock, before the board is sent to the program. Does nothing by default."""

    def _play(self, side: Side, move: Move) -> None:
        """Make a move on the program's board."""
        raise NotImplementedError

    def _take_back(self, moves: int) -> bool:
        """Take back moves on the program's board; return whether the program can do so."""
        return False

    def _request_move(self, board: Board, clock: Clock, stop: Stop | None, began: float) -> Choice | None:
        """Return the program's move; None if `stop` was called and the program cannot be told to stop.

        The clock has run since `began`.
        """
        raise NotImplementedError

    # --- the program and its board ---

    @property
    def _program(self) -> ExternalProgram:
        assert self._running is not None
        return self._running

    def _start(self) -> None:
        if self._running is None:
            self._running = ExternalProgram(self.command)
            self._greet()

    def _leave(self, farewell: str = "") -> None:
        program, self._running, self._root = self._running, None, None
        if program is not None:
            program.end(farewell)

    def _remark(self, kind: str, detail: str) -> None:
        """Log a tolerated fault, once for each kind."""
        if kind not in self._remarked:
            self._remarked.add(kind)
            log.warning("outflank: %s: %s", self.name or self.command, detail)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """End the program if it fails in this block, so that the next request starts it anew."""
        try:
            yield
        except Refusal as refusal:
            self._leave()
            raise failed("protocol", str(refusal)) from None
        except (PlayerFailed, Interrupted):
            self._leave()
            raise

    def _show(self, board: Board) -> None:
        """Make the program's board equal to `board`: take back and play moves, or set up the game again."""
        root, moves = board.copy(), list(board.moves)
        while root.moves:
            root.pop()
        common = 0
        while common < min(len(moves), len(self._moves)) and moves[common] == self._moves[common]:
            common += 1
        back = len(self._moves) - common
        if root != self._root or (back > 0 and not self._take_back(back)):
            self._set_up(root)
            self._root, common = root, 0
        self._moves = moves[:common]
        side = root.turn if common % 2 == 0 else root.turn.other
        for move in moves[common:]:
            self._play(side, move)
            self._moves.append(move)
            side = side.other


def read_move(board: Board, text: str) -> Move:
    """Return the move that a program named; raise `PlayerFailed` if it is illegal or no move at all."""
    try:
        move: Move = board.parse_move(text)
    except IllegalMove:
        raise failed("illegal move", quoted(text)) from None
    except (OutflankError, ValueError):
        raise failed("protocol", f"{quoted(text)} is no move") from None
    return move
