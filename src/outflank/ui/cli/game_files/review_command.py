"""`outflank review`: show how much each move of a game loses."""

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
from outflank.games.defaults import Marks
from outflank.games.description import description_of
from outflank.games.evaluation import unit_scale
from outflank.games.sides import Side
from outflank.lab import result_store
from outflank.lab.drawing.looks import apply_theme
from outflank.lab.drawing.plots import plot_svg
from outflank.lab.drawing.review_page import Reviewed, review_html
from outflank.lab.provenance import provenance
from outflank.players.review import STATES, JudgedMove, accuracy_of, judge_moves, move_text, story_of
from outflank.search.request import Limits, Stop
from outflank.ui.cli.game_files.review_view import (
    COLUMNS,
    ReviewedGame,
    cells,
    conclusions,
    finite,
    headline,
    result_of,
    show,
    unjudged,
)
from outflank.ui.cli.shared.game_options import PositionCommand
from outflank.ui.cli.shared.interrupting import INTERRUPTED, run_interruptibly
from outflank.ui.cli.shared.output_files import STANDARD_OUTPUT, force_option, refuse_to_overwrite, write_output
from outflank.ui.cli.shared.position_options import describe, game_name, one_game, output, position_options, print_json
from outflank.ui.cli.shared.progress_line import progress_line, quiet_option
from outflank.ui.cli.shared.search_options import search_options

PAGE, PICTURE = "review.html", "review.svg"


@click.command("review", cls=PositionCommand)
@position_options
@search_options("depth", help="Search depth for each move in plies.")
@search_options("seconds", help="Seconds for each move.", usual="0.5, without a depth")
@click.option("--exact", type=int, help="Moves left from which moves are judged exactly.  [few enough to be fast]")
@search_options("workers", usual="one per core")
@click.option("--out", metavar="DIR", help="Write review.html and review.svg there; - prints the page instead.")
@force_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON object for the game, one per move, and one for the summary."
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
    """Analyse a game: the loss of each move against the best, mistakes, turning points, and the value over the game.

    \b
      outflank review f5d6c3d3c4f4f6g5e6d7 --depth 10
      outflank review games.ggf --number 3 --time 1 --out review
    """
    board, record = one_game(**options)
    if not board.moves:
        raise OutflankError("there are no moves to review: give a game, not a position")
    if out == STANDARD_OUTPUT and as_json:
        raise OutflankError("--out - and --json both ask for standard output")
    if out is not None and out != STANDARD_OUTPUT:
        result_store.check_writable(Path(out))
        refuse_to_overwrite((Path(out) / name for name in (PAGE, PICTURE)), force=force)
    limits = Limits(depth=depth, seconds=seconds if seconds is not None or depth is not None else 0.5)
    stop = Stop()
    marks = description_of(board.game).play.marks
    judged: list[JudgedMove] = []
    if as_json:
        _print_game(board, record)

    def judge(report: Callable[[str], None]) -> None:
        for entry in judge_moves(board, limits, exact=exact, stop=stop, workers=workers):
            judged.append(entry)
            if as_json:
                _print_move(entry, marks, description_of(board.game).scores.unit)
            else:
                report(f"{entry.ply} of {board.ply}: {entry.move}")

    with progress_line(quiet=quiet or as_json) as report:
        run_interruptibly(lambda: judge(report), stop)
    outcome = None if stop.called else board.outcome()
    review = ReviewedGame(
        board=board,
        record=record,
        judged=judged,
        marks=marks,
        story=story_of(judged, None if outcome is None else float(outcome.score)),
        stopped=stop.called,
    )
    if as_json:
        _print_story(review)
    elif out != STANDARD_OUTPUT:
        show(output(), review)
    if out is not None:
        _write(out, review)
    return INTERRUPTED if stop.called else 0


def _print_game(board: Board, record: Record) -> None:
    from outflank.ui.cli.shared.json_documents import ReviewGameDocument

    document = ReviewGameDocument(
        game=game_name(board.game),
        black=record.black,
        white=record.white,
        event=record.event,
        date=record.date,
        result=result_of(board, record),
        start=Board.from_setup(record.start).to_text(),
        moves=" ".join(map(str, board.moves)),
        opening=board.opening,
        command=this_command(),
    )
    print_json(document)


def _print_move(judged: JudgedMove, marks: Marks, unit: str) -> None:
    from outflank.ui.cli.shared.json_documents import ReviewMoveDocument

    document = ReviewMoveDocument(
        ply=judged.ply,
        side=judged.side.value,
        move=str(judged.move),
        mark=marks.of(judged.loss),
        value=_number(judged.value),
        best=str(judged.best),
        best_value=_number(judged.best_value),
        loss=None if isinf(judged.loss) else round(judged.loss, 2),
        depth=judged.depth,
        exact=judged.exact,
        unit=unit,
    )
    print_json(document)


def _number(value: float) -> float | Literal["won", "lost"]:
    """Return a value rounded for JSON. JSON has no infinity, so an infinite value becomes "won" or "lost"."""
    if isinf(value):
        return "won" if value > 0 else "lost"
    return round(value, 2)


def _print_story(review: ReviewedGame) -> None:
    from outflank.ui.cli.shared.json_documents import AccuracyDocument, ReviewStoryDocument, TurningPointDocument

    def accuracy(side: Side) -> AccuracyDocument:
        own = accuracy_of([judged.loss for judged in review.judged if judged.side is side])
        return AccuracyDocument(moves=own.moves, best=own.best, mean_loss=round(own.mean_loss, 2))

    forced, passes = unjudged(review.board)
    document = ReviewStoryDocument(
        judged=len(review.judged),
        forced=forced,
        passes=passes,
        stopped=review.stopped,
        first=STATES[review.story.first],
        turns=[
            TurningPointDocument(
                ply=turn.ply,
                before=STATES[turn.before],
                after=STATES[turn.after],
                blamed=None if turn.blamed is None else str(turn.blamed.move),
            )
            for turn in review.story.turns
        ],
        black=accuracy(Side.BLACK),
        white=accuracy(Side.WHITE),
    )
    print_json(document)


def _write(out: str, review: ReviewedGame) -> None:
    board, scale, story = review.board, unit_scale(review.board.game), review.story
    plies = [ply for ply, _ in story.values]
    drawable_story = replace(story, values=tuple(zip(plies, finite([value for _, value in story.values]), strict=True)))
    page_content = Reviewed(
        board=board,
        title=f"{headline(board, review.record) or describe(board)}: a game reviewed",
        judged=review.judged,
        marks=review.marks,
        story=drawable_story,
        conclusions=conclusions(review),
        describe_move=lambda entry: move_text(entry, scale),
        rows=[dict(zip(COLUMNS, cells(entry, review.marks, scale), strict=True)) for entry in review.judged],
    )
    page = review_html(page_content, provenance(this_command()))
    if out == STANDARD_OUTPUT:
        write_output(out, page)
        return
    write_output(Path(out) / PAGE, page)
    write_output(Path(out) / PICTURE, apply_theme(plot_svg(page_content.plot), "light"))
