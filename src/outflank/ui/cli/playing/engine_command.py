"""`outflank engine`: run a player that another program controls through a protocol."""

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
from outflank.players.habits import random_seed
from outflank.players.player import exact_moves_for_depth
from outflank.protocols.listening import lines_of
from outflank.protocols.serving import PROTOCOLS, Engine, EngineRequest
from outflank.search.keywords import PlayerKeywords
from outflank.ui.cli.shared.game_options import HelpWithGames, game_option
from outflank.ui.cli.shared.interrupting import INTERRUPTED, exit_status
from outflank.ui.cli.shared.option_groups import NameOf
from outflank.ui.cli.shared.search_options import search_options
from outflank.ui.cli.shared.streams import exit_quietly


@click.command("engine", cls=HelpWithGames)
@click.argument("protocol", type=NameOf(PROTOCOLS))
@game_option("The game that is set up at first.")
@click.option("--level", type=int, help="Strength: 1 is the weakest; the highest depends on the game.")
@search_options("depth")
@search_options("seconds", help="Most seconds per move.", usual="by the clock; 1 without a clock")
@search_options("workers", usual="one per core")
@click.option("--seed", type=int, help="Seed of the random choice among equal first moves.  [a new one each time]")
def command(
    protocol: str,
    game: str | None,
    level: int | None,
    depth: int | None,
    seconds: float | None,
    workers: int | None,
    seed: int | None,
) -> int:
    """Play as an engine for another program, with GTP 2, NBoard 2 or a plug-in's protocol on standard input and output.

    \b
      outflank engine gtp --level 8
      outflank engine gtp --game {last} --time 2
      outflank engine nboard
    """
    game = game or OWN_GAMES[0]
    loop = PROTOCOLS.get(protocol)
    loop.check_game(game)
    options: PlayerKeywords = {} if workers is None else {"workers": workers}
    variety = random_seed() if seed is None else seed

    def make(board: Board, wanted_depth: int | None = None) -> Computer:
        limits: dict[str, Any] = {"level": level, "depth": depth}
        if wanted_depth is not None:  # the other program sets only a depth: solve endings exactly, as levels do
            limits = {"depth": wanted_depth, "exact": exact_moves_for_depth(board.game, wanted_depth)}
        return Computer(board.game, seconds=seconds, variety=variety, **limits, **options)

    # Report a wrong option now, not when the first command needs a player.
    make(game_named(game).start()).close()
    return _serve(loop.engine(EngineRequest(game=game, make=make, seconds=seconds, options=options)))


def _serve(engine: Engine) -> int:
    """Run the protocol loop in another thread, so that the main thread can react to Ctrl-C while a kernel runs."""
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
        # Wait for an event instead of `join`: if Ctrl-C comes during `join`, Python 3.11 considers the thread ended.
        while not ended.wait(0.2):
            pass
    except KeyboardInterrupt:
        engine.stop()
        if not ended.wait(5.0):
            # The thread is compiling and cannot be stopped. A normal exit would wait for the compiler's lock forever.
            sys.stdout.flush()
            os._exit(exit_status(INTERRUPTED))
        return INTERRUPTED
    for error in failures:
        if isinstance(error, BrokenPipeError):
            exit_quietly()
        raise error
    return 0


def _input() -> Iterable[str]:
    if sys.stdin is None:
        return ()
    with contextlib.suppress(OSError):
        return lines_of(sys.stdin.fileno())
    return sys.stdin
