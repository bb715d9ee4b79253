"""The terminal view of a reviewed game: the players, a table of moves, a bar chart, and a summary in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, isinf

from rich import box
from rich.console import Console
from rich.table import Table as Grid

from outflank.boards import Board
from outflank.formats.game_record import Record
from outflank.games.defaults import Marks
from outflank.games.description import description_of
from outflank.games.evaluation import unit_scale
from outflank.games.rules import is_pass
from outflank.games.scores import Scale
from outflank.games.sides import Side
from outflank.players.review import STATES, JudgedMove, Story, accuracy_of, costliest, move_text, turn_text, value_text
from outflank.ui.cli.shared.position_options import describe
from outflank.validation.text import how_many

HEIGHT, WIDEST, LABEL = 11, 100, 7
"""Height of the bar chart in lines, its maximum width, and the width of its labels."""

COLUMNS = ("ply", "side", "move", "", "value", "best", "its value", "loss", "depth")
LEFT_ALIGNED = ("side", "move", "", "best")
LEFT_OUT = ((), ("side",), ("side", "depth"))
"""Columns to leave out of the table of moves if the terminal is narrow. The sets are tried in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedGame:
    """A game and the results of its review."""

    board: Board
    """The board at the end of the game, with its moves."""
    record: Record
    """Players and result of the game."""
    judged: Sequence[JudgedMove]
    marks: Marks
    story: Story
    stopped: bool
    """Whether the user stopped the review before the end of the game."""


def headline(board: Board, record: Record) -> str:
    """Return one line with the players, event, date, opening and result, as far as they are known."""
    players = f"{record.black or '?'} - {record.white or '?'}" if record.black or record.white else ""
    return ", ".join(filter(None, (players, record.event, record.date, board.opening, result_of(board, record))))


def result_of(board: Board, record: Record) -> str:
    """Return a game's result in words, from its final board or otherwise from its record; empty if both lack it."""
    outcome = board.outcome()
    score = float(board.recorded_score(outcome)) if outcome is not None else record.score
    if score is None:
        return record.reason
    # In a game without scores a win is stored as 1, which is not a margin.
    margin = f" by {abs(score):g}" if description_of(board.game).scores.scored or abs(score) != 1 else ""
    winner = f"{'black' if score > 0 else 'white'} won{margin}" if score else "drawn"
    return f"{winner} ({record.reason})" if record.reason else winner


def show(console: Console, review: ReviewedGame) -> None:
    """Print the headline, table, bar chart and summary of a review."""
    heading = headline(review.board, review.record)
    if heading:
        console.print(heading)
    scale = unit_scale(review.board.game)
    console.print(_fitted_grid(console, [cells(judged, review.marks, scale) for judged in review.judged]))
    for line in _plot_lines([value for _, value in review.story.values], min(WIDEST, console.width - LABEL)):
        console.print(line)
    for line in conclusions(review):
        console.print(line)


def _fitted_grid(console: Console, rows: list[list[str]]) -> Grid:
    """Return the table of moves with the most columns that fit the terminal, or the narrowest one if none fits."""
    unlimited = console.options.update(max_width=10_000)
    for left_out in LEFT_OUT:
        for shape in (box.SIMPLE_HEAD, None):
            grid = _grid(rows, left_out, shape)
            if console.measure(grid, options=unlimited).maximum <= console.width:
                return grid
    return grid


def _grid(rows: list[list[str]], left_out: Sequence[str], shape: box.Box | None) -> Grid:
    grid = Grid(box=shape, pad_edge=False, collapse_padding=shape is None)
    for name in COLUMNS:
        if name not in left_out:
            grid.add_column(name, justify="left" if name in LEFT_ALIGNED else "right", no_wrap=True)
    for row in rows:
        grid.add_row(*(cell for name, cell in zip(COLUMNS, row, strict=True) if name not in left_out))
    return grid


def cells(judged: JudgedMove, marks: Marks, scale: Scale) -> list[str]:
    """Return the cells of a judged move, one row in the table of moves."""
    same = judged.best == judged.move or not judged.loss
    return [
        str(judged.ply),
        str(judged.side),
        str(judged.move),
        marks.of(judged.loss),
        value_text(judged, judged.value, scale, bare=True),
        "" if same else str(judged.best),
        "" if same else value_text(judged, judged.best_value, scale, bare=True),
        "the game" if isinf(judged.loss) else f"{judged.loss:.1f}" if judged.loss else "",
        "exact" if judged.exact else str(judged.depth),
    ]


def finite(values: Sequence[float]) -> list[float]:
    """Return the values with each infinity (a win without a score) replaced by the largest finite value, at least 1."""
    most = max((abs(value) for value in values if not isinf(value)), default=0.0)
    return [copysign(max(1.0, most), value) if isinf(value) else value for value in values]


def _plot_lines(values: Sequence[float], width: int) -> list[str]:
    """Return the lines of a bar chart of black's value after each move."""
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


# --- the summary in words ---


def conclusions(review: ReviewedGame) -> list[str]:
    """Return the lines of a review's summary: losses of each side, turning points, and the costliest move."""
    scale = unit_scale(review.board.game)
    lines = _summary(review)
    if review.story.first:
        lines.append(f"at the first move judged: {STATES[review.story.first]}")
    lines += [turn_text(turn, scale) for turn in review.story.turns]
    worst = costliest(review.judged, review.marks)
    if worst is not None and worst not in review.story.turning_points:
        lines.append(f"the costliest move was {worst.ply}: {move_text(worst, scale)}; it did not turn the game")
    if review.stopped:
        last = review.judged[-1].ply if review.judged else 0
        lines.append(f"stopped after move {last} of {review.board.ply}: the rest is not judged")
    return lines


def _summary(review: ReviewedGame) -> list[str]:
    board, judged, marks = review.board, review.judged, review.marks
    unit = description_of(board.game).scores.unit
    forced, passes = unjudged(board)
    parts = [f"{how_many(len(judged), 'move')} judged, in {unit}"]
    parts += [f"{forced} forced"] if forced else []
    parts += [f"{how_many(passes, 'pass', 'passes')}, which the numbers of moves count too"] if passes else []
    lines = [f"{describe(board)}, {'; '.join(parts)}"]
    for side in (Side.BLACK, Side.WHITE):
        own_moves = [entry for entry in judged if entry.side is side]
        if own_moves:
            move_marks = [marks.of(entry.loss) for entry in own_moves]
            accuracy = accuracy_of([entry.loss for entry in own_moves])
            losing_moves = sum(isinf(entry.loss) for entry in own_moves)
            losing_text = f", the game lost by {how_many(losing_moves, 'move')}" if losing_moves else ""
            lines.append(
                f"{side}: {accuracy.best} of {how_many(accuracy.moves, 'move')} "
                f"({accuracy.best / accuracy.moves:.0%}) lost nothing, "
                f"{accuracy.mean_loss:.1f} {unit} lost a move on average{losing_text}; "
                f"{move_marks.count('?!')} doubtful, {how_many(move_marks.count('?'), 'mistake')}, "
                f"{how_many(move_marks.count('??'), 'blunder')}"
            )
    return lines


def unjudged(board: Board) -> tuple[int, int]:
    """Return the number of forced moves and the number of passes in a game. A review judges neither."""
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
