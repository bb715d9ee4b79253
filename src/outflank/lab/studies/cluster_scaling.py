"""Speed-up on a cluster by number of nodes, with the columns of the last published table of report 000."""

from collections.abc import Sequence

from outflank.lab.experiment import Conclusion, Task
from outflank.lab.experiment_report import Cell, Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.cluster_samples import CLUSTER_KINDS, cluster_tasks, divided_samples, undivided_notes
from outflank.lab.measuring.search_samples import (
    SEARCH_KINDS,
    Contender,
    Groups,
    grouped,
    median,
    median_count,
    number,
    relative_spread,
    search_overhead,
    speed_up_warnings,
    spread,
)
from outflank.lab.report_programs.published_numbers import rows as published_rows
from outflank.lab.studies.clusters import ALONE, PROGRAMS, SearchSetup, policy_name, steal_success, times
from outflank.machine import usable_cores
from outflank.validation.documents import Several
from outflank.validation.text import how_many
from outflank.validation.values import Shape


def scaling_tasks(
    address: str, setups: dict[str, SearchSetup], policies: Sequence[str], nodes: Sequence[int], rounds: int
) -> list[Task]:
    """Return tasks that search each setup with one worker, and with each replication policy on each number of nodes."""
    alone, sides = [], []
    for name, setup in setups.items():
        alone.append(
            Contender(
                labels={"board": name, "replication": ALONE, "nodes_used": 1},
                board=setup.board,
                depth=setup.depth,
                options={
                    **{key: value for key, value in setup.options.items() if key != "threshold"},
                    "parallel": None,
                },
            )
        )
        sides += [
            (
                Contender(
                    labels={"board": name, "replication": policy, "nodes_used": count},
                    board=setup.board,
                    depth=setup.depth,
                    options=setup.options,
                ),
                address,
                count,
                policy,
            )
            for policy in policies
            for count in nodes
        ]
    return cluster_tasks(sides, alone, rounds)


def scaling_shape(sample: Sample) -> Shape:
    """Return the required shape of a sample of `scaling_tasks`."""
    search_kinds = SEARCH_KINDS if sample.get("replication") == ALONE else CLUSTER_KINDS
    return sample_shape(search_kinds, board=str, replication=str, nodes_used=Several, round=Several)


def scaling_conclusion(
    address: str, samples: Sequence[Sample], rounds: int, program_notes: Sequence[str]
) -> Conclusion:
    """Return tables of useful time, overhead and total time, as in report 000, with the speed-ups over one worker."""
    groups = grouped(samples, "board", "replication", "nodes_used")
    lines = [_scaling_row(key, group, groups.get((key[0], ALONE, 1))) for key, group in groups.items()]
    differing = [
        board for (board,), group in grouped(samples, "board").items() if len({sample["value"] for sample in group}) > 1
    ]
    notes = [*program_notes, *(f"The value differs on {board}: it must not." for board in differing)]
    notes += undivided_notes(
        {
            f"{board} with {policy} on {count}": group
            for (board, policy, count), group in groups.items()
            if policy != ALONE
        }
    )
    tables = [ReportTable.of(f"scaling, {address}", lines)]
    policies = [key for (key,) in grouped(samples, "replication") if key != ALONE]
    summary, curves = [], []
    for policy in policies:
        points = []
        for count in sorted({int(number(key[2])) for key in groups if key[1] == policy}):
            ratios = [
                median(groups[board, ALONE, 1], "seconds") / median(shared, "seconds")
                for (board,) in grouped(samples, "board")
                if (shared := divided_samples(groups.get((board, policy, count), ()))) and (board, ALONE, 1) in groups
            ]
            if not ratios:
                continue
            mean = sum(ratios) / len(ratios)
            points.append((float(count), mean))
            summary.append(
                {
                    "replication": policy,
                    "nodes": count,
                    "speed-up, mean": mean,
                    "least": min(ratios),
                    "most": max(ratios),
                    "boards": len(ratios),
                }
            )
        curves.append(Series(name=str(policy), points=tuple(points)))
    if summary:
        tables.insert(0, ReportTable.of("speed-up over one worker, all boards", summary))
    faster = [(f"{row['replication']} on {row['board']}", number(row["nodes"]), row["speed-up"]) for row in lines]
    notes += [*speed_up_warnings(faster, rounds), *_async_note(groups)]
    if any(int(number(key[2])) > usable_cores() for key in groups) and address.startswith(("local", "inside")):
        notes.append(
            f"More nodes than the {usable_cores():g} cores of this machine take turns: only their nodes count."
        )
    serial = published_rows("000", "speedup")[0]["seq_total_s"]
    for program in PROGRAMS.values():
        published_points = tuple(
            (row["processors"], serial / row[f"{program}_total_s"])
            for row in published_rows("000", "speedup")
            if row[f"{program}_total_s"] is not None
        )
        curves.append(Series(name=f"000 {program}", points=published_points, style="points", published=True))
    plot = Plot(
        title="speed-up against one worker", x="nodes", y="speed-up", series=tuple(curves), log_x=True, log_y=True
    )
    return Conclusion(tables=tuple(tables), figures=(plot,), notes=tuple(notes), passed=not differing)


def _scaling_row(key: tuple[Cell, ...], group: Sequence[Sample], alone: Sequence[Sample] | None) -> Sample:
    board, policy, count = key
    seconds = median(group, "seconds")
    low, high = spread(group, "seconds")
    shared = divided_samples(group) if policy != ALONE else []
    row: Sample = {"board": board, "replication": policy, "nodes": count}
    if policy == ALONE:
        row |= {"useful (s)": seconds, "overhead (s)": 0.0, "total (s)": seconds}
    else:
        row |= times(group)
    return row | {
        "least (s)": low,
        "most (s)": high,
        "spread": f"{relative_spread(group, 'seconds'):.1%}",
        "speed-up": median(alone, "seconds") / median(shared, "seconds") if alone and shared else None,
        "nodes searched": median_count(group, "nodes"),
        "search overhead": search_overhead(shared, alone) if alone and shared else None,
        "jobs": median_count(group, "jobs") if policy != ALONE else None,
        "threshold": median_count(group, "threshold") if policy != ALONE else None,
        "steal success": steal_success(group) if policy != ALONE else None,
        "bytes": median_count(group, "bytes") if policy != ALONE else None,
        "messages": median_count(group, "messages") if policy != ALONE else None,
        "slowest stop (ms)": (
            1e3 * max(number(sample["slowest_stop_seconds"]) for sample in group) if policy != ALONE else None
        ),
        "runs": len(group),
    }


def _async_note(groups: Groups) -> list[str]:
    """Return a note that compares the policies `async` and `none`, round by round, if both were measured."""
    ratios = []
    for (board, policy, count), group in groups.items():
        if policy_name(str(policy)) == "async" and (board, "none", count) in groups and number(count) > 1:
            without = {
                sample["round"]: number(sample["seconds"]) for sample in divided_samples(groups[board, "none", count])
            }
            ratios += [
                number(sample["seconds"]) / without[sample["round"]]
                for sample in divided_samples(group)
                if sample["round"] in without
            ]
    if not ratios:
        return []
    ratios.sort()
    middle = ratios[len(ratios) // 2]
    return [f"async takes {middle:.3f} of none's time (median of {how_many(len(ratios), 'pair')}, interleaved)."]
