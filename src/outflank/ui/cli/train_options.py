"""Options that the commands of `outflank train` share, by what they are about."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from outflank.arena import Sprt
from outflank.learning.generating import PER_GAME, POSITIONS
from outflank.learning.labelling import PLIES
from outflank.learning.playing import DEPTH, HYPOTHESES
from outflank.learning.stages import PASSES, SHRINKAGE
from outflank.machine import MOST_WORKERS
from outflank.ui.cli.device_option import device_option
from outflank.ui.cli.gathering import gathered
from outflank.ui.cli.progress import quiet_option

Command = TypeVar("Command", bound=Callable[..., Any])

FOLDER = click.argument("folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")


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


_HOW = (
    click.option("--workers", type=click.IntRange(1, MOST_WORKERS), help="Threads.  [one per core]"),
    click.option("--replace", is_flag=True, help="Begin anew, whatever is there."),
    quiet_option,
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
)
HOW_WORK_IS_DONE = gathered("how", *_HOW)
HOW_FITTING_IS_DONE = gathered(
    "how",
    device_option("Where endings are solved and weights fitted; they are the same."),
    *_HOW,
)
HOW_POSITIONS_ARE_MADE = gathered(
    "made",
    click.option("--seed", type=int, default=1, show_default=True, help="By which lots are drawn."),
    click.option("--positions", type=int, default=POSITIONS, show_default=True, help="How many are made."),
    click.option("--per-game", type=int, default=PER_GAME, show_default=True, help="How many are taken of a game."),
    click.option(
        "--games",
        type=click.Path(dir_okay=False, path_type=Path),
        multiple=True,
        metavar="FILE",
        help="Play on from the games in a file (of any format that `games` reads); may be given several times.",
    ),
)
HOW_WEIGHTS_ARE_FITTED = gathered(
    "fitted",
    click.option(
        "--shrinkage",
        type=float,
        default=SHRINKAGE,
        show_default=True,
        help="Imagined positions that hold a weight where it was: of rare patterns little is known.",
    ),
    click.option("--passes", type=int, default=PASSES, show_default=True, help="Of conjugate gradients."),
)
HOW_POSITIONS_ARE_VALUED = gathered(
    "valued",
    click.option("--plies", type=int, default=PLIES, show_default=True, help="Of a look ahead."),
    click.option(
        "--exact",
        type=int,
        help="Moves left from which positions are solved; a GPU can solve longer ones.  [what the game's kernels can]",
    ),
    click.option(
        "--blend",
        type=float,
        help="Share of a game's result in the value of a position that is not solved.  [0; 0.5 if none is solved]",
    ),
)
WEIGHTS = click.Path(dir_okay=False, path_type=Path)


HOW_MATCHES_ARE_PLAYED = gathered(
    "played",
    click.option("--depth", type=int, help=f"Plies that both look ahead.  [{DEPTH}]"),
    click.option("--time", "seconds", type=float, help="Seconds for a move of either, instead of a depth."),
    click.option(
        "--sprt",
        default=HYPOTHESES,
        show_default=True,
        callback=lambda context, option, text: Sprt.parse(text),
        metavar="ELO0,ELO1",
        help="Stop as soon as one of two differences is the likelier one.",
    ),
)
