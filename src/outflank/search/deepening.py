"""Searches from start to end: limits, iterations, and what is told of each."""

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any, Unpack

from outflank.boards import Board
from outflank.games.description import description_of
from outflank.games.endings import ending_moves
from outflank.games.evaluation import evaluations, is_named
from outflank.games.units import OUTCOMES
from outflank.kernels.signals import Attendant
from outflank.search.algorithms import algorithm_of
from outflank.search.alone import Alone
from outflank.search.checking import MONTE_CARLO, check
from outflank.search.contract import Known, Limits, Options, Stop
from outflank.search.division import Division
from outflank.search.keywords import LimitKeywords, SearchKeywords
from outflank.search.options import asked, asks, check_companions
from outflank.search.probes import Instrument
from outflank.search.progress import watching
from outflank.search.results import Comparison, MoveValue, Progress, Result, Watch, WorkerStatistics
from outflank.search.root import Root, RootMove, RootValue
from outflank.search.stopping import Stopped
from outflank.search.table import Table

ESTIMATES_BITS = 20
"""The table of the estimates before a proof, at most: 32 MiB."""

GUESSED = 9
"""Plies of the estimates before a proof, at most."""

SOON_SECONDS = 0.4
"""What is expected to be over by then may keep Ctrl-C waiting."""


@asks
def search(
    board: Board[Any],
    limits: Limits | None = None,
    *,
    stop: Stop | None = None,
    table: Table | None = None,
    instrument: Instrument | None = None,
    watch: Watch | None = None,
    **options: Unpack[SearchKeywords],
) -> Result:
    """Find the best move: the last result of `iterate`, with the same arguments.

    A `stop` is called, from whatever thread, to end the search: a `Stop`. A `table` is kept from one search to the
    next of the same game, evaluation and passes: a `Table`, instead of one of its own. A `watch` is a function that is
    called with a `Progress` a few times a second, from another thread. An `instrument` (`Counts`, a
    `Recording`) measures.

    >>> import outflank
    >>> outflank.search(outflank.OthelloBoard.start(4, scoring="discs"), exact=True).said
    '-8 discs'
    >>> outflank.search(outflank.OthelloBoard.start(), depth=3).depth
    3
    """
    *_, last = iterate(board, limits, stop=stop, table=table, instrument=instrument, watch=watch, **options)
    return last


@asks
def iterate(
    board: Board[Any],
    limits: Limits | None = None,
    *,
    stop: Stop | None = None,
    table: Table | None = None,
    instrument: Instrument | None = None,
    watch: Watch | None = None,
    known: Known | None = None,
    **options: Unpack[SearchKeywords],
) -> Generator[Result, None, None]:
    """Search deeper and deeper; a result after each iteration, and always at least one.

    Limits are given by name (`depth`, `seconds`, `nodes`) or as one `Limits`; the other keywords are the fields of
    `Options`, which `help(outflank.search)` lists. Without any limit the search goes on until
    nothing is estimated any more, or until `stop` is called, from whatever thread. A `table`
    kept from one search to the next must be used with the same game, evaluation and passes.
    An `instrument` measures: `Counts` what is searched by the depth left, a `Recording` what workers do.
    A `watch` is called with a `Progress` a few times a second while an iteration runs, from another thread;
    what it raises ends the search.

    With `exact` the final score under perfect play is proved. Estimates come first, to half the depth of the end or
    less, so that there is a move and a value when it is stopped; `deepen=False` goes without. A `table` that has been
    used keeps none of them. `known` is what an earlier proof of this score had shown when it was stopped: there it
    begins. With `wld` as well it only says who wins: the value is +1, 0 or -1; `lower` and `upper` are bounds of the
    score.
    """
    limits, chosen = asked(board, limits, options)
    check_companions(stop=stop, table=table, instrument=instrument, watch=watch)
    if stop is not None:
        stop.warn_if_spent()
    scheme, workers = check(board.game, chosen, limits)
    name = scheme.name if scheme else None
    shared = table is None or not table.used  # and so holds no values of another evaluation
    if table is not None:
        table.grow_older()

    def deepening(chosen: Options, table: Table | None) -> _Deepening:
        root = Root(board.game, board.position, chosen, table=table, instrument=instrument)
        return _Deepening(board, root, lambda: scheme.divide(root, workers) if scheme else Alone(root), name, watch)

    if chosen.algorithm in MONTE_CARLO:
        from outflank.search.montecarlo import OnePlayer, iterate_playouts

        root = Root(board.game, board.position, chosen, instrument=instrument)
        playing = OnePlayer(root) if scheme is None else scheme.divide(root, workers)
        return iterate_playouts(board, root, playing, name, limits, stop, watch)
    stages = [deepening(chosen, table)]
    stages[0].root.known = known or Known()
    if chosen.exact and chosen.deepen and (chosen.evaluation is not None or evaluations(board.game)):
        own = stages[0].root.table if shared else None
        bits = None if chosen.table_bits is None else min(chosen.table_bits, ESTIMATES_BITS)
        estimates = replace(chosen, exact=False, wld=False, table_bits=bits, evaluation=_guide(board, chosen))
        stages.insert(0, deepening(estimates, own))
    return _results(stages, limits, stop or Stop())


def _guide(board: Board[Any], options: Options) -> Any:
    """The evaluation of the estimates before a proof: the one that guides it, where it is one of the game's by name;
    None: the game's usual one."""
    guide = description_of(board.game).guide
    if options.evaluation is not None or guide is None or not options.offers:
        return options.evaluation
    found = guide(board.game)
    return found if is_named(board.game, found) else None


def _results(stages: list["_Deepening"], limits: Limits, stop: Stop) -> Generator[Result, None, None]:
    """The results of one stage after the other, each with what is left of the limits."""
    before: Result | None = None
    for stage in stages:
        last = before
        for result in stage.results(limits, stop, before, proof_follows=stage is not stages[-1]):
            last = result
            yield result
        if last is None or last.stopped:
            return
        before = last


def compare(
    board: Board[Any], together: Result, *, stop: Stop | None = None, **options: Unpack[SearchKeywords]
) -> Comparison:
    """Search again to the depth that a parallel search reached, with the same options and one worker alone."""
    *_, alone = iterate_alone(board, together, stop=stop, **options)
    return Comparison(alone=alone, together=together)


def iterate_alone(
    board: Board[Any], together: Result, *, stop: Stop | None = None, **options: Unpack[SearchKeywords]
) -> Generator[Result, None, None]:
    """The iterations of that search."""
    limits = Limits() if options.get("exact") else Limits(depth=together.depth or 1)
    no_limits: LimitKeywords = {"depth": None, "seconds": None, "nodes": None}
    same: SearchKeywords = {**options, **no_limits, "workers": 1, "parallel": None}
    return iterate(board, limits, stop=stop, **same)


class _Deepening:
    """The iterations of one root: a search, or a stage of one."""

    def __init__(
        self,
        board: Board[Any],
        root: Root,
        divide: Callable[[], Division],
        scheme: str | None,
        watch: Watch | None,
    ) -> None:
        self.board, self.root, self.scheme, self.watch = board, root, scheme, watch
        self._divide = divide
        self.algorithm = algorithm_of(root.options)
        self.attendant = Attendant(root.stop)
        self.started = 0.0
        self.depth = 0

    def results(
        self, limits: Limits, stop: Stop, before: Result | None, *, proof_follows: bool = False
    ) -> Iterator[Result]:
        """A result after each iteration, and always one; `before` is what the stage before this one has found."""
        root = self.root
        timer = None
        self.before = before or _nothing(self.board, root)
        left = None if limits.seconds is None else max(limits.seconds - self.before.seconds, 1e-9)
        self.division = self._divide()
        with closing(self.division), closing(self.attendant):
            try:
                # All is compiled before the clock runs.
                root.prepare_lines()
                root.stop()
                if root.moves:
                    self.division.prepare()
                self.started = time.perf_counter()
                # From here on a stop counts: nothing may reset it any more.
                root.begin_search(None if limits.nodes is None else max(limits.nodes - self.before.nodes, 0))
                stop.tell(root.stop)
                if left is not None:
                    timer = threading.Timer(left, root.stop)
                    timer.daemon = True
                    timer.start()
                yield from self._iterations(limits, stop, proof_follows)
            finally:
                if timer is not None:
                    timer.cancel()
                stop.forget(root.stop)

    def _iterations(self, limits: Limits, stop: Stop, proof_follows: bool) -> Iterator[Result]:
        root = self.root
        last = self.before
        previous: int | None = None
        if root.options.exact and last.value is not None:
            previous = last.scale.likely_score(last.value)
        if not root.moves:
            yield self._result(RootValue(root.leaf_value(), None), 0, proved=True)
            return
        if last.depth:
            root.moves.sort(key=lambda move: self.board.move(move.code) != last.move)
        if root.known.move is not None:
            root.moves.sort(key=lambda move: move.code != root.known.move)
        try:
            if stop.called:
                raise Stopped
            for depth in self._depths(limits, proof_follows):
                estimates, hits = root.counter("estimates"), root.counter("hits")
                found = self._search(depth, previous)
                estimated = root.counter("estimates") > estimates
                if not estimated and root.counter("hits") > hits and root.table is not None and not root.options.exact:
                    # What the table told may rest on estimates of iterations before: ask again without it.
                    self.division.forget()
                    found = self._search(depth, previous)
                    estimated = root.counter("estimates") > estimates
                previous = found.value
                # What is proved in the evaluation's unit is proved again as a score, if that is what is wanted.
                last = self._result(found, depth, proved=not estimated and not proof_follows)
                yield last
                self._bring_forward(found.move)
                if not estimated:
                    break
        except Stopped:
            yield self._unfinished(last)

    def _search(self, depth: int, previous: int | None) -> RootValue:
        """One iteration, while which signals are seen."""
        root = self.root
        root.begin_iteration()
        self.depth = depth

        def work() -> RootValue:
            found = self.algorithm(root, self.division, depth, previous)
            if found.move is not None and not (root.options.wld and found.value):  # a bound has no line
                found.move.line = root.complete_line(found.move.line or (found.move.code,), found.value, depth)
            return found

        # A ply more takes at most about as many times as long as there are moves. What is over soon stays in this
        # thread: another one costs a search of 20 ms some per cent if it is given each iteration.
        options, branching = root.options, max(len(root.moves), 10)
        seconds = (time.perf_counter() - self.started) * branching**options.step
        with watching(self.watch, self._progress, root.stop):
            if options.deepen and not options.exact and seconds < SOON_SECONDS:
                return work()
            return self.attendant.run(work)

    def _depths(self, limits: Limits, proof_follows: bool) -> Iterator[int]:
        options, root = self.root.options, self.root
        if options.exact:
            yield root.horizon
            return
        last = self._guessing_depth() if proof_follows else min(limits.depth or root.deepest, root.horizon)
        if not options.deepen:
            # As deep as was asked, beyond the end too: counts of nodes by the depth they have left, such as report
            # 002's, depend on it.
            yield limits.depth or last
            return
        # In steps of two the iterations have the parity of the last: values of odd and even depths differ.
        yield from range(1 + (last - 1) % options.step, last + 1, options.step)

    def _guessing_depth(self) -> int:
        """Of the estimates before a proof, so that they cost it next to nothing.

        It takes all the time there is: half as deep is little. Where the game solves its endings by kernels of its own
        they leave less to the search, and that much less is enough. More than `GUESSED` plies made proofs of Othello
        with 24 empty squares no shorter (5 to 11 were tried), and took a hundred times as long as that of a position
        which is soon proved.
        """
        horizon = self.root.horizon
        solved = int(ending_moves(self.root.game)) + 3 if self.root.options.offers else 0
        return max(1, min(horizon // 2, horizon - solved, GUESSED))

    def _bring_forward(self, best: RootMove | None) -> None:
        """The best move of this iteration is tried first in the next; the others keep their order.

        Their values are bounds, which depend on who searched what first: sorted by them, the moves would
        come in another order with every number of workers, and so would the first of several equal
        ones. Sorting by bounds is worth nothing either: 0.97 to 1.03 times the nodes on forty positions.
        """
        self.root.moves.sort(key=lambda move: move is not best)

    # --- what is told ---

    def _result(self, found: RootValue, depth: int, *, proved: bool) -> Result:
        root, board = self.root, self.board
        line: tuple[int, ...] = ()
        if found.move is not None:
            line = found.move.line or (found.move.code,)
        ranked = sorted(root.moves, key=lambda move: (move is not found.move, -move.value))
        wanted = root.options.moves if depth > 0 else 0
        wld = root.options.wld
        lower, upper = self._bounds(found) if proved and root.options.exact else (None, None)
        return self._counted(
            Result(
                value=_sign(found.value) if wld else found.value,
                move=board.move(found.move.code) if found.move else None,
                pv=board.line(line),
                depth=depth,
                nodes=0,
                leaves=0,
                seconds=0.0,
                exact=proved,
                lower=lower,
                upper=upper,
                best=tuple(
                    MoveValue(move=board.move(move.code), value=_sign(move.value) if wld else move.value)
                    for move in ranked[:wanted]
                ),
                scale=OUTCOMES if wld else root.scale,
            )
        )

    def _bounds(self, found: RootValue) -> tuple[int | None, int | None]:
        """What a proof that has found this value has shown of the score."""
        if not self.root.options.wld or found.move is None:
            return found.value, found.value
        return (found.value if found.value >= 0 else None), (found.value if found.value <= 0 else None)

    def _unfinished(self, last: Result) -> Result:
        """What was found before, with what a proof had shown when it was stopped."""
        root = self.root
        if not root.options.exact:
            return replace(self._counted(last), stopped=True)
        root.learn_unfinished(self.division.standing())
        if root.lower is not None and (root.lower == root.upper or (root.options.wld and root.lower > 0)):
            # Only which of equal moves to name, or what others are worth, was still open.
            found = self._result(RootValue(root.lower, root.best), root.horizon, proved=True)
            assert found.move is not None
            assert found.value is not None
            # What the other moves are worth may be bounds still.
            return replace(found, stopped=True, best=(MoveValue(move=found.move, value=found.value),))
        last = replace(self._counted(last), lower=root.lower, upper=root.upper, stopped=True)
        if root.best is None or self.board.move(root.best.code) == last.move:
            return last
        move = self.board.move(root.best.code)
        return replace(last, move=move, pv=(move,))

    def _counted(self, result: Result) -> Result:
        """A result with all that has been counted until now, in this stage and before."""
        root, before = self.root, self.before
        workers = self.division.statistics()
        return replace(
            result,
            nodes=before.nodes + root.counter("nodes"),
            leaves=before.leaves + root.counter("leaves"),
            seconds=before.seconds + time.perf_counter() - self.started,
            lookups=before.lookups + root.counter("lookups"),
            hits=before.hits + root.counter("hits"),
            table_bytes=root.table.nbytes if root.table else 0,
            scheme=self.scheme,
            workers=WorkerStatistics.summed(before.workers, workers) if before.workers else workers,
            worker_bytes=self.division.nbytes + root.workspace_bytes,
        )

    def _progress(self) -> Progress:
        root, board, standing = self.root, self.board, self.division.standing()
        best, lower = root.best, root.lower
        if standing.lower is not None and (lower is None or standing.lower > lower):
            best, lower = standing.best, standing.lower
        return Progress(
            depth=self.depth,
            proving=root.options.exact,
            nodes=self.before.nodes + root.counter("nodes"),
            seconds=self.before.seconds + time.perf_counter() - self.started,
            begun=standing.begun,
            moves=standing.moves,
            done=standing.done,
            move=board.move(standing.last.code) if standing.last else None,
            best=board.move(best.code) if best else None,
            value=lower,
            upper=root.upper,
        )


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def _nothing(board: Board[Any], root: Root) -> Result:
    """What is known before any search: that some move is legal."""
    move = board.move(root.moves[0].code) if root.moves else None
    return Result(value=None, move=move, pv=(), depth=0, nodes=0, leaves=0, seconds=0.0, exact=False, scale=root.scale)
