"""Building an opening book: ply by ply from a position, and what is found further on is carried back.

A move that leads to a position of the book is worth what that position's best move is worth, whatever a shallower
search said of it. That may make another move the best one, which is then followed in its turn, until nothing changes.
Moves that an entry leaves out stay out, even where those it has come to less than was thought: to take them in as well
made a book of a game with many moves ten times as large.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO, Unpack

from outflank.boards import Board
from outflank.formats.files import write_whole
from outflank.formats.locks import held
from outflank.games.rules import is_pass
from outflank.players.book import PLAYED_OUT, Book, Entry, Key, key_of
from outflank.players.levels import usual_selectivity
from outflank.search.contract import Limits, Stop
from outflank.search.deepening import search
from outflank.search.keywords import PlayerKeywords


@dataclass(frozen=True, slots=True, kw_only=True)
class BookPlan:
    """Which positions a book holds."""

    plies: int = 8
    """Moves from the start."""
    depth: int = 12
    width: int = 3
    """Moves that are followed from each position, of the opponent and one's own."""
    margin: int = 20
    """And only those whose value is so near to the best one's, in the evaluation's points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A book, and what was done for it."""

    book: Book
    searched: int
    """Positions that are new in it."""
    deepened: int
    """Those that it knew less of: searched again, deeper or for more moves."""
    known: int
    """Those of the plan that were there, and good enough."""


def build(
    board: Board[Any],
    path: Path,
    plan: BookPlan,
    *,
    stop: Stop,
    told: Callable[[int, int], None] | None = None,
    **options: Unpack[PlayerKeywords],
) -> Built:
    """Search the openings of a board, and keep each position in the file as soon as it is done.

    What the file holds already is searched again only if it was searched less deeply.
    """
    options = {**usual_selectivity(board.game, options), **options}
    with held(path, "another process is building this book"):
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        book = Book.parse(board.game, text, str(path))
        building = _Building(book, plan, stop, told or (lambda done, known: None), options)
        _drop_half_a_line(path)
        with path.open("a", encoding="utf-8") as file:
            building.go(board.canonical(), file)
        if book.text() != text:
            write_whole(path, book.text())
    known = building.visited - building.searched - building.deepened
    return Built(book=book, searched=len(building.searched), deepened=len(building.deepened), known=len(known))


def _drop_half_a_line(path: Path) -> None:
    """Take away a line that was being written when a build was killed."""
    with suppress(FileNotFoundError), path.open("rb+") as file:
        file.truncate(file.read().rfind(b"\n") + 1)


@dataclass(frozen=True, slots=True)
class _Reply:
    """Where a move leads to, once whoever has to has passed."""

    key: Key
    board: Board[Any]
    sign: int
    """-1 if the other side moves there."""


Ply = dict[Key, Board[Any]]
"""Positions, each turned in the one way that stands for all."""


class _Building:
    def __init__(
        self, book: Book, plan: BookPlan, stop: Stop, told: Callable[[int, int], None], options: PlayerKeywords
    ) -> None:
        self.book, self.plan, self.stop, self.told, self.options = book, plan, stop, told, options
        self.visited: set[Key] = set()
        self.searched: set[Key] = set()
        self.deepened: set[Key] = set()
        self._replies: dict[tuple[Key, int], _Reply | None] = {}

    def go(self, board: Board[Any], file: TextIO) -> None:
        changes = True
        while changes and not self.stop.called:
            before = dict(self.book.entries)
            self._walk(board, file)
            self._carry_back(board)
            changes = before != self.book.entries

    def _walk(self, board: Board[Any], file: TextIO) -> None:
        """Go through the positions of the plan, ply by ply, and search those that are not known well enough."""
        coming: Ply = {key_of(board): board}
        walked: set[Key] = set()
        for _ in range(self.plan.plies):
            following: Ply = {}
            for number, (key, position) in enumerate(coming.items()):
                if not self._is_known(key, position):
                    self._search(key, position, file)
                if self.stop.called:
                    return
                walked.add(key)
                self.visited.add(key)
                self.told(len(walked), len(walked) + len(coming) - number - 1)
                for reply in self._followed(key, position):
                    following.setdefault(reply.key, reply.board)
            coming = {key: position for key, position in following.items() if key not in walked}

    def _is_known(self, key: Key, board: Board[Any]) -> bool:
        entry = self.book.entries.get(key)
        if entry is None or entry.depth < self.plan.depth:
            return False
        legal = {move.code for move in board.legal_moves}
        enough = len(entry.moves) >= min(self.plan.width, len(legal))
        return enough and legal.issuperset(code for code, _ in entry.moves)

    def _search(self, key: Key, board: Board[Any], file: TextIO) -> None:
        before = self.book.entries.get(key)
        wanted, depth = self.plan.width, self.plan.depth
        if before is not None:
            wanted, depth = max(wanted, len(before.moves)), max(depth, before.depth if before.depth < PLAYED_OUT else 0)
        found = search(board, Limits(depth=depth), stop=self.stop, moves=wanted, **self.options)
        if self.stop.called or not found.best:
            return
        moves = tuple((each.move.code, each.value) for each in found.best)
        entry = Entry(PLAYED_OUT if found.exact else found.depth, moves)
        file.write(entry.line(key))
        file.flush()
        self.book.entries[key] = entry
        (self.searched if before is None or key in self.searched else self.deepened).add(key)

    def _followed(self, key: Key, board: Board[Any]) -> Iterator[_Reply]:
        moves = self.book.entries[key].moves
        for code, value in moves[: self.plan.width]:
            if value < moves[0][1] - self.plan.margin:
                break
            reply = self._reply(key, board, code)
            if reply is not None:
                yield reply

    def _carry_back(self, board: Board[Any]) -> None:
        """Give moves the values of the positions they lead to, the last ply first.

        Not where they lead back to a position that can come before: what that is worth depends on this one.
        """
        plies: list[Ply] = []
        ply_of: dict[Key, int] = {}
        coming: Ply = {key_of(board): board}
        while coming := {key: each for key, each in coming.items() if key in self.book.entries and key not in ply_of}:
            ply_of.update(dict.fromkeys(coming, len(plies)))
            plies.append(coming)
            replies = [reply for key, each in coming.items() for _, _, reply in self._replies_to(key, each)]
            coming = {reply.key: reply.board for reply in replies if reply is not None}
        for number, ply in reversed(list(enumerate(plies))):
            for key, position in ply.items():
                carried = []
                for code, value, reply in self._replies_to(key, position):
                    if reply is not None and ply_of.get(reply.key, 0) > number:
                        value = reply.sign * self.book.entries[reply.key].moves[0][1]
                    carried.append((code, value))
                carried.sort(key=lambda move: -move[1])
                self.book.entries[key] = replace(self.book.entries[key], moves=tuple(carried))

    def _replies_to(self, key: Key, board: Board[Any]) -> Iterator[tuple[int, int, _Reply | None]]:
        for code, value in self.book.entries[key].moves:
            yield code, value, self._reply(key, board, code)

    def _reply(self, key: Key, board: Board[Any], code: int) -> _Reply | None:
        """Where a move leads to; None if the game is over there."""
        if (key, code) not in self._replies:
            after = board.copy()
            after.push(after.move(code))
            while not after.is_game_over() and is_pass(after.game, after.legal_moves[0].code):
                after.push(after.legal_moves[0])
            turned = after.canonical()
            sign = 1 if after.turn is board.turn else -1
            self._replies[key, code] = None if after.is_game_over() else _Reply(key_of(turned), turned, sign)
        return self._replies[key, code]
