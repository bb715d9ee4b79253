"""`outflank book build`, `learn` and `merge`: how books come about."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeVar

import click

from outflank.books.book import Book
from outflank.books.building import BookPlan, Built, build
from outflank.books.exchange import merge
from outflank.books.from_games import Openings, learn, rules_in
from outflank.books.searching import searches_of
from outflank.distributed.cluster_tasks import nodes_here, open_tasks, serve_tasks
from outflank.distributed.launchers import refuse_copies
from outflank.distributed.tasks import TaskDispatcher
from outflank.errors import OutflankError, reason_of
from outflank.games.description import GAMES
from outflank.machine import MOST_WORKERS, usable_cores
from outflank.search.contract import DEEPEST, Stop
from outflank.ui.cli.common import diagnostics, one_board, output, position_options, print_json, start_of
from outflank.ui.cli.game_options import GameCommand, PositionCommand, game_meant, game_option
from outflank.ui.cli.gathering import gathered
from outflank.ui.cli.interrupting import INTERRUPTED, interruptibly
from outflank.ui.cli.names import NameOf
from outflank.ui.cli.progress import progress_line, quiet_option
from outflank.ui.cli.sharing import cluster_option
from outflank.words import how_many

UNREADABLE = 2
"""The status where something of the files could not be read."""

PLIES, LEARNT_PLIES = 8, 12
MOST_PLIES = 120

HOW_IT_IS_SEARCHED = gathered(
    "how",
    click.option(
        "--out", required=True, metavar="FILE", help="The book; one that is there is gone on with, or deepened."
    ),
    click.option(
        "--depth", type=click.IntRange(1, DEEPEST), default=12, show_default=True, help="Plies to search each position."
    ),
    click.option(
        "--width", type=click.IntRange(1), default=3, show_default=True, help="Moves that are known of each position."
    ),
    click.option(
        "--workers",
        type=click.IntRange(1, MOST_WORKERS),
        help="Threads, each of which searches a position.  [one per core]",
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
    help="Let the book grow to N positions, where a player who follows it most likely leaves it.",
)
@click.option(
    "--margin",
    type=float,
    help="How much worse than the best moves may be, in what the game counts.  [twice what hardly matters there]",
)
@HOW_IT_IS_SEARCHED
def build_command(
    plies: int | None,
    positions: int | None,
    margin: float | None,
    how: dict[str, Any],
    **options: Any,
) -> int:
    """Search the openings of a position. Ctrl-C ends it; the same command goes on from there.

    With a greater depth, positions that are known less deeply are searched again. Values are carried back: a move is
    worth what the best reply to it leaves. The book does not depend on the number of workers.

    \b
      outflank book build --out {first}.book --plies 8 --depth 14
      outflank book build --out {first}.book --positions 2000 --depth 14
      outflank book build --game {last} --out {last}.book --margin 0.15
    """
    board = one_board(**options)
    if margin is not None and not 0 <= margin < 100:
        raise OutflankError("--margin: 0 to 100")
    empty = Book(board.game)
    points = empty.margin if margin is None else round(margin * empty.scale.points)
    least = PLIES if positions is None else 1
    plan = BookPlan(plies=plies or least, positions=positions, depth=how["depth"], width=how["width"], margin=points)

    def work(making: "_Making") -> Built:
        return build(board, Path(how["out"]), plan, **making.options)

    return _made(work, board.game, how)


@click.command("learn", cls=GameCommand)
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--plies",
    type=click.IntRange(1, MOST_PLIES),
    default=LEARNT_PLIES,
    show_default=True,
    help="Moves of each game that are looked at.",
)
@click.option(
    "--games",
    type=click.IntRange(1),
    metavar="N",
    help="How many games must have come to a position.  [1 where there are few, 10 of 10,000]",
)
@click.option("--game", type=NameOf(GAMES), help="Games of this one.  [that of the first]")
@HOW_IT_IS_SEARCHED
def learn_command(
    files: tuple[Path, ...],
    plies: int,
    games: int | None,
    game: str | None,
    game_options: Mapping[str, Any],
    how: dict[str, Any],
) -> int:
    """Learn openings from games.

    Their positions are searched, and how often they were played is kept. A file is of any format that `games` reads, or
    the folder of a match. What cannot be read is named, and the rest is learnt; the status is 2 then. Ctrl-C ends it;
    the same command goes on from there, and counts no game twice.

    \b
      outflank book learn WTH_1998.wtb WTH_1999.wtb --out {first}.book
      outflank book learn match --plies 8 --games 3 --out {first}.book
    """
    start = None if game is None and not game_options else start_of(game_meant(game, game_options), game_options)[0]
    rules = rules_in(files) if start is None else start.game
    openings = Openings(rules, plies)
    plan = BookPlan(plies=plies, depth=how["depth"], width=how["width"])
    wrong: list[str] = []

    def work(making: "_Making") -> Built:
        for file in files:
            openings.read(file, wrong.append, lambda count: making.tell(f"{count:,} games read"), making.stop)
        if not openings.games and not making.stop.called:
            raise OutflankError(wrong[0] if wrong else f"{' '.join(map(str, files))}: no game of these rules")
        return learn(openings, Path(how["out"]), plan, games=games, **making.options)

    try:
        status = _made(work, rules, how)
    finally:
        for each in wrong[: None if openings.games else 0]:
            diagnostics().print(f"outflank: {' '.join(each.split())}", soft_wrap=True)
    if openings.others:
        diagnostics().print(f"{how_many(openings.others, 'game')} of other rules left out")
    return UNREADABLE if wrong and status == 0 else status


@click.command("merge", cls=GameCommand)
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--out", required=True, metavar="FILE", help="The book that they are taken into; it may be there.")
@game_option("Whose books they are.")
def merge_command(files: tuple[Path, ...], out: str, game: str | None, game_options: Mapping[str, Any]) -> int:
    """Put books together.

    What was searched deeper counts. They may be books, or what `book export` has written as JSON lines.

    \b
      outflank book merge other.book more.jsonl --out mine.book
    """
    board = start_of(game_meant(game, game_options), game_options)[0]
    book = _written(out, lambda: merge(board.game, Path(out), list(files)))
    output().print(f"{out}: {how_many(len(book.entries), 'position')}")
    return 0


class _Making:
    """What the work at a book is given."""

    def __init__(self, tell: Callable[[str], None], workers: int | None, tasks: TaskDispatcher | None) -> None:
        self.tell, self.stop = tell, Stop()
        self._workers, self._tasks = workers, tasks

    @property
    def options(self) -> dict[str, Any]:
        """As whoever builds takes them."""
        return {"stop": self.stop, "told": self._told, "tasks": self._tasks, "workers": self._workers}

    def _told(self, done: int, known: int) -> None:
        self.tell(f"{how_many(done, 'position')}, {known - done:,} more are waiting")


def _made(
    work: Callable[[_Making], Built],
    game: Any,
    how: dict[str, Any],
) -> int:
    """Do the work, here or on a cluster, and say what has come of it; Ctrl-C keeps what is done."""
    out, where = how["out"], how["where"]
    refuse_copies(where)
    lanes = how["workers"] or max(1, int(usable_cores()) // nodes_here(where))
    if where is not None and serve_tasks(where, searches_of(game), per_node=lanes):
        return 0
    opened = nullcontext() if where is None else open_tasks(where, searches_of(game), per_node=lanes)
    with opened as tasks, progress_line(quiet=how["quiet"]) as tell:
        making = _Making(tell, lanes, tasks)
        built = _written(out, lambda: interruptibly(lambda: work(making), making.stop))
    interrupted = making.stop.called
    if how["as_json"]:
        from outflank.books.documents import BookBuiltDocument

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
        output().print(f"{out}: {_in_words(built, how['depth'], interrupted=interrupted)}")
    return INTERRUPTED if interrupted else 0


Done = TypeVar("Done")


def _written(out: str, work: Callable[[], Done]) -> Done:
    """What comes of work on a file; one line if the file cannot be written."""
    try:
        return work()
    except OSError as error:
        raise OutflankError(f"{out}: {reason_of(error)}") from None


def _in_words(built: Built, depth: int, *, interrupted: bool) -> str:
    """What has been done, above all if that is nothing."""
    positions = how_many(len(built.book.entries), "position")
    if not (built.searched or built.deepened or interrupted):
        return f"{positions}; nothing to search: those asked for are known to depth {depth} or more"
    parts = [f"{built.searched:,} searched"]
    parts += [f"{built.deepened:,} searched again"] if built.deepened else []
    parts += [f"{built.known:,} known to depth {depth} or more"] if built.known else []
    parts += ["interrupted"] if interrupted else []
    return f"{positions}; {', '.join(parts)}"
