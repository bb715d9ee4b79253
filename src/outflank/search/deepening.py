"""Searches from start to end: limits, iterations, and what is told of each."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from outflank.boards import Board
from outflank.search.algorithms import ALGORITHMS
from outflank.search.alone import Alone
from outflank.search.checking import MONTE_CARLO, check
from outflank.search.contract import Comparison, Limits, MoveValue, Options, Result, Stop
from outflank.search.division import Division
from outflank.search.probes import Instrument
from outflank.search.root import Found, Root, RootMove, Stopped
from outflank.search.table import Table


def search(
    board: Board[Any],
    limits: Limits | None = None,
    *,
    stop: Stop | None = None,
    table: Table | None = None,
    instrument: Instrument | None = None,
    **options: Any,
) -> Result:
    """Find the best move: the last result of `iterate`, with the same arguments.

    >>> from outflank import OthelloBoard
    >>> found = search(OthelloBoard.start(4, scoring="discs"), exact=True)
    >>> found.value, found.exact
    (-8, True)
    """
    result = None
    for result in iterate(board, limits, stop=stop, table=table, instrument=instrument, **options):  # noqa: B007  # the last one is wanted
        pass
    assert result is not None
    return result


def iterate(
    board: Board[Any],
    limits: Limits | None = None,
    *,
    stop: Stop | None = None,
    table: Table | None = None,
    instrument: Instrument | None = None,
    **options: Any,
) -> Iterator[Result]:
    """Search deeper and deeper; a result after each iteration, and always at least one.

    The keyword options are the fields of `Options`. Without any limit the search goes on until
    nothing is estimated any more, or until `stop` is called, from whatever thread. A `table`
    kept from one search to the next must be used with the same game, evaluation and passes.
    An `instrument` watches: `Counts` what is searched by the depth left, a `Recording` what workers do.
    """
    chosen = Options(**options)
    limits = limits or Limits()
    scheme, workers = check(board.game, chosen, limits)
    name = scheme.name if scheme else None
    if table is not None:
        table.grow_older()
    root = Root(board.game, board.position, chosen, table=table, instrument=instrument)
    if chosen.algorithm in MONTE_CARLO:
        from outflank.search.montecarlo import OnePlayer, iterate_playouts

        playing = OnePlayer(root) if scheme is None else scheme.divide(root, workers)
        return iterate_playouts(board, root, playing, name, limits, stop)
    division = Alone(root) if scheme is None else scheme.divide(root, workers)
    return _Deepening(board, root, division, name, limits, stop).results()


def compare(board: Board[Any], together: Result, *, stop: Stop | None = None, **options: Any) -> Comparison:
    """Search again to the depth that a parallel search reached, with the same options and one worker alone."""
    alone = None
    for alone in iterate_alone(board, together, stop=stop, **options):  # noqa: B007  # the last one is wanted
        pass
    assert alone is not None
    return Comparison(alone=alone, together=together)


def iterate_alone(board: Board[Any], together: Result, *, stop: Stop | None = None, **options: Any) -> Iterator[Result]:
    """The iterations of that search."""
    return iterate(board, Limits(depth=together.depth or 1), stop=stop, **{**options, "workers": 1, "parallel": None})


class _Deepening:
    """One search under way."""

    def __init__(
        self,
        board: Board[Any],
        root: Root,
        division: Division,
        scheme: str | None,
        limits: Limits,
        stop: Stop | None,
    ) -> None:
        self.board, self.root, self.division, self.limits = board, root, division, limits
        self.scheme = scheme
        self.stop = stop or Stop()
        self.algorithm = ALGORITHMS[root.options.algorithm]
        self.started = 0.0

    def results(self) -> Iterator[Result]:
        root, limits = self.root, self.limits
        timer = None
        try:
            root.stop()  # compiles it, before the clock runs
            if root.moves:
                self.division.ready()
            last = self._unsearched()
            self.started = time.perf_counter()
            # From here on a stop counts: nothing may reset it any more.
            root.begin_search(limits.nodes)
            self.stop.tell(root.stop)
            if limits.seconds is not None:
                timer = threading.Timer(limits.seconds, root.stop)
                timer.daemon = True
                timer.start()
            yield from self._iterations(last)
        finally:
            try:
                if timer is not None:
                    timer.cancel()
                self.stop.forget(root.stop)
            finally:
                self.division.close()

    def _iterations(self, last: Result) -> Iterator[Result]:
        root = self.root
        previous: int | None = None
        done = False
        if not root.moves or self.stop.called:
            yield replace(last, stopped=bool(root.moves))
            return
        try:
            for depth in self._depths():
                estimates, hits = root.counter("estimates"), root.counter("hits")
                found = self.algorithm(root, self.division, depth, previous)
                estimated = root.counter("estimates") > estimates
                if not estimated and root.counter("hits") > hits and root.table is not None and not root.options.exact:
                    # What the table told may rest on estimates of iterations before: ask again without it.
                    self.division.forget()
                    found = self.algorithm(root, self.division, depth, previous)
                    estimated = root.counter("estimates") > estimates
                previous = found.value
                last = self._result(found, depth, exact=not estimated)
                yield last
                self._bring_forward(found.move)
                done = not estimated
                if done:
                    break
        except Stopped:
            yield replace(
                last,
                nodes=root.counter("nodes"),
                leaves=root.counter("leaves"),
                seconds=time.perf_counter() - self.started,
                workers=self.division.statistics(),
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

    def _bring_forward(self, best: RootMove | None) -> None:
        """The best move of this iteration is tried first in the next; the others keep their order.

        Their values are bounds, which depend on who searched what first: sorted by them, the moves would
        come in another order with every number of workers, and so would the first of several equal
        ones. Sorting by bounds is worth nothing either: 0.97 to 1.03 times the nodes on forty positions.
        """
        self.root.moves.sort(key=lambda move: move is not best)

    def _unsearched(self) -> Result:
        """What is known before any search: the position's own value, and that some move is legal."""
        first = self.root.moves[0] if self.root.moves else None
        self.root.begin_search(None)
        value = self.root.leaf_value()
        self.root.begin_search(None)  # this look was not part of the search
        return self._result(Found(value, first), 0, exact=first is None)

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
            nodes=root.counter("nodes"),
            leaves=root.counter("leaves"),
            seconds=time.perf_counter() - self.started if self.started else 0.0,
            exact=exact,
            best=tuple(MoveValue(move=board.move(move.code), value=move.value) for move in ranked[:wanted]),
            lookups=root.counter("lookups"),
            hits=root.counter("hits"),
            table_bytes=root.table.nbytes if root.table else 0,
            scheme=self.scheme,
            workers=self.division.statistics(),
            worker_bytes=self.division.nbytes,
            scale=root.scale,
        )
