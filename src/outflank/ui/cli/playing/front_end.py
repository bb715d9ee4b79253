"""The interface between a game session and its screen, and the commands that a human can type."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from outflank.boards import Board
from outflank.errors import OutflankError, UnknownName, suggestion
from outflank.games.sides import Side
from outflank.players.clock import Clocks
from outflank.search.request import Stop

LOW_SECONDS, LOW_SHARE = 10.0, 0.1
"""A clock is marked as low below `LOW_SECONDS` seconds, or below `LOW_SHARE` of the side's time for the game."""


@dataclass(slots=True)
class Ticking:
    """The clocks of a game while one side is to move."""

    clocks: Clocks
    side: Side
    began: float = field(default_factory=time.perf_counter)
    earlier_seconds: float = 0.0
    """Seconds that the side to move spent on this move before the time `began`."""

    @property
    def seconds(self) -> float:
        """Seconds since the time `began`, at which the clock was last started."""
        return time.perf_counter() - self.began

    def restarted(self) -> "Ticking":
        """Return the same clocks, with `began` set to now. The time used for the move so far still counts."""
        return Ticking(self.clocks, self.side, earlier_seconds=self.earlier_seconds + self.seconds)

    def left(self, side: Side) -> float | None:
        """Return the seconds that a side has left now; None if its time is not limited."""
        control = self.clocks.controls[side]
        left = self.clocks.left[side] if control.move_seconds is None else control.move_seconds
        return left if left is None or side is not self.side else max(0.0, left - self.earlier_seconds - self.seconds)

    def is_low(self, side: Side) -> bool:
        left, control = self.left(side), self.clocks.controls[side]
        if left is None:
            return False
        if control.move_seconds is not None:
            return left < control.move_seconds / 4
        return left < max(LOW_SECONDS, LOW_SHARE * (control.game_seconds or 0.0))

    def texts(self) -> list[tuple[str, bool]]:
        """Return the time left of each side as text, and whether it is low. The list is empty without a clock."""
        parts = []
        for side in Side:
            left = self.left(side)
            if left is not None:
                low = self.is_low(side)
                parts.append((f"{side} {clock_text(left)}{' low' if low else ''}", low))
        return parts


def clock_text(seconds: float) -> str:
    """Return a time as a clock shows it, with tenths only below `LOW_SECONDS`.

    >>> [clock_text(seconds) for seconds in (300, 59.9, 8.25, 0, 3725)]
    ['5:00', '0:59', '0:08.2', '0:00.0', '1:02:05']
    """
    if seconds < LOW_SECONDS:
        return f"0:{int(seconds * 10) / 10:04.1f}"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


HELP = (
    "a move in any notation ({asks}), or: hint (the three best moves), eval (what the best is worth), "
    "moves (the legal ones), undo, flip (change sides), save FILE, load FILE [NUMBER], resign, quit. "
    "Ctrl-C clears the line; while the computer thinks it makes it move now; pressed again, or on an empty line, "
    "it leaves the game, as Ctrl-D does"
)
"""Reply to the typed command `help`. `{asks}` stands for the game's description of a move."""

COMMANDS = ("help", "hint", "eval", "moves", "undo", "flip", "save", "load", "resign", "quit")

WITH_FILE = ("save", "load")
"""Commands that take a file name."""

AFTERWARDS = ("save", "review", "again", "undo", "quit")
"""Commands that can be typed after the end of a game."""

HELP_AFTERWARDS = "save FILE keeps the game, review goes through it, again plays another, undo takes back, quit leaves"


def refusal_text(word: str, error: OutflankError) -> str:
    """Return the reply to a word that is neither a command nor a move. `error` says why the word is not a move."""
    if word in AFTERWARDS:
        return f"{word!r} is for a game that is over"
    return f"{error}{suggestion(word, COMMANDS)}"


def refuse_afterwards(word: str) -> None:
    """Raise an error for a word that is not a command after the end of a game."""
    if word in COMMANDS:
        raise OutflankError(f"the game is over: no {word!r} now ({HELP_AFTERWARDS})")
    raise UnknownName.among("command", word, AFTERWARDS)


T = TypeVar("T")


class Leave(Exception):
    """Raised when the human ends the session."""


class OutOfTime(Exception):
    """Raised when the human's time has run out before a move was entered."""


class Front(Protocol):
    """User interface of a game session: a terminal or a pipe."""

    def show(self, board: Board, ticking: Ticking) -> None:
        """Draw `board`, with the clocks and the events since the human's last input."""

    def add_event(self, text: str) -> None:
        """Report an event of the game. It stays visible until the human's next input."""

    def reply(self, text: str) -> None:
        """Show `text` as the answer to the human's input."""

    def redraw(self, board: Board, ticking: Ticking) -> None:
        """Redraw the board, if needed, between a reply and the next prompt."""

    def ask(self, prompt: str, words: Sequence[str], ticking: Ticking | None) -> str:
        """Return a line that the human typed, with completion of `words`. Raise `Leave` at the end of the input, and
        `OutOfTime` if the human's time has run out."""

    def clear_events(self) -> None:
        """Remove all events from the screen, because the human has seen them."""

    def close(self) -> None:
        """Print everything that has not been shown yet."""

    def run_work(self, label: str, ticking: Ticking, work: Callable[[], T], stop: Stop) -> T:
        """Run `work`, show that it is running, and return its result. Ctrl-C calls `stop`; a second Ctrl-C exits."""
