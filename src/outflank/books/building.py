"""Building an opening book: ply by ply from a position, or where a player who follows it most likely leaves it.

What is found further on is carried back, which may make another move the best one. That is followed in its turn, until
nothing changes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from pathlib import Path
from typing import Any, Unpack

from outflank.boards import Board
from outflank.books.book import PLAYED_OUT, Book, Key, board_at, key_of
from outflank.books.carrying import carry_back, with_moves_of
from outflank.books.kept import KeptBook, kept_book
from outflank.books.leading import Leads
from outflank.books.searching import Searchers, Wanted, searchers
from outflank.distributed.tasks import TaskDispatcher
from outflank.search.contract import Stop
from outflank.search.keywords import PlayerKeywords

Told = Callable[[int, int], None]
"""Told how many positions are done, and how many are known to be asked for."""

GROWTH = 8
"""A book that grows does so by an eighth before values are carried back: by less, that would take longer than searches
do; by more, it would follow moves that have turned out to be bad."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BookPlan:
    """Which positions a book holds."""

    plies: int = 8
    """Moves from the start."""
    positions: int | None = None
    """And more of them, wherever a player who follows the book most likely leaves it, until it has so many."""
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
    told: Told | None = None,
    tasks: TaskDispatcher | None = None,
    **options: Unpack[PlayerKeywords],
) -> Built:
    """Search the openings of a board, and keep each position in the file as soon as it is done.

    What the file holds already is searched again only if it was searched less deeply. So many positions are searched at
    a time as there are `workers`, or as a cluster has lanes, whose `tasks` are `searches_of` the game. The book does
    not depend on how many that are.
    """
    with kept_book(board.game, path) as kept, searchers(board.game, options, tasks, stop) as searching:
        building = Building(kept, plan, searching, stop, told)
        building.go(key_of(board))
    return building.result()


class Building:
    """A book that is being built."""

    def __init__(
        self, kept: KeptBook, plan: BookPlan, searching: Searchers, stop: Stop, told: Told | None = None
    ) -> None:
        self.kept, self.plan, self.stop, self.told = kept, plan, stop, told or (lambda done, known: None)
        self.book = kept.book
        self.leads = Leads(kept.book)
        self.good_enough: set[Key] = set()
        self.searched: set[Key] = set()
        self.deepened: set[Key] = set()
        self._searching = searching

    def go(self, start: Key) -> None:
        """Search what the plan asks for."""
        changes = True
        while changes and not self.stop.called:
            before = len(self.searched) + len(self.deepened)
            self._walk(start)
            changes = carry_back(self.leads, start) or len(self.searched) + len(self.deepened) > before
        while not self.stop.called and (leaves := self._leaves(start)):
            self.search(leaves)
            carry_back(self.leads, start)

    def result(self) -> Built:
        """What has been done."""
        known = len(self.good_enough - self.searched - self.deepened)
        return Built(book=self.book, searched=len(self.searched), deepened=len(self.deepened), known=known)

    def search(self, keys: Sequence[Key], done: int = 0) -> None:
        """Search those positions that are not known well enough, of which so many are `done` before."""
        unknown = {key for key in keys if not self._is_known(key)}
        wanted = [self._wanted(key) for key in keys if key in unknown]
        known = done + len(keys)
        done += len(keys) - len(wanted)
        self.good_enough.update(key for key in keys if key not in unknown)
        for key, entry in self._searching.found(wanted, self.stop):
            before = self.book.entries.get(key)
            self.kept.add(key, entry if before is None else with_moves_of(self.leads, key, entry, before))
            (self.searched if before is None or key in self.searched else self.deepened).add(key)
            done += 1
            self.told(done, known)
            if self.stop.called:
                break
        self.told(done, known)

    def _walk(self, start: Key) -> None:
        """Go through the positions of the plan, ply by ply, and search those that are not known well enough."""
        coming, walked = [start], set[Key]()
        for _ in range(self.plan.plies):
            self.search(coming, len(walked))
            if self.stop.called:
                return
            walked.update(coming)
            following = (reply for key in coming for reply, _ in self._followed(key))
            coming = [key for key in dict.fromkeys(following) if key not in walked]

    def _is_known(self, key: Key) -> bool:
        entry = self.book.entries.get(key)
        if entry is None or entry.depth < self.plan.depth:
            return False
        if len(self.leads.replies(key)) < len(entry.moves):
            return False  # a move that is none
        return len(entry.moves) >= self.plan.width or len(entry.moves) >= len(board_at(self.book.game, key).legal_moves)

    def _wanted(self, key: Key) -> Wanted:
        before = self.book.entries.get(key)
        depth, moves = self.plan.depth, self.plan.width
        if before is not None:
            moves, depth = max(moves, len(before.moves)), max(depth, before.depth if before.depth < PLAYED_OUT else 0)
        return Wanted(key, depth, moves)

    def _followed(self, key: Key) -> Iterator[tuple[Key, int]]:
        """Where moves lead that are followed, with what each is worth less than the best."""
        entry = self.book.entries.get(key)
        if entry is None:  # the game is over
            return
        replies = self.leads.replies(key)
        for code, value in entry.moves[: self.plan.width]:
            if value < entry.value - self.plan.margin:
                break
            if code in replies and replies[code].sign:
                yield replies[code].key, entry.value - value

    # --- where it is left ---

    def _leaves(self, start: Key) -> list[Key]:
        """The positions at which a player who follows the book most likely leaves it, so many as it may grow by now."""
        size = len(self.book.entries)
        room = min((self.plan.positions or 0) - size, max(GROWTH, size // GROWTH))
        if room <= 0:
            return []
        leaves = {key: chance for key, chance in self._chances(start) if key not in self.book.entries}
        return nsmallest(room, leaves, key=lambda key: (-leaves[key], key))

    def _chances(self, start: Key) -> Iterable[tuple[Key, float]]:
        """How likely each position comes up, between players who take the moves of the book within its margin: the more
        of that a move is worth less than the best, the less often. Ways back to earlier positions do not count."""
        chances = {start: 1.0}
        seen: set[Key] = set()
        coming = [start]
        while coming:
            seen.update(coming)
            following: dict[Key, float] = {}
            for key in coming:
                ways = [(reply, 1 + self.plan.margin - lost) for reply, lost in self._followed(key)]
                total = sum(weight for _, weight in ways)
                for reply, weight in ways:
                    if reply not in seen:
                        following[reply] = following.get(reply, 0.0) + chances[key] * weight / total
            chances.update(following)
            coming = [key for key in following if key in self.book.entries]
        return chances.items()
