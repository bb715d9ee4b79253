"""Building an opening book: ply by ply, and then by adding positions at which players are most likely to leave it.

Values of later positions are propagated back to earlier ones. If another move becomes the best one, the positions after
this move are searched too, until nothing changes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from heapq import nsmallest
from pathlib import Path
from typing import Unpack, cast

from outflank.boards import Board
from outflank.books.book import PLAYED_OUT, Book, BookFile, Entry, Key, board_at, key_of, open_book_file
from outflank.books.move_graph import MoveGraph, in_order, propagate_values, with_moves_of
from outflank.distributed.tasks import Item, TaskDispatcher
from outflank.distributed.tasks.carrier import ThreadTasks
from outflank.distributed.tasks.task_worker import MakeWorker
from outflank.games.rules import Game
from outflank.machine import usable_cores
from outflank.search.keywords import PlayerKeywords, default_selectivity
from outflank.search.request import Limits, Stop
from outflank.search.whole_search import search

# Positions of a book are searched concurrently, each by one worker, on threads of this process or on a cluster.
#
# Many searches with one worker each use the cores better than one search with all workers. Their results do not depend
# on each other, so that the book is the same, to the byte, for any number of workers and machines.


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A request to search the position `key` to `depth` plies for its best `moves` moves."""

    key: Key
    depth: int
    moves: int


class PositionSearcher:
    """Task worker that searches positions of a book on the calling threads; several threads may call it at once."""

    def __init__(self, game: Game, options: PlayerKeywords) -> None:
        self.game = game
        self.options: PlayerKeywords = {**default_selectivity(game, options), **options, "workers": 1, "parallel": None}

    def do(self, item: Item, stop: Stop) -> Item | None:
        """Search the position that `item` describes; return its best moves and the depth. None if `stop` was called."""
        board = board_at(self.game, (item["first"], item["second"]))
        result = search(board, Limits(depth=item["depth"]), stop=stop, moves=item["moves"], **self.options)
        if stop.called:
            return None
        depth = PLAYED_OUT if result.exact else result.depth
        return {"depth": depth, "moves": [[entry.move.code, entry.value] for entry in result.best]}

    def close(self) -> None:
        """Do nothing, because no resources are held."""


def searcher_of(game: Game, options: PlayerKeywords | None = None) -> MakeWorker:
    """Return a function that creates a `PositionSearcher` for a game; it can be sent to other machines."""
    return partial(PositionSearcher, game, options or cast(PlayerKeywords, {}))


@contextmanager
def searchers(game: Game, options: PlayerKeywords, tasks: TaskDispatcher | None, stop: Stop) -> Iterator["Searchers"]:
    """Yield searchers on the cluster of `tasks` (opened for `searcher_of(game)`); on threads if `tasks` is None."""
    if tasks is not None:
        tasks.start(stop)
        yield Searchers(tasks)
        return
    lanes = options.get("workers") or max(1, int(usable_cores()))
    with TaskDispatcher(ThreadTasks(searcher_of(game, options), per_node=lanes)) as local_tasks:
        local_tasks.start(stop)
        yield Searchers(local_tasks, limit=lanes)


class Searchers:
    """Searches many positions concurrently: up to `limit` at a time, or as many as keep the nodes of `tasks` busy."""

    def __init__(self, tasks: TaskDispatcher, limit: int | None = None) -> None:
        self._tasks, self._limit = tasks, limit

    def results(self, requests: Sequence[SearchRequest], stop: Stop) -> Iterator[tuple[Key, Entry]]:
        """Yield the key and the entry of each requested position when its search ends, until `stop` is called."""
        if not requests:
            return
        over = Stop()
        """Stops all running searches; called when the caller takes no more results, for any reason."""
        limit = self._limit or self._tasks.callers
        with ThreadPoolExecutor(min(len(requests), limit)) as threads:
            key_of_future = {
                threads.submit(self._tasks.do, _item(request), stop=over): request.key for request in requests
            }
            stop.add_listener(over)
            try:
                for future in as_completed(key_of_future):
                    answer = future.result()
                    if stop.called:
                        return
                    if answer is not None and answer["moves"]:
                        moves = tuple((code, value) for code, value in answer["moves"])
                        yield key_of_future[future], in_order(Entry(answer["depth"], moves))
            finally:
                stop.remove_listener(over)
                over()
                threads.shutdown(wait=False, cancel_futures=True)


def _item(request: SearchRequest) -> Item:
    first, second = request.key
    return {"first": first, "second": second, "depth": request.depth, "moves": request.moves}


Progress = Callable[[int, int], None]
"""Function that receives the number of positions that are done, and the number that the book needs as far as known."""

GROWTH = 8
"""A book grows by 1/`GROWTH` of its size before values are propagated again. With smaller steps, propagation would take
longer than the searches; with larger steps, the book would follow moves that have turned out to be bad."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BookPlan:
    """Which positions a book should hold, and how they are searched."""

    plies: int = 8
    """Number of plies from the start. Within them, all positions that can be reached by followed moves are searched."""
    positions: int | None = None
    """Number of positions to which the book then grows where players are most likely to leave it; None: no growth."""
    depth: int = 12
    width: int = 3
    """Number of moves that are searched and followed in each position, for both sides."""
    margin: int = 20
    """Greatest difference from the best move's value with which a move is followed, in points of the evaluation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildResult:
    """A finished book, and how many positions were searched for it."""

    book: Book
    searched: int
    """Number of positions that were not in the book before."""
    deepened: int
    """Number of positions of the book that were searched again, to a greater depth or for more moves."""
    known: int
    """Number of planned positions that needed no search, because their entries were good enough."""


def build(
    board: Board,
    path: Path,
    plan: BookPlan,
    *,
    stop: Stop,
    progress: Progress | None = None,
    tasks: TaskDispatcher | None = None,
    **options: Unpack[PlayerKeywords],
) -> BuildResult:
    """Search the openings from `board`, and write each position to the file `path` as soon as it is done.

    A position that is already in the file is searched again only if its depth or its number of moves is too small.
    Without `tasks`, `workers` searches run concurrently. With `tasks`, which must be opened for `searcher_of(game)`, as
    many searches run as the cluster can take. The book does not depend on this number.
    """
    with open_book_file(board.game, path) as file, searchers(board.game, options, tasks, stop) as searching:
        building = Building(file, plan, searching, stop, progress)
        building.run(key_of(board))
    return building.result()


class Building:
    """The state of a book while it is built."""

    def __init__(
        self, file: BookFile, plan: BookPlan, searching: Searchers, stop: Stop, progress: Progress | None = None
    ) -> None:
        self.file, self.plan, self.stop, self.progress = file, plan, stop, progress or (lambda done, known: None)
        self.book = file.book
        self.graph = MoveGraph(file.book)
        self.good_enough: set[Key] = set()
        self.searched: set[Key] = set()
        self.deepened: set[Key] = set()
        self._searching = searching

    def run(self, start: Key) -> None:
        """Search all positions of the plan."""
        changes = True
        while changes and not self.stop.called:
            before = len(self.searched) + len(self.deepened)
            self._walk(start)
            changes = propagate_values(self.graph, start) or len(self.searched) + len(self.deepened) > before
        while not self.stop.called and (leaves := self._leaves(start)):
            self.search(leaves)
            propagate_values(self.graph, start)

    def result(self) -> BuildResult:
        """Return the book and the numbers of positions searched."""
        known = len(self.good_enough - self.searched - self.deepened)
        return BuildResult(book=self.book, searched=len(self.searched), deepened=len(self.deepened), known=known)

    def search(self, keys: Sequence[Key], done: int = 0) -> None:
        """Search all positions of `keys` that have no good enough entry; `done` is added to the reported progress."""
        unknown = {key for key in keys if not self._is_known(key)}
        requests = [self._request(key) for key in keys if key in unknown]
        known = done + len(keys)
        done += len(keys) - len(requests)
        self.good_enough.update(key for key in keys if key not in unknown)
        for key, entry in self._searching.results(requests, self.stop):
            before = self.book.entries.get(key)
            self.file.add(key, entry if before is None else with_moves_of(self.graph, key, entry, before))
            (self.searched if before is None or key in self.searched else self.deepened).add(key)
            done += 1
            self.progress(done, known)
            if self.stop.called:
                break
        self.progress(done, known)

    def _walk(self, start: Key) -> None:
        """Visit the positions of the plan ply by ply, and search all positions that have no good enough entry."""
        current, visited = [start], set[Key]()
        for _ in range(self.plan.plies):
            self.search(current, len(visited))
            if self.stop.called:
                return
            visited.update(current)
            replies = (reply for key in current for reply, _ in self._followed(key))
            current = [key for key in dict.fromkeys(replies) if key not in visited]

    def _is_known(self, key: Key) -> bool:
        entry = self.book.entries.get(key)
        if entry is None or entry.depth < self.plan.depth:
            return False
        if len(self.graph.replies(key)) < len(entry.moves):
            return False  # an entry with an illegal move
        return len(entry.moves) >= self.plan.width or len(entry.moves) >= len(board_at(self.book.game, key).legal_moves)

    def _request(self, key: Key) -> SearchRequest:
        before = self.book.entries.get(key)
        depth, moves = self.plan.depth, self.plan.width
        if before is not None:
            moves, depth = max(moves, len(before.moves)), max(depth, before.depth if before.depth < PLAYED_OUT else 0)
        return SearchRequest(key, depth, moves)

    def _followed(self, key: Key) -> Iterator[tuple[Key, int]]:
        """Yield the position after each followed move, and how much less the move is worth than the best move."""
        entry = self.book.entries.get(key)
        if entry is None:  # the game is over
            return
        replies = self.graph.replies(key)
        for code, value in entry.moves[: self.plan.width]:
            if value < entry.value - self.plan.margin:
                break
            if code in replies and replies[code].sign:
                yield replies[code].key, entry.value - value

    # --- positions at which players leave the book ---

    def _leaves(self, start: Key) -> list[Key]:
        """Return the likeliest positions outside the book, as many as one step of growth adds."""
        size = len(self.book.entries)
        room = min((self.plan.positions or 0) - size, max(GROWTH, size // GROWTH))
        if room <= 0:
            return []
        leaves = {key: chance for key, chance in self._chances(start) if key not in self.book.entries}
        return nsmallest(room, leaves, key=lambda key: (-leaves[key], key))

    def _chances(self, start: Key) -> Iterable[tuple[Key, float]]:
        """Return each position with the probability of reaching it, if both sides choose among the followed moves.

        The weight of a move falls linearly with its difference from the best value. Moves back to earlier positions are
        ignored.
        """
        chances = {start: 1.0}
        seen: set[Key] = set()
        current = [start]
        while current:
            seen.update(current)
            next_chances: dict[Key, float] = {}
            for key in current:
                weighted = [(reply, 1 + self.plan.margin - lost) for reply, lost in self._followed(key)]
                total = sum(weight for _, weight in weighted)
                for reply, weight in weighted:
                    if reply not in seen:
                        next_chances[reply] = next_chances.get(reply, 0.0) + chances[key] * weight / total
            chances.update(next_chances)
            current = [key for key in next_chances if key in self.book.entries]
        return chances.items()
