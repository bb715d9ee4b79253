"""Reports on simulated searches: the accuracy of the model, and its predictions."""

import statistics
from collections.abc import Sequence

from outflank.lab.experiment import Conclusion
from outflank.lab.experiment_report import Cell, Figure, Plot, ReportTable, Sample, Series
from outflank.lab.measuring.search_samples import grouped, median, number, spread
from outflank.lab.report_programs.published_numbers import curve, rows
from outflank.machine import usable_cores
from outflank.validation.text import how_many

COMPARED = (16, 64)
"""Numbers of nodes at which predicted speed-ups are compared with the speed-ups of report 000."""

DRAWN = (4, 16, 64, 256, 1024)
"""Numbers of nodes for which the work of one node is plotted over the replication depth."""


def middle_threshold(thresholds: Sequence[int]) -> int:
    """Return the middle one of the thresholds, at which the simulation is compared with a real cluster."""
    return sorted(thresholds)[len(thresholds) // 2]


def conclude(
    samples: Sequence[Sample], *, rate: float, threshold: int, program_notes: Sequence[str] = ()
) -> Conclusion:
    """Return the conclusion from recorded, measured and simulated samples. `rate` is in tree nodes per second."""
    by_kind = grouped(samples, "what")
    alone = {sample["position"]: number(sample["nodes"]) / rate for sample in by_kind.get(("alone",), [])}
    best = _best_rows([sample for sample in by_kind.get(("simulated",), []) if sample["position"] in alone], alone)
    values = {
        str(position): {sample["value"] for sample in group if "value" in sample}
        for (position,), group in grouped(samples, "position").items()
    }
    inconsistent = [position for position, distinct in values.items() if len(distinct) > 1]
    notes = [*program_notes]
    notes += [f"The value differs between runs of {', '.join(inconsistent)}: it must not."] if inconsistent else []
    tables = (
        ReportTable.of("recordings", [_recording_row(sample) for sample in by_kind.get(("recording",), [])]),
        ReportTable.of(
            "check: what entries of other jobs are worth",
            [_hidden_row(sample) for sample in by_kind.get(("hidden",), [])],
            notes=(
                "Nodes beside those of a search in which every job sees all entries, if entries of less depth that "
                "other jobs have made are hidden from it. Expected: hits counted, times what they save.",
            ),
        ),
        ReportTable.of(
            "check: nodes within this process",
            [_check_row(group) for group in grouped(by_kind.get(("checked",), []), "count", "policy").values()],
            notes=("Nodes are beside one node's; medians. Times only where there is a core for each node.",),
        ),
        ReportTable.of("speed-up by policy, at its best threshold and replication depth", best),
    )
    notes += _report_000_notes(best)
    notes.append(
        "Speed-up is against one worker without any cluster, at the same nodes a second. Trees of some seconds do not "
        "keep many nodes busy: report 000's took its sequential program 3 776 s."
    )
    return Conclusion(
        tables=tuple(table for table in tables if table.rows),
        figures=_figures(
            best, [sample for sample in by_kind.get(("replication",), []) if sample["threshold"] == threshold]
        ),
        notes=tuple(notes),
        passed=not inconsistent,
    )


def _recording_row(sample: Sample) -> Sample:
    nodes = number(sample["nodes"])
    return {
        "position": sample["position"],
        "threshold": sample["threshold"],
        "jobs": sample["jobs"],
        "nodes": sample["nodes"],
        "nodes a job": round(nodes / number(sample["jobs"])),
        "without others' values": number(sample["without_values"]) / nodes,
        "without others' moves": number(sample["without_moves"]) / nodes,
        "head (µs a job)": number(sample["head_us"]),
    }


def _hidden_row(sample: Sample) -> Sample:
    expected, measured = number(sample["expected"]), number(sample["measured"])
    return {
        "position": sample["position"],
        "threshold": sample["threshold"],
        "hidden below depth": sample["depth"],
        "expected nodes": expected,
        "measured nodes": measured,
        "error": f"{expected / measured - 1:+.1%}",
    }


def _check_row(runs: Sequence[Sample]) -> Sample:
    expected, measured = median(runs, "expected_nodes"), median(runs, "nodes")
    low, high = spread(runs, "nodes")
    count = number(runs[0]["count"])
    timed = count <= usable_cores()
    return {
        "nodes": runs[0]["count"],
        "policy": runs[0]["policy"],
        "expected nodes": expected,
        "measured nodes": measured,
        "range": f"{low:.2f}–{high:.2f}",
        "error": f"{expected / measured - 1:+.1%}",
        "expected jobs": round(median(runs, "expected_jobs")),
        "measured jobs": round(median(runs, "jobs")),
        "expected (s)": median(runs, "expected_seconds") if timed else None,
        "measured (s)": median(runs, "seconds") if timed else None,
        "runs": len(runs),
    }


def _best_rows(samples: Sequence[Sample], alone: dict[Cell, float]) -> list[Sample]:
    """Return a row for each policy and number of nodes, at the threshold with the best mean speed-up over positions."""
    best_rows: list[Sample] = []
    for (policy, count), candidates in grouped(samples, "policy", "count").items():
        thresholds = grouped(candidates, "threshold")
        best = max(thresholds, key=lambda key: _mean_speed_up(thresholds[key], alone))
        group = thresholds[best]
        depths = [number(sample["depth"]) for sample in group if sample["depth"] is not None]
        speed_up = _mean_speed_up(group, alone)
        best_rows.append(
            {
                "policy": policy,
                "nodes": count,
                "threshold": best[0],
                "replication depth": round(statistics.median(depths)) if depths else None,
                "speed-up": speed_up,
                "efficiency": speed_up / number(count),
                "nodes of the tree": median(group, "nodes"),
                "lost for want of entries": median(group, "lost"),
                "busy": median(group, "busy"),
                "head busy": median(group, "head"),
                "jobs": round(median(group, "jobs")),
                "jobs one node never did": round(median(group, "unrecorded")),
            }
        )
    return best_rows


def _mean_speed_up(samples: Sequence[Sample], alone: dict[Cell, float]) -> float:
    """Return the geometric mean of speed-ups over positions. `alone` has the seconds of one worker."""
    return statistics.geometric_mean(
        alone[position] / median(group, "seconds") for (position,), group in grouped(samples, "position").items()
    )


def _figures(best: Sequence[Sample], work_samples: Sequence[Sample]) -> tuple[Figure, ...]:
    policies = grouped(best, "policy")
    if not policies:
        return ()
    counts = sorted({number(row["nodes"]) for row in best})
    last = [*policies][-1]
    figures = [
        Plot(
            title="speed-up on simulated nodes",
            x="nodes",
            y="speed-up",
            log_x=True,
            log_y=True,
            series=(
                Series(name="linear", points=tuple((count, count) for count in counts), style="dashed"),
                *(_by_nodes(str(policy), group, "speed-up") for (policy,), group in policies.items()),
                *_published_series(),
            ),
            caption="Each policy at its best threshold and replication depth.",
        ),
        Plot(
            title=f"best threshold and replication depth ({last[0]})",
            x="nodes",
            y="plies left",
            log_x=True,
            series=tuple(_by_nodes(column, policies[last], column) for column in ("threshold", "replication depth")),
        ),
    ]
    by_count = grouped(
        [sample for sample in work_samples if sample["policy"] == "async" and sample["count"] in DRAWN], "count"
    )
    if by_count:
        series = tuple(
            Series(
                name=how_many(int(number(count)), "node"),
                points=tuple(
                    (number(depth), median(group, "effort")) for (depth,), group in grouped(samples, "depth").items()
                ),
            )
            for (count,), samples in by_count.items()
        )
        figures.append(
            Plot(
                title="work of a node by replication depth (async)",
                x="least depth of entries that are sent (plies)",
                y="times one node's",
                log_y=True,
                series=series,
                caption="What is lost without the entries, and what they cost; all nodes always busy.",
            )
        )
    return tuple(figures)


def _by_nodes(name: str, group: Sequence[Sample], column: str) -> Series:
    points = ((number(row["nodes"]), number(row[column])) for row in group if row[column] is not None)
    return Series(name=name, points=tuple(points))


def _published_series() -> list[Series]:
    """Return the speed-ups that report 000 measured."""
    serial = rows("000", "speedup")[0]["seq_total_s"]
    series = []
    for program in ("par", "par_rmi", "par_tuple"):
        times = curve("000", "speedup", "processors", f"{program}_total_s").points
        points = tuple((processors, serial / seconds) for processors, seconds in times)
        series.append(Series(name=f"000 {program}", points=points, style="points", published=True))
    return series


def _report_000_notes(best: Sequence[Sample]) -> list[str]:
    """Return notes that compare predicted speed-ups with the speed-ups that report 000 measured."""
    serial = rows("000", "speedup")[0]["seq_total_s"]
    speeds = {row["processors"]: serial / row["par_tuple_total_s"] for row in rows("000", "speedup")}
    notes = []
    for count in COMPARED:
        predicted = {str(row["policy"]): number(row["speed-up"]) for row in best if row["nodes"] == count}
        if predicted:
            text = ", ".join(f"{policy} {speed_up:.1f}" for policy, speed_up in predicted.items())
            notes.append(
                f"{how_many(count, 'node')} of one worker: {text}; report 000 measured {speeds[count]:.1f} (par_tuple)."
            )
    return notes
