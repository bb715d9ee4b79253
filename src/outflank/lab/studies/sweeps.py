"""Experiments that vary one option of tree division: threshold, granularity, levels, schedule, shape of spawns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from outflank.abalone.programs import PROGRAM_003
from outflank.distributed.replication import POLICIES
from outflank.games.description import game_named
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.experiment_boards import (
    DEFAULT_GAME,
    GAME,
    POSITIONS,
    StudyPosition,
    by_game,
    game_with,
    study_positions,
)
from outflank.lab.experiment_report import Cell, Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.search_samples import (
    SEARCH_KINDS,
    Contender,
    grouped,
    in_rounds,
    long_enough,
    median,
    median_count,
    number,
    position_kinds,
    share,
    speed_up_warnings,
    spread,
    timing_warnings,
    worker_count_warnings,
)
from outflank.lab.report_programs.classroom import PROGRAM
from outflank.lab.report_programs.measured_programs import ProgramChoice, program_note
from outflank.lab.report_programs.published_numbers import rows as published_rows
from outflank.lab.studies.clusters import (
    CLUSTER_HELP,
    NODES_HELP,
    SearchSetup,
    check_cluster,
    setups_by_position,
    threshold_conclusion,
    threshold_shape,
    threshold_tasks,
)
from outflank.machine import usable_cores
from outflank.search.keywords import SearchArguments
from outflank.validation.documents import Count, Several
from outflank.validation.text import how_many
from outflank.validation.values import Kind, Shape

ALONE = "alone"
"""Label of the search with which all others are compared: one worker, undivided tree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepsParameters(Parameters):
    """Base class of the parameters of experiments that vary one option."""

    workers: int = option(core_counts()[-1], "Workers that share the search.")
    rounds: int = option(5, "Times that each side is measured.")
    positions: tuple[str, ...] | None = option(None, f"{POSITIONS}  [the one of the report]")


class Sweep(Experiment):
    """An experiment that compares searches which differ in one option."""

    varied: ClassVar[str]
    """Name of the varied option. It is the first column of the table, and the x axis of the plot."""
    label: ClassVar[Kind] = Count | Literal["alone"]
    """Type of the varied option's values in samples."""

    game: ClassVar[str] = DEFAULT_GAME
    default_position: ClassVar[str] = "midgame"

    def variants(self, parameters: Any) -> list[tuple[Cell, SearchArguments]]:
        """Return the label and the search options for each value of the varied option."""
        raise NotImplementedError

    def places(self, parameters: Any) -> list[StudyPosition]:
        """Return the positions to search."""
        return study_positions(self.game, parameters.positions or (self.default_position,))

    def sides(self, parameters: Any) -> list[Contender]:
        """Return the search to compare for every value of the varied option in every position."""
        return [
            Contender(
                labels={"position": place.name, self.varied: label},
                board=place.board,
                depth=place.depth or parameters.depth,
                options=options,
            )
            for place in self.places(parameters)
            for label, options in self.variants(parameters)
        ]

    def tasks(self, parameters: Any) -> Sequence[Task]:
        return in_rounds(self.sides(parameters), parameters.rounds)

    def published(self) -> tuple[Series, ...]:
        """Return the curves of a published report; none by default."""
        return ()

    def shape(self, parameters: Any, sample: Sample) -> Shape:
        return sample_shape(SEARCH_KINDS, position_kinds(sample), {self.varied: self.label}, round=Several)

    def conclude(self, parameters: Any, samples: Sequence[Sample]) -> Conclusion:
        lines: list[Sample] = []
        values: list[str] = []
        divided: dict[Cell, dict[Cell, list[Sample]]] = {}
        for (position,), position_samples in grouped(samples, "position").items():
            groups = {label: group for (label,), group in grouped(position_samples, self.varied).items()}
            position_cell: Sample = {} if position is None else {"position": position}
            alone = groups.get(ALONE)
            lines += [
                {**position_cell, **self._row(label, group, alone, parameters.workers)}
                for label, group in groups.items()
            ]
            divided[position] = {label: group for label, group in groups.items() if label != ALONE}
            position_values = {sample["value"] for sample in position_samples}
            if len(position_values) > 1:
                of_position = f" of {position}" if position is not None else ""
                values.append(f"The value{of_position} differs: {', '.join(map(str, position_values))}. It must not.")
        table = ReportTable.of(f"{self.name}: {how_many(parameters.workers, 'worker')}", lines)
        divided = {position: by_label for position, by_label in divided.items() if by_label}
        notes = [
            note
            for position, by_label in divided.items()
            for note in self._fastest(position, by_label, several=len(divided) > 1)
        ]
        if parameters.workers <= usable_cores():
            labels = grouped(samples, self.varied)
            notes += timing_warnings({f"{self.varied} {label}": group for (label,), group in labels.items()})
        speed_ups = zip(table.column(self.varied), table.column("speed-up"), strict=True) if lines else ()
        notes += speed_up_warnings(
            [(f"{self.varied} {label}", parameters.workers, speed_up) for label, speed_up in speed_ups],
            parameters.rounds,
        )
        tables = [table, self._over_positions(lines)] if len(divided) > 1 else [table]
        return Conclusion(
            tables=tuple(tables),
            figures=(self._plot(divided),) if divided else (),
            notes=(*notes, *values, *worker_count_warnings((parameters.workers,))),
            passed=not values,
        )

    def _fastest(self, position: Cell, by_label: dict[Cell, list[Sample]], *, several: bool) -> list[str]:
        best = min(by_label, key=lambda label: median(by_label[label], "seconds"))
        if not long_enough(by_label[best]):
            return []
        return [f"Fastest {f'in {position}' if several else 'here'}: {self.varied} {best}."]

    def _over_positions(self, lines: Sequence[Sample]) -> ReportTable:
        """Return the table of medians over the positions."""
        rows: list[Sample] = []
        for (label,), label_lines in grouped(lines, self.varied).items():
            row: Sample = {self.varied: label, "positions": len(label_lines)}
            for column in ("time (s)", "speed-up", "idle share"):
                cells = [line for line in label_lines if line[column] is not None]
                row[f"{column}, median"] = median(cells, column) if cells else None
            rows.append(row)
        return ReportTable.of(f"{self.name}: medians over the positions", rows)

    def _row(self, label: Cell, samples: Sequence[Sample], alone: Sequence[Sample] | None, workers: int) -> Sample:
        count = 1 if label == ALONE else workers
        useful = median(samples, "useful_seconds") / count if label != ALONE else None
        seconds = median(samples, "seconds")
        return {
            self.varied: label,
            "useful time per worker (s)": useful,
            "overhead per worker (s)": max(0.0, seconds - useful) if useful is not None else None,
            "time (s)": seconds,
            "speed-up": median(alone, "seconds") / seconds if alone and label != ALONE else None,
            "steal success": share(
                sum(number(sample["steals_won"]) for sample in samples),
                sum(number(sample["steals_tried"]) for sample in samples),
            ),
            "idle share": share(
                median(samples, "idle_seconds"), median(samples, "idle_seconds") + median(samples, "useful_seconds")
            ),
            "nodes": median_count(samples, "nodes"),
            "moves offered": median_count(samples, "spawned"),
            "steals": median_count(samples, "steals_won"),
            "aborts": median_count(samples, "aborts_sent"),
        }

    def _plot(self, divided: dict[Cell, dict[Cell, list[Sample]]]) -> Plot:
        return Plot(
            title=f"{self.name}: time relative to the best",
            x=self.varied,
            y="time / least time",
            series=(
                *(
                    self._curve(str(position) if len(divided) > 1 else "outflank", by_label)
                    for position, by_label in divided.items()
                ),
                *self.published(),
            ),
        )

    def _curve(self, name: str, by_label: dict[Cell, list[Sample]]) -> Series:
        best = min(median(group, "seconds") for group in by_label.values())
        labels = {label: label if isinstance(label, int) else str(label) for label in by_label}
        return Series(
            name=name,
            points=tuple((labels[label], median(group, "seconds") / best) for label, group in by_label.items()),
            spread=tuple(
                (low / best, high / best) for low, high in (spread(group, "seconds") for group in by_label.values())
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdParameters(ProgramChoice):
    """Parameters of the experiment `threshold`."""

    workers: int = option(core_counts()[-1], "Workers that share the search.")
    rounds: int = option(5, "Times that each side is measured.")
    game: str = option(DEFAULT_GAME, GAME)
    positions: tuple[str, ...] | None = option(None, f"{POSITIONS}  [the game's start]")
    depth: int | None = option(None, f"Plies.  [{by_game('sweep_depth')}]")
    thresholds: tuple[int, ...] | None = option(
        None,
        "Plies left at which parts are no longer divided.  "
        f"[{by_game('thresholds')}; on a cluster: {by_game('cluster_thresholds')}]",
    )
    cluster: str | None = option(None, f"Measure on a cluster: {CLUSTER_HELP}")
    nodes: int | None = option(None, NODES_HELP)
    policies: tuple[str, ...] = option(tuple(POLICIES), "How its nodes tell each other of entries.")

    def __post_init__(self) -> None:
        super(ThresholdParameters, self).__post_init__()
        check_cluster(self.cluster, self.policies, (self.nodes,))
        self.search_setups()

    def search_setups(self) -> dict[str, SearchSetup]:
        """Return the search setup of each position, by its name."""
        return setups_by_position(self, self.game, self.positions, self.depth or game_named(self.game).lab.sweep_depth)

    def every_threshold(self) -> tuple[int, ...]:
        """Return the thresholds to compare."""
        defaults = game_named(self.game).lab
        return self.thresholds or (defaults.thresholds if self.cluster is None else defaults.cluster_thresholds)

    def unused(self) -> tuple[str, ...]:
        return ("policies", "nodes") if self.cluster is None else ("workers",)


class Threshold(Sweep):
    """Varies the threshold of report 000's program `par`: MTD(f) with divided null-window searches, from the start."""

    name = "threshold"
    question = "From which depth left should a part be searched alone (MTD(f), young brothers wait)?"
    reports = ("000",)
    parameters = ThresholdParameters
    varied, default_position = "threshold", "start"

    def sides(self, parameters: ThresholdParameters) -> list[Contender]:
        shared: SearchArguments = {"parallel": "ybw", "workers": parameters.workers}
        variants: list[tuple[Cell, SearchArguments]] = [
            (ALONE, {"workers": 1}),
            *((threshold, {**shared, "threshold": threshold}) for threshold in parameters.every_threshold()),
        ]
        return [
            Contender(
                labels={"position": name, self.varied: label},
                board=setup.board,
                depth=setup.depth,
                options={**setup.options, **options},
            )
            for name, setup in parameters.search_setups().items()
            for label, options in variants
        ]

    def tasks(self, parameters: ThresholdParameters) -> Sequence[Task]:
        if parameters.cluster is None:
            return super().tasks(parameters)
        return threshold_tasks(
            parameters.cluster,
            parameters.nodes,
            parameters.search_setups(),
            parameters.policies,
            parameters.every_threshold(),
            parameters.rounds,
        )

    def shape(self, parameters: ThresholdParameters, sample: Sample) -> Shape:
        return super().shape(parameters, sample) if parameters.cluster is None else threshold_shape(sample)

    def conclude(self, parameters: ThresholdParameters, samples: Sequence[Sample]) -> Conclusion:
        if parameters.cluster is None:
            return super().conclude(parameters, samples)
        program_notes = dict.fromkeys(program_note(setup.options) for setup in parameters.search_setups().values())
        return threshold_conclusion(parameters.cluster, samples, parameters.rounds, tuple(program_notes))

    def published(self) -> tuple[Series, ...]:
        curves = []
        for program in ("par", "par_rmi", "par_tuple"):
            times = {row["threshold"]: row["sum_s"] for row in published_rows("000", f"threshold_{program}")}
            points = tuple((depth, seconds / min(times.values())) for depth, seconds in times.items())
            curves.append(Series(name=f"000 {program}, 64 processors", points=points, style="points", published=True))
        return tuple(curves)


@dataclass(frozen=True, slots=True, kw_only=True)
class GranularityParameters(SweepsParameters):
    """Parameters of the experiment `granularity`."""

    depth: int = option(7, "Plies of minimax.")
    granularities: tuple[int, ...] = option((1, 2, 3, 4, 5), "Plies left at which minimax goes on alone.")


class Granularity(Sweep):
    """Varies report 002's granularity: the plies left at which fork-join minimax stops dividing the tree."""

    name = "granularity"
    question = "At which depth left should fork-join minimax go on alone?"
    reports = ("002",)
    parameters = GranularityParameters
    varied = "granularity"

    def variants(self, parameters: GranularityParameters) -> list[tuple[Cell, SearchArguments]]:
        shared = {**PROGRAM, "parallel": "fork-join", "workers": parameters.workers}
        return [
            (ALONE, {**PROGRAM, "workers": 1}),
            *((depth, {**shared, "threshold": depth}) for depth in parameters.granularities),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelsParameters(SweepsParameters):
    """Parameters of the experiment `levels`."""

    depth: int = option(12, "Plies.")
    levels: tuple[int, ...] = option((1, 2, 3, 4, 6, 8), "Plies from the root that are divided.")


class Levels(Sweep):
    """Varies the number of plies from the root that Jamboree divides. In report 001 it is log2 of the processors."""

    name = "levels"
    question = "How many levels from the root should Jamboree divide?"
    reports = ("001",)
    parameters = LevelsParameters
    varied = "levels"

    def variants(self, parameters: LevelsParameters) -> list[tuple[Cell, SearchArguments]]:
        shared = {"parallel": "jamboree", "workers": parameters.workers, "threshold": 1}
        return [(ALONE, {"workers": 1}), *((count, {**shared, "levels": count}) for count in parameters.levels)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleParameters(SweepsParameters):
    """Parameters of the experiment `schedule`."""

    depth: int = option(5, "Plies.")
    chunks: tuple[int, ...] = option((1, 2, 4, 8), "Moves handed out at a time.")


class Schedule(Sweep):
    """Compares static and dynamic schedules of the root's moves, which report 003's program takes from OpenMP."""

    name = "schedule"
    question = "Should root moves be handed out one by one, in chunks, or be divided in advance?"
    reports = ("003",)
    parameters = ScheduleParameters
    varied, label = "schedule", str
    game, default_position = game_with("midgame1"), "midgame1"

    def variants(self, parameters: ScheduleParameters) -> list[tuple[Cell, SearchArguments]]:
        program = PROGRAM_003.search
        shared = {**program, "parallel": "root-split", "workers": parameters.workers}
        return [
            (ALONE, {**program, "workers": 1}),
            ("static", {**shared, "schedule": "static"}),
            *((f"dynamic, {count}", {**shared, "schedule": count}) for count in parameters.chunks),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeParameters(SweepsParameters):
    """Parameters of the experiment `shape`."""

    depth: int = option(7, "Plies of minimax.")
    granularity: int = option(4, "Plies left at which minimax goes on alone.")


class SpawnShape(Sweep):
    """Compares the two branches of report 004's program: one spawn for each row of the board, or one for each move."""

    name = "shape"
    question = "Should a spawn be a row of the board or a single move?"
    reports = ("004",)
    parameters = ShapeParameters
    varied, label = "spawns", str

    def variants(self, parameters: ShapeParameters) -> list[tuple[Cell, SearchArguments]]:
        shared = {
            **PROGRAM,
            "parallel": "fork-join",
            "workers": parameters.workers,
            "threshold": parameters.granularity,
        }
        return [
            (ALONE, {**PROGRAM, "workers": 1}),
            ("rows (master)", {**shared, "schedule": "rows"}),
            ("single moves (dev)", {**shared, "schedule": "one"}),
        ]
