"""Progress of what takes long: over the line before on a terminal, a line now and then in a pipe."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.console import Console

from outflank.ui.cli.common import diagnostics

SECONDS = 10.0
"""Between two lines in a pipe: a log stays short, and whoever watches it knows that there is life."""


quiet_option = click.option("--quiet", is_flag=True, help="Say nothing of the progress.")


class NowAndThen:
    """Writes a line where the last one is some time ago, and says nothing otherwise."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.written = time.monotonic()

    def __call__(self, text: str) -> None:
        """Say how far it is."""
        now = time.monotonic()
        if now >= self.written + SECONDS:
            self.written = now
            self.console.print(text)


@contextmanager
def progress_line(*, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """A function that is told how far it is, as a line of text."""
    console = diagnostics()
    if quiet or console.is_dumb_terminal:
        yield lambda text: None
        return
    if not console.is_terminal:
        yield NowAndThen(console)
        return
    from rich.live import Live
    from rich.text import Text

    with Live(console=console, transient=True, auto_refresh=False) as live:
        yield lambda text: live.update(Text(text), refresh=True)
