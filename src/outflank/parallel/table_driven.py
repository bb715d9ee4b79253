"""The shared-table and ABDADA schemes: all workers search the whole root on one table, until one worker has finished.

With marks (ABDADA) a worker marks the position that it searches in the table. Other workers that reach this position
with a later move put it off until nothing else is left at their node. Without marks (the shared table alone) workers
only try moves in different orders.
"""

from collections.abc import Sequence

import numpy as np

from outflank.games.evaluation import after, begin
from outflank.games.rules import Game, Position, play
from outflank.kernels.atomics import compare_exchange, load, store
from outflank.kernels.bits import U64
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.kernels.memory import record_at
from outflank.kernels.record_types import allocate
from outflank.kernels.waiting import nanoseconds
from outflank.parallel.crew import CrewDivision
from outflank.parallel.divided import default_threshold
from outflank.parallel.idling import back_off, wait_until_idle
from outflank.parallel.shared_state import CREW, FRAME, HAND, Hand, frame_at
from outflank.search.alphabeta import alphabeta, try_probcut
from outflank.search.endgame_steps import try_early_cutoff, try_endgame_solver
from outflank.search.nodes import (
    arrange,
    depth_after,
    entry_of,
    extend_line,
    fill_moves,
    hint_for,
    is_table_cutoff,
    query_table,
    send_entry,
)
from outflank.search.ordering import bring_best, record_cutoff
from outflank.search.quiescence import quiescence
from outflank.search.root import Root
from outflank.search.root_moves import LOW, RootMove, RootValue, WindowProgress, WorkerStanding
from outflank.search.samples import sample_roots
from outflank.search.stopping import BELL, Stopped, check_lifeline, poll_stop, ring
from outflank.search.table import (
    EMPTY,
    EPISODES,
    EXACT,
    LOWER,
    NO_MOVE,
    UPPER,
    depth_of,
    looked_up,
    marked,
    packed,
    remember,
    value_of,
    workers_at,
)
from outflank.search.worker import SORT_ALL, SORT_NONE, Worker

WORST = -(1 << 40)

PUT_OFF = 1 << 50
"""Result instead of a value: another worker is searching this position, so it is put off."""


@kernel
def search_marked(
    game, evaluation, position, state, alpha, beta, depth, ply, start, end, worker, probe, exclusive, marks
):
    """Return the value of `position`, exact inside (alpha, beta), otherwise a bound on that side; or -`PUT_OFF` if
    `exclusive` and another worker is searching it.

    The lower 16 bits of `marks` are a threshold: nodes with at most this depth left have no marks, and `alphabeta`
    searches them. The upper bits are the episode. At the root (ply 0) the moves are `worker.moves[start:end]`, in this
    order. Afterwards `worker.scores` has the value of each move, and `worker.line[0, 0]` the best move; if the search
    was stopped, it is the best of the completed moves. At other nodes `end` is `start`. A mark that a stopped search
    leaves behind only makes other workers search the position later.
    """
    threshold, episode = marks & 0xFFFF, marks >> 16
    worker.line_length[ply] = 0
    if ply > 0 and depth <= threshold:
        if depth > 0:
            return alphabeta(game, evaluation, position, state, alpha, beta, depth, ply, start, worker, probe)
        return np.int64(quiescence(game, evaluation, position, state, alpha, beta, worker.quiescence, start, worker))
    if ply > 0:
        worker.nodes += 1  # the root has been counted, once for all workers
    if poll_stop(worker):
        return np.int64(0)
    queried, data, symmetry, first, second = False, U64(0), 0, U64(0), U64(0)
    sort = np.int64(SORT_NONE)
    if ply == 0:
        left = np.int64(depth_after(game, worker.moves[start], depth, worker))
    else:
        known, result = try_endgame_solver(evaluation, game, position, alpha, beta, depth, worker)
        if known:
            return result
        queried, data, symmetry, first, second = query_table(game, position, depth, worker, probe)
        if is_table_cutoff(data, depth, alpha, beta, worker):
            return value_of(data)
        if queried:
            same = depth_of(data) == depth + worker.realm
            if same and exclusive != 0 and workers_at(data, episode) > 0:
                worker.nodes -= 1  # the position is counted when it is searched
                return np.int64(-PUT_OFF)
            base = data if same else packed(0, depth + worker.realm, EMPTY, hint_for(data, depth, worker), worker.age)
            mark = marked(base, workers_at(base, episode) + 1, episode)
            remember(worker.table, worker.table_shift, first, second, mark)
        known, result = try_probcut(evaluation, game, position, state, alpha, beta, depth, ply, start, worker, probe)
        if worker.aborted != 0:
            return np.int64(0)
        if known:
            return result
        known, result, end, left = fill_moves(game, evaluation, position, state, depth, start, worker, probe)
        if not known:
            known, result = try_early_cutoff(
                evaluation, game, position, state, alpha, beta, depth, left, start, end, worker
            )
        if known:
            return result
        hint = hint_for(data, depth, worker)
        sort = np.int64(arrange(evaluation, game, position, state, depth, ply, hint, symmetry, start, end, worker))

    best, best_move = np.int64(WORST), np.int64(NO_MOVE)
    low = alpha
    turn = 0
    while turn < 2 and best < beta:
        # First all moves that no other worker is searching; then those that were put off.
        put_off = 0
        index = start
        while index < end and best < beta:
            if turn == 0 and (sort == SORT_ALL or (sort != SORT_NONE and index == start)):
                bring_best(index, end, worker)
            if turn == 0 or worker.scores[index] == PUT_OFF:
                move = worker.moves[index]
                child = play(game, position, move)
                child_state = after(evaluation, game, state, position, move, child)
                scouting = worker.scout != 0 and index > start and left > 0 and low + 1 < beta
                ceiling = low + 1 if scouting else beta
                alone = np.int64(turn == 0 and index > start)
                below = (left, ply + 1, end, end, worker, probe)
                result = -search_marked(game, evaluation, child, child_state, -ceiling, -low, *below, alone, marks)
                if low < result < beta and ceiling < beta and worker.aborted == 0:
                    alone = np.int64(0)
                    low = result - 1
                    result = -search_marked(game, evaluation, child, child_state, -beta, -low, *below, alone, marks)
                if worker.aborted != 0:
                    return np.int64(0)
                worker.scores[index] = result
                if result == PUT_OFF:
                    put_off += 1
                elif result > best:
                    best = result
                    best_move = np.int64(move)
                    if ply == 0:
                        worker.line[0, 0] = move
                    if result > low:
                        low = result
                        if result < beta:
                            extend_line(move, ply, worker)
                    if result >= beta:
                        record_cutoff(best_move, depth, ply, worker)
                        worker.cutoffs += 1
                        if index == start:
                            worker.first_cutoffs += 1
            index += 1
        turn = turn + 1 if put_off > 0 else 2

    if queried:
        bound = LOWER if best >= beta else EXACT if best > alpha else UPPER
        others = workers_at(looked_up(worker.table, worker.table_shift, first, second), episode) - 1
        entry = entry_of(game, best, depth, bound, best_move, symmetry, worker)
        data = marked(entry, max(others, 0), episode)
        remember(worker.table, worker.table_shift, first, second, data)
        send_entry(first, second, entry, depth, ply, worker)  # without marks
    return best


@kernel
def search_root(game, evaluation, position, crew, hand, worker, probe):
    """As the leader, search the root once; as a helper, search each root that is opened until the crew is dismissed."""
    if hand.id == 0:
        _search_window(game, evaluation, position, crew, hand, worker, probe, load(crew, "open", "relaxed"))
        store(crew, "open", 0, "seq_cst")
        wait_until_idle(crew)
        return
    last_episode = np.int64(0)
    fails = np.int64(0)
    while load(crew, "over") == 0:
        episode = load(crew, "open")
        if episode != 0 and episode != last_episode:
            store(hand, "idle", 0, "seq_cst")
            if load(crew, "open", "seq_cst") == episode:
                last_episode = episode
                fails = np.int64(0)
                _search_window(game, evaluation, position, crew, hand, worker, probe, episode)
            store(hand, "idle", 1, "seq_cst")
        else:
            fails = back_off(crew, hand, fails)


@inner
def _search_window(game, evaluation, position, crew, hand, worker, probe, episode):
    """Search the root in one window, until this worker or another one has finished."""
    began = hand.since = nanoseconds()
    frame = frame_at(hand.frame)
    worker.aborted = worker.polled_ns = 0
    worker.lifeline, worker.place = hand.frame, 0
    check_lifeline(worker)
    estimates = worker.estimates
    start, not_exclusive, ply = np.int64(0), np.int64(0), np.int64(0)
    marks = crew.threshold | episode << 16
    hand.value = search_marked(
        game,
        evaluation,
        position,
        begin(evaluation, game, position),
        hand.alpha,
        hand.beta,
        hand.depth,
        ply,
        start,
        hand.until,
        worker,
        probe,
        not_exclusive,
        marks,
    )
    # race: the bell notifies a worker that sees it late
    if worker.aborted == 0 and compare_exchange(frame, "cut", 0, hand.id + 1):
        if crew.count > 1:
            hand.sent += 1
            ring(record_at(crew.bell, BELL))
    else:
        hand.obeyed += 1  # its nodes are not wasted: its entries, with its estimates, are in the table
        if worker.table == 0:
            worker.estimates = estimates
    hand.busy_ns += nanoseconds() - began


class TableDriven(CrewDivision):
    """The workers of one search (a `Division`), each of which searches the whole root."""

    def __init__(self, root: Root, workers: int, *, marks: bool, plies_less: int = 0) -> None:
        super().__init__(root, workers)
        default = max(default_threshold(root) - plies_less, 1)
        threshold = default if root.options.threshold is None else root.options.threshold
        self.crew.crew.threshold = min(threshold, 0xFFFF) if marks else 0xFFFF
        self.crew.hands["frame"] = self.crew.root_frame
        self._frame = record_at(self.crew.root_frame, FRAME)
        self._episode = 0
        self._window: tuple[int, Sequence[Sequence[RootMove]]] | None = None
        for index, worker in enumerate(root.workers):
            # A different odd number for each worker, and 0 for the leader, which searches as if it were alone.
            worker.jitter = 0 if marks or index == 0 else 2 * index + 0x9E5

    def prepare(self) -> None:
        """Compile the kernels, and start the helpers."""
        self.crew.begin()
        root = self.root
        root.begin_search(0)  # the search that compiles enters no node
        self.crew.hands["until"] = 1
        root.worker.moves[0] = root.moves[0].code
        self.crew.hands[0].depth = 1
        search_root(*self._arguments(0))
        self.crew.begin()
        self.crew.start(lambda index: search_root(*self._arguments(index)))

    def _arguments(self, index: int) -> tuple[object, ...]:
        root, crew = self.root, self.crew
        return (
            root.game,
            root.evaluation,
            root.position,
            crew.crew,
            crew.hands[index],
            root.workers[index],
            crew.probe(index),
        )

    def search_moves(self, depth: int, alpha: int, beta: int, moves: Sequence[RootMove]) -> RootValue:
        root, crew = self.root, self.crew
        orders = []
        for index, worker in enumerate(root.workers):
            # All begin with the first move; without marks their orders differ after it.
            later = moves[1:]
            offset = index * len(later) // crew.count if worker.jitter else 0
            order = [*moves[:1], *later[offset:], *later[:offset]]
            worker.moves[: len(order)] = [move.code for move in order]
            worker.scores[: len(order)] = LOW
            orders.append(order)
        self._window = alpha, orders
        crew.hands["until"] = len(moves)
        crew.hands["depth"], crew.hands["alpha"], crew.hands["beta"] = depth, alpha, beta
        self._frame.cut = 0
        self._episode = self._episode % (EPISODES - 1) + 1
        crew.hands[0].idle = 0
        with crew.at_work():
            crew.open(self._episode)
            search_root(*self._arguments(0))
        winner = int(self._frame.cut) - 1
        if winner < 0:
            raise Stopped
        scores = root.workers[winner].scores[: len(moves)]
        for move, score in zip(orders[winner], scores, strict=True):
            move.value, move.line = int(score), (move.code,)
        worker = root.workers[winner]
        code = int(worker.line[0, 0])
        best = next(move for move in moves if move.code == code)
        best.line = tuple(int(code) for code in worker.line[0][: max(1, int(worker.line_length[0]))])
        root_value = RootValue(int(crew.hands[winner].value), best)
        root.learn(root_value, alpha, beta, moves)
        return root_value

    def standing(self) -> WindowProgress:
        """Return the leader's progress (all workers are about as far), and the root move of each worker."""
        if self._window is None:
            return WindowProgress()
        alpha, orders = self._window
        moves = orders[0]
        worker = self.root.worker
        values = [int(score) for score in worker.scores[: len(moves)] if LOW < score < PUT_OFF]
        begun = min(len(values) + 1, len(moves))
        value = max(values, default=LOW)
        best = next((move for move in moves if value > alpha and move.code == int(worker.line[0, 0])), None)
        workers = tuple(
            self._worker_standing(hand, worker, order)
            for hand, worker, order in zip(self.crew.hands, self.root.workers, orders, strict=True)
        )
        return WindowProgress(begun, len(moves), None, best, value if best else None, len(values), workers)

    def _worker_standing(self, hand: Hand, worker: Worker, order: Sequence[RootMove]) -> WorkerStanding:
        """Return the root move that a worker is searching: the first without a score, else the first put off."""
        if hand.idle:
            return WorkerStanding(False)
        scores = [int(score) for score in worker.scores[: len(order)]]
        index = next((scores.index(sentinel) for sentinel in (LOW, PUT_OFF) if sentinel in scores), None)
        move = None if index is None else order[index]
        return WorkerStanding(True, move, self.root.depth_below(int(hand.depth)))

    def search_fully(self, depth: int) -> RootValue:
        """Raise `NotImplementedError`: minimax uses no table, so these schemes do not support it."""
        raise NotImplementedError


@search_marked.sample
def _search_marked_sample(game: Game, position: Position, every: bool) -> Samples:
    for root in sample_roots(game, position, every):
        move = root.moves[0]
        yield game, root.evaluation, move.child, move.state, -1, 1, 2, 1, 0, 0, root.worker, root.probe, 0, 1


@search_root.sample
def _search_root_sample(game: Game, position: Position, every: bool) -> Samples:
    for root in sample_roots(game, position, every):
        hand, crew, frames = allocate(HAND, 1)[0], allocate(CREW, 1)[0], allocate(FRAME, 1)
        crew.bell = root.worker.bell
        hand.frame, hand.depth, hand.alpha, hand.beta, hand.until = frames.ctypes.data, 1, LOW, -LOW, 1
        root.worker.moves[0] = root.moves[0].code
        crew.count = 1
        yield game, root.evaluation, position, crew, hand, root.worker, root.probe
        del frames
