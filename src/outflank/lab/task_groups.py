"""Running the tasks of an experiment: one by one, several at a time, in child processes, or on a cluster."""

import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from outflank.lab.experiment import Experiment, Parameters, Task, tasks_at_a_time
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.child_process import ChildProcesses, logged_rows
from outflank.lab.measuring.search_log import ChildMeasurements, Searched, log_searches
from outflank.lab.task_process import NodeMeasurements
from outflank.search.request import Stop
from outflank.validation.documents import JsonObject, converted, plain

if TYPE_CHECKING:
    from outflank.distributed.tasks import TaskDispatcher


@dataclass(frozen=True, slots=True)
class Outcome:
    """The samples of a task, the searches that it ran, and its duration."""

    task: Task
    samples: list[Sample]
    searched: Sequence[Searched]
    seconds: float


Measuring = Callable[[Task, Stop], Iterable[Sample]]
"""A function that runs a task and returns its samples."""


def _request(experiment: Experiment, parameters: Parameters, task: Task) -> JsonObject:
    return {"experiment": experiment.name, "parameters": parameters.used(), "task": task.name}


def _in_child(
    experiment: Experiment, parameters: Parameters, children: ChildProcesses, task: Task, stop: Stop
) -> Iterable[Sample]:
    """Run a task in a child process if its fields ask for one, else in this thread."""
    if not (task.in_process or task.one_core):
        return task.measured(stop)
    return children.measure(_request(experiment, parameters, task), stop)


def _on_cluster(
    experiment: Experiment, parameters: Parameters, cluster: "TaskDispatcher", task: Task, stop: Stop
) -> Iterable[Sample]:
    """Run a task on a node of a cluster."""
    answer = cluster.do(plain(_request(experiment, parameters, task)), stop=stop)
    return [] if answer is None else logged_rows(converted(ChildMeasurements, answer))


def _outcome(task: Task, measure: Measuring, stop: Stop) -> Outcome:
    began = time.monotonic()
    with log_searches() as entries:
        samples = [{"task": task.name, **sample} for sample in measure(task, stop)] if not stop.called else []
    return Outcome(task, samples, entries, time.monotonic() - began)


@dataclass(frozen=True, slots=True)
class Together:
    """Tasks that run at the same time."""

    tasks: list[Task]
    measure: Measuring
    at_a_time: int


def outcomes_of(
    tasks: Sequence[Task], groups: Sequence[Together], stop: Stop, before: Callable[[Task], None]
) -> Generator[Outcome, None, None]:
    """Run tasks, and yield their outcomes. `before` is called with each task before its outcome is awaited.

    The tasks of a group run at the same time, and groups run one after another. Then all other tasks run one by one.
    """
    own_stop = Stop()
    stop.add_listener(own_stop)
    executor = None
    try:
        for group in groups:
            executor = ThreadPoolExecutor(group.at_a_time)
            # The longest first: at the end of a group, no core should wait long for the others.
            group.tasks.sort(key=lambda task: -task.weight)
            running = [
                executor.submit(copy_context().run, _outcome, task, group.measure, own_stop) for task in group.tasks
            ]
            for task, future in zip(group.tasks, running, strict=True):
                before(task)
                yield future.result()
            executor.shutdown()
    finally:  # after an interrupt or an error, also stops tasks that still run
        own_stop()
        if executor is not None:
            executor.shutdown(cancel_futures=True)
        stop.remove_listener(own_stop)
    done = {task.name for group in groups for task in group.tasks}
    for task in tasks:
        if task.name not in done:
            before(task)
            yield _outcome(task, Task.measured, stop)


@contextmanager
def groups_of(
    experiment: Experiment, parameters: Parameters, tasks: Sequence[Task], tasks_on: str | None, stop: Stop
) -> Iterator[list[Together]]:
    """Yield the groups of tasks that run at the same time: tasks that are not timed, then tasks that keep one core
    busy.

    With `tasks_on`, the address of a cluster, the cluster's nodes run the tasks that are not timed.
    """
    untimed = [task for task in tasks if not task.timed]
    one_core = [task for task in tasks if task.timed and task.one_core]
    subject = experiment, parameters
    children = ChildProcesses("outflank.lab.task_process", os.environ)
    here = partial(_in_child, *subject, children)
    groups = [
        Together(group, here, tasks_at_a_time())
        for group in (untimed, one_core)
        if len(group) > 1 and tasks_at_a_time() > 1
    ]
    with closing(children):
        if tasks_on is None or not untimed:
            yield groups
            return
        from outflank.distributed.cluster import open_tasks  # not above: few runs need a cluster

        with open_tasks(tasks_on, NodeMeasurements) as cluster:
            cluster.start(stop)
            elsewhere = Together(untimed, partial(_on_cluster, *subject, cluster), cluster.callers)
            yield [elsewhere, *(group for group in groups if group.tasks is not untimed)]
