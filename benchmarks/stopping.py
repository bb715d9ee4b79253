"""How soon a search ends once it is told to: from the flag to the moment when every worker has let go.

The time is taken when the search comes back to Python, so it counts more than the workers' own.

python -m benchmarks.stopping [STOPS]
"""

import random
import sys
import threading
import time
from typing import Any

from benchmarks.common import save
from outflank import AbaloneBoard, OthelloBoard, Stop
from outflank.boards import Board
from outflank.machine import usable_cores
from outflank.search.whole_search import search

SCHEMES = ("ybw", "jamboree", "fork-join", "shared-table", "abdada")


def latency(board: Board, seconds: float, **options: Any) -> float:
    """Milliseconds from the flag to the end of the search."""
    stop, told = Stop(), [0.0]

    def tell() -> None:
        told[0] = time.perf_counter()
        stop()

    timer = threading.Timer(seconds, tell)
    timer.start()
    found = search(board, stop=stop, **options)
    ended = time.perf_counter()
    timer.join()
    assert found.stopped
    return 1000 * (ended - told[0])


def main() -> None:
    stops = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    workers = max(int(usable_cores()), 1)
    draw = random.Random(4)
    samples: dict[str, list[float]] = {}
    figures: dict[str, Any] = {"workers": workers, "stops of each": stops}
    boards: dict[str, Board] = {"Othello": OthelloBoard.start(), "Abalone": AbaloneBoard.start("belgian-daisy")}
    for scheme in SCHEMES:
        for name, board in boards.items():
            latency(board, 0.01, parallel=scheme, workers=workers)  # compiles
            taken = sorted(
                latency(board, draw.uniform(0.005, 0.05), parallel=scheme, workers=workers) for _ in range(stops)
            )
            samples[f"{scheme}, {name}"] = [round(one, 4) for one in taken]
            figures[f"{scheme}, {name}: median ms"] = taken[stops // 2]
            figures[f"{scheme}, {name}: 99th percentile ms"] = taken[min(stops - 1, stops * 99 // 100)]
            figures[f"{scheme}, {name}: greatest ms"] = taken[-1]
    everything = sorted(one for taken in samples.values() for one in taken)
    figures["within 20 ms"] = f"{sum(one <= 20 for one in everything)} of {len(everything)}"
    save("stopping", figures, samples)


if __name__ == "__main__":
    main()
