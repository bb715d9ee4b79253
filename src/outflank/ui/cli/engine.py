"""`outflank engine`: a player for other programs."""

import contextlib
import os
import sys
import threading
from collections.abc import Iterable
from typing import Any

import click

from outflank.boards import Board
from outflank.games.description import OWN_GAMES, game_named
from outflank.players.computer import Computer
from outflank.players.levels import exact_beside
from outflank.players.variety import drawn_seed
from outflank.protocols.listening import lines_of
from outflank.protocols.serving import PROTOCOLS, Engine, EngineRequest
from outflank.ui.cli.game_options import HelpWithGames, game_option
from outflank.ui.cli.interrupting import INTERRUPTED, status_of
from outflank.ui.cli.names import NameOf
from outflank.ui.cli.streams import leave_quietly


@click.command("engine", cls=HelpWithGames)
@click.argument("protocol", type=NameOf(PROTOCOLS))
@game_option("What is played at first.")
@click.option("--level", type=int, help="Strength: 1 is the weakest, and how many there are depends on the game.")
@click.option("--depth", type=int, help="Plies to look ahead.")
@click.option("--time", "seconds", type=float, help="The most seconds for a move.  [by the clock; 1 without one]")
@click.option("--workers", type=int, help="Threads that search.  [one per core]")
@click.option("--seed", type=int, help="Draw the same lots among equal first moves in every run.  [others each time]")
def command(
    protocol: str,
    game: str | None,
    level: int | None,
    depth: int | None,
    seconds: float | None,
    workers: int | None,
    seed: int | None,
) -> int:
    """Play for another program, which speaks GTP 2, NBoard 2 or a plug-in's protocol on standard input and output.

    \b
      outflank engine gtp --level 8
      outflank engine gtp --game {last} --time 2
      outflank engine nboard
    """
    game = game or OWN_GAMES[0]
    served = PROTOCOLS.get(protocol)
    served.check_game(game)
    options: dict[str, Any] = {} if workers is None else {"workers": workers}
    variety = drawn_seed() if seed is None else seed

    def make(board: Board[Any], wanted: int | None = None) -> Computer:
        limits: dict[str, Any] = {"level": level, "depth": depth}
        if wanted is not None:  # by the program that drives us: it knows nothing of endings, a level does
            limits = {"depth": wanted, "exact": exact_beside(board.game, wanted)}
        return Computer(board.game, seconds=seconds, variety=variety, **limits, **options)

    # A wrong option is told of now, and not in answer to the first command that needs a player.
    make(game_named(game).start()).close()
    return _serve(served.engine(EngineRequest(game=game, make=make, seconds=seconds, options=options)))


def _serve(engine: Engine) -> int:
    """Run the loop in another thread: a kernel does not see Ctrl-C, this thread does."""
    ended = threading.Event()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            engine.run(_input(), sys.stdout)
        except BaseException as error:
            failures.append(error)
        finally:
            ended.set()

    threading.Thread(target=work, daemon=True).start()
    try:
        # An event, in short steps: where Ctrl-C comes during `join`, Python 3.11 takes the thread for ended.
        while not ended.wait(0.2):
            pass
    except KeyboardInterrupt:
        engine.stop()
        if not ended.wait(5.0):
            # It is compiling, which nothing can stop, and the interpreter would wait for the compiler's lock for ever.
            sys.stdout.flush()
            os._exit(status_of(INTERRUPTED))
        return INTERRUPTED
    for error in failures:
        if isinstance(error, BrokenPipeError):
            leave_quietly()
        raise error
    return 0


def _input() -> Iterable[str]:
    if sys.stdin is None:
        return ()
    with contextlib.suppress(OSError):
        return lines_of(sys.stdin.fileno())
    return sys.stdin
