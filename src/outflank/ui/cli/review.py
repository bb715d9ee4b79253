"""`outflank review`: what each move of a game has lost."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table as Grid

from outflank.boards import Board
from outflank.engine.review import Judged, Marks, costliest, marks_for, reviewed, turning_points
from outflank.errors import OutflankError
from outflank.games.sides import Side
from outflank.games.units import Scale, counted, unit_of
from outflank.lab import store
from outflank.lab.drawing.looks import flattened
from outflank.lab.drawing.plots import plot_svg
from outflank.lab.drawing.review import Reviewed, review_html
from outflank.lab.provenance import provenance
from outflank.lab.report import Sample
from outflank.search.contract import Limits, Stop
from outflank.ui.cli.common import (
    PositionCommand,
    describe,
    one_board,
    output,
    position_options,
    print_json,
    progress_line,
)
from outflank.ui.cli.interrupting import interruptibly
from outflank.ui.cli.writing import STANDARD_OUTPUT, deliver, force_option, refuse_to_overwrite

PAGE, PICTURE = "review.html", "review.svg"

HEIGHT, WIDEST, LABEL = 11, 100, 7
"""Lines of the plot in the terminal, its columns, and those beside it."""

COLUMNS = ("ply", "side", "move", "", "value", "best", "its value", "loss", "depth")

RESULTS = {1: "winning", 0: "level", -1: "losing"}
"""For the side that moved."""


@click.command("review", cls=PositionCommand)
@position_options
@click.option("--depth", type=int, help="Plies to look ahead for each move.")
@click.option("--time", "seconds", type=float, help="Seconds for each move.  [0.5, if no depth is given]")
@click.option(
    "--exact", default=14, show_default=True, help="Othello: empty squares from which moves are judged exactly."
)
@click.option("--workers", type=int, help="Threads that search.  [one per core]")
@click.option("--out", metavar="DIR", help="Write review.html and review.svg there; - prints the page instead.")
@force_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object per move.")
def command(
    depth: int | None,
    seconds: float | None,
    exact: int,
    workers: int | None,
    out: str | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Go through a game: the loss of each move against the best, mistakes, turning points, and the value over the game.

    \b
      outflank review f5d6c3d3c4f4f6g5e6d7 --depth 10
      outflank review --file games.ggf --number 3 --time 1 --out review
    """
    board = one_board(**options)
    if not board.moves:
        raise OutflankError("there are no moves to review: give a game, not a position")
    if out == STANDARD_OUTPUT and as_json:
        raise OutflankError("--out - and --json both ask for standard output")
    if out is not None and out != STANDARD_OUTPUT:
        store.check_writable(Path(out))
        refuse_to_overwrite((Path(out) / name for name in (PAGE, PICTURE)), force=force)
    limits = Limits(depth=depth, seconds=seconds if seconds is not None or depth is not None else 0.5)
    stop = Stop()
    marks = marks_for(board)
    found: list[Judged] = []
    console = output()

    def judge(told: Callable[[str], None]) -> None:
        for each in reviewed(board, limits, exact_empties=exact, stop=stop, workers=workers):
            found.append(each)
            if as_json:
                _print_as_json(board, each, marks)
            else:
                told(f"{each.ply} of {board.ply}: {each.move}")

    with progress_line() as told:
        interruptibly(lambda: judge(told), stop)
    if not as_json and out != STANDARD_OUTPUT:
        _show(console, board, found, marks)
    if out is not None:
        _write(out, board, found, marks)
    return 130 if stop.called else 0


def _print_as_json(board: Board[Any], each: Judged, marks: Marks) -> None:
    print_json("review-move", **_row(each, marks), unit=unit_of(board.game).name)


def _row(each: Judged, marks: Marks) -> Sample:
    return {
        "ply": each.ply,
        "side": str(each.side),
        "move": str(each.move),
        "mark": marks.of(each.loss),
        "value": round(each.value, 2),
        "best": str(each.best),
        "best_value": round(each.best_value, 2),
        "loss": round(each.loss, 2),
        "depth": each.depth,
        "exact": each.exact,
        "turned": each.turned,
    }


def _show(console: Console, board: Board[Any], found: list[Judged], marks: Marks) -> None:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in COLUMNS:
        grid.add_column(name, justify="left" if name in ("side", "move", "", "best") else "right", no_wrap=True)
    discs = counted(board.game)
    for each in found:
        grid.add_row(*_cells(each, marks, discs))
    console.print(grid)
    for line in _plotted(found, min(WIDEST, console.width - LABEL)):
        console.print(line)
    for line in _conclusions(board, found, marks):
        console.print(line)


def _cells(each: Judged, marks: Marks, discs: Scale) -> list[str]:
    """A move as a table shows it."""
    same = each.best == each.move or not each.loss
    return [
        str(each.ply),
        str(each.side),
        str(each.move),
        marks.of(each.loss),
        discs.say(each.value, exact=each.exact, bare=True),
        "" if same else str(each.best),
        "" if same else discs.say(each.best_value, exact=each.exact, bare=True),
        f"{each.loss:.1f}" if each.loss else "",
        "exact" if each.exact else str(each.depth),
    ]


def _plotted(found: list[Judged], width: int) -> list[str]:
    """Black's value after each move, as columns of blocks about the middle line."""
    if not found:
        return []
    values = [each.black_value for each in found][-width:]
    most = max(1.0, *(abs(value) for value in values))
    half = HEIGHT // 2
    lines = []
    for row in range(half, -half - 1, -1):
        cells = []
        for value in values:
            height = value / most * half
            if row == 0:
                cells.append("─")
            elif row > 0:
                cells.append("█" if height >= row else "▄" if height >= row - 0.5 else " ")
            else:
                cells.append("█" if height <= row else "▀" if height <= row + 0.5 else " ")
        label = f"{most:+.0f}" if row == half else f"{-most:+.0f}" if row == -half else "0" if row == 0 else ""
        lines.append(f"{label:>5} {''.join(cells)}")
    return [*lines, "      black's value after each move"]


def _conclusions(board: Board[Any], found: list[Judged], marks: Marks) -> list[str]:
    discs = counted(board.game)
    turns = turning_points(found)
    lines = _summary(board, found, marks)
    lines += [f"the game turned at move {each.ply}: {_told(each, discs)}" for each in turns]
    worst = costliest(found, marks)
    if worst is not None and worst not in turns:
        lines.append(f"the costliest move was {worst.ply}: {_told(worst, discs)}; it did not turn the game")
    return lines


def _summary(board: Board[Any], found: list[Judged], marks: Marks) -> list[str]:
    unit = unit_of(board.game).name
    lines = [f"{describe(board)}, {len(found)} moves judged, in {unit}"]
    for side in (Side.BLACK, Side.WHITE):
        mine = [each for each in found if each.side is side]
        if mine:
            wrong = [marks.of(each.loss) for each in mine]
            lost = sum(each.loss for each in mine)
            lines.append(
                f"{side}: {lost:.1f} {unit} lost in {len(mine)} moves; {wrong.count('?!')} doubtful, "
                f"{wrong.count('?')} mistakes, {wrong.count('??')} blunders"
            )
    return lines


def _told(each: Judged, discs: Scale) -> str:
    kept, best = (discs.say(value, exact=each.exact) for value in (each.value, each.best_value))
    told = f"{each.side} played {each.move} ({kept}) and not {each.best} ({best})"
    before, after = (RESULTS[result] for result in each.results)
    return f"{told}, {before} before and {after} after" if each.turned else told


def _write(out: str, board: Board[Any], found: list[Judged], marks: Marks) -> None:
    discs = counted(board.game)
    review = Reviewed(
        board=board,
        title=f"{describe(board)}: a game reviewed",
        judged=found,
        marks=marks,
        said=_summary(board, found, marks),
        told=lambda each: _told(each, discs),
        rows=[dict(zip(COLUMNS, _cells(each, marks, discs), strict=True)) for each in found],
    )
    page = review_html(review, provenance("outflank review"))
    if out == STANDARD_OUTPUT:
        deliver(out, page)
        return
    deliver(Path(out) / PAGE, page)
    deliver(Path(out) / PICTURE, flattened(plot_svg(review.plot), "light"))
