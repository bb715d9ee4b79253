"""A game in a pipe: everything is printed once, as it comes, and moves are read line by line."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from outflank.boards import Board
from outflank.search.contract import Stop
from outflank.ui.cli.common import output
from outflank.ui.cli.drawing import draw
from outflank.ui.cli.interrupting import interruptibly
from outflank.ui.cli.playing.front import Leave
from outflank.ui.cli.playing.ticking import Ticking
from outflank.ui.cli.streams import standard_input

T = TypeVar("T")


class Pipe:
    """Lines in, lines out."""

    def __init__(self) -> None:
        self.console = output()

    def show(self, board: Board[Any], ticking: Ticking) -> None:
        draw(self.console, board, last=True)
        if ticking.texts():
            self.console.print(f"time left: {', '.join(text for text, _ in ticking.texts())}")

    def happened(self, text: str) -> None:
        self.console.print(text)

    def tell(self, text: str) -> None:
        self.console.print(text)

    def answered(self, board: Board[Any], ticking: Ticking) -> None:
        """The board has not changed, and is above."""

    def ask(self, prompt: str, words: Sequence[str], ticking: Ticking | None) -> str:
        line = standard_input().readline()
        if not line:
            raise Leave
        return line.strip()

    def seen(self) -> None:
        """What was printed stays."""

    def close(self) -> None:
        """Everything has been printed."""

    def working(self, what: str, ticking: Ticking, work: Callable[[], T], stop: Stop) -> T:
        return interruptibly(work, stop)
