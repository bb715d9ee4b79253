"""Programs: a first task with its arguments and data, as the laboratory runs them."""

from collections.abc import Sequence

from outflank.errors import OutflankError
from outflank.forkjoin.declared_types import NotATask
from outflank.forkjoin.recording import Recording
from outflank.forkjoin.running import Outcome, measure
from outflank.forkjoin.tasks import Task, task_of
from outflank.user_modules import import_user_module


class Program:
    """A first task, its arguments and the data that all tasks share.

    A program whose tasks change the data can be run only once.
    """

    def __init__(self, task: Task, *arguments: object, data: object = ()) -> None:
        self.task = task_of(task)
        self.arguments = self.task.declared.converted(arguments)
        self.data = data

    def __repr__(self) -> str:
        return f"Program({', '.join([self.task.__name__, *map(repr, self.arguments)])})"

    def measure(self, *, workers: int | None = None, recording: Recording | None = None) -> Outcome:
        """Run the program; see `forkjoin.measure`."""
        return measure(self.task, *self.arguments, workers=workers, data=self.data, recording=recording)


def program_named(place: str, arguments: Sequence[float] = ()) -> Program:
    """Return a new program from `FILE.py:NAME` or `MODULE:NAME`.

    NAME is a task, which is called with `arguments`, or a function that takes `arguments` and returns a `Program`.
    """
    module_name, colon, name = place.rpartition(":")
    if not colon or not module_name or not name:
        raise OutflankError(f"{place!r} is not a program: write FILE.py:NAME, as examples/fork_join.py:fib")
    module = import_user_module(module_name)
    value = getattr(module, name, None)
    numbers = [int(number) if float(number).is_integer() else number for number in arguments]
    if isinstance(value, Task):
        return Program(value, *numbers)
    if not callable(value):
        raise NotATask(f"{module_name} has no task or function {name!r}")
    program = value(*numbers)
    if not isinstance(program, Program):
        raise NotATask(f"{place}: the function returns {program!r}; it must return a forkjoin.Program")
    return program
