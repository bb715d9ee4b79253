"""Two nodes of a cluster beside one worker, in both games, with nothing chosen by hand.

python -m benchmarks.clusters [WHERE] [ROUNDS] [GAME]           WHERE: local:2 (the default), inside:2, …
mpiexec -n 2 python -m benchmarks.clusters mpi [ROUNDS] [GAME]  on two ranks

Sides are run in turn, round after round. Besides the times: nodes of the cluster beside one worker's, jobs, and what a
node spent on searching, which a busy machine disturbs least.
"""

import statistics
import sys
from typing import Any

from benchmarks.common import save
from outflank import AbaloneBoard, Limits, OthelloBoard
from outflank.boards import Board
from outflank.distributed import connect
from outflank.distributed.cluster import Cluster
from outflank.distributed.cluster_statistics import cluster_statistics
from outflank.search.whole_search import search

BITS = 22
SEARCHES: dict[str, tuple[Board, int]] = {
    **{f"abalone, start to {depth}": (AbaloneBoard.start(), depth) for depth in (7, 8, 9)},
    "othello, start to 17": (OthelloBoard.start(), 17),
    "othello, diagonal to 15": (Board.from_text("f5d6c3d3c4f4f6"), 15),
    "othello, parallel to 15": (Board.from_text("f5f6e6f4e3"), 15),
}


def one(board: Board, depth: int) -> dict[str, Any]:
    """One worker, without a cluster."""
    found = search(board, Limits(depth=depth), workers=1, table_bits=BITS)
    return {"seconds": found.seconds, "nodes": found.nodes, "value": found.value}


def together(cluster: Cluster, board: Board, depth: int) -> dict[str, Any]:
    """The nodes of the cluster, each with one worker."""
    found = cluster.search(board, Limits(depth=depth), workers=1, table_bits=BITS)
    assert cluster.head is not None
    done = cluster_statistics(cluster.head)
    return {
        "seconds": found.seconds,
        "nodes": found.nodes,
        "value": found.value,
        "jobs": done.total("jobs"),
        "useful_seconds": done.useful_seconds,
        "threshold": done.threshold,
        "replication": done.replication,
        "entries_sent": done.total("entries_sent"),
    }


def main() -> None:
    words = sys.argv[1:]
    where = words.pop(0) if words and not words[0].isdigit() else "local:2"
    rounds = int(words.pop(0)) if words else 5
    searches = {name: asked for name, asked in SEARCHES.items() if name.startswith(tuple(words) or "")}
    samples: dict[str, dict[str, list[dict[str, Any]]]] = {name: {"one": [], "two": []} for name in searches}
    with connect(where, workers=1) as cluster:
        for start in (AbaloneBoard.start(), OthelloBoard.start()):  # what is compiled and started once
            one(start, 3)
            together(cluster, start, 6)
        for number in range(1, rounds + 1):
            for name, (board, depth) in searches.items():
                alone, shared = one(board, depth), together(cluster, board, depth)
                assert alone["value"] == shared["value"], "the value depends on the number of nodes"
                samples[name]["one"].append(alone)
                samples[name]["two"].append(shared)
                print(
                    f"{number}/{rounds} {name}: one {alone['seconds']:.2f} s, {where} {shared['seconds']:.2f} s, "
                    f"{shared['jobs']} jobs",
                    file=sys.stderr,
                    flush=True,
                )
    figures: dict[str, Any] = {}
    for name, sides in samples.items():
        pairs = list(zip(sides["one"], sides["two"], strict=True))
        jobs = round(statistics.median(shared["jobs"] for _, shared in pairs))
        told = "" if jobs else " (nothing was divided: as fast as one worker is what is asked)"
        faster = statistics.median(alone["seconds"] / shared["seconds"] for alone, shared in pairs)
        figures[f"{name}: times as fast as one worker{told}"] = faster
        figures[f"{name}: one worker, s"] = statistics.median(alone["seconds"] for alone, _ in pairs)
        figures[f"{name}: {where}, s"] = statistics.median(shared["seconds"] for _, shared in pairs)
        figures[f"{name}: nodes beside one worker's"] = statistics.median(
            shared["nodes"] / alone["nodes"] for alone, shared in pairs
        )
        figures[f"{name}: jobs"] = jobs
    save("clusters", figures, samples, variant="-".join([where.partition(":")[0], *words]))


if __name__ == "__main__":
    main()
