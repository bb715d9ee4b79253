"""A search by MTD(f) or PVS on a simulated cluster whose nodes steal from each other: costs, programs and totals."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from outflank.boards import Board
from outflank.errors import InvalidOption, OutflankError
from outflank.games.evaluation import evaluations
from outflank.games.rules import MOVE, Game, Position, most_moves, pack
from outflank.kernels.compiler import Samples
from outflank.lab.simulation.stealing_kernel import search_window
from outflank.lab.simulation.stealing_state import (
    FORWARD,
    IN_ORDER,
    MOST_MOVES,
    READY,
    RESERVE,
    REVERSE,
    new_state,
    schedule,
)
from outflank.search.alone import Alone
from outflank.search.outbox import Outbox
from outflank.search.request import Options, Stop
from outflank.search.root import Root
from outflank.search.root_moves import HIGH, LOW
from outflank.search.stopping import Stopped
from outflank.search.table import MOST_BITS, Table
from outflank.search.worker import PASS_FREE

EVALUATION = "three-part"
"""Default evaluation. Its trees from the start position have about the sizes that report 000 prints: from depth 13 to
17 they grow by a factor of 66, and the report's trees by 64. The trees of `four-part`, which has our weight of
potential mobility, grow faster."""


def _room(threshold: int, batch: int) -> int:
    """Return the capacity of a node's buffer of outgoing table entries. The buffer has room for an update that is
    nearly full and for the entries of one more job. A job of 7 plies posts some thousands of entries, a job of 9 plies
    tens of thousands."""
    in_job = 1 << (16 if threshold <= 7 else 19)
    return 1 << (in_job + batch - 2).bit_length()


SpawnOrder = Literal["reverse", "forward", "in order"]
ORDERS: Mapping[SpawnOrder, int] = MappingProxyType({"reverse": REVERSE, "forward": FORWARD, "in order": IN_ORDER})
"""Orders in which moves are spawned. In reverse order, the node itself takes the earliest moves, and thieves take the
last moves. In forward order, the node takes the last moves, and thieves take the earliest; such a search enters 1.5
times the tree nodes even on one node. In the order `in order`, every node takes the earliest move that no node has
taken."""

ENTRY_DEPTH = 2
"""Least depth of a table entry: our searches store none with one ply left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Times of the nodes of a simulated cluster and of its network, in microseconds."""

    board: float
    """Time of a tree node."""
    latency: float
    """Time of a message, one way. A request for a job and its reply take twice as long."""
    spawn: float = 0.0
    send: float = 0.0
    """Time that the sender of table entries takes for an update, for each receiver."""
    send_entry: float = 0.0
    """Additional time of the sender for each entry of an update."""
    receive: float = 0.0
    """Time that the receiver of an update takes, if it is searching."""
    receive_entry: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Replication:
    """Table entries that a program sends to the other nodes."""

    depth: int
    """Least depth of the entries."""
    batch: int = 1
    """Number of entries per update."""
    waits: bool = False
    """Whether the sender waits until a node has received an update, before it sends the update to the next node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StealingTotals:
    """Value, times and counts of a simulated search."""

    value: int
    seconds: float
    boards: int
    useful_seconds: float
    """Time of searching and of spawning jobs, mean of all nodes."""
    sending_seconds: float
    """Time of sending updates, mean of all nodes."""
    receiving_seconds: float
    """Time by which updates held up searches, mean of all nodes."""
    lookup_seconds: float
    """Time of look-ups in the distributed table on other nodes, mean of all nodes."""
    spawns: int
    steals_tried: int
    """Number of requests for a job, including those to nodes without jobs."""
    steals_won: int
    aborted: int
    """Tree nodes above the threshold, or jobs, that were given up after they had begun."""
    updates: int
    entries_sent: int
    foreign_hits: int
    """Number of table look-ups that got the value or the move of another node's entry."""
    lookups: int
    hits: int

    @property
    def idle_seconds(self) -> float:
        """Time without a job, mean of all nodes."""
        busy = self.useful_seconds + self.sending_seconds + self.receiving_seconds + self.lookup_seconds
        return max(0.0, self.seconds - busy)


class StealingCluster:
    """The nodes of a simulated cluster, each with its own table. The first has the root."""

    def __init__(
        self,
        board: Board,
        *,
        nodes: int,
        threshold: int,
        costs: Costs,
        replication: Replication | None = None,
        distributed_table: bool = False,
        order: SpawnOrder = "reverse",
        serial_moves: tuple[int, int, int] = (1, 1, 1),
        seed: int = 1,
        **options: Any,
    ) -> None:
        """Create idle nodes. With `distributed_table`, the nodes share a table for the positions that are divided and
        for the roots of jobs. Each node has a part of this table.

        A node searches the first moves of a position itself, before it spawns the others. `serial_moves` has the number
        of these moves in three cases: the window is open, a cut-off is expected, or no cut-off is expected. `options`
        are the options of a search with MTD(f) or PVS.
        """
        if threshold < 1 or nodes < 1 or costs.latency <= 0:
            raise InvalidOption("a simulated cluster needs a node, a threshold of 1 ply, and messages that take time")
        if serial_moves[0] < 1:
            raise InvalidOption("the first move of a position with an open window must be searched before the others")
        if most_moves(board.game) > MOST_MOVES:
            raise InvalidOption(f"a simulated cluster has room for {MOST_MOVES} moves of a position")
        self.root = Root(board.game, board.position, Options(**{**options, "workers": nodes, "parallel": None}))
        has_algorithm = self.root.options.algorithm in ("mtdf", "pvs")
        if self.root.table is None or not has_algorithm or self.root.worker.pass_rule != PASS_FREE:
            raise InvalidOption("a simulated cluster searches with MTD(f) or PVS, a table and free passes")
        self.root.set_worker_count(nodes)
        self.nodes = nodes
        replication = replication if nodes > 1 else None
        self._tables = [self.root.table, *(Table(self.root.table.bits) for _ in range(nodes - 1))]
        batch = replication.batch if replication else 1
        self._outboxes = [
            Outbox(_room(threshold, batch), 1 << 62, waits=False) for _ in range(nodes if replication else 0)
        ]
        for worker, table in zip(self.root.workers, self._tables, strict=True):
            table.attach(worker)
        for worker, outbox in zip(self.root.workers, self._outboxes, strict=False):
            assert replication is not None
            worker.outbox, worker.send_from, worker.send_within = outbox.address, replication.depth, 1 << 20
        self._alone = Alone(self.root)
        self._codes = [move.code for move in self.root.moves]
        self.state = new_state(nodes, batch)
        machine = self.state.machine
        for name in ("board", "spawn", "latency", "send", "send_entry", "receive", "receive_entry"):
            machine[name] = round(1000 * getattr(costs, name))
        machine.threshold, machine.spawn_order, machine.batch = threshold, ORDERS[order], batch
        machine.serial_moves = serial_moves
        machine.null_windows = self.root.options.algorithm == "pvs"
        machine.waits = replication is not None and replication.waits
        self._distributed_table = None
        if distributed_table and nodes > 1:
            self._distributed_table = Table(min(MOST_BITS, self.root.table.bits + (nodes - 1).bit_length()))
            machine.table, machine.table_shift = self._distributed_table.address, self._distributed_table.shift
        machine.random = np.uint64(0x9E3779B97F4A7C15 * (2 * seed + 1) % (1 << 64))
        for number in range(1, nodes):
            schedule(self.state, 0, READY, number, 0, 0, 0, 0)

    def search(self, depth: int, *, stop: Stop | None = None) -> StealingTotals | None:
        """Search to a depth by MTD(f) or PVS, with iterative deepening. Return None if `stop` is called."""
        if depth > RESERVE:
            raise InvalidOption(f"depth {depth}: a simulated cluster searches to {RESERVE} plies at most")
        root = self.root
        root.begin_search(None)
        value, step, stop = 0, root.options.step, stop or Stop()
        stop.add_listener(root.stop)
        try:
            for iteration in range(1 + (depth - 1) % step, depth + 1, step):
                value = self._iterate(iteration, value)
        except Stopped:
            return None
        finally:
            stop.remove_listener(root.stop)
        if any(int(outbox.record.dropped) for outbox in self._outboxes):
            raise OutflankError("a simulated node had no room for the entries of a job: choose a lower threshold")
        return self._totals(value)

    def _iterate(self, depth: int, guess: int) -> int:
        """Return the root's value at a depth; `guess` is the value at the previous depth."""
        if self.root.options.algorithm == "mtdf":
            return self._converge(depth, guess)
        value, code = self._window(depth, LOW, HIGH, self._codes)
        self._codes.sort(key=lambda other: other != code)  # the best move is searched first
        return value

    def _converge(self, depth: int, guess: int) -> int:
        """Return the root's value at a depth by MTD(f), from a guess."""
        lower, upper, codes = LOW, HIGH, list(self._codes)
        while lower < upper:
            beta = guess + 1 if guess == lower else guess
            guess, code = self._window(depth, beta - 1, beta, codes)
            if guess < beta:
                upper = guess
            else:
                lower = guess
                codes.sort(key=lambda other: other != code)  # the move that proved the bound is tried first
        return lower

    def _window(self, depth: int, alpha: int, beta: int, codes: list[int]) -> tuple[int, int]:
        """Return the root's value in the window (alpha, beta) and the move that has it."""
        root, machine, node = self.root, self.state.machine, self.state.nodes[0]
        node.boards += 1
        machine.now += machine.board
        if depth < ENTRY_DEPTH:
            before = int(root.worker.nodes)
            result = self._alone.search_window(depth, alpha, beta, best_count=1, moves=root.moves)
            boards = int(root.worker.nodes) - before
            node.boards += boards
            machine.now += boards * machine.board
            assert result.move is not None
            return result.value, result.move.code
        words = np.array(pack(root.game, root.position), np.uint64)
        moves = np.array(codes, MOVE)
        window = np.int64(alpha), np.int64(beta), np.int64(depth)
        is_done, value, move = search_window(
            root.game, root.evaluation, self.state, root.workers, root.probe, words, moves, *window
        )
        if not is_done:
            raise Stopped
        return int(value), int(move)

    def _totals(self, value: int) -> StealingTotals:
        machine, nodes = self.state.machine, self.state.nodes

        def total(name: str) -> int:
            return int(nodes[name].sum())

        per_node = 1e9 * self.nodes
        return StealingTotals(
            value=value,
            seconds=int(machine.now) / 1e9,
            boards=total("boards"),
            useful_seconds=(total("boards") * int(machine.board) + total("spawns") * int(machine.spawn)) / per_node,
            sending_seconds=total("sending") / per_node,
            receiving_seconds=total("receiving") / per_node,
            lookup_seconds=total("looking_up") / per_node,
            spawns=total("spawns"),
            steals_tried=total("tried"),
            steals_won=total("won"),
            aborted=total("aborted"),
            updates=total("updates"),
            entries_sent=total("sent"),
            foreign_hits=self.root.counter("foreign_hits"),
            lookups=self.root.counter("lookups"),
            hits=self.root.counter("hits"),
        )


@search_window.sample
def _search_window_sample(game: Game, position: Position, every: bool) -> Samples:
    if EVALUATION in evaluations(game):
        root = Root(game, position, Options(algorithm="mtdf", evaluation=EVALUATION, table_bits=4))
        words, moves = np.array(pack(game, position), np.uint64), np.array([move.code for move in root.moves], MOVE)
        state = new_state(1, 1)
        state.machine.threshold = 1
        window = np.int64(-1), np.int64(0), np.int64(2)
        yield game, root.evaluation, state, root.workers, root.probe, words, moves, *window
