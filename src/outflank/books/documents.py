"""A book's positions as documents in JSON."""

from typing import Annotated

from msgspec import Meta, Struct

from outflank.documents import Count, Document, Several


class BookMove(Struct, frozen=True, kw_only=True):
    """A move and what it is worth."""

    move: str
    value: Annotated[int, Meta(ge=-(1 << 31), le=1 << 31)]
    """For the side to move, in points."""


class BookEntryDocument(Document, frozen=True, kw_only=True, tag="outflank/book-entry/1"):
    """A position of a book, which stands for all that are symmetric."""

    game: str
    rules: dict[str, int]
    position: str
    """With black to move, whoever does."""
    depth: Count
    """Plies that it was searched to; 100: played out."""
    games: Count
    """How many games came here, of those that the book was learnt from."""
    moves: list[BookMove]
    """The best first."""
    points_per_unit: Several
    """What makes one of what the game counts."""


class BookBranch(Struct, frozen=True, kw_only=True):
    """A move of a book, with what comes after it."""

    move: str
    value: int
    """For whoever makes it, in points."""
    depth: int | None
    """Plies that the position after it was searched to; null: the book does not know it, or another line has it."""
    games: int
    positions: int
    """Of the book, from there on, each counted in one line alone."""
    same_as: str | None
    """The line that has the position after it, if another has."""
    branches: list["BookBranch"]


class BookTreeDocument(Document, frozen=True, kw_only=True, tag="outflank/book-tree/1"):
    """A book from a position on."""

    position: str
    positions: int
    """In the whole book."""
    plies: int
    branches: list[BookBranch]
    unit: str
    points_per_unit: float


class BookBuiltDocument(Document, frozen=True, kw_only=True, tag="outflank/book-built/1"):
    """What has become of a book."""

    file: str
    positions: int
    searched: int
    """Those that are new in it."""
    deepened: int
    """Those that were searched again."""
    known: int
    """Those that were asked for, and known well enough."""
    interrupted: bool
