"""Options that the commands of `outflank train` share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from outflank.learning.generating import PER_GAME, POSITIONS
from outflank.learning.labelling import PLIES
from outflank.learning.playing import DEPTH, HYPOTHESES
from outflank.learning.stages import PASSES, SHRINKAGE
from outflank.machine import MOST_WORKERS
from outflank.ui.cli.game_options import game_option
from outflank.ui.cli.progress import quiet_option

Command = TypeVar("Command", bound=Callable[..., Any])

FOLDER = click.argument("folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")


def _options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def out_option(help: str) -> Callable[[Command], Command]:
    """Where a step, or all of them, keep what they make."""
    return click.option(
        "--out",
        "folder",
        required=True,
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help=help,
    )


HOW_WORK_IS_DONE = _options(
    click.option("--workers", type=click.IntRange(1, MOST_WORKERS), help="Threads.  [one per core]"),
    click.option("--replace", is_flag=True, help="Begin anew, whatever is there."),
    quiet_option,
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
)
HOW_POSITIONS_ARE_MADE = _options(
    game_option("What is learnt."),
    click.option("--seed", type=int, default=1, show_default=True, help="By which lots are drawn."),
    click.option("--positions", type=int, default=POSITIONS, show_default=True, help="How many are made."),
    click.option("--per-game", type=int, default=PER_GAME, show_default=True, help="How many are taken of a game."),
    click.option(
        "--games",
        "files",
        type=click.Path(dir_okay=False, path_type=Path),
        multiple=True,
        metavar="FILE",
        help="Play on from the games in a file (of any format that `games` reads); may be given several times.",
    ),
)
HOW_WEIGHTS_ARE_FITTED = _options(
    click.option(
        "--shrinkage",
        type=float,
        default=SHRINKAGE,
        show_default=True,
        help="Imagined positions that hold a weight where it was: of rare patterns little is known.",
    ),
    click.option("--passes", type=int, default=PASSES, show_default=True, help="Of conjugate gradients."),
)
HOW_POSITIONS_ARE_VALUED = _options(
    click.option("--plies", type=int, default=PLIES, show_default=True, help="Of a look ahead."),
    click.option(
        "--exact", type=int, help="Moves left from which positions are solved.  [what the game's kernels can]"
    ),
    click.option(
        "--blend",
        type=float,
        help="Share of a game's result in the value of a position that is not solved.  [0; 0.5 if none is solved]",
    ),
)
WEIGHTS = click.Path(dir_okay=False, path_type=Path)


HOW_MATCHES_ARE_PLAYED = _options(
    click.option("--depth", type=int, help=f"Plies that both look ahead.  [{DEPTH}]"),
    click.option("--time", "seconds", type=float, help="Seconds for a move of either, instead of a depth."),
    click.option(
        "--sprt",
        default=HYPOTHESES,
        show_default=True,
        metavar="ELO0,ELO1",
        help="Stop as soon as one of two differences is the likelier one.",
    ),
)
