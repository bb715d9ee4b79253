"""Positions of a book searched side by side, each by one worker: on threads of this process, or on a cluster.

Many searches by one worker each use cores better than one search by all of them, and their results do not depend on
what else is searched meanwhile: a book is the same, to the byte, wherever and by however many workers it was searched.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import cast

from outflank.books.book import PLAYED_OUT, Entry, Key, board_at
from outflank.books.propagation import in_order
from outflank.distributed.tasks import Item, TaskDispatcher
from outflank.distributed.tasks.task_threads import ThreadTasks
from outflank.distributed.tasks.task_worker import MakeWorker
from outflank.games.rules import Game
from outflank.machine import usable_cores
from outflank.search.keywords import PlayerKeywords
from outflank.search.player_defaults import default_selectivity
from outflank.search.request import Limits, Stop
from outflank.search.whole_search import search

MOST_ASKED = 256
"""Number of positions that a cluster is sent at a time: enough for all its lanes."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A position that is to be searched."""

    key: Key
    depth: int
    moves: int


class PositionSearcher:
    """Searches positions, several at a time, each on the calling thread."""

    def __init__(self, game: Game, options: PlayerKeywords) -> None:
        self.game = game
        self.options: PlayerKeywords = {**default_selectivity(game, options), **options, "workers": 1, "parallel": None}

    def do(self, item: Item, stop: Stop) -> Item | None:
        """Return the best moves of a position; none if the game is over there."""
        board = board_at(self.game, (item["first"], item["second"]))
        result = search(board, Limits(depth=item["depth"]), stop=stop, moves=item["moves"], **self.options)
        if stop.called:
            return None
        depth = PLAYED_OUT if result.exact else result.depth
        return {"depth": depth, "moves": [[entry.move.code, entry.value] for entry in result.best]}

    def close(self) -> None:
        """Do nothing: no resources are held."""


def searcher_of(game: Game, options: PlayerKeywords | None = None) -> MakeWorker:
    """Return a function that makes searchers of a game's positions, on any machine."""
    return partial(PositionSearcher, game, options or cast(PlayerKeywords, {}))


@contextmanager
def searchers(game: Game, options: PlayerKeywords, tasks: TaskDispatcher | None, stop: Stop) -> Iterator["Searchers"]:
    """Yield the searchers of a cluster opened for `searcher_of` the game, or threads of this process."""
    if tasks is not None:
        tasks.start(stop)
        yield Searchers(tasks, MOST_ASKED)
        return
    lanes = options.get("workers") or max(1, int(usable_cores()))
    with TaskDispatcher(ThreadTasks(searcher_of(game, options), per_node=lanes)) as local_tasks:
        local_tasks.start(stop)
        yield Searchers(local_tasks, lanes)


class Searchers:
    """Workers that search positions."""

    def __init__(self, tasks: TaskDispatcher, limit: int) -> None:
        self._tasks, self._limit = tasks, limit

    def results(self, requests: Sequence[SearchRequest], stop: Stop) -> Iterator[tuple[Key, Entry]]:
        """Yield the entries of positions, as they are found; no more once `stop` is called."""
        if not requests:
            return
        over = Stop()
        """Called when no more results are consumed, for any reason."""
        with ThreadPoolExecutor(min(len(requests), self._limit)) as threads:
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
