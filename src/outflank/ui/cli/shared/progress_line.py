"""Progress of long work: one line that is redrawn on a terminal, or a new line every few seconds in a pipe."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
from rich.console import Console

from outflank.ui.cli.shared.position_options import diagnostics, output

if TYPE_CHECKING:
    from rich.live import Live

SECONDS = 10.0
"""Seconds between two progress lines in a pipe. Logs stay short, and still show that the work goes on."""


_lines: "list[Live]" = []
"""The progress line on the terminal, while one is shown."""

quiet_option = click.option("--quiet", is_flag=True, help="Do not report progress.")


class ThrottledPrinter:
    """Prints a line if no other line was printed in the last `SECONDS`, and drops it otherwise.

    Lines in the first `SECONDS` are dropped too.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.written = time.monotonic()

    def __call__(self, text: str) -> None:
        now = time.monotonic()
        if now >= self.written + SECONDS:
            self.written = now
            self.console.print(text)


@contextmanager
def progress_line(*, quiet: bool = False, throttled: bool = True) -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a text as the current progress.

    In a pipe it prints a text at most every `SECONDS`. If not `throttled`, it prints every text, which suits work of a
    few long steps. If `quiet`, or on a terminal that cannot redraw a line, it prints nothing.
    """
    console = diagnostics()
    if quiet or console.is_dumb_terminal:
        yield lambda text: None
        return
    if not console.is_terminal:
        yield ThrottledPrinter(console) if throttled else console.print
        return
    from rich.live import Live
    from rich.text import Text

    with Live(console=console, transient=True, auto_refresh=False) as live:
        _lines.append(live)
        try:
            yield lambda text: live.update(Text(text), refresh=True)
        finally:
            _lines.remove(live)


def print_result(text: str) -> None:
    """Print one result of work that goes on. It replaces the progress line, which the next progress draws below it."""
    for live in _lines:
        live.update("", refresh=True)
    output().print(text)
