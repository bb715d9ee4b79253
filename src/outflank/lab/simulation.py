"""A cluster on paper: the search of a recording, by as many nodes as one likes, in a time that is only counted.

What is real: the tree, which divides itself and chooses who does what by the same code as in a cluster, and the values.
What is looked up: what a job costs, and what it had from other jobs' entries. What is assumed: the machines, a few
numbers (`Machines`).

A job costs what it cost when it was recorded, and more where its node lacks the entries that helped it then: those of
jobs which another node did, unless they were sent and have arrived, and of jobs that are not done yet.
"""

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from outflank.boards import Board
from outflank.distributed.messages import Job, JobResult
from outflank.distributed.node import ENTRY_BYTES
from outflank.distributed.replication import Replication
from outflank.distributed.splits import Homes, Splitting, TreePlace
from outflank.distributed.tree import Tree
from outflank.lab.search_log import search
from outflank.lab.simulation_machines import Machines, Traffic
from outflank.lab.simulation_recording import RecordedJobs
from outflank.search.alone import Alone
from outflank.search.contract import Limits, Stop
from outflank.search.division import Promise, Scheme
from outflank.search.results import Result, WorkerStatistics
from outflank.search.root import Root
from outflank.search.root_moves import RootMove, RootValue, best_ones
from outflank.search.stopping import Stopped
from outflank.search.worker import COUNTERS

JOB_BYTES, OUTCOME_BYTES = 200, 300
"""As they are pickled, about."""

HEAD_BITS = 18
"""The head's table holds what comes of jobs and no more: 8 MiB have room for all, and are soon made."""


@dataclass(slots=True)
class SimulatedNode:
    """A node, and what it has in hand."""

    job: Job | None = None
    outcome: JobResult | None = None
    begin: float = 0.0
    end: float = 0.0
    slower: float = 1.0
    """How many times as long as the search alone it takes: entries are sent and received besides."""
    version: int = 0
    """Grows when the end is moved: what was told of the old one is void."""


@dataclass(slots=True)
class Tally:
    """What a simulated search took."""

    seconds: float = 0.0
    busy_seconds: float = 0.0
    """Of all nodes together."""
    head_seconds: float = 0.0
    nodes: float = 0.0
    lost_nodes: float = 0.0
    """Those of them that entries of others would have saved."""
    jobs: int = 0
    unrecorded: int = 0
    """Jobs that the one node never had to do."""
    stopped: int = 0
    useful_seconds: float = 0.0
    """Of the busy ones, those spent on the search itself."""
    broadcast_seconds: float = 0.0
    """Those spent on sending entries, and on waiting for it where the policy waits."""
    entries: float = 0.0
    """Sent, each counted once."""
    messages: float = 0.0
    """With entries."""
    bytes: float = 0.0
    """In all messages."""
    hits: float = 0.0
    """On entries that came from another node."""
    steals_tried: int = 0
    steals_won: int = 0
    first_seconds: float = 0.0
    """Of the first jobs of all trees, for which everybody waits: no number of nodes makes an end sooner."""
    found: Result | None = field(default=None, repr=False)


class Simulated:
    """A `Division` among nodes that are not there."""

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
        self._desks = [SimulatedNode() for _ in range(machines.nodes)]
        self._idle = list(range(machines.nodes))
        self._events: list[tuple[float, int, int, int]] = []  # when, a number that orders them, the node, its version
        self._order = itertools.count()
        self._tickets = itertools.count(1)
        self._places = {number: TreePlace() for number in self._idle}
        self._homes = Homes()
        self._now = 0.0
        self._kept = 0  # nodes of the recorded jobs that were done, as recorded
        self._made: dict[int, dict[int, float]] = {}  # recorded jobs: when each node that did it was half done

    # --- as a division ---

    def prepare(self) -> None:
        self._alone.prepare()

    def search_window(self, depth: int, alpha: int, beta: int, *, wanted: int, moves: Sequence[RootMove]) -> RootValue:
        if depth <= 2 or self.root.depth_below(depth) < 1:  # as the head does
            before = self.root.counter("nodes")
            found = self._alone.search_window(depth, alpha, beta, wanted=wanted, moves=moves)
            self._now += (self.root.counter("nodes") - before) / self.machines.rate
            return found
        return best_ones(lambda left: self._searched(depth, alpha, beta, left), moves, wanted)

    def search_fully(self, depth: int) -> RootValue:
        raise NotImplementedError("minimax is not carried")

    def forget(self) -> None:
        self.root.forget()

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        return ()

    def close(self) -> None:
        self.tally.seconds = self._now
        self.tally.steals_tried = sum(place.tried for place in self._places.values())
        self.tally.steals_won = sum(place.stolen for place in self._places.values())

    # --- one tree ---

    def _searched(self, depth: int, alpha: int, beta: int, moves: Sequence[RootMove]) -> RootValue:
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
        assert len(self._desks) - len(self._idle) > 0, "somebody has the first job"
        first = self._first(tree)
        self.tally.first_seconds += first
        while tree.found is None:
            if self.root.bell.stop:
                raise Stopped
            self._heed(tree)
            self._stop_unwanted(tree)
            if tree.found is None:
                self._hand_out(tree)
        tree.abandon()
        self._stop_unwanted(tree)
        return tree.found

    def _first(self, tree: Tree) -> float:
        """How long the job takes that all others wait for."""
        return min(desk.end - desk.begin for desk in self._desks if desk.job and tree.is_wanted(desk.job.ticket))

    def _hand_out(self, tree: Tree) -> None:
        """Give jobs to nodes, in the order of their numbers; what is nothing for one is nothing for any."""
        while self._idle:
            job = tree.take(self._idle[0])
            if job is None:
                return
            self._serve()
            self._begin(heapq.heappop(self._idle), job)

    def _serve(self) -> None:
        """The head is at a job: it chooses and sends one, or takes what came of one, for half of its time each."""
        self._now += self.machines.head_seconds / 2
        self.tally.head_seconds += self.machines.head_seconds / 2

    def _begin(self, number: int, job: Job) -> None:
        desk = self._desks[number]
        desk.job = job
        desk.begin = self._now + self.machines.carried(JOB_BYTES)
        value, line, nodes, estimates = self._worth(number, job, desk.begin)
        busy = self.machines.nodes - len(self._idle) - 1
        desk.slower = 1 + self.traffic.sending + self.traffic.receiving * busy
        desk.end = desk.begin + nodes / self.machines.rate * desk.slower
        counted = {"nodes": round(nodes), "estimates": estimates}
        counts = tuple(counted.get(name, 0) for name in COUNTERS)
        desk.outcome = JobResult(
            ticket=job.ticket, valid=True, value=value, line=line, seconds=desk.end - desk.begin, counts=counts
        )
        self.tally.jobs += 1
        self._tell(number, desk)

    def _tell(self, number: int, desk: SimulatedNode) -> None:
        """The head will hear of a job's end."""
        arrives = desk.end + self.machines.carried(OUTCOME_BYTES)
        heapq.heappush(self._events, (arrives, next(self._order), number, desk.version))

    def _heed(self, tree: Tree) -> None:
        """The next thing that happens."""
        when, _, number, version = heapq.heappop(self._events)
        desk = self._desks[number]
        if version != desk.version:
            return
        assert desk.outcome is not None
        self._now = max(self._now, when)
        self._serve()
        self._count(desk)
        self.tally.nodes += desk.outcome.count("nodes")
        self.root.worker.estimates += desk.outcome.count("estimates")  # none: the tree was searched to its end
        tree.deliver(desk.outcome)
        desk.job = desk.outcome = None
        heapq.heappush(self._idle, number)

    def _count(self, desk: SimulatedNode) -> None:
        """What a job that has ended took."""
        tally, traffic = self.tally, self.traffic
        busy = desk.end - desk.begin
        useful = busy / desk.slower
        tally.busy_seconds += busy
        tally.useful_seconds += useful
        tally.broadcast_seconds += useful * traffic.sending
        entries, others = useful * traffic.entries * traffic.arriving, self.machines.nodes - 1
        tally.entries += entries
        tally.messages += useful * traffic.messages
        tally.bytes += JOB_BYTES + OUTCOME_BYTES + entries * others * ENTRY_BYTES

    def _stop_unwanted(self, tree: Tree) -> None:
        unwanted, tree.unwanted = set(tree.unwanted), []
        for number, desk in enumerate(self._desks) if unwanted else ():
            if desk.job is None or desk.job.ticket not in unwanted:
                continue
            assert desk.outcome is not None
            end = max(desk.begin, self._now + self.machines.carried(0))
            if end < desk.end:
                part = (end - desk.begin) / (desk.end - desk.begin)
                counts = tuple(round(part * count) for count in desk.outcome.counts)
                desk.outcome = JobResult(
                    ticket=desk.job.ticket, valid=False, value=0, line=(), seconds=end - desk.begin, counts=counts
                )
                desk.end = end
                desk.version += 1
                self.tally.stopped += 1
                self._tell(number, desk)

    # --- what a job is worth, and what it costs ---

    def _worth(self, number: int, job: Job, begin: float) -> tuple[int, tuple[int, ...], float, int]:
        """The value, the line, the nodes that it takes this node, and how many of them are estimated."""
        recording = self.recording
        places = recording.places(job)
        if not places:
            self.tally.unrecorded += 1
            value = recording.answer(job)
            alike = recording.done[recording.alike(job, value, self.seed)]
            share = self.tally.lost_nodes / max(1, self._kept)  # what recorded jobs lose is lost by this one too
            return value, (), alike.nodes * (1 + share), alike.estimates
        # The n-th time that it is asked for is the n-th time in the recording, as far as there is one.
        place = next((each for each in places if each not in self._made), places[-1])
        done = recording.done[place]
        middle = begin + done.nodes / self.machines.rate / 2
        if number in self._made.get(place, ()):
            return done.value, done.line, 1, 0  # it did so before, and has it in its table
        lost = 0.0
        for use in recording.uses[place]:
            missed = self._missed(number, use.writer, use.depth, middle)
            lost += use.nodes * missed
            if number not in self._made.get(use.writer, (number,)):  # it was another node that made them
                self.tally.hits += use.hits * (1 - missed)
        self._made.setdefault(place, {})[number] = middle
        self.tally.lost_nodes += lost
        self._kept += done.nodes
        return done.value, done.line, done.nodes + lost, done.estimates

    def _missed(self, number: int, writer: int, depth: int, when: float) -> float:
        """The part of what a node would have from a recorded job's entries of one depth that it does not have."""
        made = self._made.get(writer)
        if made is None:
            return 1.0
        if number in made:
            return 0.0
        if self.policy.sends and depth >= self.policy.least and min(made.values()) + self.traffic.delay <= when:
            return 1 - self.traffic.arriving
        return 1.0


def simulate(
    board: Board[Any],
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
    """What the search of a recording would take on other machines. `depth`, `threshold` and options are its own."""
    made: list[Simulated] = []

    def divide(root: Root, workers: int) -> Simulated:
        made.append(Simulated(root, recording, machines, policy, threshold, seed))
        return made[0]

    if options.get("table_bits") is not None:
        options["table_bits"] = min(HEAD_BITS, options["table_bits"])
    scheme = Scheme(
        name="on paper", algorithms=("alphabeta", "pvs", "mtdf"), promises=Promise(0), overhead="", divide=divide
    )
    found = search(board, Limits(depth=depth), stop=stop, parallel=scheme, workers=1, threshold=threshold, **options)
    tally = made[0].tally
    tally.found = found
    return tally
