"""A player that is a program which speaks NBoard 2."""

import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from outflank.boards import Board, Move
from outflank.errors import OutflankError
from outflank.formats.game_record import Record
from outflank.games.description import description_of
from outflank.games.sides import Side
from outflank.players.clock import Clock
from outflank.players.player import Choice, Player
from outflank.players.timing import Steady, lateness
from outflank.protocols.client import (
    ANSWER_SECONDS,
    GRACE_SECONDS,
    PATIENCE_SECONDS,
    START_SECONDS,
    Interrupted,
    NoAnswer,
    failed,
    shown,
)
from outflank.protocols.driving import ProgramPlayer, read_move
from outflank.protocols.nboard import DEEPEST, GGF, USUAL_DEPTH, games_in_ggf, named
from outflank.protocols.nboard_clock import written_clock
from outflank.search.contract import Stop

TRY_SECONDS = 5.0
"""For a move at depth 1, after which a program that has named none is asked for a sign of life."""

LATE_AT_FIRST, LATE_AT_LEAST = 0.05, 0.01
"""Seconds that a program takes to answer a ping while it thinks: before that is measured, and whatever was measured.
Another process must be woken for it, and wake us; three times as much is kept in reserve."""

_answer = re.compile(r"===\s*([^\s/]*)[/\s]*([^\s/]*)")
_search = re.compile(r"(?:search|book)\s+(\w\w)\S*\s+(\S+)\s+\S+\s+([0-9]+)")


@dataclass(slots=True)
class _Heard:
    """What a program has said since it was asked."""

    answer: str = ""
    """The line with its move."""
    best: str = ""
    """The move that its search likes."""
    value: float | None = None
    """In the game's unit."""
    depth: int = 0
    nodes: int = 0
    pong: int = 0
    remark: str = ""
    """A line that is none of the protocol's."""


class NBoardPlayer(ProgramPlayer):
    """Asks a program with `go`. It is told what is left on its clock, and pinged when it has thought long enough.

    Some programs name no move before they have been told a depth: without one, where it is None, the program's own
    command line says how far it looks.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        game: Any = None,
        *,
        name: str = "",
        depth: int | None = USUAL_DEPTH,
        start_seconds: float = START_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self.depth = depth
        self._pings = 0
        self._heard = _Heard()
        self._policy = Steady()
        self._policy.lateness.seconds = LATE_AT_FIRST
        self._clock: Clock | None = None
        self._spent: dict[Side, float] = {}
        super().__init__(command, game, name=name, start_seconds=start_seconds, patience_seconds=patience_seconds)

    def _greet(self) -> None:
        self._program.send("nboard 2")
        self._set_depth(self.depth)
        self._agree(self.start_seconds)
        self.name = self.name or "nboard"

    def _set_depth(self, depth: int | None) -> None:
        if depth is not None:
            self._program.send(f"set depth {depth}")

    def _try(self, board: Board[Any]) -> None:
        """By a move that needs little thought."""
        self._set_depth(self.depth and 1)
        self._show(board)
        self._agree(self.start_seconds)
        self._heard = _Heard(pong=self._pings)
        self._program.send("go")
        self._listen_until_answered(time.monotonic() + TRY_SECONDS, time.monotonic() + self.start_seconds)
        if not self._heard.answer:
            remark = f": {shown(self._heard.remark)}" if self._heard.remark else ""
            raise failed("protocol", f"asked for a move, it names none{remark}")
        self._named_move(board)
        self._set_depth(self.depth)
        self._agree(self.start_seconds)

    def new_game(self, board: Board[Any]) -> None:
        """Set its board up anew."""
        self._clock = None
        super().new_game(board)

    # --- the dialogue ---

    def _listen(self, deadline: float, mark: object = None) -> None:
        """Take note of the next line; those that nobody knows say nothing."""
        line, heard = self._program.receive(deadline, mark), self._heard
        words = line.split()
        if not words:
            return
        if words[0].startswith("==="):
            heard.answer = line
        elif words[0] in ("search", "book"):
            self._note(line)
        elif words[0] == "nodestats" and len(words) > 1:
            heard.nodes = _count(words[1])
        elif words[:2] == ["set", "myname"] and len(words) > 2:
            self.name = self.name or words[2]
        elif words[0] == "pong" and len(words) > 1:
            heard.pong = _count(words[1])
        elif words[0] != "status":
            heard.remark = line

    def _note(self, line: str) -> None:
        found, heard = _search.match(line), self._heard
        value = _number(found[2]) if found else None
        if found is None or value is None:
            return
        depth = _count(found[3])
        # Of the moves it names at one depth the first, or the one it says more of, is the one it would play.
        if depth > heard.depth or heard.value is None or (depth == heard.depth and value > heard.value):
            heard.best, heard.value, heard.depth = found[1], value, depth

    def _ping(self) -> float:
        """When it was sent: before, for this thread may have to wait for a processor where the program does not."""
        self._pings += 1
        sent = time.monotonic()
        self._program.send(f"ping {self._pings}")
        return sent

    def _agree(self, seconds: float = ANSWER_SECONDS) -> None:
        """Wait until it has done all it was told, and thinks no more: its board may be changed then."""
        self._ping()
        deadline = time.monotonic() + seconds
        while self._heard.pong != self._pings:
            self._listen(deadline)

    # --- its board ---

    def _look_at(self, clock: Clock, board: Board[Any]) -> None:
        """What both have spent since it was last asked goes with the moves that it is shown."""
        last, self._clock = self._clock, clock
        self._spent = {}
        if clock.left_seconds is None:
            return
        if last is None:
            self._root = None  # its game began without a clock: that was not known yet
            return
        increment = clock.control.increment_seconds
        for side, before, now in (
            (board.turn, last.left_seconds, clock.left_seconds),
            (board.turn.other, last.opponent_seconds, clock.opponent_seconds),
        ):
            if before is not None and now is not None:
                self._spent[side] = max(0.0, before - now + increment)

    def _set_up(self, root: Board[Any]) -> None:
        self._agree()
        self._spent = {}
        self._program.send(f"set game {_ggf(root, '' if self._clock is None else written_clock(self._clock))}")

    def _play(self, side: Side, move: Move) -> None:
        seconds = self._spent.pop(side, None)
        self._program.send(f"move {named((move,))}" + ("" if seconds is None else f"//{seconds:.2f}"))

    # --- moves ---

    def _asked(self, board: Board[Any], clock: Clock, stop: Stop | None, began: float) -> Choice | None:
        self._agree(self.start_seconds)
        self._heard = _Heard(pong=self._pings)
        stopped = self._thought(board, clock, stop, began)
        if self._heard.answer:
            return self._named_move(board)
        if not stopped:
            raise failed("time", "it answered a ping when its time was up, and named no move")
        return self._second_best(board)

    def _named_move(self, board: Board[Any]) -> Choice:
        heard = self._heard
        found = _answer.match(heard.answer)
        assert found is not None
        value = _number(found[2])
        return Choice(
            move=read_move(board, found[1]),
            value=heard.value if value is None else value,
            depth=heard.depth,
            nodes=heard.nodes,
        )

    def _thought(self, board: Board[Any], clock: Clock, stop: Stop | None, began: float) -> bool:
        """Listen until it has named a move, or has answered a ping; whether `stop` was called."""
        most = clock.move_seconds
        last = began + (self.patience_seconds if most is None else most + GRACE_SECONDS)
        if most is not None:
            self._policy.lateness.seconds = min(self._policy.lateness.seconds, most / 6)
        budget = self._policy.budget(board, clock, None).soft_seconds
        self._program.send("go")
        return self._listen_until_answered(last if budget is None else min(last, began + budget), last, stop)

    def _listen_until_answered(self, ping_at: float, last: float, stop: Stop | None = None) -> bool:
        """Until it has named a move, or has answered the ping that comes at a time; whether `stop` was called."""
        stopped, deadline, heard = False, ping_at, self._heard
        pinged: float | None = None
        with self._program.interrupting(stop) as mark:
            while not heard.answer and (pinged is None or heard.pong != self._pings):
                try:
                    self._listen(deadline, mark)
                except Interrupted:
                    stopped, deadline = True, time.monotonic() + GRACE_SECONDS
                    pinged = self._ping()
                except NoAnswer:
                    if pinged is not None or deadline == last:
                        raise
                    deadline = last
                    pinged = self._ping()
        if pinged is not None:
            late = time.monotonic() - pinged
            self._policy.lateness.seconds = lateness(self._policy.lateness.seconds, max(late, LATE_AT_LEAST))
        return stopped

    def _second_best(self, board: Board[Any]) -> Choice:
        """What its search liked best, where it stopped without naming a move."""
        heard = self._heard
        try:
            return Choice(move=board.parse_move(heard.best), value=heard.value, depth=heard.depth, why="stopped")
        except (OutflankError, ValueError):
            return Choice(move=board.legal_moves[0], why="stopped")


def player(command: str | Sequence[str], game: Any, *, depth: str = str(USUAL_DEPTH)) -> Player:
    """The player that this command starts, with the settings that its words may have."""
    if depth != "none" and not (re.fullmatch("[0-9]{1,2}", depth) and 1 <= int(depth) <= DEEPEST):
        raise OutflankError(f"depth={depth}: 1 to {DEEPEST}, or none")
    return NBoardPlayer(command, game, depth=None if depth == "none" else int(depth))


def _number(text: str) -> float | None:
    """A number of a program's, in which + signs and percents are usual; None where it is none."""
    try:
        number = float(text.strip("%"))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _count(text: str) -> int:
    """A number that counts something; 0 where it is none, or more than anybody counts to."""
    number = _number(text)
    return int(number) if number is not None and 0 <= number < 1e15 else 0


def _ggf(board: Board[Any], clock: str) -> str:
    """The position as a game without moves."""
    form = description_of(board.game).notation.files.get(GGF)
    if form is None or form.write is None:
        raise failed("protocol", f"NBoard is for {games_in_ggf()}")
    text = form.write(Record(start=board.setup(), event="outflank", black="black", white="white"))
    # A game under way: there is no result yet, and its clock has whole seconds, whatever is played with.
    return text.strip().replace("PW[white]", f"PW[white]RE[?]{clock}", 1)
