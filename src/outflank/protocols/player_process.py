"""Runs one of our players in a process and session of its own, so that it meets external programs on equal terms.

Linux divides processor time among sessions first and among their threads second (autogroup scheduling). A player in the
session that started the match would share that session's part with every other process there. A program in a session
of its own would not.
"""

import json
import pickle
import sys
import threading
import time
import warnings
from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.games.rules import Game
from outflank.players.clock import Clock
from outflank.players.player import Choice, Player, PlayerFailed
from outflank.players.processor_use import ProcessorReading, processor_reading
from outflank.players.timing import second_longest
from outflank.protocols.client import ExternalProgram, Interrupted
from outflank.search.request import Stop
from outflank.user_modules import PickledValue, pickle_for_nodes

START_SECONDS = 600.0
"""Timeout for starting the process and making its player: imports are slow on a busy machine."""

NO_TIMEOUT = threading.TIMEOUT_MAX / 2
"""Timeout for an answer, in effect none. The referee keeps the clock, and ends a process that does not answer."""

DELAYS = 20
"""Number of recent requests from which the delay of messages between the processes is estimated."""

LARGEST_DELAY_SHARE = 0.25
"""Largest share of the time for a move that is reserved for messages between the processes."""

_COMMAND = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.buffer.readline());"
    "from outflank.protocols.player_process_main import main; main()"
)
"""Code that the child runs. It takes over this process's import path before it imports anything else."""

Maker = Callable[[str, Game], Player]
"""Function that makes a player from its specification and a game's rules. Each concurrent game has its own players."""


# --- messages, a line each ---


@dataclass(frozen=True, slots=True)
class Make:
    """First request: make the player described by `words`, with the function and the rules in `pickled`."""

    words: str
    pickled: PickledValue


@dataclass(frozen=True, slots=True)
class Ask:
    """Request to call a method of the player."""

    method: str
    arguments: tuple[object, ...]
    with_stop: bool = False
    """Whether the method takes a `Stop`; a line consisting of `stop` triggers it."""


@dataclass(frozen=True, slots=True)
class Made:
    """Answer to `Make`, with the name of the player."""

    name: str
    methods: frozenset[str]
    """Optional methods of players that this player has."""


@dataclass(frozen=True, slots=True)
class Answered:
    """Answer to `Ask`: the value that the method returned."""

    value: Any
    seconds: float
    """Wall-clock time of the call in the child process."""


@dataclass(frozen=True, slots=True)
class Raised:
    """Answer to a request that raised an exception, with its message."""

    what: str
    expected: bool
    """Whether the exception is an `OutflankError`."""


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning issued in the child process, to be issued again in the parent."""

    category: type[Warning]
    text: str


def as_line(message: object) -> str:
    """Return a message as a line of ASCII."""
    return b64encode(pickle.dumps(message)).decode()


def from_line(line: str | bytes) -> Any:
    """Return the message in a line, which is safe to unpickle: it comes from this process's child or parent."""
    return pickle.loads(b64decode(line))


STOP = "stop"
QUIT = "quit"


class PlayerProcess:
    """Proxy of a player in a child process. It answers as the player would answer in this process."""

    def __init__(self, make: Maker, words: str, game: Game) -> None:
        """Start the process. Raise `OutflankError` if a value cannot be pickled, or if the player cannot be made."""
        pickled = pickle_for_nodes((make, game))
        self.name, self._methods = words, frozenset[str]()
        self._delays: deque[float] = deque(maxlen=DELAYS)
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

    # --- methods of a `Player` ---

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        """Return the player's move. The time that messages take is subtracted from its clock."""
        choice: Choice = self._ask(
            "choose", board, _shortened_clock(clock, second_longest(self._delays)), stop=stop or Stop()
        )
        return choice

    def ponder(self, board: Board, *, stop: Stop) -> None:
        self._ask("ponder", board, stop=stop)

    def new_game(self, board: Board) -> None:
        self._ask("new_game", board)

    def reseed(self, seed: int) -> None:
        """Give the player another random seed, if it uses one."""
        if "reseed" in self._methods:
            self._ask("reseed", seed)

    def check(self, board: Board) -> None:
        """Call the player's method `check`, if any, which raises an error if the player cannot play from `board`."""
        if "check" in self._methods:
            self._ask("check", board)

    def processor_reading(self) -> ProcessorReading | None:
        """Return the processor-time counters of the child process."""
        return processor_reading(self._program.pid)

    def close(self) -> None:
        """End the process; kill it if a request is still unanswered."""
        self._program.end("" if self._busy else QUIT)

    # --- the dialogue ---

    def _ask(self, method: str, *arguments: object, stop: Stop | None = None) -> Any:
        began = time.perf_counter()
        self._busy = True
        with self._program.interrupting(stop) as mark:
            self._program.send(as_line(Ask(method, arguments, with_stop=stop is not None)))
            try:
                answer = self._reply(time.monotonic() + NO_TIMEOUT, mark)
            except Interrupted:
                self._program.send(STOP)
                answer = self._reply(time.monotonic() + NO_TIMEOUT)
        self._busy = False
        assert isinstance(answer, Answered)
        self._delays.append(time.perf_counter() - began - answer.seconds)
        return answer.value

    def _reply(self, deadline: float, mark: object = None) -> Any:
        """Return the next message that is not a warning; raise an exception if it is `Raised`."""
        while True:
            message = from_line(self._program.receive(deadline, mark))
            if isinstance(message, Warned):
                warnings.warn(message.text, message.category, stacklevel=4)
            elif isinstance(message, Raised):
                self._busy = False
                raise OutflankError(message.what) if message.expected else PlayerFailed(message.what)
            else:
                return message


def _shortened_clock(clock: Clock, delay: float) -> Clock:
    """Return the clock for a request that is sent now, less the time used so far and the `delay` of messages."""
    used = 0.0 if clock.started is None else time.perf_counter() - clock.started

    def shortened(seconds: float | None) -> float | None:
        return None if seconds is None else max(0.001, seconds - used - min(delay, LARGEST_DELAY_SHARE * seconds))

    control = replace(clock.control, move_seconds=shortened(clock.control.move_seconds))
    # In the child the clock starts when the request arrives.
    return replace(clock, control=control, left_seconds=shortened(clock.left_seconds), started=None)
