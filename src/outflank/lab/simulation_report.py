"""What simulated searches say: how far the model is to be trusted, and what it predicts."""

import statistics
from collections.abc import Sequence
from typing import Any

from outflank.lab.experiment import Conclusion
from outflank.lab.literature import curve, rows
from outflank.lab.measuring import grouped, median, number, spread
from outflank.lab.report import Figure, Plot, ReportTable, Sample, Series
from outflank.machine import usable_cores
from outflank.words import how_many

COMPARED = (16, 64)
"""Numbers of nodes whose speed-up is put beside report 000's."""

DRAWN = (4, 16, 64, 256, 1024)
"""Numbers of nodes whose work is drawn by the replication depth."""


def middle(thresholds: Sequence[int]) -> int:
    """The threshold at which the model is checked."""
    return sorted(thresholds)[len(thresholds) // 2]


def concluded(samples: Sequence[Sample], *, rate: float, threshold: int, said: Sequence[str] = ()) -> Conclusion:
    """From what was recorded, measured and simulated, at so many nodes of a tree a second."""
    of = grouped(samples, "what")
    alone = {sample["position"]: number(sample["nodes"]) / rate for sample in of.get(("alone",), [])}
    best = _best([sample for sample in of.get(("simulated",), []) if sample["position"] in alone], alone)
    values = {
        str(position): {each["value"] for each in found if "value" in each}
        for (position,), found in grouped(samples, "position").items()
    }
    wrong = [position for position, seen in values.items() if len(seen) > 1]
    notes = [*said]
    notes += [f"The value differs between runs of {', '.join(wrong)}: it must not."] if wrong else []
    tables = (
        ReportTable.of("recordings", [_recording_row(sample) for sample in of.get(("recording",), [])]),
        ReportTable.of(
            "check: what entries of other jobs are worth",
            [_hidden_row(sample) for sample in of.get(("hidden",), [])],
            notes=(
                "Nodes beside those of a search in which every job sees all entries, if entries of less depth that "
                "other jobs have made are hidden from it. Expected: hits counted, times what they save.",
            ),
        ),
        ReportTable.of(
            "check: nodes within this process",
            [_check_row(found) for found in grouped(of.get(("checked",), []), "count", "policy").values()],
            notes=("Nodes are beside one node's; medians. Times only where there is a core for each node.",),
        ),
        ReportTable.of("speed-up by policy, at its best threshold and replication depth", best),
    )
    notes += _beside_000(best)
    notes.append(
        "Speed-up is against one worker without any cluster, at the same nodes a second. Trees of some seconds do not "
        "keep many nodes busy: report 000's took its sequential program 3 776 s."
    )
    return Conclusion(
        tables=tuple(table for table in tables if table.rows),
        figures=_figures(best, [each for each in of.get(("replication",), []) if each["threshold"] == threshold]),
        notes=tuple(notes),
        passed=not wrong,
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


def _check_row(found: Sequence[Sample]) -> Sample:
    expected, measured = median(found, "expected_nodes"), median(found, "nodes")
    low, high = spread(found, "nodes")
    count = number(found[0]["count"])
    timed = count <= usable_cores()
    return {
        "nodes": found[0]["count"],
        "policy": found[0]["policy"],
        "expected nodes": expected,
        "measured nodes": measured,
        "range": f"{low:.2f}–{high:.2f}",
        "error": f"{expected / measured - 1:+.1%}",
        "expected jobs": round(median(found, "expected_jobs")),
        "measured jobs": round(median(found, "jobs")),
        "expected (s)": median(found, "expected_seconds") if timed else None,
        "measured (s)": median(found, "seconds") if timed else None,
        "runs": len(found),
    }


def _best(samples: Sequence[Sample], alone: dict[Any, float]) -> list[Sample]:
    """For each policy and number of nodes, the threshold that is fastest over all positions."""
    found: list[Sample] = []
    for (policy, count), several in grouped(samples, "policy", "count").items():
        thresholds = grouped(several, "threshold")
        chosen = max(thresholds, key=lambda each: _faster(thresholds[each], alone))
        group = thresholds[chosen]
        depths = [number(sample["depth"]) for sample in group if sample["depth"] is not None]
        faster = _faster(group, alone)
        found.append(
            {
                "policy": policy,
                "nodes": count,
                "threshold": chosen[0],
                "replication depth": round(statistics.median(depths)) if depths else None,
                "speed-up": faster,
                "efficiency": faster / number(count),
                "nodes of the tree": median(group, "nodes"),
                "lost for want of entries": median(group, "lost"),
                "busy": median(group, "busy"),
                "head busy": median(group, "head"),
                "jobs": round(median(group, "jobs")),
                "jobs one node never did": round(median(group, "unrecorded")),
            }
        )
    return found


def _faster(samples: Sequence[Sample], alone: dict[Any, float]) -> float:
    """The mean speed-up over positions."""
    return statistics.geometric_mean(
        alone[position] / median(found, "seconds") for (position,), found in grouped(samples, "position").items()
    )


def _figures(best: Sequence[Sample], efforts: Sequence[Sample]) -> tuple[Figure, ...]:
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
                *(_by_nodes(str(policy), found, "speed-up") for (policy,), found in policies.items()),
                *_published(),
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
    shown = grouped([each for each in efforts if each["policy"] == "async" and each["count"] in DRAWN], "count")
    if shown:
        series = tuple(
            Series(
                name=how_many(int(number(count)), "node"),
                points=tuple(
                    (number(depth), median(found, "effort")) for (depth,), found in grouped(each, "depth").items()
                ),
            )
            for (count,), each in shown.items()
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


def _by_nodes(name: str, found: Sequence[Sample], column: str) -> Series:
    points = ((number(row["nodes"]), number(row[column])) for row in found if row[column] is not None)
    return Series(name=name, points=tuple(points))


def _published() -> list[Series]:
    """What report 000 measured."""
    serial = rows("000", "speedup")[0]["seq_total_s"]
    found = []
    for program in ("par", "par_rmi", "par_tuple"):
        times = curve("000", "speedup", "processors", f"{program}_total_s").points
        points = tuple((processors, serial / seconds) for processors, seconds in times)
        found.append(Series(name=f"000 {program}", points=points, style="points", published=True))
    return found


def _beside_000(best: Sequence[Sample]) -> list[str]:
    """Predictions beside what report 000 measured."""
    serial = rows("000", "speedup")[0]["seq_total_s"]
    theirs = {row["processors"]: serial / row["par_tuple_total_s"] for row in rows("000", "speedup")}
    found = []
    for count in COMPARED:
        ours = {str(row["policy"]): number(row["speed-up"]) for row in best if row["nodes"] == count}
        if ours:
            each = ", ".join(f"{policy} {faster:.1f}" for policy, faster in ours.items())
            found.append(
                f"{how_many(count, 'node')} of one worker: {each}; report 000 measured {theirs[count]:.1f} (par_tuple)."
            )
    return found
