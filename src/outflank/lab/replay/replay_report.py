"""Times of replayed and of real searches by number of workers: samples, the error of the replay, table and figure."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from outflank.lab.experiment_report import Plot, Sample, Series
from outflank.lab.measuring.search_samples import ENOUGH_CORES, grouped, number
from outflank.lab.measuring.whole_game_tables import thread_figures

REAL, REPLAYED, RECORDED = "real", "replayed", "recorded"
"""Kinds of samples: a search that really ran, a simulated schedule, and a recording."""

GOOD_ERROR = 0.05
"""Greatest error of a replayed time, relative to the real one, that we call good."""


def least_times(samples: Sequence[Sample], workers: int, measure: str = "seconds") -> float | None:
    """Return the sum of the shortest real time of each search with `workers` workers, or None if there is none."""
    turns = grouped((s for s in samples if s["what"] == REAL and s["workers"] == workers), "turn")
    if not turns:
        return None
    return sum(min(number(sample[measure]) for sample in group) for group in turns.values())


def real_games(samples: Sequence[Sample]) -> dict[int, list[Sample]]:
    """Return the sums over each round of real searches, by number of workers. The key 0 is the serial program."""
    games: dict[int, list[Sample]] = {}
    for (workers, _), turns in grouped((s for s in samples if s["what"] == REAL), "workers", "round").items():
        sums: Sample = {name: sum(number(turn[name]) for turn in turns) for name in SUMMED}
        games.setdefault(int(number(workers)), []).append(sums)
    return games


SUMMED = ("seconds", "user_seconds", "system_seconds", "nodes")
"""Fields of a real search that are summed over a game."""


def replayed_time(
    samples: Sequence[Sample], workers: int, measure: str = "seconds", scheduler: str = "stealing"
) -> float | None:
    """Return the field `measure` of the replay on `workers` workers, or None if no such number was replayed."""
    for sample in samples:
        if (sample["what"], sample.get("scheduler"), sample.get("workers")) == (REPLAYED, scheduler, workers):
            return number(sample[measure])
    return None


def replay_error(samples: Sequence[Sample], workers: int) -> float | None:
    """Return the relative error of the replayed time inside the trees, or None if one of the times is missing."""
    real, replayed = least_times(samples, workers, "tree_seconds"), replayed_time(samples, workers, "tree_seconds")
    return replayed / real - 1 if real and replayed is not None else None


def replay_lines(samples: Sequence[Sample]) -> list[Sample]:
    """Return a row for each number of workers: replayed time, speed-ups, real time, and the error of the replay."""
    counts = sorted({int(number(sample["workers"])) for sample in samples if sample["what"] == REPLAYED})
    alone, real_alone = replayed_time(samples, 1), least_times(samples, 1)
    lines: list[Sample] = []
    for workers in counts:
        seconds, ideal = replayed_time(samples, workers), replayed_time(samples, workers, scheduler="greedy")
        assert seconds is not None
        tree = replayed_time(samples, workers, "tree_seconds") or 0.0
        busy = replayed_time(samples, workers, "busy_seconds") or 0.0
        real, error = least_times(samples, workers), replay_error(samples, workers)
        lines.append(
            {
                "workers": workers,
                "replayed (s)": seconds,
                "speed-up": alone / seconds if alone else None,
                "greedy": alone / ideal if alone and ideal else None,
                "busy": f"{busy / tree / workers:.1%}" if tree else None,
                "real (s)": real,
                "real speed-up": real_alone / real if real and real_alone else None,
                "error": f"{error:+.1%}" if error is not None else None,
                "nodes": int(replayed_time(samples, workers, "nodes") or 0),
                "real nodes": _median_nodes(samples, workers),
                "steals": int(replayed_time(samples, workers, "steals") or 0),
            }
        )
    return lines


def _median_nodes(samples: Sequence[Sample], workers: int) -> int | None:
    """Return the median nodes of a round with `workers` real workers, or None if there is no round."""
    rounds = grouped((s for s in samples if s["what"] == REAL and s["workers"] == workers), "round").values()
    totals = [sum(number(sample["nodes"]) for sample in group) for group in rounds]
    return round(statistics.median(totals)) if totals else None


def speed_up_figure(title: str, lines: Sequence[Sample]) -> Plot:
    """Return a plot of replayed, greedy and real speed-ups by number of workers."""

    def series(name: str, column: str, style: Literal["line", "dashed", "points"]) -> Series:
        points = tuple(
            (number(line["workers"]), number(line[column])) for line in lines if line.get(column) is not None
        )
        return Series(name=name, points=points, style=style)

    return Plot(
        title=f"replay: {title}",
        x="workers",
        y="speed-up against one worker",
        log_x=True,
        log_y=True,
        series=(
            series("replayed", "speed-up", "line"),
            series("greedy, at no cost", "greedy", "dashed"),
            series("real", "real speed-up", "points"),
        ),
    )


def thread_plots(report: str, samples: Sequence[Sample]) -> tuple[Plot, ...]:
    """Return plots of efficiency and run time by number of threads, like those of reports 002 and 004."""
    serial, lines = least_times(samples, 0), replay_lines(samples)
    rows: list[Sample] = [{"scheme": "serial ", "workers": 1, "wall (s)": serial}] if serial else []
    names = {"replayed (s)": "replayed", "real (s)": "real"}
    for column, name in names.items():
        rows += [
            {"scheme": name, "workers": line["workers"], "wall (s)": line[column]}
            for line in lines
            if line[column] is not None
        ]
    plots = thread_figures(report, list(names.values()), rows, ", replayed")
    return tuple(replace(plot, caption="") for plot in plots if isinstance(plot, Plot))


def replay_notes(title: str, lines: Sequence[Sample], recorded: Sequence[Sample]) -> Iterator[str]:
    """Yield notes on the recording, the costs, and the error of the replay."""
    for sample in recorded:
        tree = f"{number(sample['strands']):,.0f} strands and {number(sample['offers']):,.0f} offers"
        yield (
            f"{title}: {tree if sample['strands'] else 'virtual workers, from the time of one'}; "
            f"{number(sample['work_seconds']):.3g} s of work and {number(sample['outside_seconds']):.2g} s outside the "
            f"trees. An offer takes {number(sample['offer_ns']):.0f} ns, a steal {number(sample['steal_ns']):.0f} ns "
            f"(the lower quartile of {sample['steals']}), a failed attempt {number(sample['attempt_ns']):.0f} ns, and "
            f"waking a worker {number(sample['wake_ns']) / 1000:.1f} µs, as measured on this machine."
        )
        if number(sample["lost_share_least"]) > 1 - ENOUGH_CORES:
            yield (
                f"The machine was busy: even the best recording lost {number(sample['lost_share_least']):.0%} of its "
                "time to others. Replayed and real times are then too long, and the error means little."
            )
        if sample["lost"]:
            yield "Some events found no room: the graph lacks a part."
    errors = {str(line["workers"]): str(line["error"]) for line in lines if line["error"] is not None}
    if errors:
        good = all(abs(float(error.rstrip("%"))) <= 100 * GOOD_ERROR for error in errors.values())
        yield (
            f"{title}: the replay's error on {' and '.join(errors)} real workers is {' and '.join(errors.values())}: "
            f"{'within' if good else 'not within'} {GOOD_ERROR:.0%}."
        )
