"""User interface of `outflank play` in a terminal: a board that stays in place, line editing, and running clocks."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

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
from outflank.search.request import Stop
from outflank.ui.cli.playing.front_end import WITH_FILE, Leave, OutOfTime, Ticking
from outflank.ui.cli.shared.board_view import draw_cells, facts
from outflank.ui.cli.shared.interrupting import run_interruptibly
from outflank.ui.cli.shared.position_options import output

T = TypeVar("T")

MOST_EVENTS = 5
"""Maximum number of events of the game shown above the board. More would push the board off a small screen."""

TICK = 0.2
"""Seconds between two updates of the clocks on the screen."""

KEYS, FEWER_KEYS = "? help, Tab completes, Ctrl-D leaves", "? help, Tab completes"
"""Key help below the board if there are no clocks, and beside two clocks. Each line fits into 60 columns."""


class Terminal:
    """User interface of `outflank play` with a screen and a keyboard. Tests replace both."""

    def __init__(
        self, console: Console | None = None, *, keyboard: Input | None = None, screen: Output | None = None
    ) -> None:
        self.console = console or output()
        self._session: PromptSession[str] | None = None
        if not self.console.is_dumb_terminal:  # a dumb terminal would print the editor's control sequences
            self._session = PromptSession(
                history=InMemoryHistory(),
                complete_style=CompleteStyle.MULTI_COLUMN,
                complete_while_typing=False,
                reserve_space_for_menu=0,
                key_bindings=_keys(),
                input=keyboard,
                output=screen,
            )
        self._events: list[str] = []
        self._replies: list[str] = []

    # --- the screen ---

    def show(self, board: Board, ticking: Ticking) -> None:
        if not self.console.is_dumb_terminal:
            self.console.file.write("\x1b[H\x1b[2J")  # clear the screen, so that the board stays in place
        for event in self._events[-MOST_EVENTS:]:
            self.console.print(event)
        draw_cells(self.console, board, last=True)
        # Do not list the legal moves: the board marks them, and a list would fill a small screen.
        status, *rest = facts(board)
        self.console.print(status)
        if board.is_game_over:
            self.console.print(rest[0])
        for reply in self._replies:
            self.console.print(reply)
        self._replies.clear()

    def add_event(self, text: str) -> None:
        self._events.append(text)

    def reply(self, text: str) -> None:
        self._replies.append(text)

    def redraw(self, board: Board, ticking: Ticking) -> None:
        """Draw the board again with the reply below it. Otherwise replies would scroll the board off a small screen."""
        if self._replies:
            self.show(board, ticking)

    def clear_events(self) -> None:
        self._events.clear()

    def close(self) -> None:
        for reply in self._replies:
            self.console.print(reply)
        self._replies.clear()

    # --- the human ---

    def ask(self, prompt: str, words: Sequence[str], ticking: Ticking | None) -> str:
        try:
            line = input(prompt) if self._session is None else self._edited_line(self._session, prompt, words, ticking)
        except EOFError:
            raise Leave from None
        if ticking is not None and ticking.left(ticking.side) == 0.0:
            raise OutOfTime  # on a dumb terminal nothing ends the prompt when the time runs out
        return line.strip()

    def _edited_line(
        self, session: PromptSession[str], prompt: str, words: Sequence[str], ticking: Ticking | None
    ) -> str:
        left = None if ticking is None else ticking.left(ticking.side)

        def start_clock() -> None:
            if left is not None:
                get_app().create_background_task(_fall_flag(left))

        return session.prompt(
            prompt,
            completer=Words(words),
            bottom_toolbar=lambda: _toolbar(ticking),
            refresh_interval=0 if left is None else TICK,
            pre_run=start_clock,
        )

    # --- the computer ---

    def run_work(self, label: str, ticking: Ticking, work: Callable[[], T], stop: Stop) -> T:
        if self.console.is_dumb_terminal:
            self.console.print(f"{label} …")
            return run_interruptibly(work, stop)
        with Live(
            get_renderable=lambda: _working_line(label, ticking),
            console=self.console,
            refresh_per_second=1 / TICK,
            transient=True,
        ):
            return run_interruptibly(work, stop)


def _keys() -> KeyBindings:
    """Return key bindings with which Ctrl-C clears the line. On an empty line it interrupts, as by default."""
    keys = KeyBindings()

    @keys.add("c-c", filter=Condition(lambda: bool(get_app().current_buffer.text)))
    def clear(event: KeyPressEvent) -> None:
        event.current_buffer.reset()

    return keys


async def _fall_flag(left: float) -> None:
    await asyncio.sleep(left)
    get_app().exit(exception=OutOfTime())


def _toolbar(ticking: Ticking | None) -> StyleAndTextTuples:
    parts: StyleAndTextTuples = []
    for text, low in ticking.texts() if ticking is not None else ():
        parts += [("bold fg:ansired" if low else "bold", f" {text} "), ("", " ")]
    return [*parts, ("", FEWER_KEYS if parts else KEYS)]


def _working_line(label: str, ticking: Ticking) -> Text:
    """Return the line that is shown while a player thinks: a label, the time so far, and the clocks."""
    dots = "." * (1 + int(ticking.seconds / TICK) % 3)
    line = Text(f"{label} {dots:<3} {ticking.seconds:.0f} s")
    for text, low in ticking.texts():
        line.append("   ")
        line.append(text, "bold red" if low else "bold")
    return line


class Words(Completer):
    """Completes moves and commands, and file names after commands that take one."""

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
        for candidate in self._words:
            if candidate.lower().startswith(word.lower()):
                text = f"{candidate} " if candidate in WITH_FILE else candidate
                yield Completion(text, start_position=-len(word), display=candidate)
