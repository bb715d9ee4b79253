"""The Python side of the schemes that split nodes: plans, the default threshold, and the search of a root by a crew."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank.games.endings import ending_moves
from outflank.games.evaluation import Solving
from outflank.games.hints import row
from outflank.games.patterns import Patterns
from outflank.games.rules import MOVE, Game, Position, most_moves, pack
from outflank.kernels.atomics import load
from outflank.kernels.compiler import Samples
from outflank.kernels.memory import record_at
from outflank.kernels.record_types import allocate
from outflank.parallel.crew import CrewDivision
from outflank.parallel.shared_state import (
    AWAY,
    CODE,
    CREW,
    CUT,
    FRAME,
    FRAME_BYTES,
    HAND,
    IDLE,
    IN_ADVANCE,
    NOT_OFFERED,
    NOTHING,
    OFFER,
    OPEN,
    RANK,
    RANK_BITS,
    ROWS,
    TAKE,
    WORD_OF,
    Hand,
)
from outflank.parallel.splitting import work
from outflank.search.root import Root
from outflank.search.root_moves import (
    LOW,
    NodeStanding,
    RootMove,
    RootValue,
    WindowProgress,
    WorkerStanding,
    ranks,
)
from outflank.search.samples import sample_roots
from outflank.search.stopping import Stopped
from outflank.search.worker import PLIES

WHOLE_RANGE = 1 << 40
"""Half-width of a window that contains every value."""

EVERY_LEVEL = 1 << 20

SCHEDULES = {"one": 1, "rows": ROWS, "static": IN_ADVANCE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a scheme splits the nodes of a tree."""

    eldest_first: bool
    """Whether the first moves of a node are searched before the others are shared."""
    serial_moves: int = 1
    """Number of first moves searched before the others if the window is open, that is, on the principal variation."""
    serial_moves_at_cut: int = 1
    """Like `serial_moves`, for nodes where a cut-off is expected: if the first move does not cut, the second may."""
    serial_moves_at_all: int = 1
    """Like `serial_moves`, for nodes where no cut-off is expected, so that all moves are searched in any case."""
    near_leaves: int = 0
    """Number of plies above the split threshold. In nodes at these depths, one move less is searched before the others
    are shared."""
    wait_while_improving: bool = False
    """Whether, in an open window, the other moves also wait as long as each move beats the best before it."""
    leftmost: bool = False
    """Whether only the nodes of the leftmost line are divided."""
    scouts_in_order: bool = False
    """Whether all moves but the first are searched with null windows. Moves that raise alpha are then searched again,
    in order."""
    hold: bool = False
    """Whether no worker takes another move of a node while a move that beat its scout is searched again."""
    levels: int = EVERY_LEVEL
    """Number of plies from the root in which nodes are split."""


class Divided(CrewDivision):
    """The workers of one search (a `Division`), which split the nodes of the root's tree by a `Plan`."""

    def __init__(self, root: Root, workers: int, plan: Plan) -> None:
        options = root.options
        super().__init__(root, workers)
        record = self.crew.crew
        record.threshold = default_threshold(root) if options.threshold is None else options.threshold
        record.levels = plan.levels if options.levels is None else options.levels
        record.eldest_first = plan.eldest_first
        record.serial_moves, record.serial_moves_at_cut = plan.serial_moves, plan.serial_moves_at_cut
        record.serial_moves_at_all = plan.serial_moves_at_all
        record.near_leaves = record.threshold + plan.near_leaves
        record.wait_while_improving = plan.wait_while_improving
        record.leftmost = plan.leftmost
        record.in_order = plan.scouts_in_order
        record.hold = plan.hold
        # Without a shared alpha a scout has no value to beat.
        record.scout = options.share_alpha and (plan.scouts_in_order or options.algorithm == "pvs")
        schedule = options.schedule
        record.lot = schedule if isinstance(schedule, int) else SCHEDULES[schedule]
        self._frame = record_at(self.crew.root_frame, FRAME)
        room = int(record.room)
        rows = self.crew.root_frame + FRAME.itemsize
        self._window: tuple[int, Sequence[RootMove], dict[int, int]] | None = None
        self.conductor: Callable[[Divided, int], None] | None = None
        """Function that runs all workers in turn in one thread, from the leader's first step until the root is done.
        None: each worker has a thread."""
        self._moves, self._values = (_words(rows + 8 * room * index, room) for index in range(2))

    def prepare(self) -> None:
        """Compile the kernels, and start the helpers."""
        self.crew.begin()
        work(*self.arguments(0), AWAY)
        if self.conductor is None:
            self.crew.start(lambda index: work(*self.arguments(index), IDLE))

    def arguments(self, index: int) -> tuple[object, ...]:
        """Return the arguments of `work` for worker number `index`, up to its step."""
        root, crew = self.root, self.crew
        return (
            root.game,
            root.evaluation,
            crew.crew,
            crew.hands[index],
            root.workers[index],
            crew.probe(index),
        )

    def search_fully(self, depth: int) -> RootValue:
        """Return the root's minimax value: nothing is cut off, and every move gets its value."""
        return self.search_moves(depth, -WHOLE_RANGE, WHOLE_RANGE, self.root.moves, prune=False)

    def search_moves(
        self, depth: int, alpha: int, beta: int, moves: Sequence[RootMove], *, prune: bool = True
    ) -> RootValue:
        root, crew, frame = self.root, self.crew.crew, self._frame
        rank_of = ranks(moves, root.options.ties)
        if crew.lot == ROWS:
            moves = _grouped_by_row(root.game, moves)
        count = len(moves)
        crew.prune = prune
        crew.share_alpha = prune and root.options.share_alpha
        frame.cut = frame.above = frame.held = frame.index = frame.bad = frame.postponed = 0
        frame.next = frame.in_turn = frame.ply = frame.holding = 0
        frame.first, frame.second = pack(root.game, root.position)
        frame.depth, frame.left = depth, root.depth_below(depth)
        frame.alpha, frame.beta = alpha, beta
        frame.expected = OPEN if beta - alpha > 1 else CUT
        frame.leftmost, frame.join, frame.opener = 1, 1, NOT_OFFERED
        frame.count, frame.key, frame.line_key = count, NOTHING, NOTHING
        self._moves[:count] = [move.code | rank_of[move.code] << RANK_BITS for move in moves]
        self._values[:count] = LOW
        self._window = alpha, moves, rank_of
        leader = self.crew.hands[0]
        leader.frame, leader.index = self.crew.root_frame, -1
        leader.until = leader.idle = leader.holding = 0
        step = TAKE if crew.eldest_first or count == 1 else OFFER
        with self.crew.at_work():
            if self.conductor is None:
                work(*self.arguments(0), step)
            else:
                self.conductor(self, step)
        if frame.bad and not frame.cut:
            raise Stopped
        for move, value in zip(moves, self._values, strict=False):
            move.value, move.line = int(value), (move.code,)
        # If no move has a proved value, the best bound is as good a guess as any.
        best = _proved(int(frame.key), moves, rank_of) or max(moves, key=lambda move: move.value)
        if frame.line_key == frame.key:
            best.line = tuple(int(code) for code in frame.line[: int(frame.line_length)])
        root_value = RootValue(int(frame.key) >> RANK_BITS, best)
        root.learn(root_value, alpha, beta, moves)
        return root_value

    def standing(self) -> WindowProgress:
        """Return the progress of the root's moves, and what each worker is searching."""
        if self._window is None:
            return WindowProgress()
        alpha, moves, rank_of = self._window
        key, begun = int(self._frame.key), min(int(self._frame.next), len(moves))
        best = _proved(key, moves, rank_of) if key >> RANK_BITS > alpha else None
        last = moves[begun - 1] if begun > 0 else None
        done = int((self._values[: len(moves)] > LOW).sum())
        workers = tuple(self._worker_standing(hand, moves) for hand in self.crew.hands)
        lower = key >> RANK_BITS if best else None
        return WindowProgress(begun, len(moves), last, best, lower, done, workers, self._live_nodes)

    def _worker_standing(self, hand: Hand, moves: Sequence[RootMove]) -> WorkerStanding:
        """Return what a worker is searching. The worker goes on meanwhile, and its frames may be reused, so every
        address and every index is checked."""
        if load(hand, "idle"):  # race: a worker that finds nothing to steal may have set it only just now
            return WorkerStanding(False)
        address, index, stolen = int(hand.frame), int(hand.index), False
        for _ in range(PLIES):
            frame = self.crew.frame_or_none(address)
            if frame is None:
                break
            stolen = stolen or int(frame.opener) not in (NOT_OFFERED, int(hand.id))
            if address == self.crew.root_frame:
                move = moves[index] if 0 <= index < len(moves) else None
                return WorkerStanding(True, move, int(hand.depth), stolen)
            address, index = int(frame.above), int(frame.index)
        return WorkerStanding(True, None, int(hand.depth), stolen)

    def _live_nodes(self) -> list[NodeStanding]:
        """Return the split points that workers are in and the subtrees that they search, each after its parent.

        The workers go on meanwhile, and memory of split points may be reused, so every address and index is checked.
        """
        nodes: list[NodeStanding] = []
        places: dict[int, int | None] = {}  # address of a split point -> its index in `nodes`; None: unreadable
        for hand in self.crew.hands:
            address, index, worker = int(hand.frame), int(hand.index), int(hand.id)
            if load(hand, "idle") or (place := self._add_split_point(address, worker, nodes, places, PLIES)) is None:
                continue
            code = self._move_code(address, index)
            if code is not None:
                ply, window = nodes[place].ply + 1, (int(hand.alpha), int(hand.beta))
                nodes.append(NodeStanding(place, index, code, ply, int(hand.depth), *window, worker=worker))
        return nodes

    def _add_split_point(
        self, address: int, worker: int, nodes: list[NodeStanding], places: dict[int, int | None], most: int
    ) -> int | None:
        """Add the split point at `address`, which `worker` is in, to `nodes`, after those above it. Return its index
        there; None if it cannot be read, or is more than `most` split points below the root."""
        if address in places:
            return places[address]
        places[address] = None  # a reused split point could lead back to itself
        words = self.crew.frame_words(address)
        if words is None or most == 0:
            return None
        above, index, depth, ply, alpha, beta, moves, opener, key, begun = words[_STANDING].tolist()
        parent, code = None, 0
        if address != self.crew.root_frame:
            parent = self._add_split_point(above, worker, nodes, places, most - 1)
            move = self._move_code(above, index)
            if parent is None or move is None:
                return None
            code = move
        value = key >> RANK_BITS if key != NOTHING else None
        begun, worker = max(0, min(begun, moves)), worker if opener == NOT_OFFERED else opener
        nodes.append(NodeStanding(parent, index, code, ply, depth, alpha, beta, value, moves, begun, worker))
        places[address] = len(nodes) - 1
        return places[address]

    def _move_code(self, address: int, index: int) -> int | None:
        """Return the code of a split point's move; None if there is no such move."""
        words = self.crew.frame_words(address)
        if words is None or not 0 <= index < min(int(words[WORD_OF["count"]]), len(self._moves)):
            return None
        return int(words[FRAME_BYTES // 8 + index]) & CODE


_STANDING = [
    WORD_OF[name] for name in ("above", "index", "depth", "ply", "alpha", "beta", "count", "opener", "key", "next")
]
"""Indexes of the words from which the standing of a split point is read."""


def _proved(key: int, moves: Sequence[RootMove], rank_of: dict[int, int]) -> RootMove | None:
    """Return the move that has the value in `key`, which is the root's best value and rank; None if the value is only a
    bound."""
    return next((move for move in moves if rank_of[move.code] == key & RANK), None)


SOLVED_ALONE = 2
"""Split threshold minus the number of moves that the game's endgame kernels solve. The remaining plies of a node are
the number of moves left plus one. So a node with one move more than these kernels solve is not split either."""


def default_threshold(root: Root) -> int:
    """Return the remaining depth at which a subtree is no longer worth splitting: about a thousand nodes, which take
    some hundred microseconds.

    With a threshold one ply lower, one worker is 3 % slower in both games; with one ply more, two workers are idle a
    little longer. In exact searches there are fewer moves at each ply, so a subtree two plies deeper has about as many
    nodes. With learnt patterns a node takes some three times as long, so the threshold is two plies lower. In the
    estimates before a proof, this reduces the idle time of two workers from 21 to 15 %, and of four workers from 36 to
    27 %. A selective search enters far fewer nodes, but most of its divisible work is near the leaves. At depth 20 in
    the middle of the game, with thresholds of 7, 5 and 4, four workers were 1.62, 1.83 and 1.89 times as fast as one
    worker, and 16 workers were 1.52, 1.70 and 1.75 times as fast.
    """
    if isinstance(root.evaluation, Solving) and ending_moves(root.game) > 0:
        # The game's own kernels solve endgame positions in less than a millisecond.
        return int(ending_moves(root.game)) + SOLVED_ALONE
    many = most_moves(root.game) >= 100
    more = 2 if root.options.exact else 0
    if isinstance(root.evaluation, Patterns):
        more -= 2
    if root.options.algorithm == "minimax":
        return (2 if many else 4) + more
    return (4 if many else 6) + more


def levels_for(workers: int) -> int:
    """Return the number of levels that the published report 001 divides: log2 of `workers`, rounded up, at least 1."""
    return max(1, math.ceil(math.log2(max(workers, 2))))


def _grouped_by_row(game: Game, moves: Sequence[RootMove]) -> list[RootMove]:
    """Return the moves grouped by row of the board, each group at the place of the row's first move."""
    rows: dict[int, list[RootMove]] = {}
    for move in moves:
        rows.setdefault(int(row(game, MOVE(move.code))), []).append(move)
    return [move for together in rows.values() for move in together]


def _words(address: int, count: int) -> npt.NDArray[np.int64]:
    """Return `count` words of memory at `address` as an array."""
    dtype = np.dtype({"names": ["words"], "formats": [(np.int64, count)]})
    words: npt.NDArray[np.int64] = record_at(address, dtype).words
    return words


@work.sample
def _work_sample(game: Game, position: Position, every: bool) -> Samples:
    for root in sample_roots(game, position, every):
        crew = allocate(CREW, 1)[0]
        yield game, root.evaluation, crew, allocate(HAND, 1)[0], root.worker, root.probe, AWAY
