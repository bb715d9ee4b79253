"""`outflank train`: weights of an evaluation, learnt from the rules of a game."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from outflank.command_lines import this_command
from outflank.errors import OutflankError
from outflank.gpu.choosing import DeviceAsked
from outflank.lab.provenance import provenance
from outflank.learning.checking import check
from outflank.learning.depths import DEPTH, Depths, measure
from outflank.learning.depths import POSITIONS as DEPTH_POSITIONS
from outflank.learning.fitting import Fit, fit_weights
from outflank.learning.generating import Generation, generate
from outflank.learning.labelling import Labels, label
from outflank.learning.loop import GENERATIONS, Plan, run
from outflank.learning.pieces import Halted, Work
from outflank.learning.playing import GAMES, Match, play
from outflank.learning.report import write_page
from outflank.machine import usable_cores
from outflank.search.contract import Stop
from outflank.ui.cli.common import diagnostics, output, print_json, start_of
from outflank.ui.cli.game_options import GameCommand, game_meant, game_option
from outflank.ui.cli.groups import Group
from outflank.ui.cli.interrupting import INTERRUPTED, interruptibly
from outflank.ui.cli.progress import progress_line, quiet_option
from outflank.ui.cli.train_options import (
    FOLDER,
    HOW_FITTING_IS_DONE,
    HOW_MATCHES_ARE_PLAYED,
    HOW_POSITIONS_ARE_MADE,
    HOW_POSITIONS_ARE_VALUED,
    HOW_WEIGHTS_ARE_FITTED,
    HOW_WORK_IS_DONE,
    WEIGHTS,
    out_option,
)
from outflank.ui.cli.train_view import (
    print_check,
    print_depths,
    told_fit,
    told_generation,
    told_match,
    told_positions,
    told_run,
    told_values,
)

if TYPE_CHECKING:
    from outflank.documents import Document

Done = TypeVar("Done")

Options = dict[str, Any]
"""Some that belong together, by their names."""


@click.group("train", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Learn the weights of an evaluation by patterns, from nothing but the rules of a game.

    Each step goes on with what the one before it has left in a folder: positions, their values, weights, and what these
    are wrong by. A step that was interrupted goes on where it was; for a seed, it always makes the same.

    Searches and players use the weights by the name of their file: --evaluation patterns:FILE.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def chosen_start(game: str | None, game_options: Mapping[str, Any]) -> dict[str, Any]:
    """Where games start: everywhere, unless the options say more than what the rules are."""
    start = start_of(game_meant(game, game_options), game_options)[0]
    meant = game_meant(game, game_options)
    only_rules = meant is None or set(game_options) <= set(meant.options_of(start.game))
    return {"start": start, "everywhere": only_rules}


def carried_out(
    work: Callable[[Work], Done],
    show: Callable[[Done], Any],
    *,
    workers: int | None,
    device: DeviceAsked = "cpu",
    replace: bool,
    quiet: bool,
    as_json: bool,
    status: Callable[[Done], int] = lambda found: 0,
) -> int:
    """Do the work and tell what came of it, in words or as a document; Ctrl-C keeps what is done."""
    stop = Stop()
    threads = workers or max(1, int(usable_cores()))
    try:
        with progress_line(quiet=quiet) as tell:
            how = Work(workers=threads, device=device, stop=stop, progress=tell, replace=replace)
            found = interruptibly(lambda: work(how), stop)
    except Halted:
        diagnostics().print("interrupted; the same command goes on from here")
        return INTERRUPTED
    if as_json:
        print_json(cast("Document", found))
    elif (line := show(found)) is not None:
        output().print(line)
    return status(found)


@command.command("generate", cls=GameCommand)
@game_option("What is learnt.")
@HOW_POSITIONS_ARE_MADE
@click.option("--depth", type=int, default=1, show_default=True, help="Plies that players look ahead.")
@click.option("--evaluation", help="Whose moves are played, by name, or patterns:FILE.  [none: lots are drawn]")
@out_option("Where they are kept: positions.npz.")
@HOW_WORK_IS_DONE
def generate_command(
    game: str | None,
    game_options: Mapping[str, Any],
    made: Options,
    depth: int,
    evaluation: str | None,
    folder: Path,
    how: Options,
) -> int:
    """Make positions to learn from.

    They are of varied games, from their start to their end.

    \b
      outflank train generate --game {first} --positions 100000 --out learning
      outflank train generate --games tournament.wtb --out learning
    """
    generation = Generation(**chosen_start(game, game_options), **made, depth=depth, evaluation=evaluation)
    return carried_out(
        lambda work: generate(folder, generation, work),
        lambda found: told_positions(folder, found),
        **how,
    )


@command.command("label")
@FOLDER
@HOW_POSITIONS_ARE_VALUED
@click.option("--weights", type=WEIGHTS, metavar="FILE", help="Of the last generation, which looks begin with.")
@HOW_WEIGHTS_ARE_FITTED
@HOW_FITTING_IS_DONE
def label_command(folder: Path, valued: Options, weights: Path | None, fitted: Options, how: Options) -> int:
    """Find out what positions are worth.

    Near the end they are solved. Before that a look of some plies ahead sees what was learnt of all later positions,
    from the end of the game to its start. A game whose endings cannot be solved has the results of the games, and a
    look by the weights of the last generation.
    """
    labels = Labels(weights=weights, **valued, **fitted)
    return carried_out(
        lambda work: label(folder, labels, work),
        lambda found: told_values(folder, found),
        **how,
    )


@command.command("fit")
@FOLDER
@click.option("--prior", type=WEIGHTS, metavar="FILE", help="Weights to begin with, those of the last generation.")
@HOW_WEIGHTS_ARE_FITTED
@HOW_FITTING_IS_DONE
def fit_command(folder: Path, prior: Path | None, fitted: Options, how: Options) -> int:
    """Fit weights to the values of positions. One of sixteen games is held out."""
    return carried_out(
        lambda work: fit_weights(folder, Fit(prior=prior, **fitted), work),
        lambda found: told_fit(folder, found),
        **how,
    )


@command.command("check")
@FOLDER
@click.option("--weights", type=WEIGHTS, metavar="FILE", help="Others than those in the folder.")
@click.option("--beside", metavar="NAMES", help="The evaluations to hold them beside, like a,b.  [all of the game]")
@quiet_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def check_command(folder: Path, weights: Path | None, beside: str | None, **how: Any) -> int:
    """Say what weights are wrong by.

    That is on games that they have not seen, stage by stage, beside other evaluations. The error is the root of the
    mean square, in what the game counts. An evaluation that counts nothing is given the scale that suits it best.
    """
    names = None if beside is None else [name.strip() for name in beside.split(",") if name.strip()]
    if names == []:
        raise OutflankError("--beside: the names of evaluations, like a,b")
    return carried_out(
        lambda work: check(folder, work, weights=weights, beside=names),
        print_check,
        workers=1,
        replace=False,
        **how,
    )


@command.command("depths")
@FOLDER
@click.option("--evaluation", default="patterns", show_default=True, help="By name, or patterns:FILE.")
@click.option("--depth", type=int, default=DEPTH, show_default=True, help="Plies of the deepest search.")
@click.option("--positions", type=int, default=DEPTH_POSITIONS, show_default=True, help="How many are searched.")
@click.option("--seed", type=int, default=1, show_default=True, help="By which they are drawn.")
@HOW_WORK_IS_DONE
def depths_command(folder: Path, evaluation: str, depth: int, positions: int, seed: int, how: Options) -> int:
    """Say how far shallow searches are off from deeper ones.

    Positions of the folder are searched to every depth. The formula that is fitted to the differences is what selective
    searches by this evaluation go by.

    \b
      outflank train generate --positions 2000 --out positions
      outflank train depths positions --depth 10
    """
    asked = Depths(evaluation=evaluation, depth=depth, positions=positions, seed=seed)
    return carried_out(lambda work: measure(folder, asked, work), print_depths, **how)


@command.command("play")
@FOLDER
@click.option("--against", metavar="EVALUATION", help="By name, or patterns:FILE.  [the one that the game names]")
@click.option("--weights", type=WEIGHTS, metavar="FILE", help="Others than those in the folder.")
@HOW_MATCHES_ARE_PLAYED
@click.option("--match-games", type=int, default=GAMES, show_default=True, help="At most.")
@click.option("--seed", type=int, default=1, show_default=True, help="For the openings.")
@HOW_WORK_IS_DONE
def play_command(
    folder: Path,
    against: str | None,
    weights: Path | None,
    played: Options,
    match_games: int,
    seed: int,
    how: Options,
) -> int:
    """Let weights play a match.

    Both sides search alike, in pairs of games with colours swapped, until a sequential test says who is stronger. The
    status is 1 if the weights are not.

    \b
      outflank train play learning/generation-02 --against mobility
      outflank train play new --against patterns:old/mine.weights --time 0.1
    """
    match = Match(against=against, **played, games=match_games, seed=seed)
    return carried_out(
        lambda work: play(folder, match, work, weights=weights),
        told_match,
        status=lambda found: int(found.outcome is not None and found.outcome.decision == "H0"),
        **how,
    )


@command.command("run", cls=GameCommand)
@game_option("What is learnt.")
@HOW_POSITIONS_ARE_MADE
@click.option("--generations", type=int, default=GENERATIONS, show_default=True, help="Times round the loop.")
@HOW_POSITIONS_ARE_VALUED
@HOW_WEIGHTS_ARE_FITTED
@HOW_MATCHES_ARE_PLAYED
@click.option("--match-games", type=int, default=GAMES, show_default=True, help="Of each match, at most; 0: none.")
@out_option("Where all of it is kept.")
@HOW_FITTING_IS_DONE
def run_command(
    game: str | None,
    game_options: Mapping[str, Any],
    made: Options,
    generations: int,
    valued: Options,
    fitted: Options,
    played: Options,
    match_games: int,
    folder: Path,
    how: Options,
) -> int:
    """Go round the loop: all steps, again and again.

    The best weights so far play the games of the next generation, which meets them in a match. A page with plots tells
    how it went. Started again, the command goes on where it was.

    \b
      outflank train run --size 6 --seed 1 --out learning
      outflank train run --size 6 --positions 200000 --generations 4 --out more
    """
    plan = Plan(
        generation=Generation(**chosen_start(game, game_options), **made),
        labels=Labels(**valued, **fitted),
        fit=Fit(**fitted),
        match=Match(**played, games=match_games),
        generations=generations,
    )
    origin = provenance(this_command())
    return carried_out(
        lambda work: run(
            folder,
            plan,
            work,
            told=lambda generation: None if how["as_json"] else output().print(told_generation(generation)),
            written=lambda document: write_page(folder, document, origin),
        ),
        lambda found: told_run(folder, found),
        **how,
    )
