"""Fork-join programs of your own on the work-stealing runtime: spawn, sync, parallel loops and reductions.

    @forkjoin.task
    def fib(worker, n: int) -> int:
        if n < 2:
            return n
        left = forkjoin.spawn(worker, fib, n - 1)
        right = fib(worker, n - 2)
        return forkjoin.sync(worker, left) + right

    forkjoin.run(fib, 35, workers=2)

Tasks are compiled with Numba. `outflank lab tasks` measures the parallelism of a program and looks for races.
"""

from outflank.forkjoin.declared_types import NotATask
from outflank.forkjoin.loops import Reducer, loop, reduce
from outflank.forkjoin.programs import Program, program_named
from outflank.forkjoin.recording import Recording
from outflank.forkjoin.running import Outcome, WorkerStatistics, measure, run
from outflank.forkjoin.scheduling import Child, Stopped, spawn, sync
from outflank.forkjoin.tasks import Task, task
from outflank.forkjoin.worker import Worker

__all__ = [
    "Child",
    "NotATask",
    "Outcome",
    "Program",
    "Recording",
    "Reducer",
    "Stopped",
    "Task",
    "Worker",
    "WorkerStatistics",
    "loop",
    "measure",
    "program_named",
    "reduce",
    "run",
    "spawn",
    "sync",
    "task",
]
