"""What an experiment is: parameters, tasks that measure, and a conclusion that is drawn from samples alone."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from inspect import signature
from typing import Any, ClassVar, Generic, TypeVar

from outflank.errors import InvalidOption, OutflankError
from outflank.kinds import Shape
from outflank.lab.report import Figure, ReportTable, Sample, sample_shape
from outflank.machine import MOST_WORKERS, usable_cores
from outflank.plugins import Registry
from outflank.schema import check_fields
from outflank.search.contract import Stop


@dataclass(frozen=True, slots=True)
class Task:
    """One measurement of a run."""

    name: str
    """Unique within the run: by it an interrupted run knows what it has."""
    run: Callable[[Stop], Iterable[Sample]]
    """Measures; comes back early once the stop is called."""
    weight: float = 1.0
    """How long it takes beside the others, as far as one can guess."""

    def __post_init__(self) -> None:
        try:
            takes = signature(self.run)
        except (TypeError, ValueError):  # it does not tell
            return
        try:
            takes.bind(Stop())
        except TypeError as error:
            raise OutflankError(
                f"task {self.name!r}: it is called with the stop alone, as run(stop): {error}"
            ) from None

    def measured(self, stop: Stop) -> Iterable[Sample]:
        """What it measures."""
        found = self.run(stop)
        if isinstance(found, Mapping | str) or not isinstance(found, Iterable):
            raise OutflankError(f"task {self.name!r}: expected a list of samples, found {type(found).__name__}")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What the samples say."""

    tables: tuple[ReportTable, ...]
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    passed: bool = True


def option(default: Any, explained: str, *, argument: bool = False) -> Any:
    """A parameter of an experiment, which the command line offers as an option, or takes as its arguments."""
    return field(default=default, metadata={"help": explained, "argument": argument})


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """What can be chosen about an experiment; each has its own."""

    def __post_init__(self) -> None:
        check_fields(self)  # which also makes tuples of JSON's lists
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, tuple | list) and not value:
                raise InvalidOption(f"{each.name}: at least one is needed")
            for number in value if isinstance(value, tuple | list) else (value,):
                least = LEAST.get(each.name, 0)
                if isinstance(number, int) and not isinstance(number, bool) and number < least:
                    raise InvalidOption(f"{each.name}={number}: at least {least}")
        workers = getattr(self, "workers", ())
        for number in workers if isinstance(workers, tuple) else (workers,):
            if number is not None and number > MOST_WORKERS:
                raise InvalidOption(f"workers={number}: at most {MOST_WORKERS}")

    @classmethod
    def as_now(cls, document: Mapping[str, Any]) -> dict[str, Any]:
        """A document's parameters by today's names: of old there was one `position`, where there are `positions`."""
        known = {each.name for each in fields(cls)}
        found = dict(document)
        if "position" in found and "positions" in known and "position" not in known:
            position = found.pop("position")
            found |= {} if position is None else {"positions": [position]}
        return found

    def unused(self) -> tuple[str, ...]:
        """Parameters that play no part, as the others were chosen."""
        return ()

    def used(self) -> dict[str, Any]:
        """Those that do play a part, by name."""
        unused = self.unused()
        return {name: value for name, value in asdict(self).items() if name not in unused}


LEAST = {"workers": 1, "rounds": 1, "depth": 1, "depths": 1, "games": 1, "levels": 1, "schedules": 1, "recordings": 1}
"""The least value of a parameter, by its name; of all others 0."""

Chosen = TypeVar("Chosen", bound=Parameters)


class Experiment(Generic[Chosen]):
    """A question, and how it is answered."""

    name: ClassVar[str]
    question: ClassVar[str]
    reports: ClassVar[tuple[str, ...]]
    parameters: type[Chosen]

    def tasks(self, chosen: Chosen) -> Sequence[Task]:
        """What to measure, in that order."""
        raise NotImplementedError

    def conclude(self, chosen: Chosen, samples: Sequence[Sample]) -> Conclusion:
        """Tables and figures of what was measured, be it all or a part. Looks at nothing but its arguments."""
        raise NotImplementedError

    def shape(self, chosen: Chosen, sample: Sample) -> Shape:
        """What such a sample must hold: a kept one is held against it before anything is concluded from it."""
        return sample_shape()

    def files(self, chosen: Chosen, samples: Sequence[Sample]) -> dict[str, str]:
        """Further files in formats that other programs read, by the end of their names."""
        return {}


_HOMES = {
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
    "placement": "placement:Placement",
    "nodes": "windows:Nodes",
    "times": "turns:Times",
    "branching": "branching:Branching",
    "depths": "pruning:Depths",
    "pruning": "pruning:Pruning",
    "imbalance": "imbalance:Imbalance",
    "duels": "duels:Duels",
    "compiler": "compiling:Compiler",
    "determinism": "determinism:Determinism",
    "races": "race_check:Races",
    "within": "within:Within",
    "profile": "profile:ProfileStudy",
    "reproduce": "reproduce:Reproduce",
}
"""The module and class of each of the package's own, in the order in which they are listed."""


def _instance(name: str, found: object) -> Experiment[Any]:
    if not isinstance(found, type) or not issubclass(found, Experiment) or getattr(found, "name", None) != name:
        raise InvalidOption(f"expected a class of Experiment of that name, found {found!r}")
    return found()


EXPERIMENTS = Registry(
    "experiment",
    "outflank.experiments",
    {name: f"outflank.lab.studies.{home}" for name, home in _HOMES.items()},
    check=_instance,
)


def register(experiment: type[Experiment[Any]]) -> type[Experiment[Any]]:
    """Make an experiment known by its name, which is its module's from then on."""
    EXPERIMENTS.register(experiment.name, experiment, by=experiment.__module__)
    return experiment


def experiments() -> tuple[str, ...]:
    """The names of all experiments."""
    return EXPERIMENTS.names()


def experiment_named(name: str) -> Experiment[Any]:
    """The experiment called `name`."""
    return EXPERIMENTS.get(name)


def core_counts() -> tuple[int, ...]:
    """1, 2, 4, … workers, to as many as there are cores."""
    cores = max(1, int(usable_cores()))
    doubled = [2**power for power in range(11) if 2**power < cores]
    return (*doubled, cores)
