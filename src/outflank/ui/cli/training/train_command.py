"""`outflank train`: learn the weights of an evaluation from the rules of a game."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from outflank.command_lines import this_command
from outflank.distributed.cluster import nodes_here, open_tasks, serve_tasks
from outflank.distributed.launchers import refuse_copies
from outflank.errors import OutflankError
from outflank.games.description import RuleOptions
from outflank.gpu.choosing import DeviceOption
from outflank.lab.provenance import provenance
from outflank.learning.depths import DEPTH, Depths, measure
from outflank.learning.depths import POSITIONS as DEPTH_POSITIONS
from outflank.learning.fitting import Fit, fit_weights
from outflank.learning.generating import Generation, generate
from outflank.learning.held_out_errors import check
from outflank.learning.labelling import Labels, label
from outflank.learning.loop import GENERATIONS, Plan, run
from outflank.learning.piece_worker import PieceWorker
from outflank.learning.pieces import Halted, Work
from outflank.learning.training_page import write_page
from outflank.learning.weight_matches import GAMES, Match, play
from outflank.machine import usable_cores
from outflank.search.request import Stop
from outflank.ui.cli.shared.game_options import GameCommand, game_option, intended_game
from outflank.ui.cli.shared.interrupting import INTERRUPTED, run_interruptibly
from outflank.ui.cli.shared.option_groups import Group, Options
from outflank.ui.cli.shared.position_options import diagnostics, output, print_json, start_of
from outflank.ui.cli.shared.progress_line import print_result, progress_line, quiet_option
from outflank.ui.cli.training.train_options import (
    FIT_OPTIONS,
    FOLDER,
    GENERATION_OPTIONS,
    LABEL_OPTIONS,
    MATCH_OPTIONS,
    WEIGHTS,
    WORK_OPTIONS,
    WORK_OPTIONS_WITH_DEVICE,
    cluster_work_options,
    out_option,
)
from outflank.ui.cli.training.train_view import (
    fit_text,
    generation_text,
    match_text,
    positions_text,
    print_check,
    print_depths,
    run_text,
    values_text,
)

if TYPE_CHECKING:
    from outflank.validation.documents import Document

Output = TypeVar("Output")


@click.group("train", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Learn the weights of a pattern evaluation, from nothing but the rules of a game.

    Each step reads the results of the step before it from a folder: positions, their values, weights, and the errors of
    the weights. An interrupted step resumes where it was; the same seed always gives the same results.

    Searches and players use the weights by their file name: --evaluation patterns:FILE.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def start_options(game: str | None, game_options: RuleOptions) -> Options:
    """Return the fields of `Generation` for the start of games.

    Games start from all initial positions of the rules, or only from a chosen initial position.
    """
    start = start_of(intended_game(game, game_options), game_options)[0]
    description = intended_game(game, game_options)
    only_rules = description is None or set(game_options) <= set(description.variants.options_of(start.game))
    return {"start": start, "everywhere": only_rules}


def run_step(
    work: Callable[[Work], Output],
    show: Callable[[Output], object],
    *,
    workers: int | None,
    device: DeviceOption = "cpu",
    replace: bool,
    quiet: bool,
    as_json: bool,
    where: str | None = None,
    status: Callable[[Output], int] = lambda result: 0,
) -> int:
    """Call `work`, print its result with `show` or as JSON, and return the exit status. Ctrl-C keeps finished parts.

    `where` is the address of a cluster that does the work in pieces, or None if this machine works alone.
    """
    refuse_copies(where)
    stop = Stop()
    threads = workers or max(1, int(usable_cores()) // nodes_here(where))
    if where is not None and serve_tasks(where, PieceWorker, per_node=threads):
        return 0
    try:
        cluster = nullcontext() if where is None else open_tasks(where, PieceWorker, per_node=threads)
        with cluster as tasks, progress_line(quiet=quiet) as report:
            # Weights are fitted here, while the nodes have nothing to do.
            here = threads if where is None else max(1, int(usable_cores()))
            environment = Work(workers=here, tasks=tasks, device=device, stop=stop, progress=report, replace=replace)
            result = run_interruptibly(lambda: work(environment), stop)
        for why in tasks.refused if tasks is not None else ():
            diagnostics().print(f"outflank: warning: made nothing: {why}", soft_wrap=True)
    except Halted:
        diagnostics().print("interrupted; the same command goes on from here")
        return INTERRUPTED
    if as_json:
        print_json(cast("Document", result))
    elif (line := show(result)) is not None:
        output().print(line)
    return status(result)


@command.command("generate", cls=GameCommand)
@game_option("The game to learn.")
@GENERATION_OPTIONS
@click.option("--depth", type=int, default=1, show_default=True, help="Search depth of the players in plies.")
@click.option("--evaluation", help="Evaluation that chooses moves, by name, or patterns:FILE.  [none: random moves]")
@out_option("Folder for the positions, in positions.npz.")
@cluster_work_options("Play games", device=False)
def generate_command(
    game: str | None,
    game_options: RuleOptions,
    generation_options: Options,
    depth: int,
    evaluation: str | None,
    folder: Path,
    work_options: Options,
) -> int:
    """Generate positions to learn from.

    The positions come from varied games, and from all parts of a game, from the opening to the end.

    \b
      outflank train generate --game {first} --positions 100000 --out learning
      outflank train generate --games tournament.wtb --out learning
    """
    generation = Generation(
        **start_options(game, game_options), **generation_options, depth=depth, evaluation=evaluation
    )
    return run_step(
        lambda work: generate(folder, generation, work),
        lambda result: positions_text(folder, result),
        **work_options,
    )


@command.command("label")
@FOLDER
@LABEL_OPTIONS
@click.option("--weights", type=WEIGHTS, metavar="FILE", help="Weights of the last generation, for the first searches.")
@FIT_OPTIONS
@cluster_work_options("Value positions", device=True)
def label_command(
    folder: Path, label_options: Options, weights: Path | None, fit_options: Options, work_options: Options
) -> int:
    """Determine the values of positions.

    Positions near the end of a game are solved. Earlier positions are searched some plies deep, stage by stage from the
    end of the game to its start, with weights that are fitted to all later positions. If the endgames of a game cannot
    be solved, values come from the results of the games, and from searches with the weights of the last generation.
    """
    labels = Labels(weights=weights, **label_options, **fit_options)
    return run_step(
        lambda work: label(folder, labels, work),
        lambda result: values_text(folder, result),
        **work_options,
    )


@command.command("fit")
@FOLDER
@click.option("--prior", type=WEIGHTS, metavar="FILE", help="Initial weights, those of the last generation.")
@FIT_OPTIONS
@WORK_OPTIONS_WITH_DEVICE
def fit_command(folder: Path, prior: Path | None, fit_options: Options, work_options: Options) -> int:
    """Fit weights to the values of positions. One of sixteen games is held out."""
    return run_step(
        lambda work: fit_weights(folder, Fit(prior=prior, **fit_options), work),
        lambda result: fit_text(folder, result),
        **work_options,
    )


@command.command("check")
@FOLDER
@click.option("--weights", type=WEIGHTS, metavar="FILE", help="Weights to use instead of those in the folder.")
@click.option("--beside", metavar="NAMES", help="Evaluations to compare with, like a,b.  [all of the game]")
@quiet_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def check_command(folder: Path, weights: Path | None, beside: str | None, **output_options: Any) -> int:
    """Measure the error of weights.

    The error is measured on held-out games for each stage of the game, and compared with the errors of other
    evaluations. It is the root mean square, in the game's unit. An evaluation without a unit is scaled to fit best.
    """
    names = None if beside is None else [name.strip() for name in beside.split(",") if name.strip()]
    if names == []:
        raise OutflankError("--beside: the names of evaluations, like a,b")
    return run_step(
        lambda work: check(folder, work, weights=weights, beside=names),
        print_check,
        workers=1,
        replace=False,
        **output_options,
    )


@command.command("depths")
@FOLDER
@click.option("--evaluation", default="patterns", show_default=True, help="By name, or patterns:FILE.")
@click.option("--depth", type=int, default=DEPTH, show_default=True, help="Plies of the deepest search.")
@click.option(
    "--positions", type=int, default=DEPTH_POSITIONS, show_default=True, help="Number of positions to search."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Random seed of the choice of positions.")
@WORK_OPTIONS
def depths_command(folder: Path, evaluation: str, depth: int, positions: int, seed: int, work_options: Options) -> int:
    """Measure how far the values of shallow searches differ from the values of deeper searches.

    Positions of the folder are searched to every depth, and a formula is fitted to the differences between the values.
    The formula controls selective searches with this evaluation.

    \b
      outflank train generate --positions 2000 --out positions
      outflank train depths positions --depth 10
    """
    depths = Depths(evaluation=evaluation, depth=depth, positions=positions, seed=seed)
    return run_step(lambda work: measure(folder, depths, work), print_depths, **work_options)


@command.command("play")
@FOLDER
@click.option("--against", metavar="EVALUATION", help="By name, or patterns:FILE.  [the game's default]")
@click.option("--weights", type=WEIGHTS, metavar="FILE", help="Weights to use instead of those in the folder.")
@MATCH_OPTIONS
@click.option("--match-games", type=int, default=GAMES, show_default=True, help="Most games.")
@click.option("--seed", type=int, default=1, show_default=True, help="Random seed of the openings.")
@WORK_OPTIONS
def play_command(
    folder: Path,
    against: str | None,
    weights: Path | None,
    match_options: Options,
    match_games: int,
    seed: int,
    work_options: Options,
) -> int:
    """Play a match of weights against another evaluation.

    Both sides search alike, in pairs of games with colours swapped, until a sequential test shows which side is
    stronger. The status is 1 if the test shows that the weights are not stronger.

    \b
      outflank train play learning/generation-02 --against mobility
      outflank train play new --against patterns:old/mine.weights --time 0.1
    """
    match = Match(against=against, **match_options, games=match_games, seed=seed)
    return run_step(
        lambda work: play(folder, match, work, weights=weights),
        match_text,
        status=lambda result: int(result.outcome is not None and result.outcome.decision == "H0"),
        **work_options,
    )


@command.command("run", cls=GameCommand)
@game_option("The game to learn.")
@GENERATION_OPTIONS
@click.option("--generations", type=int, default=GENERATIONS, show_default=True, help="Number of generations.")
@LABEL_OPTIONS
@FIT_OPTIONS
@MATCH_OPTIONS
@click.option(
    "--match-games", type=int, default=GAMES, show_default=True, help="Most games of each match; 0: no matches."
)
@out_option("Folder for all results.")
@cluster_work_options("Play games and value positions", device=True)
def run_command(
    game: str | None,
    game_options: RuleOptions,
    generation_options: Options,
    generations: int,
    label_options: Options,
    fit_options: Options,
    match_options: Options,
    match_games: int,
    folder: Path,
    work_options: Options,
) -> int:
    """Run all steps, generation after generation.

    The best weights so far play the games from which the next generation is learnt. The new weights then play a match
    against the best weights so far. A page with plots shows the progress. Started again, the command resumes where it
    was.

    \b
      outflank train run --size 6 --seed 1 --out learning
      outflank train run --size 6 --positions 200000 --generations 4 --out more
    """
    plan = Plan(
        generation=Generation(**start_options(game, game_options), **generation_options),
        labels=Labels(**label_options, **fit_options),
        fit=Fit(**fit_options),
        match=Match(**match_options, games=match_games),
        generations=generations,
    )
    origin = provenance(this_command())
    return run_step(
        lambda work: run(
            folder,
            plan,
            work,
            on_generation=lambda generation: (
                None if work_options["as_json"] else print_result(generation_text(generation))
            ),
            on_write=lambda document: write_page(folder, document, origin),
        ),
        lambda result: run_text(folder, result),
        **work_options,
    )
