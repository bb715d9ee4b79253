"""A book's file while it is changed: by one process at a time, and never with a partial line in it.

Results are appended at once, a line each, so that writing one takes the same time however large the book is; at the end
the file is replaced by one with a line for each position, in order.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from outflank.books.book import Book, Entry, Key
from outflank.formats.files import write_whole
from outflank.formats.locks import file_lock
from outflank.games.rules import Game


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
