"""A game in a pipe: everything is printed once, as it comes, and moves are read line by line."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from outflank.boards import Board
from outflank.search.contract import Stop
from outflank.ui.cli.common import output
from outflank.ui.cli.drawing import draw
from outflank.ui.cli.interrupting import run_interruptibly
from outflank.ui.cli.playing.front import Leave
from outflank.ui.cli.playing.ticking import Ticking
from outflank.ui.cli.streams import standard_input

T = TypeVar("T")


class Pipe:
    """A user interface of plain lines, without redrawing."""

    def __init__(self) -> None:
        self.console = output()

    def show(self, board: Board[Any], ticking: Ticking) -> None:
        draw(self.console, board, last=True)
        if ticking.texts():
            self.console.print(f"time left: {', '.join(text for text, _ in ticking.texts())}")

    def add_event(self, text: str) -> None:
        self.console.print(text)

    def reply(self, text: str) -> None:
        self.console.print(text)

    def redraw(self, board: Board[Any], ticking: Ticking) -> None:
        """Do nothing: the board has not changed since it was printed."""

    def ask(self, prompt: str, words: Sequence[str], ticking: Ticking | None) -> str:
        line = standard_input().readline()
        if not line:
            raise Leave
        return line.strip()

    def clear_events(self) -> None:
        """Do nothing: printed lines stay."""

    def close(self) -> None:
        """Do nothing: everything has been printed."""

    def run_work(self, label: str, ticking: Ticking, work: Callable[[], T], stop: Stop) -> T:
        return run_interruptibly(work, stop)
