"""The parallel schemes by name. A scheme that splits nodes has a `Plan`, every other scheme has a class."""

import numpy as np

from outflank.kernels.workers import run_workers
from outflank.parallel.divided import EVERY_LEVEL, Divided, Plan, levels_for
from outflank.parallel.table_driven import TableDriven
from outflank.search.division import Promise, Scheme
from outflank.search.montecarlo import LONGEST_PATH, NODES, grow, new_tree, random_state
from outflank.search.results import WorkerStatistics
from outflank.search.root import Root


class TreePerWorker:
    """Root-parallel Monte-Carlo: each worker grows a tree from its own seed; the root moves' counts are added up."""

    reads_deadline = True

    def __init__(self, root: Root, workers: int) -> None:
        self.root = root
        root.set_worker_count(workers)
        # All trees together may be as large as a single tree, but no tree may be too small to be of use.
        room = max(NODES // workers, 1 << 16)
        grown = [new_tree(root, room) for _ in range(workers)]
        self.trees = [tree for tree, _ in grown]
        self._used = [used for _, used in grown]
        self._random = [random_state(root.options.seed * 1_000_003 + index) for index in range(workers)]
        self._paths = np.zeros((workers, LONGEST_PATH), np.int64)

    def play(self, games: int) -> None:
        """Divide `games` playouts among the workers."""
        root, flat, share = self.root, self.root.options.algorithm == "flat", -(-games // len(self.trees))
        arguments = [
            (root.game, root.evaluation, tree, used, share, flat, worker, random, path)
            for tree, used, worker, random, path in zip(
                self.trees, self._used, root.workers, self._random, self._paths, strict=True
            )
        ]
        if games == 0:
            grow(*arguments[0])  # compiles once, not in every thread
            return
        self._used = run_workers(grow, arguments, stop=root.stop, places=root.places)

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        """Return the number of nodes of each worker."""
        return tuple(WorkerStatistics(nodes=int(worker.nodes)) for worker in self.root.workers)


ROOT_PARALLEL = Scheme(
    name="root-parallel",
    algorithms=("uct", "flat"),
    promises=Promise(0),
    promises_note="other games are played",
    overhead="trees that are less deep than one would be",
    divide=TreePerWorker,
)


SHARED_TABLE = Scheme(
    name="shared-table",
    algorithms=("alphabeta", "pvs", "mtdf"),
    promises=Promise.VALUE,
    overhead="whatever workers search twice before the table tells them",
    divide=lambda root, workers: TableDriven(root, workers, marks=False),
)
"""Shared table (published report 001; lazy SMP in chess): all workers search the same root on one table.

After the root's first move, each worker continues with a different one of the later moves. Each helper also tries moves
with similar scores in an order of its own, so that the workers do not repeat each other's work."""

ABDADA = Scheme(
    name="abdada",
    algorithms=("alphabeta", "pvs", "mtdf"),
    promises=Promise.VALUE,
    overhead="marks in the table; what two workers begin in the same instant, or a lost mark lets them",
    divide=lambda root, workers: TableDriven(root, workers, marks=True, plies_less=3),  # a mark costs less than a frame
)
"""ABDADA (Weill 1996; future work in the published report 001): a shared table with marks at positions being searched.

A later move whose position another worker is searching is put off until nothing else is left at its node. A mark
belongs to one root and one window: the next search ignores the marks of a stopped worker."""


FORK_JOIN = Scheme(
    name="fork-join",
    algorithms=("minimax", "alphabeta", "pvs", "mtdf"),
    promises=Promise.VALUE | Promise.MOVE,
    minimax_promises=Promise.VALUE | Promise.MOVE | Promise.NODES,
    overhead="no extra nodes with minimax; with alpha-beta, those that an elder brother would have cut off",
    divide=lambda root, workers: Divided(root, workers, Plan(eldest_first=False)),
)
"""Fork-join (published reports 002 and 004): every node above the split threshold offers all its moves at once, and
takes their maximum.

With minimax this scheme visits exactly the nodes of one worker. With alpha-beta no move waits for another, so each
window stays as wide as when its move was taken. That costs many more nodes, which the scheme `ybw` avoids."""

ROOT_SPLIT = Scheme(
    name="root-split",
    algorithms=("minimax", "alphabeta", "pvs", "mtdf"),
    promises=Promise.VALUE | Promise.MOVE,
    minimax_promises=Promise.VALUE | Promise.MOVE | Promise.NODES,
    promises_note="nodes only without a table",
    overhead="the first move's value comes too late for its brothers; the longest move is waited for",
    divide=lambda root, workers: Divided(root, workers, Plan(eldest_first=False, levels=1)),
)
"""Root split (published report 001's naive parallel alpha-beta and PVS; report 003): only root moves are shared.

`schedule` says how moves are handed out: one at a time, in chunks, or divided in advance. Without `share_alpha` every
move is searched with the root's full window, as in report 003."""

PV_SPLIT = Scheme(
    name="pv-split",
    algorithms=("alphabeta", "pvs", "mtdf"),
    promises=Promise.VALUE | Promise.MOVE,
    overhead="all wait at every level of the line for the slowest brother",
    divide=lambda root, workers: Divided(root, workers, Plan(eldest_first=True, leftmost=True)),
)
"""Principal-variation split (published report 003's master and slaves): the leftmost line is searched first, then the
brothers at each of its nodes in parallel, level by level on the way back to the root."""


def _divide_jamboree(root: Root, workers: int) -> Divided:
    levels = levels_for(workers) if root.options.threshold is None else EVERY_LEVEL
    return Divided(root, workers, Plan(eldest_first=True, scouts_in_order=True, levels=levels))


JAMBOREE = Scheme(
    name="jamboree",
    algorithms=("alphabeta", "pvs", "mtdf"),
    promises=Promise.VALUE | Promise.MOVE,
    overhead="scouts with an old alpha; the re-searches of a node wait for all its scouts",
    divide=_divide_jamboree,
)
"""Jamboree (published report 001, after Kuszmaul): the first move is searched alone, then all others in parallel with
null windows. Moves that beat these scouts are searched again, one after the other, in order.

By default the first log2(workers) levels are divided, which report 001 found best."""

ESTIMATING = Plan(eldest_first=True, serial_moves=2, hold=True)
"""Plan of the scheme `ybw` for searches that are neither exact nor selective."""

SELECTIVE = Plan(eldest_first=True, serial_moves_at_all=0, near_leaves=2, hold=True)
"""Plan of the scheme `ybw` for selective searches. Guesses leave little more of the tree than the principal
variation, and workers that wait there have nothing else to do. Two workers were 1.67 times as fast as one at depth 18
from eight openings of Othello, and 1.78 times at depth 8 from six layouts of Abalone. With the plan `ESTIMATING` and a
threshold three plies higher, they were 1.45 and 1.60 times as fast as one. In Othello the work is 5.6 times the span
with this plan, and 1.7 times with `ESTIMATING`. At depth 20, 16 workers were 1.75 times as fast as one with this plan,
then still without `near_leaves`, and 1.24 times with `ESTIMATING`. Dividing ProbCut's shallower searches too was no
better. In proofs, `serial_moves_at_all=0` gained nothing: the extra nodes took the time that it saved."""

PROVING = Plan(
    eldest_first=True, serial_moves=2, serial_moves_at_cut=2, near_leaves=2, wait_while_improving=True, hold=True
)
"""Plan of the scheme `ybw` for exact searches. If the first move does not cut off a node as expected, the second move
does in one case of three. Brothers that are searched at the same time as the second move cause most of the extra nodes.
On twelve positions of Othello with 22 empty squares, 2, 4, 8, 16 and 32 workers entered 1.03, 1.06, 1.14, 1.23 and 1.31
times the nodes of one worker; with the plan `ESTIMATING` they entered 1.04, 1.12, 1.22, 1.35 and 1.52 times these
nodes. With `serial_moves_at_cut=3`, 16 workers entered 1.18 times the nodes of one worker, but were idle for 37 % of
the time instead of 30 %."""


def _divide_young_brothers(root: Root, workers: int) -> Divided:
    return Divided(root, workers, plan_for(root))


def plan_for(root: Root) -> Plan:
    """Return the plan by which the scheme `ybw` splits the tree of a root."""
    if root.options.exact:
        return PROVING
    return SELECTIVE if root.options.selectivity < 100 else ESTIMATING


YOUNG_BROTHERS = Scheme(
    name="ybw",
    algorithms=("alphabeta", "pvs", "mtdf"),
    promises=Promise.VALUE | Promise.MOVE,
    overhead="brothers of a move that cuts off, until they hear of it",
    divide=_divide_young_brothers,
)
"""Young brothers wait: any node above the split threshold whose first move is done may be split. Idle workers steal a
split point near the root, and a cut-off anywhere stops all workers below it.

A move that beats its scout is about to change its brothers' windows: until its value is known, no worker takes another
brother, and all workers may join the search below that move."""
