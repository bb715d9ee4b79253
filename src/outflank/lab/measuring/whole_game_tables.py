"""Tables of timed games by number of threads, as in reports 002 and 004: wall, user and system time, and efficiency."""

from collections.abc import Sequence

from outflank.lab.experiment_report import Figure, Plot, ReportTable, Sample, Series
from outflank.lab.measuring.search_samples import SHORTEST_SECONDS, grouped, median, number
from outflank.lab.report_programs.measured_programs import GAME_OF
from outflank.lab.report_programs.published_numbers import curve, fact, rows
from outflank.machine import usable_cores
from outflank.validation.text import how_many


def fastest_notes(lines: Sequence[Sample]) -> list[str]:
    """Return a note that names the scheme and worker count with the greatest speed-up."""
    comparable = [
        line for line in lines if line["speed-up"] is not None and number(line["wall (s)"]) >= SHORTEST_SECONDS
    ]
    if not comparable:
        return []
    best = max(comparable, key=lambda line: number(line["speed-up"]))
    workers, position = how_many(int(number(best["workers"])), "worker"), best.get("position")
    suffix = f" ({position})" if position is not None and len({line.get("position") for line in lines}) > 1 else ""
    times = number(best["speed-up"])
    text = f"{best['scheme']} on {workers}, {times:.2f} times as fast as the serial program{suffix}."
    return [f"Fastest: {text}" if times >= 1 else f"Nothing is faster than the serial program; next is {text}"]


def inconsistent_schemes(samples: Sequence[Sample]) -> list[str]:
    """Return the schemes whose searches found different values for the same position or game."""
    schemes = [
        str(scheme)
        for (_, scheme, _), group in grouped(samples, "position", "scheme", "moves").items()
        if len({sample["value"] for sample in group}) > 1
    ]
    return list(dict.fromkeys(schemes))


def whole_game_notes(samples: Sequence[Sample]) -> list[str]:
    """Return a note on games timed as a whole, which warns if times are not comparable because moves differ."""
    games = {str(sample["moves"]) for sample in samples if "moves" in sample}
    if not games:
        return []
    different = len({(sample.get("position"), sample["moves"]) for sample in samples if "moves" in sample})
    positions = len({sample.get("position") for sample in samples})
    turns = sorted({int(number(sample["turns"])) for sample in samples})
    depths = sorted({int(number(sample["depth"])) for sample in samples})
    text = f"{turns[0]} to {turns[-1]}" if len(turns) > 1 else str(turns[0])
    text += f" searched turns at {'depths' if len(depths) > 1 else 'depth'} {', '.join(map(str, depths))}"
    if different > positions:
        return [
            f"Whole games of {text}, but not always the same ones ({different} different games from "
            f"{how_many(positions, 'position')}): times are of different games."
        ]
    return [f"Whole games of {text}: every side played the same moves."]


def short_turn_notes(samples: Sequence[Sample]) -> list[str]:
    """Return a warning about games in which single searches are too short to be compared."""
    turn_seconds = [number(sample["seconds"]) / number(sample["turns"]) for sample in samples if sample.get("turns")]
    if not turn_seconds or min(turn_seconds) >= SHORTEST_SECONDS:
        return []
    return [
        f"A turn took {1000 * min(turn_seconds):.2g} ms: below {1000 * SHORTEST_SECONDS:.0f} ms much of a search is "
        "what it does outside the tree, which no worker takes off. Play deeper games to see what is gained."
    ]


def medians_over_positions(lines: Sequence[Sample]) -> ReportTable:
    """Return a table of medians over all positions, by scheme and worker count."""
    rows: list[Sample] = []
    for (scheme, workers), group in grouped(lines, "scheme", "workers").items():
        row: Sample = {"scheme": scheme, "workers": workers, "positions": len(group)}
        for column in ("wall (s)", "speed-up", "efficiency", "search overhead", "idle share"):
            cells = [line for line in group if line[column] is not None]
            row[f"{column}, median"] = median(cells, column) if cells else None
        rows.append(row)
    return ReportTable.of("scaling: medians over the positions", rows)


def published_speedups(game: str) -> list[Series]:
    """Return the published speed-ups of the reports' programs in this game, relative to their serial programs."""
    if game != GAME_OF["000"]:
        return []  # report 003 has evaluations per second, drawn by `imbalance`
    serial = rows("000", "speedup")[0]["seq_total_s"]
    series = []
    for version in ("par", "par_rmi", "par_tuple"):
        times = curve("000", "speedup", "processors", f"{version}_total_s").points
        points = tuple((processors, serial / seconds) for processors, seconds in times)
        series.append(Series(name=f"000 {version}", points=points, style="points", published=True))
    whole = fact("004", "serial_seconds")
    times = curve("004", "efficiency", "threads", "real_s").points
    points = tuple((threads, whole / seconds) for threads, seconds in times)
    series.append(Series(name="004", points=points, style="points", published=True))
    return series


def _serial_seconds(lines: Sequence[Sample]) -> float | None:
    """Return the seconds of the serial program, or None if it was not measured."""
    return next((number(line["wall (s)"]) for line in lines if str(line["scheme"]).startswith("serial ")), None)


def _oversubscribed(lines: Sequence[Sample]) -> bool:
    """Return whether there are rows with more workers than cores."""
    return any(number(line["workers"]) > usable_cores() for line in lines)


def thread_table(report: str, lines: Sequence[Sample], how: str = "") -> ReportTable:
    """Return a table of times by threads, as in report 004, which has up to 32 threads, apparently on 8 cores.

    `how` is added to the title if trees are divided differently than in the report.
    """
    serial, rows = _serial_seconds(lines), []
    for line in lines:
        is_serial = str(line["scheme"]).startswith("serial ")
        workers, seconds = number(line["workers"]), number(line["wall (s)"])
        rows.append(
            {
                "program": line["scheme"],
                "threads": None if is_serial else line["workers"],
                "real (s)": seconds,
                "user (s)": line["user (s)"],
                "sys (s)": line["system (s)"],
                "efficiency S/(p·T(p))": None if is_serial or serial is None else serial / workers / seconds,
            }
        )
    note = f"Rows with more than {usable_cores():g} threads are workers that take turns: their efficiency cannot last."
    return ReportTable.of(
        f"threads: a game by report {report}'s rules{how}", rows, notes=(note,) if _oversubscribed(lines) else ()
    )


def thread_figures(report: str, schemes: Sequence[str], lines: Sequence[Sample], how: str = "") -> tuple[Figure, ...]:
    """Return plots of efficiency and run time by threads, as published in reports 002 (figures 4 and 5) and 004."""
    serial = _serial_seconds(lines)
    efficiencies, times = [], []
    for scheme in schemes:
        seconds_by_workers = {
            number(line["workers"]): number(line["wall (s)"]) for line in lines if line["scheme"] == scheme
        }
        times.append(Series(name=scheme, points=tuple(sorted(seconds_by_workers.items()))))
        if serial is not None:
            scheme_points = tuple(
                (count, serial / count / seconds) for count, seconds in sorted(seconds_by_workers.items())
            )
            efficiencies.append(Series(name=scheme, points=scheme_points))
    if report == "004":
        published_times = curve("004", "efficiency", "threads", "real_s").points
        serial_004 = fact("004", "serial_seconds")
        points = tuple((count, serial_004 / float(count) / seconds) for count, seconds in published_times)
        efficiencies.append(Series(name="004", points=points, style="points", published=True))
        times.append(Series(name="004", points=published_times, style="points", published=True))
    else:
        text_points = (
            (1.0, fact("002", "seconds_on_1_thread_above")),
            (5.0, fact("002", "seconds_on_5_threads_about")),
        )
        times.append(Series(name="002, in its text", points=text_points, style="points", published=True))
        low = float(fact("002", "efficiency_above_percent")) / 100
        first, last = fact("002", "efficient_up_to_threads")
        points = ((float(first), low), (float(last), low))
        efficiencies.append(Series(name="002: well above", points=points, style="dashed", published=True))
    caption = f"Beyond {usable_cores():g} threads workers take turns." if _oversubscribed(lines) else ""
    return (
        Plot(
            title=f"efficiency by threads{how}",
            x="threads",
            y="S/(p·T(p))",
            series=tuple(efficiencies),
            caption=caption,
        ),
        Plot(
            title=f"run time by threads{how}",
            x="threads",
            y="time (s)",
            log_y=True,
            series=tuple(times),
            caption=caption,
        ),
    )
