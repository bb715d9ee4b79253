"""How finely a tree should be divided, and how its parts be handed out: one choice varied, all else the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from outflank import kinds
from outflank.abalone.programs import PROGRAM_003
from outflank.distributed.replication import POLICIES
from outflank.games.description import game_named
from outflank.kinds import Count, Kind, Several
from outflank.lab.boards import GAME, POSITIONS, USUAL_GAME, Chosen, by_game, chosen_boards, game_with
from outflank.lab.classroom import PROGRAM
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.literature import rows as published_rows
from outflank.lab.measuring import (
    SEARCHED,
    Contender,
    beyond_cores,
    disturbed,
    doubtful,
    grouped,
    in_rounds,
    long_enough,
    median,
    median_count,
    number,
    placed,
    share,
    spread,
)
from outflank.lab.programs import ProgramChoice, program_note
from outflank.lab.report import Cell, Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.studies.clusters import (
    CLUSTER,
    NODES,
    Searching,
    check_cluster,
    searched_from,
    threshold_conclusion,
    threshold_shape,
    threshold_tasks,
)
from outflank.machine import usable_cores
from outflank.words import how_many

ALONE = "alone"
"""The side that all others are held against: one worker, undivided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepsParameters(Parameters):
    """What is measured."""

    workers: int = option(core_counts()[-1], "Workers that share the search.")
    rounds: int = option(5, "Times that each side is measured.")
    positions: tuple[str, ...] | None = option(None, f"{POSITIONS}  [the one of the report]")


class Sweep(Experiment[Any]):
    """A comparison of sides that differ in one choice."""

    varied: ClassVar[str]
    """The choice: the first column, and the axis of the plot."""
    label: ClassVar[Kind] = Count | Literal["alone"]
    """What is chosen from."""

    game: ClassVar[str] = USUAL_GAME
    usual: ClassVar[str] = "midgame"
    """The position that is searched where none is asked for."""

    def varieties(self, chosen: Any) -> list[tuple[Any, dict[str, Any]]]:
        """What is compared: the labels, and the options of each."""
        raise NotImplementedError

    def places(self, chosen: Any) -> list[Chosen]:
        """The positions."""
        return chosen_boards(self.game, chosen.positions or (self.usual,))

    def sides(self, chosen: Any) -> list[Contender]:
        """Every variety in every position."""
        return [
            Contender(
                labels={"position": place.name, self.varied: label},
                board=place.board,
                depth=place.depth or chosen.depth,
                options=options,
            )
            for place in self.places(chosen)
            for label, options in self.varieties(chosen)
        ]

    def tasks(self, chosen: Any) -> Sequence[Task]:
        return in_rounds(self.sides(chosen), chosen.rounds)

    def published(self) -> tuple[Series, ...]:
        """The reports' curves."""
        return ()

    def shape(self, chosen: Any, sample: Sample) -> kinds.Shape:
        return sample_shape(SEARCHED, placed(sample), {self.varied: self.label}, round=Several)

    def conclude(self, chosen: Any, samples: Sequence[Sample]) -> Conclusion:
        lines: list[Sample] = []
        values: list[str] = []
        divided: dict[Cell, dict[Any, list[Sample]]] = {}
        for (position,), here in grouped(samples, "position").items():
            groups = {label: found for (label,), found in grouped(here, self.varied).items()}
            named: Sample = {} if position is None else {"position": position}
            alone = groups.get(ALONE)
            lines += [{**named, **self._row(label, each, alone, chosen.workers)} for label, each in groups.items()]
            divided[position] = {label: found for label, found in groups.items() if label != ALONE}
            seen = {sample["value"] for sample in here}
            if len(seen) > 1:
                of = f" of {position}" if position is not None else ""
                values.append(f"The value{of} differs: {', '.join(map(str, seen))}. It must not.")
        table = ReportTable.of(f"{self.name}: {how_many(chosen.workers, 'worker')}", lines)
        divided = {position: found for position, found in divided.items() if found}
        notes = [
            note
            for position, found in divided.items()
            for note in self._fastest(position, found, several=len(divided) > 1)
        ]
        if chosen.workers <= usable_cores():
            labels = grouped(samples, self.varied)
            notes += disturbed({f"{self.varied} {label}": found for (label,), found in labels.items()})
        faster = zip(table.column(self.varied), table.column("speed-up"), strict=True) if lines else ()
        notes += doubtful([(f"{self.varied} {label}", chosen.workers, each) for label, each in faster], chosen.rounds)
        tables = [table, self._over_positions(lines)] if len(divided) > 1 else [table]
        return Conclusion(
            tables=tuple(tables),
            figures=(self._plot(divided),) if divided else (),
            notes=(*notes, *values, *beyond_cores((chosen.workers,))),
            passed=not values,
        )

    def _fastest(self, position: Cell, divided: dict[Any, list[Sample]], *, several: bool) -> list[str]:
        best = min(divided, key=lambda label: median(divided[label], "seconds"))
        if not long_enough(divided[best]):
            return []
        return [f"Fastest {f'in {position}' if several else 'here'}: {self.varied} {best}."]

    def _over_positions(self, lines: Sequence[Sample]) -> ReportTable:
        """Medians over the positions."""
        rows: list[Sample] = []
        for (label,), found in grouped(lines, self.varied).items():
            row: Sample = {self.varied: label, "positions": len(found)}
            for column in ("time (s)", "speed-up", "idle share"):
                cells = [line for line in found if line[column] is not None]
                row[f"{column}, median"] = median(cells, column) if cells else None
            rows.append(row)
        return ReportTable.of(f"{self.name}: medians over the positions", rows)

    def _row(self, label: Any, found: Sequence[Sample], alone: Sequence[Sample] | None, workers: int) -> Sample:
        count = 1 if label == ALONE else workers
        useful = median(found, "useful_seconds") / count if label != ALONE else None
        seconds = median(found, "seconds")
        return {
            self.varied: label,
            "useful time per worker (s)": useful,
            "overhead per worker (s)": max(0.0, seconds - useful) if useful is not None else None,
            "time (s)": seconds,
            "speed-up": median(alone, "seconds") / seconds if alone and label != ALONE else None,
            "steal success": share(
                sum(number(each["steals_won"]) for each in found), sum(number(each["steals_tried"]) for each in found)
            ),
            "idle share": share(
                median(found, "idle_seconds"), median(found, "idle_seconds") + median(found, "useful_seconds")
            ),
            "nodes": median_count(found, "nodes"),
            "moves offered": median_count(found, "spawned"),
            "steals": median_count(found, "steals_won"),
            "aborts": median_count(found, "aborts_sent"),
        }

    def _plot(self, divided: dict[Cell, dict[Any, list[Sample]]]) -> Plot:
        return Plot(
            title=f"{self.name}: time relative to the best",
            x=self.varied,
            y="time / least time",
            series=(
                *(
                    self._curve(str(position) if len(divided) > 1 else "outflank", found)
                    for position, found in divided.items()
                ),
                *self.published(),
            ),
        )

    def _curve(self, name: str, divided: dict[Any, list[Sample]]) -> Series:
        best = min(median(found, "seconds") for found in divided.values())
        labels = {label: label if isinstance(label, int) else str(label) for label in divided}
        return Series(
            name=name,
            points=tuple((labels[label], median(found, "seconds") / best) for label, found in divided.items()),
            spread=tuple(
                (low / best, high / best) for low, high in (spread(each, "seconds") for each in divided.values())
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdChoice(ProgramChoice):
    """What is measured."""

    workers: int = option(core_counts()[-1], "Workers that share the search.")
    rounds: int = option(5, "Times that each side is measured.")
    game: str = option(USUAL_GAME, GAME)
    positions: tuple[str, ...] | None = option(None, f"{POSITIONS}  [the game's start]")
    depth: int | None = option(None, f"Plies.  [{by_game('sweep_depth')}]")
    thresholds: tuple[int, ...] | None = option(
        None,
        "Plies left at which parts are no longer divided.  "
        f"[{by_game('thresholds')}; on a cluster: {by_game('cluster_thresholds')}]",
    )
    cluster: str | None = option(None, f"Measure on a cluster: {CLUSTER}")
    nodes: int | None = option(None, NODES)
    policies: tuple[str, ...] = option(tuple(POLICIES), "How its nodes tell each other of entries.")

    def __post_init__(self) -> None:
        super(ThresholdChoice, self).__post_init__()
        check_cluster(self.cluster, self.policies, (self.nodes,))
        self.searched()

    def searched(self) -> dict[str, Searching]:
        """What is searched, by the names of the positions."""
        return searched_from(self, self.game, self.positions, self.depth or game_named(self.game).lab.sweep_depth)

    def every_threshold(self) -> tuple[int, ...]:
        """The thresholds that are compared."""
        usual = game_named(self.game).lab
        return self.thresholds or (usual.thresholds if self.cluster is None else usual.cluster_thresholds)

    def unused(self) -> tuple[str, ...]:
        return ("policies", "nodes") if self.cluster is None else ("workers",)


class Threshold(Sweep):
    """Report 000's `par`: MTD(f) whose null-window searches are divided, from its start position."""

    name = "threshold"
    question = "From which depth left should a part be searched alone (MTD(f), young brothers wait)?"
    reports = ("000",)
    parameters = ThresholdChoice
    varied, usual = "threshold", "start"

    def sides(self, chosen: ThresholdChoice) -> list[Contender]:
        shared: dict[str, Any] = {"parallel": "ybw", "workers": chosen.workers}
        varieties: list[tuple[Any, dict[str, Any]]] = [
            (ALONE, {"workers": 1}),
            *((threshold, {**shared, "threshold": threshold}) for threshold in chosen.every_threshold()),
        ]
        return [
            Contender(
                labels={"position": name, self.varied: label},
                board=each.board,
                depth=each.depth,
                options={**each.options, **options},
            )
            for name, each in chosen.searched().items()
            for label, options in varieties
        ]

    def tasks(self, chosen: ThresholdChoice) -> Sequence[Task]:
        if chosen.cluster is None:
            return super().tasks(chosen)
        return threshold_tasks(
            chosen.cluster,
            chosen.nodes,
            chosen.searched(),
            chosen.policies,
            chosen.every_threshold(),
            chosen.rounds,
        )

    def shape(self, chosen: ThresholdChoice, sample: Sample) -> kinds.Shape:
        return super().shape(chosen, sample) if chosen.cluster is None else threshold_shape(sample)

    def conclude(self, chosen: ThresholdChoice, samples: Sequence[Sample]) -> Conclusion:
        if chosen.cluster is None:
            return super().conclude(chosen, samples)
        said = dict.fromkeys(program_note(each.options) for each in chosen.searched().values())
        return threshold_conclusion(chosen.cluster, samples, chosen.rounds, tuple(said))

    def published(self) -> tuple[Series, ...]:
        found = []
        for program in ("par", "par_rmi", "par_tuple"):
            times = {row["threshold"]: row["sum_s"] for row in published_rows("000", f"threshold_{program}")}
            points = tuple((depth, seconds / min(times.values())) for depth, seconds in times.items())
            found.append(Series(name=f"000 {program}, 64 processors", points=points, style="points", published=True))
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class GranularityChoice(SweepsParameters):
    """What is measured."""

    depth: int = option(7, "Plies of minimax.")
    granularities: tuple[int, ...] = option((1, 2, 3, 4, 5), "Plies left at which minimax goes on alone.")


class Granularity(Sweep):
    """Report 002's: the depth at which fork-join minimax goes on alone."""

    name = "granularity"
    question = "At which depth left should fork-join minimax go on alone?"
    reports = ("002",)
    parameters = GranularityChoice
    varied = "granularity"

    def varieties(self, chosen: GranularityChoice) -> list[tuple[Any, dict[str, Any]]]:
        shared = {**PROGRAM, "parallel": "fork-join", "workers": chosen.workers}
        return [
            (ALONE, {**PROGRAM, "workers": 1}),
            *((depth, {**shared, "threshold": depth}) for depth in chosen.granularities),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelsChoice(SweepsParameters):
    """What is measured."""

    depth: int = option(12, "Plies.")
    levels: tuple[int, ...] = option((1, 2, 3, 4, 6, 8), "Plies from the root that are divided.")


class Levels(Sweep):
    """Report 001's: how many plies from the root Jamboree divides; it chose log2 of the processors."""

    name = "levels"
    question = "How many levels from the root should Jamboree divide?"
    reports = ("001",)
    parameters = LevelsChoice
    varied = "levels"

    def varieties(self, chosen: LevelsChoice) -> list[tuple[Any, dict[str, Any]]]:
        shared = {"parallel": "jamboree", "workers": chosen.workers, "threshold": 1}
        return [(ALONE, {"workers": 1}), *((count, {**shared, "levels": count}) for count in chosen.levels)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleChoice(SweepsParameters):
    """What is measured."""

    depth: int = option(5, "Plies.")
    chunks: tuple[int, ...] = option((1, 2, 4, 8), "Moves handed out at a time.")


class Schedule(Sweep):
    """Report 003's: OpenMP's static and dynamic schedules of the root's moves."""

    name = "schedule"
    question = "Should root moves be handed out one by one, in chunks, or be divided in advance?"
    reports = ("003",)
    parameters = ScheduleChoice
    varied, label = "schedule", str
    game, usual = game_with("midgame1"), "midgame1"

    def varieties(self, chosen: ScheduleChoice) -> list[tuple[Any, dict[str, Any]]]:
        program = PROGRAM_003.search
        shared = {**program, "parallel": "root-split", "workers": chosen.workers}
        return [
            (ALONE, {**program, "workers": 1}),
            ("static", {**shared, "schedule": "static"}),
            *((f"dynamic, {many}", {**shared, "schedule": many}) for many in chosen.chunks),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeChoice(SweepsParameters):
    """What is measured."""

    depth: int = option(7, "Plies of minimax.")
    granularity: int = option(4, "Plies left at which minimax goes on alone.")


class SpawnShape(Sweep):
    """Report 004's two branches: one spawn for each row of the board, or one for each move."""

    name = "shape"
    question = "Should a spawn be a row of the board or a single move?"
    reports = ("004",)
    parameters = ShapeChoice
    varied, label = "spawns", str

    def varieties(self, chosen: ShapeChoice) -> list[tuple[Any, dict[str, Any]]]:
        shared = {**PROGRAM, "parallel": "fork-join", "workers": chosen.workers, "threshold": chosen.granularity}
        return [
            (ALONE, {**PROGRAM, "workers": 1}),
            ("rows (master)", {**shared, "schedule": "rows"}),
            ("single moves (dev)", {**shared, "schedule": "one"}),
        ]
