"""`outflank play`: play a game in the terminal."""

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.games.description import description_of
from outflank.games.rules import Game
from outflank.games.sides import Side
from outflank.players.classic import DEFAULT_REPORT, REPORTS, Classic, ask_classic
from outflank.players.clock import TimeControl
from outflank.players.habits import random_seed
from outflank.players.player import level_of
from outflank.search.request import Stop
from outflank.ui.cli.playing.front_end import Front, Leave, Ticking
from outflank.ui.cli.playing.play_session import PlaySession
from outflank.ui.cli.shared.board_view import draw
from outflank.ui.cli.shared.game_options import PositionCommand
from outflank.ui.cli.shared.interrupting import run_interruptibly
from outflank.ui.cli.shared.position_options import one_board, output, position_options
from outflank.ui.cli.shared.streams import standard_input

T = TypeVar("T")


class Pipe:
    """User interface of `outflank play` without a terminal. It prints plain lines and never redraws."""

    def __init__(self) -> None:
        self.console = output()

    def show(self, board: Board, ticking: Ticking) -> None:
        draw(self.console, board, last=True)
        if ticking.texts():
            self.console.print(f"time left: {', '.join(text for text, _ in ticking.texts())}")

    def add_event(self, text: str) -> None:
        self.console.print(text)

    def reply(self, text: str) -> None:
        self.console.print(text)

    def redraw(self, board: Board, ticking: Ticking) -> None:
        """Do nothing, because the board has not changed since it was printed."""

    def ask(self, prompt: str, words: Sequence[str], ticking: Ticking | None) -> str:
        line = standard_input().readline()
        if not line:
            raise Leave
        return line.strip()

    def clear_events(self) -> None:
        """Do nothing, because printed lines stay visible."""

    def close(self) -> None:
        """Do nothing, because everything has been printed already."""

    def run_work(self, label: str, ticking: Ticking, work: Callable[[], T], stop: Stop) -> T:
        return run_interruptibly(work, stop)


@click.command("play", cls=PositionCommand)
@position_options
@click.option(
    "--black", default="human", show_default=True, help="Black's player: human, or a player as described above."
)
@click.option("--white", help="White's player.  [computer, at --level]")
@click.option(
    "--level",
    "strength",
    type=int,
    help="Strength of the computer: 1 is the weakest; the highest depends on the game.  [3, unless --white is given]",
)
@click.option(
    "--clock", default="none", show_default=True, help="5+3 (minutes and seconds), 5m, 5:00, 30s, 2s/move or none."
)
@click.option("--ponder", is_flag=True, help="Let computers think on their opponent's time.")
@click.option("--seed", type=int, help="Seed of the random choice among equal first moves.  [a new one each time]")
@click.option(
    "--classic",
    is_flag=False,
    flag_value=DEFAULT_REPORT,
    type=click.Choice(REPORTS),
    help="Run the classroom program: `c 7 c 7` and moves row,col on standard input; rules of report 002 or 004.  "
    f"[{DEFAULT_REPORT}]",
)
def command(
    black: str,
    white: str | None,
    strength: int | None,
    clock: str,
    ponder: bool,
    seed: int | None,
    classic: str | None,
    **options: Any,
) -> int:
    """Play a game, or watch one.

    A player is human, random, first, computer with settings (depth=7, time=2, level=10, algorithm=mtdf,
    scheme=ybw, workers=2, evaluation=…, report=003), or an engine: "gtp: COMMAND", "nboard: COMMAND".

    \b
      outflank play --level 3
      outflank play --black "computer level=5" --white human --clock 5+3
      outflank play --game {last} --black "computer time=1"
      outflank play --game {last} --white "computer report=003"
      echo c 3 c 3 | outflank play --classic
    """
    if classic is not None:
        return _play_classic(classic)
    board = one_board(**options)
    control = TimeControl.parse(clock)
    if white is None:
        play = description_of(board.game).play
        level = min(play.default_level, len(play.levels))
        white = "computer" if strength is not None else f"computer level={level}"
    seats = _with_level({Side.BLACK: black, Side.WHITE: white}, strength, board.game)
    variety = random_seed() if seed is None else seed
    session = PlaySession(board, seats, control, _front(), ponder=ponder, variety=variety)
    try:
        return session.play()
    finally:
        session.close()


def _with_level(seats: dict[Side, str], strength: int | None, game: Game) -> dict[Side, str]:
    """Return both players, with the level `strength` added to every player that is `computer` without settings."""
    if strength is None:
        return seats
    level_of(game, strength)  # raises an error for an unknown level
    if not any(words.split()[:1] == ["computer"] for words in seats.values()):
        playing = " against ".join(seats.values())
        raise OutflankError(f"--level {strength} says how strong the computer plays, and none does: {playing}")
    if "computer" not in seats.values():
        raise OutflankError(
            f"--level is for a plain computer: say level={strength} in the words of one that has others"
        )
    return {side: f"computer level={strength}" if words == "computer" else words for side, words in seats.items()}


def _front() -> Front:
    """Return the user interface: a `Terminal` if input and output are terminals, otherwise a `Pipe`."""
    if output().is_terminal and sys.stdin is not None and sys.stdin.isatty():
        from outflank.ui.cli.playing.terminal_front_end import Terminal

        return Terminal()
    return Pipe()


def _play_classic(report: str) -> int:
    """Run the classroom program of the reports: read players and moves from standard input, and print lines."""
    console = output()
    words = (word for line in standard_input() for word in line.replace(",", " ").split())
    seats = ask_classic(words)
    game = Classic(seats, words, report=report)
    for line in game.lines():
        console.print(line)
    return 0
