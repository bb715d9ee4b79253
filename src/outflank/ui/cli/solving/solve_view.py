"""Terminal view of `outflank solve`: a row for each proved position, one for the current position, and a total."""

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.text import Text

from outflank.boards import Board
from outflank.games.rules import ENDLESS_GAME
from outflank.search.results import Progress, Result
from outflank.search.saving import SolveState
from outflank.ui.cli.searching.search_view import WIDTH_FOR_NODES, progress_text
from outflank.ui.cli.shared.position_options import scaled
from outflank.ui.cli.solving.expected_scores import Difference
from outflank.validation.text import how_many

EXACT_NODES = 100
"""Terminal width in columns from which all digits of node counts are printed."""

WIDTHS = {"position": 8, "depth": 5, "score": 8, "time": 9, "nodes": 7, "nodes/s": 7}
"""Minimal widths of the table's columns. Wider cells take space from the principal variation."""

LINE = "principal variation"
GAP = 2


def depth_of(board: Board) -> int | None:
    """Return the maximum number of moves left in the board's game, or None if there is no limit."""
    left = board.moves_left
    return left if left < ENDLESS_GAME else None


@dataclass
class Total:
    """Sums over all positions that one `outflank solve` has solved."""

    positions: int = 0
    proved: int = 0
    differing: int = 0
    unreadable: int = 0
    nodes: int = 0
    seconds: float = 0.0
    table_bytes: int = 0
    worker_bytes: int = 0

    def add(self, result: Result, differing: Sequence[Difference], *, proved: bool) -> None:
        """Add a position's result. `proved` tells whether everything requested for it is proved."""
        self.positions += 1
        self.proved += proved
        self.differing += bool(differing)
        self.nodes += result.nodes
        self.seconds += result.seconds
        self.table_bytes = max(self.table_bytes, result.table_bytes)
        self.worker_bytes = max(self.worker_bytes, result.worker_bytes)

    @property
    def nodes_per_second(self) -> float:
        return self.nodes / self.seconds if self.seconds > 0 else 0.0

    def text(self) -> str:
        parts = [f"{self.proved:,} of {how_many(self.positions, 'position')} proved"]
        if self.differing:
            parts.append(f"{self.differing:,} not as expected")
        if self.unreadable:
            parts.append(f"{how_many(self.unreadable, 'line')} not read")
        return ", ".join(parts)


def score_cell(result: Result) -> str:
    """Return the proved score or bounds of a position."""
    if result.exact and result.value is not None:
        return result.scale.text(result.value, exact=True, bare=True)
    return bounds(result.lower, result.upper)


def bounds(lower: int | None, upper: int | None) -> str:
    """Return the bounds of a score as short text, such as `-2..+4`."""
    if lower is not None and upper is not None:
        return f"{lower:+d}" if lower == upper else f"{lower:+d}..{upper:+d}"
    if lower is not None:
        return f">= {lower:+d}"
    return "?" if upper is None else f"<= {upper:+d}"


@dataclass
class SolveTable:
    """Table whose rows are printed one by one, so that the reader of a pipe need not wait for the last row."""

    console: Console
    several: bool
    widths: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.widths = dict(WIDTHS)
        terminal = self.console.is_terminal
        self.exact_nodes = not terminal or self.console.width >= EXACT_NODES
        if self.exact_nodes:
            self.widths["nodes"] = 14
        if terminal and self.console.width < WIDTH_FOR_NODES:
            del self.widths["nodes"], self.widths["nodes/s"]
        if not self.several:
            del self.widths["position"]

    def begin(self) -> None:
        """Print the table's header."""
        self.console.print()
        names = {name: name for name in WIDTHS}
        row = self.row_lines(names, LINE)[0]
        room = self.console.width if self.console.is_terminal else len(row)
        self.console.print(row)
        self.console.print("─" * max(min(room, 200), len(row)) if self.console.is_terminal else "─" * len(row))

    def add(self, number: int, board: Board, result: Result, differing: Sequence[Difference], *, proved: bool) -> None:
        """Print a position's row, the proved scores of the moves, and the differences from expected scores."""
        line = " ".join(map(str, result.pv)) if result.exact else f"{result.move} …, not proved"
        depth = depth_of(board)
        self.print(
            {
                "position": f"{number:,}",
                "depth": "–" if depth is None else str(depth),
                "score": score_cell(result),
                **self.effort_cells(result.seconds, result.nodes, result.nodes_per_second),
            },
            line,
        )
        if result.exact and not proved:
            self.print({}, "the other moves' scores are not proved")
        if result.exact and len(result.best) > 1:
            values = [f"{entry.move} {result.scale.text(entry.value, exact=True, bare=True)}" for entry in result.best]
            self.print({}, ",  ".join(value.replace(" ", "\xa0") for value in values))
        for difference in differing:
            self.print({}, f"! {difference}")

    def end(self, total: Total) -> None:
        """Print the row of totals."""
        cells = self.effort_cells(total.seconds, total.nodes, total.nodes_per_second)
        self.print({"position": "total", **cells}, total.text())

    def effort_cells(self, seconds: float, nodes: int, speed: float) -> dict[str, str]:
        """Return the cells for time, nodes and nodes per second."""
        count = f"{nodes:,}" if self.exact_nodes else scaled(nodes)
        return {"time": f"{seconds:,.2f} s", "nodes": count, "nodes/s": scaled(speed)}

    def progress_row(self, number: int, board: Board, progress: Progress | None, estimate: Result | None) -> str:
        """Return the row of the position that is being solved."""
        depth = depth_of(board)
        cells = {"position": f"{number:,}", "depth": "–" if depth is None else str(depth)}
        if progress is None:
            return "\n".join(self.row_lines(cells, "…"))
        if progress.proving:
            cells["score"] = bounds(progress.value, progress.upper)
            line = progress_text(progress)
            if progress.move_count:
                line += f", {progress.moves_done / progress.move_count:.0%} of the root settled"
        else:
            value = f": {estimate.value_text}" if estimate is not None and estimate.value_text else ""
            line = f"estimate, depth {progress.depth}{value}"
        cells |= self.effort_cells(progress.seconds, progress.nodes, progress.nodes_per_second)
        return "\n".join(self.row_lines(cells, line))

    def print(self, cells: dict[str, str], line: str) -> None:
        """Print a row, wrapped between words if the terminal is too narrow."""
        for text in self.row_lines(cells, line):
            self.console.print(text)

    def row_lines(self, cells: dict[str, str], line: str) -> list[str]:
        """Return the lines of a row: the cells, and `line` wrapped beside them."""
        fixed = (" " * GAP).join(f"{cells.get(name, ''):>{width}}" for name, width in self.widths.items())
        if not self.console.is_terminal:
            return [f"{fixed}{' ' * GAP}{line}".rstrip().replace("\xa0", " ")]
        room = max(self.console.width - len(fixed) - GAP - 1, 12)
        wrapped = textwrap.wrap(line, room, break_long_words=False, break_on_hyphens=False) or [""]
        margin = " " * (sum(self.widths.values()) + GAP * (len(self.widths) - 1))
        rows = [fixed, *[margin] * (len(wrapped) - 1)]
        return [
            f"{row}{' ' * GAP}{part}".rstrip().replace("\xa0", " ") for row, part in zip(rows, wrapped, strict=True)
        ]


class LiveRow:
    """Row of the position that is being solved, below the finished rows. It is not drawn in a pipe."""

    def __init__(self, live: Live | None) -> None:
        self._live = live
        self._shown = ""

    def show(self, text: str) -> None:
        """Redraw the row if it has changed."""
        if self._live is not None and text != self._shown:
            self._shown = text
            self._live.update(Text(text), refresh=True)


@contextmanager
def live_row(console: Console) -> Iterator[LiveRow]:
    """Yield a live row below the printed lines. It is drawn only on a terminal."""
    if not console.is_terminal or console.is_dumb_terminal:
        yield LiveRow(None)
        return
    with Live(console=console, transient=True, auto_refresh=False, vertical_overflow="visible") as live:
        yield LiveRow(live)


def resumed_line(path: Path, saved: SolveState) -> str:
    """Return a line about the saved state of an earlier run, from which this run resumes."""
    known = bounds(saved.lower, saved.upper)
    proved = f", {known} is proved" if known != "?" else ""
    return f"{path}: goes on after {saved.seconds:,.2f} s and {how_many(saved.nodes, 'node')}{proved}"


def memory_line(total: Total) -> str:
    """Return a line with the memory of the transposition table and the workers."""
    size = total.table_bytes
    size_text = f"{size / 2**20:.0f} MiB" if size >= 1 << 20 else f"{size / 2**10:.1f} KiB"
    table = f"table {size_text}" if size else "no table"
    return f"memory: {table}, workers {total.worker_bytes / 2**20:.1f} MiB"
