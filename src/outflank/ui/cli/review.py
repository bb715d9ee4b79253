"""`outflank review`: what each move of a game has lost."""

from collections.abc import Callable
from dataclasses import replace
from math import isinf
from pathlib import Path
from typing import Any, Literal

import click

from outflank.boards import Board
from outflank.command_lines import this_command
from outflank.errors import OutflankError
from outflank.formats.game_record import Record
from outflank.games.description import Marks, description_of, unit_of
from outflank.games.evaluation import counted
from outflank.lab import store
from outflank.lab.drawing.looks import flattened
from outflank.lab.drawing.plots import plot_svg
from outflank.lab.drawing.review import Reviewed, review_html
from outflank.lab.provenance import provenance
from outflank.players.review import Judged, reviewed
from outflank.players.story import story_of
from outflank.search.contract import Limits, Stop
from outflank.ui.cli.common import (
    describe,
    game_name,
    one_game,
    output,
    position_options,
    print_json,
)
from outflank.ui.cli.game_options import PositionCommand
from outflank.ui.cli.interrupting import INTERRUPTED, interruptibly
from outflank.ui.cli.progress import progress_line, quiet_option
from outflank.ui.cli.review_view import (
    COLUMNS,
    STATES,
    ReviewedGame,
    cells,
    conclusions,
    finite,
    result_of,
    show,
    told,
    unjudged,
    whose,
)
from outflank.ui.cli.writing import STANDARD_OUTPUT, deliver, force_option, refuse_to_overwrite

PAGE, PICTURE = "review.html", "review.svg"


@click.command("review", cls=PositionCommand)
@position_options
@click.option("--depth", type=int, help="Plies to look ahead for each move.")
@click.option("--time", "seconds", type=float, help="Seconds for each move.  [0.5, if no depth is given]")
@click.option(
    "--exact", type=int, help="Moves left in the game from which they are judged exactly.  [few enough to take no time]"
)
@click.option("--workers", type=int, help="Threads that search.  [one per core]")
@click.option("--out", metavar="DIR", help="Write review.html and review.svg there; - prints the page instead.")
@force_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON object for the game, one per move, and one for the story."
)
@quiet_option
def command(
    depth: int | None,
    seconds: float | None,
    exact: int | None,
    workers: int | None,
    out: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> int:
    """Go through a game: the loss of each move against the best, mistakes, turning points, and the value over the game.

    \b
      outflank review f5d6c3d3c4f4f6g5e6d7 --depth 10
      outflank review --file games.ggf --number 3 --time 1 --out review
    """
    board, record = one_game(**options)
    if not board.moves:
        raise OutflankError("there are no moves to review: give a game, not a position")
    if out == STANDARD_OUTPUT and as_json:
        raise OutflankError("--out - and --json both ask for standard output")
    if out is not None and out != STANDARD_OUTPUT:
        store.check_writable(Path(out))
        refuse_to_overwrite((Path(out) / name for name in (PAGE, PICTURE)), force=force)
    limits = Limits(depth=depth, seconds=seconds if seconds is not None or depth is not None else 0.5)
    stop = Stop()
    marks = description_of(board.game).marks
    found: list[Judged] = []
    if as_json:
        _print_game(board, record)

    def judge(tell: Callable[[str], None]) -> None:
        for each in reviewed(board, limits, exact=exact, stop=stop, workers=workers):
            found.append(each)
            if as_json:
                _print_move(each, marks, unit_of(board.game).name)
            else:
                tell(f"{each.ply} of {board.ply}: {each.move}")

    with progress_line(quiet=quiet or as_json) as tell:
        interruptibly(lambda: judge(tell), stop)
    outcome = None if stop.called else board.outcome()
    findings = ReviewedGame(
        board=board,
        record=record,
        judged=found,
        marks=marks,
        story=story_of(found, None if outcome is None else float(outcome.score)),
        stopped=stop.called,
    )
    if as_json:
        _print_story(findings)
    elif out != STANDARD_OUTPUT:
        show(output(), findings)
    if out is not None:
        _write(out, findings)
    return INTERRUPTED if stop.called else 0


def _print_game(board: Board[Any], record: Record) -> None:
    from outflank.ui.cli.documents import ReviewGameDocument

    document = ReviewGameDocument(
        game=game_name(board.game),
        black=record.black,
        white=record.white,
        event=record.event,
        date=record.date,
        result=result_of(board, record),
        start=Board.from_setup(record.start).to_text(),
        moves=" ".join(map(str, board.moves)),
        command=this_command(),
    )
    print_json(document)


def _print_move(each: Judged, marks: Marks, unit: str) -> None:
    from outflank.ui.cli.documents import ReviewMoveDocument

    document = ReviewMoveDocument(
        ply=each.ply,
        side=each.side.value,
        move=str(each.move),
        mark=marks.of(each.loss),
        value=_number(each.value),
        best=str(each.best),
        best_value=_number(each.best_value),
        loss=None if isinf(each.loss) else round(each.loss, 2),
        depth=each.depth,
        exact=each.exact,
        unit=unit,
    )
    print_json(document)


def _number(value: float) -> float | Literal["won", "lost"]:
    """A value as JSON can carry it."""
    if isinf(value):
        return "won" if value > 0 else "lost"
    return round(value, 2)


def _print_story(found: ReviewedGame) -> None:
    from outflank.ui.cli.documents import ReviewStoryDocument, TurningPointDocument

    forced, passes = unjudged(found.board)
    document = ReviewStoryDocument(
        judged=len(found.judged),
        forced=forced,
        passes=passes,
        stopped=found.stopped,
        first=STATES[found.story.first],
        turns=[
            TurningPointDocument(
                ply=turn.ply,
                before=STATES[turn.before],
                after=STATES[turn.after],
                blamed=None if turn.blamed is None else str(turn.blamed.move),
            )
            for turn in found.story.turns
        ],
    )
    print_json(document)


def _write(out: str, found: ReviewedGame) -> None:
    board, scale, story = found.board, counted(found.board.game), found.story
    plies = [ply for ply, _ in story.values]
    drawn = replace(story, values=tuple(zip(plies, finite([value for _, value in story.values]), strict=True)))
    review = Reviewed(
        board=board,
        title=f"{whose(board, found.record) or describe(board)}: a game reviewed",
        judged=found.judged,
        marks=found.marks,
        story=drawn,
        conclusions=conclusions(found),
        told=lambda each: told(each, scale),
        rows=[dict(zip(COLUMNS, cells(each, found.marks, scale), strict=True)) for each in found.judged],
    )
    page = review_html(review, provenance(this_command()))
    if out == STANDARD_OUTPUT:
        deliver(out, page)
        return
    deliver(Path(out) / PAGE, page)
    deliver(Path(out) / PICTURE, flattened(plot_svg(review.plot), "light"))
