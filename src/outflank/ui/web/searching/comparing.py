"""Comparison of a search with several workers and the same search with one worker."""

import threading
from collections.abc import Callable

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.search.keywords import SearchArguments
from outflank.search.request import Limits, Options, Stop
from outflank.search.request_checks import MONTE_CARLO, check
from outflank.search.results import Comparison, Progress, Result
from outflank.search.whole_search import iterate, iterate_alone
from outflank.ui.web.requests import Compare
from outflank.ui.web.searching.analysing import DEFAULT_ALGORITHM
from outflank.ui.web.server_messages import Compared, Message

DEFAULT_SECONDS = 2.0
"""Time limit in seconds of the parallel search if the request has neither a depth nor a time."""

MOST_SECONDS = 300.0
"""Time limit in seconds of the parallel search and the search by one worker together."""


class ComparisonTask:
    """One comparison of a parallel search with a search by one worker. `run` is called in a thread."""

    def __init__(self, board: Board, request: Compare, cores: int) -> None:
        if board.is_game_over():
            raise OutflankError("the game is over here: there is nothing to search")
        options = request.options
        algorithm = options.algorithm or DEFAULT_ALGORITHM
        if algorithm in MONTE_CARLO:
            raise OutflankError(f"{algorithm} has no depth at which two searches could be compared")
        self.board, self.of = board, request.ask
        self.workers = options.workers or max(cores, 2)
        self.options: SearchArguments = {
            "algorithm": algorithm,
            "workers": self.workers,
            "parallel": options.scheme,
            "exact": options.exact,
        }
        seconds = options.seconds if options.seconds or options.depth or options.exact else DEFAULT_SECONDS
        self.limits = Limits(depth=None if options.exact else options.depth, seconds=seconds)
        scheme, _ = check(board.game, Options(**self.options), self.limits)
        self.scheme = "" if scheme is None else scheme.name

    def run(self, stop: Stop, send: Callable[[Message], None], bits: int) -> None:
        """Search with several workers, then with one, each with tables of 2^`bits` entries, and send the progress."""
        options = {**self.options, "table_bits": bits}
        timer = threading.Timer(MOST_SECONDS, stop)
        timer.daemon = True
        timer.start()
        together: Result | None = None
        alone: Result | None = None

        def watch(progress: Progress) -> None:
            send(self._message(together, alone, progress))

        try:
            # A search that is stopped before it begins would still allocate tables and compile.
            if stop.called:
                send(self._message(None, None, None, done=True))
                return
            for together in iterate(self.board, self.limits, stop=stop, watch=watch, **options):
                send(self._message(together, None, None))
            assert together is not None
            if not stop.called:
                for alone in iterate_alone(self.board, together, stop=stop, **options):
                    send(self._message(together, alone, None))
        finally:
            timer.cancel()
        is_complete = alone is not None and not alone.stopped
        send(self._message(together, alone, None, done=True, is_complete=is_complete))

    def _message(
        self,
        together: Result | None,
        alone: Result | None,
        progress: Progress | None,
        *,
        done: bool = False,
        is_complete: bool = False,
    ) -> Compared:
        comparison = Comparison(alone=alone, together=together) if is_complete and alone and together else None
        now = (progress.seconds, progress.nodes) if progress else (0.0, 0)
        first = (together.seconds, together.nodes) if together else now
        second = (alone.seconds, alone.nodes) if alone else (0.0, 0)
        return Compared(
            of=self.of,
            stage="done" if done else "together" if alone is None else "alone",
            depth=together.depth if together else 0,
            scheme=self.scheme,
            workers=self.workers,
            together_seconds=max(first[0], now[0]) if alone is None else first[0],
            together_nodes=max(first[1], now[1]) if alone is None else first[1],
            alone_seconds=second[0],
            alone_nodes=second[1],
            speed_up=None if comparison is None else comparison.speed_up,
            efficiency=None if comparison is None else comparison.efficiency,
            overhead=None if comparison is None else comparison.search_overhead,
            same=None if comparison is None else comparison.alone.value == comparison.together.value,
            done=done,
        )
