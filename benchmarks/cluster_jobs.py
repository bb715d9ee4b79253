"""Jobs per second that the head of a cluster serves, and how long a job has to be.

python -m benchmarks.cluster_jobs [WHERE] [ROUNDS]           WHERE: local:2 (the default), futures:2, inside:2, …
mpiexec -n 2 python -m benchmarks.cluster_jobs mpi [ROUNDS]  on two ranks

The same search with ever longer jobs, by the remaining depth at which a subtree becomes a job. The shortest jobs take
microseconds, so that only the head, its messages and the node's own handling of a job count. The efficiency is the
share of its time that a node has a job; it is 90 % where a job takes nine times as long as what lies between two jobs.
"""

import itertools
import statistics
import sys
from typing import Any

from benchmarks.common import save
from outflank import Limits, OthelloBoard
from outflank.distributed import connect
from outflank.distributed.cluster import Cluster
from outflank.distributed.cluster_statistics import cluster_statistics
from outflank.distributed.head import Tuning

DEPTHS = {threshold: threshold + 5 for threshold in (1, 3, 5, 7, 9, 10, 11, 12, 13)}
"""Depth of the search by threshold: deep enough for two hundred jobs or more."""

ENOUGH = 0.9
"""Efficiency at which a job is long enough."""


def measure(cluster: Cluster, threshold: int) -> dict[str, float]:
    """Return jobs, their mean duration, and the share of time that the nodes had one, without replication."""
    limits = Limits(depth=DEPTHS[threshold])
    cluster.search(OthelloBoard.start(), limits, workers=1, threshold=threshold, table_bits=16, replication="none")
    assert cluster.head is not None
    done = cluster_statistics(cluster.head)
    jobs, useful = done.total("jobs"), done.total("useful_seconds")
    return {
        "jobs": jobs,
        "jobs_a_second": jobs / done.seconds,
        "job_seconds": useful / jobs,
        "efficiency": useful / (len(done.nodes) * done.seconds),
    }


def long_enough(shorter: dict[str, float], longer: dict[str, float]) -> float:
    """Return the duration of a job with the efficiency `ENOUGH`, between two durations, along a straight line."""
    share = (ENOUGH - shorter["efficiency"]) / (longer["efficiency"] - shorter["efficiency"])
    return shorter["job_seconds"] + share * (longer["job_seconds"] - shorter["job_seconds"])


def main() -> None:
    words = sys.argv[1:]
    where = words.pop(0) if words and not words[0].isdigit() else "local:2"
    rounds = int(words.pop(0)) if words else 5
    samples: dict[str, list[dict[str, float]]] = {f"threshold {threshold}": [] for threshold in DEPTHS}
    with connect(where, workers=1, tuning=Tuning(alone_seconds=0.0)) as cluster:
        measure(cluster, 1)  # what is compiled and started once
        for number in range(1, rounds + 1):
            for threshold in DEPTHS:
                sample = measure(cluster, threshold)
                samples[f"threshold {threshold}"].append(sample)
                print(
                    f"{number}/{rounds} threshold {threshold}: {sample['jobs']:,} jobs of "
                    f"{1e3 * sample['job_seconds']:.2f} ms, {sample['jobs_a_second']:,.0f} a second, efficiency "
                    f"{sample['efficiency']:.0%}",
                    file=sys.stderr,
                    flush=True,
                )
    names = ("jobs_a_second", "job_seconds", "efficiency")
    medians = [
        {name: statistics.median(sample[name] for sample in group) for name in names} for group in samples.values()
    ]
    figures: dict[str, Any] = {"jobs a second, the shortest jobs": medians[0]["jobs_a_second"]}
    for shorter, longer in itertools.pairwise(medians):
        if shorter["efficiency"] < ENOUGH <= longer["efficiency"]:
            figures[f"seconds of a job with {ENOUGH:.0%} efficiency"] = long_enough(shorter, longer)
            break
    for threshold, row in zip(DEPTHS, medians, strict=True):
        figures |= {f"threshold {threshold}: {name}": row[name] for name in names}
    save("cluster_jobs", figures, samples, variant=where.partition(":")[0])


if __name__ == "__main__":
    main()
