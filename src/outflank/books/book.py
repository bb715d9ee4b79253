"""Opening books: positions that were searched ahead of time, stored as lines of text.

    0000000810000000 0000001008000000 13 x25 19:+30 26:+30 37:+30

A line is a position's two words in hexadecimal, its search depth, the number of games that reached it if it was learnt
from games, and its best moves with their values, all in the table's form: symmetric positions share a line. A book that
is being built is appended to, so that an interrupted build continues where it was: of two lines of a position the later
one counts. A finished book has its lines in order: the same positions make the same file.
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
"""Depth of positions whose values are those of perfect play to the end."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a book knows of a position."""

    depth: int
    moves: tuple[tuple[int, int], ...]
    """Codes and values of the moves, the best first."""
    games: int = 0
    """Number of games, among those the book was learnt from, that reached the position."""

    @property
    def value(self) -> int:
        """Value of the position: that of its best move."""
        return self.moves[0][1]

    def line(self, key: Key) -> str:
        """Return the position's line."""
        played = f" x{self.games}" if self.games else ""
        moves_text = " ".join(f"{code}:{value:+d}" for code, value in self.moves)
        return f"{key[0]:016x} {key[1]:016x} {self.depth}{played} {moves_text}\n"


@dataclass(slots=True)
class Book:
    """Positions and their best moves."""

    game: Game
    entries: dict[Key, Entry] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, game: Game, name: str | Path) -> "Book":
        """Return the book in a file; `own`: the one that comes with the game."""
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
        """Return the book in a text. A last line without its end was being written, and is left out."""
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
        """Scale of the values: books are built with the game's best evaluation."""
        return scale_of(self.game, evaluation_named(self.game))

    @property
    def margin(self) -> int:
        """Default margin by which a played move may fall short of the best: twice a negligible difference.

        Book-depth searches often reverse the order of moves this close.
        """
        return 2 * self.scale.near

    def text(self) -> str:
        """Return the content of the book's file."""
        lines = (self.entries[key].line(key) for key in sorted(self.entries))
        return "".join([*(f"{comment}\n" for comment in self.comments), *lines])

    def look_up(self, board: Board) -> tuple[tuple[int, int], ...]:
        """Return the known moves of the position on a board, with their values; none if it is unknown."""
        entry = self.entry(board)
        return () if entry is None else entry.moves

    def entry(self, board: Board) -> Entry | None:
        """Return the entry of the position, with moves in the board's orientation.

        If the position is symmetric to itself, a move is as good as its images, which are included.
        """
        key = key_of(board)
        entry = self.entries.get(key)
        if entry is None:
            return None
        matching = [number for number in range(int(symmetries(self.game))) if _packed(board, number) == key]
        matching.sort(
            key=lambda number: number != int(canonical(self.game, board.position))
        )  # the one it was built with first
        values: dict[int, int] = {}
        for symmetry in matching:
            images = {int(mirror_move(self.game, MOVE(move.code), symmetry)): move.code for move in board.legal_moves}
            for code, value in entry.moves:
                if code in images:
                    values.setdefault(images[code], value)
        return replace(entry, moves=tuple(sorted(values.items(), key=lambda move: -move[1])))


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
    """Return the key of a position in a book, which all symmetric positions share."""
    return _packed(board, int(canonical(board.game, board.position)))


def board_at(game: Game, key: Key) -> Board:
    """Return the position of a key, with black to move: a book does not store the side to move."""
    position = unpack(game, U64(key[0]), U64(key[1]))
    return Board.from_setup(Setup(format="book", game=game, position=position))


def _packed(board: Board, symmetry: int) -> Key:
    first, second = pack(board.game, mirror(board.game, board.position, symmetry))
    return int(first), int(second)


# A book's file while it is changed: by one process at a time, and never with a partial line in it.
#
# Results are appended at once, a line each, so that writing one takes the same time however large the book is; at the
# end the file is replaced by one with a line for each position, in order.


class BookFile:
    """A book, and its file."""

    def __init__(self, book: Book, file: TextIO) -> None:
        self.book, self._file = book, file

    def add(self, key: Key, entry: Entry) -> None:
        """Add the entry of a position."""
        self._file.write(entry.line(key))
        self._file.flush()
        self.book.entries[key] = entry


@contextmanager
def open_book_file(game: Game, path: Path) -> Iterator[BookFile]:
    """Open the book in a file, or an empty one, for changes that are saved there however they end."""
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
    """Remove a line that was being written when a build was killed."""
    with suppress(FileNotFoundError), path.open("rb+") as file:
        file.truncate(file.read().rfind(b"\n") + 1)
