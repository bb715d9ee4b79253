"""A simulated cluster: a recorded search on any number of nodes, in simulated time.

The values are real, and so is the tree, which the code of a real cluster divides and assigns to nodes. The cost of a
job, and its savings from entries of other jobs, come from the recording. The machines are assumed (`Machines`).

A job costs as much as in the recording, and more if its node lacks entries that saved work there. A node lacks entries
of jobs that are not done yet, and entries of jobs on other nodes unless they were sent and have arrived.
"""

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from outflank.boards import Board
from outflank.distributed.job_tree import Tree
from outflank.distributed.node import ENTRY_BYTES
from outflank.distributed.node_messages import Job, JobResult
from outflank.distributed.replication import Replication
from outflank.distributed.splits import Homes, Splitting, TreePlace
from outflank.lab.measuring.search_log import search
from outflank.lab.simulation.job_recording import RecordedJobs
from outflank.lab.simulation.simulated_machines import Machines, Traffic
from outflank.search.alone import Alone
from outflank.search.division import Promise, Scheme
from outflank.search.request import Limits, Stop
from outflank.search.results import Result, WorkerStatistics
from outflank.search.root import Root
from outflank.search.root_moves import RootMove, RootValue, search_best_moves
from outflank.search.stopping import Stopped
from outflank.search.worker import COUNTERS

JOB_BYTES, OUTCOME_BYTES = 200, 300
"""Approximate sizes of the pickled messages with a job and with its result, in bytes."""

HEAD_BITS = 18
"""Index bits of the head's table, which stores only results of jobs. Its 8 MiB hold all results, and are cheap to
allocate."""


@dataclass(slots=True)
class SimulatedNode:
    """A simulated node with its current job."""

    job: Job | None = None
    outcome: JobResult | None = None
    begin: float = 0.0
    end: float = 0.0
    slower: float = 1.0
    """Duration of a job, divided by the duration of its search alone. It is greater than 1 if the node also sends and
    receives table entries."""
    version: int = 0
    """Number of changes of `end`. Scheduled events with a lower version are ignored."""


@dataclass(slots=True)
class Tally:
    """Totals of a simulated search."""

    seconds: float = 0.0
    busy_seconds: float = 0.0
    """Busy time, summed over all nodes."""
    head_seconds: float = 0.0
    nodes: float = 0.0
    lost_nodes: float = 0.0
    """Number of tree nodes searched only because table entries of other jobs were missing."""
    jobs: int = 0
    unrecorded: int = 0
    """Number of simulated jobs that are not in the recording."""
    stopped: int = 0
    useful_seconds: float = 0.0
    """Busy time spent on the search itself, summed over all nodes."""
    broadcast_seconds: float = 0.0
    """Busy time spent on sending table entries, and on waiting if the policy waits, summed over all nodes."""
    entries: float = 0.0
    """Number of table entries sent, each counted once."""
    messages: float = 0.0
    """Number of messages that carried table entries."""
    bytes: float = 0.0
    """Total size of all messages in bytes."""
    hits: float = 0.0
    """Number of table hits on entries from another node."""
    steals_tried: int = 0
    steals_won: int = 0
    first_seconds: float = 0.0
    """Seconds of the first job of each tree, summed. All nodes wait for it, so this is a lower bound on `seconds`."""
    result: Result | None = field(default=None, repr=False)


class Simulated:
    """A `Division` that divides a search among simulated nodes."""

    nbytes = 0

    def __init__(
        self, root: Root, recording: RecordedJobs, machines: Machines, policy: Replication, threshold: int, seed: int
    ) -> None:
        self.root, self.recording, self.machines, self.policy = root, recording, machines, policy
        self.splitting = Splitting(threshold=threshold)
        self.traffic = Traffic.of(policy, recording, machines)
        self.tally = Tally()
        self.seed = seed
        self._alone = Alone(root)
        self._nodes = [SimulatedNode() for _ in range(machines.nodes)]
        self._idle = list(range(machines.nodes))
        self._events: list[tuple[float, int, int, int]] = []  # time, tie-breaker, node, version of the node
        self._order = itertools.count()
        self._tickets = itertools.count(1)
        self._places = {number: TreePlace() for number in self._idle}
        self._homes = Homes()
        self._now = 0.0
        self._recorded_nodes = 0  # recorded tree nodes of the recorded jobs done so far
        self._done_at: dict[
            int, dict[int, float]
        ] = {}  # recorded job -> node that did it -> time at which it was half done

    # --- methods of a division ---

    def prepare(self) -> None:
        self._alone.prepare()

    def search_window(
        self, depth: int, alpha: int, beta: int, *, best_count: int, moves: Sequence[RootMove]
    ) -> RootValue:
        if depth <= 2 or self.root.depth_below(depth) < 1:  # the head searches these alone
            before = self.root.counter("nodes")
            result = self._alone.search_window(depth, alpha, beta, best_count=best_count, moves=moves)
            self._now += (self.root.counter("nodes") - before) / self.machines.rate
            return result
        return search_best_moves(lambda left: self._search_tree(depth, alpha, beta, left), moves, best_count)

    def search_fully(self, depth: int) -> RootValue:
        raise NotImplementedError("a simulated cluster does not support minimax")

    def forget(self) -> None:
        self.root.forget()

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        return ()

    def close(self) -> None:
        self.tally.seconds = self._now
        self.tally.steals_tried = sum(place.tried for place in self._places.values())
        self.tally.steals_won = sum(place.stolen for place in self._places.values())

    # --- one tree ---

    def _search_tree(self, depth: int, alpha: int, beta: int, moves: Sequence[RootMove]) -> RootValue:
        tree = Tree(
            self.root,
            self.splitting,
            moves,
            depth=depth,
            alpha=alpha,
            beta=beta,
            era=0,
            tickets=self._tickets,
            places=self._places,
            homes=self._homes,
        )
        self._hand_out(tree)
        assert len(self._nodes) - len(self._idle) > 0, "a node has the first job"
        first = self._first_job_seconds(tree)
        self.tally.first_seconds += first
        while tree.result is None:
            if self.root.bell.stop:
                raise Stopped
            self._process_next_event(tree)
            self._stop_unwanted(tree)
            if tree.result is None:
                self._hand_out(tree)
        tree.abandon()
        self._stop_unwanted(tree)
        return tree.result

    def _first_job_seconds(self, tree: Tree) -> float:
        """Return the duration of a tree's first job in seconds. All other jobs wait for it."""
        return min(node.end - node.begin for node in self._nodes if node.job and tree.is_wanted(node.job.ticket))

    def _hand_out(self, tree: Tree) -> None:
        """Give jobs to idle nodes in the order of their numbers. Stop at the first node that gets no job."""
        while self._idle:
            job = tree.take(self._idle[0])
            if job is None:
                return
            self._charge_head()
            self._begin(heapq.heappop(self._idle), job)

    def _charge_head(self) -> None:
        """Charge the head for half of its work on a job: selecting and sending it, or receiving its result."""
        self._now += self.machines.head_seconds / 2
        self.tally.head_seconds += self.machines.head_seconds / 2

    def _begin(self, number: int, job: Job) -> None:
        node = self._nodes[number]
        node.job = job
        node.begin = self._now + self.machines.transfer_seconds(JOB_BYTES)
        value, line, nodes, estimates = self._job_cost(number, job, node.begin)
        busy = self.machines.nodes - len(self._idle) - 1
        node.slower = 1 + self.traffic.sending + self.traffic.receiving * busy
        node.end = node.begin + nodes / self.machines.rate * node.slower
        counted = {"nodes": round(nodes), "estimates": estimates}
        counts = tuple(counted.get(name, 0) for name in COUNTERS)
        node.outcome = JobResult(
            ticket=job.ticket, valid=True, value=value, line=line, seconds=node.end - node.begin, counts=counts
        )
        self.tally.jobs += 1
        self._schedule_end(number, node)

    def _schedule_end(self, number: int, node: SimulatedNode) -> None:
        """Schedule the arrival of a job's result at the head."""
        arrives = node.end + self.machines.transfer_seconds(OUTCOME_BYTES)
        heapq.heappush(self._events, (arrives, next(self._order), number, node.version))

    def _process_next_event(self, tree: Tree) -> None:
        """Process the next event, which is the arrival of a result, unless it is obsolete."""
        when, _, number, version = heapq.heappop(self._events)
        node = self._nodes[number]
        if version != node.version:
            return
        assert node.outcome is not None
        self._now = max(self._now, when)
        self._charge_head()
        self._add_to_tally(node)
        self.tally.nodes += node.outcome.count("nodes")
        self.root.worker.estimates += node.outcome.count(
            "estimates"
        )  # if there are none, the tree was searched to its end
        tree.deliver(node.outcome)
        node.job = node.outcome = None
        heapq.heappush(self._idle, number)

    def _add_to_tally(self, node: SimulatedNode) -> None:
        """Add the costs of a finished job to the totals."""
        tally, traffic = self.tally, self.traffic
        busy = node.end - node.begin
        useful = busy / node.slower
        tally.busy_seconds += busy
        tally.useful_seconds += useful
        tally.broadcast_seconds += useful * traffic.sending
        entries, others = useful * traffic.entries * traffic.arriving, self.machines.nodes - 1
        tally.entries += entries
        tally.messages += useful * traffic.messages
        tally.bytes += JOB_BYTES + OUTCOME_BYTES + entries * others * ENTRY_BYTES

    def _stop_unwanted(self, tree: Tree) -> None:
        unwanted, tree.unwanted = set(tree.unwanted), []
        for number, node in enumerate(self._nodes) if unwanted else ():
            if node.job is None or node.job.ticket not in unwanted:
                continue
            assert node.outcome is not None
            end = max(node.begin, self._now + self.machines.transfer_seconds(0))
            if end < node.end:
                part = (end - node.begin) / (node.end - node.begin)
                counts = tuple(round(part * count) for count in node.outcome.counts)
                node.outcome = JobResult(
                    ticket=node.job.ticket, valid=False, value=0, line=(), seconds=end - node.begin, counts=counts
                )
                node.end = end
                node.version += 1
                self.tally.stopped += 1
                self._schedule_end(number, node)

    # --- value and cost of a job ---

    def _job_cost(self, number: int, job: Job, begin: float) -> tuple[int, tuple[int, ...], float, int]:
        """Return a job's value, its line of moves, its tree nodes on node `number`, and its evaluated leaves."""
        recording = self.recording
        indices = recording.places(job)
        if not indices:
            self.tally.unrecorded += 1
            value = recording.answer(job)
            similar = recording.done[recording.similar_job(job, value, self.seed)]
            loss = self.tally.lost_nodes / max(1, self._recorded_nodes)  # assumes the same loss as in recorded jobs
            return value, (), similar.nodes * (1 + loss), similar.estimates
        # The n-th request for a job is matched with its n-th occurrence in the recording, if it exists.
        index = next((candidate for candidate in indices if candidate not in self._done_at), indices[-1])
        record = recording.done[index]
        middle = begin + record.nodes / self.machines.rate / 2
        if number in self._done_at.get(index, ()):
            return record.value, record.line, 1, 0  # this node has done the same job, and has its entry
        lost = 0.0
        for use in recording.uses[index]:
            missing = self._missing_share(number, use.writer, use.depth, middle)
            lost += use.nodes * missing
            if number not in self._done_at.get(use.writer, (number,)):  # another node made the entries
                self.tally.hits += use.hits * (1 - missing)
        self._done_at.setdefault(index, {})[number] = middle
        self.tally.lost_nodes += lost
        self._recorded_nodes += record.nodes
        return record.value, record.line, record.nodes + lost, record.estimates

    def _missing_share(self, number: int, writer: int, depth: int, when: float) -> float:
        """Return the share of `writer`'s entries of one depth that node `number` lacks at the simulated time `when`."""
        done_at = self._done_at.get(writer)
        if done_at is None:
            return 1.0
        if number in done_at:
            return 0.0
        if self.policy.sends and depth >= self.policy.least and min(done_at.values()) + self.traffic.delay <= when:
            return 1 - self.traffic.arriving
        return 1.0


def simulate(
    board: Board,
    recording: RecordedJobs,
    machines: Machines,
    policy: Replication,
    *,
    depth: int,
    threshold: int,
    seed: int = 1,
    stop: Stop | None = None,
    **options: Any,
) -> Tally:
    """Simulate a recorded search on other machines, with the recording's `depth`, `threshold` and options."""
    divisions: list[Simulated] = []

    def divide(root: Root, workers: int) -> Simulated:
        divisions.append(Simulated(root, recording, machines, policy, threshold, seed))
        return divisions[0]

    if options.get("table_bits") is not None:
        options["table_bits"] = min(HEAD_BITS, options["table_bits"])
    scheme = Scheme(
        name="on paper", algorithms=("alphabeta", "pvs", "mtdf"), promises=Promise(0), overhead="", divide=divide
    )
    result = search(board, Limits(depth=depth), stop=stop, parallel=scheme, workers=1, threshold=threshold, **options)
    tally = divisions[0].tally
    tally.result = result
    return tally
