"""Leaves and playouts a second on a GPU, beside all cores of its host in the same run, for both games.

python -m benchmarks.gpu_counting [REPEATS]
"""

import statistics
import sys
from collections.abc import Callable
from typing import Literal

import outflank
from benchmarks.common import interleaved, ratio, save
from outflank import AbaloneBoard, OthelloBoard
from outflank.gpu import perft as perft_on_gpu
from outflank.machine import usable_cores

Board = OthelloBoard | AbaloneBoard
Algorithm = Literal["uct", "flat"]

# The device counts in a second what takes the cores several: the same depth, where that can be waited for.
LEAVES = {
    ("othello", 12): 1_939_886_636,
    ("othello", 13): 18_429_641_748,
    ("abalone", 5): 283_320_928,
    ("abalone", 6): 15_850_074_356,
}
SECONDS = 1.0
"""Of each search by playouts."""

CORES = int(usable_cores())


def on_gpu(board: Board, depth: int, leaves: int) -> Callable[[], float]:
    def run() -> float:
        found = perft_on_gpu(board, depth)
        assert found.leaves == leaves, found
        return found.leaves / found.seconds / 1e6

    return run


def on_cores(board: Board, depth: int, leaves: int) -> Callable[[], float]:
    def run() -> float:
        found = outflank.perft(board, depth, workers=CORES)
        assert found.leaves == leaves, found
        return found.leaves / found.seconds / 1e6

    return run


def games_on_gpu(board: Board, algorithm: Algorithm) -> Callable[[], float]:
    def run() -> float:
        found = outflank.search(board, seconds=SECONDS, algorithm=algorithm, device="gpu")
        return found.leaves / found.seconds / 1e6

    return run


def games_on_cores(board: Board, algorithm: Algorithm) -> Callable[[], float]:
    def run() -> float:
        found = outflank.search(board, seconds=SECONDS, algorithm=algorithm, parallel="root-parallel", workers=CORES)
        return found.leaves / found.seconds / 1e6

    return run


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    boards: dict[str, Board] = {"othello": OthelloBoard.start(), "abalone": AbaloneBoard.start()}
    algorithms: tuple[Algorithm, ...] = ("flat", "uct")
    sides: dict[str, Callable[[], float]] = {}
    for (name, depth), leaves in LEAVES.items():
        sides[f"{name}, perft {depth}, GPU"] = on_gpu(boards[name], depth, leaves)
        sides[f"{name}, perft {depth}, cores"] = on_cores(boards[name], depth, leaves)
    for name, board in boards.items():
        for algorithm in algorithms:
            sides[f"{name}, {algorithm}, GPU"] = games_on_gpu(board, algorithm)
            sides[f"{name}, {algorithm}, cores"] = games_on_cores(board, algorithm)
    for run in sides.values():
        run()  # compiles, and wakes the device
    samples = interleaved(sides, repeats)
    figures: dict[str, float] = {f"{name}, million/s": statistics.median(found) for name, found in samples.items()}
    for name in samples:
        if name.endswith("GPU"):
            cores = f"{name.removesuffix('GPU')}cores"
            figures[f"{name} / {CORES} cores"] = ratio(samples, name, cores)
    save("gpu_counting", figures, samples)


if __name__ == "__main__":
    main()
