"""Clusters that we do not have: a search recorded on one node, replayed on up to 1 024 that are only counted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from outflank.distributed.cluster import Cluster
from outflank.distributed.engines.inside.search import InsideFabric
from outflank.distributed.head import Tuning
from outflank.distributed.replication import Replication, replication_named
from outflank.kinds import Count, Kind, Measured, Several, Shape
from outflank.lab.boards import board_named
from outflank.lab.experiment import Conclusion, Experiment, Task, option
from outflank.lab.programs import OURS, ProgramChoice, program_note
from outflank.lab.report import Sample, sample_shape
from outflank.lab.search_log import noted, search
from outflank.lab.simulation import Tally, simulate
from outflank.lab.simulation_machines import Machines, effort
from outflank.lab.simulation_recording import RecordedJobs, calibrated, record
from outflank.lab.simulation_report import concluded, middle
from outflank.machine import usable_cores
from outflank.search.contract import Limits, Stop
from outflank.words import how_many

_WHERE: dict[str, Kind] = {"threshold": Several}
_RUN: dict[str, Kind] = {**_WHERE, "count": Several, "policy": str, "round": Several, "value": int, "jobs": Count}

SHAPES: dict[str, dict[str, Kind]] = {
    "alone": {"value": int, "nodes": Several, "seconds": Measured},
    "recording": {
        **_WHERE,
        **dict.fromkeys(("jobs", "nodes"), Several),
        **dict.fromkeys(("without_values", "without_moves", "value_weight", "move_weight", "head_us"), float),
        "value": int,
    },
    "replication": {**_WHERE, "count": Several, "policy": str, "depth": Count, "effort": Measured},
    "hidden": {**_WHERE, "value": int, "depth": Count, "expected": Measured, "measured": Measured},
    "checked": {
        **_RUN,
        **dict.fromkeys(("nodes", "seconds", "expected_nodes", "expected_seconds"), Measured),
        "expected_jobs": Count,
    },
    "simulated": {
        **_RUN,
        **dict.fromkeys(("seconds", "nodes"), Measured),
        **dict.fromkeys(("lost", "busy", "head"), float),
        **dict.fromkeys(("unrecorded", "stopped"), Count),
        "depth": Count | None,
    },
}
"""What its samples hold, by what they are."""

CHECKED = ("none", "async")
"""Policies that are also measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulateParameters(ProgramChoice):
    """What is recorded, and what it is replayed on."""

    program: str | None = option(None, "The program that searches: 000 (that report's) or ours.  [ours]")
    positions: tuple[str, ...] = option(("f5d6c3d3c4f4f6",), "Positions, by name or in any notation.")
    depth: int = option(16, "Plies.")
    thresholds: tuple[int, ...] = option((8, 9, 10, 11), "Plies left at which a part becomes a job of one node.")
    nodes: tuple[int, ...] = option((1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024), "Numbers of simulated nodes.")
    policies: tuple[str, ...] = option(("none", "batch", "depth", "async"), "Replication policies.")
    depths: tuple[int, ...] = option((3, 4, 5, 6, 7, 8, 9, 10, 11), "Replication depths that are considered.")
    hidden: tuple[int, ...] = option((4, 6, 8), "Replication depths whose worth is also measured.")
    measured: tuple[int, ...] = option((1, 2, 4), "Numbers of nodes that are also measured, within this process.")
    rounds: int = option(3, "Times that each cluster is simulated, with other seeds, and measured.")
    rate: float = option(7.5, "Million nodes of the tree that a node of the cluster enters in a second.")
    latency: float = option(50.0, "Microseconds that a message takes.")
    bandwidth: float = option(1000.0, "Megabytes a second from and to a node.")
    head: float = option(100.0, "Microseconds that a job takes the head.")
    message: float = option(20.0, "Microseconds that a message with entries takes who sends it, and who receives it.")
    entry: float = option(0.1, "Microseconds that each entry in it takes them besides.")
    table_bits: int = option(22, "32 · 2^BITS bytes for the table of a node.")

    def __post_init__(self) -> None:
        super(SimulateParameters, self).__post_init__()
        for name in self.policies:
            replication_named(name)
        for position in self.positions:
            self.options_for(position)

    def unused(self) -> tuple[str, ...]:
        policies = [replication_named(name) for name in self.policies]
        chosen = () if any(policy.depth is None for policy in policies) else ("depths",)
        return chosen if any(policy.sends for policy in policies) else (*chosen, "message", "entry")

    def options_for(self, position: str) -> dict[str, Any]:
        """What a position is searched with."""
        return {**self.searched_with(board_named(position), OURS), "table_bits": self.table_bits}


class Simulate(Experiment[SimulateParameters]):
    """Speed-up, replication depth and threshold by the number of nodes."""

    name = "simulate"
    question = "How would a search scale to many nodes, what should they tell each other, and how large should jobs be?"
    reports = ("000",)
    parameters = SimulateParameters

    def tasks(self, chosen: SimulateParameters) -> Sequence[Task]:
        tasks: list[Task] = []
        for position in chosen.positions:
            tasks.append(Task(f"{position} alone", partial(_alone, chosen, position)))
            for threshold in chosen.thresholds:
                here = f"{position}, threshold {threshold}"
                tasks.append(Task(f"{here}: recording", partial(_described, chosen, position, threshold), 4.0))
                if threshold == middle(chosen.thresholds):
                    tasks += [
                        Task(f"{here}: hidden below {depth}", partial(_hidden, chosen, position, threshold, depth))
                        for depth in chosen.hidden
                    ]
                    tasks += [
                        Task(
                            f"{here}: {how_many(count, 'node')}, {policy}",
                            partial(_checked, chosen, position, threshold, count, policy),
                            2.0 * chosen.rounds,
                        )
                        for count in chosen.measured
                        for policy in CHECKED
                    ]
                tasks += [
                    Task(f"{here}: {count} simulated", partial(_simulated, chosen, position, threshold, count), 1.0)
                    for count in chosen.nodes
                ]
        return tasks

    def shape(self, chosen: SimulateParameters, sample: Sample) -> Shape:
        what = sample.get("what")
        names = SHAPES[what] if isinstance(what, str) and what in SHAPES else {}
        return sample_shape(names, what=Literal[*SHAPES], position=str)

    def conclude(self, chosen: SimulateParameters, samples: Sequence[Sample]) -> Conclusion:
        said = dict.fromkeys(program_note(chosen.options_for(position)) for position in chosen.positions)
        return concluded(samples, rate=chosen.rate * 1e6, threshold=middle(chosen.thresholds), said=tuple(said))


# --- measuring ---

_kept: dict[tuple[Any, ...], RecordedJobs] = {}


def _recorded(chosen: SimulateParameters, position: str, threshold: int, stop: Stop) -> RecordedJobs | None:
    """The recording, which all tasks of a threshold share; None: stopped."""
    options = chosen.options_for(position)
    key = position, chosen.depth, threshold, tuple(options.items())
    if key not in _kept:
        found = calibrated(board_named(position), chosen.depth, threshold, stop=stop, **options)
        if stop.called:
            return None
        _kept.clear()  # each has a table
        _kept[key] = found
    return _kept[key]


def _alone(chosen: SimulateParameters, position: str, stop: Stop) -> list[Sample]:
    options = chosen.options_for(position)
    found = search(board_named(position), Limits(depth=chosen.depth), stop=stop, workers=1, **options)
    return [
        {"what": "alone", "position": position, "value": found.value, "nodes": found.nodes, "seconds": found.seconds}
    ]


def _described(chosen: SimulateParameters, position: str, threshold: int, stop: Stop) -> list[Sample]:
    recording = _recorded(chosen, position, threshold, stop)
    if recording is None:
        return []
    where: Sample = {"position": position, "threshold": threshold}
    samples: list[Sample] = [
        {
            "what": "recording",
            **where,
            "value": recording.found.value,
            "jobs": len(recording.done),
            "nodes": recording.nodes,
            "without_values": recording.without[0],
            "without_moves": recording.without[1],
            "value_weight": recording.weights[0],
            "move_weight": recording.weights[1],
            "head_us": recording.head_seconds * 1e6,
        }
    ]
    samples += [
        {
            "what": "replication",
            **where,
            "count": count,
            "policy": policy.name,
            "depth": policy.least,
            "effort": effort(policy, recording, _machines(chosen, count)),
        }
        for count in chosen.nodes
        for policy in _considered(chosen, chosen.policies)
    ]
    return samples


def _considered(chosen: SimulateParameters, names: Iterable[str]) -> list[Replication]:
    """Policies, with every replication depth where none is given."""
    found: list[Replication] = []
    for name in names:
        policy = replication_named(name)
        found += [policy] if policy.depth is not None else [replace(policy, depth=depth) for depth in chosen.depths]
    return found


def _machines(chosen: SimulateParameters, count: int) -> Machines:
    return Machines(
        nodes=count,
        rate=chosen.rate * 1e6,
        latency=chosen.latency / 1e6,
        bandwidth=chosen.bandwidth * 1e6,
        head_seconds=chosen.head / 1e6,
        message_seconds=chosen.message / 1e6,
        entry_seconds=chosen.entry / 1e6,
    )


def _hidden(chosen: SimulateParameters, position: str, threshold: int, depth: int, stop: Stop) -> list[Sample]:
    recording = _recorded(chosen, position, threshold, stop)
    if recording is None:
        return []
    options = chosen.options_for(position)
    found = record(board_named(position), chosen.depth, threshold, hidden_below=depth, stop=stop, **options)
    return [
        {
            "what": "hidden",
            "position": position,
            "threshold": threshold,
            "value": found.found.value,
            "depth": depth,
            "expected": 1 + recording.lost_below(depth) / recording.nodes,
            "measured": found.nodes / recording.nodes,
        }
    ]


def _checked(
    chosen: SimulateParameters, position: str, threshold: int, count: int, policy: str, stop: Stop
) -> list[Sample]:
    """Nodes within this process, beside what is expected of such: they tell each other at no cost."""
    recording = _recorded(chosen, position, threshold, stop)
    if recording is None:
        return []
    board = board_named(position)
    samples: list[Sample] = []
    options = {**chosen.options_for(position), "threshold": threshold}
    for seed in range(1, chosen.rounds + 1):
        with Cluster(InsideFabric(count), tuning=Tuning(alone_seconds=0.0)) as cluster:
            # Nodes that take turns on few cores must advance evenly.
            pace = 2000 if count > usable_cores() else 0
            found = cluster.search(
                board, Limits(depth=chosen.depth), stop=stop, workers=1, replication=policy, pace=pace, **options
            )
        if stop.called:
            return []
        noted(board, found, options)
        assert cluster.head is not None
        sent = cluster.head.replication  # a depth that was not given is known now, if anything was divided
        sent = sent if sent.depth is not None else replace(sent, depth=chosen.depth)
        busy = sum(worker.useful_seconds for worker in found.workers)
        machines = Machines(nodes=count, rate=found.nodes / busy, head_seconds=recording.head_seconds)
        tally = simulate(board, recording, machines, sent, depth=chosen.depth, seed=seed, stop=stop, **options)
        samples.append(
            {
                "what": "checked",
                "position": position,
                "threshold": threshold,
                "count": count,
                "policy": policy,
                "round": seed,
                "value": found.value,
                "nodes": found.nodes / recording.nodes,
                "jobs": sum(worker.executed for worker in found.workers),
                "seconds": found.seconds,
                "expected_nodes": tally.nodes / recording.nodes,
                "expected_jobs": tally.jobs,
                "expected_seconds": tally.seconds,
            }
        )
    return samples


def _simulated(chosen: SimulateParameters, position: str, threshold: int, count: int, stop: Stop) -> list[Sample]:
    recording = _recorded(chosen, position, threshold, stop)
    if recording is None:
        return []
    board, machines = board_named(position), _machines(chosen, count)
    samples: list[Sample] = []
    for name in chosen.policies:
        policy = min(_considered(chosen, (name,)), key=lambda each: effort(each, recording, machines))
        for seed in range(1, chosen.rounds + 1):
            tally = simulate(
                board,
                recording,
                machines,
                policy,
                depth=chosen.depth,
                threshold=threshold,
                seed=seed,
                stop=stop,
                **chosen.options_for(position),
            )
            if stop.called:
                return []
            samples.append(_simulated_sample(position, threshold, count, policy, seed, tally, recording))
    return samples


def _simulated_sample(
    position: str, threshold: int, count: int, policy: Replication, seed: int, tally: Tally, recording: RecordedJobs
) -> Sample:
    assert tally.found is not None
    return {
        "what": "simulated",
        "position": position,
        "threshold": threshold,
        "count": count,
        "policy": policy.name,
        "depth": policy.depth if policy.sends else None,
        "round": seed,
        "value": tally.found.value,
        "seconds": tally.seconds,
        "nodes": tally.nodes / recording.nodes,
        "lost": tally.lost_nodes / recording.nodes,
        "busy": tally.busy_seconds / tally.seconds / count,
        "head": tally.head_seconds / tally.seconds,
        "jobs": tally.jobs,
        "unrecorded": tally.unrecorded,
        "stopped": tally.stopped,
        "useful_per_node": tally.useful_seconds / count,
        "overhead_per_node": max(0.0, tally.seconds - tally.useful_seconds / count),
        "steals_tried": tally.steals_tried,
        "steals_won": tally.steals_won,
        "bytes": round(tally.bytes),
        "entries_sent": round(tally.entries),
        "messages": round(tally.messages),
        "broadcast_seconds": tally.broadcast_seconds,
        "replicated_hits": round(tally.hits),
    }
