"""Leaves per second of both games, beside the same count in C, on one worker and on two.

python -m benchmarks.perft [REPEATS]
"""

import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import outflank
from benchmarks.common import compile_c, interleaved, ratio, save
from outflank import AbaloneBoard, OthelloBoard

OTHELLO_DEPTH, OTHELLO_LEAVES = 11, 212_258_800
ABALONE_DEPTH, ABALONE_LEAVES = 5, 283_320_928
# Two workers share out work that takes seconds: starting threads must not be what is measured.
LONG_OTHELLO, LONG_ABALONE = 12, 6


def c_perft(program: Path) -> Callable[[], float]:
    def run() -> float:
        words = subprocess.run([str(program), str(OTHELLO_DEPTH)], capture_output=True, text=True, check=True).stdout
        leaves, seconds = words.split()
        assert int(leaves) == OTHELLO_LEAVES
        return OTHELLO_LEAVES / float(seconds) / 1e6

    return run


def ours(
    board: OthelloBoard | AbaloneBoard, depth: int, workers: int, leaves: int | None = None
) -> Callable[[], float]:
    def run() -> float:
        found = outflank.perft(board, depth, workers=workers)
        assert leaves in (None, found.leaves)
        return found.leaves / found.seconds / 1e6

    return run


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    othello, abalone = OthelloBoard.start(), AbaloneBoard.start()
    samples = interleaved(
        {
            "othello": ours(othello, OTHELLO_DEPTH, 1, OTHELLO_LEAVES),
            "othello in C": c_perft(compile_c("perft.c", "perft")),
            "othello in C with lanes": c_perft(compile_c("perft.c", "perft-lanes", "-DLANES")),
            "abalone": ours(abalone, ABALONE_DEPTH, 1, ABALONE_LEAVES),
            "othello, long, 1 worker": ours(othello, LONG_OTHELLO, 1),
            "othello, long, 2 workers": ours(othello, LONG_OTHELLO, 2),
            "abalone, long, 1 worker": ours(abalone, LONG_ABALONE, 1),
            "abalone, long, 2 workers": ours(abalone, LONG_ABALONE, 2),
        },
        repeats,
    )
    figures = {
        "othello, million leaves/s": statistics.median(samples["othello"]),
        "othello in C, million leaves/s": statistics.median(samples["othello in C"]),
        "othello, ours / C": ratio(samples, "othello", "othello in C"),
        "othello, ours / C with lanes": ratio(samples, "othello", "othello in C with lanes"),
        "abalone, million leaves/s": statistics.median(samples["abalone"]),
        "othello, two workers / one": ratio(samples, "othello, long, 2 workers", "othello, long, 1 worker"),
        "abalone, two workers / one": ratio(samples, "abalone, long, 2 workers", "abalone, long, 1 worker"),
    }
    save("perft", figures, samples)


if __name__ == "__main__":
    main()
