"""Report 000's tables, on the nodes of a cluster: the threshold, the replication depth and the speed-ups."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from outflank.boards import Board
from outflank.distributed.addresses import parse_address
from outflank.distributed.replication import POLICIES, replication_named
from outflank.errors import OutflankError
from outflank.lab.boards import othello_start
from outflank.lab.classroom import REPORT_000
from outflank.lab.cluster_samples import TOGETHER, cluster_tasks
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option, register
from outflank.lab.literature import rows as published_rows
from outflank.lab.measuring import (
    SEARCHED,
    Side,
    doubtful,
    grouped,
    median,
    median_count,
    number,
    relative_spread,
    search_overhead,
    share,
    spread,
)
from outflank.lab.report import Cell, Plot, Sample, Series, Table, sample_shape
from outflank.machine import usable_cores
from outflank.schema import Several, Shape
from outflank.words import how_many

ALONE = "alone"
PROGRAMS = {"none": "par", "batch": "par_rmi", "depth": "par_tuple"}
"""Report 000's names for the policies."""

USUAL_THRESHOLDS = (7, 8, 9, 10, 11, 12)
"""Plies left at which parts become jobs. Report 000's 1 to 9 made jobs of milliseconds to seconds on its machines; ours
are some hundred times as fast, and these make jobs of the same kind."""


def check_cluster(where: str | None, policies: Sequence[str]) -> None:
    """Refuse a cluster, or policies, that are none, before anything is started."""
    if where is not None:
        parse_address(where)
    for policy in policies:
        replication_named(policy)


def policy_name(text: str) -> str:
    """The name of a policy, without its numbers."""
    return text.partition(":")[0]


# --- the threshold ---


def threshold_tasks(
    where: str, policies: Sequence[str], thresholds: Sequence[int], depth: int, rounds: int
) -> list[Task]:
    """Report 000's second table: every policy with every threshold."""
    board = othello_start()
    sides = [
        (
            Side(
                labels={"replication": policy, "threshold": threshold},
                board=board,
                depth=depth,
                options={**REPORT_000, "threshold": threshold},
            ),
            where,
            None,
            policy,
        )
        for policy in policies
        for threshold in thresholds
    ]
    alone = Side(labels={"replication": ALONE}, board=board, depth=depth, options={**REPORT_000, "workers": 1})
    return cluster_tasks(sides, [alone], rounds)


def threshold_shape(sample: Sample) -> Shape:
    """What its samples hold."""
    if sample.get("replication") == ALONE:
        return sample_shape(SEARCHED, replication=str, round=Several)
    return sample_shape(TOGETHER, replication=str, round=Several)


def threshold_conclusion(where: str, samples: Sequence[Sample], rounds: int) -> Conclusion:
    """Its tables, one for each policy, with the report's columns."""
    together = [sample for sample in samples if sample["replication"] != ALONE]
    alone = [sample for sample in samples if sample["replication"] == ALONE]
    tables, series, notes = [], [], []
    faster: list[tuple[str, float, Cell]] = []
    for (policy,), of_policy in grouped(together, "replication").items():
        name = policy_name(str(policy))
        groups = {int(number(key)): found for (key,), found in grouped(of_policy, "threshold").items()}
        rows = [_threshold_row(threshold, found, alone) for threshold, found in sorted(groups.items())]
        nodes = parse_address(where).nodes
        faster += [(f"{policy}, threshold {row['threshold']}", nodes, row["speed-up"]) for row in rows if nodes]
        like = f" (report 000's {PROGRAMS[name]})" if name in PROGRAMS else ""
        tables.append(Table.of(f"threshold, {policy}{like}, {where}", rows))
        times = {threshold: median(found, "seconds") for threshold, found in sorted(groups.items())}
        best = min(times, key=lambda threshold: times[threshold])
        notes.append(f"{policy}: jobs of {how_many(best, 'ply', 'plies')} are fastest.")
        points = tuple((threshold, seconds / times[best]) for threshold, seconds in times.items())
        series.append(Series(name=str(policy), points=points))
    for program in PROGRAMS.values():
        found = {row["threshold"]: row["sum_s"] for row in published_rows("000", f"threshold_{program}")}
        points = tuple((threshold, seconds / min(found.values())) for threshold, seconds in found.items())
        series.append(Series(name=f"000 {program}, 64 processors", points=points, style="points", published=True))
    plot = Plot(
        title="time by threshold, relative to each policy's best",
        x="threshold (plies left)",
        y="time / least time",
        series=tuple(series),
    )
    values = {sample["value"] for sample in samples}
    return Conclusion(
        tables=tuple(tables),
        figures=(plot,) if together else (),
        notes=(*notes, *doubtful(faster, rounds), *_value_notes(values)),
        passed=len(values) <= 1,
    )


def _threshold_row(threshold: int, found: Sequence[Sample], alone: Sequence[Sample]) -> Sample:
    return {
        "threshold": threshold,
        **_times(found),
        "steal success": _steal_success(found),
        "bytes transferred": median_count(found, "bytes"),
        "jobs": median_count(found, "jobs"),
        "nodes": median_count(found, "nodes"),
        "speed-up": median(alone, "seconds") / median(found, "seconds") if alone else None,
        "runs": len(found),
    }


def _times(found: Sequence[Sample]) -> Sample:
    return {
        "useful (s)": median(found, "useful_per_node"),
        "overhead (s)": median(found, "overhead_per_node"),
        "total (s)": median(found, "seconds"),
    }


def _steal_success(found: Sequence[Sample]) -> float | None:
    return share(sum(number(each["steals_won"]) for each in found), sum(number(each["steals_tried"]) for each in found))


def _value_notes(values: set[Any]) -> list[str]:
    return [f"The value differs: {', '.join(map(str, values))}. It must not."] if len(values) > 1 else []


# --- the replication depth ---


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicationChoice(Parameters):
    """What is measured."""

    cluster: str = option("local:2", "The cluster: local:N, ray://HOST:PORT or mpi.")
    policies: tuple[str, ...] = option(("depth", "async"), "Policies that have a depth.")
    replication_depths: tuple[int, ...] = option((8, 9, 10, 11), "Plies left that an entry must have.")
    threshold: int | None = option(None, "Plies left at which a part becomes a job.  [as long as the engine likes]")
    depth: int = option(15, "Plies, from the start.")
    rounds: int = option(3, "Times that each side is measured.")

    def __post_init__(self) -> None:
        super(ReplicationChoice, self).__post_init__()
        parse_address(self.cluster)
        for name in self.policies:
            if name not in POLICIES or not POLICIES[name].sends:
                raise OutflankError(f"policies={name}: one of {', '.join(key for key in POLICIES if key != 'none')}")


@register
class ReplicationDepth(Experiment[ReplicationChoice]):
    """Report 000's third table: which entries are worth telling the others of."""

    name = "replication"
    question = "How many plies must an entry have left to be worth telling the other nodes of?"
    reports = ("000",)
    parameters = ReplicationChoice

    def tasks(self, chosen: ReplicationChoice) -> Sequence[Task]:
        board = othello_start()
        options = {**REPORT_000, "threshold": chosen.threshold}
        policies = [
            "none",
            *(f"{name}:depth={depth}" for name in chosen.policies for depth in chosen.replication_depths),
        ]
        sides = [
            (
                Side(labels={"replication": policy}, board=board, depth=chosen.depth, options=options),
                chosen.cluster,
                None,
                policy,
            )
            for policy in policies
        ]
        return cluster_tasks(sides, [], chosen.rounds)

    def shape(self, chosen: ReplicationChoice, sample: Sample) -> Shape:
        return sample_shape(TOGETHER, replication=Annotated[str, replication_named], round=Several)

    def conclude(self, chosen: ReplicationChoice, samples: Sequence[Sample]) -> Conclusion:
        groups = {str(key): found for (key,), found in grouped(samples, "replication").items()}
        lines: list[Sample] = []
        series: dict[str, list[tuple[float, float]]] = {}
        for text, found in groups.items():
            policy = replication_named(text)
            depth = policy.depth if policy.sends else None
            lines.append(
                {
                    "policy": policy.name,
                    "min. depth": depth,
                    **_times(found),
                    "table hits + sorts": round(
                        median(found, lambda each: number(each["replicated_hits"]) + number(each["replicated_sorts"]))
                    ),
                    "hits": median_count(found, "replicated_hits"),
                    "sorts": median_count(found, "replicated_sorts"),
                    "broadcast (s)": median(found, "broadcast_seconds"),
                    "waited (s)": median(found, "waited_seconds"),
                    "messages": median_count(found, "messages"),
                    "entries": median_count(found, "entries_sent"),
                    "nodes": median_count(found, "nodes"),
                    "runs": len(found),
                }
            )
            if depth is not None:
                series.setdefault(policy.name, []).append((depth, median(found, "seconds")))
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
        values = {sample["value"] for sample in samples}
        notes = [f"{name}: a depth of {int(depth)} is fastest." for name, (depth, _) in best.items()]
        return Conclusion(
            tables=(
                Table.of(f"replication depth, {chosen.cluster}", lines),
                Table.of("report 000, par_tuple on 32 processors", published_rows("000", "replication")),
            ),
            figures=(
                Plot(
                    title="time by replication depth, relative to each policy's best",
                    x="plies left of a replicated entry, at least",
                    y="time / least time",
                    series=tuple(curves),
                ),
            ),
            notes=(*notes, *_value_notes(values)),
            passed=len(values) <= 1,
        )


# --- speed-ups ---

OPENINGS = {"start": "", "diagonal": "f5d6c3d3c4f4f6", "perpendicular": "f5d6c5f4e3c6d3f6", "parallel": "f5f6e6f4e3"}
"""Start boards, by what their openings are called: several, for luck differs from tree to tree."""


def start_board(text: str, depth: int) -> tuple[Board[Any], int]:
    """One of them, or a position in any notation, with the depth to which it is searched: `start@19`, or the usual."""
    name, _, given = text.rpartition("@") if "@" in text else (text, "", "")
    if given and not (given.isascii() and given.isdigit() and 1 <= int(given) <= 60):
        raise OutflankError(f"boards={text}: a number of plies is expected after the @")
    if name in OPENINGS:
        board: Board[Any] = Board.from_text(OPENINGS[name]) if OPENINGS[name] else othello_start()
    else:
        board = Board.from_text(name)
    return board, int(given or depth)


def scaling_tasks(
    where: str, boards: Sequence[str], policies: Sequence[str], nodes: Sequence[int], depth: int, rounds: int
) -> list[Task]:
    """One worker alone, and every policy on every number of nodes, on several boards."""
    options = {"algorithm": "pvs", "table_bits": 22}
    alone, sides = [], []
    for name in boards:
        board, plies = start_board(name, depth)
        alone.append(
            Side(
                labels={"board": name, "replication": ALONE, "nodes_used": 1}, board=board, depth=plies, options=options
            )
        )
        sides += [
            (
                Side(
                    labels={"board": name, "replication": policy, "nodes_used": count},
                    board=board,
                    depth=plies,
                    options=options,
                ),
                where,
                count,
                policy,
            )
            for policy in policies
            for count in nodes
        ]
    return cluster_tasks(sides, alone, rounds)


def scaling_shape(sample: Sample) -> Shape:
    """What its samples hold."""
    searched = SEARCHED if sample.get("replication") == ALONE else TOGETHER
    return sample_shape(searched, board=str, replication=str, nodes_used=Several, round=Several)


def scaling_conclusion(where: str, samples: Sequence[Sample], rounds: int) -> Conclusion:
    """Useful time, overhead and total of each, as report 000 has them, and the speed-ups."""
    groups = grouped(samples, "board", "replication", "nodes_used")
    lines = [_scaling_row(key, found, groups.get((key[0], ALONE, 1))) for key, found in groups.items()]
    differing = [
        board for (board,), found in grouped(samples, "board").items() if len({sample["value"] for sample in found}) > 1
    ]
    notes = [f"The value differs on {board}: it must not." for board in differing]
    tables = [Table.of(f"scaling, {where}", lines)]
    policies = [key for (key,) in grouped(samples, "replication") if key != ALONE]
    summary, curves = [], []
    for policy in policies:
        points = []
        for count in sorted({int(number(key[2])) for key in groups if key[1] == policy}):
            ratios = [
                median(groups[board, ALONE, 1], "seconds") / median(groups[board, policy, count], "seconds")
                for (board,) in grouped(samples, "board")
                if (board, policy, count) in groups and (board, ALONE, 1) in groups
            ]
            if not ratios:
                continue
            together = sum(ratios) / len(ratios)
            points.append((float(count), together))
            summary.append(
                {
                    "replication": policy,
                    "nodes": count,
                    "speed-up, mean": together,
                    "least": min(ratios),
                    "most": max(ratios),
                    "boards": len(ratios),
                }
            )
        curves.append(Series(name=str(policy), points=tuple(points)))
    if summary:
        tables.insert(0, Table.of("speed-up over one worker, all boards", summary))
    faster = [(f"{row['replication']} on {row['board']}", number(row["nodes"]), row["speed-up"]) for row in lines]
    notes += [*doubtful(faster, rounds), *_async_note(groups)]
    if any(int(number(key[2])) > usable_cores() for key in groups) and where.startswith("local"):
        notes.append(
            f"More nodes than the {usable_cores():g} cores of this machine take turns: only their nodes count."
        )
    serial = published_rows("000", "speedup")[0]["seq_total_s"]
    for program in PROGRAMS.values():
        points_ = tuple(
            (row["processors"], serial / row[f"{program}_total_s"])
            for row in published_rows("000", "speedup")
            if row[f"{program}_total_s"] is not None
        )
        curves.append(Series(name=f"000 {program}", points=points_, style="points", published=True))
    plot = Plot(
        title="speed-up against one worker", x="nodes", y="speed-up", series=tuple(curves), log_x=True, log_y=True
    )
    return Conclusion(tables=tuple(tables), figures=(plot,), notes=tuple(notes), passed=not differing)


def _scaling_row(key: tuple[Any, ...], found: Sequence[Sample], alone: Sequence[Sample] | None) -> Sample:
    board, policy, count = key
    seconds = median(found, "seconds")
    low, high = spread(found, "seconds")
    row: Sample = {"board": board, "replication": policy, "nodes": count}
    if policy == ALONE:
        row |= {"useful (s)": seconds, "overhead (s)": 0.0, "total (s)": seconds}
    else:
        row |= _times(found)
    return row | {
        "least (s)": low,
        "most (s)": high,
        "spread": f"{relative_spread(found, 'seconds'):.1%}",
        "speed-up": median(alone, "seconds") / seconds if alone and policy != ALONE else None,
        "nodes searched": median_count(found, "nodes"),
        "search overhead": search_overhead(found, alone) if alone and policy != ALONE else None,
        "jobs": median_count(found, "jobs") if policy != ALONE else None,
        "threshold": median_count(found, "threshold") if policy != ALONE else None,
        "steal success": _steal_success(found) if policy != ALONE else None,
        "bytes": median_count(found, "bytes") if policy != ALONE else None,
        "messages": median_count(found, "messages") if policy != ALONE else None,
        "slowest stop (ms)": (
            1e3 * max(number(each["slowest_stop_seconds"]) for each in found) if policy != ALONE else None
        ),
        "runs": len(found),
    }


def _async_note(groups: dict[tuple[Any, ...], list[Sample]]) -> list[str]:
    """How `async` stands beside `none`, round by round, where both were measured."""
    ratios = []
    for (board, policy, count), found in groups.items():
        if policy_name(str(policy)) == "async" and (board, "none", count) in groups and number(count) > 1:
            beside = {each["round"]: number(each["seconds"]) for each in groups[board, "none", count]}
            ratios += [number(each["seconds"]) / beside[each["round"]] for each in found if each["round"] in beside]
    if not ratios:
        return []
    ratios.sort()
    middle = ratios[len(ratios) // 2]
    return [f"async takes {middle:.3f} of none's time (median of {how_many(len(ratios), 'pair')}, interleaved)."]
