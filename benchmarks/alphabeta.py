"""Nodes per second of alpha-beta by discs, without table and ordering, beside the same search in C.

python -m benchmarks.alphabeta [REPEATS]
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.common import compile_c, interleaved, ratio, save
from outflank import Options, OthelloBoard
from outflank.search.alone import Alone
from outflank.search.root import Root
from outflank.search.root_moves import HIGH, LOW

DEPTH = 12
FIRST = 37  # f5


def in_c(program: Path, expected: tuple[int, int]) -> Callable[[], float]:
    def run() -> float:
        words = subprocess.run([str(program), str(DEPTH)], capture_output=True, text=True, check=True).stdout.split()
        assert (int(words[0]), int(words[1])) == expected, (words, expected)
        return expected[1] / float(words[2]) / 1e6

    return run


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    board = OthelloBoard.start(scoring="discs")
    options = Options(algorithm="alphabeta", evaluation="discs", ordering="none", table_bits=None)
    root = Root(board.game, board.position, options)
    alone = Alone(root)
    move = next(move for move in root.moves if move.code == FIRST)

    def searched() -> tuple[int, int, float]:
        root.begin_search(None)
        started = time.perf_counter()
        value = -alone.child_value(move, LOW, HIGH, DEPTH)
        return value, int(root.worker.nodes), time.perf_counter() - started

    value, nodes, _ = searched()  # compiles, too

    def ours() -> float:
        found = searched()
        assert found[:2] == (value, nodes)
        return nodes / found[2] / 1e6

    samples = interleaved(
        {
            "ours": ours,
            "C": in_c(compile_c("alphabeta.c", "alphabeta"), (value, nodes)),
            "C with lanes": in_c(compile_c("alphabeta.c", "alphabeta-lanes", "-DLANES"), (value, nodes)),
        },
        repeats,
    )
    figures = {
        "nodes of one search": nodes,
        "ours, million nodes/s": statistics.median(samples["ours"]),
        "ours / C": ratio(samples, "ours", "C"),
        "ours / C with lanes": ratio(samples, "ours", "C with lanes"),
    }
    save("alphabeta", figures, samples)


if __name__ == "__main__":
    main()
