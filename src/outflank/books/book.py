"""Opening books: positions that were searched ahead of time, kept as lines of text.

    0000000810000000 0000001008000000 13 x25 19:+30 26:+30 37:+30

A line is a position's two words in hexadecimal, the depth it was searched to, how many games came to it where it was
learnt from games, and its best moves with their values, all as the table sees them: symmetric positions share a line. A
book that is being built is appended to, so that a build which is interrupted goes on where it was: of two lines of a
position the later one counts. One that is whole has its lines in order: the same positions make the same file.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from outflank.boards import Board
from outflank.errors import FormatError, InvalidOption, OutflankError, reason_of
from outflank.formats.setup import Setup
from outflank.games.description import description_of
from outflank.games.evaluation import evaluation_named, scale_of
from outflank.games.rules import MOVE, canonical, mirror, mirror_move, pack, symmetries, unpack
from outflank.games.units import Scale
from outflank.kernels.bits import U64

Key = tuple[int, int]

PLAYED_OUT = 100
"""The depth of positions whose values are those of perfect play to the end."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a book knows of a position."""

    depth: int
    moves: tuple[tuple[int, int], ...]
    """Codes and values, the best first."""
    games: int = 0
    """How many of the games that it was learnt from came here."""

    @property
    def value(self) -> int:
        """What the position is worth: as much as its best move."""
        return self.moves[0][1]

    def line(self, key: Key) -> str:
        """The position's line."""
        played = f" x{self.games}" if self.games else ""
        said = " ".join(f"{code}:{value:+d}" for code, value in self.moves)
        return f"{key[0]:016x} {key[1]:016x} {self.depth}{played} {said}\n"


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
        elif not str(name):
            raise OutflankError("book: the name of the file is missing")
        elif "\0" in str(name):
            raise OutflankError(f"{str(name)!r}: the name of a file has no NUL character")
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
                key, entry = _entry(line.split())
                book.entries[key] = entry
            except ValueError:
                raise FormatError(f"{name}, line {number}: expected two words, a depth and moves like 19:+4") from None
        return book

    @property
    def scale(self) -> Scale:
        """How its values are to be read: books are built with the game's best evaluation."""
        return scale_of(self.game, evaluation_named(self.game))

    @property
    def margin(self) -> int:
        """How much less than the best a move may be worth that is still played, where nobody says otherwise: twice what
        hardly matters. Within that, searches of the depth of a book often change their minds."""
        return 2 * self.scale.near

    def text(self) -> str:
        """The whole of its file."""
        lines = (self.entries[key].line(key) for key in sorted(self.entries))
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
        return replace(entry, moves=tuple(sorted(values.items(), key=lambda each: -each[1])))


def _entry(words: list[str]) -> tuple[Key, Entry]:
    first, second, depth, *moves = words
    games = int(moves.pop(0)[1:]) if moves and moves[0].startswith("x") else 0
    key = int(first, 16), int(second, 16)
    if not moves or not all(0 <= word < 1 << 64 for word in key) or min(int(depth), games) < 0:
        raise ValueError
    return key, Entry(int(depth), tuple(_move(each) for each in moves), games)


def _move(text: str) -> tuple[int, int]:
    code, _, value = text.partition(":")
    if not 0 <= int(code) < 1 << 16:
        raise ValueError
    return int(code), int(value)


def key_of(board: Board[Any]) -> Key:
    """By what a book knows a position, and all that are like it."""
    return _packed(board, int(canonical(board.game, board.position)))


def board_at(game: Any, key: Key) -> Board[Any]:
    """The position that a key stands for, with black to move: a book does not ask who does."""
    position = unpack(game, U64(key[0]), U64(key[1]))
    return Board.from_setup(Setup(format="book", game=game, position=position))


def _packed(board: Board[Any], symmetry: int) -> Key:
    first, second = pack(board.game, mirror(board.game, board.position, symmetry))
    return int(first), int(second)
