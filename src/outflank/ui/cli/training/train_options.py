"""Groups of options that the subcommands of `outflank train` share."""

from collections.abc import Callable
from pathlib import Path

import click

from outflank.arena import Sprt
from outflank.learning.fit import PASSES, SHRINKAGE
from outflank.learning.generating import PER_GAME, POSITIONS
from outflank.learning.labelling import PLIES
from outflank.learning.weight_matches import DEPTH, HYPOTHESES
from outflank.machine import MOST_WORKERS
from outflank.ui.cli.shared.device_option import device_option
from outflank.ui.cli.shared.option_groups import Command, option_group
from outflank.ui.cli.shared.progress_line import quiet_option
from outflank.ui.cli.shared.search_options import cluster_option

FOLDER = click.argument("folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")


def out_option(help: str) -> Callable[[Command], Command]:
    """Return a decorator that adds `--out`, the folder for a step's results."""
    return click.option(
        "--out",
        "folder",
        required=True,
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help=help,
    )


_WORK = (
    click.option("--workers", type=click.IntRange(1, MOST_WORKERS), help="Threads.  [one per core]"),
    click.option("--replace", is_flag=True, help="Start again, and replace existing results."),
    quiet_option,
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
)
_DEVICE = device_option("Where endings are solved and weights are fitted; the results are the same.")
WORK_OPTIONS = option_group("work_options", *_WORK)
WORK_OPTIONS_WITH_DEVICE = option_group("work_options", _DEVICE, *_WORK)


def cluster_work_options(what: str, *, device: bool) -> Callable[[Command], Command]:
    """Return a decorator that adds the options of a step that a cluster can do in pieces.

    `what` is the step's work in the help of `--cluster`. If `device` is true, the decorator also adds `--device`.
    """
    if device:
        return option_group("work_options", _DEVICE, cluster_option(what), *_WORK)
    return option_group("work_options", cluster_option(what), *_WORK)


GENERATION_OPTIONS = option_group(
    "generation_options",
    click.option("--seed", type=int, default=1, show_default=True, help="Random seed."),
    click.option("--positions", type=int, default=POSITIONS, show_default=True, help="Number of positions."),
    click.option("--per-game", type=int, default=PER_GAME, show_default=True, help="Positions taken from each game."),
    click.option(
        "--games",
        type=click.Path(dir_okay=False, path_type=Path),
        multiple=True,
        metavar="FILE",
        help="Start from the games in a file of any format that `games` reads; can be repeated.",
    ),
)
FIT_OPTIONS = option_group(
    "fit_options",
    click.option(
        "--shrinkage",
        type=float,
        default=SHRINKAGE,
        show_default=True,
        help="Virtual positions that hold a weight at its previous value: rare patterns have little data.",
    ),
    click.option("--passes", type=int, default=PASSES, show_default=True, help="Iterations of conjugate gradients."),
)
LABEL_OPTIONS = option_group(
    "label_options",
    click.option(
        "--plies", type=int, default=PLIES, show_default=True, help="Depth of the search that values a position."
    ),
    click.option(
        "--exact",
        type=int,
        help="Moves left from which positions are solved; a GPU can solve longer endings.  [as the game's kernels can]",
    ),
    click.option(
        "--blend",
        type=float,
        help="Share of a game's result in the value of a position that is not solved.  [0; 0.5 if none is solved]",
    ),
)
WEIGHTS = click.Path(dir_okay=False, path_type=Path)


MATCH_OPTIONS = option_group(
    "match_options",
    click.option("--depth", type=int, help=f"Search depth of both players in plies.  [{DEPTH}]"),
    click.option("--time", "seconds", type=float, help="Seconds per move for both players, instead of a depth."),
    click.option(
        "--sprt",
        default=HYPOTHESES,
        show_default=True,
        callback=lambda context, option, text: Sprt.parse(text),
        metavar="ELO0,ELO1",
        help="Sequential test: stop once one of two Elo differences is accepted.",
    ),
)
