"""Measurements of a fork-join program of a user: work and span, times, replays, the workers' time, and races."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from outflank.errors import OutflankError
from outflank.forkjoin import Program, Recording
from outflank.lab.experiment import core_counts
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.child_process import Failed, measure_in_child
from outflank.lab.replay.schedulers import NEVER, Costs, schedule
from outflank.lab.replay.sharing_costs import attempt_cost
from outflank.lab.replay.task_graphs import task_graph
from outflank.lab.spans.task_spans import Events, fastest_task_strands, steal_cost, task_spans, top_intervals
from outflank.search.request import Stop
from outflank.validation.documents import JsonObject

PARALLELISM, SCALING, REPLAY, PROFILE, RACES = PARTS = ("parallelism", "scaling", "replay", "profile", "races")
RACE, INTERVAL, WORKER = "race", "interval", "worker"
"""Kinds of samples besides `PARTS`: a race, an interval of a worker's time, and the statistics of a worker."""

EVENTS = 1 << 20
"""Greatest number of events recorded per worker. They take 32 MiB."""

REPLAYED = (1, 2, 4, 8, 16, 32, 64)
"""Numbers of workers on which a recorded run is replayed."""

MOST_INTERVALS = 2000
"""Greatest number of intervals that a timeline shows."""

NewProgram: TypeAlias = Callable[[], Program]
"""Function that returns a new program, with new data."""


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A recorded program."""

    events: Events
    """Events of a run with one worker. Each strand has its shortest time of all recordings."""
    steal_ns: float
    steals: int


def _recorded(program: NewProgram, rounds: int, stop: Stop) -> _Recorded | None:
    """Record the program with one worker, and then with two to measure the cost of a steal. Return None if stopped."""
    by_workers: dict[int, list[Events]] = {1: [], 2: []}
    lost = 0
    for workers, recordings in by_workers.items():
        for _ in range(rounds):
            if stop.called:
                return None
            recording = Recording(EVENTS)
            program().measure(workers=workers, recording=recording)
            lost = max(lost, recording.lost)
            recordings.append(recording.events)
    if lost:
        raise OutflankError(f"more than {EVENTS:,} events; record a smaller input")
    cost, steals = steal_cost(by_workers[2])
    return _Recorded(fastest_task_strands(by_workers[1]), cost, steals)


def measure_parallelism(program: NewProgram, rounds: int, stop: Stop) -> list[Sample]:
    """Return work and span, in nanoseconds and in strands."""
    recorded = _recorded(program, rounds, stop)
    if recorded is None:
        return []
    samples: list[Sample] = []
    for unit in ("nanoseconds", "strands"):
        burden = recorded.steal_ns if unit == "nanoseconds" else 0.0
        spans = task_spans(recorded.events, unit=unit, burden=burden)
        samples.append(
            {
                "what": PARALLELISM,
                "unit": unit,
                "work": spans.work,
                "span": spans.span,
                "burdened_span": spans.burdened_span,
                "parallelism": spans.parallelism,
                "burdened_parallelism": spans.burdened_parallelism,
                "spawns": spans.spawns,
                "steal_ns": recorded.steal_ns,
                "steals": recorded.steals,
            }
        )
    return samples


def measure_replay(program: NewProgram, rounds: int, stop: Stop) -> list[Sample]:
    """Record the program, and return its simulated times on 1 to 64 workers."""
    recorded = _recorded(program, rounds, stop)
    if recorded is None:
        return []
    graph = task_graph(recorded.events)
    costs = Costs(steal=recorded.steal_ns, attempt=attempt_cost(), sleep_after=NEVER)
    return [
        {
            "what": REPLAY,
            "workers": workers,
            "one_ns": graph.total_work,
            "stealing_ns": schedule(graph, workers, costs=costs).time,
            "greedy_ns": schedule(graph, workers, "greedy").time,
            "steal_ns": recorded.steal_ns,
            "attempt_ns": costs.attempt,
        }
        for workers in REPLAYED
    ]


def measure_scaling(program: NewProgram, workers: int, round_: int, stop: Stop) -> list[Sample]:
    """Return the times of one run."""
    processor = time.process_time()
    outcome = program().measure(workers=workers)
    return [
        {
            "what": SCALING,
            "workers": workers,
            "round": round_,
            "seconds": outcome.seconds,
            "processor_seconds": time.process_time() - processor,
            "spawns": outcome.spawns,
            "steals": outcome.steals,
            "value": str(outcome.value),
        }
    ]


def measure_profile(program: NewProgram, stop: Stop) -> list[Sample]:
    """Return the workers' statistics and intervals in one run on all cores, with at least two workers."""
    recording = Recording(EVENTS)
    outcome = program().measure(workers=max(2, core_counts()[-1]), recording=recording)
    samples: list[Sample] = [
        {
            "what": WORKER,
            "worker": index,
            "seconds": outcome.seconds,
            "idle_seconds": worker.idle_seconds,
            "spawns": worker.spawns,
            "steals": worker.steals,
            "tries": worker.tries,
        }
        for index, worker in enumerate(outcome.workers)
    ]
    intervals = list(top_intervals(recording.events)) if not recording.lost else []
    longest = sorted(intervals, key=lambda interval: interval[2] - interval[3])[:MOST_INTERVALS]
    return samples + [
        {"what": INTERVAL, "worker": worker, "kind": kind, "begin_us": begin / 1000, "end_us": end / 1000}
        for worker, kind, begin, end in longest
    ]


def check_races(request: JsonObject, stop: Stop) -> list[Sample]:
    """Look for races in a child process; `request` has the program's name and the arguments of `check_program`."""
    try:
        rows = measure_in_child("outflank.lab.races", request, {**os.environ, "NUMBA_DISABLE_JIT": "1"}, stop)
    except Failed as error:
        raise OutflankError(f"{request['program']}: {error}") from None
    return [{**row, "what": RACES if row["what"] == "whole" else RACE} for row in rows]
