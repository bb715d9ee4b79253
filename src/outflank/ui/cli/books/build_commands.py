"""`outflank book build`, `learn`, `merge` and `openings`: commands that write opening books and lists of openings."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeVar

import click

from outflank.books.book import Book
from outflank.books.building import BookPlan, BuildResult, build, searcher_of
from outflank.books.exchange import merge
from outflank.books.from_games import Openings, learn, rules_in
from outflank.distributed.cluster import nodes_here, open_tasks, serve_tasks
from outflank.distributed.launchers import refuse_copies
from outflank.distributed.tasks import TaskDispatcher
from outflank.errors import OutflankError, reason_of
from outflank.games.description import GAMES, RuleOptions
from outflank.games.rules import Game
from outflank.machine import MOST_WORKERS, usable_cores
from outflank.search.request import DEEPEST, Stop
from outflank.ui.cli.shared.game_options import GameCommand, PositionCommand, game_option, intended_game
from outflank.ui.cli.shared.interrupting import INTERRUPTED, run_interruptibly
from outflank.ui.cli.shared.option_groups import NameOf, Options, option_group
from outflank.ui.cli.shared.position_options import (
    diagnostics,
    one_board,
    output,
    position_options,
    print_json,
    start_of,
)
from outflank.ui.cli.shared.progress_line import progress_line, quiet_option
from outflank.ui.cli.shared.search_options import cluster_option
from outflank.validation.text import how_many

UNREADABLE = 2
"""Exit status of `book learn` if some games or files could not be read."""

PLIES, LEARNT_PLIES = 8, 12
MOST_PLIES = 120

SEARCH_OPTIONS = option_group(
    "search_options",
    click.option("--out", required=True, metavar="FILE", help="The book; an existing one is extended or deepened."),
    click.option(
        "--depth",
        type=click.IntRange(1, DEEPEST),
        default=12,
        show_default=True,
        help="Search depth of each position in plies.",
    ),
    click.option(
        "--width", type=click.IntRange(1), default=3, show_default=True, help="Moves that are kept of each position."
    ),
    click.option(
        "--workers", type=click.IntRange(1, MOST_WORKERS), help="Threads, each searching one position.  [one per core]"
    ),
    cluster_option("Search positions"),
    quiet_option,
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
)


@click.command("build", cls=PositionCommand)
@position_options
@click.option(
    "--plies", type=click.IntRange(1, MOST_PLIES), help=f"Moves from the start.  [{PLIES}; 1 with --positions]"
)
@click.option(
    "--positions",
    type=click.IntRange(1),
    metavar="N",
    help="Extend the book to N positions, first where a player most likely leaves it.",
)
@click.option(
    "--margin",
    type=float,
    help="Largest loss of a move against the best, in the game's unit.  [twice a negligible loss]",
)
@SEARCH_OPTIONS
def build_command(
    plies: int | None, positions: int | None, margin: float | None, search_options: Options, **options: Any
) -> int:
    """Build a book of the openings from a position. Ctrl-C interrupts the work; the same command resumes it.

    With a greater depth, positions that were searched less deeply are searched again. Values are backed up: the value
    of a move is the value after the best reply. The book does not depend on the number of workers.

    \b
      outflank book build --out {first}.book --plies 8 --depth 14
      outflank book build --out {first}.book --positions 2000 --depth 14
      outflank book build --game {last} --out {last}.book --margin 0.15
    """
    board = one_board(**options)
    if margin is not None and not 0 <= margin < 100:
        raise OutflankError("--margin: 0 to 100")
    empty_book = Book(board.game)
    points = empty_book.margin if margin is None else round(margin * empty_book.scale.points)
    default_plies = PLIES if positions is None else 1
    plan = BookPlan(
        plies=plies or default_plies,
        positions=positions,
        depth=search_options["depth"],
        width=search_options["width"],
        margin=points,
    )

    def work(session: "_Work") -> BuildResult:
        return build(board, Path(search_options["out"]), plan, **session.options)

    return _run(work, board.game, search_options)


@click.command("learn", cls=GameCommand)
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--plies",
    type=click.IntRange(1, MOST_PLIES),
    default=LEARNT_PLIES,
    show_default=True,
    help="Moves of each game that are used.",
)
@click.option(
    "--games",
    type=click.IntRange(1),
    metavar="N",
    help="Fewest games through a position.  [1 if there are few games, 10 of 10,000]",
)
@click.option("--game", type=NameOf(GAMES), help="Only this game.  [that of the first record]")
@SEARCH_OPTIONS
def learn_command(
    files: tuple[Path, ...],
    plies: int,
    games: int | None,
    game: str | None,
    game_options: RuleOptions,
    search_options: Options,
) -> int:
    """Learn openings from games.

    The games' positions are searched, and the number of games through each is stored. FILE has any format that `games`
    reads, or is the folder of a match. Games that cannot be read are reported and left out; the status is then 2.
    Ctrl-C interrupts the work; the same command resumes it, and counts no game twice.

    \b
      outflank book learn WTH_1998.wtb WTH_1999.wtb --out {first}.book
      outflank book learn match --plies 8 --games 3 --out {first}.book
    """
    start = None if game is None and not game_options else start_of(intended_game(game, game_options), game_options)[0]
    game_rules = rules_in(files) if start is None else start.game
    openings = Openings(game_rules, plies)
    plan = BookPlan(plies=plies, depth=search_options["depth"], width=search_options["width"])
    errors: list[str] = []

    def work(session: "_Work") -> BuildResult:
        for file in files:
            openings.read(file, errors.append, lambda count: session.tell(f"{count:,} games read"), session.stop)
        if not openings.games and not session.stop.called:
            raise OutflankError(errors[0] if errors else f"{' '.join(map(str, files))}: no game of these rules")
        return learn(openings, Path(search_options["out"]), plan, games=games, **session.options)

    try:
        status = _run(work, game_rules, search_options)
    finally:
        for error in errors[: None if openings.games else 0]:
            diagnostics().print(f"outflank: {' '.join(error.split())}", soft_wrap=True)
    if openings.others:
        diagnostics().print(f"{how_many(openings.others, 'game')} of other rules left out")
    return UNREADABLE if errors and status == 0 else status


@click.command("openings", cls=PositionCommand)
@position_options
@click.option(
    "--out", required=True, metavar="FILE", help="The list for `match --openings`; the same command continues it."
)
@click.option(
    "--count", type=click.IntRange(1), default=200, show_default=True, metavar="N", help="Number of openings to find."
)
@click.option(
    "--plies", type=click.IntRange(1, MOST_PLIES), default=PLIES, show_default=True, help="Random moves of an opening."
)
@click.option(
    "--within",
    type=click.FloatRange(0.0),
    default=2.0,
    show_default=True,
    help="Largest value of an opening for either side, in the game's unit.",
)
@click.option(
    "--depth",
    type=click.IntRange(1, DEEPEST),
    default=14,
    show_default=True,
    help="Search depth of each position in plies.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the random moves.")
@click.option(
    "--workers", type=click.IntRange(1, MOST_WORKERS), help="Threads, each searching one position.  [one per core]"
)
@quiet_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def openings_command(
    out: str,
    count: int,
    plies: int,
    within: float,
    depth: int,
    seed: int,
    workers: int | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Find balanced openings for matches: random moves after which neither side is ahead.

    Ctrl-C interrupts the work; the same command resumes it. The openings do not depend on the number of workers. The
    list of Othello that comes with the package is used by `match --openings balanced`.

    \b
      outflank book openings --out {first}.txt --count 100
      outflank book openings --game {last} --out {last}.txt --plies 6
    """
    from outflank.arena.balanced_openings import BalancePlan, find_balanced_openings
    from outflank.arena.match_documents import OpeningsFoundDocument

    board = one_board(**options)
    plan = BalancePlan(plies=plies, within=within, depth=depth, count=count, seed=seed)
    stop = Stop()
    with progress_line(quiet=quiet) as tell:

        def report(found: int, searched: int) -> None:
            tell(f"{how_many(found, 'opening')} in {how_many(searched, 'position')}")

        found, searched = _writing_to(
            out,
            lambda: run_interruptibly(
                lambda: find_balanced_openings(board, Path(out), plan, stop=stop, progress=report, workers=workers),
                stop,
            ),
        )
    if as_json:
        print_json(OpeningsFoundDocument(file=out, openings=found, searched=searched, interrupted=stop.called))
    else:
        exhausted = "" if found == count or stop.called else "; there are no more"
        output().print(f"{out}: {how_many(found, 'opening')} in {how_many(searched, 'position')}{exhausted}")
    return INTERRUPTED if stop.called else 0


@click.command("merge", cls=GameCommand)
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--out", required=True, metavar="FILE", help="The book to merge into; it may exist.")
@game_option("The game of the books.")
def merge_command(files: tuple[Path, ...], out: str, game: str | None, game_options: RuleOptions) -> int:
    """Merge books.

    If several books have a position, the entry with the deepest search is used. FILE is a book, or JSON lines from
    `book export`.

    \b
      outflank book merge other.book more.jsonl --out mine.book
    """
    board = start_of(intended_game(game, game_options), game_options)[0]
    book = _writing_to(out, lambda: merge(board.game, Path(out), list(files)))
    output().print(f"{out}: {how_many(len(book.entries), 'position')}")
    return 0


class _Work:
    """Progress line, stop flag and number of workers of a command that builds a book."""

    def __init__(self, tell: Callable[[str], None], workers: int | None, tasks: TaskDispatcher | None) -> None:
        self.tell, self.stop = tell, Stop()
        self._workers, self._tasks = workers, tasks

    @property
    def options(self) -> dict[str, Any]:
        """Return the keyword arguments for `build` and `learn`."""
        return {"stop": self.stop, "progress": self._report, "tasks": self._tasks, "workers": self._workers}

    def _report(self, done: int, known: int) -> None:
        self.tell(f"{how_many(done, 'position')}, {known - done:,} more are waiting")


def _run(work: Callable[[_Work], BuildResult], game: Game, options: Options) -> int:
    """Build a book here or on a cluster, print its size and return the exit status. Ctrl-C saves what is finished."""
    out, where = options["out"], options["where"]
    refuse_copies(where)
    workers = options["workers"] or max(1, int(usable_cores()) // nodes_here(where))
    if where is not None and serve_tasks(where, searcher_of(game), per_node=workers):
        return 0
    task_context = nullcontext() if where is None else open_tasks(where, searcher_of(game), per_node=workers)
    with task_context as tasks, progress_line(quiet=options["quiet"]) as tell:
        session = _Work(tell, workers, tasks)
        built = _writing_to(out, lambda: run_interruptibly(lambda: work(session), session.stop))
    for why in tasks.refused if tasks is not None else ():
        diagnostics().print(f"outflank: warning: searched nothing: {why}", soft_wrap=True)
    interrupted = session.stop.called
    if options["as_json"]:
        from outflank.books.exchange import BookBuiltDocument

        print_json(
            BookBuiltDocument(
                file=out,
                positions=len(built.book.entries),
                searched=built.searched,
                deepened=built.deepened,
                known=built.known,
                interrupted=interrupted,
            )
        )
    else:
        output().print(f"{out}: {_summary(built, options['depth'], interrupted=interrupted)}")
    return INTERRUPTED if interrupted else 0


Output = TypeVar("Output")


def _writing_to(out: str, work: Callable[[], Output]) -> Output:
    """Run `work` and return its result. A system error becomes an `OutflankError` that names the file `out`."""
    try:
        return work()
    except OSError as error:
        raise OutflankError(f"{out}: {reason_of(error)}") from None


def _summary(built: BuildResult, depth: int, *, interrupted: bool) -> str:
    """Return in words how many positions the book has, how many were searched, and how many were known before."""
    positions = how_many(len(built.book.entries), "position")
    if not (built.searched or built.deepened or interrupted):
        return f"{positions}; nothing to search: those asked for are known to depth {depth} or more"
    parts = [f"{built.searched:,} searched"]
    parts += [f"{built.deepened:,} searched again"] if built.deepened else []
    parts += [f"{built.known:,} known to depth {depth} or more"] if built.known else []
    parts += ["interrupted"] if interrupted else []
    return f"{positions}; {', '.join(parts)}"
