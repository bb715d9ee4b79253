"""A book's file while it is worked at: by one process at a time, and never with half of anything in it.

What is found is appended as soon as it is there, a line each, so that keeping it takes the same time however large the
book is; at the end the file is replaced by one with a line for each position, in order.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from outflank.books.book import Book, Entry, Key
from outflank.formats.files import write_whole
from outflank.formats.locks import held


class KeptBook:
    """A book, and its file."""

    def __init__(self, book: Book, file: TextIO) -> None:
        self.book, self._file = book, file

    def add(self, key: Key, entry: Entry) -> None:
        """Take in what was found of a position."""
        self._file.write(entry.line(key))
        self._file.flush()
        self.book.entries[key] = entry


@contextmanager
def kept_book(game: Any, path: Path) -> Iterator[KeptBook]:
    """The book in a file, an empty one if there is none, for changes that are kept there however they end."""
    with held(path, "another process is building this book"):
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        book = Book.parse(game, text, str(path))
        _drop_half_a_line(path)
        with path.open("a", encoding="utf-8") as file:
            yield KeptBook(book, file)
        whole = book.text()
        if whole != text:
            write_whole(path, whole)


def _drop_half_a_line(path: Path) -> None:
    """Take away a line that was being written when a build was killed."""
    with suppress(FileNotFoundError), path.open("rb+") as file:
        file.truncate(file.read().rfind(b"\n") + 1)
