"""A player of ours in a process and session of its own, as other programs are: both sides of a game are started alike.

Linux shares the processors among sessions before it shares them among threads, so a player in the session of whoever
started a match would share with everything else there, and a program in a session of its own with nobody.
"""

import json
import pickle
import sys
import threading
import time
import warnings
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from outflank.boards import Board
from outflank.distributed.pickling import pickle_for_nodes
from outflank.errors import OutflankError
from outflank.players.clock import Clock
from outflank.players.player import Choice, Player, PlayerFailed
from outflank.players.processor_use import ProcessorReading, processor_reading
from outflank.protocols.client import ExternalProgram, Interrupted
from outflank.search.contract import Stop

START_SECONDS = 600.0
"""For the process to start and to make its player: it imports much, on a machine that may be busy."""

WITHOUT_END = threading.TIMEOUT_MAX / 2
"""For a move: whether the time sufficed, the referee says, and ends a process that does not come back."""

LARGEST_DELAY_SHARE = 0.25
"""The part of the time for a move that is kept back for messages, at most."""

_COMMAND = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.buffer.readline());"
    "from outflank.protocols.player_process_main import main; main()"
)
"""Modules are looked for where this process looks for them, before any but Python's own is imported."""

Maker = Callable[[str, Any], Player]


# --- messages, a line each ---


@dataclass(frozen=True, slots=True)
class Make:
    """First of all: make the player of these words, by the function and for the rules in `pickled`."""

    words: str
    pickled: Any


@dataclass(frozen=True, slots=True)
class Ask:
    """Call a method of the player."""

    method: str
    arguments: tuple[Any, ...]
    with_stop: bool = False
    """Whether it takes a `Stop`, which the word `stop` on a line of its own calls."""


@dataclass(frozen=True, slots=True)
class Made:
    """The player is there."""

    name: str
    methods: frozenset[str]
    """Those that not every player has."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a method returned."""

    value: Any
    seconds: float
    """The wall clock that it took there."""


@dataclass(frozen=True, slots=True)
class Raised:
    """What a method raised, in words."""

    what: str
    expected: bool
    """Whether it is an `OutflankError`."""


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning, to be repeated here."""

    category: type[Warning]
    text: str


def as_line(message: Any) -> str:
    """Write a message as a line of ASCII."""
    return b64encode(pickle.dumps(message)).decode()


def from_line(line: str | bytes) -> Any:
    """Read a message. It comes from a process that this one has started, or was started by."""
    return pickle.loads(b64decode(line))


STOP = "stop"
QUIT = "quit"


class PlayerProcess:
    """A player that a process of its own has made and asks. What it answers is what it would have answered here."""

    def __init__(self, make: Maker, words: str, game: Any) -> None:
        """Raise `OutflankError` where the function or the rules cannot be sent, or the player cannot be made there."""
        pickled = pickle_for_nodes((make, game))
        self.name, self._methods = words, frozenset[str]()
        self._delay_seconds = 0.0
        self._busy = False
        try:
            self._program = ExternalProgram([sys.executable, "-c", _COMMAND], own=True)
        except PlayerFailed as failure:
            raise OutflankError(str(failure)) from None
        try:
            self._program.send(json.dumps([str(folder) for folder in sys.path]))
            self._program.send(as_line(Make(words, pickled)))
            made = self._reply(time.monotonic() + START_SECONDS)
        except BaseException as failure:
            self._program.end()
            if isinstance(failure, PlayerFailed):
                raise OutflankError(str(failure)) from None
            raise
        assert isinstance(made, Made)
        self.name, self._methods = made.name, made.methods

    # --- a player ---

    def choose(self, board: Board[Any], clock: Clock, *, stop: Stop | None = None) -> Choice:
        """Ask it, with the time that messages take kept back from its clock."""
        choice: Choice = self._ask("choose", board, _less(clock, self._delay_seconds), stop=stop or Stop())
        return choice

    def ponder(self, board: Board[Any], *, stop: Stop) -> None:
        """Have it think until `stop` is called."""
        self._ask("ponder", board, stop=stop)

    def new_game(self, board: Board[Any]) -> None:
        """Have it begin a game."""
        self._ask("new_game", board)

    def reseed(self, seed: int) -> None:
        """Have it draw other lots, if it draws any."""
        if "reseed" in self._methods:
            self._ask("reseed", seed)

    def check(self, board: Board[Any]) -> None:
        """Have it see whether it can play from this board, if it can tell."""
        if "check" in self._methods:
            self._ask("check", board)

    def processor_reading(self) -> ProcessorReading | None:
        """Read what its process has used so far."""
        return processor_reading(self._program.pid)

    def close(self) -> None:
        """End the process: at once if it is asked something at this moment, for then it has not come back."""
        self._program.end("" if self._busy else QUIT)

    # --- the dialogue ---

    def _ask(self, method: str, *arguments: Any, stop: Stop | None = None) -> Any:
        began = time.perf_counter()
        self._busy = True
        with self._program.interrupting(stop) as mark:
            self._program.send(as_line(Ask(method, arguments, with_stop=stop is not None)))
            try:
                answer = self._reply(time.monotonic() + WITHOUT_END, mark)
            except Interrupted:
                self._program.send(STOP)
                answer = self._reply(time.monotonic() + WITHOUT_END)
        self._busy = False
        assert isinstance(answer, Answered)
        delay = time.perf_counter() - began - answer.seconds
        self._delay_seconds = max(delay, self._delay_seconds / 2)
        return answer.value

    def _reply(self, deadline: float, mark: object = None) -> Any:
        """The next message that is no warning; raises what was raised there."""
        while True:
            message = from_line(self._program.receive(deadline, mark))
            if isinstance(message, Warned):
                warnings.warn(message.text, message.category, stacklevel=4)
            elif isinstance(message, Raised):
                self._busy = False
                raise OutflankError(message.what) if message.expected else PlayerFailed(message.what)
            else:
                return message


def _less(clock: Clock, delay: float) -> Clock:
    """A clock with less on it."""

    def shortened(seconds: float | None) -> float | None:
        return None if seconds is None else seconds - min(delay, LARGEST_DELAY_SHARE * seconds)

    control = replace(clock.control, move_seconds=shortened(clock.control.move_seconds))
    # It starts when the player is asked there: the time until then is part of the delay.
    return replace(clock, control=control, left_seconds=shortened(clock.left_seconds), started=None)
