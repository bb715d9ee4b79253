"""The base class of players that are programs: started, kept in step with a board, asked for moves, and ended."""

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

log = logging.getLogger(__name__)
"""Logger of tolerated faults: on standard error, unless the library's user configures it otherwise."""


class Refusal(Exception):
    """The program refused a command."""


class ProgramPlayer:
    """A program that is asked for moves. It is started at once, and again after a failure when it is needed."""

    def __init__(
        self,
        command: str | Sequence[str],
        game: Game,
        *,
        name: str = "",
        start_seconds: float = START_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self.command, self.game, self.name = command, game, name
        self.start_seconds, self.patience_seconds = start_seconds, patience_seconds
        self._running: ExternalProgram | None = None
        self._root: Board | None = None
        self._moves: list[Move] = []
        self._remarked: set[str] = set()
        with self._failing():
            self._start()

    # --- a player ---

    def new_game(self, board: Board) -> None:
        """Set the program's board up anew."""
        with self._failing():
            self._start()
            self._root = None
            self._show(board)

    def check(self, board: Board) -> None:
        """Raise `PlayerFailed` if the program cannot play from this board: once, instead of in every game."""
        with self._failing():
            self._start()
            self._root = None
            if not board.is_game_over():
                self._try(board)
            self._root = None

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        """Return the program's move. A pass that is the only move is not requested."""
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
        """Do nothing: the program thinks when it is asked."""

    def processor_reading(self) -> ProcessorReading | None:
        """Return the processor time that the program has used so far; None if it does not run."""
        running = self._running
        return None if running is None else processor_reading(running.pid)

    def close(self) -> None:
        """End the program."""
        self._leave("quit")

    # --- what a protocol implements ---

    def _greet(self) -> None:
        """Send the first lines to a program that has just been started."""
        raise NotImplementedError

    def _try(self, board: Board) -> None:
        """Find out whether the program can play from this board, without regard to the state of its own board."""
        raise NotImplementedError

    def _set_up(self, root: Board) -> None:
        """Begin a game at this board."""
        raise NotImplementedError

    def _note_clock(self, clock: Clock, board: Board) -> None:
        """Take note of the clock; called before the program is shown the board. Does nothing by default."""

    def _play(self, side: Side, move: Move) -> None:
        """Make a move on the program's board."""
        raise NotImplementedError

    def _take_back(self, moves: int) -> bool:
        """Take moves back on the program's board; return whether it can."""
        return False

    def _request_move(self, board: Board, clock: Clock, stop: Stop | None, began: float) -> Choice | None:
        """Return the program's move; None if it was to stop thinking and did not. The clock has run since `began`."""
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
        """End a program that has failed, so that it is not asked again."""
        try:
            yield
        except Refusal as refusal:
            self._leave()
            raise failed("protocol", str(refusal)) from None
        except (PlayerFailed, Interrupted):
            self._leave()
            raise

    def _show(self, board: Board) -> None:
        """Bring the program's board in step with ours: by the moves that differ, or from the start."""
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
    """Return the move that a program named."""
    try:
        move: Move = board.parse_move(text)
    except IllegalMove:
        raise failed("illegal move", quoted(text)) from None
    except (OutflankError, ValueError):
        raise failed("protocol", f"{quoted(text)} is no move") from None
    return move
