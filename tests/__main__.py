"""Every check of the project: `python -m tests`; `python -m tests quick` gives an answer in two minutes.

The quick form leaves out what takes long: whatever is marked `slow`, which says how long a test takes, and nearly all
that has to be compiled.
"""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.browsers import left_out

READ = {
    "style": ["-m", "ruff", "check", "."],
    "format": ["-m", "ruff", "format", "--check", "."],
    "layers": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
}
TYPES = {"types": ["-m", "mypy"]}
EXAMPLES = {"examples, compiled": ["-m", "pytest", "src/outflank/__init__.py", "src/outflank/search/perft.py"]}
"""What the quick form compiles: a search by several workers and counts of both games."""

# Three, for some tests wait for clocks, browsers and Ray: on two cores these were idle for a fifth of the time with two
# processes, and for a hundredth with three. Stealing, for a test that compiles takes a hundred times as long as one
# that does not.
PYTEST = ["-m", "pytest", "-n", "3", "--dist", "worksteal"]
WARM = "tests/kernels/test_warm.py"
# What other compiled tests need, one process for each game: several would compile much of it twice.
KERNELS = ["-m", "pytest", "-n", "2", WARM]
# Four, for those that start Ray wait for most of their time.
COMPILED = ["-m", "pytest", "-n", "4", "--dist", "worksteal", "--ignore", WARM, "-m", "not interpreted_only"]

# Rewriting the assertions of all tests takes 24 seconds, and is kept: otherwise each process would do it.
COLLECTION = {"collection": ["-m", "pytest", "--collect-only", "-p", "no:terminal"]}

Checks = dict[str, list[str]]
RUN: list[tuple[Checks, Checks]] = [
    ({"kernels, compiled": KERNELS}, READ | COLLECTION | TYPES),
    # Without mypy beside them: a test asks it about a few files. What it has learnt is kept.
    ({"tests, interpreted": PYTEST, "tests, compiled": COMPILED}, {}),
]
QUICK: list[tuple[Checks, Checks]] = [
    ({"tests, interpreted": [*PYTEST, "-m", "not slow", "tests"]}, READ | TYPES | EXAMPLES)
]
"""Tests, and beside them what has only one thread."""

ROOT = Path(__file__).parent.parent


def passes(name: str, arguments: list[str], *, beside: bool = False) -> bool:
    """Run a check to its end. What one `beside` others says is printed when it is over."""
    environment = os.environ | ({"NUMBA_DISABLE_JIT": "1"} if "interpreted" in name else {})
    # Hundreds of processes are started here: where bytecode is not kept, each of them compiles all that it imports.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    started = time.perf_counter()
    command = [sys.executable, *arguments]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=beside)
    if beside:
        os.write(sys.stdout.fileno(), b"\n" + done.stdout + done.stderr)
    print(f"--- {name}: {time.perf_counter() - started:.0f} s, status {done.returncode}", flush=True)
    return done.returncode == 0


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["quick"]):
        print("usage: python -m tests [quick]", file=sys.stderr)
        return 2
    passed: dict[str, bool] = {}
    for tests, beside in QUICK if arguments else RUN:
        with ThreadPoolExecutor(1) as executor:
            others = {name: executor.submit(passes, name, command, beside=True) for name, command in beside.items()}
            passed |= {name: passes(name, command) for name, command in tests.items()}
            passed |= {name: other.result() for name, other in others.items()}
    if said := left_out(*(["-m", "not slow"] if arguments else [])):
        print(said)
    failed = [name for name, good in passed.items() if not good]
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
