"""Programs that each run in a process of their own, begun where Numba has been read: nothing else of theirs is shared.

To read Numba and what it compiles with takes three times as long as to compile a few lines. `python -m tests.forks`
does that once, and then runs what it is told, a line of JSON for each program.
"""

import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import types
from pathlib import Path

SECONDS = 300
"""After which a program is ended that does not end."""


class Forks:
    """Runs programs as `python PROGRAM` and `python -c TEXT` do."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.forks"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parent.parent,
            # One that had threads could not be forked.
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        )

    def run(self, *arguments: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            order = {"arguments": arguments, "environment": environment, "out": str(out), "err": str(err)}
            print(json.dumps(order), file=self._process.stdin, flush=True)
            status = int(self._process.stdout.readline())
            return subprocess.CompletedProcess(arguments, status, out.read_text(), err.read_text())

    def close(self) -> None:
        self._process.communicate()


def _turn_into(arguments: list[str], environment: dict[str, str], out: str, err: str) -> types.CodeType:
    """Let this process be one that has just been started for a program; the program."""
    for descriptor, (file, mode) in enumerate(((os.devnull, os.O_RDONLY), (out, os.O_WRONLY), (err, os.O_WRONLY))):
        os.dup2(os.open(file, mode | os.O_CREAT), descriptor)
    os.environ.clear()
    os.environ.update(environment)
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    by_text = arguments[0] == "-c"
    text = arguments[1] if by_text else Path(arguments[0]).read_text()
    sys.argv[:] = ["-c", *arguments[2:]] if by_text else arguments
    first = "" if by_text else str(Path(arguments[0]).parent)
    sys.path[:] = [first, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep)), *sys.path[1:]]
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    if not by_text:
        main.__file__ = arguments[0]
    signal.alarm(SECONDS)
    return compile(text, "<string>" if by_text else arguments[0], "exec")


def _serve() -> None:
    import numba

    numba.njit(lambda number: number + 1)(1)  # reads what is read when something is compiled
    # The end of each program would look through all that this process has read, and copy the memory that it is in.
    gc.freeze()
    while line := sys.stdin.readline():
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            exec(_turn_into(**order), vars(sys.modules["__main__"]))
            return
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    _serve()
