"""What a game is played through: something that shows it and asks for moves."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from outflank.boards import Board
from outflank.search.contract import Stop
from outflank.ui.cli.playing.ticking import Ticking

T = TypeVar("T")


class Leave(Exception):
    """The human does not want to go on."""


class OutOfTime(Exception):
    """The human's time ran out while the question stood there."""


class Front(Protocol):
    """A terminal, or a pipe."""

    def show(self, board: Board[Any], ticking: Ticking) -> None:
        """The board as it is now, with what has happened since it was last asked about."""

    def happened(self, text: str) -> None:
        """Something of the game, which stays until the human has seen it."""

    def tell(self, text: str) -> None:
        """An answer to the human."""

    def answered(self, board: Board[Any], ticking: Ticking) -> None:
        """The human has been answered and will be asked again."""

    def ask(self, prompt: str, words: Sequence[str], ticking: Ticking | None) -> str:
        """A line of the human's, who may complete `words`; raises `Leave` at the end of the input, or `OutOfTime`."""

    def seen(self) -> None:
        """The human has acted: what happened before is known."""

    def close(self) -> None:
        """Print what has not been seen yet."""

    def working(self, what: str, ticking: Ticking, work: Callable[[], T], stop: Stop) -> T:
        """Do long work, with a sign that it goes on. Ctrl-C calls `stop`, to end it early; a second one is raised."""
