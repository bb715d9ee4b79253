"""Fibonacci numbers by recursive tasks: the usual benchmark of a fork-join runtime.

There is hardly any work besides the spawns, so the time shows the cost of a spawn.
"""

from outflank.forkjoin.scheduling import spawn, sync
from outflank.forkjoin.tasks import task
from outflank.forkjoin.worker import Worker


@task
def fib(worker: Worker, n: int) -> int:
    """Return Fibonacci number `n`."""
    if n < 2:
        return n
    left = spawn(worker, fib, n - 1)
    right: int = fib(worker, n - 2)
    result: int = sync(worker, left) + right
    return result
