"""Player that is an external program which speaks the protocol GTP 2."""

import contextlib
import math
import tempfile
import time
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from outflank.boards import Board, Move
from outflank.errors import UnknownName
from outflank.games.description import description_of
from outflank.games.rules import Game
from outflank.games.sides import Side
from outflank.players.clock import Clock, TimeControl
from outflank.players.player import Choice, Player, PlayerFailed
from outflank.players.timing import lateness, safety_margin
from outflank.protocols.client import (
    ANSWER_SECONDS,
    GRACE_SECONDS,
    PATIENCE_SECONDS,
    START_SECONDS,
    Interrupted,
    failed,
    quoted,
)
from outflank.protocols.driving import ProgramPlayer, Refusal, read_move
from outflank.protocols.gtp_game import gtp_name
from outflank.protocols.gtp_server import STOP
from outflank.search.request import Stop

# Time settings for GTP programs. The protocol has main time and then periods (Canadian byo-yomi), and no increment.
# Programs made for other games than Go understand main time and how much of it is left, and many misread a period. So
# main time is sent, unless the player's specification says otherwise.

UNLIMITED = "0 1 0"
"""GTP's form of no limit. It is sent only to cancel a limit, since some programs read it as no time at all."""

LARGER_SHARE = 5
"""Factor by which a program may roughly exceed an even share of its time on one move: if it expects to solve the
endgame, it divides its time by fewer moves. A time per move is therefore sent as a time for the game, which is enough
for 1/`LARGER_SHARE` of the moves that are still expected."""


class ClockStyle(Enum):
    """Form in which a program is sent its time."""

    MAIN = "main"
    """The whole seconds left for the game are sent before each move."""
    PERIODS = "periods"
    """GTP's own form, in which an increment or a time per move is a period of one move."""
    NOTHING = "none"
    """No time is sent; the program's own command line says how long it thinks."""
    EXACTLY = "exactly"
    """Form for our own engine: like `PERIODS`, but with fractions of seconds."""

    @classmethod
    def named(cls, text: str) -> "ClockStyle":
        """Return the style with this name, which a player's specification may use."""
        names = [style.value for style in (cls.MAIN, cls.PERIODS, cls.NOTHING)]
        if text not in names:
            raise UnknownName.among("clock of a program", text, names)
        return cls(text)


def time_settings(control: TimeControl, board: Board, style: ClockStyle) -> str:
    """Return the arguments of GTP's `time_settings`: main time, period, and moves per period."""
    exactly = style is ClockStyle.EXACTLY
    if control.move_seconds is None and control.game_seconds is None:
        return UNLIMITED
    if style is ClockStyle.MAIN:
        return f"{_whole_seconds(_for_the_game(control.move_seconds, control.game_seconds, board))} 0 0"
    if control.move_seconds is not None:
        return f"0 {_seconds_text(control.move_seconds, exactly)} 1"
    assert control.game_seconds is not None
    period = f"{_seconds_text(control.increment_seconds, exactly)} 1" if control.increment_seconds > 0 else "0 0"
    return f"{_seconds_text(control.game_seconds, exactly)} {period}"


def time_left(clock: Clock, board: Board, style: ClockStyle, margin: float) -> str:
    """Return the arguments of GTP's `time_left`: seconds, less `margin` for delays, and moves left in the period."""
    exactly = style is ClockStyle.EXACTLY
    move_seconds = clock.control.move_seconds
    if style is ClockStyle.MAIN:
        game_seconds = _for_the_game(
            move_seconds and move_seconds - margin, clock.left_seconds and clock.left_seconds - margin, board
        )
        return f"{_seconds_text(game_seconds, exactly)} 0"
    assert clock.move_seconds is not None
    return f"{_seconds_text(clock.move_seconds - margin, exactly)} {int(move_seconds is not None)}"


def _for_the_game(move_seconds: float | None, game_seconds: float | None, board: Board) -> float:
    """Return the time left for the game, or a time for the game that makes the program keep to a time per move."""
    if move_seconds is not None:
        return move_seconds * max(1.0, description_of(board.game).play.moves_expected(board) / LARGER_SHARE)
    return game_seconds or 0.0


def _seconds_text(seconds: float, exactly: bool) -> str:
    """Return the text of whole seconds, as in GTP. A time below 1 is a fraction: a program that reads 0 moves at once.

    With `exactly`, every time has a fraction.
    """
    if exactly:
        return f"{max(seconds, 0.001):.3f}"
    return _whole_seconds(seconds) if seconds >= 1 else f"{max(seconds, 0.01):.2f}"


def _whole_seconds(seconds: float) -> str:
    """Return the text of `seconds`, rounded down to an integer of at least 1, since 0 might mean no limit."""
    return str(max(1, math.floor(seconds)))


NEEDED = ("clear_board", "play", "genmove")
"""Commands that a program must know to play a game."""

MOST_STRAYS = 10
"""Largest number of stray lines before an answer; some programs write them when they are busy."""

TRIED_PLIES = 10
"""Number of moves that are played to check a program's board."""


class GtpPlayer(ProgramPlayer):
    """Player that requests moves with `genmove`, and sends the program its time."""

    def __init__(
        self,
        command: str | Sequence[str],
        game: Game,
        *,
        name: str = "",
        style: ClockStyle = ClockStyle.MAIN,
        start_seconds: float = START_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._style = style
        self._known: frozenset[str] = frozenset()
        self._control = TimeControl()
        self._late_seconds = 0.0  # decaying maximum of the time to answer a time command
        self._passes_itself = False
        self._loaded = False
        super().__init__(command, game, name=name, start_seconds=start_seconds, patience_seconds=patience_seconds)

    def _greet(self) -> None:
        self._control, self._loaded = TimeControl(), False
        self._known = frozenset(self._ask("list_commands", self.start_seconds).split())
        missing = [command for command in NEEDED if command not in self._known]
        if missing:
            raise failed("protocol", f"it does not know {', '.join(missing)}")
        if not self.name:
            self.name = self._ask("name") or "gtp"

    def _try(self, board: Board) -> None:
        """Play a few moves; a program with another board refuses one of them."""
        self._show(board)
        line = board.copy()
        try:
            for _ in range(TRIED_PLIES):
                if line.is_game_over:
                    break
                move = line.legal_moves[-1]
                self._play(line.turn, move)
                line.push(move)
        except Refusal as refusal:
            raise Refusal(f"it does not take {board.to_text()!r} as the start of a game ({refusal})") from None

    # --- the dialogue ---

    def _ask(self, command: str, seconds: float = ANSWER_SECONDS) -> str:
        self._program.send(command)
        return self._answer(command, time.monotonic() + seconds)

    def _answer(self, command: str, deadline: float, mark: object = None) -> str:
        """Return the text of the next answer; raise `Refusal` if it is an error."""
        lines: list[str] = []
        strays: list[str] = []
        while True:
            try:
                line = self._program.receive(deadline, mark)
            except PlayerFailed as failure:
                if not strays or lines:
                    raise
                raise failed("protocol", f"{command!r} was answered by {quoted(strays[0])} ({failure})") from None
            if line.strip():
                if not lines and line[0] not in "=?":
                    strays.append(line)
                    if len(strays) > MOST_STRAYS:
                        raise failed("protocol", f"{command!r} was answered by {quoted(strays[0])}")
                else:
                    lines.append(line)
            elif lines:
                break
        if strays:
            self._remark("stray", f"a line before the answer to {command!r} is skipped: {quoted(strays[0])}")
        text = "\n".join(lines)[1:].strip()
        if lines[0][0] == "?":
            raise Refusal(f"{command!r} was refused: {quoted(text)}")
        return text

    # --- its board ---

    def _set_up(self, root: Board) -> None:
        description = description_of(root.game)
        start = description.start(**description.variants.options_of(root.game))
        if self._loaded and root == start:
            # For some programs a loaded position is the start of every game from then on.
            self._leave("quit")
            self._start()
        if "set_game" in self._known:
            self._ask(f"set_game {gtp_name(description)}")
        if len(description.variants.sizes) > 1 and "boardsize" in self._known:
            self._ask(f"boardsize {description.variants.size_of(root.game)}")
        self._ask("clear_board", self.start_seconds)
        if root == start:
            return
        position_file = description.notation.position_file
        self._load(*(("position.txt", f"{root.to_text()}\n") if position_file is None else position_file(root.setup())))

    def _load(self, name: str, text: str) -> None:
        """Load a position from a file called `name`; some programs recognise its format by the suffix."""
        command = "loadsgf" if name.endswith(".sgf") else "loadposition"
        if command not in self._known:
            raise Refusal(f"it knows no {command}, which a game that starts at a position needs")
        self._loaded = True
        with tempfile.TemporaryDirectory(prefix="outflank-") as folder:
            path = Path(folder) / name
            path.write_text(text, encoding="ascii")
            self._ask(f"{command} {path}")

    def _play(self, side: Side, move: Move) -> None:
        try:
            self._ask(f"play {side} {move}")
        except Refusal:
            if str(move) != "pass":
                raise
            self._passes_itself = True  # the program passes by itself, and counts moves in its own way

    def _take_back(self, moves: int) -> bool:
        if "undo" not in self._known or self._passes_itself:
            return False
        for _ in range(moves):
            self._ask("undo")
        return True

    # --- moves and time ---

    def _request_move(self, board: Board, clock: Clock, stop: Stop | None, began: float) -> Choice | None:
        if self._style is not ClockStyle.NOTHING:
            self._tell_time(board, clock)
        seconds = self.patience_seconds if clock.move_seconds is None else clock.move_seconds + GRACE_SECONDS
        command, deadline = f"genmove {board.turn}", began + seconds
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

    def _tell_time(self, board: Board, clock: Clock) -> None:
        """Send the program its time. The absence of a limit is sent only to cancel an earlier limit."""
        style = ClockStyle.EXACTLY if STOP in self._known else self._style
        if clock.control != self._control:
            self._tell("time_settings", time_settings(clock.control, board, style))
            self._control = clock.control
        if clock.move_seconds is not None:
            margin = max(safety_margin(), 2 * self._late_seconds)
            self._tell("time_left", f"{board.turn} {time_left(clock, board, style, margin)}")

    def _tell(self, command: str, words: str) -> None:
        """Send a time command, if the program knows it; log a refusal and go on."""
        if command not in self._known:
            return
        began = time.monotonic()
        try:
            self._ask(f"{command} {words}")
        except Refusal as refusal:
            self._remark(command, str(refusal))
        self._late_seconds = lateness(self._late_seconds, time.monotonic() - began)


def player(command: str | Sequence[str], game: Game, *, clock: str = "main") -> Player:
    """Return a player that runs this command; `clock` is the name of a `ClockStyle`."""
    return GtpPlayer(command, game, style=ClockStyle.named(clock))
