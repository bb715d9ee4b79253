"""Searches from start to end: limits, iterations, and what is told of each."""

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from outflank.boards import Board
from outflank.errors import UnknownName
from outflank.search.algorithms import ALGORITHMS
from outflank.search.contract import Limits, MoveValue, Options, Result, Stop
from outflank.search.probes import Counts
from outflank.search.root import Found, Root, Stopped
from outflank.search.table import Table

MONTE_CARLO = ("uct", "flat")


def search(
    board: Board[Any],
    limits: Limits | None = None,
    *,
    stop: Stop | None = None,
    table: Table | None = None,
    counts: Counts | None = None,
    **options: Any,
) -> Result:
    """Find the best move: the last result of `iterate`, with the same arguments.

    >>> from outflank import OthelloBoard
    >>> found = search(OthelloBoard.start(4, scoring="discs"), exact=True)
    >>> found.value, found.exact
    (-8, True)
    """
    result = None
    for result in iterate(board, limits, stop=stop, table=table, counts=counts, **options):  # noqa: B007  # the last one is wanted
        pass
    assert result is not None
    return result


def iterate(
    board: Board[Any],
    limits: Limits | None = None,
    *,
    stop: Stop | None = None,
    table: Table | None = None,
    counts: Counts | None = None,
    **options: Any,
) -> Iterator[Result]:
    """Search deeper and deeper; a result after each iteration, and always at least one.

    The keyword options are the fields of `Options`. Without any limit the search goes on until
    nothing is estimated any more, or until `stop` is called, from whatever thread. A `table`
    kept from one search to the next must be used with the same game, evaluation and passes.
    `counts` collects what is searched by the depth left.
    """
    chosen = Options(**options)
    limits = limits or Limits()
    if chosen.algorithm not in (*ALGORITHMS, *MONTE_CARLO):
        raise UnknownName.among("algorithm", chosen.algorithm, (*ALGORITHMS, *MONTE_CARLO))
    root = Root(board.game, board.position, chosen, table=table, counts=counts)
    root.check(limits)
    if root.table is not None:
        root.table.grow_older()
        root.worker.age = root.table.age
    if chosen.algorithm in MONTE_CARLO:
        from outflank.search.montecarlo import iterate_playouts

        return iterate_playouts(board, root, limits, stop)
    return _Deepening(board, root, limits, stop).results()


class _Deepening:
    """One search under way."""

    def __init__(self, board: Board[Any], root: Root, limits: Limits, stop: Stop | None) -> None:
        self.board, self.root, self.limits = board, root, limits
        self.stop = stop or Stop()
        self.algorithm = ALGORITHMS[root.options.algorithm]
        self.started = 0.0
        self._compile()

    def _compile(self) -> None:
        """Make the kernels ready before the clock runs, by a search that may enter no node."""
        if not self.root.moves:
            return
        self.root.begin_search(0)
        with contextlib.suppress(Stopped):
            if self.root.options.algorithm == "minimax":
                self.root.child_minimax(self.root.moves[0], 1)
            else:
                self.root.child_value(self.root.moves[0], -1, 1, 1)

    def results(self) -> Iterator[Result]:
        root, limits = self.root, self.limits
        self.started = time.perf_counter()
        root.begin_search(limits.nodes)
        self.stop.tell(root.stop)
        timer = None
        if limits.seconds is not None:
            timer = threading.Timer(limits.seconds, root.stop)
            timer.daemon = True
            timer.start()
        try:
            yield from self._iterations()
        finally:
            if timer is not None:
                timer.cancel()
            self.stop.forget(root.stop)

    def _iterations(self) -> Iterator[Result]:
        root = self.root
        last = self._unsearched()
        previous: int | None = None
        done = False
        if not root.moves or self.stop.called:
            yield replace(last, stopped=bool(root.moves))
            return
        try:
            for depth in self._depths():
                estimates, hits = int(root.worker.estimates), int(root.worker.hits)
                found = self.algorithm(root, depth, previous)
                estimated = root.worker.estimates > estimates
                if not estimated and root.worker.hits > hits and root.table is not None and not root.options.exact:
                    # What the table told may rest on estimates of iterations before: ask again without it.
                    root.table.clear()
                    found = self.algorithm(root, depth, previous)
                    estimated = root.worker.estimates > estimates
                previous = found.value
                last = self._result(found, depth, exact=not estimated)
                yield last
                self._sort_root()
                done = not estimated
                if done:
                    break
        except Stopped:
            yield replace(
                last,
                nodes=int(root.worker.nodes),
                leaves=int(root.worker.leaves),
                seconds=time.perf_counter() - self.started,
                stopped=True,
            )

    def _depths(self) -> Iterator[int]:
        options, root = self.root.options, self.root
        if options.exact:
            yield root.deepest
            return
        last = self.limits.depth or root.deepest
        if not options.deepen:
            yield last
            return
        # In steps of two the iterations have the parity of the last: values of odd and even depths differ.
        yield from range(1 + (last - 1) % options.step, last + 1, options.step)

    def _sort_root(self) -> None:
        """The best moves of this iteration are tried first in the next."""
        self.root.moves.sort(key=lambda move: -move.value)

    def _unsearched(self) -> Result:
        """What is known before any search: the position's own value, and that some move is legal."""
        first = self.root.moves[0] if self.root.moves else None
        found = Found(self.root.leaf_value(), first)
        self.root.begin_search(self.limits.nodes)  # this look was not part of the search
        return self._result(found, 0, exact=first is None)

    def _result(self, found: Found, depth: int, *, exact: bool) -> Result:
        root, board = self.root, self.board
        line: tuple[int, ...] = ()
        if found.move is not None:
            line = root.prolonged(found.move.line or (found.move.code,), max(depth, 1))
        ranked = sorted(root.moves, key=lambda move: (move is not found.move, -move.value))
        wanted = root.options.moves if depth > 0 else 0
        return Result(
            value=found.value,
            move=board.move(found.move.code) if found.move else None,
            pv=tuple(board.move(code) for code in line),
            depth=depth,
            nodes=int(root.worker.nodes),
            leaves=int(root.worker.leaves),
            seconds=time.perf_counter() - self.started if self.started else 0.0,
            exact=exact,
            best=tuple(MoveValue(move=board.move(move.code), value=move.value) for move in ranked[:wanted]),
            lookups=int(root.worker.lookups),
            hits=int(root.worker.hits),
            table_bytes=root.table.nbytes if root.table else 0,
        )
