"""Positions of a book searched side by side, each by one worker: on threads of this process, or on a cluster.

Many searches by one worker each get more out of cores than one by all of them, and what each finds does not depend on
what else is searched meanwhile: a book is the same, to the byte, wherever and by however many it was searched.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from outflank.books.book import PLAYED_OUT, Entry, Key, board_at
from outflank.books.carrying import in_order
from outflank.distributed.tasks import Item, TaskDispatcher
from outflank.distributed.tasks.threads import ThreadTasks
from outflank.distributed.tasks.worker import MakeWorker
from outflank.machine import usable_cores
from outflank.search.contract import Limits, Stop
from outflank.search.deepening import search
from outflank.search.keywords import PlayerKeywords
from outflank.search.usual import usual_selectivity

MOST_ASKED = 256
"""Positions that a cluster is asked for at a time: enough for all its lanes."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A position that is to be searched."""

    key: Key
    depth: int
    moves: int


class SearchesHere:
    """Searches positions, several at a time, each on the thread that asks."""

    def __init__(self, game: Any, options: PlayerKeywords) -> None:
        self.game = game
        self.options: PlayerKeywords = {**usual_selectivity(game, options), **options, "workers": 1, "parallel": None}

    def do(self, item: Item, stop: Stop) -> Item | None:
        """The best moves of a position; none if the game is over there."""
        board = board_at(self.game, (item["first"], item["second"]))
        found = search(board, Limits(depth=item["depth"]), stop=stop, moves=item["moves"], **self.options)
        if stop.called:
            return None
        depth = PLAYED_OUT if found.exact else found.depth
        return {"depth": depth, "moves": [[each.move.code, each.value] for each in found.best]}

    def close(self) -> None:
        """Nothing is held."""


def searches_of(game: Any, options: PlayerKeywords | None = None) -> MakeWorker:
    """Makes who searches positions of a game, wherever that is."""
    return partial(SearchesHere, game, options or cast(PlayerKeywords, {}))


@contextmanager
def searchers(game: Any, options: PlayerKeywords, tasks: TaskDispatcher | None, stop: Stop) -> Iterator["Searchers"]:
    """Those of a cluster that has been opened for `searches_of` the game, or threads of this process."""
    if tasks is not None:
        tasks.start(stop)
        yield Searchers(tasks, MOST_ASKED)
        return
    lanes = options.get("workers") or max(1, int(usable_cores()))
    with TaskDispatcher(ThreadTasks(searches_of(game, options), per_node=lanes)) as here:
        here.start(stop)
        yield Searchers(here, lanes)


class Searchers:
    """Whoever searches positions."""

    def __init__(self, tasks: TaskDispatcher, at_a_time: int) -> None:
        self._tasks, self._at_a_time = tasks, at_a_time

    def found(self, wanted: Sequence[Wanted], stop: Stop) -> Iterator[tuple[Key, Entry]]:
        """What is found of positions, as it comes; no more once `stop` is called."""
        if not wanted:
            return
        over = Stop()
        """Called when nobody waits for more, whatever the reason."""
        with ThreadPoolExecutor(min(len(wanted), self._at_a_time)) as threads:
            asked = {threads.submit(self._tasks.do, _item(each), stop=over): each.key for each in wanted}
            stop.add_listener(over)
            try:
                for future in as_completed(asked):
                    answer = future.result()
                    if stop.called:
                        return
                    if answer is not None and answer["moves"]:
                        moves = tuple((code, value) for code, value in answer["moves"])
                        yield asked[future], in_order(Entry(answer["depth"], moves))
            finally:
                stop.remove_listener(over)
                over()
                threads.shutdown(wait=False, cancel_futures=True)


def _item(wanted: Wanted) -> Item:
    first, second = wanted.key
    return {"first": first, "second": second, "depth": wanted.depth, "moves": wanted.moves}
