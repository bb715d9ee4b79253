"""The log of the searches in a run. An entry records what a search did, not what was requested."""

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated, Any, Unpack

from msgspec import Meta, Struct
from msgspec.structs import replace

from outflank.boards import Board
from outflank.errors import FormatError
from outflank.games.evaluation import evaluations
from outflank.lab.experiment_boards import name_of_line
from outflank.search import whole_search
from outflank.search.keywords import SearchArguments, WholeKeywords
from outflank.search.request import DEEPEST, TABLELESS, Limits, Options
from outflank.search.results import Result
from outflank.search.table import Table
from outflank.validation.documents import JsonObject, Several
from outflank.validation.text import how_many

# Transposition tables with mapped pages, so that no timed search waits for memory. The first access to a page costs far
# more than writing an entry: a search of 50 ms took 720 ms on a new table, and the first measurement looked ten times
# slower than the next.

_idle_table: list[Table] = []
"""The transposition table of the last search, kept for the next search. Empty while a search uses the table."""
_lock = threading.Lock()


@contextmanager
def with_memory(options: Mapping[str, Any]) -> Iterator[SearchArguments]:
    """Yield the options of a search with an empty table of the requested size, all pages of which are already mapped.

    Successive searches reuse one table. A search that starts while the table is in use gets a new one. Options that
    need no table, or that name one, are yielded unchanged.
    """
    bits = options.get("table_bits", Options().table_bits)
    needs_table = options.get("algorithm", Options().algorithm) not in TABLELESS and not options.get("exact")
    if not isinstance(bits, int) or not needs_table or options.get("table") is not None:
        yield dict(options)
        return
    table = _table_of_size(bits)
    table.clear()  # also touches every page
    table.age = -1  # a search increments it to 0, the age of a new table
    yield {**options, "table": table}
    with _lock:  # skipped after an interrupt, when a worker may still be writing
        _idle_table[:] = [table]


def _table_of_size(bits: int) -> Table:
    with _lock:
        table = _idle_table.pop() if _idle_table else None
    return table if table is not None and table.bits == bits else Table(bits)


ALONE = "alone"
"""Name of the scheme of a search that no parallel scheme divided."""


Plies = Annotated[int, Meta(ge=0, le=DEEPEST)]


class Searched(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A log entry: one or more searches of one position, or of the positions of one game."""

    game: str
    position: str
    """Position, in the notation that `Board.from_text` reads. For a game, its first position."""
    name: str = ""
    """Name of the position in `outflank lab`. Empty if it has none."""
    moves: str = ""
    """Moves of the game, if the entry is for a game. Each move of the searching side was one search."""
    depth: Plies
    """Greatest depth that a search reached, in plies."""
    least_depth: Plies
    """Least depth that a search reached, in plies. It is less than `depth` if the end of a game limited a search."""
    algorithm: str
    evaluation: str | None = None
    """Name of the evaluation. None if the search was exact."""
    schemes: tuple[str, ...]
    """Parallel schemes that were used, in order of first use."""
    workers: tuple[Several, ...]
    searches: Several
    """Number of searches in this entry, with all schemes, worker counts and rounds."""

    @property
    def plies(self) -> str:
        """The depth as text, or the range of depths."""
        return str(self.depth) if self.least_depth == self.depth else f"{self.least_depth}–{self.depth}"

    def follows(self, other: "Searched") -> bool:
        """Return whether this entry is the next turn of the game in `other`."""
        return bool(other.moves) and self.moves.startswith(other.moves) and self._method() == other._method()

    def _method(self) -> tuple[object, ...]:
        return self.position, self.algorithm, self.evaluation, self.schemes, self.workers

    def joined(self, other: "Searched") -> "Searched":
        """Return this entry merged with `other`, which has the same position or is the next turn of the same game."""
        return replace(
            self,
            moves=other.moves,
            depth=max(self.depth, other.depth),
            least_depth=min(self.least_depth, other.least_depth),
            schemes=tuple(dict.fromkeys((*self.schemes, *other.schemes))),
            workers=tuple(sorted({*self.workers, *other.workers})),
            searches=self.searches + other.searches,
        )


class ChildMeasurements(Struct, frozen=True, kw_only=True):
    """The samples and the searches of a child process that measures."""

    rows: tuple[JsonObject, ...]
    """Samples that the child process measured."""
    searched: tuple[Searched, ...]


def merged_entries(entries: Iterable[Searched]) -> tuple[Searched, ...]:
    """Merge entries with the same position, moves, depths, algorithm and evaluation, in order of first appearance."""
    merged: dict[tuple[object, ...], Searched] = {}
    for entry in entries:
        key = entry.game, entry.position, entry.moves, entry.depth, entry.least_depth, entry.algorithm, entry.evaluation
        merged[key] = merged[key].joined(entry) if key in merged else entry
    return tuple(merged.values())


_log: ContextVar[list[Searched] | None] = ContextVar("searched", default=None)


@contextmanager
def log_searches() -> Iterator[list[Searched]]:
    """Yield a list that receives an entry for each search in this context."""
    entries: list[Searched] = []
    token = _log.set(entries)
    try:
        yield entries
    finally:
        _log.reset(token)


@contextmanager
def without_logging() -> Iterator[None]:
    """Disable the log, for searches that only compile kernels or are not measured."""
    token = _log.set(None)
    try:
        yield
    finally:
        _log.reset(token)


def add_entry(entry: Searched) -> None:
    """Add an entry to the active log, if any. A turn of a game is merged with the turns before it."""
    entries = _log.get()
    if entries is None:
        return
    if entries and entry.follows(entries[-1]):
        entries[-1] = entries[-1].joined(entry)
    else:
        entries.append(entry)


def search(
    board: Board, limits: Limits | None = None, *, in_game: bool = False, **options: Unpack[WholeKeywords]
) -> Result:
    """Run `outflank.search` with a table already in memory, and log it. `in_game` marks a turn of a whole game."""
    with with_memory(options) as with_table:
        result = whole_search.search(board, limits, **with_table)
    return log_result(board, result, options, in_game=in_game)


def log_result(board: Board, result: Result, options: Mapping[str, object], *, in_game: bool = False) -> Result:
    """Log the result of a search with these options, and return it."""
    log_search(
        board,
        result.depth,
        algorithm=str(options.get("algorithm", Options().algorithm)),
        evaluation=_evaluation(board, options),
        scheme=result.scheme,
        workers=len(result.workers),
        moves=(*board.moves, result.move) if in_game else (),
    )
    return result


def log_search(
    board: Board,
    depth: int,
    *,
    algorithm: str,
    evaluation: str | None = None,
    scheme: str | None = None,
    workers: int = 1,
    moves: tuple[object, ...] = (),
) -> None:
    """Log a search of `board` to `depth`. With `moves`, it is logged as a turn of the game with these moves."""
    if _log.get() is None:
        return
    if moves:
        board = board.copy()
        while board.moves:
            board.pop()
    game, position = type(board.game).__name__.lower(), _line(board)
    add_entry(
        Searched(
            game=game,
            position=position,
            name=name_of_line(game, position) or "",
            moves=" ".join(map(str, moves)),
            depth=depth,
            least_depth=depth,
            algorithm=algorithm,
            evaluation=evaluation,
            schemes=(scheme or ALONE,),
            workers=(max(workers, 1),),
            searches=1,
        )
    )


def _line(board: Board) -> str:
    try:
        return board.to_text()
    except FormatError:  # the game may have no notation
        return repr(board.position)


def _evaluation(board: Board, options: Mapping[str, object]) -> str | None:
    """Return the name of the evaluation that a search with these options uses, or None."""
    requested = options.get("evaluation")
    if options.get("exact"):
        return None
    known = evaluations(board.game)
    if requested is None:
        return next(iter(known), None)
    return requested if isinstance(requested, str) else type(requested).__name__


# --- descriptions of entries ---


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedPosition:
    """A position with a description of all its searches."""

    game: str
    position: str
    name: str
    """Name of the position. Empty if it has none."""
    lines: tuple[tuple[str, tuple[str, ...]], ...]
    """Descriptions of the searches. Each comes with the moves of the games that it describes."""


def by_position(searched: Iterable[Searched]) -> list[SearchedPosition]:
    """Return the searches grouped by position. Depths or games searched in the same way share a description."""
    places: dict[tuple[str, str], dict[tuple[object, ...], list[Searched]]] = {}
    for entry in searched:
        method = entry.algorithm, entry.evaluation, entry.schemes, entry.workers, bool(entry.moves)
        places.setdefault((entry.game, entry.position), {}).setdefault(method, []).append(entry)
    return [
        SearchedPosition(
            game=game,
            position=position,
            name=next(iter(methods.values()))[0].name,
            lines=tuple((_description(entries), _move_lists(entries)) for entries in methods.values()),
        )
        for (game, position), methods in places.items()
    ]


def _move_lists(entries: list[Searched]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.moves for entry in entries if entry.moves))


def _description(entries: list[Searched]) -> str:
    first = entries[0]
    games = how_many(len(_move_lists(entries)), "game") if len(_move_lists(entries)) > 1 else "a game"
    by_depth = sorted(entries, key=lambda entry: (entry.least_depth, entry.depth))
    plies = ", ".join(dict.fromkeys(entry.plies for entry in by_depth))
    count = sum(entry.searches for entry in entries)
    workers = f"{', '.join(map(str, first.workers))} {'worker' if first.workers == (1,) else 'workers'}"
    parts = [
        f"{f'{games}, ' if first.moves else ''}{'depth' if plies.isdigit() else 'depths'} {plies}",
        first.algorithm,
        *([first.evaluation] if first.evaluation else []),
        *([f"{', '.join(first.schemes)}", workers] if first.schemes != (ALONE,) else ["one worker"]),
        how_many(count, "search", "searches"),
    ]
    return " · ".join(parts)
