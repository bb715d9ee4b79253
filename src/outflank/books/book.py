"""Opening books in memory and in files: searched positions, stored as lines of text.

    0000000810000000 0000001008000000 13 x25 19:+30 26:+30 37:+30

A line has the two words of a position in hexadecimal, the search depth, the number of games that reached the position
(only if it was learnt from games), and the best moves with their values. Symmetric positions share a line. While a book
is built, lines are appended, so that an interrupted build can continue; the last line of a position counts. A finished
book is sorted, so that the same positions always make the same file.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TextIO

from outflank.boards import Board
from outflank.errors import FormatError, InvalidOption, OutflankError, reason_of
from outflank.formats.files import file_lock, write_whole
from outflank.formats.game_record import Setup
from outflank.games.description import description_of
from outflank.games.evaluation import evaluation_named, scale_of
from outflank.games.rules import MOVE, Game, canonical, mirror, mirror_move, pack, symmetries, unpack
from outflank.games.scores import Scale
from outflank.kernels.bits import U64

Key = tuple[int, int]

PLAYED_OUT = 100
"""Depth that is stored for positions with exact values, which are solved to the end of the game."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The search result that a book stores for a position."""

    depth: int
    moves: tuple[tuple[int, int], ...]
    """Move codes with their values, the best first."""
    games: int = 0
    """Number of games that reached the position; 0 if it was not learnt from games."""

    @property
    def value(self) -> int:
        """Value of the position, which is the value of its best move."""
        return self.moves[0][1]

    def line(self, key: Key) -> str:
        """Return the line of a book's file that stores this entry."""
        played = f" x{self.games}" if self.games else ""
        moves_text = " ".join(f"{code}:{value:+d}" for code, value in self.moves)
        return f"{key[0]:016x} {key[1]:016x} {self.depth}{played} {moves_text}\n"


@dataclass(slots=True)
class Book:
    """An opening book: entries by position."""

    game: Game
    entries: dict[Key, Entry] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, game: Game, name: str | Path) -> "Book":
        """Return the book in the file `name`, or the game's built-in book if `name` is `own`."""
        if str(name) == "own":
            description = description_of(game)
            if description.play.book is None:
                raise InvalidOption(f"book=own: {description.title} comes with none; give a book's file")
            text = description.play.book()
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
    def parse(cls, game: Game, text: str, name: str = "book") -> "Book":
        """Return the book in `text`. A last line without a newline is incomplete and ignored."""
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
        """Scale of the book's values, which is the scale of the game's best evaluation."""
        return scale_of(self.game, evaluation_named(self.game))

    @property
    def margin(self) -> int:
        """Default margin: a move may be played if it is worth at most this much less than the best move.

        It is twice the scale's negligible difference (`near`); searches to a book's depth often misorder moves this
        close.
        """
        return 2 * self.scale.near

    def text(self) -> str:
        """Return the text of the book's file."""
        lines = (self.entries[key].line(key) for key in sorted(self.entries))
        return "".join([*(f"{comment}\n" for comment in self.comments), *lines])

    def look_up(self, board: Board) -> tuple[tuple[int, int], ...]:
        """Return the book's moves for the position on `board`, with their values; empty if there are none."""
        entry = self.entry(board)
        return () if entry is None else entry.moves

    def entry(self, board: Board) -> Entry | None:
        """Return the entry of the position on `board`, with moves in the board's orientation; None if there is none.

        If the position is symmetric, the mirror images of the moves are included.
        """
        key = key_of(board)
        entry = self.entries.get(key)
        if entry is None:
            return None
        matching = [number for number in range(int(symmetries(self.game))) if _packed(board, number) == key]
        matching.sort(
            key=lambda number: number != int(canonical(self.game, board.position))
        )  # begin with the symmetry that the entry was built with
        values: dict[int, int] = {}
        for symmetry in matching:
            images = {int(mirror_move(self.game, MOVE(move.code), symmetry)): move.code for move in board.legal_moves}
            for code, value in entry.moves:
                if code in images:
                    values.setdefault(images[code], value)
        return replace(entry, moves=tuple(sorted(values.items(), key=lambda move: -move[1])))


def own_book(game: Game) -> Book | None:
    """Return the game's built-in book; None: it has none."""
    return Book.read(game, "own") if description_of(game).play.book is not None else None


def _entry(words: list[str]) -> tuple[Key, Entry]:
    first, second, depth, *moves = words
    games = int(moves.pop(0)[1:]) if moves and moves[0].startswith("x") else 0
    key = int(first, 16), int(second, 16)
    if not moves or not all(0 <= word < 1 << 64 for word in key) or min(int(depth), games) < 0:
        raise ValueError
    return key, Entry(int(depth), tuple(_move(text) for text in moves), games)


def _move(text: str) -> tuple[int, int]:
    code, _, value = text.partition(":")
    if not 0 <= int(code) < 1 << 16:
        raise ValueError
    return int(code), int(value)


def key_of(board: Board) -> Key:
    """Return the key of the position on `board`. Symmetric positions have the same key."""
    return _packed(board, int(canonical(board.game, board.position)))


def board_at(game: Game, key: Key) -> Board:
    """Return a board with the position of `key` and black to move. A book does not store the side to move."""
    position = unpack(game, U64(key[0]), U64(key[1]))
    return Board.from_setup(Setup(format="book", game=game, position=position))


def _packed(board: Board, symmetry: int) -> Key:
    first, second = pack(board.game, mirror(board.game, board.position, symmetry))
    return int(first), int(second)


# A book's file is changed by one process at a time. Each result is appended as a line, so that the time to write it
# does not depend on the size of the book. At the end the file is replaced by a sorted one with one line for each
# position.


class BookFile:
    """A book together with its open file."""

    def __init__(self, book: Book, file: TextIO) -> None:
        self.book, self._file = book, file

    def add(self, key: Key, entry: Entry) -> None:
        """Add an entry to the book, and append it to the file."""
        self._file.write(entry.line(key))
        self._file.flush()
        self.book.entries[key] = entry


@contextmanager
def open_book_file(game: Game, path: Path) -> Iterator[BookFile]:
    """Open the book in the file `path`, or a new one. Added entries are saved at once, and sorted at the end."""
    with file_lock(path, "another process is building this book"):
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        book = Book.parse(game, text, str(path))
        _drop_half_a_line(path)
        with path.open("a", encoding="utf-8") as file:
            yield BookFile(book, file)
        new_text = book.text()
        if new_text != text:
            write_whole(path, new_text)


def _drop_half_a_line(path: Path) -> None:
    """Remove an incomplete last line, which a killed build leaves behind."""
    with suppress(FileNotFoundError), path.open("rb+") as file:
        file.truncate(file.read().rfind(b"\n") + 1)
