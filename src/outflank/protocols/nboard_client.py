"""A player backed by an external program that speaks NBoard 2."""

import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from outflank.boards import Board, Move
from outflank.errors import OutflankError
from outflank.formats.game_record import Record
from outflank.games.description import description_of
from outflank.games.rules import Game
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
    quoted,
)
from outflank.protocols.driving import ProgramPlayer, read_move
from outflank.protocols.nboard_server import DEEPEST, DEFAULT_DEPTH, GGF, clock_property, games_in_ggf, moves_text
from outflank.search.request import Stop

TRY_SECONDS = 5.0
"""Time for a test move at depth 1, after which a program that has named no move is pinged."""

LATE_AT_FIRST, LATE_AT_LEAST = 0.05, 0.01
"""Expected time, in seconds, until a thinking program answers a ping: the value before the first measurement, and the
least value after it. The program must be woken for the ping, and this process for the answer. Three times as much is
kept in reserve."""

_answer = re.compile(r"===\s*([^\s/]*)[/\s]*([^\s/]*)")
_search = re.compile(r"(?:search|book)\s+(\w\w)\S*\s+(\S+)\s+\S+\s+([0-9]+)")


@dataclass(slots=True)
class _Reply:
    """Content of the lines that a program has sent since the last request."""

    answer: str = ""
    """Line that names the program's move."""
    best: str = ""
    """Best move that the program's search has reported."""
    value: float | None = None
    """Value of the best move, in the game's unit."""
    depth: int = 0
    nodes: int = 0
    pong: int = 0
    remark: str = ""
    """Last line that is not part of the protocol."""


class NBoardPlayer(ProgramPlayer):
    """Requests moves with `go`, sends the time left on the clock, and pings the program when its budget is used up.

    Some programs name no move before a depth is set. If `depth` is None, no depth is sent, and the program's own
    command line says how deep it searches.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        game: Game = None,
        *,
        name: str = "",
        depth: int | None = DEFAULT_DEPTH,
        start_seconds: float = START_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self.depth = depth
        self._pings = 0
        self._reply = _Reply()
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

    def _try(self, board: Board) -> None:
        """Request a move at depth 1, which needs little thinking."""
        self._set_depth(self.depth and 1)
        self._show(board)
        self._agree(self.start_seconds)
        self._reply = _Reply(pong=self._pings)
        self._program.send("go")
        self._listen_until_answered(time.monotonic() + TRY_SECONDS, time.monotonic() + self.start_seconds)
        if not self._reply.answer:
            remark = f": {quoted(self._reply.remark)}" if self._reply.remark else ""
            raise failed("protocol", f"asked for a move, it names none{remark}")
        self._named_move(board)
        self._set_depth(self.depth)
        self._agree(self.start_seconds)

    def new_game(self, board: Board) -> None:
        self._clock = None
        super().new_game(board)

    # --- the dialogue ---

    def _listen(self, deadline: float, mark: object = None) -> None:
        """Process the next line of the program; unknown lines are only remembered."""
        line, reply = self._program.receive(deadline, mark), self._reply
        words = line.split()
        if not words:
            return
        if words[0].startswith("==="):
            reply.answer = line
        elif words[0] in ("search", "book"):
            self._note(line)
        elif words[0] == "nodestats" and len(words) > 1:
            reply.nodes = _count(words[1])
        elif words[:2] == ["set", "myname"] and len(words) > 2:
            self.name = self.name or words[2]
        elif words[0] == "pong" and len(words) > 1:
            reply.pong = _count(words[1])
        elif words[0] != "status":
            reply.remark = line

    def _note(self, line: str) -> None:
        match, reply = _search.match(line), self._reply
        value = _number(match[2]) if match else None
        if match is None or value is None:
            return
        depth = _count(match[3])
        # Of the moves that a program reports at one depth, it would play the first one with the greatest value.
        if depth > reply.depth or reply.value is None or (depth == reply.depth and value > reply.value):
            reply.best, reply.value, reply.depth = match[1], value, depth

    def _ping(self) -> float:
        """Send a ping; return the time before sending, since this thread may wait for a core afterwards."""
        self._pings += 1
        sent = time.monotonic()
        self._program.send(f"ping {self._pings}")
        return sent

    def _agree(self, seconds: float = ANSWER_SECONDS) -> None:
        """Wait until the program has processed every line and no longer thinks, so that its board may be changed."""
        self._ping()
        deadline = time.monotonic() + seconds
        while self._reply.pong != self._pings:
            self._listen(deadline)

    # --- its board ---

    def _note_clock(self, clock: Clock, board: Board) -> None:
        """Note the time that both sides have spent since the last request; it is sent with their moves."""
        last, self._clock = self._clock, clock
        self._spent = {}
        if clock.left_seconds is None:
            return
        if last is None:
            self._root = None  # the program's game began without a clock: set it up again
            return
        increment = clock.control.increment_seconds
        for side, before, now in (
            (board.turn, last.left_seconds, clock.left_seconds),
            (board.turn.other, last.opponent_seconds, clock.opponent_seconds),
        ):
            if before is not None and now is not None:
                self._spent[side] = max(0.0, before - now + increment)

    def _set_up(self, root: Board) -> None:
        self._agree()
        self._spent = {}
        self._program.send(f"set game {_ggf(root, '' if self._clock is None else clock_property(self._clock))}")

    def _play(self, side: Side, move: Move) -> None:
        seconds = self._spent.pop(side, None)
        self._program.send(f"move {moves_text((move,))}" + ("" if seconds is None else f"//{seconds:.2f}"))

    # --- moves ---

    def _request_move(self, board: Board, clock: Clock, stop: Stop | None, began: float) -> Choice | None:
        self._agree(self.start_seconds)
        self._reply = _Reply(pong=self._pings)
        stopped = self._wait_for_move(board, clock, stop, began)
        if self._reply.answer:
            return self._named_move(board)
        if not stopped:
            raise failed("time", "it answered a ping when its time was up, and named no move")
        return self._second_best(board)

    def _named_move(self, board: Board) -> Choice:
        reply = self._reply
        match = _answer.match(reply.answer)
        assert match is not None
        value = _number(match[2])
        return Choice(
            move=read_move(board, match[1]),
            value=reply.value if value is None else value,
            depth=reply.depth,
            nodes=reply.nodes,
        )

    def _wait_for_move(self, board: Board, clock: Clock, stop: Stop | None, began: float) -> bool:
        """Request a move, and listen for it or for the answer to a ping; return whether `stop` was called."""
        most = clock.move_seconds
        last = began + (self.patience_seconds if most is None else most + GRACE_SECONDS)
        if most is not None:
            self._policy.lateness.seconds = min(self._policy.lateness.seconds, most / 6)
        budget = self._policy.budget(board, clock, None).soft_seconds
        self._program.send("go")
        return self._listen_until_answered(last if budget is None else min(last, began + budget), last, stop)

    def _listen_until_answered(self, ping_at: float, last: float, stop: Stop | None = None) -> bool:
        """Listen for a move, or the answer to a ping at `ping_at`; return whether `stop` was called."""
        stopped, deadline, reply = False, ping_at, self._reply
        pinged: float | None = None
        with self._program.interrupting(stop) as mark:
            while not reply.answer and (pinged is None or reply.pong != self._pings):
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

    def _second_best(self, board: Board) -> Choice:
        """Return the best move that the program's search reported, else the first legal move, if it named no move."""
        reply = self._reply
        try:
            return Choice(move=board.parse_move(reply.best), value=reply.value, depth=reply.depth, why="stopped")
        except (OutflankError, ValueError):
            return Choice(move=board.legal_moves[0], why="stopped")


def player(command: str | Sequence[str], game: Game, *, depth: str = str(DEFAULT_DEPTH)) -> Player:
    """Return a player that runs this command; `depth` is a search depth, or `none` to send no depth."""
    if depth != "none" and not (re.fullmatch("[0-9]{1,2}", depth) and 1 <= int(depth) <= DEEPEST):
        raise OutflankError(f"depth={depth}: 1 to {DEEPEST}, or none")
    return NBoardPlayer(command, game, depth=None if depth == "none" else int(depth))


def _number(text: str) -> float | None:
    """Return a program's number, which may have a + sign or a percent sign; None if it is not a number."""
    try:
        number = float(text.strip("%"))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _count(text: str) -> int:
    """Return a count; 0 if the text is not a number, or is implausibly large."""
    number = _number(text)
    return int(number) if number is not None and 0 <= number < 1e15 else 0


def _ggf(board: Board, clock: str) -> str:
    """Return the position as a game without moves, in GGF."""
    form = description_of(board.game).notation.files.get(GGF)
    if form is None or form.write is None:
        raise failed("protocol", f"NBoard is for {games_in_ggf()}")
    text = form.write(Record(start=board.setup(), event="outflank", black="black", white="white"))
    # The game is in progress: it has no result yet, and has a clock in whole seconds.
    return text.strip().replace("PW[white]", f"PW[white]RE[?]{clock}", 1)
