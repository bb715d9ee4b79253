"""Searches on a cluster as samples, with the columns of the published tables of report 000."""

import atexit
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from outflank.distributed.cluster import Cluster, connect
from outflank.distributed.cluster_statistics import cluster_statistics
from outflank.distributed.engines import engine_at
from outflank.errors import OutflankError
from outflank.lab.experiment import Task
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_log import log_result, without_logging
from outflank.lab.measuring.search_samples import (
    COUNT_KINDS,
    WARM_DEPTH,
    Contender,
    alternating,
    measure_search,
    number,
    result_counts,
    warm,
)
from outflank.machine import usable_cores
from outflank.search.request import Limits, Stop
from outflank.validation.documents import Count, Duration, Measured, Several
from outflank.validation.values import Kind

CLUSTER_KINDS: dict[str, Kind] = {
    "depth": Several,
    "seconds": Measured,
    **COUNT_KINDS,
    **dict.fromkeys(("jobs", "wasted_jobs", "bytes", "messages", "entries_sent", "entries_dropped"), Count),
    **dict.fromkeys(("replicated_hits", "replicated_sorts", "threshold", "lost"), Count),
    **dict.fromkeys(("useful_per_node", "overhead_per_node", "broadcast_seconds", "waited_seconds"), Duration),
    "slowest_stop_seconds": Duration,
}
"""Types of the fields that `search_on_cluster` returns in a sample."""

YIELD_NODES = 2000
"""Number of tree nodes after which a cluster node in this process yields its core, if cores are fewer than nodes."""

MOST_NAMED = 4
"""Greatest number of searches that a note in a report lists by name."""

_clusters: dict[str, Cluster] = {}


def cluster_at(address: str) -> Cluster:
    """Return the cluster at `address`. It is started at the first call and runs until the program ends.

    Its nodes have one worker each, because experiments compare numbers of nodes, not of threads.
    """
    if address not in _clusters:
        _clusters[address] = connect(address, workers=1)
        atexit.register(close_cluster, address)
    return _clusters[address]


def join_cluster(address: str) -> None:
    """Connect if a launcher (`mpirun`) started this process. Only the head returns; other nodes serve until it ends."""
    if engine_at(address)[0].started_by_launcher:
        cluster_at(address)


def close_cluster(address: str) -> None:
    """Close the cluster at `address`, if it is open."""
    if address in _clusters:
        _clusters.pop(address).close()


def search_on_cluster(side: Contender, address: str, nodes: int | None, replication: str, stop: Stop) -> Sample:
    """Run the search of `side` on `nodes` nodes of a cluster (None for all), and return its sample."""
    cluster = cluster_at(address)
    cluster.fabric.use(nodes)
    engine, config = engine_at(address)
    crowded = engine.shares_process and (nodes or config.nodes or 1) > usable_cores()
    result = cluster.search(
        side.board,
        Limits(depth=side.depth),
        stop=stop,
        **{"workers": 1, "replication": replication, "pace": YIELD_NODES if crowded else 0, **side.options},
    )
    log_result(side.board, result, side.options)
    assert cluster.head is not None
    statistics = cluster_statistics(cluster.head)
    if nodes is not None and len(statistics.nodes) < nodes:
        raise OutflankError(f"{address}: {nodes} nodes were asked for, and {len(statistics.nodes)} came")
    return {
        **side.labels,
        "depth": side.depth,
        "seconds": result.seconds,
        **result_counts(result),
        "members": len(statistics.nodes),
        "jobs": statistics.total("jobs"),
        "wasted_jobs": statistics.total("wasted_jobs"),
        "useful_per_node": statistics.useful_seconds,
        "overhead_per_node": max(0.0, result.seconds - statistics.useful_seconds),
        "steals_tried": statistics.total("steals_tried"),
        "steals_won": statistics.total("steals_won"),
        "bytes": statistics.bytes_transferred,
        "messages": statistics.total("messages"),
        "entries_sent": statistics.total("entries_sent"),
        "entries_dropped": statistics.total("entries_dropped"),
        "broadcast_seconds": statistics.total("broadcast_seconds"),
        "waited_seconds": statistics.total("waited_seconds"),
        "replicated_hits": statistics.total("replicated_hits"),
        "replicated_sorts": statistics.total("replicated_sorts"),
        "slowest_stop_seconds": max((node.slowest_stop_seconds for node in statistics.nodes), default=0.0),
        "threshold": statistics.threshold,
        "lost": len(statistics.losses),
    }


def divided_samples(samples: Iterable[Sample]) -> list[Sample]:
    """Return the samples of searches that were divided among nodes. The head ran all other searches alone."""
    return [sample for sample in samples if number(sample["jobs"]) > 0]


def undivided_notes(groups: Mapping[str, Sequence[Sample]]) -> list[str]:
    """Return a note that lists the searches that were not divided among nodes. `groups` are samples by search name."""
    names = [name for name, samples in groups.items() if len(divided_samples(samples)) < len(samples)]
    if not names:
        return []
    listed = "; ".join(names[:MOST_NAMED]) + ("; …" if len(names) > MOST_NAMED else "")
    return [f"Nothing was divided in searches of {listed}: they were too short to be shared, and have no speed-up."]


SHALLOWER = 3
"""Plies by which the warm-up search is shallower than the measured search. The warm-up is short, but gives jobs to all
nodes."""


def cluster_tasks(
    sides: Sequence[tuple[Contender, str, int | None, str]], alone: Sequence[Contender], rounds: int
) -> list[Task]:
    """Return tasks that measure every search once per round, in alternating order, as `in_rounds` does.

    `alone` are searches without a cluster. `sides` are searches on a cluster, each with the cluster's address, the
    number of nodes and the replication policy. Each search is warmed up before it is measured.
    """
    warmed: set[str] = set()

    def measure_alone(side: Contender, turn: int, stop: Stop) -> list[Sample]:
        if side.name not in warmed:
            warm(side)
            warmed.add(side.name)
        _, sample = measure_search(side, stop)
        return [{**sample, "round": turn}]

    def measure_on_cluster(
        side: Contender, address: str, nodes: int | None, policy: str, turn: int, stop: Stop
    ) -> list[Sample]:
        if side.name not in warmed:
            shallow = replace(side, depth=max(min(side.depth, WARM_DEPTH), side.depth - SHALLOWER))
            with without_logging():
                search_on_cluster(shallow, address, nodes, policy, stop)
            warmed.add(side.name)
        return [] if stop.called else [{**search_on_cluster(side, address, nodes, policy, stop), "round": turn}]

    measures = [(side, partial(measure_alone, side)) for side in alone]
    measures += [
        (side, partial(measure_on_cluster, side, address, nodes, policy)) for side, address, nodes, policy in sides
    ]
    return [
        Task(f"{side.name}, round {turn}", partial(measure, turn))
        for turn, (side, measure) in alternating(measures, rounds)
    ]
