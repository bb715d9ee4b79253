"""Recorded graphs of a search or a game with one worker, and the time that they take on more workers.

The searches of a game follow each other, and so do the iterations of a search: their times add up. Only the tree of a
root is shared among workers. The work of a search before, after and between its roots takes the same time with any
number of workers.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add

from outflank.lab.replay.fork_join_graph import Graph, graphs_of
from outflank.lab.replay.schedulers import Costs, Schedule, SchedulerName, schedule
from outflank.lab.replay.sharing_costs import measured_event_cost
from outflank.lab.spans.span_recordings import ROOM, Cost, Events, fastest_strands
from outflank.parallel.events import EventRecording
from outflank.search.results import Result

NANOSECONDS = 1e9

LEAST_DEPTH = 3
"""Least remaining depth of split points that are recorded by default, in plies. Other split points become parts of
strands, which are then some microseconds long. The value changes replayed speed-ups. In a game at depth 6, a value
of 2 instead of 3 raises the speed-up of report 004's program on 8, 32 and 64 workers by 1, 4 and 11 %. A value of 4
lowers the speed-ups of the programs of reports 002 and 004 by 2 to 5 % on 8 workers, by 13 to 30 % on 32, and by 20 to
43 % on 64. In deeper games the differences are smaller."""


@dataclass(slots=True)
class RecordedSearches:
    """The graphs of all roots of a search or a game, in nanoseconds, and the time outside them."""

    graphs: list[Graph] = field(default_factory=list)
    outside_seconds: float = 0.0
    """Time of the searches outside the trees of their roots."""
    nodes: int = 0
    searches: int = 0
    unlike: int = 0
    """Number of searches whose recordings differ. It must be 0."""
    lost: int = 0
    """Number of events that were dropped because the buffer was full."""
    costs: list[Cost] = field(default_factory=list)
    """Time of each recording, with the part that other processes took."""

    @property
    def work_seconds(self) -> float:
        """Time of one worker inside the trees."""
        return sum(graph.total_work for graph in self.graphs) / NANOSECONDS

    @property
    def span_seconds(self) -> float:
        """Time of the longest path of each tree, summed over all roots."""
        return sum(graph.span for graph in self.graphs) / NANOSECONDS

    def on_workers(
        self,
        workers: int,
        scheduler: SchedulerName = "stealing",
        *,
        costs: Costs | None = None,
        bandwidth: float | None = None,
        seed: int = 1,
    ) -> Schedule:
        """Return the simulated schedule of all roots on `workers` workers, in nanoseconds inside the trees."""
        schedules = (
            schedule(graph, workers, scheduler, costs=costs, bandwidth=bandwidth, seed=seed + place)
            for place, graph in enumerate(self.graphs)
        )
        return reduce(add, schedules, Schedule(time=0.0, busy=0.0, steals=0, tries=0))

    def seconds_of(self, replayed: Schedule) -> float:
        """Return the time of the searches with their roots scheduled as `replayed`."""
        return self.outside_seconds + replayed.time / NANOSECONDS


def record_graphs(
    searches: Callable[[EventRecording], Iterator[Result]],
    times: int,
    *,
    least_depth: int = 0,
    beside: Callable[[int], None] = lambda round_: None,
) -> RecordedSearches:
    """Record the searches `times` times with one worker, and return their graphs.

    Each strand gets its shortest time of all recordings, so that a preemption in one recording does not lengthen a
    path. But in no single run do all strands take their shortest time, and the sum of these times may be a fifth too
    small. So the strands of a search are scaled until their sum is that of the fastest recording. The cost of recording
    is subtracted. Split points with less than `least_depth` plies left are not recorded. `beside` is called after each
    recorded search, with the number of its round, counted from 0.
    """
    event_cost = measured_event_cost()
    recording = EventRecording(ROOM, least_depth=least_depth)
    recorded = RecordedSearches(costs=[Cost() for _ in range(times)])
    rounds = [searches(recording) for _ in range(times)]
    while True:
        recordings: list[Events] = []
        outside: list[float] = []
        for round_, (cost, results) in enumerate(zip(recorded.costs, rounds, strict=True)):
            result = cost.next_of(results)
            if result is not None:
                recordings.append(recording.take())
                outside.append(result.seconds - inside_seconds(result))
                nodes = result.nodes
                beside(round_)
        if len(recordings) < times:
            break
        events, same = fastest_strands(recordings)
        graphs = list(graphs_of(events, event_cost=event_cost))
        least = min(sum(graph.total_work for graph in graphs_of(one, event_cost=event_cost)) for one in recordings)
        shortened = sum(graph.total_work for graph in graphs)
        recorded.graphs += [replace(graph, work=graph.work * (least / shortened)) for graph in graphs if shortened]
        recorded.outside_seconds += max(0.0, min(outside))
        recorded.nodes += nodes
        recorded.searches += 1
        recorded.unlike += not same
    recorded.lost = recording.lost
    return recorded


def inside_seconds(result: Result) -> float:
    """Return the time of a search inside the trees of its roots, by the clocks of its workers.

    It is 0 for the serial program, which has no such clocks.
    """
    clocks = [worker.useful_seconds + worker.idle_seconds for worker in result.workers]
    return max(clocks, default=0.0)


def timed_searches(searches: Callable[[], Iterator[Result]]) -> tuple[float, float, int]:
    """Run the searches, and return their seconds inside and outside the trees of their roots, and their nodes."""
    results = list(searches())
    inside = sum(map(inside_seconds, results))
    return inside, max(0.0, sum(result.seconds for result in results) - inside), sum(result.nodes for result in results)
