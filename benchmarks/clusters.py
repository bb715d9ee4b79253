"""Two nodes of a cluster beside one worker, in both games, with nothing chosen by hand.

python -m benchmarks.clusters [WHERE] [ROUNDS] [GAME] [SCHEME]           WHERE: local:2 (the default), inside:2, …
mpiexec -n 2 python -m benchmarks.clusters mpi [ROUNDS] [GAME] [SCHEME]  on two ranks

GAME is the beginning of the searches' names: abalone, othello, or long for searches of half a minute. Sides are run in
turn, round after round: one worker, nodes that the head feeds (ybw), nodes that steal from each other, and, where no
node can be lost, nodes that divide the table (tds); or only the given schemes. Besides the times: nodes of the cluster
beside one worker's, jobs, and what a node spent on searching, which a busy machine disturbs least.
"""

import statistics
import sys
from typing import Any

from benchmarks.common import save
from outflank import AbaloneBoard, Limits, OthelloBoard
from outflank.boards import Board
from outflank.distributed import connect
from outflank.distributed.cluster import Cluster, SplittingName
from outflank.distributed.cluster_statistics import cluster_statistics
from outflank.search.whole_search import search

BITS = 22
SEARCHES: dict[str, tuple[Board, int]] = {
    **{f"abalone, start to {depth}": (AbaloneBoard.start(), depth) for depth in (7, 8, 9)},
    "othello, start to 17": (OthelloBoard.start(), 17),
    "othello, diagonal to 15": (Board.from_text("f5d6c3d3c4f4f6"), 15),
    "othello, parallel to 15": (Board.from_text("f5f6e6f4e3"), 15),
    "long othello, start to 19": (OthelloBoard.start(), 19),
    "long othello, diagonal to 17": (Board.from_text("f5d6c3d3c4f4f6"), 17),
    "long othello, parallel to 17": (Board.from_text("f5f6e6f4e3"), 17),
    "long abalone, start to 9": (AbaloneBoard.start(), 9),
    "long abalone, belgian daisy to 9": (AbaloneBoard.start("belgian-daisy"), 9),
}
SCHEMES: tuple[SplittingName, ...] = ("ybw", "stealing", "tds")


def one(board: Board, depth: int) -> dict[str, Any]:
    """One worker, without a cluster."""
    found = search(board, Limits(depth=depth), workers=1, table_bits=BITS)
    return {"seconds": found.seconds, "nodes": found.nodes, "value": found.value}


def together(cluster: Cluster, board: Board, depth: int, scheme: SplittingName) -> dict[str, Any]:
    """The nodes of the cluster, each with one worker."""
    found = cluster.search(board, Limits(depth=depth), parallel=scheme, workers=1, table_bits=BITS)
    assert cluster.head is not None
    done = cluster_statistics(cluster.head)
    return {
        "seconds": found.seconds,
        "nodes": found.nodes,
        "value": found.value,
        "jobs": done.total("jobs"),
        "steals": done.total("steals_won"),
        "steals_tried": done.total("steals_tried"),
        "useful_seconds": done.useful_seconds,
        "threshold": done.threshold,
        "replication": done.replication,
        "entries_sent": done.total("entries_sent"),
    }


def main() -> None:
    words = sys.argv[1:]
    where = words.pop(0) if words and not words[0].isdigit() else "local:2"
    rounds = int(words.pop(0)) if words else 5
    chosen = tuple(scheme for scheme in SCHEMES if scheme in words)
    words = [word for word in words if word not in SCHEMES]
    searches = {
        name: asked for name, asked in SEARCHES.items() if name.startswith(tuple(words) or ("abalone", "othello"))
    }
    with connect(where, workers=1) as cluster:
        schemes = chosen or (SCHEMES if cluster.fabric.keeps_nodes else SCHEMES[:-1])
        samples: dict[str, dict[str, list[dict[str, Any]]]] = {
            name: {"one": [], **{scheme: [] for scheme in schemes}} for name in searches
        }
        for start in (AbaloneBoard.start(), OthelloBoard.start()):  # what is compiled and started once
            one(start, 3)
            for scheme in schemes:
                together(cluster, start, 6, scheme)
        for number in range(1, rounds + 1):
            for name, (board, depth) in searches.items():
                alone = one(board, depth)
                samples[name]["one"].append(alone)
                line = f"{number}/{rounds} {name}: one {alone['seconds']:.2f} s"
                for scheme in schemes:
                    shared = together(cluster, board, depth, scheme)
                    assert alone["value"] == shared["value"], "the value depends on the number of nodes"
                    samples[name][scheme].append(shared)
                    line += (
                        f", {scheme} {shared['seconds']:.2f} s ({shared['nodes'] / alone['nodes']:.3f} times the nodes)"
                    )
                print(line, file=sys.stderr, flush=True)
    figures: dict[str, Any] = {}
    for name, sides in samples.items():
        figures[f"{name}: one worker, s"] = statistics.median(alone["seconds"] for alone in sides["one"])
        for scheme in schemes:
            pairs = list(zip(sides["one"], sides[scheme], strict=True))
            jobs = round(statistics.median(shared["jobs"] for _, shared in pairs))
            told = "" if jobs else " (nothing was divided: as fast as one worker is what is asked)"
            faster = statistics.median(alone["seconds"] / shared["seconds"] for alone, shared in pairs)
            figures[f"{name}, {scheme}: times as fast as one worker{told}"] = faster
            figures[f"{name}, {scheme}: s"] = statistics.median(shared["seconds"] for _, shared in pairs)
            figures[f"{name}, {scheme}: nodes beside one worker's"] = statistics.median(
                shared["nodes"] / alone["nodes"] for alone, shared in pairs
            )
            figures[f"{name}, {scheme}: jobs"] = jobs
    save("clusters", figures, samples, variant="-".join([where.partition(":")[0], *words, *chosen]))


if __name__ == "__main__":
    main()
