"""One worker that searches the whole tree."""

from collections.abc import Sequence
from dataclasses import replace

from outflank.placement import pinned
from outflank.search.alphabeta import alphabeta
from outflank.search.minimax import minimax
from outflank.search.quiescence import quiescence
from outflank.search.results import WorkerStatistics
from outflank.search.root import Root
from outflank.search.root_moves import HIGH, LOW, RootMove, RootValue, WindowProgress, WorkerStanding, preferred
from outflank.search.stopping import Stopped
from outflank.search.worker import WORKER


class Alone:
    """A division among one: the root's moves one after the other."""

    reads_deadline = True

    def __init__(self, root: Root) -> None:
        self.root = root
        self.nbytes = WORKER.itemsize
        self._standing = WindowProgress()
        self._left = 0

    def prepare(self) -> None:
        """Compile, by a search that may enter no node."""
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
        """value == v, and the move is the one that the tie rule names among all best ones."""
        root = self.root
        left = self._left = root.depth_below(depth)
        with pinned(root.places, 0):
            for number, move in enumerate(root.moves, 1):
                self._standing = WindowProgress(number, len(root.moves), move, done=number - 1)
                move.value = self.child_minimax(move, left)
                move.line = ()
        best = max(move.value for move in root.moves)
        return RootValue(best, preferred([move for move in root.moves if move.value == best], root.options.ties))

    def search_window(self, depth: int, alpha: int, beta: int, *, wanted: int, moves: Sequence[RootMove]) -> RootValue:
        """Alpha-beta's promise for (alpha, beta) at the root.

        With a tie rule, a move that the rule prefers is asked whether it is as good as the best so
        far, so that inside the window the move is the same for every order of moves.
        """
        with pinned(self.root.places, 0):
            best = self._best(depth, alpha, beta, wanted, moves)
        found = RootValue(best.value, best)
        self.root.learn(found, alpha, beta, moves)
        return found

    def _best(self, depth: int, alpha: int, beta: int, wanted: int, moves: Sequence[RootMove]) -> RootMove:
        root = self.root
        scout = root.options.algorithm == "pvs"
        left = self._left = root.depth_below(depth)
        best: RootMove | None = None
        values: list[int] = []
        for number, move in enumerate(moves, 1):
            low = alpha
            shown = best if best is not None and best.value > alpha else None
            self._standing = WindowProgress(number, len(moves), move, shown, shown.value if shown else None, number - 1)
            if best is not None and root.options.share_alpha:
                # What a move has to beat, or to reach, to be among the best ones wanted.
                last = sorted(values, reverse=True)[wanted - 1] if len(values) >= wanted else LOW
                reaching_is_enough = wanted > 1 or _wins(best, move, root)
                low = max(alpha, last - reaching_is_enough)
            if best is not None and scout and left > 0 and wanted == 1 and low + 1 < beta and root.options.share_alpha:
                found = self.child_value(move, low, low + 1, left)
                if low < found < beta:
                    self._standing = WindowProgress(number, len(moves), move, move, found, number - 1)
                    low = found - 1
                    found = self.child_value(move, low, beta, left)
            else:
                found = self.child_value(move, low, beta, left)
            move.value = found
            move.line = (move.code, *self.line_below()) if low < found < beta else (move.code,)
            values.append(found)
            if best is None or found > best.value or (found == best.value and found > low and _wins(best, move, root)):
                best = move
            if best.value >= beta:
                break
        assert best is not None
        return best

    def standing(self) -> WindowProgress:
        """How far the root's moves are searched."""
        standing = self._standing
        if standing.last is None:
            return standing
        return replace(standing, workers=(WorkerStanding(True, standing.last, self._left),))

    def forget(self) -> None:
        """Clear the table."""
        self.root.forget()

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        """One worker's, with nothing to share."""
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
        """Nothing was started."""

    # --- the root's moves ---

    def child_value(self, move: RootMove, alpha: int, beta: int, depth: int) -> int:
        """What `move` is worth, `depth` plies below it, as far as (alpha, beta) asks; alpha-beta's promise."""
        root, worker = self.root, self.root.worker
        subject = (root.game, root.evaluation, move.child, move.state)
        if depth == 0:
            worker.line_length[1] = 0
            # Also where nothing has to be quiet: an evaluation in the interpreter takes a millisecond, and there is one
            # for every move of the root.
            return -int(quiescence(*subject, -beta, -alpha, root.options.quiescence, 0, worker))
        found = -alphabeta(*subject, -beta, -alpha, depth, 1, 0, worker, root.probe)
        self._give_up_if_stopped()
        return int(found)

    def child_minimax(self, move: RootMove, depth: int) -> int:
        """What `move` is worth, without any cut-off."""
        root = self.root
        if depth == 0:
            return self.child_value(move, LOW, HIGH, 0)
        found = -minimax(root.game, root.evaluation, move.child, move.state, depth, 0, root.worker, root.probe)
        self._give_up_if_stopped()
        return int(found)

    def line_below(self) -> tuple[int, ...]:
        """The principal variation that the last search of a child left behind."""
        worker = self.root.worker
        return tuple(int(code) for code in worker.line[1][: int(worker.line_length[1])])

    def _give_up_if_stopped(self) -> None:
        if self.root.worker.aborted:
            raise Stopped


def _wins(best: RootMove, move: RootMove, root: Root) -> bool:
    """Whether `move` is preferred to `best`, their values being equal."""
    return best is not preferred([best, move], root.options.ties)
