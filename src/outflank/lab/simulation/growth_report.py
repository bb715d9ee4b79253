"""Report of the experiment `growth`: the efficiency of simulated clusters, its limits, and its trend with depth."""

import math
from collections.abc import Sequence
from statistics import linear_regression, mean

from outflank.lab.experiment import Conclusion
from outflank.lab.experiment_report import Cell, Plot, ReportTable, Sample, Series
from outflank.lab.measuring.search_samples import grouped, median, number

LOSSES = {
    "more nodes": "tree nodes that one worker does not enter",
    "idle": "no work",
    "sending": "sending table entries",
    "held up": "receiving table entries",
    "looking up": "look-ups in the distributed table",
}
"""Causes of lost time, with their meanings. The lost time is the time of all nodes together, minus the time that one
worker takes for the search."""

BEST = ("threshold", "tables", "replicated")
"""Settings that vary. Of each search on each cluster, the run with the best combination is taken."""


def conclude(samples: Sequence[Sample], *, board: float, seconds: float) -> Conclusion:
    """Return the conclusion from the samples of the experiment `growth`. `board` is the time of a tree node in
    microseconds. The efficiency is extrapolated to a search that takes one worker `seconds`."""
    alone = {(sample["position"], sample["depth"]): sample for sample in samples if sample["what"] == "alone"}
    simulated = [
        sample for sample in samples if sample["what"] == "simulated" and (sample["position"], sample["depth"]) in alone
    ]
    rows = [
        _row(key, group, alone[key[0], key[1]], board)
        for key, group in grouped(simulated, "position", "depth", "network", "count", *BEST).items()
    ]
    best = _best(rows)
    grown = [_grown(key, group, seconds) for key, group in grouped(best, "position", "network", "nodes").items()]
    real = _real_rows(samples, simulated)
    differing = sorted(
        {
            f"{sample['position']}, depth {sample['depth']}"
            for sample in samples
            if sample["value"] != alone.get((sample["position"], sample["depth"]), sample)["value"]
        }
    )
    notes = [f"The value differs from one worker's in {search}: it must not." for search in differing]
    notes += [
        f"One worker enters {number(sample['boards']):,.0f} tree nodes from {position} to depth {depth}. At "
        f"{board:g} µs for each it takes {number(sample['boards']) * board / 1e6:,.1f} s; "
        f"here it took {number(sample['seconds']):.1f} s, beside other tasks."
        for (position, depth), sample in alone.items()
    ]
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in LOSSES.items())
    tables = (
        ReportTable.of(
            f"a search of {seconds:,.0f} s by one worker, extrapolated",
            [row for row in grown if row],
            notes=(
                "The lost time, as a fraction of one worker's time t, follows a power law a·t^b, fitted to the best "
                "settings at each depth. Its error is the efficiency that the other depths predict for the greatest "
                "depth, minus the simulated one.",
            ),
        ),
        ReportTable.of("best settings", best, notes=(f"Shares of the nodes' whole time. {meanings}.",)),
        ReportTable.of("tree nodes entered, simulated and by real nodes", real),
        ReportTable.of("all settings", rows),
    )
    return Conclusion(
        tables=tuple(table for table in tables if table.rows),
        figures=(_plot(best),) if best else (),
        notes=tuple(notes),
        passed=not differing,
    )


def _row(key: tuple[Cell, ...], runs: Sequence[Sample], alone: Sample, board: float) -> Sample:
    position, depth, network, count, threshold, tables, replicated = key
    serial = number(alone["boards"]) * board / 1e6
    seconds = median(runs, "seconds")
    whole = number(count) * seconds
    boards = median(runs, "boards")
    return {
        "position": position,
        "depth": depth,
        "network": network,
        "nodes": count,
        "threshold": threshold,
        "tables": tables,
        "replicated": replicated,
        "one worker (s)": serial,
        "speed-up": serial / seconds,
        "efficiency": serial / whole,
        "more nodes": (boards / number(alone["boards"]) - 1) * serial / whole,
        "idle": number(count) * median(runs, "idle") / whole,
        "sending": number(count) * median(runs, "sending") / whole,
        "held up": number(count) * median(runs, "receiving") / whole,
        "looking up": number(count) * median(runs, "looking up") / whole,
        "steals": round(median(runs, "won")),
        "boards": round(boards),
    }


def _best(rows: Sequence[Sample]) -> list[Sample]:
    """Return one row for each search on each cluster: the row with the greatest speed-up."""
    return [
        max(group, key=lambda row: number(row["speed-up"]))
        for group in grouped(rows, "position", "depth", "network", "nodes").values()
    ]


def _predicted(rows: Sequence[Sample], seconds: float) -> float:
    """Return the efficiency in a search that takes one worker `seconds`, from rows of the same cluster.

    Rows without lost time are left out, because a power of time is never 0. (Some searches on few nodes enter fewer
    tree nodes than one worker does.) If fewer than two rows remain, the result is the mean efficiency of all rows.
    """
    points = [
        (math.log(number(row["one worker (s)"])), math.log(1 / number(row["efficiency"]) - 1))
        for row in rows
        if number(row["efficiency"]) < 1
    ]
    if len(points) < 2:
        return mean(number(row["efficiency"]) for row in rows)
    slope, fixed = linear_regression(*zip(*points, strict=True))
    return 1 / (1 + math.exp(fixed + slope * math.log(seconds)))


def _grown(key: tuple[Cell, ...], rows: Sequence[Sample], seconds: float) -> Sample:
    """Return a row with the efficiency of a longer search; an empty one if there are fewer than three depths."""
    position, network, count = key
    rows = sorted(rows, key=lambda row: number(row["one worker (s)"]))
    if len(rows) < 3:
        return {}
    efficiency = _predicted(rows, seconds)
    deepest = rows[-1]
    check = _predicted(rows[:-1], number(deepest["one worker (s)"]))
    return {
        "position": position,
        "network": network,
        "nodes": count,
        "speed-up": efficiency * number(count),
        "efficiency": efficiency,
        "error at the greatest depth": check - number(deepest["efficiency"]),
        "what limits it": max(LOSSES, key=lambda name: number(deepest[name])),
        "threshold": deepest["threshold"],
        "tables": deepest["tables"],
        "replicated": deepest["replicated"],
    }


def _real_rows(samples: Sequence[Sample], simulated: Sequence[Sample]) -> list[Sample]:
    """Return rows that compare the number of tree nodes on real and on simulated clusters. In a row, both clusters have
    the same number of nodes and the same threshold. There is a row for each network that was simulated."""
    rows: list[Sample] = []
    real = grouped(
        [sample for sample in samples if sample["what"] == "real"], "position", "depth", "count", "threshold"
    )
    alike = [sample for sample in simulated if sample["tables"] == "private" and sample["replicated"] == 0]
    for (*key, network), same in grouped(alike, "position", "depth", "count", "threshold", "network").items():
        group = real.get(tuple(key))
        if group:
            boards, expected = median(group, "boards"), median(same, "boards")
            rows.append(
                {
                    "position": key[0],
                    "depth": key[1],
                    "nodes": key[2],
                    "threshold": key[3],
                    "network": network,
                    "simulated": round(expected),
                    "real": round(boards),
                    "error": f"{expected / boards - 1:+.1%}",
                    "steals, simulated": round(median(same, "won")),
                    "steals, real": round(median(group, "won")),
                }
            )
    return rows


def _plot(best: Sequence[Sample]) -> Plot:
    """Return a plot of the efficiency by number of nodes, with a line for each search on each network."""
    return Plot(
        title="efficiency, simulated",
        x="nodes",
        y="efficiency",
        log_x=True,
        series=tuple(
            Series(
                name=f"{network}, {position}, depth {depth}",
                points=tuple((number(row["nodes"]), number(row["efficiency"])) for row in group),
            )
            for (network, position, depth), group in grouped(best, "network", "position", "depth").items()
        ),
    )
