"""A game at a terminal: the board stays where it is, lines are edited and completed, and the clock ticks."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import Output
from prompt_toolkit.shortcuts import CompleteStyle
from rich.console import Console
from rich.live import Live
from rich.text import Text

from outflank.boards import Board
from outflank.search.contract import Stop
from outflank.ui.cli.common import output
from outflank.ui.cli.drawing import draw_cells, facts
from outflank.ui.cli.interrupting import interruptibly
from outflank.ui.cli.playing.front import Leave, OutOfTime
from outflank.ui.cli.playing.ticking import Ticking
from outflank.ui.cli.playing.words import WITH_FILE

T = TypeVar("T")

MOST_NEWS = 5
"""Lines of what happened that are kept above the board: more would push it off a small screen."""

TICK = 0.2
"""Seconds between two looks at the clock."""

KEYS, FEWER_KEYS = "? help, Tab completes, Ctrl-D leaves", "? help, Tab completes"
"""What stands below the board, alone and beside two clocks: sixty columns hold it."""


class Terminal:
    """A screen and a keyboard; tests give others."""

    def __init__(
        self, console: Console | None = None, *, keyboard: Input | None = None, screen: Output | None = None
    ) -> None:
        self.console = console or output()
        self._session: PromptSession[str] | None = None
        if not self.console.is_dumb_terminal:  # which would show the editor's control sequences as they are
            self._session = PromptSession(
                history=InMemoryHistory(),
                complete_style=CompleteStyle.MULTI_COLUMN,
                complete_while_typing=False,
                reserve_space_for_menu=0,
                key_bindings=_keys(),
                input=keyboard,
                output=screen,
            )
        self._news: list[str] = []
        self._notes: list[str] = []

    # --- what is seen ---

    def show(self, board: Board[Any], ticking: Ticking) -> None:
        if not self.console.is_dumb_terminal:
            self.console.file.write("\x1b[H\x1b[2J")  # in place: the board stays where it is
        for line in self._news[-MOST_NEWS:]:
            self.console.print(line)
        draw_cells(self.console, board, last=True)
        # Legal moves are marked on the board: a list of them would fill a small screen.
        status, *rest = facts(board)
        self.console.print(status)
        if board.is_game_over():
            self.console.print(rest[0])
        for note in self._notes:
            self.console.print(note)
        self._notes.clear()

    def happened(self, text: str) -> None:
        self._news.append(text)

    def tell(self, text: str) -> None:
        self._notes.append(text)

    def answered(self, board: Board[Any], ticking: Ticking) -> None:
        """Draw the board again, the answer below it: on a small screen it would scroll away."""
        if self._notes:
            self.show(board, ticking)

    def seen(self) -> None:
        self._news.clear()

    def close(self) -> None:
        for note in self._notes:
            self.console.print(note)
        self._notes.clear()

    # --- the human ---

    def ask(self, prompt: str, words: Sequence[str], ticking: Ticking | None) -> str:
        try:
            line = input(prompt) if self._session is None else self._edited(self._session, prompt, words, ticking)
        except EOFError:
            raise Leave from None
        if ticking is not None and ticking.left(ticking.side) == 0.0:
            raise OutOfTime  # on a dumb terminal no flag falls by itself
        return line.strip()

    def _edited(self, session: PromptSession[str], prompt: str, words: Sequence[str], ticking: Ticking | None) -> str:
        left = None if ticking is None else ticking.left(ticking.side)

        def flag() -> None:
            if left is not None:
                get_app().create_background_task(_falls(left))

        return session.prompt(
            prompt,
            completer=Words(words),
            bottom_toolbar=lambda: _toolbar(ticking),
            refresh_interval=0 if left is None else TICK,
            pre_run=flag,
        )

    # --- the computer ---

    def working(self, what: str, ticking: Ticking, work: Callable[[], T], stop: Stop) -> T:
        if self.console.is_dumb_terminal:
            self.console.print(f"{what} …")
            return interruptibly(work, stop)
        with Live(
            get_renderable=lambda: _sign(what, ticking),
            console=self.console,
            refresh_per_second=1 / TICK,
            transient=True,
        ):
            return interruptibly(work, stop)


def _keys() -> KeyBindings:
    """Ctrl-C clears a line; one that is empty is interrupted, as every line is by default."""
    keys = KeyBindings()

    @keys.add("c-c", filter=Condition(lambda: bool(get_app().current_buffer.text)))
    def clear(event: KeyPressEvent) -> None:
        event.current_buffer.reset()

    return keys


async def _falls(left: float) -> None:
    await asyncio.sleep(left)
    get_app().exit(exception=OutOfTime())


def _toolbar(ticking: Ticking | None) -> StyleAndTextTuples:
    parts: StyleAndTextTuples = []
    for text, low in ticking.texts() if ticking is not None else ():
        parts += [("bold fg:ansired" if low else "bold", f" {text} "), ("", " ")]
    return [*parts, ("", FEWER_KEYS if parts else KEYS)]


def _sign(what: str, ticking: Ticking) -> Text:
    """Who is at work, for how long, and the clocks."""
    dots = "." * (1 + int(ticking.seconds / TICK) % 3)
    line = Text(f"{what} {dots:<3} {ticking.seconds:.0f} s")
    for text, low in ticking.texts():
        line.append("   ")
        line.append(text, "bold red" if low else "bold")
    return line


class Words(Completer):
    """Completes moves and commands, and file names behind those that take one."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        before = document.text_before_cursor.lstrip()
        word, space, rest = before.partition(" ")
        if space:
            if word.lower() in WITH_FILE:
                yield from self._paths.get_completions(Document(rest, len(rest)), complete_event)
            return
        for each in self._words:
            if each.lower().startswith(word.lower()):
                text = f"{each} " if each in WITH_FILE else each
                yield Completion(text, start_position=-len(word), display=each)
