"""What a run really searched: noted as each search ends, from what it did and not from what was asked for."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated, Any, Unpack

from msgspec import Meta, Struct
from msgspec.structs import replace

from outflank.boards import Board
from outflank.documents import Several
from outflank.errors import FormatError
from outflank.games.evaluation import evaluations
from outflank.lab.boards import name_of_line
from outflank.lab.memory import with_memory
from outflank.search import deepening
from outflank.search.contract import DEEPEST, Limits, Options
from outflank.search.keywords import WholeKeywords
from outflank.search.results import Result
from outflank.words import how_many

ALONE = "alone"
"""The scheme of a search that one worker made without dividing anything."""


Plies = Annotated[int, Meta(ge=0, le=DEEPEST)]


class Searched(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A position that was searched, or a game whose positions were, and how."""

    game: str
    position: str
    """The line that `Board.from_text` reads; of a game, where it began."""
    name: str = ""
    """What the laboratory calls that position, if it has a name."""
    moves: str = ""
    """Of a game: its moves. Those of the side that searched were searched one by one."""
    depth: Plies
    """Plies, the most that a search reached."""
    least_depth: Plies
    """Plies, the fewest: they differ where a game ended within reach."""
    algorithm: str
    evaluation: str | None = None
    """None: nothing was estimated."""
    schemes: tuple[str, ...]
    """How the workers shared the work, in the order in which it was tried."""
    workers: tuple[Several, ...]
    searches: Several
    """How many there were, all schemes, workers and rounds together."""

    @property
    def plies(self) -> str:
        """The depth, or from which to which."""
        return str(self.depth) if self.least_depth == self.depth else f"{self.least_depth}–{self.depth}"

    def follows(self, other: "Searched") -> bool:
        """Whether it is the next turn of the other's game."""
        return bool(other.moves) and self.moves.startswith(other.moves) and self._how() == other._how()

    def _how(self) -> tuple[Any, ...]:
        return self.position, self.algorithm, self.evaluation, self.schemes, self.workers

    def joined(self, other: "Searched") -> "Searched":
        """Both as one: the other has the same position, or is the next turn of the same game."""
        return replace(
            self,
            moves=other.moves,
            depth=max(self.depth, other.depth),
            least_depth=min(self.least_depth, other.least_depth),
            schemes=tuple(dict.fromkeys((*self.schemes, *other.schemes))),
            workers=tuple(sorted({*self.workers, *other.workers})),
            searches=self.searches + other.searches,
        )


class MeasuredElsewhere(Struct, frozen=True, kw_only=True):
    """What another process says that was asked to measure."""

    rows: tuple[dict[str, Any], ...]
    """Samples."""
    searched: tuple[Searched, ...]


def together(entries: Iterable[Searched]) -> tuple[Searched, ...]:
    """The same position, searched to the same depth in the same way, once; in the order in which they first come."""
    found: dict[tuple[Any, ...], Searched] = {}
    for each in entries:
        key = each.game, each.position, each.moves, each.depth, each.least_depth, each.algorithm, each.evaluation
        found[key] = found[key].joined(each) if key in found else each
    return tuple(found.values())


_notes: ContextVar[list[Searched] | None] = ContextVar("searched", default=None)


@contextmanager
def noting() -> Iterator[list[Searched]]:
    """A list that fills with what is searched in this thread."""
    notes: list[Searched] = []
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


@contextmanager
def unnoted() -> Iterator[None]:
    """Nothing is noted: what is searched here compiles kernels, and is not measured."""
    token = _notes.set(None)
    try:
        yield
    finally:
        _notes.reset(token)


def add(entry: Searched) -> None:
    """Note something, if anybody is listening; a turn of a game is put to those before it."""
    notes = _notes.get()
    if notes is None:
        return
    if notes and entry.follows(notes[-1]):
        notes[-1] = notes[-1].joined(entry)
    else:
        notes.append(entry)


def search(
    board: Board[Any], limits: Limits | None = None, *, in_game: bool = False, **options: Unpack[WholeKeywords]
) -> Result:
    """`outflank.search`, noted, on a table that is in memory. `in_game`: one turn of a game on the board."""
    with with_memory(options) as chosen:
        found = deepening.search(board, limits, **chosen)
    return noted(board, found, options, in_game=in_game)


def noted(board: Board[Any], found: Result, options: Mapping[str, Any], *, in_game: bool = False) -> Result:
    """A result of whatever searches with these options, noted."""
    note(
        board,
        found.depth,
        algorithm=str(options.get("algorithm", Options().algorithm)),
        evaluation=_evaluation(board, options),
        scheme=found.scheme,
        workers=len(found.workers),
        moves=(*board.moves, found.move) if in_game else (),
    )
    return found


def note(
    board: Board[Any],
    depth: int,
    *,
    algorithm: str,
    evaluation: str | None = None,
    scheme: str | None = None,
    workers: int = 1,
    moves: tuple[Any, ...] = (),
) -> None:
    """Note that a board's tree was walked to a depth; with `moves`, as a turn of that game."""
    if _notes.get() is None:
        return
    if moves:
        board = board.copy()
        while board.moves:
            board.pop()
    game, position = type(board.game).__name__.lower(), _line(board)
    add(
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


def _line(board: Board[Any]) -> str:
    try:
        return board.to_text()
    except FormatError:  # a game of one's own, without a notation
        return repr(board.position)


def _evaluation(board: Board[Any], options: Mapping[str, Any]) -> str | None:
    """The name of what a search with these options estimates by."""
    chosen = options.get("evaluation")
    if options.get("exact"):
        return None
    known = evaluations(board.game)
    if chosen is None:
        return next(iter(known), None)
    return chosen if isinstance(chosen, str) else type(chosen).__name__


# --- in words ---


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedPosition:
    """A position with all that was searched there."""

    game: str
    position: str
    name: str
    """What it is called, or nothing."""
    lines: tuple[tuple[str, tuple[str, ...]], ...]
    """What was searched, in words, and the moves of each game where it was games."""


def by_position(searched: Iterable[Searched]) -> list[SearchedPosition]:
    """What was searched, position by position; depths, or games, that were searched in one way are told together."""
    places: dict[tuple[str, str], dict[tuple[Any, ...], list[Searched]]] = {}
    for each in searched:
        how = each.algorithm, each.evaluation, each.schemes, each.workers, bool(each.moves)
        places.setdefault((each.game, each.position), {}).setdefault(how, []).append(each)
    return [
        SearchedPosition(
            game=game,
            position=position,
            name=next(iter(ways.values()))[0].name or name_of_line(game, position) or "",  # of old it was not kept
            lines=tuple((_told(found), _games(found)) for found in ways.values()),
        )
        for (game, position), ways in places.items()
    ]


def _games(found: list[Searched]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.moves for each in found if each.moves))


def _told(found: list[Searched]) -> str:
    one = found[0]
    games = how_many(len(_games(found)), "game") if len(_games(found)) > 1 else "a game"
    deeper = sorted(found, key=lambda each: (each.least_depth, each.depth))
    plies = ", ".join(dict.fromkeys(each.plies for each in deeper))
    many = sum(each.searches for each in found)
    workers = f"{', '.join(map(str, one.workers))} {'worker' if one.workers == (1,) else 'workers'}"
    parts = [
        f"{f'{games}, ' if one.moves else ''}{'depth' if plies.isdigit() else 'depths'} {plies}",
        one.algorithm,
        *([one.evaluation] if one.evaluation else []),
        *([f"{', '.join(one.schemes)}", workers] if one.schemes != (ALONE,) else ["one worker"]),
        how_many(many, "search", "searches"),
    ]
    return " · ".join(parts)
