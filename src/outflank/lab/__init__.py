"""The laboratory: experiments on parallel search, each a question with a measured answer.

    >>> from outflank import lab
    >>> lab.run("determinism", depth=2, workers=(1, 2)).passed
    True

`lab.experiments()` lists their names; `lab.run(name, ...)` returns a `Report` with tables, figures and
samples, which a notebook displays; `lab.redraw(path)` rebuilds a report from its JSON alone.
`lab.search` is `outflank.search` for your own experiments; reports list its searches.
"""

from outflank.lab.experiment import (
    Conclusion,
    Experiment,
    Parameters,
    Task,
    experiment_named,
    experiments,
    option,
    register,
)
from outflank.lab.experiment_report import Figure, Flame, Plot, Report, ReportTable, Sample, Series, Timeline
from outflank.lab.experiment_runner import RunProgress, redraw, run
from outflank.lab.measuring.hashes import register_hash
from outflank.lab.measuring.search_log import Searched, search

__all__ = [
    "Conclusion",
    "Experiment",
    "Figure",
    "Flame",
    "Parameters",
    "Plot",
    "Report",
    "ReportTable",
    "RunProgress",
    "Sample",
    "Searched",
    "Series",
    "Task",
    "Timeline",
    "experiment_named",
    "experiments",
    "option",
    "redraw",
    "register",
    "register_hash",
    "run",
    "search",
]
