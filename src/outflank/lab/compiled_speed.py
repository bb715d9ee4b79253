"""How fast this process's kernels are: `python -m outflank.lab.compiled_speed`, a request and an answer in JSON.

The compiler reads its settings from the environment when it is loaded, so that each of them needs a process of its own.
"""

import json
import sys
import time

from outflank.abalone.board import AbaloneBoard
from outflank.documents import encoded
from outflank.lab.classroom import lab_search_003
from outflank.lab.search_log import MeasuredElsewhere, noting
from outflank.search.perft import perft


def measured(depth: int) -> MeasuredElsewhere:
    """Report 003's search from the start of Abalone, and the count of the same tree, once each and warm."""
    board = AbaloneBoard.start()
    began = time.perf_counter()
    perft(board, 1)
    lab_search_003(board, 1, "rings", share_alpha=False)
    ready = time.perf_counter() - began
    lab_search_003(board, max(1, depth - 1), "rings", share_alpha=False)  # the first touch of what it uses
    with noting() as notes:
        found = lab_search_003(board, depth, "rings", share_alpha=False)
    counted = perft(board, depth)
    row = {
        "ready_seconds": ready,
        "value": found.value,
        "move": str(found.move),
        "evaluations": found.leaves,
        "seconds": found.seconds,
        "leaves": counted.leaves,
        "leaves_seconds": counted.seconds,
    }
    return MeasuredElsewhere(rows=(row,), searched=tuple(notes))


if __name__ == "__main__":
    print(encoded(measured(json.load(sys.stdin)["depth"])).decode())
