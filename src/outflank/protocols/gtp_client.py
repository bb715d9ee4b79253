"""A player that is a program which speaks GTP 2."""

import contextlib
import math
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from outflank.boards import AbaloneBoard, Board, Move, OthelloBoard
from outflank.engine.clock import Clock, TimeControl
from outflank.engine.player import Choice, Player
from outflank.games.sides import Side
from outflank.protocols.client import ANSWER_SECONDS, GRACE_SECONDS, Interrupted, failed, shown
from outflank.protocols.driving import ProgramPlayer, Refusal, read_move
from outflank.protocols.gtp import STOP
from outflank.search.contract import Stop


class GtpPlayer(ProgramPlayer):
    """Asks a program with `genmove`, and tells it the time."""

    _known: frozenset[str] = frozenset()
    _control: TimeControl | None = None
    _passes_itself = False

    def _greet(self) -> None:
        self._control = None
        self._known = frozenset(self._ask("list_commands", self.start_seconds).split())
        if not self.name:
            self.name = self._ask("name") or "gtp"

    # --- the dialogue ---

    def _ask(self, command: str, seconds: float = ANSWER_SECONDS) -> str:
        self._program.send(command)
        return self._answer(command, time.monotonic() + seconds)

    def _answer(self, command: str, deadline: float, mark: object = None) -> str:
        """The text of the next answer; `Refusal` if it is an error."""
        lines: list[str] = []
        while True:
            line = self._program.receive(deadline, mark)
            if line.strip():
                if not lines and line[0] not in "=?":
                    raise failed("protocol", f"{command!r} was answered by {shown(line)}")
                lines.append(line)
            elif lines:
                break
        text = "\n".join(lines)[1:].strip()
        if lines[0][0] == "?":
            raise Refusal(f"{command!r} was refused: {shown(text)}")
        return text

    # --- its board ---

    def _set_up(self, root: Board[Any]) -> None:
        if "set_game" in self._known:
            self._ask(f"set_game {type(root.game).__name__}")
        if isinstance(root, OthelloBoard) and "boardsize" in self._known:
            self._ask(f"boardsize {root.size}")
        self._ask("clear_board", self.start_seconds)
        if isinstance(root, OthelloBoard) and root != OthelloBoard.start(root.size):
            self._load("loadsgf", _sgf(root))
        elif isinstance(root, AbaloneBoard) and root != AbaloneBoard.start():
            self._load("loadposition", root.to_position_file())

    def _load(self, command: str, text: str) -> None:
        with tempfile.TemporaryDirectory(prefix="outflank-") as folder:
            path = Path(folder) / "position"
            path.write_text(text, encoding="ascii")
            self._ask(f"{command} {path}")

    def _play(self, side: Side, move: Move) -> None:
        try:
            self._ask(f"play {side} {move}")
        except Refusal:
            if str(move) != "pass":
                raise
            self._passes_itself = True  # it needs no telling, and counts moves in its own way

    def _take_back(self, moves: int) -> bool:
        if "undo" not in self._known or self._passes_itself:
            return False
        for _ in range(moves):
            self._ask("undo")
        return True

    # --- moves and time ---

    def _asked(self, board: Board[Any], clock: Clock, stop: Stop | None) -> Choice | None:
        self._tell_time(board.turn, clock)
        seconds = self.patience_seconds if clock.move_seconds is None else clock.move_seconds + GRACE_SECONDS
        command, deadline = f"genmove {board.turn}", time.monotonic() + seconds
        with self._program.interrupting(stop) as mark:
            self._program.send(command)
            try:
                text = self._answer(command, deadline, mark)
            except Interrupted:
                if STOP not in self._known:
                    return None
                text = self._stopped(command)
        if text.lower() == "resign":
            raise failed("resigned", "it gave the game up")
        move = read_move(board, text)
        self._moves.append(move)
        return Choice(move=move)

    def _stopped(self, command: str) -> str:
        self._program.send(STOP)
        text = self._answer(command, time.monotonic() + GRACE_SECONDS)
        with contextlib.suppress(Refusal):
            self._answer(STOP, time.monotonic() + GRACE_SECONDS)
        return text

    def _tell_time(self, side: Side, clock: Clock) -> None:
        exactly = STOP in self._known
        if clock.control != self._control and "time_settings" in self._known:
            self._ask(f"time_settings {_settings(clock.control, exactly)}")
            self._control = clock.control
        if "time_left" in self._known and clock.move_seconds is not None:
            stones = int(clock.control.move_seconds is not None)
            self._ask(f"time_left {side} {_seconds(clock.move_seconds, exactly)} {stones}")


def player(command: str | Sequence[str], game: Any) -> Player:
    """The player that this command starts."""
    return GtpPlayer(command, game)


def _settings(control: TimeControl, exactly: bool) -> str:
    """Main time, the period and its moves. GTP has no increment: a period for each move comes nearest."""
    if control.move_seconds is not None:
        return f"0 {_seconds(control.move_seconds, exactly)} 1"
    if control.game_seconds is None:
        return "0 1 0"  # as it says that there is no limit
    main = _seconds(control.game_seconds, exactly)
    if control.increment_seconds > 0:
        return f"{main} {_seconds(control.increment_seconds, exactly)} 1"
    return f"{main} 0 0"


def _seconds(seconds: float, exactly: bool) -> str:
    """Whole ones, as GTP has it, for programs that are not ours; never none, which might mean no limit."""
    return f"{max(seconds, 0.001):.3f}" if exactly else str(max(1, math.floor(seconds)))


def _sgf(board: OthelloBoard) -> str:
    """The position as a game without moves."""
    cells = board.to_text().split()[0]
    squares = {mark: [place for place, cell in enumerate(cells) if cell == mark] for mark in "XO"}
    stones = "".join(
        name + "".join(f"[{'abcdefgh'[place % board.size]}{place // board.size + 1}]" for place in squares[mark])
        for name, mark in (("AB", "X"), ("AW", "O"))
        if squares[mark]
    )
    return f"(;FF[4]GM[2]SZ[{board.size}]{stones}PL[{board.turn.value[0].upper()}])\n"
