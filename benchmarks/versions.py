"""This checkout beside another one, of an earlier commit say: counting, searching, two workers, start-up, compiling.

python -m benchmarks.versions CHECKOUT [REPEATS]

Every measurement is a process of its own, with the public names of the package alone; the sides take turns, and the
ratio of each round counts: above 1, this checkout takes longer.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.common import interleaved, ratio, save

TIMED = """
import time, resource, outflank
from outflank import AbaloneBoard, OthelloBoard, perft, search
def run(count):
    {code}
run(0)
began = time.{clock}()
run(1)
print(time.{clock}() - began)
"""
"""`run(0)` makes the kernels ready, by as little work as it can."""

SPENT = """
import resource
{code}
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime)
"""

COMMAND = """
import contextlib, io
from outflank.ui.cli import main
with contextlib.redirect_stdout(io.StringIO()):
    try:
        main([{words}])
    except SystemExit:
        pass
"""

SEARCHES = {
    "perft of Othello, 1 worker": ("perft(OthelloBoard.start(), 11 if count else 2, workers=1)", "process_time"),
    "perft of Abalone, 1 worker": ("perft(AbaloneBoard.start(), 5 if count else 2, workers=1)", "process_time"),
    "alpha-beta by discs": (
        "search(OthelloBoard.start(scoring='discs'), depth=15 if count else 2, algorithm='alphabeta', "
        "evaluation='discs', ordering='none', table_bits=None, deepen=False, workers=1)",
        "process_time",
    ),
    "PVS of Othello, 1 worker": ("search(OthelloBoard.start(), depth=15 if count else 2, workers=1)", "process_time"),
    "PVS of Abalone, 1 worker": ("search(AbaloneBoard.start(), depth=8 if count else 2, workers=1)", "process_time"),
    "PVS of Othello, 2 workers": ("search(OthelloBoard.start(), depth=16 if count else 2, workers=2)", "perf_counter"),
    "PVS of Abalone, 2 workers": ("search(AbaloneBoard.start(), depth=8 if count else 2, workers=2)", "perf_counter"),
}
"""What is timed with compiled kernels: processor time of one worker, the wall clock of two."""

STARTS = {
    "start-up: a board": "import outflank; outflank.OthelloBoard.start()",
    "start-up: --version": COMMAND.format(words="'--version'"),
    "start-up: show": COMMAND.format(words="'show'"),
    "start-up: search, compiled": COMMAND.format(words="'search', '--depth', '2'"),
}
COLD = {
    "cold: a first search": "import outflank; outflank.search(outflank.OthelloBoard.start(), depth=2, workers=1)",
    "cold: on two workers": "import outflank; outflank.search(outflank.OthelloBoard.start(), depth=2, workers=2)",
    "cold: a first perft": "import outflank; outflank.perft(outflank.AbaloneBoard.start(), 2)",
}
"""With nothing compiled: processor time, for compiling uses one core."""


def measured(checkout: Path, code: str, cache: str | None) -> float:
    """What a process with that checkout's package prints."""
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | {"PYTHONPATH": str(checkout / "src"), "OUTFLANK_CACHE_DIR": cache or empty}
        command = [sys.executable, "-c", code]
        told = subprocess.run(command, env=environment, cwd=empty, capture_output=True, text=True, check=True).stdout
    return float(told.split()[-1])


def main() -> None:
    """Measure everything, and keep it."""
    if len(sys.argv) < 2 or not (Path(sys.argv[1]) / "src" / "outflank").is_dir():
        sys.exit("python -m benchmarks.versions CHECKOUT [REPEATS]: another checkout of the project is needed")
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    checkouts = {"this": Path(__file__).parent.parent, "other": Path(sys.argv[1]).resolve()}
    commits = {side: _commit(path) for side, path in checkouts.items()}
    sys.argv[1] = commits["other"][:7]  # what the result is kept with: the commit, and no path of this machine
    figures: dict[str, float | str] = {"other": commits["other"]}
    kept: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as caches:
        for name, code, cached in _measurements():
            sides: dict[str, Callable[[], float]] = {
                f"{side}, {name}": _side(path, code, f"{caches}/{side}" if cached else None)
                for side, path in checkouts.items()
            }
            if cached:
                for run in sides.values():
                    run()  # compiles
            samples = interleaved(sides, repeats)
            this, other = samples
            figures[f"{name}, this to other"] = ratio(samples, this, other)
            kept[name] = {side: samples[each] for side, each in zip(checkouts, samples, strict=True)}
    for name, samples in kept.items():
        figures[f"{name}, seconds"] = statistics.median(samples["this"])
    save("versions", figures, kept)


def _measurements() -> list[tuple[str, str, bool]]:
    searches = [(name, TIMED.format(code=code, clock=clock), True) for name, (code, clock) in SEARCHES.items()]
    starts = [(name, SPENT.format(code=code), True) for name, code in STARTS.items()]
    return [*searches, *starts, *((name, SPENT.format(code=code), False) for name, code in COLD.items())]


def _side(path: Path, code: str, cache: str | None) -> Callable[[], float]:
    return lambda: measured(path, code, cache)


def _commit(path: Path) -> str:
    told = subprocess.run(
        ["git", "-C", str(path), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout
    found = re.fullmatch(r"[0-9a-f]{40}", told.strip())
    return found[0] if found else "unknown"


if __name__ == "__main__":
    main()
