"""The search of a root by a single worker, and its resumable form for short time slices."""

from collections.abc import Sequence
from dataclasses import replace

from outflank.boards import Board
from outflank.errors import InvalidOption
from outflank.placement import pinned
from outflank.search.alphabeta import alphabeta
from outflank.search.iterations import Stage
from outflank.search.minimax import minimax
from outflank.search.quiescence import quiescence
from outflank.search.request import Known, Limits, Options, Stop
from outflank.search.request_checks import MONTE_CARLO, check
from outflank.search.results import Result, Watch, WorkerStatistics
from outflank.search.root import Root
from outflank.search.root_moves import HIGH, LOW, RootMove, RootValue, WindowProgress, WorkerStanding, preferred
from outflank.search.stopping import Stopped
from outflank.search.table import Table
from outflank.search.worker import WORKER


class Alone:
    """A `Division` with one worker, which searches the root's moves one after the other."""

    reads_deadline = True

    def __init__(self, root: Root) -> None:
        self.root = root
        self.nbytes = WORKER.itemsize
        self._standing = WindowProgress()
        self._left = 0

    def prepare(self) -> None:
        """Compile the kernels by a search with a node limit of 0."""
        self.root.begin_search(0)
        self.child_value(self.root.moves[0], -1, 1, 0)
        try:
            if self.root.options.algorithm == "minimax":
                self.child_minimax(self.root.moves[0], 1)
            else:
                self.child_value(self.root.moves[0], -1, 1, 1)
        except Stopped:
            pass

    def search_fully(self, depth: int) -> RootValue:
        """Return the exact minimax value of the root; the tie rule selects among equally good moves."""
        root = self.root
        left = self._left = root.depth_below(depth)
        with pinned(root.places, 0):
            for number, move in enumerate(root.moves, 1):
                self._standing = WindowProgress(number, len(root.moves), move, moves_done=number - 1)
                move.value = self.child_minimax(move, left)
                move.line = ()
        best = max(move.value for move in root.moves)
        return RootValue(best, preferred([move for move in root.moves if move.value == best], root.options.ties))

    def search_window(
        self, depth: int, alpha: int, beta: int, *, best_count: int, moves: Sequence[RootMove]
    ) -> RootValue:
        """Return the best of `moves`. Its value is exact inside (alpha, beta), otherwise a bound on that side.

        If the tie rule prefers a move to the best move so far, the search also tests whether both are equal. So, if
        the value is inside the window and the rule is not `first`, the order of `moves` does not change the best move.
        """
        with pinned(self.root.places, 0):
            best = self._best(depth, alpha, beta, best_count, moves)
        result = RootValue(best.value, best)
        self.root.learn(result, alpha, beta, moves)
        return result

    def _best(self, depth: int, alpha: int, beta: int, best_count: int, moves: Sequence[RootMove]) -> RootMove:
        root = self.root
        scout = root.options.algorithm == "pvs"
        left = self._left = root.depth_below(depth)
        best: RootMove | None = None
        values: list[int] = []
        for number, move in enumerate(moves, 1):
            low = alpha
            proved_best = best if best is not None and best.value > alpha else None
            self._standing = WindowProgress(
                number, len(moves), move, proved_best, proved_best.value if proved_best else None, number - 1
            )
            if best is not None and root.options.share_alpha:
                # The value that a move must beat, or equal, to be among the `best_count` best moves.
                worst_of_best = sorted(values, reverse=True)[best_count - 1] if len(values) >= best_count else LOW
                equal_is_enough = best_count > 1 or _is_preferred(best, move, root)
                low = max(alpha, worst_of_best - equal_is_enough)
            if (
                best is not None
                and scout
                and left > 0
                and best_count == 1
                and low + 1 < beta
                and root.options.share_alpha
            ):
                value = self.child_value(move, low, low + 1, left)
                if low < value < beta:
                    self._standing = WindowProgress(number, len(moves), move, move, value, number - 1)
                    low = value - 1
                    value = self.child_value(move, low, beta, left)
            else:
                value = self.child_value(move, low, beta, left)
            move.value = value
            move.line = (move.code, *self.line_below()) if low < value < beta else (move.code,)
            values.append(value)
            if (
                best is None
                or value > best.value
                or (value == best.value and value > low and _is_preferred(best, move, root))
            ):
                best = move
            if best.value >= beta:
                break
        assert best is not None
        return best

    def standing(self) -> WindowProgress:
        """Return the progress of the current window."""
        standing = self._standing
        if standing.last is None:
            return standing
        return replace(standing, workers=(WorkerStanding(True, standing.last, self._left),))

    def forget(self) -> None:
        """Clear the table."""
        self.root.forget()

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        """Return the statistics of the one worker."""
        worker = self.root.worker
        return (
            WorkerStatistics(
                nodes=int(worker.nodes),
                table_lookups=int(worker.lookups),
                table_hits=int(worker.hits),
                cutoffs=int(worker.cutoffs),
                first_cutoffs=int(worker.first_cutoffs),
            ),
        )

    def close(self) -> None:
        """Do nothing: no thread was started."""

    # --- the root's moves ---

    def child_value(self, move: RootMove, alpha: int, beta: int, depth: int) -> int:
        """Return the value of `move`, searched `depth` plies below it: exact inside (alpha, beta), else a bound."""
        root, worker = self.root, self.root.worker
        arguments = (root.game, root.evaluation, move.child, move.state)
        if depth == 0:
            worker.line_length[1] = 0
            # Without quiescence plies the kernel only evaluates. It is called all the same: an evaluation in the
            # interpreter takes a millisecond, and every root move needs one.
            return -int(quiescence(*arguments, -beta, -alpha, root.options.quiescence, 0, worker))
        value = -alphabeta(*arguments, -beta, -alpha, depth, 1, 0, worker, root.probe)
        self._raise_if_stopped()
        return int(value)

    def child_minimax(self, move: RootMove, depth: int) -> int:
        """Return the minimax value of `move`, searched `depth` plies below it without cut-offs."""
        root = self.root
        if depth == 0:
            return self.child_value(move, LOW, HIGH, 0)
        value = -minimax(root.game, root.evaluation, move.child, move.state, depth, 0, root.worker, root.probe)
        self._raise_if_stopped()
        return int(value)

    def line_below(self) -> tuple[int, ...]:
        """Return the principal variation below the root move that was searched last."""
        worker = self.root.worker
        return tuple(int(code) for code in worker.line[1][: int(worker.line_length[1])])

    def _raise_if_stopped(self) -> None:
        if self.root.worker.aborted:
            raise Stopped


def _is_preferred(best: RootMove, move: RootMove, root: Root) -> bool:
    """Return whether the tie rule prefers `move` to `best`, if their values are equal."""
    return best is not preferred([best, move], root.options.ties)


# `Resumable` is a search by one worker that is interrupted and resumed many times a second. Its root is set up only
# once, because the set-up takes 4 ms in Python, a large part of a slice of 20 ms. Resuming the search takes 1.6 ms.


class Resumable:
    """A search of one position, with fixed options, that can be interrupted and resumed. The `table` keeps the work
    that was done before an interruption."""

    def __init__(self, board: Board, options: Options, *, table: Table | None) -> None:
        if options.algorithm in MONTE_CARLO or options.deepen:
            raise InvalidOption("a search that is taken up again searches one depth, by a table")
        check(board.game, options, Limits())
        self._board = board
        self._root = Root(board.game, board.position, options, table=table)
        if table is not None:
            table.new_search()

    def search(self, limits: Limits, *, stop: Stop, watch: Watch | None = None, known: Known | None = None) -> Result:
        """Search until the search is complete, a limit is reached or `stop` is called. The result's `stopped` is false
        if the search is complete."""
        root = self._root
        root.known = known or Known()
        *_, last = Stage(self._board, root, lambda: Alone(root), None, watch).results(limits, stop, None)
        return last
