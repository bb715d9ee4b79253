"""The interface through which a session shows a game and asks for moves."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from outflank.boards import Board
from outflank.search.request import Stop
from outflank.ui.cli.playing.running_clocks import Ticking

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
