"""Balanced openings for matches: positions after random moves in which no side is ahead, as far as a search sees.

After random moves alone, one side is often so far ahead that it wins whoever plays it. The same colour then wins both
games of a pair, and the pair says nothing about the players.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from outflank.arena.openings import Openings, TooFewOpenings
from outflank.boards import Board
from outflank.books.book import key_of
from outflank.books.building import SearchRequest, searchers
from outflank.distributed.tasks import TaskDispatcher
from outflank.errors import OutflankError
from outflank.formats.files import decoded_whole, write_whole
from outflank.formats.recognise import read
from outflank.games.description import description_of
from outflank.games.evaluation import evaluation_named, scale_of
from outflank.search.keywords import PlayerKeywords
from outflank.search.request import Stop

BATCH = 128
"""Number of positions that are searched between two writes of the file. It is fixed, so that the openings do not depend
on the number of workers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BalancePlan:
    """How balanced openings are found."""

    plies: int
    """Number of random moves of an opening."""
    within: float
    """Largest value of an opening for either side, in the unit of the game's values."""
    depth: int
    """Depth in plies to which each position is searched."""
    count: int
    """Number of openings to find."""
    seed: int


Progress = Callable[[int, int], None]
"""Function that receives the number of openings found so far, and the number of positions searched."""


def find_balanced_openings(
    start: Board,
    path: Path,
    plan: BalancePlan,
    *,
    stop: Stop,
    progress: Progress = lambda found, searched: None,
    tasks: TaskDispatcher | None = None,
    **options: Unpack[PlayerKeywords],
) -> tuple[int, int]:
    """Write balanced openings to a file, a transcript in each line, and return their number and that of the positions
    searched. There may be fewer than the plan asks for.

    `stop` interrupts the work. The same call resumes it: a file with the same plan is continued.
    """
    scale = scale_of(start.game, evaluation_named(start.game))
    head = (
        f"# openings from {start.to_text()}: {plan.plies} random moves, seed {plan.seed}, within {plan.within:g} "
        f"{scale.unit} at depth {plan.depth}"
    )
    lines, searched = _resumed(path, head)
    drawn = Openings(f"random:{plan.plies}", start, seed=plan.seed, count=0)
    with searchers(start.game, options, tasks, stop) as position_searchers:
        while len(lines) < plan.count and not stop.called:
            boards = _batch(drawn, searched)
            if not boards:
                break
            requests = [SearchRequest(key_of(board), plan.depth, 1) for board in boards]
            values: dict[tuple[int, int], int] = {}
            for key, entry in position_searchers.results(requests, stop):
                values[key] = entry.moves[0][1]
                progress(len(lines), searched + len(values))
            if stop.called:
                break
            for board in boards:
                value = scale.number(values[key_of(board)])
                if abs(value) <= plan.within and len(lines) < plan.count:
                    lines.append(f"{_text_of(board)}  # {value:+.{scale.decimals}f}")
            searched += len(boards)
            write_whole(path, "\n".join([head, *lines, f"# {searched} positions searched", ""]))
    return len(lines), searched


def _batch(drawn: Openings, first: int) -> list[Board]:
    """Return the next positions to search; after the last, none."""
    boards: list[Board] = []
    try:
        while len(boards) < BATCH:
            boards.append(drawn[first + len(boards)])
    except TooFewOpenings:  # short openings, or small boards
        pass
    return boards


def _text_of(board: Board) -> str:
    """Return the moves of an opening or, if they do not begin at the game's start, its position."""
    description = description_of(board.game)
    moves = " ".join(str(move) for move in board.moves)
    try:
        setup = read(moves, game=description.name, **description.options_at(board))
    except OutflankError:
        return board.to_text()
    return moves if Board.from_setup(setup).to_text() == board.to_text() else board.to_text()


def _resumed(path: Path, head: str) -> tuple[list[str], int]:
    """Return the openings of a file that was begun with the same plan, and the number of positions searched for it."""
    if not path.exists():
        return [], 0
    first, *lines = decoded_whole(path.read_bytes()).splitlines() or [""]
    match = re.fullmatch(r"# (\d+) positions searched", lines[-1]) if lines else None
    if first != head or match is None:
        raise OutflankError(f"{path}: it exists, and was not begun with the same options")
    return lines[:-1], int(match[1])
