"""The interface through which a session shows a game and asks for moves, and the commands that a human can type."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from outflank.boards import Board
from outflank.errors import OutflankError, UnknownName, suggestion
from outflank.search.request import Stop
from outflank.ui.cli.playing.running_clocks import Ticking

HELP = (
    "a move in any notation ({asks}), or: hint (the three best moves), eval (what the best is worth), "
    "moves (the legal ones), undo, flip (change sides), save FILE, load FILE [NUMBER], resign, quit. "
    "Ctrl-C clears the line; while the computer thinks it makes it move now; pressed again, or on an empty line, "
    "it leaves the game, as Ctrl-D does"
)
"""Reply to `help`; `{asks}` is the game's description of a move."""

COMMANDS = ("help", "hint", "eval", "moves", "undo", "flip", "save", "load", "resign", "quit")

WITH_FILE = ("save", "load")
"""Commands that are followed by a file name."""

AFTERWARDS = ("save", "review", "again", "undo", "quit")
"""Commands after the end of a game."""

HELP_AFTERWARDS = "save FILE keeps the game, review goes through it, again plays another, undo takes back, quit leaves"


def refusal_text(word: str, error: OutflankError) -> str:
    """Return the reply to a word that is neither a command nor a move; `error` is why it is no move."""
    if word in AFTERWARDS:
        return f"{word!r} is for a game that is over"
    return f"{error}{suggestion(word, COMMANDS)}"


def refuse_afterwards(word: str) -> None:
    """Raise an error for a word that is not possible after the end of a game."""
    if word in COMMANDS:
        raise OutflankError(f"the game is over: no {word!r} now ({HELP_AFTERWARDS})")
    raise UnknownName.among("command", word, AFTERWARDS)


T = TypeVar("T")


class Leave(Exception):
    """The human ends the session."""


class OutOfTime(Exception):
    """The human's time ran out before an answer."""


class Front(Protocol):
    """A user interface of a session: a terminal or a pipe."""

    def show(self, board: Board, ticking: Ticking) -> None:
        """Draw the board as it is now, with the events since the human's last action."""

    def add_event(self, text: str) -> None:
        """Report an event of the game, which stays visible until the human has acted."""

    def reply(self, text: str) -> None:
        """Show `text` as the answer to what the human entered."""

    def redraw(self, board: Board, ticking: Ticking) -> None:
        """Redraw the board, if needed, between a reply and the next prompt."""

    def ask(self, prompt: str, words: Sequence[str], ticking: Ticking | None) -> str:
        """Return a line of the human's, with completion of `words`; raise `Leave` at the end of the input, or
        `OutOfTime`."""

    def clear_events(self) -> None:
        """Forget the events so far: the human has acted and has seen them."""

    def close(self) -> None:
        """Print everything that has not been shown yet."""

    def run_work(self, label: str, ticking: Ticking, work: Callable[[], T], stop: Stop) -> T:
        """Do long work and show that it goes on. Ctrl-C calls `stop`, to end it early; a second Ctrl-C is raised."""
