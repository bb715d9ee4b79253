"""The race check of a fork-join program: its tasks under a deterministic scheduler that records memory accesses.

The arrays in the program's data are watched, element by element, and so is the runtime's own memory. A race is
reported with the lines of the source at which the two accesses are made.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from outflank.errors import OutflankError
from outflank.forkjoin import Program
from outflank.kernels.compiler import interpreted
from outflank.lab.races.checker import STEPS, Watcher, run_watched
from outflank.lab.races.findings import Race, RaceFindings, merged, races_of


def check_program(
    program: Callable[[], Program], *, workers: int = 2, seed: int = 1, schedules: int = 10, steps: int = STEPS
) -> RaceFindings:
    """Run a fork-join program under `schedules` interleavings of its workers, and return the races of all of them.

    `program` is called for each run, and returns a new copy of the program. Kernels must run in the interpreter: set
    `NUMBA_DISABLE_JIT=1`. The findings also compare the result of each run with the result of one worker.
    """
    if not interpreted():
        raise OutflankError("races are looked for in the interpreter: set NUMBA_DISABLE_JIT=1")
    expected = program().measure(workers=1).value
    races: list[Race] = []
    unfinished, values = [], []
    steps_taken = accesses = 0
    for index in range(schedules):
        own = program()
        watcher = Watcher(f"{seed}/{index}", steps)
        for name, array in _arrays(own.data, "data"):
            watcher.add_array(name, array)
        outcome, trouble = run_watched(partial(own.measure, workers=workers), watcher)
        races += races_of(watcher.history.pairs, watcher.threads)
        steps_taken += watcher.scheduler.steps
        accesses += watcher.history.accesses
        if trouble is not None:
            unfinished.append(f"schedule {index} of seed {seed}: {trouble}")
        if outcome is not None:
            values.append((outcome.value, expected))
    return RaceFindings(
        races=merged(races),
        schedules=schedules,
        steps=steps_taken,
        accesses=accesses,
        unfinished=tuple(unfinished),
        values=tuple(values),
        unseen=(),  # only searches are meant to show every declared race
    )


def _arrays(data: object, name: str) -> Iterator[tuple[str, npt.NDArray[np.generic]]]:
    """Yield the arrays in a program's data, each with its name."""
    if isinstance(data, np.ndarray):
        yield name, data
    elif isinstance(data, tuple):
        names = getattr(data, "_fields", None) or map(str, range(len(data)))
        for part, value in zip(names, data, strict=True):
            yield from _arrays(value, f"{name}.{part}")
