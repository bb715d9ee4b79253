"""Simulated schedulers: the time that any number of workers take for a fork-join graph.

`greedy` is the ideal scheduler: a free worker takes any ready strand at once, at no cost. Its time T(P) on P workers
obeys max(work / P, span) <= T(P) <= work / P + span (Graham).

`stealing` follows our runtime (`parallel/`). A worker that forks a group puts a permit on its deque and runs the first
job. A worker that joins a group by a permit offers another one while jobs are left, and takes jobs until there are
none. The last worker to leave a group continues after its join. A worker without work takes the newest permit of its
own deque. If that is empty, it steals the oldest permit of a random victim. A worker that has been idle for long
sleeps, and each new permit wakes one sleeper. `Costs` says how long these actions take.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from outflank.games.rules import Game, Position
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.lab.replay.fork_join_graph import END, NONE, Graph

SchedulerName = Literal["stealing", "greedy"]

CAPACITY = 256
"""Capacity of a worker's deque. A worker has at most one permit for each split point on its line."""

_RUNNING, _TRYING, _ARRIVING, _PARKED = range(4)
"""States of a worker: it runs a strand; it tries to steal; it has stolen a permit; it waits until there is a permit."""

# Fields of a worker's state: its state; its strand, or the group that it arrives at; both ends of its deque.
_STATE, _PLACE, _TOP, _BOTTOM, _FIELDS = 0, 1, 2, 3, 4

_SLOWED, _BUSY, _STEALS, _TRIES, _TOTALS = 0, 1, 2, 3, 4

NEVER = 1e300


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Costs of sharing work, in the unit of the graph's work."""

    offer: float = 0.0
    """Work of offering a split point's moves. A single worker offers none."""
    steal: float = 0.0
    """Time from the theft of a permit until the thief has a job."""
    attempt: float = 1.0
    """Time of an attempt to steal that finds an empty deque."""
    wake: float = 0.0
    """Time from a new permit until a sleeping worker tries to steal."""
    sleep_after: float = 0.0
    """Idle time after which a worker sleeps."""

    def in_units(self, unit: float) -> "Costs":
        """Return the costs in multiples of `unit`."""
        return Costs(**{name: getattr(self, name) / unit for name in self.__dataclass_fields__})


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The result of scheduling a graph on a number of workers."""

    time: float
    """Time until the root is done, in the unit of the graph's work."""
    busy: float
    """Time in which workers ran strands, summed over the workers."""
    steals: int
    tries: int
    """Number of attempts to steal. A worker that waits while there is no permit makes no attempt."""

    def __add__(self, other: "Schedule") -> "Schedule":
        """Return the sum of the figures of two roots that run one after the other."""
        return Schedule(**{name: getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__})


def schedule(
    graph: Graph,
    workers: int,
    scheduler: SchedulerName = "stealing",
    *,
    costs: Costs | None = None,
    bandwidth: float | None = None,
    seed: int = 1,
) -> Schedule:
    """Return the simulated schedule of `graph` on `workers` workers.

    If more than `bandwidth` workers run strands at once, memory limits them: every worker slows down by the number of
    running workers divided by `bandwidth`.
    """
    arrays = graph.work, graph.then, graph.sibling, graph.first, graph.after
    served = NEVER if bandwidth is None else float(bandwidth)
    totals = np.zeros(_TOTALS)
    if scheduler == "greedy":
        ready = np.zeros(len(graph.work) + 1, np.int64)
        time = greedy(*arrays, workers, served, np.full(workers, NEVER), ready, np.zeros_like(graph.first), totals)
        return Schedule(time=float(time), busy=float(totals[_BUSY]), steals=0, tries=0)
    costs = costs or Costs()
    durations = graph.work if workers == 1 else graph.work + costs.offer * graph.offers
    times = np.array([costs.steal, max(costs.attempt, 1e-3), costs.wake, costs.sleep_after])
    state, clocks = np.zeros((workers, _FIELDS), np.int64), np.zeros((workers, 2))
    groups = np.zeros((len(graph.first), 2), np.int64)
    deques = np.zeros((workers, CAPACITY), np.int64)
    random = np.array([seed % 2147483646 + 1])
    time = steal_work(durations, *arrays[1:], times, served, state, clocks, groups, deques, random, totals)
    return Schedule(time=float(time), busy=float(totals[_BUSY]), steals=int(totals[_STEALS]), tries=int(totals[_TRIES]))


# --- greedy ---


@kernel
def greedy(work, then, sibling, first, after, workers, bandwidth, ends, ready, jobs_left, totals):
    """Return the time of `workers` workers that take ready strands, the newest first, as soon as they are free."""
    strands = np.zeros(workers, np.int64)
    count, running = 1, 0
    ready[0] = 0
    now = 0.0
    while True:
        while count > 0 and running < workers:
            count -= 1
            idle = 0
            while ends[idle] != NEVER:
                idle += 1
            strands[idle], ends[idle] = ready[count], now + work[ready[count]]
            totals[_BUSY] += work[ready[count]]
            running += 1
        earliest = int(np.argmin(ends))
        totals[_SLOWED] += (ends[earliest] - now) * max(1.0, running / bandwidth)
        now = ends[earliest]
        ends[earliest] = NEVER
        running -= 1
        group = then[strands[earliest]]
        if group == END:
            return totals[_SLOWED]
        if group >= 0:
            job = first[group]
            while job != NONE:
                jobs_left[group] += 1
                ready[count] = job
                count += 1
                job = sibling[job]
        else:
            jobs_left[-1 - group] -= 1
            if jobs_left[-1 - group] == 0:
                ready[count] = after[-1 - group]
                count += 1


@greedy.sample
def _greedy_sample(game: Game, position: Position, every: bool) -> Samples:
    words = np.full(1, END)
    yield (
        np.zeros(1),
        words,
        words,
        words,
        words,
        1,
        NEVER,
        np.full(1, NEVER),
        np.zeros(2, np.int64),
        words,
        np.zeros(4),
    )


# --- work stealing ---

# Columns of a worker's clocks: when its current step ends, and since when it is idle.
_NEXT, _IDLE_SINCE = 0, 1

# Columns of a group: the first strand of its next job, and the number of permits and workers inside.
_JOB, _INSIDE = 0, 1

_STEAL, _ATTEMPT, _WAKE, _SLEEP_AFTER = range(4)


@kernel
def steal_work(work, then, sibling, first, after, times, bandwidth, state, clocks, groups, deques, random, totals):
    """Return the time of workers that steal from each other. Worker 0 begins, and all other workers sleep."""
    workers = state.shape[0]
    state[1:, _STATE] = _PARKED
    clocks[:, _IDLE_SINCE] = -NEVER
    clocks[1:, _NEXT] = NEVER
    clocks[0, _NEXT] = work[0]
    permits, running, before = 0, 1, 0.0
    while True:
        worker = np.argmin(clocks[:, _NEXT])
        own, clock = state[worker], clocks[worker]
        now = clock[_NEXT]
        totals[_SLOWED] += (now - before) * max(1.0, running / bandwidth)
        totals[_BUSY] += (now - before) * running
        before = now
        group = NONE  # where the worker looks for a job
        offered = False
        if own[_STATE] == _RUNNING:
            running -= 1
            ended = then[own[_PLACE]]
            if ended == END:
                return totals[_SLOWED]
            if ended >= 0:
                group = ended
                groups[group, _JOB], groups[group, _INSIDE] = first[group], 1
                offered = workers > 1
            else:
                group = -1 - ended
        elif own[_STATE] == _ARRIVING:
            group = own[_PLACE]
            offered = groups[group, _JOB] != NONE and sibling[groups[group, _JOB]] != NONE
        else:
            victim = worker
            if workers > 1:
                random[0] = random[0] * 48271 % 2147483647
                victim = random[0] % (workers - 1)
                victim += victim >= worker
            totals[_TRIES] += 1
            if state[victim, _TOP] < state[victim, _BOTTOM]:
                permits -= 1
                totals[_STEALS] += 1
                own[_STATE], own[_PLACE] = _ARRIVING, deques[victim, state[victim, _TOP] % CAPACITY]
                state[victim, _TOP] += 1
                clock[_NEXT] += times[_STEAL]
            elif permits > 0:
                clock[_NEXT] += times[_ATTEMPT]
            else:
                own[_STATE], clock[_NEXT] = _PARKED, NEVER
            continue
        if offered:
            push(own, deques[worker], group)
            groups[group, _INSIDE] += 1
            permits += 1
            call_thieves(state, clocks, now, times)
        strand = NONE
        while strand == NONE and group != NONE:
            strand = groups[group, _JOB]
            if strand != NONE:
                groups[group, _JOB] = sibling[strand]
                break
            # No job is left: leave the group, and take back the permit that no other worker wants.
            if own[_TOP] < own[_BOTTOM] and deques[worker, (own[_BOTTOM] - 1) % CAPACITY] == group:
                own[_BOTTOM] -= 1
                permits -= 1
                groups[group, _INSIDE] -= 1
            groups[group, _INSIDE] -= 1
            if groups[group, _INSIDE] == 0:
                strand = after[group]
                break
            group = NONE
            if own[_TOP] < own[_BOTTOM]:
                own[_BOTTOM] -= 1
                permits -= 1
                group = deques[worker, own[_BOTTOM] % CAPACITY]
                if groups[group, _JOB] != NONE and sibling[groups[group, _JOB]] != NONE:
                    push(own, deques[worker], group)
                    groups[group, _INSIDE] += 1
                    permits += 1
                    call_thieves(state, clocks, now, times)
        if strand != NONE:
            running += 1
            own[_STATE], own[_PLACE] = _RUNNING, strand
            clock[_NEXT] = now + work[strand]
        else:
            own[_STATE] = _TRYING
            clock[_NEXT], clock[_IDLE_SINCE] = now + times[_ATTEMPT], now


@inner
def push(own, deque, group):
    """Put a permit for `group` on the worker's deque."""
    deque[own[_BOTTOM] % CAPACITY] = group
    own[_BOTTOM] += 1


@inner
def call_thieves(state, clocks, now, times):
    """Let waiting workers try to steal: all that are awake, and one that sleeps."""
    woken = False
    for thief in range(state.shape[0]):
        if state[thief, _STATE] != _PARKED:
            continue
        if now - clocks[thief, _IDLE_SINCE] <= times[_SLEEP_AFTER]:
            clocks[thief, _NEXT] = now + times[_ATTEMPT]
        elif not woken:
            clocks[thief, _NEXT] = now + times[_WAKE]
            woken = True
        else:
            continue
        state[thief, _STATE] = _TRYING
        clocks[thief, _IDLE_SINCE] = now


@steal_work.sample
def _steal_work_sample(game: Game, position: Position, every: bool) -> Samples:
    words, state = np.full(1, END), np.zeros((1, _FIELDS), np.int64)
    yield (
        *(np.zeros(1), words, words, words, words, np.ones(4), NEVER, state, np.zeros((1, 2))),
        *(np.zeros((1, 2), np.int64), np.zeros((1, CAPACITY), np.int64), np.ones(1, np.int64), np.zeros(4)),
    )
