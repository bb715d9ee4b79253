"""JSON documents of a book's positions."""

from typing import Annotated

from msgspec import Meta, Struct

from outflank.validation.documents import Count, Document, Several


class BookMove(Struct, frozen=True, kw_only=True):
    """A move and its value."""

    move: str
    value: Annotated[int, Meta(ge=-(1 << 31), le=1 << 31)]
    """Value for the side to move, in points."""


class BookEntryDocument(Document, frozen=True, kw_only=True, tag="outflank/book-entry/1"):
    """A position of a book, which stands for all symmetric ones."""

    game: str
    rules: dict[str, int]
    position: str
    """The position, written with black to move."""
    depth: Count
    """Search depth in plies; 100: solved."""
    games: Count
    """Number of games, among those the book was learnt from, that reached the position."""
    moves: list[BookMove]
    """The moves, the best first."""
    points_per_unit: Several
    """Number of points in one unit of the game's scores."""


class BookBranch(Struct, frozen=True, kw_only=True):
    """A move of a book, with the branches after it."""

    move: str
    value: int
    """Value for the side that makes the move, in points."""
    depth: int | None
    """Search depth of the position after the move, in plies; null: not in the book, or listed in another line."""
    games: int
    positions: int
    """Number of the book's positions from there on, each counted in one line only."""
    same_as: str | None
    """The line that lists the position after the move, if another does."""
    branches: list["BookBranch"]


class BookTreeDocument(Document, frozen=True, kw_only=True, tag="outflank/book-tree/1"):
    """A book from a position on."""

    position: str
    positions: int
    """Number of positions in the whole book."""
    plies: int
    branches: list[BookBranch]
    unit: str
    points_per_unit: float


class BookBuiltDocument(Document, frozen=True, kw_only=True, tag="outflank/book-built/1"):
    """The result of building a book."""

    file: str
    positions: int
    searched: int
    """Number of new positions."""
    deepened: int
    """Number of positions that were searched again."""
    known: int
    """Number of requested positions that were known well enough."""
    interrupted: bool
