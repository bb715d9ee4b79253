"""Report 000's tables, on the nodes of a cluster: the threshold and the replication depth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from outflank.boards import Board
from outflank.distributed.engines import address_forms, parse_address
from outflank.distributed.replication import POLICIES, replication_named
from outflank.errors import InvalidOption, OutflankError
from outflank.games.description import game_named
from outflank.kinds import Several, Shape
from outflank.lab.boards import GAME, POSITIONS, USUAL_GAME, by_game, chosen_boards
from outflank.lab.cluster_samples import TOGETHER, cluster_tasks, divided, undivided_notes
from outflank.lab.experiment import Conclusion, Experiment, Task, option
from outflank.lab.literature import rows as published_rows
from outflank.lab.measuring import SEARCHED, Contender, doubtful, grouped, median, median_count, number, share
from outflank.lab.programs import ProgramChoice, program_note
from outflank.lab.report import Cell, Plot, ReportTable, Sample, Series, sample_shape

ALONE = "alone"
PROGRAMS = {"none": "par", "batch": "par_rmi", "depth": "par_tuple"}
"""Report 000's names for the policies."""


CLUSTER = f"{address_forms(explained=True)}."
NODES = "Nodes of the cluster that take part.  [all]"


def check_cluster(where: str | None, policies: Sequence[str], nodes: Sequence[int | None] = ()) -> None:
    """Refuse a cluster, or policies, that are none, or more nodes than it has, before anything is started."""
    for policy in policies:
        replication_named(policy)
    if where is None:
        return
    most = parse_address(where).nodes
    for count in nodes:
        if count is not None and (count < 1 or (most is not None and count > most)):
            raise InvalidOption(f"nodes={count}: {where} has {'one' if most == 1 else f'1 to {most}'}")


def policy_name(text: str) -> str:
    """The name of a policy, without its numbers."""
    return text.partition(":")[0]


# --- the threshold ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Searching:
    """What a cluster and one worker search, and how."""

    board: Board[Any]
    depth: int
    options: dict[str, Any]


def searched_from(
    chosen: ProgramChoice, game: str, positions: Sequence[str] | None, depth: int
) -> dict[str, Searching]:
    """The positions that are asked for, by name; without any, the game's start."""
    return {
        each.name: Searching(
            board=each.board, depth=each.depth or depth, options=chosen.searched_with(each.board, "000")
        )
        for each in chosen_boards(game, positions or ("start",))
    }


def threshold_tasks(
    where: str,
    nodes: int | None,
    searched: dict[str, Searching],
    policies: Sequence[str],
    thresholds: Sequence[int],
    rounds: int,
) -> list[Task]:
    """Report 000's second table: every policy with every threshold."""
    sides = [
        (
            Contender(
                labels={"position": name, "replication": policy, "threshold": threshold},
                board=each.board,
                depth=each.depth,
                options={**each.options, "threshold": threshold},
            ),
            where,
            nodes,
            policy,
        )
        for name, each in searched.items()
        for policy in policies
        for threshold in thresholds
    ]
    alone = [
        Contender(
            labels={"position": name, "replication": ALONE}, board=each.board, depth=each.depth, options=each.options
        )
        for name, each in searched.items()
    ]
    return cluster_tasks(sides, alone, rounds)


def threshold_shape(sample: Sample) -> Shape:
    """What its samples hold."""
    if sample.get("replication") == ALONE:
        return sample_shape(SEARCHED, replication=str, round=Several)
    return sample_shape(TOGETHER, replication=str, round=Several)


def threshold_conclusion(where: str, samples: Sequence[Sample], rounds: int, said: Sequence[str]) -> Conclusion:
    """Its tables, one for each policy and position, with the report's columns."""
    together = [sample for sample in samples if sample["replication"] != ALONE]
    several = len(grouped(samples, "position")) > 1
    tables, series, notes = [], [], [*said]
    faster: list[tuple[str, float, Cell]] = []
    for (position, policy), of_policy in grouped(together, "position", "replication").items():
        alone = [each for each in samples if each["replication"] == ALONE and each.get("position") == position]
        name, here = policy_name(str(policy)), f"{policy} in {position}" if several else str(policy)
        groups = {int(number(key)): found for (key,), found in sorted(grouped(of_policy, "threshold").items())}
        rows = [_threshold_row(threshold, found, alone) for threshold, found in groups.items()]
        faster += [
            (f"{here}, threshold {threshold}", _members(found), row["speed-up"])
            for (threshold, found), row in zip(groups.items(), rows, strict=True)
        ]
        like = f" (report 000's {PROGRAMS[name]})" if name in PROGRAMS else ""
        tables.append(ReportTable.of(f"threshold, {here}{like}, {where}", rows))
        notes += undivided_notes({f"{here} with threshold {each}": found for each, found in groups.items()})
        times = {each: median(divided(found), "seconds") for each, found in groups.items() if divided(found)}
        if not times:
            continue
        best = min(times, key=lambda threshold: times[threshold])
        notes.append(f"{here}: jobs of {best} plies are fastest.")
        points = tuple((threshold, seconds / times[best]) for threshold, seconds in times.items())
        series.append(Series(name=here, points=points))
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
        figures=(plot,) if together else (),
        notes=(*notes, *doubtful(faster, rounds), *wrong),
        passed=not wrong,
    )


def _members(found: Sequence[Sample]) -> float:
    """Nodes that took part; documents of old do not say."""
    return max((number(sample["members"]) for sample in found if "members" in sample), default=float("inf"))


def _threshold_row(threshold: int, found: Sequence[Sample], alone: Sequence[Sample]) -> Sample:
    shared = divided(found)
    return {
        "threshold": threshold,
        **times(found),
        "steal success": steal_success(found),
        "bytes transferred": median_count(found, "bytes"),
        "jobs": median_count(found, "jobs"),
        "nodes": median_count(found, "nodes"),
        "speed-up": median(alone, "seconds") / median(shared, "seconds") if alone and shared else None,
        "runs": len(found),
    }


def times(found: Sequence[Sample]) -> Sample:
    """Report 000's three columns."""
    return {
        "useful (s)": median(found, "useful_per_node"),
        "overhead (s)": median(found, "overhead_per_node"),
        "total (s)": median(found, "seconds"),
    }


def steal_success(found: Sequence[Sample]) -> float | None:
    """The part of attempts to steal that found something."""
    return share(sum(number(each["steals_won"]) for each in found), sum(number(each["steals_tried"]) for each in found))


def value_notes(samples: Sequence[Sample]) -> list[str]:
    """What to say of values that differ in one position."""
    found = []
    for (position,), here in grouped(samples, "position").items():
        values = {sample["value"] for sample in here}
        if len(values) > 1:
            of = f" of {position}" if position is not None else ""
            found.append(f"The value{of} differs: {', '.join(map(str, values))}. It must not.")
    return found


# --- the replication depth ---


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicationChoice(ProgramChoice):
    """What is measured."""

    cluster: str = option("local:2", CLUSTER)
    nodes: int | None = option(None, NODES)
    policies: tuple[str, ...] = option(("depth", "async"), "Policies that have a depth.")
    replication_depths: tuple[int, ...] | None = option(
        None, f"Plies left that an entry must have.  [{by_game('replication_depths')}]"
    )
    threshold: int | None = option(None, "Plies left at which a part becomes a job.  [as long as the engine likes]")
    game: str = option(USUAL_GAME, GAME)
    positions: tuple[str, ...] | None = option(None, f"{POSITIONS}  [the game's start]")
    depth: int | None = option(None, f"Plies.  [{by_game('sweep_depth')}]")
    rounds: int = option(3, "Times that each side is measured.")

    def __post_init__(self) -> None:
        super(ReplicationChoice, self).__post_init__()
        check_cluster(self.cluster, (), (self.nodes,))
        for name in self.policies:
            if name not in POLICIES or not POLICIES[name].sends:
                raise OutflankError(f"policies={name}: one of {', '.join(key for key in POLICIES if key != 'none')}")
        self.searched()

    def searched(self) -> dict[str, Searching]:
        """What is searched, by the names of the positions."""
        return searched_from(self, self.game, self.positions, self.depth or game_named(self.game).lab.sweep_depth)


class ReplicationDepth(Experiment[ReplicationChoice]):
    """Report 000's third table: which entries are worth telling the others of."""

    name = "replication"
    question = "How many plies must an entry have left to be worth telling the other nodes of?"
    reports = ("000",)
    parameters = ReplicationChoice

    def tasks(self, chosen: ReplicationChoice) -> Sequence[Task]:
        depths = chosen.replication_depths or game_named(chosen.game).lab.replication_depths
        policies = ["none", *(f"{name}:depth={depth}" for name in chosen.policies for depth in depths)]
        sides = [
            (
                Contender(
                    labels={"position": name, "replication": policy},
                    board=each.board,
                    depth=each.depth,
                    options={**each.options, "threshold": chosen.threshold},
                ),
                chosen.cluster,
                chosen.nodes,
                policy,
            )
            for name, each in chosen.searched().items()
            for policy in policies
        ]
        return cluster_tasks(sides, [], chosen.rounds)

    def shape(self, chosen: ReplicationChoice, sample: Sample) -> Shape:
        return sample_shape(TOGETHER, replication=Annotated[str, replication_named], round=Several)

    def conclude(self, chosen: ReplicationChoice, samples: Sequence[Sample]) -> Conclusion:
        several = len(grouped(samples, "position")) > 1
        groups = {
            (f"{policy} in {position}" if several else str(policy)): found
            for (position, policy), found in grouped(samples, "position", "replication").items()
        }
        lines: list[Sample] = []
        series: dict[str, list[tuple[float, float]]] = {}
        silent: dict[str, list[int]] = {}
        for found in groups.values():
            policy = replication_named(str(found[0]["replication"]))
            depth = policy.depth if policy.sends else None
            here: Sample = {"position": found[0]["position"]} if several else {}
            name = f"{policy.name} in {found[0]['position']}" if several else policy.name
            lines.append(
                {
                    **here,
                    "policy": policy.name,
                    "min. depth": depth,
                    **times(found),
                    "table hits + sorts": round(
                        median(found, lambda each: number(each["replicated_hits"]) + number(each["replicated_sorts"]))
                    ),
                    "hits": median_count(found, "replicated_hits"),
                    "sorts": median_count(found, "replicated_sorts"),
                    "broadcast (s)": median(found, "broadcast_seconds"),
                    "waited (s)": median(found, "waited_seconds"),
                    "messages": median_count(found, "messages"),
                    "entries": median_count(found, "entries_sent"),
                    "jobs": median_count(found, "jobs"),
                    "nodes": median_count(found, "nodes"),
                    "runs": len(found),
                }
            )
            if depth is not None and divided(found) and not median(found, "messages"):
                silent.setdefault(name, []).append(depth)
            elif depth is not None and divided(found):
                series.setdefault(name, []).append((depth, median(divided(found), "seconds")))
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
        said = dict.fromkeys(program_note(each.options) for each in chosen.searched().values())
        notes, wrong = [*said, *undivided_notes(groups)], value_notes(samples)
        notes += [f"{name}: a depth of {int(best[name][0])} is fastest." for name in series if len(series[name]) > 1]
        notes += [
            f"{name}: no entry was sent at a depth of {' or '.join(map(str, depths))}: those times tell nothing of it."
            for name, depths in silent.items()
        ]
        return Conclusion(
            tables=(
                ReportTable.of(f"replication depth, {chosen.cluster}", lines),
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
