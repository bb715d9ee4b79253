"""The interface of an experiment (parameters, measuring tasks, conclusion), and the registry of all experiments."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from outflank.errors import InvalidOption, OutflankError
from outflank.lab.experiment_report import Figure, Report, ReportTable, Sample, sample_shape
from outflank.machine import MOST_WORKERS, usable_cores
from outflank.plugins import Registry
from outflank.search.request import Stop
from outflank.validation.documents import JsonObject
from outflank.validation.values import Shape, check_fields

T = TypeVar("T")


MOST_AT_A_TIME = 4
"""Greatest number of tasks that run at the same time. It limits memory: a simulated cluster of 64 nodes has tables of
half a gigabyte."""


def tasks_at_a_time() -> int:
    """Return how many tasks that are not timed run at the same time on this machine."""
    return max(1, min(MOST_AT_A_TIME, int(usable_cores())))


@dataclass(frozen=True, slots=True)
class Task:
    """One measurement in a run of an experiment."""

    name: str
    """Unique name within the run. A resumed run skips tasks that already have samples."""
    run: Callable[[Stop], Iterable[Sample]]
    """Function that measures and returns samples. It returns early after its argument, a `Stop`, was called."""
    weight: float = 1.0
    """Estimated duration relative to the run's other tasks."""
    timed: bool = True
    """True if the samples contain times: such a task runs alone, unless it is `one_core`. Other tasks run several at a
    time."""
    in_process: bool = False
    """Whether a task that is not timed runs in a child process, not in a thread, while others run. Tasks that consist
    of short kernel calls need this: in threads they wait for Python's global lock, and a task of 0.9 s took 8 s. A
    child process takes some two seconds to start, and must be able to import the experiment."""
    one_core: bool = False
    """Whether a timed task keeps a single core busy, such as a match with clocks between players with one worker each.
    Tasks of this kind run at the same time, one for each core, in child processes. Their times must only serve to
    compare the players of one task."""

    @property
    def runs_beside_others(self) -> bool:
        """Whether the task runs at the same time as others."""
        return not self.timed or self.one_core

    @property
    def wall_weight(self) -> float:
        """Weight of the task in the run's wall-clock time. Tasks that run at the same time count less."""
        return self.weight / tasks_at_a_time() if self.runs_beside_others else self.weight

    def check(self) -> None:
        """Raise `OutflankError` if `run` cannot be called with a `Stop` as its only argument."""
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
        """Run the task and return its samples. Raise `OutflankError` if `run` does not return a list of samples."""
        samples = self.run(stop)
        if isinstance(samples, Mapping | str) or not isinstance(samples, Iterable):
            raise OutflankError(f"task {self.name!r}: expected a list of samples, found {type(samples).__name__}")
        return samples


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """Tables, figures and notes that an experiment derives from its samples."""

    tables: tuple[ReportTable, ...]
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    passed: bool = True


def option(default: T, help_text: str, *, argument: bool = False) -> T:
    """Return a dataclass field for a parameter. The command line offers it as an option or as positional arguments."""
    return field(default=default, metadata={"help": help_text, "argument": argument})


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Base class of an experiment's parameters."""

    def __post_init__(self) -> None:
        check_fields(self)  # also converts lists from JSON to tuples
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
        """Return the names of parameters that have no effect, given the values of the other parameters."""
        return ()

    def used(self) -> JsonObject:
        """Return the parameters that have an effect, by name."""
        unused = self.unused()
        return {name: value for name, value in asdict(self).items() if name not in unused}


LEAST = {"workers": 1, "rounds": 1, "depth": 1, "depths": 1, "games": 1, "levels": 1, "schedules": 1, "recordings": 1}
"""Least allowed value of each of these parameters of experiments. For all other parameters it is 0."""

if TYPE_CHECKING:  # as in `outflank.boards.board`: `Experiment` without an argument accepts all parameters
    from typing_extensions import TypeVar as TypeVarWithDefault

    ParametersT = TypeVarWithDefault("ParametersT", bound=Parameters, default=Any)
else:
    ParametersT = TypeVar("ParametersT", bound=Parameters)


class Experiment(Generic[ParametersT]):
    """A question, the tasks that measure samples for it, and the function that concludes an answer from the samples."""

    name: ClassVar[str]
    question: ClassVar[str]
    reports: ClassVar[tuple[str, ...]]
    parameters: type[ParametersT]

    def file_name(self, parameters: ParametersT) -> str:
        """Return the name of a result's files, without suffix. Results with different names can share a folder."""
        return self.name

    def reports_of(self, parameters: ParametersT) -> tuple[str, ...]:
        """Return the numbers of the published reports that a result is compared with."""
        return self.reports

    def tasks(self, parameters: ParametersT) -> Sequence[Task]:
        """Return the tasks to run, in order."""
        raise NotImplementedError

    def conclude(self, parameters: ParametersT, samples: Sequence[Sample]) -> Conclusion:
        """Return tables and figures from the parameters and samples alone. An interrupted run has only some samples."""
        raise NotImplementedError

    def shape(self, parameters: ParametersT, sample: Sample) -> Shape:
        """Return the required keys and types of `sample`. Stored samples are checked before they reach `conclude`."""
        return sample_shape()

    def files(self, parameters: ParametersT, report: Report) -> dict[str, str]:
        """Return additional files: their contents, by file-name suffix. A `.html` file replaces the usual page."""
        return {}

    def expected_seconds(self, parameters: ParametersT) -> float | None:
        """Return how many seconds an earlier run with these parameters took, or None if this is not known."""
        return None


_LOCATIONS = {
    "parallelism": "parallelism:Parallelism",
    "scaling": "scaling:Scaling",
    "replay": "replay:Replay",
    "simulate": "simulate:Simulate",
    "stealing": "stealing:Stealing",
    "growth": "growth:Growth",
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
    "tasks": "tasks:Tasks",
    "within": "within:Within",
    "profile": "profile:ProfileStudy",
    "two-schemes": "two_schemes:TwoSchemes",
    "reproduce": "reproduce:Reproduce",
}
"""Module and class of each built-in experiment, in the order in which they are listed."""


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
    """Register an experiment class under its `name`. Only the module that defines the class can replace it."""
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
