"""Costs of sharing work on this machine: offering, stealing, failed attempts to steal, and waking a sleeper."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from outflank.games.rules import Game, Position
from outflank.kernels.atomics import fetch_add, load, store
from outflank.kernels.compiler import Samples, interpreted, kernel
from outflank.kernels.deque import pop
from outflank.kernels.memory import address_of
from outflank.kernels.record_types import Records, allocate
from outflank.kernels.waiting import nanoseconds
from outflank.lab.replay.schedulers import Costs
from outflank.lab.spans.span_recordings import shared_recordings
from outflank.lab.spans.work_and_span import migrations
from outflank.parallel.delivering import withdraw_permit
from outflank.parallel.events import DONE, EventRecording, note_event
from outflank.parallel.idling import NAP, YIELDS, back_off, try_to_steal
from outflank.parallel.shared_state import CREW, FRAME, HAND, Crew, Frame, Hand
from outflank.parallel.taking import invite
from outflank.search.worker import WORKER, Worker

REPETITIONS, BATCHES = 2000, 30
"""Number of operations that are timed together, and number of such timings. The shortest one counts."""


@dataclass(frozen=True, slots=True)
class MeasuredCosts:
    """Costs in nanoseconds, with the number of steals from which they were measured."""

    costs: Costs
    steals: int
    wakes: int


@cache
def measured_costs() -> MeasuredCosts:
    """Measure what sharing costs on this machine, in nanoseconds.

    Steals and wake-ups are measured in short searches with two workers. The second worker sleeps until the first offer,
    so that the first steal of each search is a wake-up. Lower quartiles count, because other processes make some steals
    a thousand times as long. The other costs are the shortest times of the runtime's own functions.
    """
    durations = [migrations(events) for events in shared_recordings()]
    wakes = [first for first, *_ in filter(None, durations)]
    steals = [duration for _, *others in filter(None, durations) for duration in others]
    crew, hand, frame = _crew_of_two()
    offering, looking = (_least_time(time_offers, crew, hand, frame, offers) for offers in (True, False))
    attempt = attempt_cost()
    steal = _lower_quartile(steals)
    costs = Costs(
        offer=max(0.0, offering - looking),
        steal=steal,
        attempt=attempt,
        wake=min(1000.0 * NAP, max(0.0, _lower_quartile(wakes) - steal)),
        sleep_after=YIELDS * attempt,
    )
    return MeasuredCosts(costs, len(steals), len(wakes))


def attempt_cost() -> float:
    """Return the nanoseconds of an attempt to steal that finds an empty deque."""
    crew, hand, _ = _crew_of_two()
    return _least_time(time_attempts, crew, hand)


@cache
def measured_event_cost() -> float:
    """Return the least nanoseconds of recording an event on this machine."""
    recording, hands, workers = EventRecording(REPETITIONS), allocate(HAND, 1), allocate(WORKER, 1)
    time = _least_time(time_events, recording, hands[0], workers[0])
    assert not recording.lost
    return time


def _lower_quartile(durations: list[int]) -> float:
    return statistics.quantiles(durations, n=4, method="inclusive")[0] if len(durations) > 1 else 0.0


def time_events(recording: EventRecording, hand: Hand, worker: Worker, count: int) -> int:
    """Return the nanoseconds of recording `count` events, and clear the recording."""
    time: int = note_events(recording.probe, hand, worker, count)
    recording.take()
    return time


def _least_time(timed: Callable[..., int], *arguments: object) -> float:
    repetitions, batches = (10, 2) if interpreted() else (REPETITIONS, BATCHES)
    return min(timed(*arguments, repetitions) for _ in range(batches)) / repetitions


def _crew_of_two() -> tuple[Crew, Hand, Frame]:
    """Return a crew without threads, its first worker's hand, and a split point that this worker is inside."""
    crews, hands, frames = allocate(CREW, 1), allocate(HAND, 2), allocate(FRAME, 1)
    _crew_memory.append((crews, hands, frames))
    crew, hand, frame = crews[0], hands[0], frames[0]
    crew.hands, crew.count, crew.open = address_of(hands), 2, 1
    hands["id"] = np.arange(2)
    hands["random"] = 1
    hand.frame, frame.join = address_of(frames), 1
    return crew, hand, frame


_crew_memory: list[tuple[Records, ...]] = []
"""Memory of crews. It is kept, because records refer to it by address."""


@kernel
def time_offers(crew, hand, frame, offering, count):
    """Return the nanoseconds of offering and taking back `count` permits.

    Without `offering`, return the nanoseconds of looking `count` times for a permit in an empty deque. A single worker
    looks for permits, too.
    """
    began = nanoseconds()
    for _ in range(count):
        if offering:
            invite(crew, hand, frame)
            fetch_add(frame, "join", -withdraw_permit(hand, hand.frame))
        else:
            pop(hand)
    return nanoseconds() - began


@kernel
def note_events(probe, hand, worker, count):
    """Return the nanoseconds of recording `count` events."""
    began = nanoseconds()
    for _ in range(count):
        note_event(probe, DONE, 0, 0, hand, worker)
    return nanoseconds() - began


@kernel
def time_attempts(crew, hand, count):
    """Return the nanoseconds of `count` attempts to steal from an empty deque, with the short pause after each."""
    began = nanoseconds()
    for _ in range(count):
        if load(crew, "open") != 0:
            store(hand, "idle", 0, "seq_cst")
            try_to_steal(crew, hand)
            store(hand, "idle", 1, "seq_cst")
            back_off(crew, hand, 0)
    return nanoseconds() - began


@time_offers.sample
def _time_offers_sample(game: Game, position: Position, every: bool) -> Samples:
    yield (*_crew_of_two(), True, 1)


@note_events.sample
def _note_events_sample(game: Game, position: Position, every: bool) -> Samples:
    yield EventRecording(1).probe, allocate(HAND, 1)[0], allocate(WORKER, 1)[0], 1


@time_attempts.sample
def _time_attempts_sample(game: Game, position: Position, every: bool) -> Samples:
    yield (*_crew_of_two()[:2], 1)
