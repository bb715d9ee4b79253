"""Opening books: positions that were searched ahead of time, kept as lines of text.

    0000000810000000 0000001008000000 13 19:+30 26:+30 37:+30

A line is a position's two words in hexadecimal, the depth it was searched to, and its best moves with their values, all
as the table sees them: symmetric positions share a line. A book that is being built is appended to, so that a build
which is interrupted goes on where it was: of two lines of a position the later one counts.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from outflank.boards import Board
from outflank.errors import FormatError, InvalidOption, OutflankError, reason_of
from outflank.games.description import description_of
from outflank.games.evaluation import evaluation_named, scale_of
from outflank.games.rules import MOVE, canonical, mirror, mirror_move, pack, symmetries
from outflank.games.units import Scale
from outflank.players.player import Choice
from outflank.players.variety import Variety

Key = tuple[int, int]

PLAYED_OUT = 100
"""The depth of positions whose values are those of perfect play to the end."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a book knows of a position."""

    depth: int
    moves: tuple[tuple[int, int], ...]
    """Codes and values, the best first."""

    def line(self, key: Key) -> str:
        """The position's line."""
        said = " ".join(f"{code}:{value:+d}" for code, value in self.moves)
        return f"{key[0]:016x} {key[1]:016x} {self.depth} {said}\n"


@dataclass(slots=True)
class Book:
    """Positions and their best moves."""

    game: Any
    entries: dict[Key, Entry] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, game: Any, name: str | Path) -> "Book":
        """The book in a file; `own`: the one that comes with the game."""
        if str(name) == "own":
            description = description_of(game)
            if description.book is None:
                raise InvalidOption(f"book=own: {description.title} comes with none; give a book's file")
            text = description.book()
        else:
            try:
                text = Path(name).read_text(encoding="utf-8-sig")
            except OSError as error:
                raise OutflankError(f"{name}: {reason_of(error)}") from None
            except ValueError:
                raise FormatError(f"{name} is not a book: it is not text") from None
        return cls.parse(game, text, str(name))

    @classmethod
    def parse(cls, game: Any, text: str, name: str = "book") -> "Book":
        """The book that a text holds. A last line without its end is one that was being written: it is left out."""
        book = cls(game)
        whole = text[: text.rfind("\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            if line.startswith("#"):
                book.comments.append(line)
            if not line or line.startswith("#"):
                continue
            try:
                first, second, depth, *moves = line.split()
                if not moves:
                    raise ValueError
                book.entries[int(first, 16), int(second, 16)] = Entry(int(depth), tuple(_move(each) for each in moves))
            except ValueError:
                raise FormatError(f"{name}, line {number}: expected two words, a depth and moves like 19:+4") from None
        return book

    @property
    def scale(self) -> Scale:
        """How its values are to be read: books are built with the game's best evaluation."""
        return scale_of(self.game, evaluation_named(self.game))

    def text(self) -> str:
        """The whole of its file."""
        lines = (entry.line(key) for key, entry in self.entries.items())
        return "".join([*(f"{comment}\n" for comment in self.comments), *lines])

    def look_up(self, board: Board[Any]) -> tuple[tuple[int, int], ...]:
        """The moves that it knows here, as the board has them, with their values; none if it does not know it."""
        entry = self.entry(board)
        return () if entry is None else entry.moves

    def entry(self, board: Board[Any]) -> Entry | None:
        """What it knows of the position, with moves as the board has them.

        Where the position is its own mirror image, a move is as good as its images, which are known with it.
        """
        key = key_of(board)
        entry = self.entries.get(key)
        if entry is None:
            return None
        likenesses = [each for each in range(int(symmetries(self.game))) if _packed(board, each) == key]
        likenesses.sort(key=lambda each: each != int(canonical(self.game, board.position)))  # as it was built first
        values: dict[int, int] = {}
        for symmetry in likenesses:
            images = {int(mirror_move(self.game, MOVE(move.code), symmetry)): move.code for move in board.legal_moves}
            for code, value in entry.moves:
                if code in images:
                    values.setdefault(images[code], value)
        return Entry(entry.depth, tuple(sorted(values.items(), key=lambda each: -each[1])))


def _move(text: str) -> tuple[int, int]:
    code, _, value = text.partition(":")
    return int(code), int(value)


def key_of(board: Board[Any]) -> Key:
    """By what a book knows a position, and all that are like it."""
    return _packed(board, int(canonical(board.game, board.position)))


def _packed(board: Board[Any], symmetry: int) -> Key:
    first, second = pack(board.game, mirror(board.game, board.position, symmetry))
    return int(first), int(second)


class Opened:
    """The habit of playing from a book."""

    def __init__(self, book: Book, variety: Variety | None = None) -> None:
        self.book, self.variety = book, variety

    def new_game(self, board: Board[Any]) -> None:
        """A book does not change."""

    def choose(self, board: Board[Any]) -> Choice | None:
        """Its best move here, or one nearly as good."""
        moves = self.book.look_up(board)
        if not moves:
            return None
        code, value = moves[0]
        if self.variety is not None:
            code = self.variety.pick(board, moves, self.book.scale.near)
            value = dict(moves)[code]
        return Choice(move=board.move(code), value=value, scale=self.book.scale, why="book")

    def played(self, board: Board[Any], choice: Choice) -> None:
        """Nothing is learnt from it."""
