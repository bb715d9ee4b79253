"""The interface of an experiment: parameters, tasks that measure, and a conclusion drawn from samples alone."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from outflank.errors import InvalidOption, OutflankError
from outflank.lab.experiment_report import Figure, ReportTable, Sample, sample_shape
from outflank.machine import MOST_WORKERS, usable_cores
from outflank.plugins import Registry
from outflank.search.request import Stop
from outflank.validation.documents import JsonObject
from outflank.validation.values import Shape, check_fields

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Task:
    """One measurement of a run."""

    name: str
    """Unique name within the run; an interrupted run resumes by it."""
    run: Callable[[Stop], Iterable[Sample]]
    """Function that measures; it returns early once the stop is called."""
    weight: float = 1.0
    """Estimated duration relative to the other tasks."""

    def __post_init__(self) -> None:
        try:
            parameters = signature(self.run)
        except (TypeError, ValueError):  # no signature available
            return
        try:
            parameters.bind(Stop())
        except TypeError as error:
            raise OutflankError(
                f"task {self.name!r}: it is called with the stop alone, as run(stop): {error}"
            ) from None

    def measured(self, stop: Stop) -> Iterable[Sample]:
        """Run the task and return its samples; raise `OutflankError` if the result is no list of samples."""
        samples = self.run(stop)
        if isinstance(samples, Mapping | str) or not isinstance(samples, Iterable):
            raise OutflankError(f"task {self.name!r}: expected a list of samples, found {type(samples).__name__}")
        return samples


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """Tables, figures and notes derived from samples."""

    tables: tuple[ReportTable, ...]
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    passed: bool = True


def option(default: T, help_text: str, *, argument: bool = False) -> T:
    """Return a parameter field, which the command line offers as an option or as positional arguments."""
    return field(default=default, metadata={"help": help_text, "argument": argument})


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Base class of the parameters of an experiment."""

    def __post_init__(self) -> None:
        check_fields(self)  # also converts JSON's lists to tuples
        for parameter in fields(self):
            value = getattr(self, parameter.name)
            if isinstance(value, tuple | list) and not value:
                raise InvalidOption(f"{parameter.name}: at least one is needed")
            for number in value if isinstance(value, tuple | list) else (value,):
                least = LEAST.get(parameter.name, 0)
                if isinstance(number, int) and not isinstance(number, bool) and number < least:
                    raise InvalidOption(f"{parameter.name}={number}: at least {least}")
        workers = getattr(self, "workers", ())
        for number in workers if isinstance(workers, tuple) else (workers,):
            if number is not None and number > MOST_WORKERS:
                raise InvalidOption(f"workers={number}: at most {MOST_WORKERS}")

    def unused(self) -> tuple[str, ...]:
        """Return the names of parameters that have no effect, given the values of the others."""
        return ()

    def used(self) -> JsonObject:
        """Return the parameters that have an effect, by name."""
        unused = self.unused()
        return {name: value for name, value in asdict(self).items() if name not in unused}


LEAST = {"workers": 1, "rounds": 1, "depth": 1, "depths": 1, "games": 1, "levels": 1, "schedules": 1, "recordings": 1}
"""Least value of a parameter, by name; 0 for all others."""

if TYPE_CHECKING:  # as in `outflank.boards.board`: `Experiment` alone has any parameters
    from typing_extensions import TypeVar as TypeVarWithDefault

    ParametersT = TypeVarWithDefault("ParametersT", bound=Parameters, default=Any)
else:
    ParametersT = TypeVar("ParametersT", bound=Parameters)


class Experiment(Generic[ParametersT]):
    """A question, and how it is measured and answered."""

    name: ClassVar[str]
    question: ClassVar[str]
    reports: ClassVar[tuple[str, ...]]
    parameters: type[ParametersT]

    def tasks(self, parameters: ParametersT) -> Sequence[Task]:
        """Return the tasks to run, in order."""
        raise NotImplementedError

    def conclude(self, parameters: ParametersT, samples: Sequence[Sample]) -> Conclusion:
        """Return tables and figures of complete or partial samples. Depends only on its arguments."""
        raise NotImplementedError

    def shape(self, parameters: ParametersT, sample: Sample) -> Shape:
        """Return the required shape of a sample; stored samples are checked against it before `conclude`."""
        return sample_shape()

    def files(self, parameters: ParametersT, samples: Sequence[Sample]) -> dict[str, str]:
        """Return further files in formats of other programs, by file-name suffix."""
        return {}


_LOCATIONS = {
    "parallelism": "parallelism:Parallelism",
    "scaling": "scaling:Scaling",
    "simulate": "simulate:Simulate",
    "threshold": "sweeps:Threshold",
    "replication": "clusters:ReplicationDepth",
    "granularity": "sweeps:Granularity",
    "levels": "sweeps:Levels",
    "schedule": "sweeps:Schedule",
    "shape": "sweeps:SpawnShape",
    "orderings": "choices:Orderings",
    "pivot": "choices:Pivot",
    "coarseness": "choices:Coarseness",
    "symmetry": "choices:Symmetry",
    "algorithms": "choices:Algorithms",
    "edges": "edges:Edges",
    "storage": "storage:Storage",
    "widths": "storage:Widths",
    "sorting": "orders:Sorting",
    "stages": "orders:Stages",
    "table": "choices:HitsNearTheRoot",
    "hash": "hashing:Hash",
    "placement": "worker_placement:Placement",
    "nodes": "windows:Nodes",
    "times": "nodes_per_turn:Times",
    "branching": "branching:Branching",
    "depths": "pruning:Depths",
    "pruning": "pruning:Pruning",
    "imbalance": "imbalance:Imbalance",
    "duels": "duels:Duels",
    "compiler": "compilation:Compiler",
    "determinism": "determinism:Determinism",
    "races": "race_check:Races",
    "within": "within:Within",
    "profile": "profile:ProfileStudy",
    "reproduce": "reproduce:Reproduce",
}
"""Module and class of each experiment of the package, in listing order."""


def _instance(name: str, loaded: object) -> Experiment:
    if not isinstance(loaded, type) or not issubclass(loaded, Experiment) or getattr(loaded, "name", None) != name:
        raise InvalidOption(f"expected a class of Experiment of that name, found {loaded!r}")
    return loaded()


EXPERIMENTS = Registry(
    "experiment",
    "outflank.experiments",
    {name: f"outflank.lab.studies.{location}" for name, location in _LOCATIONS.items()},
    check=_instance,
)


def register(experiment: type[Experiment]) -> type[Experiment]:
    """Register an experiment under its name, which its module then owns."""
    EXPERIMENTS.register(experiment.name, experiment, by=experiment.__module__)
    return experiment


def experiments() -> tuple[str, ...]:
    """Return the names of all experiments."""
    return EXPERIMENTS.names()


def experiment_named(name: str) -> Experiment:
    """Return the experiment called `name`."""
    return EXPERIMENTS.get(name)


def core_counts() -> tuple[int, ...]:
    """Return the worker counts 1, 2, 4, … up to the number of cores."""
    cores = max(1, int(usable_cores()))
    doubled = [2**power for power in range(11) if 2**power < cores]
    return (*doubled, cores)
