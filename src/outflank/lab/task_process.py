"""A child process that runs tasks of an experiment."""

import json
from functools import cache

from outflank.lab.experiment import Task, experiment_named
from outflank.lab.measuring.child_process import answer_requests
from outflank.lab.measuring.search_log import ChildMeasurements, log_searches
from outflank.search.request import Stop
from outflank.validation.documents import JsonObject
from outflank.validation.values import conform


@cache
def _tasks(experiment_name: str, parameters_text: str) -> dict[str, Task]:
    """Return the tasks of a run by name. A reproduction has some thousand, and this process runs many of them."""
    experiment = experiment_named(experiment_name)
    parameters = conform(experiment.parameters, json.loads(parameters_text), "parameters")
    return {task.name: task for task in experiment.tasks(parameters)}


def measure(request: JsonObject) -> ChildMeasurements:
    """Run the task that `request` names, with its experiment and parameters."""
    task = _tasks(request["experiment"], json.dumps(request["parameters"]))[request["task"]]
    with log_searches() as entries:
        rows = tuple(task.measured(Stop()))
    return ChildMeasurements(rows=rows, searched=tuple(entries))


if __name__ == "__main__":
    answer_requests(measure)
