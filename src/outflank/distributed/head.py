"""The head of a cluster, which assigns subtrees to nodes as jobs and combines their results."""

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from outflank.distributed.fabric import Fabric, HeadLost
from outflank.distributed.job_tree import Tree
from outflank.distributed.node import Entries, NodeSetup
from outflank.distributed.node_messages import Ended, Job, JobResult, Joined, Left, NodeEvent, Reported
from outflank.distributed.node_state import NodeState
from outflank.distributed.node_steps import compile_steps
from outflank.distributed.replication import Replication
from outflank.distributed.sizing import Costs
from outflank.distributed.splits import Homes, Splitting, TreePlace
from outflank.errors import OutflankError
from outflank.logs import logger
from outflank.search.alone import Alone
from outflank.search.results import WorkerStatistics
from outflank.search.root import Root
from outflank.search.root_moves import RootMove, RootValue, WindowProgress, search_best_moves
from outflank.search.stopping import Stopped
from outflank.search.table import Table
from outflank.search.worker import COUNTERS
from outflank.validation.text import how_many

log = logger(__name__)

POLL_SECONDS = 0.03
"""Longest time, in seconds, until the head notices that the search is stopped or a node is silent."""


WORTH_SHARING = 2
"""Least expected duration of an iteration that nodes search together, as a multiple of a job's target duration."""

MOST_FILLED = 1 << 18
"""Greatest number of the head's table entries that a node gets before its first job: 6 MiB."""

GUESS = 0.6
"""Least depth of a move that one node sends to another, as a fraction of the root's depth. It is used as long as no
cost has been measured, for example in an exact search."""

WIDE = 1 / 8
"""Expected duration of a job with a wide window relative to others, if its window were a null window. The first job of
an iteration has such a window, and all nodes but one wait for it: with jobs of one size it took 0.35 s, and two nodes
were idle for 11 % of a search of 14 s; with smaller ones for 6 %."""

SMALLEST_ENTRY = 2
"""Least depth of the positions that are stored in a transposition table and sent to other nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Timing parameters of a search on a cluster. The resulting values do not depend on them."""

    job_seconds: float | None = None
    """Target duration of a job, if the user sets no threshold; None: the engine's target duration."""
    alone_seconds: float | None = None
    """Least expected duration of an iteration that nodes search together. None: the duration of four jobs; but if the
    user has set a threshold, every deeper iteration is searched together."""
    patience_seconds: float = 5.0
    """Seconds without a message from a node after which its jobs are assigned to other nodes."""
    gather_seconds: float = 30.0
    """Seconds to wait for the other nodes after the first has joined. The search then begins; nodes may join later."""
    join_seconds: float = 120.0
    """Seconds to wait for the first node, or for a new one when all are lost. A node may have to compile first."""
    jobs_ahead: bool = True
    """Whether the head sends a node a second job before the node has finished its first."""


class Head:
    """A search divided among the nodes of a cluster, with the interface `Division`."""

    def __init__(
        self, root: Root, fabric: Fabric, setup: NodeSetup, *, in_order: bool, tuning: Tuning, eras: Iterator[int]
    ) -> None:
        if setup.nodes_divide and fabric.steal_seconds is None:
            raise OutflankError(f"nodes of {fabric.name} cannot send each other work")
        self._has_homes = setup.parallel == "tds"  # every position has a home among the nodes, which must take part
        if self._has_homes and not fabric.keeps_nodes:
            raise OutflankError(f"a part of the table would be lost with a node of {fabric.name}: use mpi or inside:N")
        self.root, self.fabric, self.setup, self.tuning = root, fabric, setup, tuning
        self._jobs_ahead = tuning.jobs_ahead and not setup.nodes_divide
        self.in_order = in_order
        root.set_worker_count(2)  # the head's own counters, and the sum of all nodes' counters
        self.nbytes = int(root.workers.nbytes)
        self.members: dict[int, NodeState] = {}
        self.places: dict[int, TreePlace] = {}
        self.spawned = 0
        self.trouble: str | None = None
        """Reason why the search ended early; None if it did not."""
        self.losses: list[str] = []
        """Descriptions of the nodes that were lost or silent, with the reasons."""
        self._alone = Alone(root)
        self._eras, self._era = eras, setup.era
        self._times_cleared = 0 if root.table is None else root.table.times_cleared
        self._homes = Homes()
        self._tickets = itertools.count(1)
        self._threshold: int | None = root.options.threshold
        self._send_from: int | None = setup.replication.depth
        self._costs = Costs(len(root.moves))
        self._shared_from: int | None = None  # depth of the first iteration that nodes searched together
        self._tree: Tree | None = None
        self._alone_depth = 0
        self._known: Entries | None = None  # the deepest entries of the head's table when nodes began to search
        self._began = time.perf_counter()
        self._ended: float | None = None
        self.bytes_before = fabric.bytes_carried

    # --- as a division ---

    def prepare(self) -> None:
        self._alone.prepare()
        compile_steps(self.root)
        self.fabric.prepare(self.setup)
        self._await_members()
        # Wait for the other nodes, which take about as long as the first to load their kernels. The time of the search
        # starts when all nodes can take part.
        patience = self.tuning.join_seconds if self._has_homes else self.tuning.gather_seconds
        deadline = time.perf_counter() + patience
        while len(self.members) < self.fabric.expected and time.perf_counter() < deadline:
            for event in self.fabric.wait(POLL_SECONDS):
                self._handle(None, event)
        if self._has_homes and len(self.members) < self.fabric.expected:
            raise HeadLost(f"not all nodes have come within {patience:g} s")
        self._began = time.perf_counter()

    def search_window(
        self, depth: int, alpha: int, beta: int, *, best_count: int, moves: Sequence[RootMove]
    ) -> RootValue:
        if not self._is_shared(depth):
            self._tree = None
            began, before = time.perf_counter(), self.root.counter("nodes")
            result = self._alone.search_window(depth, alpha, beta, best_count=best_count, moves=moves)
            self._costs.tree(depth, self.root.counter("nodes") - before, time.perf_counter() - began)
            self._alone_depth = depth
            return result
        if self._shared_from is None:
            self._shared_from = depth
        return search_best_moves(lambda left: self._search_shared(depth, alpha, beta, left), moves, best_count)

    def _is_shared(self, depth: int) -> bool:
        """Return whether the nodes, not the head alone, search the iteration to `depth`. If so, they search all deeper
        iterations too."""
        if depth <= 2 or self.root.depth_below(depth) < 1:
            return False
        if self._shared_from is not None and depth >= self._shared_from:
            return True
        given_threshold = self.root.options.threshold
        if self.tuning.alone_seconds is None and given_threshold is not None:
            return depth > given_threshold
        least = WORTH_SHARING * self._job_seconds if self.tuning.alone_seconds is None else self.tuning.alone_seconds
        # If the head searched one pass of an iteration alone, it searches the other passes alone too.
        return depth != self._alone_depth and self._costs.of_tree(depth) >= least

    @property
    def _job_seconds(self) -> float:
        return self.fabric.job_seconds if self.tuning.job_seconds is None else self.tuning.job_seconds

    def search_fully(self, depth: int) -> RootValue:
        raise NotImplementedError("a cluster does not support minimax")

    def standing(self) -> WindowProgress:
        return self._alone.standing() if self._tree is None else self._tree.standing()

    def forget(self) -> None:
        self.root.forget()
        if self.root.table is not None:
            self._times_cleared = self.root.table.times_cleared
        self._known = None
        self._era = next(self._eras)
        self._homes = Homes()

    def era_of(self, table: Table) -> int | None:
        """Return the era of the entries of `table`; None if it is not the table of this search, or has been cleared."""
        return self._era if table is self.root.table and table.times_cleared == self._times_cleared else None

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        if self.setup.nodes_divide:
            return tuple(member.own_statistics(self.present_seconds(member)) for member in self.members.values())
        return tuple(
            member.statistics(self.places.get(number, TreePlace()), self.present_seconds(member))
            for number, member in self.members.items()
        )

    @property
    def seconds(self) -> float:
        """Duration of the search so far, in seconds."""
        return (self._ended or time.perf_counter()) - self._began

    def present_seconds(self, member: NodeState) -> float:
        """Return how long a node has been a member of the cluster during this search, in seconds."""
        end = member.away or self._ended or time.perf_counter()
        return max(0.0, end - max(member.joined, self._began))

    def close(self) -> None:
        """Stop the running jobs and collect final reports. The nodes stay for the next search."""
        self._ended = time.perf_counter()
        for number, member in self.members.items():
            if member.gone is None:
                self._stop(number, member, list(member.underway))
        # Reports that have arrived so far are up to a second old.
        deadline = time.perf_counter() + 1.0
        waiting = {number for number, member in self.members.items() if member.gone is None and not member.silent}
        try:
            self.fabric.ask()
            while waiting and self.trouble is None and time.perf_counter() < deadline:
                for event in self.fabric.wait(POLL_SECONDS):
                    self._handle(None, event)
                    if isinstance(event, Reported):
                        waiting.discard(event.node)
        except OutflankError:  # of a node, perhaps, that failed when the result was known, or when another had failed
            pass

    # --- one tree ---

    @property
    def threshold(self) -> int:
        """Remaining depth at which a subtree becomes a job of one node."""
        return self._threshold if self._threshold is not None else 1

    @property
    def replication(self) -> Replication:
        """The replication policy, with the least depth of entries that nodes sent in their last jobs."""
        policy = self.setup.replication
        return replace(policy, depth=self._send_from) if policy.sends else policy

    def _search_shared(self, depth: int, alpha: int, beta: int, moves: Sequence[RootMove]) -> RootValue:
        tree = Tree(
            self.root,
            Splitting(threshold=self.threshold, in_order=self.in_order),
            moves,
            depth=depth,
            alpha=alpha,
            beta=beta,
            era=self._era,
            tickets=self._tickets,
            places=self.places,
            homes=self._homes,
        )
        self._tree = tree
        for member in self.members.values():
            member.seen = member.seen_ahead = -1
        try:
            while tree.result is None:
                if self.root.bell.stop or self._nodes() >= self.root.bell.node_limit:
                    raise Stopped
                self._hand_out(tree)
                if tree.result is None:
                    for event in self.fabric.wait(POLL_SECONDS):
                        self._handle(tree, event)
                self._stop_unwanted(tree)
                self._check_members(tree)
            self.root.learn(tree.result, alpha, beta, moves)
            return tree.result
        except HeadLost as error:
            self.trouble = str(error)
            raise Stopped from None
        finally:
            tree.abandon()
            self._stop_unwanted(tree)
            self.spawned += tree.spawned

    def _nodes(self) -> int:
        """Return the number of tree nodes so far. Nodes that divide jobs themselves report it before a job ends."""
        reported = sum(member.report.nodes for member in self.members.values()) if self.setup.nodes_divide else 0
        return max(self.root.counter("nodes"), reported)

    def _set_job_size(self, tree: Tree, hungry: bool) -> None:
        """Set the size of the next job, and the least depth of the table entries that its node sends to others.

        While other nodes are idle (`hungry`), jobs are smaller, because these nodes wait for jobs to end. A threshold
        that the user has set is not changed.
        """
        job_seconds, given_threshold = self._job_seconds, self.root.options.threshold
        if self.setup.nodes_divide:
            # The root's moves are the jobs; nodes send each other moves that take at least `steal_seconds`.
            tree.threshold = tree.depth
            if given_threshold is None:
                assert self.fabric.steal_seconds is not None
                is_measured = self._costs.of_job(1) is not None
                least = self._costs.worth(self.fabric.steal_seconds, tree.depth) if is_measured else tree.depth * GUESS
                self._threshold = int(least)
            tree.least = max(1, self.threshold)
        elif given_threshold is None:
            self._threshold = self._costs.threshold(tree.depth, job_seconds, max(len(self.members), 1))
            tree.threshold = self._costs.finer(self._threshold, job_seconds) if hungry else self._threshold
            tree.wide_threshold = self._costs.finer(self._threshold, job_seconds * WIDE)
        else:
            tree.threshold = tree.wide_threshold = max(1, given_threshold)
        policy = self.setup.replication
        if policy.sends and policy.depth is None:
            seconds = policy.entry_seconds * max(len(self.members) - 1, 1)
            is_measured = self._costs.of_job(self.threshold) is not None
            entry = self._costs.worth(seconds, self.threshold) if is_measured else self.threshold - 3
            self._send_from = tree.send_from = max(entry, SMALLEST_ENTRY)

    def _hand_out(self, tree: Tree) -> None:
        """Send each idle node a job. If there are not enough, take back jobs that wait for their nodes; if there are,
        send the nodes further jobs ahead of time."""
        idle = self._hand_out_to_idle(tree)
        while idle and tree.result is None and self._take_back(tree):
            idle = self._hand_out_to_idle(tree)
        if not idle and tree.result is None and self._jobs_ahead:
            self._hand_out_ahead(tree)

    def _hand_out_to_idle(self, tree: Tree) -> dict[int, NodeState]:
        """Send each idle node a job, and return the nodes that are still idle."""
        idle = {number: member for number, member in self.members.items() if member.is_idle}
        for number, member in reversed(idle.items()):  # the last first: node 0 of MPI stores entries in this thread
            if not member.filled:
                member.filled = True
                self._fill_table(number)
        for number, member in list(idle.items()):
            if member.seen == tree.changes:
                continue
            self._set_job_size(tree, hungry=len(idle) > 1)
            job = tree.take(number)
            if job is None:  # there is no job for the other idle nodes either
                for idle_member in idle.values():
                    idle_member.seen = tree.changes
                break
            del idle[number]
            self._submit(number, member, job)
        return idle

    def _hand_out_ahead(self, tree: Tree) -> None:
        """Send a second job to each node that has one, so that it need not wait for a message between the two."""
        for number, member in self.members.items():
            if not member.has_one_job or member.seen_ahead == tree.changes:
                continue
            self._set_job_size(tree, hungry=False)
            job = tree.take(number, ahead=True)
            if job is not None:
                self._submit(number, member, job)
            elif tree.result is None:
                member.seen_ahead = tree.changes
            else:
                return

    def _submit(self, number: int, member: NodeState, job: Job) -> None:
        member.underway[job.ticket] = job
        member.jobs += 1
        self.fabric.submit(number, job)

    def _take_back(self, tree: Tree) -> bool:
        """Take back a job that waits until its node has ended another. Return whether there was one."""
        for number, member in self.members.items():
            job = member.waiting_job
            if job is not None and member.gone is None and not member.silent:
                self._stop(number, member, [job.ticket])
                tree.lose(job.ticket)
                return True
        return False

    def _fill_table(self, node: int) -> None:
        """Send a node the deepest entries of the head's table. Without them its table would have no moves to try first.

        When nodes repeated the head's iterations instead, except the last two, they entered 3.6 times the nodes of one
        worker in a search of one second (Othello by discs to depth 15), and spent the time of these iterations.
        """
        if self.root.table is None or self._alone_depth == 0:
            return
        if self._known is None:
            self._known = self.root.table.costliest_entries(MOST_FILLED)
        self.fabric.fill(node, self._era, self._known)

    def _handle(self, tree: Tree | None, event: NodeEvent) -> None:
        now = time.perf_counter()
        if isinstance(event, Joined):
            self.members[event.node] = NodeState(event.where, event.workers, now, joined=now)
            log.info("node %d (%s) searches with %s", event.node, event.where, how_many(event.workers, "worker"))
            return
        member = self.members.get(event.node)
        if member is None:
            return  # the node was lost before it joined
        member.heard = now
        if isinstance(event, Reported):
            member.report = event.report
            self._end_silence(event.node, member)
        elif isinstance(event, Left):
            member.gone, member.away = event.why, now
            self._note_loss(event.node, member, event.why)
            if tree is not None:
                for ticket in member.underway:
                    tree.lose(ticket)
            member.underway.clear()
            member.stopped.clear()
            if self._has_homes:
                raise HeadLost(self.losses[-1])
        elif isinstance(event, Ended):
            self._end(tree, event.node, member, event.result, now)

    def _end(self, tree: Tree | None, number: int, member: NodeState, result: JobResult, now: float) -> None:
        self._end_silence(number, member)
        job = member.underway.pop(result.ticket, None)
        stopped = member.stopped.pop(result.ticket, None)
        if stopped is not None:
            member.slowest_stop_seconds = max(member.slowest_stop_seconds, now - stopped)
        member.seen = member.seen_ahead = -1
        totals = self.root.workers[1]
        for name, count in zip(COUNTERS, result.counts, strict=True):
            if count == 0:
                continue  # most counters of a small job; an access to a record takes a microsecond
            member.counts[name] += count
            totals[name] += count
        member.useful_seconds += result.seconds
        if tree is not None and job is not None and tree.deliver(result):
            if self.setup.nodes_divide:  # the cost of a job that other nodes helped with is unknown
                pass
            elif job.beta - job.alpha == 1 or self.root.options.algorithm == "alphabeta":  # only typical windows
                self._costs.job(job.depth, result.count("nodes"), result.seconds)
        elif job is not None or result.count("nodes"):  # otherwise it was taken back before it began
            member.wasted_jobs += 1
            member.wasted_nodes += result.count("nodes")

    def _stop_unwanted(self, tree: Tree) -> None:
        unwanted, tree.unwanted = set(tree.unwanted), []
        if unwanted:
            for number, member in self.members.items():
                if member.gone is None:
                    self._stop(number, member, [ticket for ticket in member.underway if ticket in unwanted])

    def _stop(self, number: int, member: NodeState, tickets: Sequence[int]) -> None:
        """Tell a node to stop jobs. Those that it has not begun are not under way any more."""
        for ticket in tickets:
            if ticket in member.stopped:
                continue
            if ticket == next(iter(member.underway)):
                member.stopped[ticket] = time.perf_counter()
                member.stops += 1
            else:  # its answer comes when the job before it ends
                del member.underway[ticket]
            self.fabric.stop(number, ticket)

    # --- membership ---

    def _check_members(self, tree: Tree) -> None:
        """Make the jobs of silent nodes available to other nodes. If no responsive node is left, wait for one."""
        now = time.perf_counter()
        any_alive = False
        for number, member in self.members.items():
            if member.gone is not None:
                continue
            if now - member.heard > self.tuning.patience_seconds and not member.silent:
                member.silent = True
                self._note_loss(number, member, f"silent for {now - member.heard:.1f} s")
                for ticket in member.underway:
                    tree.lose(ticket)
                self._stop(number, member, list(member.underway))  # in case the node still receives messages
            any_alive = any_alive or not member.silent
        if not any_alive:
            self._await_members()

    def _note_loss(self, number: int, member: NodeState, why: str) -> None:
        self.losses.append(f"node {number} ({member.where}): {why}")
        log.warning("%s; its jobs go to other nodes: %d", self.losses[-1], len(member.underway))

    def _end_silence(self, number: int, member: NodeState) -> None:
        if member.silent:
            member.silent = False
            log.info("node %d (%s) answers again", number, member.where)

    def _await_members(self) -> None:
        deadline = time.perf_counter() + self.tuning.join_seconds
        while not any(member.gone is None and not member.silent for member in self.members.values()):
            if self.root.bell.stop and self.members:
                raise Stopped
            if time.perf_counter() > deadline:
                raise HeadLost(f"no node has come within {self.tuning.join_seconds:g} s")
            for event in self.fabric.wait(POLL_SECONDS):
                self._handle(None, event)
