"""Searches on a cluster as samples, with report 000's columns."""

import atexit
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from outflank.distributed.cluster import Cluster, connect
from outflank.distributed.engines import engine_at
from outflank.distributed.statistics import cluster_statistics
from outflank.errors import OutflankError
from outflank.kinds import Count, Duration, Kind, Measured, Several
from outflank.lab.experiment import Task
from outflank.lab.measuring import COUNTED, WARM_DEPTH, Contender, alternating, counted, number, searched, warm
from outflank.lab.report import Sample
from outflank.lab.search_log import noted, unnoted
from outflank.machine import usable_cores
from outflank.search.contract import Limits, Stop

TOGETHER: dict[str, Kind] = {
    "depth": Several,
    "seconds": Measured,
    **COUNTED,
    **dict.fromkeys(("jobs", "wasted_jobs", "bytes", "messages", "entries_sent", "entries_dropped"), Count),
    **dict.fromkeys(("replicated_hits", "replicated_sorts", "threshold", "lost"), Count),
    **dict.fromkeys(("useful_per_node", "overhead_per_node", "broadcast_seconds", "waited_seconds"), Duration),
    "slowest_stop_seconds": Duration,
}
"""What `on_cluster` puts into a sample."""

EVENLY = 2000
"""Nodes of the tree after which a node within this process lets another have its core, where there are too few."""

MOST_NAMED = 4
"""Searches that one sentence names."""

_clusters: dict[str, Cluster] = {}


def cluster_at(text: str) -> Cluster:
    """The cluster that words name: started when it is first asked for, and kept until the program ends.

    Its nodes are single-threaded: an experiment compares nodes, not what happens inside them.
    """
    if text not in _clusters:
        _clusters[text] = connect(text, workers=1)
        atexit.register(leave, text)
    return _clusters[text]


def join_cluster(text: str) -> None:
    """Where a launcher has started this command many times: the head goes on, and the others serve it to its end."""
    if engine_at(text)[0].started_by_launcher:
        cluster_at(text)


def leave(text: str) -> None:
    """Let a cluster go."""
    if text in _clusters:
        _clusters.pop(text).close()


def on_cluster(side: Contender, text: str, nodes: int | None, replication: str, stop: Stop) -> Sample:
    """Search a side once on so many nodes of a cluster; None: on all."""
    cluster = cluster_at(text)
    cluster.fabric.use(nodes)
    engine, here = engine_at(text)
    crowded = engine.shares_process and (nodes or here.nodes or 1) > usable_cores()
    found = cluster.search(
        side.board,
        Limits(depth=side.depth),
        stop=stop,
        **{"workers": 1, "replication": replication, "pace": EVENLY if crowded else 0, **side.options},
    )
    noted(side.board, found, side.options)
    assert cluster.head is not None
    done = cluster_statistics(cluster.head)
    if nodes is not None and len(done.nodes) < nodes:
        raise OutflankError(f"{text}: {nodes} nodes were asked for, and {len(done.nodes)} came")
    return {
        **side.labels,
        "depth": side.depth,
        "seconds": found.seconds,
        **counted(found),
        "members": len(done.nodes),
        "jobs": done.total("jobs"),
        "wasted_jobs": done.total("wasted_jobs"),
        "useful_per_node": done.useful_seconds,
        "overhead_per_node": max(0.0, found.seconds - done.useful_seconds),
        "steals_tried": done.total("steals_tried"),
        "steals_won": done.total("steals_won"),
        "bytes": done.bytes_transferred,
        "messages": done.total("messages"),
        "entries_sent": done.total("entries_sent"),
        "entries_dropped": done.total("entries_dropped"),
        "broadcast_seconds": done.total("broadcast_seconds"),
        "waited_seconds": done.total("waited_seconds"),
        "replicated_hits": done.total("replicated_hits"),
        "replicated_sorts": done.total("replicated_sorts"),
        "slowest_stop_seconds": max((node.slowest_stop_seconds for node in done.nodes), default=0.0),
        "threshold": done.threshold,
        "lost": len(done.losses),
    }


def divided(samples: Iterable[Sample]) -> list[Sample]:
    """Those of searches that were divided: the others were made by the head alone, and say nothing of a cluster."""
    return [sample for sample in samples if number(sample["jobs"]) > 0]


def undivided_notes(groups: Mapping[str, Sequence[Sample]]) -> list[str]:
    """What to say of searches in which nothing was divided, by what they are called."""
    names = [name for name, found in groups.items() if len(divided(found)) < len(found)]
    if not names:
        return []
    shown = "; ".join(names[:MOST_NAMED]) + ("; …" if len(names) > MOST_NAMED else "")
    return [f"Nothing was divided in searches of {shown}: they were too short to be shared, and have no speed-up."]


SHALLOWER = 3
"""Plies by which the search before the first that counts is less deep: the nodes get jobs, and it takes little time."""


def cluster_tasks(
    sides: Sequence[tuple[Contender, str, int | None, str]], alone: Sequence[Contender], rounds: int
) -> list[Task]:
    """Every side once, then again, and each in turn the first of its round, as `in_rounds` does.

    Sides are those without a cluster, and those on one: its name, how many nodes, the policy. What nodes do once they
    do before their side is measured.
    """
    warmed: set[str] = set()

    def one(side: Contender, turn: int, stop: Stop) -> list[Sample]:
        if side.name not in warmed:
            warm(side)
            warmed.add(side.name)
        _, sample = searched(side, stop)
        return [{**sample, "round": turn}]

    def together(side: Contender, where: str, nodes: int | None, policy: str, turn: int, stop: Stop) -> list[Sample]:
        if side.name not in warmed:
            brief = replace(side, depth=max(min(side.depth, WARM_DEPTH), side.depth - SHALLOWER))
            with unnoted():
                on_cluster(brief, where, nodes, policy, stop)
            warmed.add(side.name)
        return [] if stop.called else [{**on_cluster(side, where, nodes, policy, stop), "round": turn}]

    measured = [(side, partial(one, side)) for side in alone]
    measured += [(side, partial(together, side, where, nodes, policy)) for side, where, nodes, policy in sides]
    return [
        Task(f"{side.name}, round {turn}", partial(measure, turn))
        for turn, (side, measure) in alternating(measured, rounds)
    ]
