"""Program that times compiled kernels: `python -m outflank.lab.measuring.compiled_speed`, with JSON in and out.

The compiler reads its settings from the environment when it is loaded, so each setting needs its own process.
"""

import time

from outflank.abalone.board import AbaloneBoard
from outflank.kernels import pipeline
from outflank.lab.measuring.child_process import read_request
from outflank.lab.measuring.search_log import ChildMeasurements, log_searches
from outflank.lab.report_programs.classroom import lab_search_003
from outflank.search.perft import perft
from outflank.validation.documents import encoded


def measure(depth: int) -> ChildMeasurements:
    """Time report 003's search from Abalone's initial position and the count of the same tree, each after a warm-up."""
    board = AbaloneBoard.start()
    began = time.perf_counter()
    perft(board, 1)
    lab_search_003(board, 1, "rings", share_alpha=False)
    ready = time.perf_counter() - began
    lab_search_003(board, max(1, depth - 1), "rings", share_alpha=False)  # maps its memory
    with log_searches() as entries:
        result = lab_search_003(board, depth, "rings", share_alpha=False)
    count = perft(board, depth)
    row = {
        "ready_seconds": ready,
        "value": result.value,
        "move": str(result.move),
        "evaluations": result.leaves,
        "seconds": result.seconds,
        "leaves": count.leaves,
        "leaves_seconds": count.seconds,
    }
    return ChildMeasurements(rows=(row,), searched=tuple(entries))


if __name__ == "__main__":
    request = read_request()
    pipeline.default_inlining = request["inlining"]
    print(encoded(measure(request["depth"])).decode())
