"""A player that is a program which speaks NBoard 2."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from outflank.boards import Board, Move, OthelloBoard
from outflank.engine.clock import Clock
from outflank.engine.player import Choice, Player
from outflank.engine.timing import Steady
from outflank.errors import OutflankError
from outflank.games.sides import Side
from outflank.protocols.client import (
    ANSWER_SECONDS,
    GRACE_SECONDS,
    PATIENCE_SECONDS,
    START_SECONDS,
    Interrupted,
    NoAnswer,
    failed,
)
from outflank.protocols.driving import ProgramPlayer, read_move
from outflank.protocols.nboard import named
from outflank.search.contract import Stop

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
    """In discs."""
    depth: int = 0
    nodes: int = 0
    pong: int = 0


class NBoardPlayer(ProgramPlayer):
    """Asks a program with `go`. The protocol has no clock: the program is pinged when its time is up.

    Without a `depth` none is set: the program's own command line says how far it looks.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        game: Any = None,
        *,
        name: str = "",
        depth: int | None = None,
        start_seconds: float = START_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self.depth = depth
        self._pings = 0
        self._heard = _Heard()
        super().__init__(command, game, name=name, start_seconds=start_seconds, patience_seconds=patience_seconds)

    def _greet(self) -> None:
        self._program.send("nboard 2")
        if self.depth is not None:
            self._program.send(f"set depth {self.depth}")
        self._agree(self.start_seconds)
        self.name = self.name or "nboard"

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
            heard.nodes = int(_number(words[1]) or 0)
        elif words[:2] == ["set", "myname"] and len(words) > 2:
            self.name = self.name or words[2]
        elif words[0] == "pong" and len(words) > 1 and words[1].isdecimal():
            heard.pong = int(words[1])

    def _note(self, line: str) -> None:
        found, heard = _search.match(line), self._heard
        value = _number(found[2]) if found else None
        if found is None or value is None:
            return
        depth = int(found[3])
        # Of the moves it names at one depth the first, or the one it says more of, is the one it would play.
        if depth > heard.depth or heard.value is None or (depth == heard.depth and value > heard.value):
            heard.best, heard.value, heard.depth = found[1], value, depth

    def _ping(self) -> None:
        self._pings += 1
        self._program.send(f"ping {self._pings}")

    def _agree(self, seconds: float = ANSWER_SECONDS) -> None:
        """Wait until it has done all it was told, and thinks no more: its board may be changed then."""
        self._ping()
        deadline = time.monotonic() + seconds
        while self._heard.pong != self._pings:
            self._listen(deadline)

    # --- its board ---

    def _set_up(self, root: Board[Any]) -> None:
        self._agree()
        self._program.send(f"set game {_ggf(root)}")

    def _play(self, side: Side, move: Move) -> None:
        self._program.send(f"move {named((move,))}")

    # --- moves ---

    def _asked(self, board: Board[Any], clock: Clock, stop: Stop | None) -> Choice | None:
        self._agree(self.start_seconds)
        self._heard = _Heard(pong=self._pings)
        stopped = self._thought(board, clock, stop)
        heard = self._heard
        if not heard.answer:
            if not stopped:
                raise failed("time", "it answered a ping when its time was up, and named no move")
            return self._second_best(board)
        found = _answer.match(heard.answer)
        assert found is not None
        value = _number(found[2])
        return Choice(
            move=read_move(board, found[1]),
            value=heard.value if value is None else value,
            depth=heard.depth,
            nodes=heard.nodes,
        )

    def _thought(self, board: Board[Any], clock: Clock, stop: Stop | None) -> bool:
        """Listen until it has named a move, or has answered a ping; whether `stop` was called."""
        seconds = self.patience_seconds if clock.move_seconds is None else clock.move_seconds + GRACE_SECONDS
        budget = Steady().budget(board, clock, None).hard_seconds
        now = time.monotonic()
        last = now + seconds
        deadline = last if budget is None else min(last, now + budget)
        stopped = False
        with self._program.interrupting(stop) as mark:
            self._program.send("go")
            pinged = self._pings
            while not self._heard.answer and (self._pings == pinged or self._heard.pong != self._pings):
                try:
                    self._listen(deadline, mark)
                except Interrupted:
                    stopped, deadline = True, time.monotonic() + GRACE_SECONDS
                    self._ping()
                except NoAnswer:
                    if self._pings > pinged or deadline == last:
                        raise
                    deadline = last
                    self._ping()
        return stopped

    def _second_best(self, board: Board[Any]) -> Choice:
        """What its search liked best, where it stopped without naming a move."""
        heard = self._heard
        try:
            return Choice(move=board.parse_move(heard.best), value=heard.value, depth=heard.depth, why="stopped")
        except (OutflankError, ValueError):
            return Choice(move=board.legal_moves[0], why="stopped")


def player(command: str | Sequence[str], game: Any) -> Player:
    """The player that this command starts."""
    return NBoardPlayer(command, game)


def _number(text: str) -> float | None:
    """A number of a program's, in which + signs and percents are usual; None where it is none."""
    try:
        return float(text.strip("%"))
    except ValueError:
        return None


def _ggf(board: Board[Any]) -> str:
    """The position as a game without moves."""
    if not isinstance(board, OthelloBoard):
        raise failed("protocol", "NBoard is for Othello")
    cells, turn = board.to_text().replace("X", "*").split()
    return f"(;GM[Othello]PC[outflank]PB[black]PW[white]RE[?]TI[0]TY[{board.size}]BO[{board.size} {cells} {turn}];)"
