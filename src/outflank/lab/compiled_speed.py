"""How fast this process's kernels are: `python -m outflank.lab.compiled_speed`, a request and an answer in JSON.

The compiler reads its settings from the environment when it is loaded, so that each of them needs a process of its own.
"""

import json
import sys
import time
from dataclasses import asdict
from typing import Any

from outflank.boards import AbaloneBoard
from outflank.lab.classroom import lab_search_003
from outflank.lab.search_log import noting
from outflank.search.perft import perft


def measured(depth: int) -> dict[str, Any]:
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
    return {
        "searched": [asdict(each) for each in notes],
        "ready_seconds": ready,
        "value": found.value,
        "move": str(found.move),
        "evaluations": found.leaves,
        "seconds": found.seconds,
        "leaves": counted.leaves,
        "leaves_seconds": counted.seconds,
    }


if __name__ == "__main__":
    print(json.dumps(measured(json.load(sys.stdin)["depth"])))
