"""Report on simulated runs of report 000's programs: tables, a plot of speed-ups, and costs fitted to the report."""

from collections.abc import Sequence

from outflank.lab.experiment import Conclusion
from outflank.lab.experiment_report import Cell, Plot, ReportTable, Sample, Series
from outflank.lab.measuring.search_samples import grouped, median, number
from outflank.lab.report_programs.published_numbers import rows
from outflank.lab.simulation.report_costs import fit_rows


def conclude(samples: Sequence[Sample], *, board_seconds: float, depth: int) -> Conclusion:
    """Return the conclusion from the samples of the experiment `stealing`."""
    alone = {sample["position"]: sample for sample in samples if sample["what"] == "alone"}
    simulated = [sample for sample in samples if sample["what"] == "simulated" and sample["position"] in alone]
    differing = sorted({str(run["position"]) for run in simulated if run["value"] != alone[run["position"]]["value"]})
    serial = {position: number(sample["boards"]) * board_seconds for position, sample in alone.items()}
    runs = [
        _row(key, group, alone[key[0]], serial[key[0]])
        for key, group in grouped(simulated, "position", "program", "threshold", "count").items()
    ]
    tables = (
        ReportTable.of(
            f"simulated runs, depth {depth}",
            runs,
            notes=(
                "Times are simulated; useful, sending, held up (by updates of others) and idle are means of the nodes. "
                "A steal is tried once for each request, also if the victim has no job.",
            ),
        ),
        ReportTable.of("costs: lines through the report's own tables", fit_rows()),
    )
    notes = [f"The value differs from one worker's on {position}: it must not." for position in differing]
    notes += [
        f"One worker alone visits {number(sample['boards']):,.0f} boards from {position}, in {serial[position]:,.0f} s "
        "at the report's speed."
        for position, sample in alone.items()
    ]
    return Conclusion(
        tables=tuple(table for table in tables if table.rows),
        figures=(_speed_up_plot(runs),) if runs else (),
        notes=tuple(notes),
        passed=not differing,
    )


def _row(key: tuple[Cell, ...], runs: Sequence[Sample], alone: Sample, serial: float) -> Sample:
    position, program, threshold, count = key
    tried = sum(number(run["tried"]) for run in runs)
    return {
        "position": position,
        "program": program,
        "threshold": threshold,
        "nodes": count,
        "total (s)": median(runs, "seconds"),
        "speed-up": serial / median(runs, "seconds"),
        "boards": median(runs, "boards") / number(alone["boards"]),
        "useful (s)": median(runs, "useful"),
        "sending (s)": median(runs, "sending"),
        "held up (s)": median(runs, "receiving"),
        "idle (s)": median(runs, "idle"),
        "steals tried": round(median(runs, "tried")),
        "steal success": f"{sum(number(run['won']) for run in runs) / tried:.3%}" if tried else None,
        "steal bytes": round(median(runs, "bytes")),
        "given up": round(median(runs, "aborted")),
        "updates": round(median(runs, "updates")),
        "hits on others' entries": round(median(runs, "foreign_hits")),
        "runs": len(runs),
    }


def _speed_up_plot(runs: Sequence[Sample]) -> Plot:
    """Return a plot of speed-ups by number of nodes: simulated at each program's best threshold, and published."""
    series = []
    for (position, program), group in grouped(runs, "position", "program").items():
        points = tuple(
            (number(count), max(number(row["speed-up"]) for row in same))
            for (count,), same in grouped(group, "nodes").items()
        )
        series.append(Series(name=f"{program}, {position}", points=points))
    published = rows("000", "speedup")
    for program in ("par", "par_rmi", "par_tuple"):
        points = tuple(
            (row["processors"], published[0]["seq_total_s"] / row[f"{program}_total_s"]) for row in published
        )
        series.append(Series(name=f"000 {program}", points=points, style="points", published=True))
    return Plot(
        title="speed-up on report 000's cluster, simulated",
        x="nodes",
        y="speed-up",
        log_x=True,
        log_y=True,
        series=tuple(series),
    )
