"""Speed-ups on the nodes of a cluster: report 000's last table."""

from collections.abc import Sequence
from typing import Any

from outflank.kinds import Several, Shape
from outflank.lab.cluster_samples import TOGETHER, cluster_tasks, divided, undivided_notes
from outflank.lab.experiment import Conclusion, Task
from outflank.lab.literature import rows as published_rows
from outflank.lab.measuring import (
    SEARCHED,
    Contender,
    doubtful,
    grouped,
    median,
    median_count,
    number,
    relative_spread,
    search_overhead,
    spread,
)
from outflank.lab.report import Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.studies.clusters import ALONE, PROGRAMS, Searching, policy_name, steal_success, times
from outflank.machine import usable_cores
from outflank.words import how_many


def scaling_tasks(
    where: str, searched: dict[str, Searching], policies: Sequence[str], nodes: Sequence[int], rounds: int
) -> list[Task]:
    """One worker alone, and every policy on every number of nodes, on several boards by name."""
    alone, sides = [], []
    for name, each in searched.items():
        alone.append(
            Contender(
                labels={"board": name, "replication": ALONE, "nodes_used": 1},
                board=each.board,
                depth=each.depth,
                options={**{key: value for key, value in each.options.items() if key != "threshold"}, "parallel": None},
            )
        )
        sides += [
            (
                Contender(
                    labels={"board": name, "replication": policy, "nodes_used": count},
                    board=each.board,
                    depth=each.depth,
                    options=each.options,
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


def scaling_conclusion(where: str, samples: Sequence[Sample], rounds: int, said: Sequence[str]) -> Conclusion:
    """Useful time, overhead and total of each, as report 000 has them, and the speed-ups."""
    groups = grouped(samples, "board", "replication", "nodes_used")
    lines = [_scaling_row(key, found, groups.get((key[0], ALONE, 1))) for key, found in groups.items()]
    differing = [
        board for (board,), found in grouped(samples, "board").items() if len({sample["value"] for sample in found}) > 1
    ]
    notes = [*said, *(f"The value differs on {board}: it must not." for board in differing)]
    notes += undivided_notes(
        {
            f"{board} with {policy} on {count}": found
            for (board, policy, count), found in groups.items()
            if policy != ALONE
        }
    )
    tables = [ReportTable.of(f"scaling, {where}", lines)]
    policies = [key for (key,) in grouped(samples, "replication") if key != ALONE]
    summary, curves = [], []
    for policy in policies:
        points = []
        for count in sorted({int(number(key[2])) for key in groups if key[1] == policy}):
            ratios = [
                median(groups[board, ALONE, 1], "seconds") / median(shared, "seconds")
                for (board,) in grouped(samples, "board")
                if (shared := divided(groups.get((board, policy, count), ()))) and (board, ALONE, 1) in groups
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
        tables.insert(0, ReportTable.of("speed-up over one worker, all boards", summary))
    faster = [(f"{row['replication']} on {row['board']}", number(row["nodes"]), row["speed-up"]) for row in lines]
    notes += [*doubtful(faster, rounds), *_async_note(groups)]
    if any(int(number(key[2])) > usable_cores() for key in groups) and where.startswith(("local", "inside")):
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
    shared = divided(found) if policy != ALONE else []
    row: Sample = {"board": board, "replication": policy, "nodes": count}
    if policy == ALONE:
        row |= {"useful (s)": seconds, "overhead (s)": 0.0, "total (s)": seconds}
    else:
        row |= times(found)
    return row | {
        "least (s)": low,
        "most (s)": high,
        "spread": f"{relative_spread(found, 'seconds'):.1%}",
        "speed-up": median(alone, "seconds") / median(shared, "seconds") if alone and shared else None,
        "nodes searched": median_count(found, "nodes"),
        "search overhead": search_overhead(shared, alone) if alone and shared else None,
        "jobs": median_count(found, "jobs") if policy != ALONE else None,
        "threshold": median_count(found, "threshold") if policy != ALONE else None,
        "steal success": steal_success(found) if policy != ALONE else None,
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
            beside = {each["round"]: number(each["seconds"]) for each in divided(groups[board, "none", count])}
            ratios += [
                number(each["seconds"]) / beside[each["round"]] for each in divided(found) if each["round"] in beside
            ]
    if not ratios:
        return []
    ratios.sort()
    middle = ratios[len(ratios) // 2]
    return [f"async takes {middle:.3f} of none's time (median of {how_many(len(ratios), 'pair')}, interleaved)."]
