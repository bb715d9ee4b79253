"""Experiment `tasks`: parallelism, speed-up, workers' time and races of a user's fork-join program.

The reports examined their programs with cilkview, cilkscreen and HPCToolkit. This experiment asks the same of a program
on `outflank.forkjoin`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from outflank.errors import InvalidOption
from outflank.forkjoin import program_named
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.experiment_report import Figure, Interval, Plot, ReportTable, Sample, Series, Timeline, sample_shape
from outflank.lab.measuring.search_samples import alternating, grouped, median, number, worker_count_warnings
from outflank.lab.measuring.task_samples import (
    INTERVAL,
    PARALLELISM,
    PARTS,
    PROFILE,
    RACE,
    RACES,
    REPLAY,
    SCALING,
    WORKER,
    check_races,
    measure_parallelism,
    measure_profile,
    measure_replay,
    measure_scaling,
)
from outflank.lab.races.findings import problems_text
from outflank.lab.spans.task_spans import RUNS, WAITS
from outflank.validation.documents import Count, JsonObject
from outflank.validation.text import how_many
from outflank.validation.values import Shape

DEFAULT_TASK, DEFAULT_ARGUMENT, DEFAULT_RACE_ARGUMENT = "outflank.forkjoin.fibonacci:fib", 24.0, 7.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TasksParameters(Parameters):
    """Parameters of the experiment `tasks`."""

    task: str = option(DEFAULT_TASK, "The program: FILE.py:NAME or MODULE:NAME.")
    arguments: tuple[float, ...] | None = option(None, "Numbers for it.  [24 for fib]")
    race_arguments: tuple[float, ...] | None = option(
        None, "Smaller numbers, for `races`: the interpreter is slow.  [7 for fib, else those above]"
    )
    parts: tuple[str, ...] = option(PARTS, "What is measured.")
    workers: tuple[int, ...] = option(core_counts(), "Workers, for `scaling`.")
    rounds: int = option(5, "Times that each number of workers is measured, and that events are recorded.")
    schedules: int = option(8, "Interleavings, for `races`.")
    steps: int = option(2_000_000, "Accesses after which a program counts as endless, for `races`.")
    seed: int = option(1, "From which the interleavings are drawn, for `races`.")

    def __post_init__(self) -> None:
        super(TasksParameters, self).__post_init__()
        for part in self.parts:
            if part not in PARTS:
                raise InvalidOption(f"parts={part}: expected one of {', '.join(PARTS)}")
        program_named(self.task, self.numbers())  # raises if there is none

    def numbers(self) -> tuple[float, ...]:
        """Return the arguments of the program."""
        return self._numbers(self.arguments, DEFAULT_ARGUMENT)

    def race_numbers(self) -> tuple[float, ...]:
        """Return the arguments of the program for the race check."""
        arguments = self.arguments if self.race_arguments is None else self.race_arguments
        return self._numbers(arguments, DEFAULT_RACE_ARGUMENT)

    def _numbers(self, arguments: tuple[float, ...] | None, default: float) -> tuple[float, ...]:
        return (default,) if arguments is None and self.task == DEFAULT_TASK else arguments or ()

    def unused(self) -> tuple[str, ...]:
        without_races = () if RACES in self.parts else ("schedules", "steps", "seed", "race_arguments")
        without_times = () if {PARALLELISM, SCALING, REPLAY} & {*self.parts} else ("rounds",)
        return (*without_races, *without_times, *(() if SCALING in self.parts else ("workers",)))


class Tasks(Experiment[TasksParameters]):
    """Measures a user's fork-join program: work and span, speed-up, the workers' time, and races."""

    name = "tasks"
    question = "How parallel is a fork-join program of my own, how fast is it on more workers, and has it races?"
    reports = ("002", "003", "004")
    parameters = TasksParameters

    def tasks(self, parameters: TasksParameters) -> Sequence[Task]:
        program = partial(program_named, parameters.task, parameters.numbers())
        rounds = parameters.rounds
        tasks = []
        if PARALLELISM in parameters.parts:
            tasks.append(Task(PARALLELISM, partial(measure_parallelism, program, rounds), rounds))
        if SCALING in parameters.parts:
            tasks += [
                Task(
                    f"{how_many(workers, 'worker')}, round {round_}", partial(measure_scaling, program, workers, round_)
                )
                for round_, workers in alternating(parameters.workers, rounds)
            ]
        if REPLAY in parameters.parts:
            tasks.append(Task(REPLAY, partial(measure_replay, program, rounds), rounds))
        if PROFILE in parameters.parts:
            tasks.append(Task(PROFILE, partial(measure_profile, program)))
        if RACES in parameters.parts:
            request: JsonObject = {
                "program": parameters.task,
                "arguments": list(parameters.race_numbers()),
                "workers": 2,
                "schedules": parameters.schedules,
                "steps": parameters.steps,
                "seed": parameters.seed,
            }
            tasks.append(Task(RACES, partial(check_races, request), 5.0))
        return tasks

    def shape(self, parameters: TasksParameters, sample: Sample) -> Shape:
        what = sample.get("what")
        if what == SCALING:
            return sample_shape(
                what=str, workers=Count, round=Count, seconds=float, spawns=Count, steals=Count, value=str
            )
        if what == PARALLELISM:
            floats = dict.fromkeys(("work", "span", "burdened_span", "parallelism", "burdened_parallelism"), float)
            return sample_shape(floats, what=str, unit=str, spawns=Count, steal_ns=float, steals=Count)
        if what == REPLAY:
            floats = dict.fromkeys(("one_ns", "stealing_ns", "greedy_ns", "steal_ns", "attempt_ns"), float)
            return sample_shape(floats, what=str, workers=Count)
        if what == WORKER:
            counts = dict.fromkeys(("worker", "spawns", "steals", "tries"), Count)
            return sample_shape(counts, what=str, seconds=float, idle_seconds=float)
        if what == INTERVAL:
            return sample_shape(what=str, worker=Count, kind=str, begin_us=float, end_us=float)
        if what == RACES:
            counts = dict.fromkeys(("schedules", "accesses", "unfinished", "wrong_values"), Count)
            return sample_shape(counts, what=str, trouble=str)
        return sample_shape(
            what=Literal[*PARTS, RACE, INTERVAL, WORKER],
            memory=str,
            first=str,
            second=str,
            times=Count,
            declared=bool,
            reason=str | None,
        )

    def conclude(self, parameters: TasksParameters, samples: Sequence[Sample]) -> Conclusion:
        by_kind = {what: group for (what,), group in grouped(samples, "what").items()}
        tables: list[ReportTable] = []
        figures: list[Figure] = []
        notes: list[str] = []
        passed = True
        if PARALLELISM in by_kind:
            tables.append(_parallelism_table(by_kind[PARALLELISM]))
            notes += _parallelism_notes(by_kind[PARALLELISM])
        if SCALING in by_kind:
            lines = _scaling_lines(by_kind[SCALING])
            tables.append(ReportTable.of("speed-up", lines))
            figures.append(_scaling_plot(lines))
            notes += worker_count_warnings(parameters.workers)
            values = {str(sample["value"]) for sample in by_kind[SCALING]}
            if len(values) > 1:
                passed = False
                notes.append(f"The result differs from run to run: {', '.join(sorted(values))}.")
        if REPLAY in by_kind:
            tables.append(ReportTable.of("replay of one worker's run", _replay_lines(by_kind[REPLAY])))
            notes.append(_replay_note(by_kind[REPLAY][0]))
        if WORKER in by_kind:
            tables.append(ReportTable.of("what each worker did", _worker_lines(by_kind[WORKER])))
        if INTERVAL in by_kind:
            figures.append(_timeline(by_kind[INTERVAL]))
        if RACES in by_kind:
            race_tables, race_note, clean = _race_tables(by_kind[RACES][0], by_kind.get(RACE, []))
            tables += race_tables
            notes.append(race_note)
            passed = passed and clean
        return Conclusion(tables=tuple(tables), figures=tuple(figures), notes=tuple(notes), passed=passed)


# --- tables and figures ---


def _parallelism_table(samples: Sequence[Sample]) -> ReportTable:
    names = ("work", "span", "burdened_span", "parallelism", "burdened_parallelism", "spawns")
    return ReportTable.of(
        "work and span of one worker's run",
        [{"unit": sample["unit"], **{name.replace("_", " "): sample[name] for name in names}} for sample in samples],
    )


def _parallelism_notes(samples: Sequence[Sample]) -> Iterator[str]:
    first = samples[0]
    if first["steals"]:
        yield f"The burden of a steal is {number(first['steal_ns']):,.0f} ns, the median of {first['steals']:,} steals."
    else:
        yield "Two workers stole nothing from each other, so the burden is 0: the run was too short to share."


def _scaling_lines(samples: Sequence[Sample]) -> list[Sample]:
    groups = {int(number(workers)): group for (workers,), group in grouped(samples, "workers").items()}
    base = median(groups[min(groups)], "seconds")
    return [
        {
            "workers": workers,
            "time (s)": median(group, "seconds"),
            "processor time (s)": median(group, "processor_seconds"),
            f"speed-up over {how_many(min(groups), 'worker')}": base / median(group, "seconds"),
            "spawns": group[0]["spawns"],
            "steals": median(group, "steals"),
        }
        for workers, group in sorted(groups.items())
    ]


def _scaling_plot(lines: Sequence[Sample]) -> Plot:
    points = tuple((number(line["workers"]), number(list(line.values())[3])) for line in lines)
    return Plot(
        title="speed-up",
        x="workers",
        y="speed-up",
        series=(
            Series(name="measured", points=points),
            Series(name="ideal", points=tuple((x, x / points[0][0]) for x, _ in points), style="dashed"),
        ),
    )


def _replay_lines(samples: Sequence[Sample]) -> list[Sample]:
    return [
        {
            "workers": sample["workers"],
            "time (s)": number(sample["stealing_ns"]) / 1e9,
            "speed-up": number(sample["one_ns"]) / number(sample["stealing_ns"]),
            "speed-up, ideal scheduler": number(sample["one_ns"]) / number(sample["greedy_ns"]),
        }
        for sample in samples
    ]


def _replay_note(sample: Sample) -> str:
    costs = (
        f"{number(sample['steal_ns']):,.0f} ns for a steal and {number(sample['attempt_ns']):,.0f} for a failed attempt"
    )
    return f"The replay counts {costs}, as measured here; it knows no sleep and no limits of memory."


def _worker_lines(samples: Sequence[Sample]) -> list[Sample]:
    return [
        {
            "worker": sample["worker"],
            "in tasks (s)": number(sample["seconds"]) - number(sample["idle_seconds"]),
            "idle (s)": sample["idle_seconds"],
            "spawns": sample["spawns"],
            "steals": sample["steals"],
            "tries": sample["tries"],
        }
        for sample in samples
    ]


def _timeline(samples: Sequence[Sample]) -> Timeline:
    return Timeline(
        title="what each worker did",
        unit="ms",
        kinds=(RUNS, WAITS),
        intervals=tuple(
            Interval(
                lane=f"worker {sample['worker']}",
                kind=str(sample["kind"]),
                begin=number(sample["begin_us"]) / 1000,
                end=number(sample["end_us"]) / 1000,
            )
            for sample in samples
        ),
        caption="Blank: idle.",
    )


def _race_tables(whole: Sample, races: Sequence[Sample]) -> tuple[list[ReportTable], str, bool]:
    """Return the tables of races, a note, and whether the program has none."""
    own = [race for race in races if not race["declared"]]
    clean = not own and not whole["unfinished"] and not whole["wrong_values"]
    names = ("schedules", "accesses", "unfinished", "wrong_values")
    lines: list[Sample] = [{**{name.replace("_", " "): whole[name] for name in names}, "races": len(own)}]
    tables = [ReportTable.of("races: two workers, interleaved at random", lines)]
    if own:
        tables.append(
            ReportTable.of(
                "accesses that race",
                [{name: race[name] for name in ("memory", "first", "second", "times")} for race in own],
            )
        )
    unfinished, wrong, schedules = (int(number(whole[name])) for name in ("unfinished", "wrong_values", "schedules"))
    verdict = problems_text(len(own), unfinished, wrong, schedules) or "no race"
    note = f"{number(whole['accesses']):,.0f} accesses watched: {verdict}."
    return tables, f"{note} {whole['trouble']}".strip(), clean
