"""Every check of the project: `python -m tests`; `python -m tests quick` gives an answer in two minutes.

The quick form leaves out what takes long: whatever is marked `early`, which says how long a test takes, and nearly all
that has to be compiled.
"""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

READ = {
    "style": ["-m", "ruff", "check", "."],
    "format": ["-m", "ruff", "format", "--check", "."],
    "types": ["-m", "mypy"],
    "layers": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
}
"""Checks that read the source and run nothing of it. Each has one thread: they are made beside the first tests."""

# Stealing, for a test that compiles takes a hundred times as long as one that does not.
PYTEST = ["-m", "pytest", "-n", "2", "--dist", "worksteal"]
RUN = {
    "tests, interpreted": PYTEST,
    "tests, compiled": [*PYTEST, "-m", "not plain"],
}
QUICK = {"tests, interpreted": [*PYTEST, "-m", "not early", "tests"]}
EXAMPLES = {"examples, compiled": ["-m", "pytest", "src/outflank/__init__.py", "src/outflank/search/perft.py"]}
"""What the quick form compiles: a search by several workers and counts of both games."""

ROOT = Path(__file__).parent.parent


def passes(name: str, arguments: list[str], *, beside: bool = False) -> bool:
    """Run a check to its end. What one `beside` others says is printed when it is over."""
    environment = os.environ | ({"NUMBA_DISABLE_JIT": "1"} if "interpreted" in name else {})
    # Hundreds of processes are started here: where bytecode is not kept, each of them compiles all that it imports.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    started = time.perf_counter()
    command = [sys.executable, *arguments]
    done = subprocess.run(command, env=environment, cwd=ROOT, text=True, capture_output=beside)
    said = f"\n{done.stdout}{done.stderr}" if beside else ""
    print(f"{said}--- {name}: {time.perf_counter() - started:.0f} s, status {done.returncode}", flush=True)
    return done.returncode == 0


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["quick"]):
        print("usage: python -m tests [quick]", file=sys.stderr)
        return 2
    run, beside = (QUICK, READ | EXAMPLES) if arguments else (RUN, READ)
    with ThreadPoolExecutor(1) as executor:
        others = {name: executor.submit(passes, name, command, beside=True) for name, command in beside.items()}
        passed = {name: passes(name, command) for name, command in run.items()}
        passed |= {name: other.result() for name, other in others.items()}
    failed = [name for name, good in passed.items() if not good]
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
