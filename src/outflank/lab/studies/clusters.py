"""Threshold and replication depth of searches on a cluster, with the columns of report 000's published tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from outflank.boards import Board
from outflank.distributed.engines import address_forms, parse_address
from outflank.distributed.replication import POLICIES, replication_named
from outflank.errors import InvalidOption, OutflankError
from outflank.games.description import game_named
from outflank.lab.experiment import Conclusion, Experiment, Task, option
from outflank.lab.experiment_boards import DEFAULT_GAME, GAME, POSITIONS, by_game, study_positions
from outflank.lab.experiment_report import Cell, Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.cluster_samples import CLUSTER_KINDS, cluster_tasks, divided_samples, undivided_notes
from outflank.lab.measuring.search_samples import (
    SEARCH_KINDS,
    Contender,
    grouped,
    median,
    median_count,
    number,
    share,
    speed_up_warnings,
)
from outflank.lab.report_programs.measured_programs import ProgramChoice, program_note
from outflank.lab.report_programs.published_numbers import rows as published_rows
from outflank.search.keywords import SearchArguments
from outflank.validation.documents import Several
from outflank.validation.values import Shape

ALONE = "alone"
PROGRAMS = {"none": "par", "batch": "par_rmi", "depth": "par_tuple"}
"""Name of report 000's program with each replication policy."""


CLUSTER_HELP = f"{address_forms(explained=True)}."
NODES_HELP = "Nodes of the cluster that take part.  [all]"


def check_cluster(address: str | None, policies: Sequence[str], nodes: Sequence[int | None] = ()) -> None:
    """Raise an error for an unknown cluster or replication policy, or for a number of nodes that the cluster lacks."""
    for policy in policies:
        replication_named(policy)
    if address is None:
        return
    most = parse_address(address).nodes
    for count in nodes:
        if count is not None and (count < 1 or (most is not None and count > most)):
            raise InvalidOption(f"nodes={count}: {address} has {'one' if most == 1 else f'1 to {most}'}")


def policy_name(text: str) -> str:
    """Return the name of a replication policy without its numbers: `depth` for `depth:depth=7`."""
    return text.partition(":")[0]


# --- threshold ---


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSetup:
    """A search that both a cluster and one worker run: board, depth and options."""

    board: Board
    depth: int
    options: SearchArguments


def setups_by_position(
    program: ProgramChoice, game: str, positions: Sequence[str] | None, depth: int
) -> dict[str, SearchSetup]:
    """Return the search setup of each position by name. Without `positions`, return that of the game's start."""
    return {
        place.name: SearchSetup(
            board=place.board, depth=place.depth or depth, options=program.search_options(place.board, "000")
        )
        for place in study_positions(game, positions or ("start",))
    }


def threshold_tasks(
    address: str,
    nodes: int | None,
    setups: dict[str, SearchSetup],
    policies: Sequence[str],
    thresholds: Sequence[int],
    rounds: int,
) -> list[Task]:
    """Return tasks that search each setup with one worker, and with each replication policy and threshold."""
    sides = [
        (
            Contender(
                labels={"position": name, "replication": policy, "threshold": threshold},
                board=setup.board,
                depth=setup.depth,
                options={**setup.options, "threshold": threshold},
            ),
            address,
            nodes,
            policy,
        )
        for name, setup in setups.items()
        for policy in policies
        for threshold in thresholds
    ]
    alone = [
        Contender(
            labels={"position": name, "replication": ALONE},
            board=setup.board,
            depth=setup.depth,
            options=setup.options,
        )
        for name, setup in setups.items()
    ]
    return cluster_tasks(sides, alone, rounds)


def threshold_shape(sample: Sample) -> Shape:
    """Return the required shape of a sample of `threshold_tasks`."""
    if sample.get("replication") == ALONE:
        return sample_shape(SEARCH_KINDS, replication=str, round=Several)
    return sample_shape(CLUSTER_KINDS, replication=str, round=Several)


def threshold_conclusion(
    address: str, samples: Sequence[Sample], rounds: int, program_notes: Sequence[str]
) -> Conclusion:
    """Return one table per replication policy and position, with the columns of report 000's published tables."""
    shared = [sample for sample in samples if sample["replication"] != ALONE]
    several = len(grouped(samples, "position")) > 1
    tables, series, notes = [], [], [*program_notes]
    faster: list[tuple[str, float, Cell]] = []
    for (position, policy), of_policy in grouped(shared, "position", "replication").items():
        alone = [sample for sample in samples if sample["replication"] == ALONE and sample.get("position") == position]
        name, title = policy_name(str(policy)), f"{policy} in {position}" if several else str(policy)
        groups = {int(number(key)): group for (key,), group in sorted(grouped(of_policy, "threshold").items())}
        rows = [_threshold_row(threshold, group, alone) for threshold, group in groups.items()]
        faster += [
            (f"{title}, threshold {threshold}", _members(group), row["speed-up"])
            for (threshold, group), row in zip(groups.items(), rows, strict=True)
        ]
        equivalent = f" (report 000's {PROGRAMS[name]})" if name in PROGRAMS else ""
        tables.append(ReportTable.of(f"threshold, {title}{equivalent}, {address}", rows))
        notes += undivided_notes({f"{title} with threshold {plies}": group for plies, group in groups.items()})
        seconds_of = {
            plies: median(divided_samples(group), "seconds")
            for plies, group in groups.items()
            if divided_samples(group)
        }
        if not seconds_of:
            continue
        best = min(seconds_of, key=lambda plies: seconds_of[plies])
        notes.append(f"{title}: jobs of {best} plies are fastest.")
        points = tuple((plies, seconds / seconds_of[best]) for plies, seconds in seconds_of.items())
        series.append(Series(name=title, points=points))
    for program in PROGRAMS.values():
        published = {row["threshold"]: row["sum_s"] for row in published_rows("000", f"threshold_{program}")}
        points = tuple((threshold, seconds / min(published.values())) for threshold, seconds in published.items())
        series.append(Series(name=f"000 {program}, 64 processors", points=points, style="points", published=True))
    plot = Plot(
        title="time by threshold, relative to each policy's best",
        x="threshold (plies left)",
        y="time / least time",
        series=tuple(series),
    )
    wrong = value_notes(samples)
    return Conclusion(
        tables=tuple(tables),
        figures=(plot,) if shared else (),
        notes=(*notes, *speed_up_warnings(faster, rounds), *wrong),
        passed=not wrong,
    )


def _members(samples: Sequence[Sample]) -> float:
    """Return the number of cluster nodes that took part in the searches, or infinity if the samples do not say."""
    return max((number(sample["members"]) for sample in samples if "members" in sample), default=float("inf"))


def _threshold_row(threshold: int, samples: Sequence[Sample], alone: Sequence[Sample]) -> Sample:
    shared = divided_samples(samples)
    return {
        "threshold": threshold,
        **times(samples),
        "steal success": steal_success(samples),
        "bytes transferred": median_count(samples, "bytes"),
        "jobs": median_count(samples, "jobs"),
        "nodes": median_count(samples, "nodes"),
        "speed-up": median(alone, "seconds") / median(shared, "seconds") if alone and shared else None,
        "runs": len(samples),
    }


def times(samples: Sequence[Sample]) -> Sample:
    """Return cells in seconds, as in report 000: median useful time and overhead of a node, and median total time."""
    return {
        "useful (s)": median(samples, "useful_per_node"),
        "overhead (s)": median(samples, "overhead_per_node"),
        "total (s)": median(samples, "seconds"),
    }


def steal_success(samples: Sequence[Sample]) -> float | None:
    """Return the share of steal attempts that succeeded, or None if there was no attempt."""
    return share(
        sum(number(sample["steals_won"]) for sample in samples),
        sum(number(sample["steals_tried"]) for sample in samples),
    )


def value_notes(samples: Sequence[Sample]) -> list[str]:
    """Return a note for each position in which searches found different values."""
    notes = []
    for (position,), group in grouped(samples, "position").items():
        values = {sample["value"] for sample in group}
        if len(values) > 1:
            of_position = f" of {position}" if position is not None else ""
            notes.append(f"The value{of_position} differs: {', '.join(map(str, values))}. It must not.")
    return notes


# --- replication depth ---


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicationParameters(ProgramChoice):
    """Parameters of the experiment `replication`."""

    cluster: str = option("local:2", CLUSTER_HELP)
    nodes: int | None = option(None, NODES_HELP)
    policies: tuple[str, ...] = option(("depth", "async"), "Policies that have a depth.")
    replication_depths: tuple[int, ...] | None = option(
        None, f"Plies left that an entry must have.  [{by_game('replication_depths')}]"
    )
    threshold: int | None = option(None, "Plies left at which a part becomes a job.  [as long as the engine likes]")
    game: str = option(DEFAULT_GAME, GAME)
    positions: tuple[str, ...] | None = option(None, f"{POSITIONS}  [the game's start]")
    depth: int | None = option(None, f"Plies.  [{by_game('sweep_depth')}]")
    rounds: int = option(3, "Times that each side is measured.")

    def __post_init__(self) -> None:
        super(ReplicationParameters, self).__post_init__()
        check_cluster(self.cluster, (), (self.nodes,))
        for name in self.policies:
            if name not in POLICIES or not POLICIES[name].sends:
                raise OutflankError(f"policies={name}: one of {', '.join(key for key in POLICIES if key != 'none')}")
        self.search_setups()

    def search_setups(self) -> dict[str, SearchSetup]:
        """Return the search setup of each position, by its name."""
        return setups_by_position(self, self.game, self.positions, self.depth or game_named(self.game).lab.sweep_depth)


class ReplicationDepth(Experiment[ReplicationParameters]):
    """Varies the least depth of the table entries that nodes send to each other, as in report 000's third table."""

    name = "replication"
    question = "How many plies must an entry have left to be worth telling the other nodes of?"
    reports = ("000",)
    parameters = ReplicationParameters

    def tasks(self, parameters: ReplicationParameters) -> Sequence[Task]:
        depths = parameters.replication_depths or game_named(parameters.game).lab.replication_depths
        policies = ["none", *(f"{name}:depth={depth}" for name in parameters.policies for depth in depths)]
        sides = [
            (
                Contender(
                    labels={"position": name, "replication": policy},
                    board=setup.board,
                    depth=setup.depth,
                    options={**setup.options, "threshold": parameters.threshold},
                ),
                parameters.cluster,
                parameters.nodes,
                policy,
            )
            for name, setup in parameters.search_setups().items()
            for policy in policies
        ]
        return cluster_tasks(sides, [], parameters.rounds)

    def shape(self, parameters: ReplicationParameters, sample: Sample) -> Shape:
        return sample_shape(CLUSTER_KINDS, replication=Annotated[str, replication_named], round=Several)

    def conclude(self, parameters: ReplicationParameters, samples: Sequence[Sample]) -> Conclusion:
        several = len(grouped(samples, "position")) > 1
        groups = {
            (f"{policy} in {position}" if several else str(policy)): group
            for (position, policy), group in grouped(samples, "position", "replication").items()
        }
        lines: list[Sample] = []
        series: dict[str, list[tuple[float, float]]] = {}
        silent: dict[str, list[int]] = {}
        for group in groups.values():
            policy = replication_named(str(group[0]["replication"]))
            depth = policy.depth if policy.sends else None
            position_cell: Sample = {"position": group[0]["position"]} if several else {}
            name = f"{policy.name} in {group[0]['position']}" if several else policy.name
            lines.append(
                {
                    **position_cell,
                    "policy": policy.name,
                    "min. depth": depth,
                    **times(group),
                    "table hits + sorts": round(
                        median(
                            group, lambda sample: number(sample["replicated_hits"]) + number(sample["replicated_sorts"])
                        )
                    ),
                    "hits": median_count(group, "replicated_hits"),
                    "sorts": median_count(group, "replicated_sorts"),
                    "broadcast (s)": median(group, "broadcast_seconds"),
                    "waited (s)": median(group, "waited_seconds"),
                    "messages": median_count(group, "messages"),
                    "entries": median_count(group, "entries_sent"),
                    "jobs": median_count(group, "jobs"),
                    "nodes": median_count(group, "nodes"),
                    "runs": len(group),
                }
            )
            if depth is not None and divided_samples(group) and not median(group, "messages"):
                silent.setdefault(name, []).append(depth)
            elif depth is not None and divided_samples(group):
                series.setdefault(name, []).append((depth, median(divided_samples(group), "seconds")))
        best = {name: min(points, key=lambda point: point[1]) for name, points in series.items()}
        published = {row["min_depth"]: row["sum_s"] for row in published_rows("000", "replication")}
        least = min(published.values())
        curves = [
            Series(name=name, points=tuple((depth, seconds / best[name][1]) for depth, seconds in points))
            for name, points in series.items()
        ]
        curves.append(
            Series(
                name="000 par_tuple, 32 processors",
                points=tuple((depth, seconds / least) for depth, seconds in published.items()),
                style="points",
                published=True,
            )
        )
        program_notes = dict.fromkeys(program_note(setup.options) for setup in parameters.search_setups().values())
        notes, wrong = [*program_notes, *undivided_notes(groups)], value_notes(samples)
        notes += [f"{name}: a depth of {int(best[name][0])} is fastest." for name in series if len(series[name]) > 1]
        notes += [
            f"{name}: no entry was sent at a depth of {' or '.join(map(str, depths))}: those times tell nothing of it."
            for name, depths in silent.items()
        ]
        return Conclusion(
            tables=(
                ReportTable.of(f"replication depth, {parameters.cluster}", lines),
                ReportTable.of("report 000, par_tuple on 32 processors", published_rows("000", "replication")),
            ),
            figures=(
                Plot(
                    title="time by replication depth, relative to each policy's best",
                    x="plies left of a replicated entry, at least",
                    y="time / least time",
                    series=tuple(curves),
                ),
            ),
            notes=(*notes, *wrong),
            passed=not wrong,
        )
