"""Programs on a GPU in Numba's simulator, each in a process of its own: it is chosen before Numba is loaded."""

import contextlib
import io
import os
import random
import subprocess
import sys
from pathlib import Path

from outflank.ui.cli import main

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"


def pinned(script: str) -> str:
    """The program on one core: the simulator's threads take turns, and moving between two cores takes longer than all
    that they do (19 s for the longest program, against 7.5 s)."""
    if not hasattr(os, "sched_setaffinity"):
        return script
    core = random.choice(sorted(os.sched_getaffinity(0)))
    return f"import os\nos.sched_setaffinity(0, {{{core}}})\n{script}"


def simulated(script: str, *arguments: object, warned: str = "error") -> str:
    """All that a program says. It may import this module; `warned` is what becomes of warnings."""
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", warned, "-c", pinned(script), *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr


def called(*arguments: str) -> tuple[object, str, str]:
    """The status with which a command leaves, and what it says and complains of; for such programs."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(list(arguments))
        except SystemExit as left:
            return left.code, out.getvalue(), err.getvalue()
    raise AssertionError("a command leaves with a status")
