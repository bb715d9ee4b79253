"""What is seen of a review: whose game it was, a table, a graph, and the story in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, isinf
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as Grid

from outflank.boards import Board
from outflank.formats.game_record import Record
from outflank.games.description import Marks, unit_of
from outflank.games.evaluation import counted
from outflank.games.rules import is_pass
from outflank.games.sides import Side
from outflank.games.units import Scale
from outflank.players.review import Judged, costliest
from outflank.players.story import Story, TurningPoint
from outflank.ui.cli.common import describe
from outflank.words import how_many

HEIGHT, WIDEST, LABEL = 11, 100, 7
"""Lines of the plot in the terminal, its columns, and those beside it."""

COLUMNS = ("ply", "side", "move", "", "value", "best", "its value", "loss", "depth")
TO_THE_LEFT = ("side", "move", "", "best")
LEFT_OUT = ((), ("side",), ("side", "depth"))
"""Columns that a table goes without where there is no room for it: what can be told from the others first."""

STATES = {1: "black winning", 0: "level", -1: "white winning"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedGame:
    """A game and what a review has found in it."""

    board: Board[Any]
    """As the game ended, with its moves."""
    record: Record
    """Who played it, and how it ended."""
    judged: Sequence[Judged]
    marks: Marks
    story: Story
    stopped: bool
    """Whether the review was ended before the game's end."""


def whose(board: Board[Any], record: Record) -> str:
    """The game in a line: players, event, date and result, as far as they are known."""
    players = f"{record.black or '?'} - {record.white or '?'}" if record.black or record.white else ""
    return ", ".join(filter(None, (players, record.event, record.date, result_of(board, record))))


def result_of(board: Board[Any], record: Record) -> str:
    """How the game ended in words, by the board or else by its record; empty if neither tells."""
    outcome = board.outcome()
    score = float(board.recorded(outcome)) if outcome is not None else record.score
    if score is None:
        return record.reason
    # A game that is only won or lost has been won by one, which says nothing.
    margin = f" by {abs(score):g}" if unit_of(board.game).scored or abs(score) != 1 else ""
    winner = f"{'black' if score > 0 else 'white'} won{margin}" if score else "drawn"
    return f"{winner} ({record.reason})" if record.reason else winner


def show(console: Console, found: ReviewedGame) -> None:
    """All of it in a terminal."""
    heading = whose(found.board, found.record)
    if heading:
        console.print(heading)
    scale = counted(found.board.game)
    console.print(_fitting(console, [cells(each, found.marks, scale) for each in found.judged]))
    for line in _plotted([value for _, value in found.story.values], min(WIDEST, console.width - LABEL)):
        console.print(line)
    for line in conclusions(found):
        console.print(line)


def _fitting(console: Console, rows: list[list[str]]) -> Grid:
    """The table, with so many columns and so much space between them that nothing is cut, if that can be."""
    roomy = console.options.update(max_width=10_000)
    for left_out in LEFT_OUT:
        for shape in (box.SIMPLE_HEAD, None):
            grid = _grid(rows, left_out, shape)
            if console.measure(grid, options=roomy).maximum <= console.width:
                return grid
    return grid


def _grid(rows: list[list[str]], left_out: Sequence[str], shape: box.Box | None) -> Grid:
    grid = Grid(box=shape, pad_edge=False, collapse_padding=shape is None)
    for name in COLUMNS:
        if name not in left_out:
            grid.add_column(name, justify="left" if name in TO_THE_LEFT else "right", no_wrap=True)
    for row in rows:
        grid.add_row(*(cell for name, cell in zip(COLUMNS, row, strict=True) if name not in left_out))
    return grid


def cells(each: Judged, marks: Marks, scale: Scale) -> list[str]:
    """A move as a table shows it."""
    same = each.best == each.move or not each.loss
    return [
        str(each.ply),
        str(each.side),
        str(each.move),
        marks.of(each.loss),
        _worth(each, each.value, scale, bare=True),
        "" if same else str(each.best),
        "" if same else _worth(each, each.best_value, scale, bare=True),
        "the game" if isinf(each.loss) else f"{each.loss:.1f}" if each.loss else "",
        "exact" if each.exact else str(each.depth),
    ]


def finite(values: Sequence[float]) -> list[float]:
    """Values that can be drawn: a game that is won, and not by so much, is worth as much as any of them."""
    most = max((abs(value) for value in values if not isinf(value)), default=0.0)
    return [copysign(max(1.0, most), value) if isinf(value) else value for value in values]


def _plotted(values: Sequence[float], width: int) -> list[str]:
    """Black's value after each move, as columns of blocks about the middle line."""
    if not values:
        return []
    values = finite(values)[-width:]
    most = max(1.0, *(abs(value) for value in values))
    half = HEIGHT // 2
    lines = []
    for row in range(half, -half - 1, -1):
        blocks = []
        for value in values:
            height = value / most * half
            if row == 0:
                blocks.append("─")
            elif row > 0:
                blocks.append("█" if height >= row else "▄" if height >= row - 0.5 else " ")
            else:
                blocks.append("█" if height <= row else "▀" if height <= row + 0.5 else " ")
        label = f"{most:+.0f}" if row == half else f"{-most:+.0f}" if row == -half else "0" if row == 0 else ""
        lines.append(f"{label:>5} {''.join(blocks)}")
    return [*lines, "      black's value after each move"]


# --- in words ---


def conclusions(found: ReviewedGame) -> list[str]:
    """What is to be said of the whole game, a line each."""
    scale = counted(found.board.game)
    lines = _summary(found)
    if found.story.first:
        lines.append(f"at the first move judged: {STATES[found.story.first]}")
    lines += [told_turn(turn, scale) for turn in found.story.turns]
    worst = costliest(found.judged, found.marks)
    if worst is not None and worst not in found.story.turning_points:
        lines.append(f"the costliest move was {worst.ply}: {told(worst, scale)}; it did not turn the game")
    if found.stopped:
        last = found.judged[-1].ply if found.judged else 0
        lines.append(f"stopped after move {last} of {found.board.ply}: the rest is not judged")
    return lines


def _summary(found: ReviewedGame) -> list[str]:
    board, judged, marks = found.board, found.judged, found.marks
    unit = unit_of(board.game).name
    forced, passes = unjudged(board)
    parts = [f"{how_many(len(judged), 'move')} judged, in {unit}"]
    parts += [f"{forced} forced"] if forced else []
    parts += [f"{how_many(passes, 'pass', 'passes')}, which the numbers of moves count too"] if passes else []
    lines = [f"{describe(board)}, {'; '.join(parts)}"]
    for side in (Side.BLACK, Side.WHITE):
        mine = [each for each in judged if each.side is side]
        if mine:
            wrong = [marks.of(each.loss) for each in mine]
            lost = sum(each.loss for each in mine if not isinf(each.loss))
            whole = sum(isinf(each.loss) for each in mine)
            thrown = f", and the game by {whole} of them" if whole else ""
            lines.append(
                f"{side}: {lost:.1f} {unit} lost in {how_many(len(mine), 'move')}{thrown}; "
                f"{wrong.count('?!')} doubtful, {how_many(wrong.count('?'), 'mistake')}, "
                f"{how_many(wrong.count('??'), 'blunder')}"
            )
    return lines


def unjudged(board: Board[Any]) -> tuple[int, int]:
    """How many moves of a game were the only ones, and how many were passes: neither is judged."""
    replay = board.copy()
    while replay.moves:
        replay.pop()
    forced = passes = 0
    for move in board.moves:
        if is_pass(board.game, move.code):
            passes += 1
        else:
            forced += len(replay.legal_moves) == 1
        replay.push(move)
    return forced, passes


def told_turn(turn: TurningPoint, scale: Scale) -> str:
    """A change of who was winning, in a sentence."""
    change = f"from {STATES[turn.before]} to {STATES[turn.after]}"
    if turn.blamed is None:
        return f"by move {turn.ply} the game had gone {change}; no single move is to blame at this depth"
    return f"the game turned at move {turn.ply}, {change}: {told(turn.blamed, scale)}"


def _worth(each: Judged, value: float, scale: Scale, *, bare: bool = False) -> str:
    """A value in words; a game that does not say how much a win counts is won or lost."""
    if isinf(value):
        return "won" if value > 0 else "lost"
    return scale.text(value, exact=each.exact, bare=bare)


def told(each: Judged, scale: Scale) -> str:
    """A move beside the best one."""
    kept, best = (_worth(each, value, scale) for value in (each.value, each.best_value))
    return f"{each.side} played {each.move} ({kept}) and not {each.best} ({best})"
