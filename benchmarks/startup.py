"""Seconds from the shell to the answer: version, a board, a count with nothing compiled and with all.

python -m benchmarks.startup [REPEATS]
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from benchmarks.common import interleaved, save

PROGRAM = [sys.executable, "-c", "from outflank.ui.cli import main; main()"]


def timed(*arguments: str, cache: str | None = None) -> Callable[[], float]:
    """How long the command takes; with no cache given, each time with an empty one."""

    def run() -> float:
        with tempfile.TemporaryDirectory() as empty:
            environment = os.environ | {"OUTFLANK_CACHE_DIR": cache or empty}
            started = time.perf_counter()
            subprocess.run([*PROGRAM, *arguments], env=environment, capture_output=True, check=True)
            return time.perf_counter() - started

    return run


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as filled:
        timed("warm", cache=filled)()
        samples = interleaved(
            {
                "version": timed("--version", cache=filled),
                "show": timed("show", cache=filled),
                "perft 5, warm": timed("perft", "--depth", "5", cache=filled),
                "perft 5, cold": timed("perft", "--depth", "5"),
                "warm, cold": timed("warm"),
            },
            repeats,
        )
    save("startup", {f"{name}, seconds": statistics.median(values) for name, values in samples.items()}, samples)


if __name__ == "__main__":
    main()
