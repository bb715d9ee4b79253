"""The head of a cluster: hands out the parts of a tree, and makes a value of what comes back."""

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from outflank.distributed.fabric import Fabric, HeadLost
from outflank.distributed.messages import Ended, Job, JobResult, Joined, Left, NodeEvent, Reported
from outflank.distributed.node import NodeSetup
from outflank.distributed.node_state import NodeState
from outflank.distributed.node_steps import keep_value, open_node, play_each
from outflank.distributed.replication import Replication
from outflank.distributed.sizing import Costs
from outflank.distributed.splits import Homes, Splitting, TreePlace
from outflank.distributed.tree import Tree
from outflank.games.rules import MOVE, pack
from outflank.search.alone import Alone
from outflank.search.results import WorkerStatistics
from outflank.search.root import Root
from outflank.search.root_moves import HIGH, LOW, RootMove, RootValue, WindowProgress, best_ones
from outflank.search.stopping import Stopped
from outflank.search.table import EXACT
from outflank.search.worker import COUNTERS

POLL_SECONDS = 0.03
"""How long a stop, or a node that says nothing, may go unnoticed by the head."""


WORTH_SHARING = 4
"""Jobs of the usual length that an iteration should be good for, or it is not shared."""

NOT_AGAIN = 2
"""Of the iterations that the head has searched alone, the last ones that a node need not search too."""

SMALLEST_ENTRY = 2
"""Plies left of the smallest entries that are kept in a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """The numbers of a cluster's search. Values do not depend on them."""

    job_seconds: float | None = None
    """How long a job should take where no threshold is given: it is moved until they do. None: the engine's own."""
    alone_seconds: float | None = None
    """An iteration is not worth sharing if one worker takes less. None: four jobs, or what is within the threshold."""
    patience_seconds: float = 5.0
    """How long a node may say nothing before its jobs are given to others."""
    gather_seconds: float = 30.0
    """How long to wait for the others once the first node is there. They may also come later."""
    join_seconds: float = 120.0
    """How long to wait for the first node, or for another one when all are gone: a node may have to compile first."""


class Head:
    """A `Division` of a root among the nodes of a cluster."""

    def __init__(
        self, root: Root, fabric: Fabric, setup: NodeSetup, *, in_order: bool, tuning: Tuning, eras: Iterator[int]
    ) -> None:
        self.root, self.fabric, self.setup, self.tuning = root, fabric, setup, tuning
        self.in_order = in_order
        root.workers = root.new_workers(2)  # the head's own, and one that counts for all nodes
        self.nbytes = int(root.workers.nbytes)
        self.members: dict[int, NodeState] = {}
        self.places: dict[int, TreePlace] = {}
        self.spawned = 0
        self.trouble: str | None = None
        """Why the search has ended before its time, if it has."""
        self.losses: list[str] = []
        """Which nodes were lost or given up, and why."""
        self._alone = Alone(root)
        self._eras, self._era = eras, setup.era
        self._homes = Homes()
        self._tickets = itertools.count(1)
        self._threshold: int | None = root.options.threshold
        self._send_from: int | None = setup.replication.depth
        self._costs = Costs(len(root.moves))
        self._shared_from: int | None = None  # the depth of the first iteration that was
        self._tree: Tree | None = None
        self._alone_depth = 0
        self._began = time.perf_counter()
        self._ended: float | None = None
        self.bytes_before = fabric.bytes_carried

    # --- as a division ---

    def prepare(self) -> None:
        self._alone.prepare()
        root = self.root
        here = pack(root.game, root.position)
        open_node(root.game, root.evaluation, *here, 0, 1, 1, 0, root.worker, root.probe)
        play_each(root.game, *here, np.zeros(0, MOVE), np.zeros((0, 2), np.uint64))
        keep_value(root.game, *here, 0, EXACT, 0, 0, 0, root.worker)
        self.fabric.prepare(self.setup)
        self._await_members()
        # The others take about as long to load their kernels: a search is timed from when they can all take part.
        deadline = time.perf_counter() + self.tuning.gather_seconds
        while len(self.members) < self.fabric.expected and time.perf_counter() < deadline:
            for event in self.fabric.wait(POLL_SECONDS):
                self._heed(None, event)
        self._began = time.perf_counter()

    def search_window(self, depth: int, alpha: int, beta: int, *, wanted: int, moves: Sequence[RootMove]) -> RootValue:
        if not self._is_shared(depth):
            self._tree = None
            began, before = time.perf_counter(), self.root.counter("nodes")
            found = self._alone.search_window(depth, alpha, beta, wanted=wanted, moves=moves)
            self._costs.tree(depth, self.root.counter("nodes") - before, time.perf_counter() - began)
            self._alone_depth = depth
            return found
        if self._shared_from is None:
            self._shared_from = depth
        return best_ones(lambda left: self._searched(depth, alpha, beta, left), moves, wanted)

    def _is_shared(self, depth: int) -> bool:
        """Whether an iteration is worth sharing; one is, if a smaller was."""
        if depth <= 2 or self.root.depth_below(depth) < 1:
            return False
        if self._shared_from is not None and depth >= self._shared_from:
            return True
        given = self.root.options.threshold
        if self.tuning.alone_seconds is None and given is not None:
            return depth > given
        least = WORTH_SHARING * self._job_seconds if self.tuning.alone_seconds is None else self.tuning.alone_seconds
        # Some passes of an iteration may have been searched by now: it goes on as it began.
        return depth != self._alone_depth and self._costs.of_tree(depth) >= least

    @property
    def _job_seconds(self) -> float:
        return self.fabric.job_seconds if self.tuning.job_seconds is None else self.tuning.job_seconds

    def search_fully(self, depth: int) -> RootValue:
        raise NotImplementedError("minimax is not carried")

    def standing(self) -> WindowProgress:
        return self._alone.standing() if self._tree is None else self._tree.standing()

    def forget(self) -> None:
        self.root.forget()
        self._era = next(self._eras)
        self._homes = Homes()

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        return tuple(
            member.statistics(self.places.get(number, TreePlace()), self.present_seconds(member))
            for number, member in self.members.items()
        )

    @property
    def seconds(self) -> float:
        """How long the search has taken so far."""
        return (self._ended or time.perf_counter()) - self._began

    def present_seconds(self, member: NodeState) -> float:
        """How long a node has been there in this search."""
        end = member.away or self._ended or time.perf_counter()
        return max(0.0, end - max(member.joined, self._began))

    def close(self) -> None:
        """Stop what still runs. The nodes stay, for the next search."""
        self._ended = time.perf_counter()
        for number, member in self.members.items():
            if member.job is not None and member.gone is None:
                self._stop(number, member)
        # What they have counted, once more: the last reports are up to a second old.
        deadline = time.perf_counter() + 1.0
        waiting = {number for number, member in self.members.items() if member.gone is None and not member.silent}
        try:
            self.fabric.ask()
            while waiting and self.trouble is None and time.perf_counter() < deadline:
                for event in self.fabric.wait(POLL_SECONDS):
                    self._heed(None, event)
                    if isinstance(event, Reported):
                        waiting.discard(event.node)
        except HeadLost:
            pass

    # --- one tree ---

    @property
    def threshold(self) -> int:
        """Plies left at which a part becomes a job."""
        return self._threshold if self._threshold is not None else 1

    @property
    def replication(self) -> Replication:
        """Which entries the others are told of, in figures: those of the last jobs."""
        policy = self.setup.replication
        return replace(policy, depth=self._send_from) if policy.sends else policy

    def _searched(self, depth: int, alpha: int, beta: int, moves: Sequence[RootMove]) -> RootValue:
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
            member.seen = -1
        try:
            while tree.found is None:
                if self.root.bell.stop or self.root.counter("nodes") >= self.root.bell.node_limit:
                    raise Stopped
                self._hand_out(tree)
                if tree.found is None:
                    for event in self.fabric.wait(POLL_SECONDS):
                        self._heed(tree, event)
                self._stop_unwanted(tree)
                self._look_after(tree)
            self.root.learn(tree.found, alpha, beta, moves)
            return tree.found
        except HeadLost as error:
            self.trouble = str(error)
            raise Stopped from None
        finally:
            tree.abandon()
            self._stop_unwanted(tree)
            self.spawned += tree.spawned

    def _measure_out(self, tree: Tree, hungry: bool) -> None:
        """Say how large the next job is, and which of its entries are worth sending.

        While other nodes have nothing to do it is a small one, for they wait for its end. A threshold that is given
        is kept to.
        """
        wanted, given = self._job_seconds, self.root.options.threshold
        if given is None:
            self._threshold = self._costs.threshold(tree.depth, wanted, max(len(self.members), 1))
            tree.threshold = self._costs.finer(self._threshold, wanted) if hungry else self._threshold
        else:
            tree.threshold = max(1, given)
        policy = self.setup.replication
        if policy.sends and policy.depth is None:
            seconds = policy.entry_seconds * max(len(self.members) - 1, 1)
            known = self._costs.of_job(self.threshold) is not None
            entry = self._costs.worth(seconds, self.threshold) if known else self.threshold - 3
            self._send_from = tree.send_from = max(entry, SMALLEST_ENTRY)

    def _hand_out(self, tree: Tree) -> None:
        idle = {number: member for number, member in self.members.items() if member.is_idle}
        for number, member in list(idle.items()):
            if member.seen == tree.changes:
                continue
            self._measure_out(tree, hungry=len(idle) > 1)
            warm, member.warm = member.warm or self._alone_depth <= NOT_AGAIN, True
            job = tree.take(number) if warm else self._warming()
            if job is None:  # nor is there one for any other
                for other in idle.values():
                    other.seen = tree.changes
                break
            member.job, member.since, member.unwanted_since = job, time.perf_counter(), None
            member.jobs += 1
            del idle[number]
            self.fabric.submit(number, job)

    def _warming(self) -> Job:
        """What a node does first: most of what the head has searched alone, for its table knows nothing of that.

        Without it a node enters 5 to 15 % more nodes in a search of some seconds, for want of moves to try first. The
        last iterations are left out: they take most of the time, and nothing more is gained by them.
        """
        first, second = pack(self.root.game, self.root.position)
        return Job(
            ticket=next(self._tickets),
            era=self._era,
            first=int(first),
            second=int(second),
            depth=self._alone_depth - NOT_AGAIN,
            ply=0,
            alpha=LOW,
            beta=HIGH,
            deepen=True,
        )

    def _heed(self, tree: Tree | None, event: NodeEvent) -> None:
        now = time.perf_counter()
        if isinstance(event, Joined):
            self.members[event.node] = NodeState(event.where, event.workers, now, joined=now)
            return
        member = self.members.get(event.node)
        if member is None:
            return  # it left before it was known
        member.heard = now
        if isinstance(event, Reported):
            member.report = event.report
            member.silent = False
        elif isinstance(event, Left):
            member.gone, member.away = event.why, now
            self.losses.append(f"node {event.node} ({member.where}): {event.why}")
            if member.job is not None and tree is not None:
                tree.lose(member.job.ticket)
            member.job = None
        elif isinstance(event, Ended):
            self._end(tree, event.node, member, event.result, now)

    def _end(self, tree: Tree | None, number: int, member: NodeState, result: JobResult, now: float) -> None:
        member.silent = False
        job = member.job
        current = job is not None and job.ticket == result.ticket
        if current:
            if member.unwanted_since is not None:
                member.slowest_stop_seconds = max(member.slowest_stop_seconds, now - member.unwanted_since)
            member.job, member.seen = None, -1
        everybody = self.root.workers[1]
        for name, count in zip(COUNTERS, result.counts, strict=True):
            member.counts[name] += count
            if name != "estimates" or job is None or not job.deepen:  # what only filled a table says nothing of a value
                everybody[name] += count
        member.useful_seconds += result.seconds
        if tree is not None and current and tree.deliver(result):
            assert job is not None
            if job.beta - job.alpha == 1 or self.root.options.algorithm == "alphabeta":  # most are, where some are
                self._costs.job(job.depth, result.count("nodes"), result.seconds)
        elif job is None or not job.deepen:
            member.wasted_jobs += 1
            member.wasted_nodes += result.count("nodes")

    def _stop_unwanted(self, tree: Tree) -> None:
        unwanted, tree.unwanted = set(tree.unwanted), []
        if unwanted:
            for number, member in self.members.items():
                if member.job is not None and member.job.ticket in unwanted and member.gone is None:
                    self._stop(number, member)

    def _stop(self, number: int, member: NodeState) -> None:
        assert member.job is not None
        if member.unwanted_since is None:
            member.unwanted_since = time.perf_counter()
            member.stops += 1
            self.fabric.stop(number, member.job.ticket)

    # --- who is there ---

    def _look_after(self, tree: Tree) -> None:
        """Give the jobs of nodes that say nothing to others; without any node, wait for one."""
        now = time.perf_counter()
        anybody = False
        for number, member in self.members.items():
            if member.gone is not None:
                continue
            if now - member.heard > self.tuning.patience_seconds and not member.silent:
                member.silent = True
                self.losses.append(f"node {number} ({member.where}): silent for {now - member.heard:.1f} s")
                if member.job is not None:
                    tree.lose(member.job.ticket)
                    self._stop(number, member)  # should it ever hear of it
            anybody = anybody or not member.silent
        if not anybody:
            self._await_members()

    def _await_members(self) -> None:
        deadline = time.perf_counter() + self.tuning.join_seconds
        while not any(member.gone is None and not member.silent for member in self.members.values()):
            if self.root.bell.stop and self.members:
                raise Stopped
            if time.perf_counter() > deadline:
                raise HeadLost(f"no node has come within {self.tuning.join_seconds:g} s")
            for event in self.fabric.wait(POLL_SECONDS):
                self._heed(None, event)
