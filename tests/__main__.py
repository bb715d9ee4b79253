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
from typing import NamedTuple

from tests.browsers import left_out

READ = {
    "style": ["-m", "ruff", "check", "."],
    "format": ["-m", "ruff", "format", "--check", "."],
    "layers": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
}
TYPES = {"types": ["-m", "mypy"]}
EXAMPLES = {"examples, compiled": ["-m", "pytest", "src/outflank/__init__.py", "src/outflank/search/perft.py"]}
"""What the quick form compiles: a search by several workers and counts of both games."""

# Three, because some tests wait for clocks, browsers and Ray. Stealing, because a test that compiles takes a hundred
# times as long as one that does not.
PYTEST = ["-m", "pytest", "-n", "3", "--dist", "worksteal"]
WARM = "tests/kernels/test_warm.py"
# What other compiled tests need, one process for each game: several would compile much of it twice.
KERNELS = ["-m", "pytest", "-n", "2", WARM]
# Four, for those that start Ray wait for most of their time.
COMPILED = ["-m", "pytest", "-n", "4", "--dist", "worksteal", "--ignore", WARM, "-m", "not interpreted_only"]

# Rewriting the assertions of all tests takes 24 seconds, and is kept: otherwise each process would do it.
COLLECTION = {"collection": ["-m", "pytest", "--collect-only", "-p", "no:terminal"]}

Checks = dict[str, list[str]]


class Plan(NamedTuple):
    """The order of checks."""

    stages: list[tuple[Checks, Checks]]
    """Tests, one after the other, and beside them, one after the other, checks that have only one thread."""
    in_idle_time: Checks
    """Checks that run at the lowest priority beside all stages but the last, which begins when they have ended."""


RUN = Plan(
    # mypy ends before the tests begin: a test asks it about a few files, and needs a minute if mypy has kept nothing.
    [(COLLECTION, READ | TYPES), ({"tests, interpreted": PYTEST}, {}), ({"tests, compiled": COMPILED}, {})],
    # The interpreted tests leave two cores idle for a seventh of the time: 120 seconds of processor time, which is most
    # of what the compilation takes. Run before the tests, it took 146 seconds, and its last 40 s used one core.
    {"kernels, compiled": KERNELS},
)
QUICK = Plan([({"tests, interpreted": [*PYTEST, "-m", "not slow", "tests"]}, READ | TYPES | EXAMPLES)], {})

ROOT = Path(__file__).parent.parent

LOWEST_PRIORITY = 19
"""Niceness of a process that runs when no other process of this machine wants a processor."""


def passes(name: str, arguments: list[str], *, beside: bool = False, idle: bool = False) -> bool:
    """Run a check to its end. What one `beside` others says is printed when it is over. One for `idle` time has the
    lowest priority, where the system is Unix."""
    environment = os.environ | ({"NUMBA_DISABLE_JIT": "1"} if "interpreted" in name else {})
    # Hundreds of processes are started here: where bytecode is not kept, each of them compiles all that it imports.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    started = time.perf_counter()
    command = [sys.executable, *arguments]
    pipe = subprocess.PIPE if beside else None
    with subprocess.Popen(command, env=environment, cwd=ROOT, stdout=pipe, stderr=pipe) as process:
        if idle and hasattr(os, "setpriority"):
            # The children that it starts later inherit it: pytest starts its workers after half a second.
            os.setpriority(os.PRIO_PROCESS, process.pid, LOWEST_PRIORITY)
        out, err = process.communicate()
    if beside:
        os.write(sys.stdout.fileno(), b"\n" + out + err)
    print(f"--- {name}: {time.perf_counter() - started:.0f} s, status {process.returncode}", flush=True)
    return process.returncode == 0


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["quick"]):
        print("usage: python -m tests [quick]", file=sys.stderr)
        return 2
    passed: dict[str, bool] = {}
    stages, in_idle_time = QUICK if arguments else RUN
    with ThreadPoolExecutor(1) as low, ThreadPoolExecutor(1) as executor:
        idle = {name: low.submit(passes, name, each, beside=True, idle=True) for name, each in in_idle_time.items()}
        for tests, beside in stages:
            if tests is stages[-1][0]:
                passed |= {name: check.result() for name, check in idle.items()}
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
