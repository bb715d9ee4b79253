"""Iterative deepening of one root: the depths of its iterations, and the result and progress of each."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

from outflank.boards import Board
from outflank.games.endings import ending_moves
from outflank.games.scores import OUTCOMES
from outflank.kernels.signals import Attendant
from outflank.search.algorithms import algorithm_of
from outflank.search.division import Division
from outflank.search.request import Deadline, Limits, Stop
from outflank.search.results import (
    LiveNode,
    MoveValue,
    Progress,
    Result,
    Watch,
    WorkerProgress,
    WorkerStatistics,
    watching,
)
from outflank.search.root import Root
from outflank.search.root_moves import HIGH, NodeStanding, RootMove, RootValue, WorkerStanding
from outflank.search.stopping import Stopped, timer

GUESSED = 9
"""Maximum depth in plies of the estimates before a proof. A selective search then also goes to the end of the game."""

AT_ONCE = 10
"""Number of plies before the end of a game from which a selective search goes to the end in one iteration, if the game
has endgame kernels. Such an iteration takes little more time than one that is a few plies shallower. On 17 positions of
Othello with 22 and 24 empty squares, searches with the values 6, 8 and 10 took 7.9, 5.1 and 5.9 s. Larger values delay
the first result."""

SOON_SECONDS = 0.4
"""Expected time in seconds below which an iteration may delay Ctrl-C until its end."""


class Stage:
    """Iterative deepening of one root: a whole search, or one stage of it, such as the estimates before a proof."""

    def __init__(
        self,
        board: Board,
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
        self,
        limits: Limits,
        stop: Stop,
        before: Result | None,
        *,
        guessing: bool = False,
        deadline: Deadline | None = None,
    ) -> Iterator[Result]:
        """Yield a result after each iteration, and always at least one; `before` is the previous stage's result.

        `guessing` means that this stage only estimates the value that the next stage proves.
        """
        root = self.root
        self.before = before or _empty_result(self.board, root)
        left = None if limits.seconds is None else max(limits.seconds - self.before.seconds, 1e-9)
        self.division = self._divide()
        with closing(self.division), closing(self.attendant):
            try:
                if not stop.called:  # else nothing will be searched
                    self._prepare()
                self.started = time.perf_counter()
                if deadline is not None:
                    deadline.began_at = deadline.began_at or self.started
                    left = deadline.left_seconds() if left is None else min(left, deadline.left_seconds())
                # From here on nothing may reset a stop.
                root.begin_search(None if limits.nodes is None else max(limits.nodes - self.before.nodes, 0), left)
                stop.add_listener(root.stop)
                with timer(root.stop, left, self.division):
                    yield from self._iterations(limits, stop, guessing, left)
            finally:
                if deadline is not None:
                    deadline.longest_pause_seconds = max(deadline.longest_pause_seconds, root.longest_pause_seconds)
                stop.remove_listener(root.stop)

    def _prepare(self) -> None:
        """Compile all kernels before the clock starts."""
        self.root.prepare_lines()
        self.root.stop()
        if self.root.moves:
            self.division.prepare()

    def _iterations(self, limits: Limits, stop: Stop, guessing: bool, left: float | None) -> Iterator[Result]:
        root = self.root
        last = self.before
        selective = root.options.selectivity < 100
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
            for depth in self._depths(limits, guessing):
                if left is not None and time.perf_counter() - self.started >= left:
                    raise Stopped  # between two iterations no worker looks at the clock
                estimates, hits = root.counter("estimates"), root.counter("hits")
                root_value = self._search(depth, previous)
                is_estimate = selective or root.counter("estimates") > estimates
                if not is_estimate and root.counter("hits") > hits and not root.options.exact:
                    # Table values may rest on estimates of earlier iterations: search again without them.
                    self.division.forget()
                    root_value = self._search(depth, previous)
                    is_estimate = root.counter("estimates") > estimates
                previous = root_value.value
                # A value proved in the evaluation's unit is proved again as a score by the next stage.
                last = self._result(root_value, depth, proved=not is_estimate and not guessing)
                yield last
                self._bring_forward(root_value.move)
                if not is_estimate:
                    break
        except Stopped:
            yield self._stopped_result(last)

    def _search(self, depth: int, previous: int | None) -> RootValue:
        """Run one iteration. Signals such as Ctrl-C are handled meanwhile, unless the iteration is expected to be
        short."""
        root = self.root
        root.begin_iteration()
        self.depth = depth

        def run_algorithm() -> RootValue:
            root_value = self.algorithm(root, self.division, depth, previous)
            if root_value.move is not None and not (root.options.wld and root_value.value):  # a bound has no line
                root_value.move.line = root.complete_line(
                    root_value.move.line or (root_value.move.code,), root_value.value, depth
                )
            return root_value

        # One more ply multiplies the time by at most about the number of moves. A short iteration stays in this thread:
        # a thread for each iteration costs a search of 20 ms a few per cent.
        options, branching = root.options, max(len(root.moves), 10)
        seconds = (time.perf_counter() - self.started) * branching**options.step
        with watching(self.watch, self._progress, root.stop):
            if options.deepen and not options.exact and seconds < SOON_SECONDS:
                return run_algorithm()
            return self.attendant.run(run_algorithm)

    def _depths(self, limits: Limits, guessing: bool) -> Iterator[int]:
        options, root = self.root.options, self.root
        horizon = root.horizon
        if options.exact or self.before.depth >= horizon:
            yield horizon
            return
        last = self._guessing_depth() if guessing else min(limits.depth or root.deepest, horizon)
        if not options.deepen:
            # The search is as deep as requested, even beyond the end of the game, because node counts by remaining
            # depth depend on the depth. The published report 002 has such counts.
            yield limits.depth or last
            return
        to_the_end = options.selectivity < 100 and root.plays_out
        near = horizon - AT_ONCE if to_the_end else horizon
        # With steps of two, all iterations have the parity of the last: values of odd and even depths differ.
        yield from range(1 + (last - 1) % options.step, min(last, near) + 1, options.step)
        if to_the_end and (guessing or near < last == horizon):
            yield horizon
        elif last > near:
            yield last

    def _guessing_depth(self) -> int:
        """Return the depth of the estimates before a proof. They should take much less time than the proof.

        Estimates to half the depth of the proof do. The last plies need no estimates if the game's endgame kernels
        solve them. Proofs of Othello with 24 empty squares were no faster with estimates deeper than `GUESSED` (depths
        of 5 to 11 were tried), and such estimates took a hundred times as long as the proof of an easy position.
        """
        horizon = self.root.horizon
        solved_plies = int(ending_moves(self.root.game)) + 3 if self.root.options.use_endgame_kernels else 0
        return max(1, min(horizon // 2, horizon - solved_plies, GUESSED))

    def _bring_forward(self, best: RootMove | None) -> None:
        """Put the best root move of this iteration first; the other moves keep their order.

        The values of the other moves are bounds that depend on the timing of the workers. If moves were sorted by these
        bounds, the order, and the choice among equal moves, would vary with the number of workers. Sorting would gain
        nothing either: on forty positions, sorted searches visited 0.97 to 1.03 times as many nodes.
        """
        self.root.moves.sort(key=lambda move: move is not best)

    # --- results and progress ---

    def _result(self, root_value: RootValue, depth: int, *, proved: bool) -> Result:
        root, board = self.root, self.board
        line: tuple[int, ...] = ()
        if root_value.move is not None:
            line = root_value.move.line or (root_value.move.code,)
        ranked = sorted(root.moves, key=lambda move: (move is not root_value.move, -move.value))
        best_count = root.options.moves if depth > 0 else 0
        wld = root.options.wld
        lower, upper = self._bounds(root_value) if proved and root.options.exact else (None, None)
        return self._with_counters(
            Result(
                value=_sign(root_value.value) if wld else root_value.value,
                move=board.move(root_value.move.code) if root_value.move else None,
                pv=board.line(line),
                depth=depth,
                selectivity=root.options.selectivity,
                nodes=0,
                leaves=0,
                seconds=0.0,
                exact=proved,
                lower=lower,
                upper=upper,
                best=tuple(
                    MoveValue(
                        move=board.move(move.code),
                        value=_sign(move.value) if wld else move.value,
                        line=board.line(move.line or (move.code,)),
                    )
                    for move in ranked[:best_count]
                ),
                scale=OUTCOMES if wld else root.scale,
            )
        )

    def _bounds(self, root_value: RootValue) -> tuple[int | None, int | None]:
        """Return the lower and the upper bound of the score that follow from the value of a finished proof."""
        if not self.root.options.wld or root_value.move is None:
            return root_value.value, root_value.value
        return (root_value.value if root_value.value >= 0 else None), (
            root_value.value if root_value.value <= 0 else None
        )

    def _stopped_result(self, last: Result) -> Result:
        """Return the last result, marked as stopped, with the bounds proved so far."""
        root = self.root
        standing = self.division.standing()
        if not root.options.exact:
            last = replace(self._with_counters(last), stopped=True)
            # A player gets a move that the unfinished iteration has shown to be better than the last best move, which
            # is searched first. Other callers get the result of the last complete iteration.
            for_player = root.options.table_depth == "at-least" and last.depth and self.depth > last.depth
            better = standing.best if for_player and standing.moves_done else None
            if better is None or self.board.move(better.code) == last.move:
                return last
            move = self.board.move(better.code)
            return replace(last, move=move, pv=(move,), value=standing.lower)
        root.learn_unfinished(standing)
        if root.lower is not None and (root.lower == root.upper or (root.options.wld and root.lower > 0)):
            # Only the choice among equal moves, or the values of other moves, was still open.
            result = self._result(RootValue(root.lower, root.best), root.horizon, proved=True)
            assert result.move is not None
            assert result.value is not None
            # The values of the other moves may still be bounds.
            return replace(
                result, stopped=True, best=(MoveValue(move=result.move, value=result.value, line=result.pv),)
            )
        last = replace(self._with_counters(last), lower=root.lower, upper=root.upper, stopped=True)
        if root.best is None or self.board.move(root.best.code) == last.move:
            return last
        move = self.board.move(root.best.code)
        return replace(last, move=move, pv=(move,))

    def _with_counters(self, result: Result) -> Result:
        """Return `result` with the counters and the time of this stage and of the stages before it."""
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
            moves_begun=standing.moves_begun,
            move_count=standing.move_count,
            moves_done=standing.moves_done,
            move=board.move(standing.last.code) if standing.last else None,
            best=board.move(best.code) if best else None,
            value=lower,
            upper=root.upper,
            workers=self._worker_progress(standing.workers),
            live_tree=lambda: self._live_tree(standing.live_nodes()),
        )

    def _live_tree(self, standings: Sequence[NodeStanding]) -> tuple[LiveNode, ...]:
        boards = (self.board, self.board.copy())
        boards[1].turn = self.board.turn.other
        scale, texts = self.root.scale, dict[int, str]()
        moves: dict[tuple[int, int], str] = {}

        def value_text(value: int | None) -> str:
            if value is None or abs(value) >= HIGH:
                return ""
            if value not in texts:
                texts[value] = scale.text(value, bare=True)
            return texts[value]

        def move_text(code: int, ply: int) -> str:
            key = (code, (ply - 1) % 2)
            if key not in moves:
                moves[key] = str(boards[key[1]].move(code)) if ply else ""
            return moves[key]

        return tuple(
            LiveNode(
                parent,
                order,
                move_text(code, ply),
                depth,
                value_text(alpha),
                value_text(beta),
                value_text(value),
                *shared,
            )
            for parent, order, code, ply, depth, alpha, beta, value, *shared in standings
        )

    def _worker_progress(self, standings: Sequence[WorkerStanding]) -> tuple[WorkerProgress, ...]:
        steps = self.root.line_steps
        statistics_now = self.division.statistics() if standings else ()
        if not statistics_now or steps % 2 or steps != self.root.line_steps:  # a line is being completed
            return ()
        if self.before.workers:
            statistics_now = WorkerStatistics.summed(self.before.workers, statistics_now)
        return tuple(
            WorkerProgress(
                busy=standing.busy,
                move=self.board.move(standing.move.code) if standing.move else None,
                depth=standing.depth,
                stolen=standing.stolen,
                statistics=worker_statistics,
            )
            for standing, worker_statistics in zip(standings, statistics_now, strict=True)
        )


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def _empty_result(board: Board, root: Root) -> Result:
    """Return the result before any search: some legal move."""
    move = board.move(root.moves[0].code) if root.moves else None
    return Result(value=None, move=move, pv=(), depth=0, nodes=0, leaves=0, seconds=0.0, exact=False, scale=root.scale)
