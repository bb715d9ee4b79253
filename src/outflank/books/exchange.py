"""Import and export of books in other formats, their JSON documents, and merging of books."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from outflank.boards import Board
from outflank.books.book import Book, Entry, Key, board_at, key_of, open_book_file
from outflank.books.move_graph import MoveGraph, in_order, propagate_values, with_moves_of
from outflank.errors import FormatError, OutflankError, reason_of
from outflank.formats.files import decoded_whole
from outflank.formats.movetext import write_moves
from outflank.games.description import description_of
from outflank.games.rules import MOVE, Game, canonical, is_pass, mirror_move
from outflank.games.sides import Side
from outflank.validation.documents import Count, Document, Several, decoded, in_ascii

# A book as a tree of moves from one position, in which each position is listed once.
#
# A position that several lines reach belongs to the shortest of these lines, and the other lines refer to the shortest
# one. The position is counted only there.


@dataclass(slots=True)
class Branch:
    """A move of a book, with the moves that follow it."""

    line: tuple[int, ...]
    """Moves from the root to the position after this move, passes included."""
    side: Side
    """Side that makes the move."""
    move: str
    value: int
    """Value of the move for `side`."""
    depth: int | None
    """Search depth of the position after the move; None if it is not in the book or belongs to another line."""
    games: int
    """Number of games that reached the position after the move; 0 if it was not learnt from games."""
    positions: int
    """Number of the book's positions that follow this move, without positions that belong to another line."""
    same_as: str | None = None
    """Moves of the line that the position after this move belongs to, if it is another line."""
    branches: list["Branch"] = field(default_factory=list)

    @property
    def is_home(self) -> bool:
        """Whether the position after the move is in the book and belongs to this line."""
        return self.depth is not None


def tree_of(book: Book, board: Board, plies: int) -> list[Branch]:
    """Return the moves of a book from the position on `board`, as a tree of `plies` levels."""
    graph = MoveGraph(book)
    root = key_of(board)
    below = _below(graph, root)
    homes: dict[Key, str] = {root: ""}
    tops: list[Branch] = []
    current = [(board, tops)] if root in book.entries else []
    for _ in range(plies):
        next_level: list[tuple[Board, list[Branch]]] = []
        for position, branches in current:
            for after, branch in _branches(book, board, position):
                key = key_of(after)
                if key in homes:
                    branch.same_as = homes[key]
                elif (entry := book.entries.get(key)) is not None and not after.is_game_over:
                    homes[key] = write_moves(board.game, branch.line, board.turn)
                    branch.depth, branch.games, branch.positions = entry.depth, entry.games, below[key]
                    next_level.append((after, branch.branches))
                branches.append(branch)
        current = next_level
    return tops


def _branches(book: Book, root: Board, position: Board) -> Iterator[tuple[Board, Branch]]:
    """Yield the book's moves in `position`, each with the board after the move; of symmetric moves only the first."""
    seen: set[Key] = set()
    for code, value in book.look_up(position):
        after = position.copy()
        after.push(after.move(code))
        key = key_of(after)
        while not after.is_game_over and is_pass(after.game, after.legal_moves[0].code):
            after.push(after.legal_moves[0])
        if key not in seen:
            seen.add(key)
            line = tuple(move.code for move in after.moves[len(root.moves) :])
            yield after, Branch(line, position.turn, str(position.move(code)), value, None, 0, 0)


def _below(graph: MoveGraph, root: Key) -> dict[Key, int]:
    """Return the size of each position's subtree. A position belongs to its first parent in breadth-first order."""
    parents: dict[Key, Key] = {root: root}
    order = [root] if root in graph.book.entries else []
    for key in order:  # grows during the loop
        replies = graph.replies(key)
        for code, _ in graph.book.entries[key].moves:
            if code in replies and replies[code].sign:
                child = replies[code].key
                if child not in parents and child in graph.book.entries:
                    parents[child] = key
                    order.append(child)
    counts = dict.fromkeys(order, 1)
    for key in reversed(order[1:]):
        counts[parents[key]] += counts[key]
    return counts


class BookMove(Struct, frozen=True, kw_only=True):
    """A move of a position, with its value."""

    move: str
    value: Annotated[int, Meta(ge=-(1 << 31), le=1 << 31)]
    """Value of the move for the side to move, in points of the evaluation."""


class BookEntryDocument(Document, frozen=True, kw_only=True, tag="outflank/book-entry/1"):
    """A position of a book, as exported; it stands for all symmetric positions."""

    game: str
    rules: dict[str, int]
    position: str
    """The position as text, with black to move."""
    depth: Count
    """Search depth of the position in plies; 100 if the position is solved."""
    games: Count
    """Number of games that reached the position; 0 if it was not learnt from games."""
    moves: list[BookMove]
    """Moves of the position, the best first."""
    points_per_unit: Several
    """Number of points that make one unit of the game's scores."""


class BookBranch(Struct, frozen=True, kw_only=True):
    """A move of a book, with the moves that follow it."""

    move: str
    value: int
    """Value for the side that makes the move, in points of the evaluation."""
    depth: int | None
    """Search depth of the position after the move; null if it is not in the book or is listed in another line."""
    games: int
    positions: int
    """Number of the book's positions that follow this move. A position on several lines counts in one line only."""
    same_as: str | None
    """Moves of the line that lists the position after this move, if that is another line."""
    branches: list["BookBranch"]


class BookTreeDocument(Document, frozen=True, kw_only=True, tag="outflank/book-tree/1"):
    """The moves of a book from one position on, as a tree of lines."""

    position: str
    positions: int
    """Number of positions in the whole book."""
    plies: int
    branches: list[BookBranch]
    unit: str
    points_per_unit: float


class BookBuiltDocument(Document, frozen=True, kw_only=True, tag="outflank/book-built/1"):
    """The result of a command that builds a book."""

    file: str
    positions: int
    searched: int
    """Number of positions that were not in the book before."""
    deepened: int
    """Number of positions of the book that were searched again."""
    known: int
    """Number of requested positions that needed no search, because their entries were good enough."""
    interrupted: bool


FORMATS = ("jsonl", "csv", "dot", "txt")
"""Export formats of a book: `jsonl` and `csv` have all positions, `dot` and `txt` only the lines from one position."""


def export_lines(book: Book, format: str, board: Board, plies: int) -> Iterator[str]:
    """Yield a book's lines of text in a format. `dot` and `txt` show only the tree of `plies` plies from `board`."""
    if format == "jsonl":
        return (in_ascii(_document(book, key)) + "\n" for key in sorted(book.entries))
    if format == "csv":
        return _table(book)
    tops = tree_of(book, board, plies)
    return _graph(book, board, tops) if format == "dot" else _lines(book, board, tops)


def _document(book: Book, key: Key) -> BookEntryDocument:
    board, entry, description = board_at(book.game, key), book.entries[key], description_of(book.game)
    return BookEntryDocument(
        game=description.name,
        rules=description.rules_as_json(book.game),
        position=board.to_text(),
        depth=entry.depth,
        games=entry.games,
        moves=[BookMove(move=str(board.move(code)), value=value) for code, value in entry.moves],
        points_per_unit=book.scale.points,
    )


def _table(book: Book) -> Iterator[str]:
    """Yield CSV rows, one for each move of each position, with values in the game's unit."""
    yield _row("position", "move", "value", "depth", "games")
    for key in sorted(book.entries):
        board, entry = board_at(book.game, key), book.entries[key]
        for code, value in entry.moves:
            yield _row(board.to_text(), board.move(code), f"{book.scale.number(value):g}", entry.depth, entry.games)


def _row(*cells: object) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _lines(book: Book, board: Board, tops: list[Branch]) -> Iterator[str]:
    """Yield each line of the tree as a list of moves, followed by its value for the side to move at the root."""
    for branch in (top for top in tops if top.is_home):
        if any(child.is_home for child in branch.branches):
            yield from _lines(book, board, branch.branches)
        else:
            mover = 1 if branch.side is board.turn else -1
            moves_text = write_moves(board.game, branch.line, board.turn)
            yield f"{moves_text}  # {book.scale.text(mover * branch.value)}\n"


def _graph(book: Book, board: Board, tops: list[Branch]) -> Iterator[str]:
    """Yield a Graphviz graph with a node for each position and an edge for each move."""
    yield 'digraph book {\n  node [shape=box, fontname="sans-serif"];\n  edge [fontname="sans-serif"];\n'
    yield f'  "" [label="{board.turn} to move"];\n'
    yield from _edges(book, board, "", tops)
    yield "}\n"


def _edges(book: Book, board: Board, home: str, branches: list[Branch]) -> Iterator[str]:
    for branch in branches:
        target = branch.same_as
        if target is None and not branch.is_home:
            continue
        if target is None:
            target = write_moves(board.game, branch.line, board.turn)
            yield f'  "{target}" [label="{book.scale.text(branch.value)}"];\n'
        yield f'  "{home}" -> "{target}" [label="{branch.move}"];\n'
        yield from _edges(book, board, target, branch.branches)


# --- reading ---


def merge(game: Game, path: Path, sources: list[Path]) -> Book:
    """Add the positions of other books, built or exported as `jsonl`, to the book in the file `path`.

    If two books have an entry for a position, the deeper entry is used, or, at equal depth, the entry with more moves.
    """
    books = [read_any(game, source) for source in sources]
    with open_book_file(game, path) as file:
        graph = MoveGraph(file.book)
        for source_book in books:
            for key, entry in source_book.entries.items():
                before = file.book.entries.get(key)
                if before is None:
                    file.book.entries[key] = in_order(entry)
                    continue
                more = (entry.depth, len(entry.moves)) > (before.depth, len(before.moves))
                first, second = (entry, before) if more else (before, entry)
                file.book.entries[key] = in_order(replace(first, games=max(first.games, second.games)))
            file.book.comments += [line for line in source_book.comments if line not in file.book.comments]
        for source_book in books:  # after the first loop, which has added all positions
            for key, entry in source_book.entries.items():
                file.book.entries[key] = with_moves_of(graph, key, file.book.entries[key], entry)
        propagate_values(graph)
    return file.book


def read_any(game: Game, path: Path) -> Book:
    """Return the book in the file `path`, which was built or exported as `jsonl`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise OutflankError(f"{path}: {reason_of(error)}") from None
    book = parse_any(game, decoded_whole(data), str(path))
    if not book.entries:
        raise FormatError(f"{path}: there is no position in this book")
    return book


def parse_any(game: Game, text: str, name: str = "book") -> Book:
    """Return the book in `text`, the content of a file that was built or exported as `jsonl`."""
    if not text.lstrip().startswith("{"):
        return Book.parse(game, text, name)
    book = Book(game)
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                key, entry = _key_and_entry(book, decoded(BookEntryDocument, line.encode("utf-8", "replace")))
            except OutflankError as error:
                raise FormatError(f"{name}, line {number}: {error}") from None
            book.entries[key] = entry
    return book


def _key_and_entry(book: Book, document: BookEntryDocument) -> tuple[Key, Entry]:
    description = description_of(book.game)
    if (document.game, document.rules) != (description.name, description.rules_as_json(book.game)):
        raise FormatError(f"a position of {document.game} {document.rules}, and the book is of others")
    read = Board.from_text(document.position, game=document.game)
    board = Board.from_setup(replace(read.setup(), game=book.game))
    if not document.moves:
        raise FormatError("expected a move at least")
    symmetry = int(canonical(book.game, board.position))
    factor = book.scale.points / document.points_per_unit
    moves = []
    for move in document.moves:
        code = int(mirror_move(book.game, MOVE(board.parse_move(move.move).code), symmetry))
        moves.append((code, move.value if book.scale.is_final(move.value) else round(move.value * factor)))
    return key_of(board), in_order(Entry(document.depth, tuple(moves), document.games))
