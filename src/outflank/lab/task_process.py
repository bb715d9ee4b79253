"""A child process that runs tasks of an experiment."""

from outflank.lab.experiment import experiment_named
from outflank.lab.measuring.child_process import answer_requests
from outflank.lab.measuring.search_log import ChildMeasurements, log_searches
from outflank.search.request import Stop
from outflank.validation.documents import JsonObject
from outflank.validation.values import conform


def measure(request: JsonObject) -> ChildMeasurements:
    """Run the task that `request` names, with its experiment and parameters."""
    experiment = experiment_named(request["experiment"])
    parameters = conform(experiment.parameters, request["parameters"], "parameters")
    task = next(task for task in experiment.tasks(parameters) if task.name == request["task"])
    with log_searches() as entries:
        rows = tuple(task.measured(Stop()))
    return ChildMeasurements(rows=rows, searched=tuple(entries))


if __name__ == "__main__":
    answer_requests(measure)
