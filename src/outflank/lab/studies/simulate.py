"""Experiment `simulate`: a search is recorded on one node, and replayed on up to 1 024 simulated nodes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from outflank.distributed.cluster import Cluster
from outflank.distributed.engines.inside_engine import InsideFabric
from outflank.distributed.head import Tuning
from outflank.distributed.replication import Replication, replication_named
from outflank.lab.experiment import Conclusion, Experiment, Task, option
from outflank.lab.experiment_boards import board_named
from outflank.lab.experiment_report import Sample, sample_shape
from outflank.lab.measuring.search_log import log_result, search
from outflank.lab.report_programs.measured_programs import OURS, ProgramChoice, program_note
from outflank.lab.simulation.job_recording import RecordedJobs, calibrated, record
from outflank.lab.simulation.simulated_cluster import Tally, simulate
from outflank.lab.simulation.simulated_machines import Machines, relative_work
from outflank.lab.simulation.simulation_report import conclude, middle_threshold
from outflank.machine import usable_cores
from outflank.search.keywords import SearchArguments
from outflank.search.request import Limits, Stop
from outflank.validation.documents import Count, Measured, Several
from outflank.validation.text import how_many
from outflank.validation.values import Kind, Shape

_LABEL_KINDS: dict[str, Kind] = {"threshold": Several}
_RUN_KINDS: dict[str, Kind] = {
    **_LABEL_KINDS,
    "count": Several,
    "policy": str,
    "round": Several,
    "value": int,
    "jobs": Count,
}

SHAPES: dict[str, dict[str, Kind]] = {
    "alone": {"value": int, "nodes": Several, "seconds": Measured},
    "recording": {
        **_LABEL_KINDS,
        **dict.fromkeys(("jobs", "nodes"), Several),
        **dict.fromkeys(("without_values", "without_moves", "value_weight", "move_weight", "head_us"), float),
        "value": int,
    },
    "replication": {**_LABEL_KINDS, "count": Several, "policy": str, "depth": Count, "effort": Measured},
    "hidden": {**_LABEL_KINDS, "value": int, "depth": Count, "expected": Measured, "measured": Measured},
    "checked": {
        **_RUN_KINDS,
        **dict.fromkeys(("nodes", "seconds", "expected_nodes", "expected_seconds"), Measured),
        "expected_jobs": Count,
    },
    "simulated": {
        **_RUN_KINDS,
        **dict.fromkeys(("seconds", "nodes"), Measured),
        **dict.fromkeys(("lost", "busy", "head"), float),
        **dict.fromkeys(("unrecorded", "stopped"), Count),
        "depth": Count | None,
    },
}
"""Types of the fields of a sample, by the value of its field `what`."""

TUNING = Tuning(alone_seconds=0.0, jobs_ahead=False)
"""As in the simulation, which sends every job when its node is idle."""

CHECKED = ("none", "async")
"""Replication policies that are also measured, on cluster nodes within this process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulateParameters(ProgramChoice):
    """Parameters of the experiment `simulate`."""

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
        unused = () if any(policy.depth is None for policy in policies) else ("depths",)
        return unused if any(policy.sends for policy in policies) else (*unused, "message", "entry")

    def options_for(self, position: str) -> SearchArguments:
        """Return the search options for a position."""
        return {**self.search_options(board_named(position), OURS), "table_bits": self.table_bits}


class Simulate(Experiment[SimulateParameters]):
    """Simulates searches on clusters, to find speed-ups, replication depths and thresholds by number of nodes."""

    name = "simulate"
    question = "How would a search scale to many nodes, what should they tell each other, and how large should jobs be?"
    reports = ("000",)
    parameters = SimulateParameters

    def tasks(self, parameters: SimulateParameters) -> Sequence[Task]:
        tasks: list[Task] = []
        for position in parameters.positions:
            tasks.append(Task(f"{position} alone", partial(_search_alone, parameters, position)))
            for threshold in parameters.thresholds:
                title = f"{position}, threshold {threshold}"
                tasks.append(
                    Task(f"{title}: recording", partial(_describe_recording, parameters, position, threshold), 4.0)
                )
                if threshold == middle_threshold(parameters.thresholds):
                    tasks += [
                        Task(
                            f"{title}: hidden below {depth}",
                            partial(_measure_hidden, parameters, position, threshold, depth),
                        )
                        for depth in parameters.hidden
                    ]
                    tasks += [
                        Task(
                            f"{title}: {how_many(count, 'node')}, {policy}",
                            partial(_compare_with_cluster, parameters, position, threshold, count, policy),
                            2.0 * parameters.rounds,
                        )
                        for count in parameters.measured
                        for policy in CHECKED
                    ]
                tasks += [
                    Task(
                        f"{title}: {count} simulated",
                        partial(_simulate_nodes, parameters, position, threshold, count),
                        1.0,
                    )
                    for count in parameters.nodes
                ]
        return tasks

    def shape(self, parameters: SimulateParameters, sample: Sample) -> Shape:
        what = sample.get("what")
        names = SHAPES[what] if isinstance(what, str) and what in SHAPES else {}
        return sample_shape(names, what=Literal[*SHAPES], position=str)

    def conclude(self, parameters: SimulateParameters, samples: Sequence[Sample]) -> Conclusion:
        program_notes = dict.fromkeys(
            program_note(parameters.options_for(position)) for position in parameters.positions
        )
        return conclude(
            samples,
            rate=parameters.rate * 1e6,
            threshold=middle_threshold(parameters.thresholds),
            program_notes=tuple(program_notes),
        )


# --- measuring ---

_recordings: dict[tuple[object, ...], RecordedJobs] = {}


def _recording(parameters: SimulateParameters, position: str, threshold: int, stop: Stop) -> RecordedJobs | None:
    """Return the recorded search that all tasks of a threshold share, or None after `stop` is called."""
    options = parameters.options_for(position)
    key = position, parameters.depth, threshold, tuple(options.items())
    if key not in _recordings:
        recording = calibrated(board_named(position), parameters.depth, threshold, stop=stop, **options)
        if stop.called:
            return None
        _recordings.clear()  # frees memory: each recording holds a table
        _recordings[key] = recording
    return _recordings[key]


def _search_alone(parameters: SimulateParameters, position: str, stop: Stop) -> list[Sample]:
    options = parameters.options_for(position)
    result = search(board_named(position), Limits(depth=parameters.depth), stop=stop, workers=1, **options)
    return [
        {"what": "alone", "position": position, "value": result.value, "nodes": result.nodes, "seconds": result.seconds}
    ]


def _describe_recording(parameters: SimulateParameters, position: str, threshold: int, stop: Stop) -> list[Sample]:
    recording = _recording(parameters, position, threshold, stop)
    if recording is None:
        return []
    labels: Sample = {"position": position, "threshold": threshold}
    samples: list[Sample] = [
        {
            "what": "recording",
            **labels,
            "value": recording.result.value,
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
            **labels,
            "count": count,
            "policy": policy.name,
            "depth": policy.least,
            "effort": relative_work(policy, recording, _machines(parameters, count)),
        }
        for count in parameters.nodes
        for policy in _with_depths(parameters, parameters.policies)
    ]
    return samples


def _with_depths(parameters: SimulateParameters, names: Iterable[str]) -> list[Replication]:
    """Return the policies called `names`. A policy without a replication depth is returned once for each depth."""
    policies: list[Replication] = []
    for name in names:
        policy = replication_named(name)
        policies += (
            [policy] if policy.depth is not None else [replace(policy, depth=depth) for depth in parameters.depths]
        )
    return policies


def _machines(parameters: SimulateParameters, count: int) -> Machines:
    return Machines(
        nodes=count,
        rate=parameters.rate * 1e6,
        latency=parameters.latency / 1e6,
        bandwidth=parameters.bandwidth * 1e6,
        head_seconds=parameters.head / 1e6,
        message_seconds=parameters.message / 1e6,
        entry_seconds=parameters.entry / 1e6,
    )


def _measure_hidden(
    parameters: SimulateParameters, position: str, threshold: int, depth: int, stop: Stop
) -> list[Sample]:
    recording = _recording(parameters, position, threshold, stop)
    if recording is None:
        return []
    options = parameters.options_for(position)
    hidden_recording = record(
        board_named(position), parameters.depth, threshold, hidden_below=depth, stop=stop, **options
    )
    return [
        {
            "what": "hidden",
            "position": position,
            "threshold": threshold,
            "value": hidden_recording.result.value,
            "depth": depth,
            "expected": 1 + recording.lost_below(depth) / recording.nodes,
            "measured": hidden_recording.nodes / recording.nodes,
        }
    ]


def _compare_with_cluster(
    parameters: SimulateParameters, position: str, threshold: int, count: int, policy: str, stop: Stop
) -> list[Sample]:
    """Search on `count` nodes within this process, and simulate the same search with messages that cost nothing. Return
    a sample of each round, with both results."""
    recording = _recording(parameters, position, threshold, stop)
    if recording is None:
        return []
    board = board_named(position)
    samples: list[Sample] = []
    options = {**parameters.options_for(position), "threshold": threshold}
    for seed in range(1, parameters.rounds + 1):
        with Cluster(InsideFabric(count), tuning=TUNING) as cluster:
            # Nodes that take turns on few cores must advance evenly.
            pace = 2000 if count > usable_cores() else 0
            result = cluster.search(
                board, Limits(depth=parameters.depth), stop=stop, workers=1, replication=policy, pace=pace, **options
            )
        if stop.called:
            return []
        log_result(board, result, options)
        assert cluster.head is not None
        replication = cluster.head.replication  # a divided search has set its depth
        replication = replication if replication.depth is not None else replace(replication, depth=parameters.depth)
        busy = sum(worker.useful_seconds for worker in result.workers)
        machines = Machines(nodes=count, rate=result.nodes / busy, head_seconds=recording.head_seconds)
        tally = simulate(
            board, recording, machines, replication, depth=parameters.depth, seed=seed, stop=stop, **options
        )
        samples.append(
            {
                "what": "checked",
                "position": position,
                "threshold": threshold,
                "count": count,
                "policy": policy,
                "round": seed,
                "value": result.value,
                "nodes": result.nodes / recording.nodes,
                "jobs": sum(worker.executed for worker in result.workers),
                "seconds": result.seconds,
                "expected_nodes": tally.nodes / recording.nodes,
                "expected_jobs": tally.jobs,
                "expected_seconds": tally.seconds,
            }
        )
    return samples


def _simulate_nodes(
    parameters: SimulateParameters, position: str, threshold: int, count: int, stop: Stop
) -> list[Sample]:
    recording = _recording(parameters, position, threshold, stop)
    if recording is None:
        return []
    board, machines = board_named(position), _machines(parameters, count)
    samples: list[Sample] = []
    for name in parameters.policies:
        policy = min(
            _with_depths(parameters, (name,)), key=lambda candidate: relative_work(candidate, recording, machines)
        )
        for seed in range(1, parameters.rounds + 1):
            tally = simulate(
                board,
                recording,
                machines,
                policy,
                depth=parameters.depth,
                threshold=threshold,
                seed=seed,
                stop=stop,
                **parameters.options_for(position),
            )
            if stop.called:
                return []
            samples.append(_simulated_sample(position, threshold, count, policy, seed, tally, recording))
    return samples


def _simulated_sample(
    position: str, threshold: int, count: int, policy: Replication, seed: int, tally: Tally, recording: RecordedJobs
) -> Sample:
    assert tally.result is not None
    return {
        "what": "simulated",
        "position": position,
        "threshold": threshold,
        "count": count,
        "policy": policy.name,
        "depth": policy.depth if policy.sends else None,
        "round": seed,
        "value": tally.result.value,
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
