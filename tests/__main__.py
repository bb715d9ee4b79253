"""Every check of the project, one after the other: `python -m tests`."""

import os
import subprocess
import sys
import time
from pathlib import Path

STEPS = {
    "style": ["-m", "ruff", "check", "."],
    "format": ["-m", "ruff", "format", "--check", "."],
    "types": ["-m", "mypy"],
    "layers": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
    # Stealing, for a test that compiles takes a hundred times as long as one that does not.
    "tests, interpreted": ["-m", "pytest", "-n", "2", "--dist", "worksteal"],
    "tests, compiled": ["-m", "pytest", "-n", "2", "--dist", "worksteal", "-m", "not plain"],
}


def main() -> int:
    failed = []
    for name, arguments in STEPS.items():
        started = time.perf_counter()
        print(f"--- {name}", flush=True)
        environment = os.environ | ({"NUMBA_DISABLE_JIT": "1"} if "interpreted" in name else {})
        # Hundreds of processes are started here: where bytecode is not kept, each of them compiles all that it imports.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        done = subprocess.run([sys.executable, *arguments], env=environment, cwd=Path(__file__).parent.parent)
        print(f"    {time.perf_counter() - started:.0f} s, status {done.returncode}", flush=True)
        if done.returncode != 0:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
