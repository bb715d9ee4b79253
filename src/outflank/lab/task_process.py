"""Runs tasks of an experiment that another process names: as a child of the other process, or on a node of a
cluster."""

import json
from functools import cache

from outflank.distributed.tasks.task_worker import Item
from outflank.lab.experiment import Task, experiment_named
from outflank.lab.measuring.child_process import answer_requests
from outflank.lab.measuring.search_log import ChildMeasurements, log_searches
from outflank.search.request import Stop
from outflank.validation.documents import JsonObject, plain
from outflank.validation.values import conform


@cache
def _tasks(experiment_name: str, parameters_text: str) -> dict[str, Task]:
    """Return the tasks of a run by name. A reproduction has some thousand tasks, of which this process runs many."""
    experiment = experiment_named(experiment_name)
    parameters = conform(experiment.parameters, json.loads(parameters_text), "parameters")
    return {task.name: task for task in experiment.tasks(parameters)}


def measure(request: JsonObject, stop: Stop | None = None) -> ChildMeasurements:
    """Run the task that `request` names, with its experiment and parameters, to its end or until `stop` is called."""
    task = _tasks(request["experiment"], json.dumps(request["parameters"]))[request["task"]]
    with log_searches() as entries:
        rows = tuple(task.measured(stop or Stop()))
    return ChildMeasurements(rows=rows, searched=tuple(entries))


class NodeMeasurements:
    """Task worker that runs tasks of experiments on a node of a cluster."""

    def do(self, item: Item, stop: Stop) -> Item | None:
        """Return the measurements of the task that `item` names; None if `stop` was called."""
        measurements = measure(item, stop)
        return None if stop.called else plain(measurements)

    def close(self) -> None:
        """Do nothing, because no resources are held."""


if __name__ == "__main__":
    answer_requests(measure)
