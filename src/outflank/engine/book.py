"""Opening books: positions that were searched ahead of time, kept as lines of text.

A line is a position's two words in hexadecimal, the depth it was searched to, and its best moves with their values, all
as the table sees them: symmetric positions share a line. A book that is being built is appended to, so that a build
which is interrupted goes on where it was.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from outflank.boards import Board
from outflank.engine.player import Choice
from outflank.errors import FormatError, OutflankError
from outflank.games.evaluation import evaluation_named, scale_of
from outflank.games.othello.kernels import Othello
from outflank.games.rules import MOVE, canonical, is_pass, mirror, mirror_move, pack
from outflank.games.units import Scale
from outflank.search.contract import Limits, Stop
from outflank.search.deepening import search

Key = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Entry:
    """What a book knows of a position."""

    depth: int
    moves: tuple[tuple[int, int], ...]
    """Codes and values, the best first."""


@dataclass(slots=True)
class Book:
    """Positions and their best moves."""

    game: Any
    entries: dict[Key, Entry] = field(default_factory=dict)

    @classmethod
    def read(cls, game: Any, name: str | Path) -> "Book":
        """The book in a file; `own`: the one that comes with the package."""
        if str(name) == "own":
            kind = "othello" if isinstance(game, Othello) else "abalone"
            text = (files("outflank") / "engine" / "books" / f"{kind}.book").read_text(encoding="utf-8")
        else:
            try:
                text = Path(name).read_text(encoding="utf-8")
            except OSError as error:
                raise OutflankError(f"{name}: {error.strerror}") from None
            except ValueError:
                raise FormatError(f"{name} is not a book: it is not text") from None
        return cls.parse(game, text, str(name))

    @classmethod
    def parse(cls, game: Any, text: str, name: str = "book") -> "Book":
        """The book that a text holds. A last line without its end is one that was being written: it is left out."""
        book = cls(game)
        whole = text[: text.rfind("\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            if not line or line.startswith("#"):
                continue
            try:
                first, second, depth, *moves = line.split()
                entry = Entry(int(depth), tuple(_move(each) for each in moves))
                book.entries[int(first, 16), int(second, 16)] = entry
            except ValueError:
                raise FormatError(f"{name}, line {number}: expected two words, a depth and moves like 19:+4") from None
        return book

    @property
    def scale(self) -> Scale:
        """How its values are to be read: books are built with the game's best evaluation."""
        return scale_of(self.game, evaluation_named(self.game))

    def look_up(self, board: Board[Any]) -> tuple[tuple[int, int], ...]:
        """The moves that it knows here, as the board has them, with their values; none if it does not know it."""
        symmetry = int(canonical(self.game, board.position))
        entry = self.entries.get(_key(self.game, board.position, symmetry))
        if entry is None:
            return ()
        images = {int(mirror_move(self.game, MOVE(move.code), symmetry)): move.code for move in board.legal_moves}
        return tuple((images[code], value) for code, value in entry.moves if code in images)


def _move(text: str) -> tuple[int, int]:
    code, _, value = text.partition(":")
    return int(code), int(value)


def _key(game: Any, position: Any, symmetry: int) -> Key:
    first, second = pack(game, mirror(game, position, symmetry))
    return int(first), int(second)


def line_of(game: Any, board: Board[Any], depth: int, moves: tuple[tuple[int, int], ...]) -> str:
    """A position's line."""
    symmetry = int(canonical(game, board.position))
    first, second = _key(game, board.position, symmetry)
    said = " ".join(f"{int(mirror_move(game, MOVE(code), symmetry))}:{value:+d}" for code, value in moves)
    return f"{first:016x} {second:016x} {depth} {said}\n"


class Opened:
    """The habit of playing from a book."""

    def __init__(self, book: Book) -> None:
        self.book = book

    def new_game(self, board: Board[Any]) -> None:
        """A book does not change."""

    def choose(self, board: Board[Any]) -> Choice | None:
        """Its best move here."""
        moves = self.book.look_up(board)
        if not moves:
            return None
        code, value = moves[0]
        return Choice(move=board.move(code), value=value, scale=self.book.scale, why="book")

    def played(self, board: Board[Any], choice: Choice) -> None:
        """Nothing is learnt from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which positions a book holds."""

    plies: int = 8
    """Moves from the start."""
    depth: int = 12
    width: int = 3
    """Moves that are followed from each position, of the opponent and one's own."""
    margin: int = 20
    """And only those whose value is so near to the best one's, in the evaluation's points."""


def build(
    board: Board[Any],
    path: Path,
    plan: Plan,
    *,
    stop: Stop,
    told: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Book:
    """Search the openings of a board, ply by ply, and keep each position in the file as soon as it is done."""
    book = Book.read(board.game, path) if path.exists() else Book(board.game)
    _drop_half_a_line(path)
    ply: list[Board[Any]] = [board]
    with path.open("a", encoding="utf-8") as file:
        done = 0
        for _ in range(plan.plies):
            coming: dict[Key, Board[Any]] = {}
            for number, position in enumerate(ply):
                if stop.called:
                    return book
                moves = book.look_up(position) or _searched(book, position, file, plan, stop, options)
                if stop.called:
                    return book
                done += 1
                if told is not None:
                    told(done, done + len(ply) - number - 1)
                for following in _followed(position, moves, plan):
                    key = _key(board.game, following.position, int(canonical(board.game, following.position)))
                    coming.setdefault(key, following)
            ply = list(coming.values())
    return book


def _drop_half_a_line(path: Path) -> None:
    """Take away a line that was being written when a build was killed."""
    if path.exists():
        with path.open("rb+") as file:
            file.truncate(file.read().rfind(b"\n") + 1)


def _searched(
    book: Book, board: Board[Any], file: Any, plan: Plan, stop: Stop, options: dict[str, Any]
) -> tuple[tuple[int, int], ...]:
    found = search(board, Limits(depth=plan.depth), stop=stop, moves=plan.width, **options)
    moves = tuple((each.move.code, each.value) for each in found.best)
    if not stop.called and moves:
        line = line_of(board.game, board, found.depth, moves)
        file.write(line)
        file.flush()
        book.entries |= Book.parse(board.game, line).entries
    return moves


def _followed(board: Board[Any], moves: tuple[tuple[int, int], ...], plan: Plan) -> Iterator[Board[Any]]:
    for code, value in moves[: plan.width]:
        if value < moves[0][1] - plan.margin:
            break
        after = board.copy()
        after.push(after.move(code))
        while not after.is_game_over() and is_pass(after.game, after.legal_moves[0].code):
            after.push(after.legal_moves[0])
        if not after.is_game_over():
            yield after
